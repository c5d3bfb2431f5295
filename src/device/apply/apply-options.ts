import type { Layout } from '../../core/gpu/geometry/geometry.ts';
import type { Step } from '../../core/gpu/plan/step.ts';
import type { DeviceError } from '../errors.ts';
import type { Journal } from '../host/journal.ts';
import type { DeviceState } from '../reading/state.ts';

/** What one GPU shall become. */
export interface GpuTarget {
  readonly uuid: string;
  /** Profile to count; empty for MIG mode without instances; or MIG off. */
  readonly want: Layout | 'Disabled';
  /**
   * Steps of the plan that was granted or shown. They are done as they are; only after a failure or a reading that shows something
   * else it is planned anew. What they destroy is all that may be destroyed, idle or not. Absent: the plan is made on the first
   * reading, and may destroy every instance that is there.
   */
  readonly steps?: readonly Step[];
  /** The plan resets the GPU after all on it has been destroyed. */
  readonly resets?: boolean;
}

export interface Place {
  readonly profile: string;
  readonly start: number;
}

/** Something that cannot be taken back is about to happen to a GPU. */
export interface Disruption {
  readonly uuid: string;
  readonly kind: 'DestroyInstance' | 'DestroyComputeInstances' | 'ChangeMode' | 'Reset';
  /** The GPU instance, for the first two. */
  readonly instance?: Place;
  /** True for the first one of this apply: whoever granted it should be asked again. */
  readonly first: boolean;
}

export interface Progress {
  readonly uuid: string;
  /** The operation that is done, as a command line. */
  readonly done: string;
  /** Operations on this GPU so far. */
  readonly operations: number;
}

export interface DeviceApplyOptions {
  /** A reading that the caller made just now: the work begins with it instead of another one. */
  readonly device?: DeviceState;
  /** May reset a single GPU where a change of MIG mode needs it (Ampere). */
  readonly allowReset?: boolean;
  /** Bring a GPU that failed back to what it was, placements included. */
  readonly undo?: boolean;
  /** If one GPU cannot be brought to its target, none is: those that were changed are brought back. */
  readonly allOrNothing?: boolean;
  /** Aborted: GPUs that were begun are finished, no other is begun. */
  readonly signal?: AbortSignal;
  /** Asked before every operation; false (the deadline has passed) and nothing starts any more, no undo either. */
  readonly mayStart?: () => boolean;
  /** Awaited right before each disruption, after the busy check; throws a DeviceError to stop. */
  readonly beforeDisruption?: (disruption: Disruption) => Promise<void>;
  /**
   * What pods hold, asked afresh before each disruption, since a pod may hold a device without a process: UUIDs of GPUs and MIG devices,
   * known or not, and `NAMESPACE/NAME` of a pod of which nobody can say what it holds.
   */
  readonly listHeld?: () => Promise<ReadonlySet<string>>;
  /** Who keeps a GPU open on its host, by the minor number of its device file; asked where the driver says that somebody does. */
  readonly listOpeners?: (minor: number | undefined) => readonly string[];
  /**
   * Stops services of the host that keep GPUs open and may be stopped; asked only where a change of MIG mode or a reset failed because
   * of somebody. @returns what starts them again; undefined where none was stopped
   */
  readonly pauseHost?: () => Promise<(() => Promise<void>) | undefined>;
  readonly onProgress?: (progress: Progress) => void;
  /** Written before the first operation; if it cannot be, nothing is touched. */
  readonly journal?: Pick<Journal, 'begin' | 'finish'>;
}

export type GpuOutcome =
  /** It was what was wanted: no operation. */
  | 'Unchanged'
  | 'Applied'
  /** Nothing was touched: the target cannot be had, or not now. */
  | 'Refused'
  /** Changed in part, or not at all; `error` says where it stopped. */
  | 'Failed'
  /** Changed, and brought back to what it was; by a driver that takes no places, to the same instances at places of its choice. */
  | 'Undone'
  /** Not begun. */
  | 'Skipped';

export interface GpuResult {
  readonly uuid: string;
  readonly outcome: GpuOutcome;
  /** Operations on the GPU, failed ones included; 0 for Unchanged, Refused and Skipped. */
  readonly operations: number;
  readonly error: DeviceError | undefined;
  /** Why it could not be brought back. */
  readonly undoError: DeviceError | undefined;
}

export interface NodeResult {
  /** One per target, in their order. */
  readonly results: readonly GpuResult[];
  /**
   * The device as it is now: the reading that proves the results, the first one if nothing was begun. Undefined if it was not read
   * after the last operation, or what was found in the way: a failure or an undo may leave it so. Then read it.
   */
  readonly device: DeviceState | undefined;
}
