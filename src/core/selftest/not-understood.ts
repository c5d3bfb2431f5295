import type { GpuFault } from '../gpu/state/device-state.ts';
import { wordsOf, type Execution, type SmiRun } from '../smi/output.ts';
import { redactOutput } from './redaction.ts';

/** An output of nvidia-smi that no parser understood, as it is kept on the node: without serial numbers and names of processes. */
export interface NotUnderstood {
  /** RFC 3339 */
  readonly time: string;
  /** `nvidia-smi mig -lgip` */
  readonly command: string;
  readonly rc: number;
  readonly end: Execution['end'];
  readonly why: string;
  readonly output: string;
  /** Whether more was printed than is kept. */
  readonly isCut: boolean;
}

/** Eight GPUs with many instances print a quarter of that. */
const mostCharacters = 1024 * 1024;

/**
 * The output of a reading that was not understood.
 *
 * @param runs of the reading, in order
 * @param faults that it ended with, the reading's own or a GPU's
 * @returns undefined if all of them were understood
 */
export function findNotUnderstood(
  runs: readonly SmiRun[],
  faults: readonly Pick<GpuFault, 'code' | 'message'>[],
  hostName: string,
): NotUnderstood | undefined {
  const fault = faults.find(({ code }) => code === 'ParseError');
  if (fault === undefined) return undefined;
  const ended = runs.flatMap(({ args, begin, result }) =>
    result instanceof Error ? [] : [{ command: ['nvidia-smi', ...args].join(' '), begin, ...result }],
  );
  // A command for one GPU begins like the one for all: the longest that the message names is the one. GPU by GPU, the last counts.
  const named = ended
    .filter(({ command }) => fault.message.includes(command))
    .toSorted((a, b) => a.command.length - b.command.length);
  const run = named.at(-1) ?? ended.at(-1);
  if (run === undefined) return undefined;
  const { command, begin, rc, end } = run;
  const output = wordsOf(run);
  return {
    time: new Date(begin).toISOString(),
    command,
    rc,
    end,
    why: redactOutput(fault.message, hostName),
    output: redactOutput(output.slice(0, mostCharacters), hostName),
    isCut: output.length > mostCharacters,
  };
}
