import type { DeviceError } from '../../core/gpu/state/device-error.ts';
import type { ChangeCommand } from '../../core/smi/smi-command.ts';
import type { HostLoans } from '../host/host-loans.ts';
import type { Journal } from '../host/journal.ts';
import type { DeviceState } from '../../core/gpu/state/device-state.ts';

export interface Progress {
  readonly uuid: string;
  /** The operation that was done, as a command line. */
  readonly done: string;
  /** Operations on this GPU so far. */
  readonly operations: number;
}

export interface DeviceApplyOptions {
  /** A reading that the caller has just made: the work starts from it instead of reading again. */
  readonly device?: DeviceState | undefined;
  /** Whether a single GPU may be reset when a change of MIG mode needs it (Ampere). */
  readonly allowReset?: boolean;
  /** Restore a GPU that failed to its previous state, placements included. */
  readonly undo?: boolean;
  /** If one GPU cannot be brought to its target, none is: GPUs that were changed are restored. */
  readonly allOrNothing?: boolean;
  /** When aborted, GPUs in progress are finished, and no other is begun. */
  readonly signal?: AbortSignal;
  /** How many GPUs may change at the same time, if only their instances do; default 1. Changes of MIG mode and resets stay one by one. */
  readonly gpusAtOnce?: number;
  /** Asked before every operation: why it may not start (the deadline has passed). Nothing starts any more then, not even an undo. */
  readonly explainStop?: (command: ChangeCommand) => string | undefined;
  /** Awaited before each busy check, and before each command that may end running work; throws a DeviceError to stop. */
  readonly confirm?: () => Promise<void>;
  /**
   * What pods hold, read again before each disruption, since a pod may hold a device without a process: UUIDs of GPUs and MIG
   * devices, known or not, and `NAMESPACE/NAME` of a pod whose device cannot be identified.
   */
  readonly listHeld?: () => Promise<ReadonlySet<string>>;
  /** Who keeps a GPU open on its host, by the minor number of its device file; asked if the driver reports that somebody does. */
  readonly listOpeners?: (minor: number | undefined) => readonly string[];
  /**
   * What may be taken from the host for a while: persistence mode for a reset, and services if a change of MIG mode or a reset
   * failed because the GPU is open. Absent: no service, and persistence mode is not recorded on disk.
   */
  readonly host?: Omit<HostLoans, 'giveBack' | 'problems'>;
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Updates everything else on this host that depends on the devices, once they have changed. The journal ends after it: whoever finds
   * one that an earlier program left does this first.
   */
  readonly afterChange?: (() => Promise<void>) | undefined;
  /** Written before the first operation; if that fails, nothing is touched. */
  readonly journal?: Pick<Journal, 'begin' | 'finish'>;
}

export type GpuOutcome =
  /** Already at its target: no operation. */
  | 'Unchanged'
  | 'Applied'
  /** Nothing was touched: the target is impossible, or not possible now. */
  | 'Refused'
  /** Changed in part, or not at all; `error` tells where it stopped. */
  | 'Failed'
  /** Changed, then restored; if the driver takes no placements, with the same instances at places of its choice. */
  | 'Undone'
  /** Not begun. */
  | 'Skipped';

export interface GpuResult {
  readonly uuid: string;
  readonly outcome: GpuOutcome;
  /** Operations on the GPU, failed ones included; 0 for Unchanged, Refused and Skipped. */
  readonly operations: number;
  readonly error: DeviceError | undefined;
  /** Why it could not be restored. */
  readonly undoError: DeviceError | undefined;
}

export interface NodeResult {
  /** One per target, in their order. */
  readonly results: readonly GpuResult[];
  /**
   * The current device: the reading that proves the results, or the first one if nothing was begun. Undefined if it was not read
   * after the last operation or the last refusal, as after a failure or an undo. Then read it.
   */
  readonly device: DeviceState | undefined;
}
