import { CliError } from '../exit.ts';
import type { Terminal } from '../terminal.ts';
import { readInput } from './input-file.ts';
import { type Manifest, readManifests } from './manifest.ts';

/** The documents of one file of which every part must be readable. @throws CliError that names the place */
export async function readManifestFile(
  path: string,
  terminal: Terminal,
): Promise<{ readonly name: string; readonly manifests: readonly Manifest[] }> {
  const { name, content } = await readInput(path, terminal);
  if ('error' in content) throw new CliError(`${name}: ${content.error}`);
  const read = readManifests(name, content.text);
  if ('manifests' in read) return { name, manifests: read.manifests };
  const { file, line, column, message } = read.finding;
  throw new CliError(`${file}:${line}:${column}: ${message}`);
}
