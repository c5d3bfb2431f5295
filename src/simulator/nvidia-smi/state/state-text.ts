import type { ComputeInstance, GpuHandle, GpuInstance, GpuProcess, NodeState } from './node-state.ts';
import { MIG_OFF } from './node-state.ts';

/** A line of a state file that the simulator cannot read. */
export class StateSyntaxError extends Error {
  override readonly name = 'StateSyntaxError';

  constructor(line: number, text: string) {
    super(
      `state line ${line}: cannot read ${JSON.stringify(text)}; expected "gpu N mig 0|1 pending 0|1", ` +
        '"gi GPU ID profile P place START:SIZE", "ci GPU GI ID profile P place START:SIZE", "proc gpu N [gi G ci C] pid P mem MIB name TEXT", "handle gpu N [gi G] name TEXT" or "persistence gpu N off"',
    );
  }
}

const GPU = /^gpu (\d+) mig ([01]) pending ([01])$/;
const GI = /^gi (\d+) (\d+) profile (\d+) place (\d+):(\d+)$/;
const CI = /^ci (\d+) (\d+) (\d+) profile (\d+) place (\d+):(\d+)$/;
const PROC = /^proc gpu (\d+)(?: gi (\d+) ci (\d+))? pid (\d+) mem (\d+) name (.*)$/;
const PERSISTENCE = /^persistence gpu (\d+) off$/;
const HANDLE = /^handle gpu (\d+)(?: gi (\d+))? name (.*)$/;

interface Draft {
  readonly mig: Map<number, { readonly migCurrent: boolean; readonly migPending: boolean }>;
  readonly gis: Map<
    number,
    (Omit<GpuInstance, 'computeInstances'> & { readonly computeInstances: ComputeInstance[] })[]
  >;
  readonly processes: GpuProcess[];
  readonly handles: GpuHandle[];
  readonly unpersistent: number[];
}

/**
 * Reads a state file. An empty text is a node whose GPUs all have MIG off; lines for GPUs beyond `gpuCount` are rejected,
 * since such a file belongs to another node.
 * @throws StateSyntaxError
 */
export function parseState(text: string, gpuCount: number): NodeState {
  const draft: Draft = { mig: new Map(), gis: new Map(), processes: [], handles: [], unpersistent: [] };
  text.split('\n').forEach((raw, row) => {
    const line = raw.trim();
    if (line !== '' && !line.startsWith('#') && !readLine(draft, line, gpuCount)) {
      throw new StateSyntaxError(row + 1, raw);
    }
  });
  return {
    gpus: Array.from({ length: gpuCount }, (_, index) => ({
      ...(draft.mig.get(index) ?? MIG_OFF),
      gpuInstances: sortById(draft.gis.get(index) ?? []),
    })),
    processes: draft.processes,
    ...(draft.handles.length > 0 && { handles: draft.handles }),
    ...(draft.unpersistent.length > 0 && { unpersistent: draft.unpersistent }),
  };
}

function readLine(draft: Draft, line: string, gpuCount: number): boolean {
  const numbers = (match: RegExpExecArray): readonly number[] => match.slice(1).map(Number);
  const gpu = GPU.exec(line);
  if (gpu !== null) {
    const [index = 0, current, pending] = numbers(gpu);
    draft.mig.set(index, { migCurrent: current === 1, migPending: pending === 1 });
    return index < gpuCount;
  }
  const gi = GI.exec(line);
  if (gi !== null) {
    const [index = 0, id = 0, profileId = 0, start = 0, size = 0] = numbers(gi);
    const found = draft.gis.get(index) ?? [];
    draft.gis.set(index, [...found, { id, profileId, start, size, computeInstances: [] }]);
    return index < gpuCount;
  }
  const ci = CI.exec(line);
  if (ci !== null) {
    const [index = 0, giId, id = 0, profileId = 0, start = 0, size = 0] = numbers(ci);
    const owner = draft.gis.get(index)?.find((instance) => instance.id === giId);
    owner?.computeInstances.push({ id, profileId, start, size });
    return owner !== undefined;
  }
  const persistence = PERSISTENCE.exec(line);
  if (persistence !== null) {
    const [index = 0] = numbers(persistence);
    draft.unpersistent.push(index);
    return index < gpuCount;
  }
  const handle = HANDLE.exec(line);
  if (handle !== null) {
    const [, index = '', gi, name = ''] = handle;
    draft.handles.push({ gpu: Number(index), ...(gi !== undefined && { gi: Number(gi) }), name });
    return Number(index) < gpuCount;
  }
  const proc = PROC.exec(line);
  if (proc === null) return false;
  const [, index = '', giId, ciId, pid, memory, name = ''] = proc;
  draft.processes.push({
    gpu: Number(index),
    ...(giId === undefined ? {} : { instance: { gi: Number(giId), ci: Number(ciId) } }),
    pid: Number(pid),
    memoryMiB: Number(memory),
    name,
  });
  return Number(index) < gpuCount;
}

/** The canonical text: one line per GPU, each instance followed by its compute instances, processes, handles and persistence mode last. */
export function renderState(state: NodeState): string {
  return stateLines(state)
    .map((line) => `${line}\n`)
    .join('');
}

/** {@link renderState} as lines without line ends. */
export function stateLines(state: NodeState): readonly string[] {
  const gpus = state.gpus.flatMap((gpu, index) => [
    `gpu ${index} mig ${Number(gpu.migCurrent)} pending ${Number(gpu.migPending)}`,
    ...gpu.gpuInstances.flatMap((gi) => [
      `gi ${index} ${gi.id} profile ${gi.profileId} place ${gi.start}:${gi.size}`,
      ...sortById(gi.computeInstances).map(
        (ci) => `ci ${index} ${gi.id} ${ci.id} profile ${ci.profileId} place ${ci.start}:${ci.size}`,
      ),
    ]),
  ]);
  const processes = state.processes.map(({ gpu, instance, pid, memoryMiB, name }) => {
    const place = instance === undefined ? '' : ` gi ${instance.gi} ci ${instance.ci}`;
    return `proc gpu ${gpu}${place} pid ${pid} mem ${memoryMiB} name ${name}`;
  });
  const handles = (state.handles ?? []).map(
    ({ gpu, gi, name }) => `handle gpu ${gpu}${gi === undefined ? '' : ` gi ${gi}`} name ${name}`,
  );
  const unpersistent = (state.unpersistent ?? []).map((gpu) => `persistence gpu ${gpu} off`);
  return [...gpus, ...processes, ...handles, ...unpersistent];
}

function sortById<T extends { readonly id: number }>(items: readonly T[]): readonly T[] {
  return items.toSorted((a, b) => a.id - b.id);
}
