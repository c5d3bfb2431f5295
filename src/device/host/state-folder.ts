import { constants, lstatSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder that only this program may change.
 *
 * @throws Error of the file system; Error if it is a link, belongs to another user, or others may write to it: they could put links
 * to files of the host there, or a false lock
 */
export function makeOwnFolder(path: string): void {
  makeFolder(path);
  const { uid, mode } = lstatSync(path);
  const own = process.geteuid?.() ?? uid;
  if ((mode & S_IFMT) !== S_IFDIR) throw new Error(`${path} is not a folder, or a link to one`);
  if (uid !== own) throw new Error(`${path} belongs to user ${uid}, and this is user ${own}`);
  if ((mode & 0o022) !== 0) throw new Error(`others can write to ${path}: remove that permission (chmod go-w)`);
}

const { S_IFMT, S_IFDIR } = constants;

/**
 * Creates a folder and its parents. Not `recursive`: on a file system that refuses every new name, such as /proc, Node's
 * recursive mkdir never returns.
 *
 * @throws Error of the file system
 */
function makeFolder(path: string): void {
  if (tryMake(path)) return;
  makeFolder(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

/** False if the parent folder is missing. */
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
