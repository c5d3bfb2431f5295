import type { Execution, SmiRun } from '../smi/output.ts';
import { DeviceError } from '../gpu/state/device-error.ts';
import {
  type ComputeInstanceRow,
  type InstanceRow,
  parseComputeInstances,
  parseInstances,
} from '../smi/instance-table.ts';
import { parseReport, type ReportedGpu } from '../smi/report-parser.ts';

/** The device's state, in the simulator's format; null if the surrounding commands do not show it. */
export interface StateAround {
  readonly before: string | null;
  readonly after: string | null;
}

const changes: ReadonlySet<string> = new Set(['-mig', '--gpu-reset', '-pm', '-cgi', '-cci', '-dgi', '-dci']);

/**
 * The state before and after each run, from the output of the runs: between two changes there is one state, shown by the reads of
 * the whole node there (`-q -x`, `-lgi`, `-lci`).
 */
export function describeStates(runs: readonly SmiRun[]): readonly StateAround[] {
  const epochs: SmiRun[][] = [[]];
  const places = runs.map((run): number => {
    if (!run.args.some((arg) => changes.has(arg))) epochs.at(-1)?.push(run);
    else epochs.push([]);
    return epochs.length - 1;
  });
  const states = epochs.map(describeEpoch);
  return runs.map(({ args }, at) => {
    const place = places[at] ?? 0;
    const after = states[place] ?? null;
    return { before: args.some((arg) => changes.has(arg)) ? (states[place - 1] ?? null) : after, after };
  });
}

function describeEpoch(reads: readonly SmiRun[]): string | null {
  const report = readLast(reads, '-q -x', parseReport);
  if (report === undefined) return null;
  const isOn = report.gpus.some(({ mig }) => mig?.current === 'Enabled');
  const instances = isOn ? readLast(reads, 'mig -lgi', parseInstances) : [];
  const isEmpty = instances?.length === 0;
  const parts = isEmpty ? [] : readLast(reads, 'mig -lci', parseComputeInstances);
  if (instances === undefined || parts === undefined) return null;
  return report.gpus.flatMap((gpu, index) => writeGpu(gpu, index, instances, parts)).join('');
}

function writeGpu(
  { mig, processes }: ReportedGpu,
  index: number,
  instances: readonly InstanceRow[],
  parts: readonly ComputeInstanceRow[],
): readonly string[] {
  const isOn = (mode: string): number => (mode === 'Enabled' ? 1 : 0);
  return [
    ...(mig === undefined ? [] : [`gpu ${index} mig ${isOn(mig.current)} pending ${isOn(mig.pending)}\n`]),
    ...instances
      .filter(({ gpuIndex }) => gpuIndex === index)
      .toSorted((a, b) => a.id - b.id)
      .flatMap(({ id, profileId, start, size }) => [
        `gi ${index} ${id} profile ${profileId} place ${start}:${size}\n`,
        ...parts
          .filter(({ gpuIndex, instance }) => gpuIndex === index && instance === id)
          .toSorted((a, b) => a.id - b.id)
          .map((part) => `ci ${index} ${id} ${part.id} profile ${part.profileId} place ${part.start}:${part.size}\n`),
      ]),
    ...processes.flatMap(({ pid, instance, computeInstance = 0 }) => {
      const where = instance === undefined ? '' : ` gi ${instance} ci ${computeInstance}`;
      return pid === undefined ? [] : [`proc gpu ${index}${where} pid ${pid} mem 0 name redacted\n`];
    }),
  ];
}

function readLast<Result>(
  reads: readonly SmiRun[],
  command: string,
  parse: (tried: string, execution: Execution) => Result,
): Result | undefined {
  const run = reads.findLast(({ args }) => args.join(' ') === command);
  if (run === undefined || run.result instanceof Error) return undefined;
  try {
    return parse(command, run.result);
  } catch (error) {
    if (error instanceof DeviceError) return undefined;
    throw error;
  }
}
