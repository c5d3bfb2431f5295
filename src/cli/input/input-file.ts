import { readdir, readFile, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

import type { Terminal } from '../terminal.ts';

/** A file that was read, or why it could not be. */
export interface InputFile {
  /** As the user gave it, or found below the folder that the user gave; `-` for standard input. */
  readonly name: string;
  /** Whether the user named it; false for one found in a folder. */
  readonly isNamed: boolean;
  readonly content: { readonly text: string } | { readonly error: string };
}

const EXTENSIONS = /\.(ya?ml|json)$/;
/** Folders that hold no manifests of the user's, but thousands of files. */
const SKIPPED = new Set(['.git', 'node_modules']);

/** Reads files, folders with everything below them, and `-` for standard input, each file once, in a fixed order. */
export async function readInputs(paths: readonly string[], terminal: Terminal): Promise<readonly InputFile[]> {
  const files = new Map<string, InputFile>();
  for (const path of paths) {
    for (const file of await readPath(path, terminal)) {
      const key = file.name === '-' ? '-' : resolve(terminal.cwd, file.name);
      if (!files.has(key)) files.set(key, file);
    }
  }
  return [...files.values()];
}

/** Reads one file, or `-` for standard input. */
export async function readInput(path: string, terminal: Terminal): Promise<InputFile> {
  if (path === '-') return { name: path, isNamed: true, content: { text: await text(terminal.stdin) } };
  return readOne(path, true, terminal);
}

async function readPath(path: string, terminal: Terminal): Promise<readonly InputFile[]> {
  if (path === '-') return [await readInput(path, terminal)];
  try {
    if (!(await stat(resolve(terminal.cwd, path))).isDirectory()) return [await readOne(path, true, terminal)];
    const found: InputFile[] = [];
    for (const name of await listFolder(path, terminal)) found.push(await readOne(name, false, terminal));
    return found;
  } catch (error) {
    return [{ name: path, isNamed: true, content: { error: describeError(error) } }];
  }
}

async function listFolder(folder: string, terminal: Terminal): Promise<readonly string[]> {
  const entries = await readdir(resolve(terminal.cwd, folder), { withFileTypes: true });
  const names: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !SKIPPED.has(entry.name)) names.push(...(await listFolder(path, terminal)));
    else if (!entry.isDirectory() && EXTENSIONS.test(entry.name)) names.push(path);
  }
  return names;
}

async function readOne(name: string, isNamed: boolean, terminal: Terminal): Promise<InputFile> {
  try {
    return { name, isNamed, content: { text: await readFile(resolve(terminal.cwd, name), 'utf8') } };
  } catch (error) {
    return { name, isNamed, content: { error: describeError(error) } };
  }
}

function describeError(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return 'there is no such file or folder';
    case 'EACCES':
      return 'it may not be read by this user';
    case 'EISDIR':
      return 'it is a folder; name a file';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}
