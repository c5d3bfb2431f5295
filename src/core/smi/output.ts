// Room smi: what nvidia-smi is told and what it answers; nothing is run here.
// Ask here what a run of nvidia-smi means, and what its answer to a change claims.
import { DeviceError, type DeviceErrorCode, type GpuFault } from '../gpu/device-state.ts';
import { cutText } from '../text/words.ts';
import type { ChangeCommand } from './command.ts';

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

/**
 * True if a run said this and nothing else, whatever its exit code: `No MIG-enabled devices found.` ends with 6 on drivers up to 535, and
 * with 0 from 550 on. One that was killed may have had more to say.
 */
export function saysOnly({ end, signal, stdout }: Execution, words: RegExp): boolean {
  return end === 'Exited' && signal === undefined && words.test(dropNotices(stdout).trim());
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

/** What the words of chroot and the shell mean, which have no error number; the first match decides. */
const shellWords: readonly (readonly [RegExp, DeviceErrorCode])[] = [
  [/Cannot allocate memory|Resource temporarily unavailable|Too many open files/i, 'HostExhausted'],
  [/Operation not permitted/i, 'NotPermitted'],
];

/**
 * What kept chroot or the shell around the tool from running it, by their exit codes, which nvidia-smi never has: 125 chroot itself
 * failed, 126 the tool cannot be executed, 127 it is not there. Undefined if it was run.
 */
export function judgeNotRun(
  execution: Execution,
): { readonly code: DeviceErrorCode; readonly found: string } | undefined {
  const { rc, end } = execution;
  if (end !== 'Exited' || rc < 125 || rc > 127) return undefined;
  const said = wordsOf(execution);
  const known = shellWords.find(([pattern]) => pattern.test(said))?.[1];
  return {
    code: known ?? (rc === 126 ? 'ToolBlocked' : 'ToolMissing'),
    found: `exit code ${rc}: ${JSON.stringify(cutText(said.trim(), 240))}`,
  };
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

/** What an answer claims of a change; nothing of it is proved. */
interface ChangeClaim {
  /**
   * Whether it ended well, and says of what was to be made or destroyed that it was. Exit code 0 alone proves nothing: from driver 550 on
   * `No MIG-enabled devices found.` has it too.
   */
  readonly isConfirmed: boolean;
  /** How many GPU instances were made, with the compute instance over the whole if that was asked for. */
  readonly made: number;
  /** Ids of the instance at which a destroy has stopped. */
  readonly failed: { readonly instance: number; readonly part?: number } | undefined;
}

/** Reads what the answer to a change of one GPU claims. */
export function readClaim(command: ChangeCommand, execution: Execution): ChangeClaim {
  const isEnded = isCompleted(execution);
  const count = (words: string): number => execution.stdout.split(words).length - 1;
  const claim = { isConfirmed: isEnded, made: 0, failed: undefined };
  switch (command.name) {
    case 'CreateInstances': {
      const made = count('Successfully created GPU instance');
      const filled = command.whole ? count('Successfully created compute instance') : made;
      const isAll = made === command.places.length && filled === command.places.length;
      return { ...claim, isConfirmed: isEnded && isAll, made: Math.min(made, filled) };
    }
    case 'CreateComputeInstance':
    case 'CreateWholeComputeInstance':
      return { ...claim, isConfirmed: isEnded && count('Successfully created compute instance') > 0 };
    case 'DestroyComputeInstances': {
      const isSaid = command.ids === undefined || count('Successfully destroyed compute instance') > 0;
      const failure = /Unable to destroy compute instance ID +(\d+) from GPU +\d+ GPU instance ID +(\d+)/;
      const [, part, instance] = failure.exec(execution.stdout) ?? [];
      const failed = part === undefined ? undefined : { instance: Number(instance), part: Number(part) };
      return { ...claim, isConfirmed: isEnded && isSaid, failed };
    }
    case 'DestroyInstances': {
      const isAll = count('Successfully destroyed GPU instance') === command.instances.length;
      const [, instance] = /Unable to destroy GPU instance ID +(\d+) from GPU/.exec(execution.stdout) ?? [];
      const failed = instance === undefined ? undefined : { instance: Number(instance) };
      return { ...claim, isConfirmed: isEnded && isAll, failed };
    }
    default:
      return claim;
  }
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

/** The error of a contradiction during a reading of the whole device. */
export function contradictReading(found: string, gpu?: string): DeviceError {
  return contradict('to read the device', found, gpu);
}

/** The answers for the GPUs that could be read. */
export interface GpuAnswers<Result> {
  /** Answers: one if the command was run once for all GPUs, otherwise one for each GPU that answered. */
  readonly parts: readonly Result[];
  /** Why the others could not be read, by PCI bus id or whatever else named them on the command line. */
  readonly faults: ReadonlyMap<string | number, GpuFault>;
  /** Why the command for all GPUs failed; undefined if it did not. */
  readonly whole: DeviceError | undefined;
}

/** True if a failure may be one GPU's: the driver as a whole works, and so does the tool. */
export function mayBeOneGpu(error: unknown, isLast: boolean): error is DeviceError {
  if (!(error instanceof DeviceError)) return false;
  const isPassing = error.code === 'Unstable' || error.code === 'GpuLost';
  const isReadable = !error.stopsNode || error.code === 'ParseError' || error.code === 'TimedOut';
  return isReadable && (isLast || !isPassing);
}

export function toFault({ code, tried, found }: DeviceError): GpuFault {
  return { code, message: `${tried}: ${found}` };
}

/** Errors of single GPUs during a reading of the node. */
export class Trouble {
  /** Whether a contradiction is attributed to a GPU; otherwise everything is read once more. */
  readonly isLast: boolean;
  readonly #faults = new Map<string, GpuFault>();
  #whole: DeviceError | undefined;

  constructor(isLast: boolean) {
    this.isLast = isLast;
  }

  /** The first command that failed for all GPUs at once. */
  get whole(): DeviceError | undefined {
    return this.#whole;
  }

  find(pciBusId: string): GpuFault | undefined {
    return this.#faults.get(pciBusId);
  }

  /** Records GPUs that a command by bus id could not read. @returns the answers for the others */
  note<Result>({ parts, faults, whole }: GpuAnswers<Result>): readonly Result[] {
    this.#whole ??= whole;
    for (const [gpu, fault] of faults) if (!this.#faults.has(String(gpu))) this.#faults.set(String(gpu), fault);
    return parts;
  }

  /** Attributes an error to a GPU. @throws the error if it is not one GPU's, or if everything is read once more */
  pin(pciBusId: string, error: unknown): void {
    if (!mayBeOneGpu(error, this.isLast)) throw error;
    this.note({ parts: [], faults: new Map([[pciBusId, toFault(error)]]), whole: error });
  }
}

/** A table of `nvidia-smi mig`: header cells by line, then rows of cells. `MIG 1g.5gb` is one cell, `1g.5gb`. */
export interface SmiTable {
  readonly headers: readonly (readonly string[])[];
  readonly rows: readonly (readonly string[])[];
}

/**
 * Reads a table by its words, never by positions: widths differ between drivers (79 and 81 columns were seen). Every driver draws
 * the same line above the table and below each entry, and never an empty table: a sentence then states that there are no entries.
 *
 * @param height number of lines per entry
 * @throws DeviceError ParseError if it is not a table, or not a whole one
 */
export function readTable(tried: string, output: string, height: 1 | 2): SmiTable {
  const text = dropNotices(output)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const ruler = text.findIndex((line) => /^\|=+\|$/.test(line));
  if (ruler === -1) throw refuseOutput(tried, 'no table', output);
  const [border = ''] = text;
  const headers = text.slice(1, ruler);
  const entries = text.slice(ruler + 1);
  if (!isBorder(border) || border.length !== text[ruler]?.length || headers.some(isBorder))
    throw refuseOutput(tried, 'a table without its head', output);
  const isDrawn = entries.every((line, at) => ((at + 1) % (height + 1) === 0 ? line === border : !isBorder(line)));
  if (!isDrawn || entries.length === 0 || entries.length % (height + 1) !== 0)
    throw refuseOutput(tried, 'a table without its end, or with a line too many or too few', output);
  const cells = (lines: readonly string[]): readonly (readonly string[])[] =>
    lines.filter((line) => line !== border).map((line) => readCells(tried, line, output));
  return { headers: cells(headers), rows: cells(entries) };
}

/** The header line with the column names: the one with `GPU` and `Name`. */
export function findColumns(tried: string, table: SmiTable, output: string): readonly string[] {
  const columns = table.headers.find((line) => line.includes('GPU') && line.includes('Name'));
  if (columns === undefined) throw refuseOutput(tried, 'a table without the columns GPU and Name', output);
  return columns;
}

function isBorder(line: string): boolean {
  return /^\+[-+=]+\+$/.test(line);
}

function readCells(tried: string, line: string, output: string): readonly string[] {
  if (!/^\|.*\|$/.test(line)) throw refuseOutput(tried, 'a line that is not a row of a table', output);
  const cells = line.split(/[\s|]+/).filter((cell) => cell !== '');
  return cells.filter((cell) => cell !== 'MIG');
}
