import type { Geometry } from '../../core/gpu/geometry.ts';
import {
  type GiProfile,
  listGiProfiles,
  type CiProfile,
  type Board,
  findBoard,
  ciProfilesOf,
  findGiProfile,
} from './board.ts';
import {
  type GpuInstance,
  gpuStateOf,
  type NodeState,
  type ComputeInstance,
  withGpuState,
  type GpuProcess,
} from './state.ts';
import { NVML, NvmlFailure } from './nvml-code.ts';
import { createHash } from 'node:crypto';

interface Interval {
  readonly start: number;
  readonly size: number;
}

export function overlaps(a: Interval, b: Interval): boolean {
  return a.start < b.start + b.size && b.start < a.start + a.size;
}

/** Starts of `profile` that no instance occupies. */
export function freeStarts(
  { starts, size }: { readonly starts: readonly number[]; readonly size: number },
  taken: readonly Interval[],
): readonly number[] {
  return starts.filter((start) => !taken.some((other) => overlaps({ start, size }, other)));
}

/** How many more instances of `profile` fit; 0 while MIG is off (our choice: NVML must return some number). */
export function countFreeGpuInstances({ index, board }: SimulatedGpu, state: NodeState, profile: GiProfile): number {
  const { migCurrent, gpuInstances } = gpuStateOf(state, index);
  if (!migCurrent || board.model === undefined) return 0;
  const profiles = listGiProfiles(board);
  const taken = [...gpuInstances];
  for (const start of profile.starts) {
    const place = { start, size: profile.size };
    if (!taken.some((other) => overlaps(place, other)) && allowsOneMore(board.model, profiles, taken, profile)) {
      taken.push({ id: -1, profileId: profile.id, ...place, computeInstances: [] });
    }
  }
  return taken.length - gpuInstances.length;
}

/** True if neither the number of instances of `profile` nor an engine of the GPU rules out one more. */
export function allowsOneMore(
  geometry: Geometry,
  profiles: readonly GiProfile[],
  taken: readonly GpuInstance[],
  profile: GiProfile,
): boolean {
  const held = taken.flatMap((gi) => profiles.find(({ id }) => id === gi.profileId) ?? []);
  const sameProfile = held.filter(({ id }) => id === profile.id).length;
  const slices = held.reduce((sum, { computeSlices }) => sum + computeSlices, profile.computeSlices);
  const total = geometry.engines;
  const enginesSuffice =
    total === undefined ||
    (['copy', 'decoder', 'encoder', 'jpeg', 'ofa'] as const).every(
      (engine) =>
        profile.engines[engine] === 0 ||
        held.reduce((sum, { engines }) => sum + engines[engine], profile.engines[engine]) <= total[engine],
    );
  return sameProfile < profile.maxInstances && slices <= geometry.computeSlices && enginesSuffice;
}

/**
 * The start that the driver picks if none is given. The real rule is closed firmware; picking the start that blocks the
 * fewest placements of the other profiles, the lowest on a tie, reproduces what was seen on real A100s:
 * seven 1g in the order 6,4,5,0,1,2,3, and `19,14,5` at 6, 4, 0.
 */
export function chooseStart(
  profiles: readonly GiProfile[],
  taken: readonly Interval[],
  profile: GiProfile,
): number | undefined {
  let best: { readonly start: number; readonly spoilt: number } | undefined;
  for (const start of freeStarts(profile, taken)) {
    const spoilt = countSpoilt(profiles, taken, { start, size: profile.size });
    if (best === undefined || spoilt < best.spoilt) {
      best = { start, spoilt };
    }
  }
  return best?.start;
}

function countSpoilt(profiles: readonly GiProfile[], taken: readonly Interval[], candidate: Interval): number {
  return profiles
    .map((other) => freeStarts(other, taken).filter((start) => overlaps({ start, size: other.size }, candidate)).length)
    .reduce((sum, count) => sum + count, 0);
}

/**
 * GI id of a placement: a node of a binary tree over the GPU, 0 the whole, 1-2 the halves, 3-6 the quarters, 7-14 the eighths
 * (driver source, kmigmgr_ga100.c). Which half comes first differs between chips of one node (DCGM #138): here, GPUs with an
 * odd index have the halves swapped. Users must read the id, never compute it.
 */
export function giIdOf(gridSize: number, gpuIndex: number, place: Interval): number {
  const parts = Math.max(1, Math.round(gridSize / Math.max(1, place.size)));
  const swapped = gpuIndex % 2 === 1 && parts > 1;
  const start = swapped ? (place.start + gridSize / 2) % gridSize : place.start;
  return parts - 1 + Math.floor(start / Math.max(1, place.size));
}

/** A new state and the result of the change. */
export interface StateChange<T> {
  readonly state: NodeState;
  readonly result: T;
}

