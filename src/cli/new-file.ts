import { constants, lstatSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';

import { CliError } from './exit.ts';
import type { Terminal } from './terminal.ts';

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
