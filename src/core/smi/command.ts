// Room smi: what nvidia-smi is told and what it answers; nothing is run here.
// Ask here for the arguments of a command and how long it may take, in ms, what of an answer is about which GPU, and how a run of it ended.
import { type GpuState, type MigMode, DeviceError, type DeviceErrorCode } from '../gpu/device-state.ts';
import { cutText } from '../text/words.ts';

/** Bus ids or indexes of GPUs; absent means every GPU of the node, which only reads may ask for. */
export type GpuSelection = readonly (string | number)[];

/** A command that reads. */
export type ReadCommand =
  | { readonly name: 'List' }
  | {
      readonly name: 'Report' | 'ComputeCapabilities' | keyof typeof listings;
      readonly gpus?: GpuSelection | undefined;
    }
  | { readonly name: 'ComputeProfiles'; readonly gpu: string; readonly instance: number };

/** The lists of `nvidia-smi mig`. */
const listings = { Profiles: '-lgip', Placements: '-lgipp', Instances: '-lgi', ComputeInstances: '-lci' } as const;

interface InstancePlace {
  readonly profileId: number;
  /** The start; absent: the driver chooses. */
  readonly start?: number;
}

/** A command that changes a GPU, named by bus id, or several in the same way. */
export type ChangeCommand = ChangeAction & {
  readonly gpu: string;
  /** Other GPUs on which exactly the same is done; nvidia-smi works through them by index, and stops at the first failure. */
  readonly also?: readonly string[];
};

type ChangeAction =
  | { readonly name: 'SetMode'; readonly mode: MigMode }
  | { readonly name: 'Reset' }
  | { readonly name: 'SetPersistence'; readonly on: boolean }
  | {
      /** Creates instances in the order of `places`; it stops at the first failure, and leaves what it made. */
      readonly name: 'CreateInstances';
      readonly places: readonly InstancePlace[];
      /** True to create the compute instance over the whole of each, too. */
      readonly whole: boolean;
    }
  | {
      readonly name: 'CreateComputeInstance';
      readonly instance: number;
      readonly profileId: number;
    }
  | { readonly name: 'CreateWholeComputeInstance'; readonly instance: number }
  | {
      /** Destroys in the tool's own order; it stops at the first failure. */
      readonly name: 'DestroyComputeInstances';
      readonly instances: readonly number[];
      /** Ids; absent: all of the GPU instances. */
      readonly ids?: readonly number[];
    }
  /** Destroys in the tool's own order; it stops at the first failure. */
  | { readonly name: 'DestroyInstances'; readonly instances: readonly number[] };

/** Whether a command may end running work: it destroys, resets, or changes the mode. */
const isDisruptive: Readonly<Record<ChangeCommand['name'], boolean>> = {
  SetMode: true,
  Reset: true,
  SetPersistence: false,
  CreateInstances: false,
  CreateComputeInstance: false,
  CreateWholeComputeInstance: false,
  DestroyComputeInstances: true,
  DestroyInstances: true,
};

export type SmiCommand = ReadCommand | ChangeCommand;

/** A value that must never reach a command line; a bug in the program, not a fault of the device. */
export class ArgumentRefused extends Error {
  override readonly name = 'ArgumentRefused';
}

/**
 * Arguments of a command. Every part is a word of this table, a decimal number, or a bus id that was checked:
 * nvidia-smi reads `-gi 11-13` as 11 and `-cgi 19:x` as 19 without a placement, so nothing unchecked may pass.
 *
 * @throws ArgumentRefused
 */
function writeArguments(command: SmiCommand): readonly string[] {
  switch (command.name) {
    case 'Report':
      return [...select(command.gpus), '-q', '-x'];
    case 'List':
      return ['-L'];
    case 'ComputeCapabilities':
      return [...select(command.gpus), '--query-gpu=pci.bus_id,uuid,compute_cap', '--format=csv,noheader,nounits'];
    case 'Profiles':
    case 'Placements':
    case 'Instances':
    case 'ComputeInstances':
      return ['mig', ...select(command.gpus), listings[command.name]];
    case 'ComputeProfiles':
      return ['mig', ...select([command.gpu]), '-lcip', '-gi', decimal(command.instance)];
    default:
      return writeChange(command);
  }
}

