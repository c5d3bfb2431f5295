import { linkSync, readFileSync, rmSync, statSync, writeFileSync, renameSync } from 'node:fs';

/** A compute instance; `start` and `size` count compute slices within its GPU instance. */
export interface ComputeInstance {
  readonly id: number;
  readonly profileId: number;
  readonly start: number;
  readonly size: number;
}

/** A GPU instance; `start` and `size` count memory slices (placement units) of the GPU. */
export interface GpuInstance {
  readonly id: number;
  readonly profileId: number;
  readonly start: number;
  readonly size: number;
  /** Ascending by id. */
  readonly computeInstances: readonly ComputeInstance[];
}

interface SimulatedGpuState {
  readonly migCurrent: boolean;
  readonly migPending: boolean;
  /** Ascending by id. */
  readonly gpuInstances: readonly GpuInstance[];
}

/** A process that holds a GPU, or one compute instance of it. */
export interface GpuProcess {
  readonly gpu: number;
  /** The compute instance; absent if the process holds a whole GPU. */
  readonly instance?: { readonly gi: number; readonly ci: number };
  readonly pid: number;
  readonly memoryMiB: number;
  readonly name: string;
}

/**
 * A program that has a GPU open but runs nothing on it, as monitors do (DCGM): no process list shows it. It blocks a MIG mode
 * change and a reset of the GPU. Creating and destroying instances is blocked only where it has the instance itself open.
 */
interface GpuHandle {
  readonly gpu: number;
  /** GPU instance id. */
  readonly gi?: number;
  readonly name: string;
}

/** Everything that changes on a node: by GPU index, the processes, and the handles if there are any. */
export interface NodeState {
  readonly gpus: readonly SimulatedGpuState[];
  readonly processes: readonly GpuProcess[];
  readonly handles?: readonly GpuHandle[];
  /** Indexes of the GPUs whose persistence mode is off, ascending; absent if there is none. */
  readonly unpersistent?: readonly number[];
}

const MIG_OFF: SimulatedGpuState = { migCurrent: false, migPending: false, gpuInstances: [] };

/** The state of GPU `index`; a GPU that is not in the state has MIG off. */
export function gpuStateOf(state: NodeState, index: number): SimulatedGpuState {
  return state.gpus[index] ?? MIG_OFF;
}

/** `state` with persistence mode of GPU `index` on or off. */
export function withPersistence({ unpersistent = [], ...state }: NodeState, index: number, on: boolean): NodeState {
  const others = unpersistent.filter((other) => other !== index);
  const off = on ? others : [...others, index].toSorted((a, b) => a - b);
  return { ...state, ...(off.length > 0 && { unpersistent: off }) };
}

/** `state` with GPU `index` replaced by the result of `change`. */
export function withGpuState(
  state: NodeState,
  index: number,
  change: (gpu: SimulatedGpuState) => SimulatedGpuState,
): NodeState {
  return { ...state, gpus: state.gpus.map((gpu, at) => (at === index ? change(gpu) : gpu)) };
}

/** A holder needs a millisecond, or refreshes the time of its lock; after this long, it was stopped or its pid belongs to another process. */
const STALE_AFTER_MS = 15_000;

const RETRY_MS = 2;

/** Runs `body` while only this process holds `path`. Synchronous, so that no other work of this process can interleave. */
function withFileLock<T>(path: string, body: () => T): T {
  while (!tryLock(path)) pause(RETRY_MS);
  try {
    return body();
  } finally {
    releaseLock(path);
  }
}

/** Releases our lock. After a long stop, another process may have taken over: its lock is not ours to remove. */
export function releaseLock(path: string): void {
  if (readHolder(path)?.pid === process.pid) {
    rmSync(path, { force: true });
  }
}

/**
 * Takes a lock, a file with the pid of its holder and the time, unless a living process holds it. What a dead one (SIGKILL in the
 * middle) has left is removed for the next try.
 */
export function tryLock(path: string): boolean {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, `${process.pid} ${Date.now()}`);
  try {
    // A link either appears complete, with the pid in it, or fails: nobody ever reads an empty lock.
    if (tryLink(own, path)) return true;
    if (isStale(path)) takeAway(path, own);
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Takes a stale lock away. Of several processes that find one, one removes it, after checking again under a second lock. */
function takeAway(path: string, own: string): void {
  const guard = `${path}.takeover`;
  if (!tryLink(own, guard)) {
    if (isStale(guard)) rmSync(guard, { force: true });
    return;
  }
  try {
    if (isStale(path)) rmSync(path, { force: true });
  } finally {
    rmSync(guard, { force: true });
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function isStale(path: string): boolean {
  const holder = readHolder(path);
  const file = statSync(path, { throwIfNoEntry: false });
  if (holder === undefined || file === undefined) return false;
  return Date.now() - file.mtimeMs > STALE_AFTER_MS || !isAlive(holder.pid);
}

/** The holder of a lock, with `since` in milliseconds of the epoch; undefined if it is free. */
export function readHolder(path: string): { readonly pid: number; readonly since: number } | undefined {
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  const [pid = 0, since = 0] = text.split(' ').map(Number);
  return { pid, since };
}

/** Reads a file; undefined if it does not exist. */
function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !hasCode(error, 'ESRCH');
  }
}

/** Blocks this thread. */
export function pause(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

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

/** Reads a state file; a missing one means a node with MIG off everywhere. */
export function readStateFile(path: string, gpuCount: number): NodeState {
  return parseState(readIfThere(path) ?? '', gpuCount);
}

/**
 * Changes a state file under its lock: reads it, writes the new text beside it and renames, so that a reader sees the old or the
 * new state and no update of another process is lost. If `change` throws, the file is unchanged. `onChange` runs under the lock.
 */
export function updateStateFile(
  path: string,
  gpuCount: number,
  change: (state: NodeState) => NodeState,
  onChange?: (before: NodeState, after: NodeState) => void,
): void {
  withFileLock(`${path}.lock`, () => {
    const before = readStateFile(path, gpuCount);
    const after = change(before);
    replaceFile(path, renderState(after));
    onChange?.(before, after);
  });
}

/** Counts one more match of a fault line and returns the count; stored beside the state file. */
export function countFaultMatch(path: string, line: string): number {
  const file = `${path}.counts`;
  return withFileLock(`${file}.lock`, () => {
    const counts = new Map(readCounts(file));
    const count = (counts.get(line) ?? 0) + 1;
    counts.set(line, count);
    replaceFile(file, [...counts].map(([key, value]) => `${value} ${key}\n`).join(''));
    return count;
  });
}

function readCounts(file: string): readonly (readonly [string, number])[] {
  return (readIfThere(file) ?? '')
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => [text.slice(text.indexOf(' ') + 1), Number.parseInt(text, 10)]);
}

function replaceFile(path: string, text: string): void {
  const next = `${path}.${process.pid}.next`;
  writeFileSync(next, text);
  renameSync(next, path);
}
