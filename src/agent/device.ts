import type { GpuWork } from '../core/wish/plan-gpu-wish.ts';
import type { DeviceError } from '../core/gpu/state/device-error.ts';
import type { DeviceState } from '../core/gpu/state/device-state.ts';
import type { GpuWish } from '../api/types.ts';

export interface WorkOptions {
  /** What the work was planned on, just read. */
  readonly state: DeviceState | undefined;
  readonly allowGpuReset: boolean;
  /** A GPU that fails is restored to its previous state, placements included. */
  readonly undo: boolean;
  /** If one GPU cannot be brought to its wish, none is (strategy single). */
  readonly allOrNothing: boolean;
  /** Asked before every operation: why it may not start. None starts any more then. @param disrupts whether it destroys, resets, or changes the mode */
  readonly explainStop: (disrupts: boolean) => string | undefined;
  /** Awaited before each destroy, mode change or reset; if it throws, the work stops. */
  readonly confirm: () => Promise<void>;
  /** UUIDs of GPUs and MIG devices that pods hold, read again on each call; if it throws, the work stops. */
  readonly listHeld: () => Promise<ReadonlySet<string>>;
  readonly signal: AbortSignal;
}

/** A GPU that does not match its wish, and why. */
export interface Failure {
  readonly uuid: string;
  readonly error: DeviceError;
  /** Why its previous state could not be restored. */
  readonly undoError?: DeviceError | undefined;
}

export interface WorkResult {
  readonly failures: readonly Failure[];
  /** The reading that proves it; undefined if the device must be read again. */
  readonly state: DeviceState | undefined;
}

/** The node's GPUs, as the agent uses them. */
export interface Device {
  /** Before it reads, it gives back to the host what work still owes it. */
  read(): Promise<DeviceState>;
  /** What could not be given back to the host so far, a sentence each. */
  hostProblems(): readonly string[];
  /** Brings GPUs to their wishes through the steps of `work`; destroys only what these name. */
  apply(wishes: readonly GpuWish[], work: readonly GpuWork[], options: WorkOptions): Promise<WorkResult>;
}