/** The command as a person would type it. */
export function describeCommand(command: SmiCommand): string {
  return ['nvidia-smi', ...writeArguments(command)].join(' ');
}

/** Bus ids of the GPUs that a command changes. */
function namedGpus({ gpu, also = [] }: ChangeCommand): readonly string[] {
  return [gpu, ...also];
}

/** A run of nvidia-smi that is about to be started. */
interface PlannedRun {
  readonly args: readonly string[];
  readonly deadlineMs: number;
  /** The deadline in words, with the option that sets it: `15 s (--read-timeout-seconds)`. */
  readonly limit: string;
}

/** The run of a command. A command that changes several GPUs does one after the other: each has its time. @throws ArgumentRefused */
export function planRun(
  command: SmiCommand,
  { readMs, changeMs, resetMs }: Readonly<Record<'readMs' | 'changeMs' | 'resetMs', number>>,
): PlannedRun {
  const args = writeArguments(command);
  const plan = (deadlineMs: number, option: string): PlannedRun => ({
    args,
    deadlineMs,
    limit: `${deadlineMs / 1_000} s (${option})`,
  });
  if (!isChange(command)) return plan(readMs, '--read-timeout-seconds');
  // On Ampere a change of MIG mode resets the GPU if it is not open.
  const mayReset = command.name === 'Reset' || command.name === 'SetMode';
  const option = mayReset ? '--reset-timeout-seconds' : '--change-timeout-seconds';
  const gpus = namedGpus(command).length;
  return plan((mayReset ? resetMs : changeMs) * gpus, gpus === 1 ? option : `${option} for each of ${gpus} GPUs`);
}

/** Whether it changes a GPU, not only reads. */
function isChange(command: SmiCommand): command is ChangeCommand {
  return Object.hasOwn(isDisruptive, command.name);
}

function writeChange(command: ChangeCommand): readonly string[] {
  const gpu = select(namedGpus(command));
  switch (command.name) {
    case 'SetMode':
      return [...gpu, '-mig', command.mode === 'Enabled' ? '1' : '0'];
    case 'Reset':
      return ['--gpu-reset', ...gpu];
    case 'SetPersistence':
      return [...gpu, '-pm', command.on ? '1' : '0'];
    case 'CreateInstances': {
      const places = command.places.map(writePlace);
      return ['mig', ...gpu, '-cgi', list(places), ...(command.whole ? ['-C'] : [])];
    }
    case 'CreateComputeInstance':
      return ['mig', ...gpu, '-cci', decimal(command.profileId), '-gi', decimal(command.instance)];
    case 'CreateWholeComputeInstance':
      return ['mig', ...gpu, '-cci', '-gi', decimal(command.instance)];
    case 'DestroyComputeInstances': {
      const ids = command.ids === undefined ? [] : ['-ci', list(command.ids.map(decimal))];
      return ['mig', ...gpu, '-dci', '-gi', list(command.instances.map(decimal)), ...ids];
    }
    case 'DestroyInstances':
      return ['mig', ...gpu, '-dgi', '-gi', list(command.instances.map(decimal))];
  }
}

function writePlace({ profileId, start }: InstancePlace): string {
  return start === undefined ? decimal(profileId) : `${decimal(profileId)}:${decimal(start)}`;
}

/** True for a PCI bus id as nvidia-smi prints and accepts it. */
export function isBusId(text: string): boolean {
  return /^[0-9A-F]{4,8}:[0-9A-F]{2}:[0-9A-F]{2}\.[0-7]$/i.test(text);
}

/** Normalizes a bus id: `GPU0000:0f:00.0` in messages and `00000000:0F:00.0` in reports are the same GPU. */
export function normalizeBusId(text: string): string {
  const [domain = '', ...rest] = text.toUpperCase().split(':');
  return [domain.padStart(8, '0'), ...rest].join(':');
}

function select(gpus: GpuSelection | undefined): readonly string[] {
  if (gpus === undefined) return [];
  return ['-i', list(gpus.map((gpu) => (typeof gpu === 'number' ? decimal(gpu) : busId(gpu))))];
}

