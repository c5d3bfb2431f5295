import { DeviceError, type DeviceErrorCode } from '../gpu/state/device-error.ts';
import { cutText } from '../text/cut-text.ts';

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

/** What the output of a failed command means. */
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

/** How a run ended and what it printed, on one line and short. */
export function describeOutput(execution: Execution): string {
  return `${describeEnd(execution)}: ${cutText(wordsOf(execution).trim().replace(/\s+/g, ' '), 160)}`;
}

/** The first lines, on one line, short enough for a condition; control characters escaped. */
function quoteOutput(output: string): string {
  const text = output.trim().replace(/\s+/g, ' ');
  return JSON.stringify(cutText(text, 240));
}

/** Exit code 0 alone proves nothing: from driver 550 on `No MIG-enabled devices found.` has it too. */
export function confirms(execution: Execution, ...words: readonly string[]): boolean {
  return words.every((said) => countPhrase(execution, said) > 0) && isCompleted(execution);
}

/** How many times an output contains these words. */
export function countPhrase({ stdout }: Execution, words: string): number {
  return stdout.split(words).length - 1;
}

/** One observed run of nvidia-smi. */
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

/** The same during a reading of the whole device. */
export function contradictReading(found: string, gpu?: string): DeviceError {
  return contradict('to read the device', found, gpu);
}
