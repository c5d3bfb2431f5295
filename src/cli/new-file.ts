import { constants, lstatSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { CliError } from './exit.ts';
import type { Terminal } from './terminal.ts';

/** The file that is meant by a path: in a folder, one of this name. */
export function nameNewFile(path: string, name: string, { cwd }: Pick<Terminal, 'cwd'>): string {
  const isFolder = path !== '-' && statSync(resolve(cwd, path), { throwIfNoEntry: false })?.isDirectory() === true;
  return isFolder ? join(path, name) : path;
}

/** Before long work: whether its result can be written. @throws CliError if the file already exists */
export function demandNewFile(path: string, { cwd }: Pick<Terminal, 'cwd'>): void {
  if (path === '-' || lstatSync(resolve(cwd, path), { throwIfNoEntry: false }) === undefined) return;
  throw new CliError(`${path} is there already; name a new file`);
}

/** Writes a file that only its user can read. @throws CliError if it already exists, or cannot be written */
export async function saveNewFile(path: string, text: string, { cwd }: Pick<Terminal, 'cwd'>): Promise<void> {
  // If root runs this in somebody else's folder, a link there could point to a system file.
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  try {
    await using file = await open(resolve(cwd, path), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    await file.writeFile(text);
  } catch (cause) {
    throw new CliError(`cannot write ${path}: ${cause instanceof Error ? cause.message : String(cause)}`, 2, { cause });
  }
}
