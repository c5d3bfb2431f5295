import { mayBeOneGpu, toFault, type GpuAnswers } from '../../core/smi/trouble.ts';
import type { Execution } from '../../core/smi/output.ts';
import type { Runner } from '../command/runner.ts';
import { describeCommand, type GpuSelection, type ReadCommand } from '../../core/smi/smi-command.ts';
import type { GpuFault } from '../../core/gpu/state/device-state.ts';

export interface GpuQuestion<Result> {
  /** The name of each GPU on a command line. */
  readonly gpus: GpuSelection;
  /** What names all of them; undefined for every GPU of the node. */
  readonly selection: GpuSelection | undefined;
  readonly command: (gpus: GpuSelection | undefined) => ReadCommand;
  /** @param gpu the GPU that the command named, if it named one */
  readonly parse: (tried: string, execution: Execution, gpu?: string | number) => Result;
  /** Whether contradictions and lost GPUs are attributed to a GPU too: not if everything is about to be read again. */
  readonly isLast: boolean;
}

/**
 * Runs a command once for all GPUs, and if that fails, once for each: one sick GPU makes `mig -lgi` fail as a whole (NVML 16,
 * 999: exit code 255), and the others must still be read.
 *
 * @throws DeviceError what concerns the node as a whole
 */
export async function askEach<Result>(runner: Runner, question: GpuQuestion<Result>): Promise<GpuAnswers<Result>> {
  const { selection, isLast } = question;
  try {
    return { parts: [await ask(runner, question, selection)], faults: new Map(), whole: undefined };
  } catch (error) {
    if (!mayBeOneGpu(error, isLast)) throw error;
    return { ...(await askOneByOne(runner, question)), whole: error };
  }
}

/** @throws DeviceError what concerns the node as a whole, as does a second GPU in a row that keeps the driver from answering */
export async function askOneByOne<Result>(
  runner: Runner,
  question: GpuQuestion<Result>,
): Promise<Pick<GpuAnswers<Result>, 'parts' | 'faults'>> {
  const parts: Result[] = [];
  const faults = new Map<string | number, GpuFault>();
  let silent = 0;
  for (const gpu of question.gpus) {
    try {
      parts.push(await ask(runner, question, [gpu], gpu));
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

async function ask<Result>(
  runner: Runner,
  { command, parse }: GpuQuestion<Result>,
  named: GpuSelection | undefined,
  gpu?: string | number,
): Promise<Result> {
  const given = command(named);
  return parse(describeCommand(given), await runner.run(given), gpu);
}
