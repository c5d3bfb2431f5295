// Room smi: what nvidia-smi is told and what it answers; nothing is run here.
// Ask here which GPUs one command may name, which part of its answer is whose, and the shape of a reading.
import { isCompleted, type Execution } from './output.ts';
import { normalizeBusId, type ChangeCommand, type ReadCommand, type SmiCommand } from './command.ts';

/**
 * Branches whose nvidia-smi was recorded with several GPUs in `-i`: it works GPU by GPU, by index, and the first failure ends it.
 * Source: test/fixtures/nvidia-smi/branches/multi-550.jsonl and multi-535.jsonl, 62 runs each. Of every other branch a command names
 * one GPU.
 */
const recordedBranches: ReadonlySet<string> = new Set(['535', '550']);

/** Whether a driver is known to take several GPUs in one command that changes them. */
export function sharesCommands(driverVersion: string): boolean {
  return recordedBranches.has(driverVersion.split('.', 1)[0] ?? '');
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
export function sharedKey(command: ReadCommand | ChangeCommand): string | undefined {
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
export interface NamedGpu {
  readonly pciBusId: string;
  readonly index: number;
}

/** A command that a reading needs the answer of. */
export interface ReadQuestion {
  readonly command: ReadCommand;
  /** Whether the GPU must be asked in a command of its own. */
  readonly isAlone: boolean;
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
