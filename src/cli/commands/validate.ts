import { Command } from 'commander';
import type { CommandContext } from '../program.ts';
import { type ExitCode, printJson, printLine, type Terminal } from '../terminal.ts';
import { readInputs, printFinding } from '../input/files.ts';
import { type OutputFormat, outputOption } from '../options.ts';
import { type Validation, validateFiles } from '../validation.ts';

interface Options {
  readonly filename: readonly string[];
  readonly output: OutputFormat;
}

export function validateCommand({ terminal, outcome }: CommandContext): Command {
  return new Command('validate')
    .description(
      'Checks policies and mig-parted files before they reach a cluster: schema, rules, and whether layouts fit every GPU model ' +
        'that they can meet. Reports all findings; objects of other kinds are skipped.',
    )
    .requiredOption(
      '-f, --filename <path...>',
      'files, folders (*.yaml, *.yml, *.json below them), or - for standard input',
    )
    .addOption(outputOption())
    .action(async ({ filename, output }: Options) => {
      const { validation } = validateFiles(await readInputs(filename, terminal));
      outcome.code = judge(validation);
      if (output === 'json') printJson(terminal, validation);
      else printValidation(terminal, validation);
    });
}

function judge({ findings }: Validation): ExitCode {
  // What could not be read was not checked: that outweighs findings elsewhere.
  if (findings.some(({ code }) => code === 'Unreadable' || code === 'InvalidYaml')) return 2;
  return findings.some(({ severity }) => severity === 'error') ? 1 : 0;
}

function printValidation(terminal: Terminal, { files, objects, templates, findings }: Validation): void {
  for (const finding of findings) printFinding(terminal.stdout, finding);
  for (const file of templates) printLine(terminal.stderr, `${file}: skipped, a template that is not YAML yet`);
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const { policies, migParted, skipped } = objects;
  const read = [
    count(policies, 'policy', 'policies'),
    ...(migParted === 0 ? [] : [count(migParted, 'mig-parted file', 'mig-parted files')]),
    ...(skipped === 0 ? [] : [count(skipped, 'other object', 'other objects')]),
  ];
  const found = `${count(errors, 'error', 'errors')}, ${count(findings.length - errors, 'warning', 'warnings')}`;
  printLine(terminal.stdout, `${read.join(', ')} in ${count(files, 'file', 'files')}: ${found}`);
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}
