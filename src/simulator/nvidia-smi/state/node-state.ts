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

export interface SimulatedGpuState {
  readonly migCurrent: boolean;
  readonly migPending: boolean;
  /** Ascending by id. */
  readonly gpuInstances: readonly GpuInstance[];
}

/** A process that holds a GPU, or one compute instance of it. */
export interface GpuProcess {
  readonly gpu: number;
  /** Absent if the process holds a whole GPU. */
  readonly instance?: { readonly gi: number; readonly ci: number };
  readonly pid: number;
  readonly memoryMiB: number;
  readonly name: string;
}

/**
 * A program that has a GPU open but runs nothing on it, as monitors do (DCGM): no process list shows it. It blocks a MIG mode
 * change and a reset of the GPU. Creating and destroying instances is blocked only where it has the instance itself open.
 */
export interface GpuHandle {
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

export const MIG_OFF: SimulatedGpuState = { migCurrent: false, migPending: false, gpuInstances: [] };

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
