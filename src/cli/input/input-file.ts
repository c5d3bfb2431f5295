import { constants } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import type { Terminal } from '../terminal.ts';
import { decodeText } from './text-encoding.ts';
import { messageOf } from '../../core/text/message-of.ts';

/** A file that was read, or why it could not be. */
export interface InputFile {
  /** As the user gave it, or found under the folder that the user gave; `-` for standard input. */
  readonly name: string;
  /** Whether the user named it; false if it was found in a folder. */
  readonly isNamed: boolean;
  readonly content: { readonly text: string } | { readonly error: string };
}

/** etcd stores objects of at most 1.5 MiB; a far larger file is not a manifest, and checking it would take minutes and gigabytes. */
const MAX_BYTES = 4 * 1024 * 1024;
const EXTENSIONS = /\.(ya?ml|json)$/;
/** Paths of standard input: it may be a socket, which cannot be opened by a path. */
const STDIN = /^(-|\/dev\/stdin|\/(dev|proc\/self)\/fd\/0)$/;
/** What a shell makes of `<(command)`: a pipe whose writer is there. */
const OPEN_FILE = /^\/(dev|proc\/self)\/fd\/[1-9][0-9]*$/;
/** Folders with none of the user's manifests but thousands of files. */
const SKIPPED = new Set(['.git', 'node_modules']);

/**
 * Reads files, folders recursively, and `-` for standard input, each file once, in a fixed order.
 *
 * @param mostBytes of a file
 */
export async function readInputs(
  paths: readonly string[],
  terminal: Terminal,
  mostBytes = MAX_BYTES,
): Promise<readonly InputFile[]> {
  const files = new Map<string, InputFile>();
  for (const path of paths) {
    for (const file of await readPath(path, terminal, mostBytes)) {
      const key = file.name === '-' ? '-' : resolve(terminal.cwd, file.name);
      if (!files.has(key)) files.set(key, file);
    }
  }
  return [...files.values()];
}

/** Reads one file, or `-` for standard input. */
export async function readInput(path: string, terminal: Terminal, mostBytes = MAX_BYTES): Promise<InputFile> {
  if (STDIN.test(path)) return { name: '-', isNamed: true, content: await readStream(terminal.stdin, mostBytes) };
  return readOne(path, true, terminal, mostBytes);
}

async function readPath(path: string, terminal: Terminal, mostBytes: number): Promise<readonly InputFile[]> {
  if (STDIN.test(path) || path === '') return [await readInput(path, terminal, mostBytes)];
  try {
    if (!(await stat(resolve(terminal.cwd, path))).isDirectory())
      return [await readOne(path, true, terminal, mostBytes)];
    const found: InputFile[] = [];
    for (const name of await listFolder(path, terminal)) found.push(await readOne(name, false, terminal, mostBytes));
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

async function readOne(name: string, isNamed: boolean, terminal: Terminal, mostBytes: number): Promise<InputFile> {
  // An empty path would be the current folder.
  if (name === '')
    return { name: '""', isNamed, content: { error: 'the path is empty; name a file, or - for standard input' } };
  try {
    return { name, isNamed, content: await readFile(resolve(terminal.cwd, name), mostBytes) };
  } catch (error) {
    return { name, isNamed, content: { error: describeError(error) } };
  }
}

/** Only regular files, and pipes of the shell: a named pipe without a writer would never end, and a device might not either. */
async function readFile(path: string, mostBytes: number): Promise<InputFile['content']> {
  // Without O_NONBLOCK even opening a named pipe waits for its writer; with it, reading one does not wait for the text.
  const isOpen = OPEN_FILE.test(path);
  await using file = await open(path, isOpen ? constants.O_RDONLY : constants.O_RDONLY | constants.O_NONBLOCK);
  const status = await file.stat();
  if (status.isDirectory()) return { error: 'it is a folder; name a file' };
  if (!status.isFile() && !(isOpen && status.isFIFO()))
    return {
      error:
        'not a regular file but a named pipe, a socket or a device; give a file, or - and send it to standard input',
    };
  if (status.size > mostBytes) return { error: explainSize(mostBytes) };
  return await readStream(chunksOf(file), mostBytes);
}

async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (;;) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(1 << 16));
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

/** Stops when the limit is exceeded, whatever is still to come. */
async function readStream(stream: AsyncIterable<unknown>, mostBytes: number): Promise<InputFile['content']> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream) {
    const part = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    bytes += part.length;
    if (bytes > mostBytes) return { error: explainSize(mostBytes) };
    chunks.push(part);
  }
  return decodeText(Buffer.concat(chunks));
}

function explainSize(mostBytes: number): string {
  return `it is larger than ${mostBytes / 1024 / 1024} MiB, which is the most that is read; split it`;
}

function describeError(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return 'there is no such file or folder';
    case 'EACCES':
      return 'it may not be read by this user';
    case 'ENXIO':
      return 'a socket; give a file, or - and send it to standard input';
    default:
      return messageOf(error);
  }
}
