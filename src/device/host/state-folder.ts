import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it. Not `recursive`: on a file system that refuses every new name, such as /proc, Node's
 * recursive mkdir never returns.
 *
 * @throws Error of the file system
 */
export function makeFolder(path: string): void {
  if (tryMake(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** False if the folder above is missing. */
function tryMake(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EEXIST') return true;
    if (code === 'ENOENT' && dirname(path) !== path) return false;
    throw error;
  }
}
