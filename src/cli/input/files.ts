import { constants } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Terminal, type Output, paint, printLine, CliError } from '../terminal.ts';
import { messageOf, type Finding, type FieldPath, writePath } from '../../core/text/words.ts';
import { parseYaml, type Position, type YamlDocument } from './yaml.ts';
import { omitUndefined, type Fields, fieldsOf } from '../../core/text/json.ts';

/** The text of a file, or why it is not text. UTF-8; with a byte order mark also UTF-16, which kubectl reads too. */
function decodeText(bytes: Uint8Array): { readonly text: string } | { readonly error: string } {
  const encoding = detectEncoding(bytes);
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes) };
  } catch {
    return { error: `it is no ${encoding.toUpperCase()} text; save it as UTF-8` };
  }
}

function detectEncoding([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

/** A file that was read, or why it could not be. */
export interface InputFile {
  /** The name as the user gave it, or as found under the folder that the user gave; `-` for standard input. */
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

/** Reads a file, or standard input for `-`. */
async function readInput(path: string, terminal: Terminal, mostBytes = MAX_BYTES): Promise<InputFile> {
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

/** Reads regular files only, and pipes of the shell: a named pipe without a writer would never end, and a device might not either. */
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

/** A finding with its position in a file, as `-o json` shows it. */
export interface LocatedFinding {
  readonly severity: Finding['severity'];
  readonly code: Finding['code'];
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** `spec.layouts[0].profiles["1g.5gb"]`; `$` for the document as a whole. */
  readonly path: string;
  readonly message: string;
  /** Ids of the GPU models that a warning is about. */
  readonly models?: readonly string[];
}

/** Sorts findings by line, then by column; files stay in the order in which they were read. */
export function sortFindings(findings: readonly LocatedFinding[]): readonly LocatedFinding[] {
  const order = new Map<string, number>();
  for (const { file } of findings) if (!order.has(file)) order.set(file, order.size);
  return findings.toSorted(
    (a, b) => (order.get(a.file) ?? 0) - (order.get(b.file) ?? 0) || a.line - b.line || a.column - b.column,
  );
}

/** `file.yaml:12:7: error: spec.strategy: …`, which editors and CI systems understand. */
export function printFinding(stream: Output, finding: LocatedFinding): void {
  const { severity, file, line, column } = finding;
  const word = paint(stream, severity === 'error' ? 'red' : 'yellow', severity);
  printLine(stream, `${paint(stream, 'bold', `${file}:${line}:${column}:`)} ${word}: ${describeFinding(finding)}`);
}

/** Describes a finding without its place in a file. */
export function describeFinding({ path, message }: LocatedFinding): string {
  return `${path === '$' ? '' : `${path}: `}${message}`;
}

/** An object of a file: a document, an item of a List, or a file within a ConfigMap. */
export interface Manifest {
  readonly value: unknown;
  readonly file: string;
  /** Path of the object within its file. */
  readonly prefix: FieldPath;
  /** Position of a path within the object. */
  readonly locate: (path: FieldPath) => Position;
  /** Duplicate keys, as paths within the object. */
  readonly duplicates: readonly FieldPath[];
}

type ReadManifests = { readonly manifests: readonly Manifest[] } | { readonly finding: LocatedFinding };

/**
 * Splits a file into its objects. Nested Lists are expanded, and so are ConfigMaps and Helm values of gpu-operator that contain a
 * mig-parted config file.
 */
export function readManifests(file: string, text: string): ReadManifests {
  const parsed = parseYaml(text);
  if ('error' in parsed) {
    const { line, column, message } = parsed.error;
    const what = `neither YAML nor JSON: ${message}`;
    return { finding: { severity: 'error', code: 'InvalidYaml', file, line, column, path: '$', message: what } };
  }
  const faults: LocatedFinding[] = [];
  const manifests = parsed.documents.flatMap((document) =>
    openMapping({ ...document, file, prefix: [] }, document, faults),
  );
  const [finding] = faults;
  return finding === undefined ? { manifests } : { finding };
}

export function locateFinding(manifest: Manifest, finding: Finding): LocatedFinding {
  const { severity, code, path, message, models } = finding;
  const { file, prefix } = manifest;
  const { line, column } = manifest.locate(path);
  return omitUndefined({ severity, code, file, line, column, path: writePath([...prefix, ...path]), message, models });
}

/** Everything that is wrong with a file, one line each: file, line, column, field, and what to write instead. */
export function refuseFile(manifest: Manifest, findings: readonly Finding[]): CliError {
  const lines = findings.map((finding) => {
    const located = locateFinding(manifest, finding);
    return `${located.file}:${located.line}:${located.column}: ${describeFinding(located)}`;
  });
  return new CliError([...new Set(lines)]);
}

/** `file.yaml:12:7: spec.strategy` */
export function locatePath({ file, prefix, locate }: Manifest, path: FieldPath): string {
  const { line, column } = locate(path);
  return `${file}:${line}:${column}: ${writePath([...prefix, ...path])}`;
}

/** @param faults takes what is wrong with a file within a ConfigMap */
function openMapping(manifest: Manifest, document: YamlDocument, faults: LocatedFinding[]): readonly Manifest[] {
  const fields = fieldsOf(manifest.value);
  const kind = fields?.['kind'];
  const items: unknown = fields?.['items'];
  if (typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items)) {
    return items.flatMap((item: unknown, index) =>
      openMapping(within(manifest, ['items', index], item), document, faults),
    );
  }
  const at = kind === 'ConfigMap' ? ['data'] : kind === undefined ? findValues(fields) : undefined;
  if (at === undefined) return [manifest];
  const data = Object.entries(fieldsAt(fields, at) ?? {});
  const files = data.flatMap(([key, text]) => openText(manifest, [...at, key], text, document, faults));
  return files.length > 0 ? files : [manifest];
}

/**
 * The path in values from which gpu-operator's chart takes the file of mig-parted; as a dependency of another chart its values are one
 * level deeper.
 */
const helmPath: readonly string[] = ['migManager', 'config', 'data'];

function findValues(fields: Fields | undefined): readonly string[] | undefined {
  const places = [helmPath, ...Object.keys(fields ?? {}).map((chart) => [chart, ...helmPath])];
  return places.find((place) => fieldsAt(fields, place) !== undefined);
}

function fieldsAt(fields: Fields | undefined, path: readonly string[]): Fields | undefined {
  return path.reduce((found, key) => fieldsOf(found?.[key]), fields);
}

function within(manifest: Manifest, path: FieldPath, value: unknown): Manifest {
  return {
    value,
    file: manifest.file,
    prefix: [...manifest.prefix, ...path],
    locate: (inner) => manifest.locate([...path, ...inner]),
    duplicates: manifest.duplicates
      .filter((duplicate) => path.every((part, index) => duplicate[index] === part))
      .map((duplicate) => duplicate.slice(path.length)),
  };
}

/** A text that is a mig-parted file (its key is config.yaml for gpu-operator, but users choose others). */
function openText(
  manifest: Manifest,
  at: readonly string[],
  text: unknown,
  document: YamlDocument,
  faults: LocatedFinding[],
): readonly Manifest[] {
  if (typeof text !== 'string' || !/(^|[{,])\s*["']?mig-configs["']?\s*:/m.test(text)) return [];
  const parsed = parseYaml(text);
  const path = [...manifest.prefix, ...at];
  if ('error' in parsed) {
    // A script or a text may have a mig-parted file in it.
    if (!/\.(ya?ml|json)$/.test(at.at(-1) ?? '')) return [];
    const place = { file: manifest.file, ...document.locateWithin(path, parsed.error), path: writePath(path) };
    const message = `neither YAML nor JSON: ${parsed.error.message}`;
    faults.push({ severity: 'error', code: 'InvalidYaml', ...place, message });
    return [];
  }
  return parsed.documents.map((inner) => ({
    ...inner,
    file: manifest.file,
    prefix: path,
    locate: (place) => document.locateWithin(path, inner.locate(place)),
  }));
}

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
