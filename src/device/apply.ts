import type { ApplyOptions, GpuOutcome, GpuResult, GpuTarget } from './apply-options.ts';
import type { DeviceDriver } from './driver.ts';
import { DeviceError } from './errors.ts';
import { GpuApply } from './gpu-apply.ts';
import { describePlace, type ApplyContext } from './gpu-session.ts';
import type { JournalGpu } from './journal.ts';
import type { DeviceState, GpuState } from './state.ts';

/** Where one GPU of an apply stands. */
interface Task {
  readonly uuid: string;
  /** Undefined where the node has no such GPU. */
  readonly gpu: GpuApply | undefined;
  outcome: GpuOutcome | 'Pending';
  error?: DeviceError;
  undoError?: DeviceError;
}

/**
 * Makes the GPUs of a node what they shall be, one operation at a time, and leaves alone what needs no change: GPUs, instances,
 * compute instances. Each GPU stands for itself: one that is lost or in use does not stop the others, unless `allOrNothing`.
 *
 * Level-based: it reads the device, plans from what is there, acts, reads again. Cut off anywhere and called again, it goes on
 * from what it finds.
 *
 * @returns one result per target, in their order
 * @throws DeviceError only if the device cannot be read at the start; then nothing was touched
 */
export async function applyNode(
  driver: DeviceDriver,
  targets: readonly GpuTarget[],
  options: ApplyOptions = {},
): Promise<readonly GpuResult[]> {
  const device = await driver.readDevice();
  const held = (await options.listHeld?.()) ?? new Set<string>();
  const context: ApplyContext = { driver, options, disrupted: false };
  // 1. Judge every GPU on what was read, before any is touched.
  const tasks = targets.map((target) => judgeTarget(context, device, target, held));
  const waiting = tasks.filter(({ outcome }) => outcome === 'Pending');
  if (options.allOrNothing === true && tasks.some(({ outcome }) => outcome === 'Refused')) skip(waiting, undefined);
  // 2. Note what there was.
  const changing = waiting.filter(({ outcome }) => outcome === 'Pending');
  if (changing.length > 0 && (await beginJournal(options, changing))) {
    // 3. Change one GPU after the other.
    await changeAll(context, changing);
    // 4. Take back what shall not stay.
    await undoAll(options, changing);
    options.journal?.finish();
  }
  return tasks.map(report);
}

function judgeTarget(context: ApplyContext, device: DeviceState, target: GpuTarget, held: ReadonlySet<string>): Task {
  const { uuid } = target;
  const state = device.gpus.find((gpu) => gpu.uuid === uuid);
  if (state === undefined) return { uuid, gpu: undefined, outcome: 'Refused', error: explainAbsence(device, uuid) };
  const gpu = new GpuApply(context, state, target, held);
  try {
    return { uuid, gpu, outcome: gpu.judge() ? 'Pending' : 'Unchanged' };
  } catch (error) {
    return { uuid, gpu, outcome: 'Refused', error: demandDeviceError(error) };
  }
}

async function beginJournal({ journal }: ApplyOptions, tasks: readonly Task[]): Promise<boolean> {
  try {
    await journal?.begin({ gpus: tasks.flatMap(({ gpu }) => (gpu === undefined ? [] : [noteGpu(gpu.gpu)])) });
    return true;
  } catch (error) {
    skip(tasks, demandDeviceError(error));
    return false;
  }
}

async function changeAll({ options }: ApplyContext, tasks: readonly Task[]): Promise<void> {
  for (const task of tasks) {
    if (task.gpu === undefined || task.outcome !== 'Pending') continue;
    if (options.signal?.aborted === true) {
      const { pciBusId } = task.gpu.gpu;
      const found = 'asked to stop before it was begun';
      skip([task], new DeviceError('Stopped', { tried: 'to begin with the GPU', found, gpu: pciBusId }));
      continue;
    }
    try {
      await task.gpu.apply();
      task.outcome = 'Applied';
    } catch (error) {
      const reason = demandDeviceError(error);
      task.error = reason;
      task.outcome = task.gpu.operations === 0 ? 'Refused' : 'Failed';
      // What concerns the whole node would only fail again on the next GPU.
      if (reason.stopsNode) skip(tasks, reason);
      if (options.allOrNothing === true) skip(tasks, undefined);
    }
  }
}

async function undoAll({ undo, allOrNothing }: ApplyOptions, tasks: readonly Task[]): Promise<void> {
  const hasFailed = tasks.some(({ outcome }) => outcome === 'Failed' || outcome === 'Refused' || outcome === 'Skipped');
  for (const task of tasks.toReversed()) {
    const isTakenBack =
      (task.outcome === 'Failed' && (undo === true || allOrNothing === true)) ||
      (task.outcome === 'Applied' && allOrNothing === true && hasFailed);
    if (!isTakenBack || task.gpu === undefined) continue;
    try {
      await task.gpu.undo();
      task.outcome = 'Undone';
    } catch (error) {
      task.outcome = 'Failed';
      task.undoError = demandDeviceError(error);
    }
  }
}

/** Leaves tasks that have not begun as they are. */
function skip(tasks: readonly Task[], error: DeviceError | undefined): void {
  for (const task of tasks) {
    if (task.outcome !== 'Pending') continue;
    task.outcome = 'Skipped';
    if (error !== undefined) task.error = error;
  }
}

function report({ uuid, gpu, outcome, error, undoError }: Task): GpuResult {
  return {
    uuid,
    outcome: outcome === 'Pending' ? 'Skipped' : outcome,
    operations: gpu?.operations ?? 0,
    error,
    undoError,
  };
}

function explainAbsence(device: DeviceState, uuid: string): DeviceError {
  const lost = device.lost.find((gpu) => gpu.uuid === uuid);
  const tried = 'to find the GPU';
  if (lost !== undefined)
    return new DeviceError(lost.fault.code, { tried, found: lost.fault.message, gpu: lost.pciBusId });
  // After a restart nobody knows which GPU a lost one was.
  const [other] = device.lost.filter((gpu) => gpu.uuid === undefined);
  if (other !== undefined) {
    const found = `not among those that answer; ${other.pciBusId} does not: ${other.fault.message}`;
    return new DeviceError('GpuLost', { tried, found, gpu: uuid });
  }
  return new DeviceError('GpuMissing', { tried, found: `${device.gpus.length} other GPUs`, gpu: uuid });
}

function noteGpu({ uuid, mig, instances }: GpuState): JournalGpu {
  return { uuid, mig: mig?.current ?? 'Disabled', placements: instances.map(describePlace) };
}

/** Anything else is a fault of the program: it ends the apply as a crash would. */
function demandDeviceError(error: unknown): DeviceError {
  if (error instanceof DeviceError) return error;
  throw error;
}