/**
 * Creates a GPU instance, at `start` or where the driver chooses.
 * @throws NvmlFailure Invalid Argument if the profile does not have that start, In use while a process has the whole GPU,
 * Insufficient Resources if there is no room
 */
export function createGpuInstance(
  gpu: SimulatedGpu,
  state: NodeState,
  profile: GiProfile,
  start: number | undefined,
): StateChange<GpuInstance> {
  const model = gpu.board.model;
  if (model === undefined) throw new NvmlFailure(NVML.notSupported);
  if (start !== undefined && !profile.starts.includes(start)) throw new NvmlFailure(NVML.invalidArgument);
  if (isWhollyUsed(state, gpu.index)) throw new NvmlFailure(NVML.inUse);
  const profiles = listGiProfiles(gpu.board);
  const taken = gpuStateOf(state, gpu.index).gpuInstances;
  const free = freeStarts(profile, taken);
  const chosen = start ?? chooseStart(profiles, taken, profile);
  if (chosen === undefined || !free.includes(chosen) || !allowsOneMore(model, profiles, taken, profile)) {
    throw new NvmlFailure(NVML.insufficientResources);
  }
  const place = { start: chosen, size: profile.size };
  const made: GpuInstance = {
    id: giIdOf(model.memorySlices, gpu.index, place),
    profileId: profile.id,
    ...place,
    computeInstances: [],
  };
  return { state: withInstances(state, gpu.index, [...taken, made]), result: made };
}

/**
 * Creates a compute instance in GPU instance `giId`.
 * @throws NvmlFailure Not Found, Invalid Argument (start), Insufficient Resources
 */
export function createComputeInstance(
  gpu: SimulatedGpu,
  state: NodeState,
  giId: number,
  profile: CiProfile,
  start: number | undefined,
): StateChange<ComputeInstance> {
  const gi = requireGpuInstance(state, gpu.index, giId);
  if (start !== undefined && !profile.starts.includes(start)) throw new NvmlFailure(NVML.invalidArgument);
  const chosen = freeStarts(profile, gi.computeInstances).find(
    (candidate) => start === undefined || candidate === start,
  );
  const id = firstFreeId(gi.computeInstances);
  if (chosen === undefined) throw new NvmlFailure(NVML.insufficientResources);
  const made: ComputeInstance = { id, profileId: profile.id, start: chosen, size: profile.size };
  const changed = replaceInstance(state, gpu.index, { ...gi, computeInstances: [...gi.computeInstances, made] });
  return { state: changed, result: made };
}

/** @throws NvmlFailure Not Found, or In use while it contains a compute instance or a process, is open, or a process has the whole GPU */
export function destroyGpuInstance(gpu: SimulatedGpu, state: NodeState, giId: number): StateChange<undefined> {
  const gi = requireGpuInstance(state, gpu.index, giId);
  const busy = state.processes.some(({ gpu: index, instance }) => index === gpu.index && instance?.gi === giId);
  if (busy || isInstanceOpen(state, gpu.index, giId) || gi.computeInstances.length > 0) {
    throw new NvmlFailure(NVML.inUse);
  }
  const left = gpuStateOf(state, gpu.index).gpuInstances.filter(({ id }) => id !== giId);
  return { state: withInstances(state, gpu.index, left), result: undefined };
}

/** @throws NvmlFailure Not Found, or In use while a process runs on it or has the whole GPU, or its GPU instance is open */
export function destroyComputeInstance(
  gpu: SimulatedGpu,
  state: NodeState,
  giId: number,
  ciId: number,
): StateChange<undefined> {
  const gi = requireGpuInstance(state, gpu.index, giId);
  const left = gi.computeInstances.filter(({ id }) => id !== ciId);
  if (left.length === gi.computeInstances.length) throw new NvmlFailure(NVML.notFound);
  if (
    isInstanceOpen(state, gpu.index, giId) ||
    state.processes.some((proc) => proc.gpu === gpu.index && proc.instance?.gi === giId && proc.instance.ci === ciId)
  ) {
    throw new NvmlFailure(NVML.inUse);
  }
  return { state: replaceInstance(state, gpu.index, { ...gi, computeInstances: left }), result: undefined };
}

/**
 * Sets the MIG mode. The result is the activation status: 0, or why the mode is only pending.
 * `holdBack` makes it pending with that status; a process or a handle on the GPU does the same with In use.
 * @throws NvmlFailure Not Supported, or In use for switching off while GPU instances exist
 */
