import type { CiProfile } from './ci-profile.ts';
import type { GiProfile } from './gi-profile.ts';
import { listGiProfiles } from './gi-profile.ts';
import type { SimulatedGpu } from './gpu.ts';
import type { ComputeInstance, GpuInstance, NodeState } from '../state/node-state.ts';
import { gpuStateOf, withGpuState } from '../state/node-state.ts';
import { NVML, NvmlFailure } from './nvml-code.ts';
import { allowsOneMore, chooseStart, freeStarts, giIdOf } from './placement.ts';

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

/** By a process that is on no instance of it. */
function isWhollyUsed({ processes }: NodeState, index: number): boolean {
  return processes.some(({ gpu, instance }) => gpu === index && instance === undefined);
}

/** By a handle that is left (DCGM #276), or by a process that has the whole GPU. */
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