function busId(text: string): string {
  if (isBusId(text)) return text;
  throw new ArgumentRefused(`${JSON.stringify(text)} is not a PCI bus id`);
}

function decimal(number: number): string {
  if (Number.isInteger(number) && number >= 0 && number < 10_000) return String(number);
  throw new ArgumentRefused(`${number} is not an id`);
}

/** An empty list would mean every GPU, every instance. */
function list(members: readonly string[]): string {
  if (members.length > 0) return members.join(',');
  throw new ArgumentRefused('an empty list of ids');
}

/** True for a product name: printable, and not empty. */
export function isProduct(text: string): boolean {
  return /^[\x21-\x7e](?:[\x20-\x7e]{0,78}[\x21-\x7e])?$/.test(text);
}

/** A number as nvidia-smi prints it, of at most so many digits; undefined for anything else. */
export function readCount(text: string | undefined, digits: number = 10): number | undefined {
  return text !== undefined && text.length <= digits && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** What was recorded with several GPUs, reads included. Resets, compute instances by profile and persistence mode were not. */
const shareable: ReadonlySet<SmiCommand['name']> = new Set([
  'Report',
  'Instances',
  'ComputeInstances',
  'Profiles',
  'Placements',
  'SetMode',
  'CreateInstances',
  'DestroyComputeInstances',
  'DestroyInstances',
] as const);

/**
 * What a command about one GPU does or asks, whatever the GPU: commands with equal keys may be one. Lists of ids are part of it: one
 * that is not exactly what each GPU needs would destroy a stranger's instance. Undefined if the command goes to one GPU only.
 */
function sharedKey(command: ReadCommand | ChangeCommand): string | undefined {
  if (!shareable.has(command.name)) return undefined;
  const {
    gpu: _gpu,
    gpus: _gpus,
    also: _also,
    ...rest
  } = { gpu: undefined, gpus: undefined, also: undefined, ...command };
  return JSON.stringify(rest);
}

/** A GPU as a command line names it, and as `mig` numbers it in its answers. */
type NamedGpu = Pick<GpuState, 'pciBusId' | 'index'>;

/** A command that a reading needs the answer of. */
interface ReadQuestion {
  readonly command: ReadCommand;
  /** Commands about one GPU each that have the same key may be run as one; undefined: it is run by itself. */
  readonly key: string | undefined;
}

/** The answer to a question about one GPU. */
export interface DriverAnswer {
  readonly command: ReadCommand;
  readonly execution: Execution;
  /** The GPUs that it speaks of, if they are several: the others were asked the same at the same time. */
  readonly gpus?: readonly NamedGpu[] | undefined;
}

/** A reading of GPUs: it asks, is told the answer, or why there is none, and in the end returns what it has found. */
export type Reading<Result> = Generator<ReadQuestion, Result, DriverAnswer>;

/** Asks what a command reads. @param isAlone whether the GPU must be asked in a command of its own @throws DeviceError why it is not told */
export function* askDriver(command: ReadCommand, isAlone: boolean = false): Reading<DriverAnswer> {
  return yield { command, key: isAlone ? undefined : sharedKey(command) };
}

/** A reading of one GPU that work on it asks for. Its name says what is read, so that a driver without nvidia-smi can answer too. */
export interface GpuReading<Result> {
  readonly name: 'Use' | 'Instances' | 'InstanceRows' | 'ComputeInstanceRows' | 'ComputeProfiles' | 'Table';
  /** PCI bus id: once one GPU is lost, a UUID finds no other GPU either. */
  readonly gpu: string;
  readonly begin: () => Reading<Result>;
}

/** What work on a GPU needs from the program that carries it out. An answer may be a DeviceError instead. */
type WorkQuestion =
  | { readonly kind: 'Read'; readonly reading: GpuReading<unknown> }
  | {
      readonly kind: 'Change';
      readonly command: ChangeCommand;
      /** The command as a person would type it. */
      readonly text: string;
      /** Whether it may end running work: it must be confirmed first. */
      readonly disrupts: boolean;
      /** As of a {@link ReadQuestion}. */
      readonly key: string | undefined;
    }
  /** Asked before each busy check. */
  | { readonly kind: 'Confirm' }
  /** What pods hold, as `DeviceApplyOptions.listHeld` defines it. */
  | { readonly kind: 'ListHeld' }
  /** Who keeps the GPU open on its host, by the minor number of its device file. */
  | { readonly kind: 'ListOpeners'; readonly minor: number | undefined }
  /** From now on in this round no other GPU is changed beside it. */
  | { readonly kind: 'Alone' }
  /** Host services that keep GPUs open are stopped, and started again. */
  | { readonly kind: 'StopUnits' | 'StartUnits' }
  /** Records that persistence mode is about to be switched off. */
  | { readonly kind: 'TakePersistence'; readonly gpu: string }
  | { readonly kind: 'RestorePersistence' };

/** The answer to each kind of question. */
interface WorkAnswers {
  readonly Read: unknown;
  /** Undefined if it was one command for several GPUs, and ended before it came to this one: nothing was done there. */
  readonly Change: Execution | undefined;
  readonly Confirm: void;
  readonly ListHeld: ReadonlySet<string>;
  readonly ListOpeners: readonly string[];
  readonly Alone: void;
  /** Whether there was any. */
  readonly StopUnits: boolean;
  readonly StartUnits: void;
  readonly TakePersistence: void;
  readonly RestorePersistence: void;
}

/** Who answers the questions of work on a GPU, each by its kind. */
export type WorkShell = {
  readonly [Kind in keyof WorkAnswers]: (
    question: WorkQuestion & { readonly kind: Kind },
  ) => Promise<WorkAnswers[Kind]>;
};

/** Work on one GPU: it asks, is told the answer, or why there is none, and in the end returns what has come of it. */
export type Work<Result> = Generator<WorkQuestion, Result, unknown>;

/** Asks one question. @throws DeviceError why it has no answer */
export function* ask<Question extends WorkQuestion>(question: Question): Work<WorkAnswers[Question['kind']]> {
  // As its shell promises.
  return (yield question) as WorkAnswers[Question['kind']];
}

/** Asks for a reading. @throws DeviceError as {@link ask} */
export function* askReading<Result>(reading: GpuReading<Result>): Work<Result> {
  return (yield { kind: 'Read', reading }) as Result;
}

/** Asks for a change. @returns undefined if a command for several GPUs ended before it came to this one @throws DeviceError as {@link ask} */
export function askChange(command: ChangeCommand): Work<Execution | undefined> {
  const [text, disrupts] = [describeCommand(command), isDisruptive[command.name]];
  return ask({ kind: 'Change', command, text, disrupts, key: sharedKey(command) });
}

/**
 * The part of an answer that each of several GPUs has, as if it had been asked alone; in their order. Undefined: the command ended
 * before it came to this GPU, or does not say that it did. Nothing is proved by any part; a reading is what counts.
 */
export function splitExecution(execution: Execution, gpus: readonly NamedGpu[]): readonly (Execution | undefined)[] {
  const { lines, common, last } = sortLines(execution.stdout, gpus);
  // What was ended from outside may have said nothing of what it did: each GPU is read.
  const isCut = execution.end !== 'Exited' || execution.signal !== undefined;
  const isWhole = isCut || isCompleted(execution);
  return gpus.map((gpu) => {
    const own = lines.get(gpu) ?? [];
    const stdout = [...common, ...own].map((line) => `${line}\n`).join('');
    if (isWhole) return { ...execution, stdout };
    if (gpu === last) return { ...execution, stdout };
    return own.length === 0 ? undefined : { rc: 0, stdout, end: 'Exited' };
  });
}

interface SortedLines {
  readonly lines: ReadonlyMap<NamedGpu, readonly string[]>;
  /** Lines above the first that names a GPU, and notices, which concern no command. */
  readonly common: readonly string[];
  /** The GPU that is named last: where a command that failed has stopped. */
  readonly last: NamedGpu | undefined;
}

/** A line that names no GPU belongs to the one before it: `Failed to create GPU instances: …`, `Treating as warning …`. */
function sortLines(stdout: string, gpus: readonly NamedGpu[]): SortedLines {
  const lines = new Map<NamedGpu, string[]>();
  const common: string[] = [];
  let last: NamedGpu | undefined;
  for (const line of stdout.split('\n').filter((one) => one !== '')) {
    const isNotice = /^warning: infoROM /i.test(line);
    if (!isNotice) last = findNamed(line, gpus) ?? last;
    if (isNotice || last === undefined) common.push(line);
    else lines.set(last, [...(lines.get(last) ?? []), line]);
  }
  return { lines, common, last };
}

/** `… on GPU  0 …` and `… from GPU  0` of `mig`; a bus id in the answers of `-mig`, and of a GPU that cannot be opened. */
function findNamed(line: string, gpus: readonly NamedGpu[]): NamedGpu | undefined {
  const [, index] = /\b(?:on|from) GPU +(\d{1,3})\b/.exec(line) ?? [];
  if (index !== undefined) return gpus.find((gpu) => gpu.index === Number(index));
  const [busId] = /[0-9A-F]{4,8}:[0-9A-F]{2}:[0-9A-F]{2}\.[0-7]/i.exec(line) ?? [];
  return busId === undefined
    ? undefined
    : gpus.find(({ pciBusId }) => normalizeBusId(pciBusId) === normalizeBusId(busId));
}

/**
 * The result of one run of nvidia-smi. It prints everything to standard output, errors too (none of 3,000 recorded runs wrote to
 * standard error); the exit code proves nothing.
 */
export interface Execution {
  readonly rc: number;
  readonly stdout: string;
  /** What chroot or the dynamic linker wrote beside it: never part of an answer, but it may explain a failure. Absent if nothing. */
  readonly stderr?: string;
  /** We ended `TimedOut` and `TooLong` runs: their effect is unknown. */
  readonly end: 'Exited' | 'TimedOut' | 'TooLong';
  /** What ended it from outside, as the kernel does where memory runs out; absent after an exit, and if we ended it. */
  readonly signal?: string;
  /** How long it could take, and which option sets that: `15 s (--read-timeout-seconds)`. */
  readonly limit?: string;
}

/** Words of NVML's error strings and of nvidia-smi itself; the first match decides. */
const words: readonly (readonly [RegExp, DeviceErrorCode])[] = [
  [/version mismatch/i, 'DriverMismatch'],
  [/couldn't communicate with the NVIDIA driver|Driver Not Loaded/i, 'DriverUnavailable'],
  [/couldn't find libnvidia-ml|Failed to initialize NVML: (?!Insufficient Permissions)/i, 'DriverUnavailable'],
  [/Insufficient Permissions/i, 'NotPermitted'],
  [/GPU is lost|Unable to determine the device handle/i, 'GpuLost'],
  [/In use by another client|currently being used by/i, 'InUse'],
  [/Insufficient (?:Resources|Memory)/i, 'NoRoom'],
  [/requires reset/i, 'ResetRequired'],
  [/Not Supported|No MIG-supported devices/i, 'NotSupported'],
  [/Invalid Argument/i, 'UnknownProfile'],
  [/^No MIG-enabled devices found/m, 'NothingDone'],
];

/** NVML codes that nvidia-smi passes on as its exit code; all others become 255. */
const exitCodes: ReadonlyMap<number, DeviceErrorCode> = new Map([
  [3, 'NotSupported'],
  [4, 'NotPermitted'],
  [9, 'DriverUnavailable'],
  [12, 'DriverUnavailable'],
  [15, 'GpuLost'],
  [18, 'DriverMismatch'],
  [19, 'InUse'],
  [23, 'NoRoom'],
]);

/**
 * True if a run ended as one that did its work: what it printed shows whether it did. Exit code 14 is a warning if the line about
 * the infoROM stands beside the answer.
 */
export function isCompleted({ rc, end, stdout, stderr = '' }: Execution): boolean {
  if (end !== 'Exited') return false;
  return rc === 0 || (rc === 14 && /^WARNING: infoROM is corrupted at gpu /im.test(`${stdout}\n${stderr}`));
}

/** What explains a run: its output, and of one that failed also what was written beside it. */
export function wordsOf(execution: Execution): string {
  const { stdout, stderr = '' } = execution;
  return isCompleted(execution) || stderr === '' ? stdout : [stdout.trimEnd(), stderr].join('\n').trimStart();
}

/** Finds out what the output of a failed command means. */
export function classifyOutput(execution: Execution): DeviceErrorCode {
  const { rc, end, signal } = execution;
  if (end === 'TimedOut') return 'TimedOut';
  if (end === 'TooLong') return 'ParseError';
  if (signal === 'SIGKILL') return 'HostExhausted';
  const said = wordsOf(execution);
  const found = words.find(([pattern]) => pattern.test(said));
  return found?.[1] ?? exitCodes.get(rc) ?? (rc === 0 ? 'NothingDone' : 'DriverFailed');
}

/** Lines before or after an answer that are not part of it. */
const notice = /^(?:warning: |Unable to determine the device handle for gpu)/i;

/**
 * Removes what nvidia-smi prints besides its answer: `WARNING: infoROM is corrupted at gpu ...`, and with later drivers (610) a
 * lost GPU above the report of the others.
 */
export function dropNotices(output: string): string {
  return output
    .split('\n')
    .filter((line) => !notice.test(line))
    .join('\n');
}

/** The error for a command whose output shows that it failed. */
export function explainFailure(tried: string, execution: Execution, gpu?: string): DeviceError {
  // The failure is printed below the head of a table, or below what succeeded.
  const said = wordsOf(execution);
  const words = said.replace(/^(?:[|+]|Successfully ).*$\n?/gm, '');
  const found = `${describeEnd(execution)}: ${quoteOutput(words.trim() === '' ? said : words)}`;
  return new DeviceError(classifyOutput(execution), { tried, found, gpu });
}

/** The error for output that cannot be understood: its meaning is unknown, which is not the same as nothing. */
export function refuseOutput(tried: string, why: string, output: string): DeviceError {
  return new DeviceError('ParseError', { tried, found: `${why}: ${quoteOutput(output)}` });
}

/** How a run ended: `exit code 6`. */
export function describeEnd({ rc, end, signal, limit }: Execution): string {
  if (end === 'TimedOut') return `no answer in ${limit ?? 'time'}`;
  if (signal !== undefined) return `ended by ${signal}`;
  return end === 'TooLong' ? 'too much output' : `exit code ${rc}`;
}

/** How a run ended and what it printed: how that begins, on one line and short, or the last of it, where a program says at the end why. */
export function describeOutput(execution: Execution, part: 'First' | 'Last' = 'First'): string {
  const said = wordsOf(execution).trim();
  return `${describeEnd(execution)}: ${part === 'Last' ? said.slice(-240) : cutText(said.replace(/\s+/g, ' '), 160)}`;
}

/** The first lines, on one line, short enough for a condition; control characters escaped. */
function quoteOutput(output: string): string {
  const text = output.trim().replace(/\s+/g, ' ');
  return JSON.stringify(cutText(text, 240));
}

/** An observed run of nvidia-smi. */
export interface SmiRun {
  readonly args: readonly string[];
  /** How it ended, or why it was not run at all. */
  readonly result: Execution | Error;
  /** Milliseconds since the epoch. */
  readonly begin: number;
  readonly ms: number;
}

/**
 * What cannot be true at the same time: the GPU changed during the reading, or part of an answer was lost. The smaller part is never
 * trusted; everything is read again.
 */
export function contradict(tried: string, found: string, gpu?: string): DeviceError {
  return new DeviceError('Unstable', { tried, found, gpu });
}

/** True if a failure may be one GPU's: the driver as a whole works, and so does the tool. */
export function mayBeOneGpu(error: unknown, isLast: boolean): error is DeviceError {
  if (!(error instanceof DeviceError)) return false;
  const isPassing = error.code === 'Unstable' || error.code === 'GpuLost';
  const isReadable = !error.stopsNode || error.code === 'ParseError' || error.code === 'TimedOut';
  return isReadable && (isLast || !isPassing);
}
