import { Option } from 'commander';

export type OutputFormat = 'json' | 'text';

/** `-o json|text`, which every command has. */
export function outputOption(preset: OutputFormat = 'text'): Option {
  return new Option('-o, --output <format>', 'json for programs, text for people')
    .choices(['json', 'text'])
    .default(preset);
}
