import { constants, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { open } from 'node:fs/promises';
import { DeviceError, type MigMode, type GpuFault } from '../../core/gpu/device-state.ts';
import { messageOf } from '../../core/text/words.ts';
import { findNotUnderstood } from '../../core/smi/selftest-bundle.ts';
import type { SmiRun } from '../../core/smi/command.ts';
import { isFields } from '../../core/text/json.ts';
import { gzipSync } from 'node:zlib';

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

/**
 * Writes a file of the state folder: on disk when it returns, and never half of it.
 * @throws DeviceError JournalUnavailable
 */
export async function writeDurably(path: string, text: string): Promise<void> {
  const next = `${path}.new`;
  try {
    makeOwnFolder(dirname(path));
    rmSync(next, { force: true });
    await writeThrough(next, text);
    renameSync(next, path);
    await syncFolder(dirname(path));
  } catch (cause) {
    const found = messageOf(cause);
    throw new DeviceError('JournalUnavailable', { tried: `to write ${path}`, found, cause });
  }
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

async function writeThrough(path: string, text: string): Promise<void> {
  // Anybody who may write to the folder could have left a link there, to a file of the host.
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const file = await open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The state of a GPU before an apply began. */
export interface JournalGpu {
  readonly uuid: string;
  readonly mig: MigMode;
  /** `PROFILE@START` of each GPU instance. */
  readonly placements: readonly string[];
}

export interface JournalEntry {
  readonly gpus: readonly JournalGpu[];
}

interface JournalOptions {
  readonly path: string;
  /** Default: `/proc/sys/kernel/random/boot_id`. */
  readonly bootIdPath?: string;
}

interface Page extends JournalEntry {
  readonly version: 1;
  readonly bootId: string;
}

/**
 * A record on the host of an apply that has begun and not ended. It is only a hint, for people and for an undo: the device is the
 * truth, and nothing is destroyed because of a journal. A journal of an earlier boot, or an unreadable one, is set aside.
 */
export class Journal {
  readonly #path: string;
  readonly #bootIdPath: string;

  constructor({ path, bootIdPath = '/proc/sys/kernel/random/boot_id' }: JournalOptions) {
    this.#path = path;
    this.#bootIdPath = bootIdPath;
  }

  /** The apply that was interrupted in this boot; undefined if there is none. Never throws. */
  read(): JournalEntry | undefined {
    const text = readIfThere(this.#path);
    if (text === undefined) return undefined;
    const page = parsePage(text);
    if (page !== undefined && page.bootId === readIfThere(this.#bootIdPath)?.trim()) return { gpus: page.gpus };
    this.#putAside();
    return undefined;
  }

  /** Records that an apply begins; on disk when it returns. @throws DeviceError JournalUnavailable */
  async begin(entry: JournalEntry): Promise<void> {
    const page: Page = { version: 1, bootId: this.#readBootId(), ...entry };
    await writeDurably(this.#path, `${JSON.stringify(page)}\n`);
  }

  /** Records that it has ended. Never throws: a record that stays is only a superfluous hint. */
  finish(): void {
    try {
      rmSync(this.#path, { force: true });
    } catch {
      // The folder became read-only; the next begin reports it.
    }
  }

  #readBootId(): string {
    try {
      return readFileSync(this.#bootIdPath, 'utf8').trim();
    } catch (cause) {
      const found = messageOf(cause);
      throw new DeviceError('JournalUnavailable', { tried: `to read ${this.#bootIdPath}`, found, cause });
    }
  }

  #putAside(): void {
    try {
      renameSync(this.#path, `${this.#path}.bad`);
    } catch {
      // It stays in place and is set aside at the next reading.
    }
  }
}

function parsePage(text: string): Page | undefined {
  try {
    const page: unknown = JSON.parse(text);
    return isPage(page) ? page : undefined;
  } catch {
    return undefined;
  }
}

function isPage(value: unknown): value is Page {
  return hasShape(value);
}

/** Whether a value from a file has some shape. */
type Check = (value: unknown) => boolean;

export const isText: Check = (value) => typeof value === 'string';
export const isCount: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
export const isOneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
export const isAbsentOr =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
export const isListOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
export const isMapOf =
  (check: Check): Check =>
  (value) =>
    isFields(value) && Object.values(value).every(check);

/** Checks the named fields of an object and ignores others. */
export const hasFields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isFields(value) && Object.entries(checks).every(([name, check]) => check(value[name]));

const isJournalGpu = hasFields({
  uuid: isText,
  mig: isOneOf('Enabled', 'Disabled'),
  placements: isListOf(isText),
});
const hasShape = hasFields({ version: isOneOf(1), bootId: isText, gpus: isListOf(isJournalGpu) });

/** The file, in the state folder, with the last output that was not understood. */
export const notUnderstoodFile = 'not-understood.json';

/** The most bytes of an output in a log, compressed: of the logs that a support bundle takes it leaves room for the rest. */
const mostLogged = 64 * 1024;

/** The most runs that are kept: more than a reading of a large node makes. */
const mostRuns = 32;

/** An output of nvidia-smi that no parser understood. */
type NotUnderstood = NonNullable<ReturnType<typeof findNotUnderstood>>;

type Faults = readonly Pick<GpuFault, 'code' | 'message'>[];

/**
 * Keeps the last output of nvidia-smi that was not understood: on the node, for `node selftest --bundle`, and in the log, for
 * `support-bundle`. The same output is kept once.
 */
export class UnknownOutput {
  readonly #path: string;
  readonly #nodeName: string;
  readonly #write: (path: string, text: string) => Promise<void>;
  readonly #tell: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  /** The last runs of the work that is being watched. */
  #runs: SmiRun[] | undefined;
  #last: NotUnderstood | undefined;

  constructor(parts: {
    /** The state folder. */
    readonly folder: string;
    readonly nodeName: string;
    readonly write: (path: string, text: string) => Promise<void>;
    readonly tell: (message: string, fields: Readonly<Record<string, unknown>>) => void;
  }) {
    this.#path = join(parts.folder, notUnderstoodFile);
    this.#nodeName = parts.nodeName;
    this.#write = parts.write;
    this.#tell = parts.tell;
  }

  /** Tells of what an earlier process of this node has kept: its log may be gone. */
  recall(): void {
    try {
      if (!existsSync(this.#path)) return;
      const kept = JSON.parse(readFileSync(this.#path, 'utf8')) as NotUnderstood;
      this.#last = kept;
      this.#tell('an earlier output of nvidia-smi was not understood', fieldsOf(kept));
    } catch {
      // A page that cannot be read is replaced by the next one.
    }
  }

  /** Takes a run of the work that is being watched. */
  note(run: SmiRun): void {
    this.#runs?.push(run);
    if ((this.#runs?.length ?? 0) > mostRuns) this.#runs?.shift();
  }

  /** Does work that runs nvidia-smi, and keeps what was not understood of it. @param faultsOf what else than a thrown error says so */
  async watch<Result>(work: () => Promise<Result>, faultsOf: (result: Result) => Faults): Promise<Result> {
    this.#runs = [];
    try {
      const result = await work();
      await this.#keep(faultsOf(result));
      return result;
    } catch (error) {
      if (error instanceof DeviceError) await this.#keep([error]);
      throw error;
    } finally {
      this.#runs = undefined;
    }
  }

  async #keep(faults: Faults): Promise<void> {
    const found = findNotUnderstood(this.#runs ?? [], faults, this.#nodeName);
    if (found === undefined || (found.output === this.#last?.output && found.command === this.#last.command)) return;
    this.#last = found;
    this.#tell('an output of nvidia-smi was not understood', fieldsOf(found));
    // Without it the reading is reported nevertheless.
    await this.#write(this.#path, `${JSON.stringify(found)}\n`).catch(() => undefined);
  }
}

/** `base64 -d | gunzip` shows the output. */
function fieldsOf({ output, ...rest }: NotUnderstood): Readonly<Record<string, unknown>> {
  const gzip = gzipSync(output).toString('base64');
  return { ...rest, outputGzip: gzip.length > mostLogged ? `more than ${mostLogged} characters` : gzip };
}