export function setMigMode(
  gpu: SimulatedGpu,
  state: NodeState,
  enable: boolean,
  holdBack: number | undefined,
): StateChange<number> {
  if (gpu.board.model === undefined) throw new NvmlFailure(NVML.notSupported);
  const { migCurrent, gpuInstances } = gpuStateOf(state, gpu.index);
  if (!enable && gpuInstances.length > 0) throw new NvmlFailure(NVML.inUse);
  const busy = isOpen(state, gpu.index);
  const status = migCurrent === enable ? 0 : (holdBack ?? (busy ? NVML.inUse : 0));
  const current = status === 0 ? enable : migCurrent;
  return {
    state: withGpuState(state, gpu.index, (old) => ({ ...old, migCurrent: current, migPending: enable })),
    result: status,
  };
}

/**
 * Resets a GPU: the pending MIG mode becomes current, and no instance survives.
 * @param isPersistent whether persistence mode keeps the GPU open
 * @throws NvmlFailure In use while persistence mode, a process or a handle holds the GPU
 */
export function resetGpu(gpu: SimulatedGpu, state: NodeState, isPersistent: boolean): StateChange<undefined> {
  if (isPersistent || isOpen(state, gpu.index)) throw new NvmlFailure(NVML.inUse);
  const reset = withGpuState(state, gpu.index, ({ migPending }) => ({
    migCurrent: migPending,
    migPending,
    gpuInstances: [],
  }));
  return { state: reset, result: undefined };
}

/** Reboots the node: no process or instance survives; Ampere keeps its (pending) MIG mode, later chips lose it. */
export function rebootNode(gpus: readonly SimulatedGpu[], state: NodeState): NodeState {
  return {
    gpus: gpus.map((gpu) => {
      const mig = gpu.board.model?.modeSurvivesReboot === true && gpuStateOf(state, gpu.index).migPending;
      return { migCurrent: mig, migPending: mig, gpuInstances: [] };
    }),
    processes: [],
  };
}

/** Whether a process or a handle holds the GPU. */
export function isOpen({ processes, handles = [] }: NodeState, index: number): boolean {
  return [...processes, ...handles].some(({ gpu }) => gpu === index);
}

/** Whether a process that is on no instance uses the GPU. */
function isWhollyUsed({ processes }: NodeState, index: number): boolean {
  return processes.some(({ gpu, instance }) => gpu === index && instance === undefined);
}

/** Whether a handle that is left (DCGM #276), or a process that has the whole GPU, keeps an instance open. */
function isInstanceOpen(state: NodeState, index: number, giId: number): boolean {
  const { handles = [] } = state;
  return isWhollyUsed(state, index) || handles.some(({ gpu, gi }) => gpu === index && gi === giId);
}

function requireGpuInstance(state: NodeState, index: number, giId: number): GpuInstance {
  const gi = gpuStateOf(state, index).gpuInstances.find(({ id }) => id === giId);
  if (gi === undefined) throw new NvmlFailure(NVML.notFound);
  return gi;
}

function firstFreeId(taken: readonly { readonly id: number }[]): number {
  let id = 0;
  while (taken.some((other) => other.id === id)) id += 1;
  return id;
}

function replaceInstance(state: NodeState, index: number, changed: GpuInstance): NodeState {
  const others = gpuStateOf(state, index).gpuInstances.filter(({ id }) => id !== changed.id);
  return withInstances(state, index, [...others, changed]);
}

function withInstances(state: NodeState, index: number, instances: readonly GpuInstance[]): NodeState {
  const gpuInstances = instances.toSorted((a, b) => a.id - b.id);
  return withGpuState(state, index, (gpu) => ({ ...gpu, gpuInstances }));
}

/** A GPU of the simulated node: its board and its individual values. */
export interface SimulatedGpu {
  readonly index: number;
  readonly board: Board;
  readonly uuid: string;
  /** PCI address with an eight-digit domain, as nvidia-smi prints it: `00000000:07:00.0`. */
  readonly busId: string;
  readonly serial: string;
}

/** Bus numbers of the eight GPUs of a DGX A100, then free numbers. */
const BUSES: readonly string[] = '07 0F 47 4E 87 90 B7 BD C1 C9 D1 D9 E1 E9 F1 F9'.split(' ');

export const MAX_GPUS = BUSES.length;

/** A seed that gives the UUIDs of the recorded runs. */
export const RECORDED_SEED = 'recorded';

/** UUIDs of the recorded runs, by product and index; how they are derived is not known. */
const RECORDED_UUIDS: ReadonlyMap<string, string> = new Map([
  ['NVIDIA A100-SXM4-40GB 0', 'GPU-c64f3bd4-742c-54d4-a411-9a2a2bcd42a3'],
  ['NVIDIA A30 0', 'GPU-a11732da-b500-5c53-be02-c1dbeed25aa5'],
  ['NVIDIA A30 1', 'GPU-777a1892-9ba6-535a-b7d4-72964b814d40'],
  ['NVIDIA H100 80GB HBM3 0', 'GPU-6061f587-b841-598e-b4db-2fff3661456f'],
]);

