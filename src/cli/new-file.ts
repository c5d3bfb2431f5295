import { constants, lstatSync, statSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { CliError } from './exit.ts';
import type { Terminal } from './terminal.ts';
import { messageOf } from '../core/text/message-of.ts';

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

/** Writes a file that only its user can read. @throws CliError if it already exists, or cannot be written; nothing is left of it then */
export async function saveNewFile(path: string, text: string, { cwd }: Pick<Terminal, 'cwd'>): Promise<void> {
  // If root runs this in somebody else's folder, a link there could point to a system file.
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const name = resolve(cwd, path);
  let isMade = false;
  try {
    await using file = await open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    isMade = true;
    await file.writeFile(text);
  } catch (cause) {
    if (isMade) await rm(name, { force: true });
    throw new CliError(`cannot write ${path}: ${messageOf(cause)}`, isMade ? 3 : 2, { cause });
  }
}
