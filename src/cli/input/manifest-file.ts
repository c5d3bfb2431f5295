import { CliError } from '../exit.ts';
import type { Terminal } from '../terminal.ts';
import { readInput } from './input-file.ts';
import { type Manifest, readManifests } from './manifest.ts';

/** The text of one file. @throws CliError if it cannot be read */
export async function readText(
  path: string,
  terminal: Terminal,
  mostBytes?: number,
): Promise<{ readonly name: string; readonly text: string }> {
  const { name, content } = await readInput(path, terminal, mostBytes);
  if ('error' in content) throw new CliError(`${name}: ${content.error}`);
  return { name, text: content.text };
}

/** The documents of one file of which every part must be readable. @throws CliError that names the place */
export async function readManifestFile(
  path: string,
  terminal: Terminal,
): Promise<{ readonly name: string; readonly manifests: readonly Manifest[] }> {
  const { name, text } = await readText(path, terminal);
  return { name, manifests: parseManifests(name, text) };
}

/** @throws CliError that names the place */
export function parseManifests(name: string, text: string): readonly Manifest[] {
  const read = readManifests(name, text);
  if ('manifests' in read) return read.manifests;
  const { file, line, column, message } = read.finding;
  throw new CliError(`${file}:${line}:${column}: ${message}`);
}
