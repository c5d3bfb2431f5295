import { DeviceError } from '../errors.ts';
import type { Execution } from '../command/output.ts';
import { describeCommand, type Runner } from '../command/runner.ts';
import type { GpuSelection, ReadCommand } from '../command/smi-command.ts';
import type { GpuFault } from './state.ts';

/** Why some GPUs could not be read, by PCI bus id or whatever else named them on the command line. */
export type GpuFaults = ReadonlyMap<string | number, GpuFault>;

/** What a command said of the GPUs that could be read. */
export interface GpuAnswers<Result> {
  /** One where the command was given once for all GPUs, else one for each GPU that answered. */
  readonly parts: readonly Result[];
  readonly faults: GpuFaults;
  /** Why the command for all GPUs failed; undefined where it did not. */
  readonly whole: DeviceError | undefined;
}

export interface GpuQuestion<Result> {
  /** What names each GPU that is asked about on a command line. */
  readonly gpus: GpuSelection;
  /** What names all of them: undefined for every GPU of the node. */
  readonly selection: GpuSelection | undefined;
  readonly command: (gpus: { readonly gpus?: GpuSelection }) => ReadCommand;
  /** @param gpu the one that was named, where the command named one */
  readonly parse: (tried: string, execution: Execution, gpu?: string | number) => Result;
  /** Whether contradictions and lost GPUs are to be pinned on a GPU too: not as long as all is about to be read again. */
  readonly isLast: boolean;
}

/**
 * Gives a command once for all GPUs, and where that fails, once for each: one that is sick makes `mig -lgi` fail as a whole (NVML 16,
 * 999: exit code 255), and the others have to be heard all the same.
 *
 * @throws DeviceError what concerns the node as a whole
 */
export async function askEach<Result>(runner: Runner, question: GpuQuestion<Result>): Promise<GpuAnswers<Result>> {
  const { selection, isLast } = question;
  try {
    const what = selection === undefined ? {} : { gpus: selection };
    return { parts: [await ask(runner, question, what)], faults: new Map(), whole: undefined };
  } catch (error) {
    if (!mayBeOneGpu(error, isLast)) throw error;
    return { ...(await askOneByOne(runner, question)), whole: error };
  }
}

/** @throws DeviceError what concerns the node as a whole; a second GPU in a row that keeps the driver from answering does */
export async function askOneByOne<Result>(
  runner: Runner,
  question: GpuQuestion<Result>,
): Promise<Pick<GpuAnswers<Result>, 'parts' | 'faults'>> {
  const parts: Result[] = [];
  const faults = new Map<string | number, GpuFault>();
  let silent = 0;
  for (const gpu of question.gpus) {
    try {
      parts.push(await ask(runner, question, { gpus: [gpu] }, gpu));
      silent = 0;
    } catch (error) {
      if (!mayBeOneGpu(error, true)) throw error;
      silent = error.code === 'TimedOut' ? silent + 1 : 0;
      if (silent > 1) throw error;
      faults.set(gpu, toFault(error));
    }
  }
  return { parts, faults };
}

/** True if a failure may be one GPU's: the driver as a whole is there, and so is the tool. */
export function mayBeOneGpu(error: unknown, isLast: boolean): error is DeviceError {
  if (!(error instanceof DeviceError)) return false;
  const isPassing = error.code === 'Unstable' || error.code === 'GpuLost';
  const isReadable = !error.stopsNode || error.code === 'ParseError' || error.code === 'TimedOut';
  return isReadable && (isLast || !isPassing);
}

export function toFault({ code, tried, found }: DeviceError): GpuFault {
  return { code, message: `${tried}: ${found}` };
}

async function ask<Result>(
  runner: Runner,
  { command, parse }: GpuQuestion<Result>,
  what: { readonly gpus?: GpuSelection },
  gpu?: string | number,
): Promise<Result> {
  const given = command(what);
  return parse(describeCommand(given), await runner.run(given), gpu);
}
