import { explainAbsence } from '../../core/gpu/state/absence.ts';
import type { GpuOutcome, GpuResult } from './apply-options.ts';
import type { GpuTarget } from '../../core/gpu/target/plan-target.ts';
import { DeviceError } from '../../core/gpu/state/device-error.ts';
import { GpuApply } from './gpu-apply.ts';
import type { ApplyContext } from './gpu-session.ts';
import type { DeviceState, GpuState } from '../../core/gpu/state/device-state.ts';

/** The progress of one GPU in an apply. */
export interface Task {
  readonly uuid: string;
  /** Undefined if the node does not have this GPU. */
  readonly gpu: GpuApply | undefined;
  /** `Begun`: something may have been done, and nothing has proved it yet. */
  outcome: GpuOutcome | 'Pending' | 'Begun';
  /** The GPU as last read; undefined if the node does not have this GPU. */
  now: GpuState | undefined;
  error?: DeviceError;
  undoError?: DeviceError;
}

/** A task that has been begun, or will be. */
export type OpenTask = Task & { readonly gpu: GpuApply; now: GpuState };

export function isOpen(task: Task): task is OpenTask {
  const isMoving = task.outcome === 'Pending' || task.outcome === 'Begun';
  return isMoving && task.gpu !== undefined && task.now !== undefined;
}

/** Decides from a reading whether a GPU must change, and can. */
export function judgeTarget(
  context: ApplyContext,
  device: DeviceState,
  target: GpuTarget,
  held: ReadonlySet<string>,
): Task {
  const { uuid } = target;
  const now = device.gpus.find((gpu) => gpu.uuid === uuid);
  if (now === undefined) return { uuid, gpu: undefined, now, outcome: 'Refused', error: explainAbsence(device, uuid) };
  const gpu = new GpuApply(context, now, target, held);
  try {
    return { uuid, gpu, now, outcome: gpu.judge(device.driverVersion) ? 'Pending' : 'Unchanged' };
  } catch (error) {
    return { uuid, gpu, now, outcome: 'Refused', error: demandDeviceError(error) };
  }
}

/** Ends a task with an error; anything but a DeviceError is rethrown. */
export function fail(task: Task, error: unknown): DeviceError {
  task.error = demandDeviceError(error);
  task.outcome = task.gpu === undefined || task.gpu.operations === 0 ? 'Refused' : 'Failed';
  return task.error;
}

/** Skips tasks that have not begun. */
export function skip(tasks: readonly Task[], error: DeviceError | undefined): void {
  for (const task of tasks) {
    if (task.outcome !== 'Pending') continue;
    task.outcome = 'Skipped';
    if (error !== undefined) task.error = error;
  }
}

/** True if a GPU will not reach its target. */
export function isGivenUp({ outcome }: Task): boolean {
  return outcome === 'Failed' || outcome === 'Refused' || outcome === 'Skipped';
}

export function reportTask({ uuid, gpu, outcome, error, undoError }: Task): GpuResult {
  return {
    uuid,
    outcome: outcome === 'Pending' || outcome === 'Begun' ? 'Skipped' : outcome,
    operations: gpu?.operations ?? 0,
    error,
    undoError,
  };
}

/** Anything else is a bug: it ends the apply as a crash would. */
export function demandDeviceError(error: unknown): DeviceError {
  if (error instanceof DeviceError) return error;
  throw error;
}