/**
 * The GPUs of a node in index order. The same list and seed always give the same UUIDs and serials; another seed gives others.
 * @throws UnknownGpuError for an unknown name
 * @throws RangeError for more than {@link MAX_GPUS}
 */
export function assembleGpus(names: readonly string[], seed: string = RECORDED_SEED): readonly SimulatedGpu[] {
  if (names.length > MAX_GPUS) {
    throw new RangeError(`NVIDIA_SMI_SIM_GPUS names ${names.length} GPUs; a simulated node has at most ${MAX_GPUS}`);
  }
  return names.map((name, index) => {
    const board = findBoard(name);
    return {
      index,
      board,
      uuid: gpuUuid(seed, board.productName, index),
      busId: `00000000:${BUSES[index]}:00.0`,
      serial: serialOf(seed, index),
    };
  });
}

function gpuUuid(seed: string, productName: string, index: number): string {
  const recorded = seed === RECORDED_SEED ? RECORDED_UUIDS.get(`${productName} ${index}`) : undefined;
  return recorded ?? `GPU-${deriveUuid(`gpu/${seed}/${productName}/${index}`)}`;
}

function serialOf(seed: string, index: number): string {
  const recorded = 1563020910000;
  const offset = seed === RECORDED_SEED ? 0 : createHash('sha1').update(`serial/${seed}`).digest().readUInt32BE(0) * 16;
  return String(recorded + offset + index);
}

/**
 * The UUID of a MIG device depends only on GPU, GI id and CI id, as in the driver (nvGenerateSmcUuid): an instance that is
 * destroyed and recreated at the same placement keeps its UUID.
 */
export function migUuid(gpu: SimulatedGpu, giId: number, ciId: number): string {
  return `MIG-${deriveUuid(`mig/${gpu.uuid}/${giId}/${ciId}`)}`;
}

/** A name-based UUID (version 5 in form). */
function deriveUuid(name: string): string {
  const hash = createHash('sha1').update(`nvidia-smi-sim/${name}`).digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6);
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = hash.toString('hex', 0, 16);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** A MIG device as programs see it: a compute instance with its GPU instance. */
export type MigDevice = ReturnType<typeof listMigDevices>[number];

/** Memory that the driver itself uses on every MIG device (recorded). */
const MIG_DEVICE_USED_MIB = 12;

/**
 * MIG devices of a GPU by GPU instance id, then compute instance id. A GPU instance without compute instances has none. The index is
 * compact: it shifts when an earlier instance is destroyed.
 */
export function listMigDevices(gpu: SimulatedGpu, state: NodeState) {
  const { migCurrent, gpuInstances } = gpuStateOf(state, gpu.index);
  const pairs = gpuInstances.flatMap((gi) => gi.computeInstances.map((ci) => ({ gi, ci })));
  return migCurrent ? pairs.map((pair, index) => ({ index, ...pair })) : [];
}

/**
 * The facts that `-q` and the table show of one device. Undefined for an instance whose profile the board does not have (another node's
 * state file).
 */
export function describeMigDevice(gpu: SimulatedGpu, state: NodeState, device: MigDevice) {
  const { gi, ci } = device;
  const giProfile = findGiProfile(gpu.board, gi.profileId);
  const ciProfile = ciProfilesOf(gpu, gi).find(({ id }) => id === ci.profileId);
  const model = gpu.board.model;
  if (giProfile === undefined || ciProfile === undefined || model === undefined) return undefined;
  return {
    giProfile,
    ciProfile,
    usedMiB: MIG_DEVICE_USED_MIB + sumMemory(processesOn(state, gpu.index, device)),
    bar1MiB: Math.floor((gpu.board.bar1MiB * gi.size) / model.memorySlices) - 1,
  };
}

/** Memory in use on the whole GPU: without MIG 1 MiB for the driver, else the sum of its devices. */
export function usedMemoryOf(gpu: SimulatedGpu, state: NodeState): number {
  const processes = sumMemory(state.processes.filter((process) => process.gpu === gpu.index));
  const own = gpuStateOf(state, gpu.index).migCurrent ? listMigDevices(gpu, state).length * MIG_DEVICE_USED_MIB : 1;
  return own + processes;
}

function processesOn(state: NodeState, index: number, { gi, ci }: MigDevice): readonly GpuProcess[] {
  return state.processes.filter(
    ({ gpu, instance }) => gpu === index && instance?.gi === gi.id && instance.ci === ci.id,
  );
}

function sumMemory(processes: readonly GpuProcess[]): number {
  return processes.reduce((sum, { memoryMiB }) => sum + memoryMiB, 0);
}
