import { placeOf } from '../../core/gpu/search/instance.ts';
import type { DeviceApplyOptions, NodeResult } from './apply-options.ts';
import type { GpuTarget } from '../../core/gpu/target/plan-target.ts';
import { demandGpu } from '../../core/gpu/state/absence.ts';
import {
  demandDeviceError,
  fail,
  isGivenUp,
  isOpen,
  judgeTarget,
  reportTask,
  skip,
  type OpenTask,
} from './apply-task.ts';
import type { NvidiaSmi } from '../command/nvidia-smi.ts';
import { DeviceError } from '../../core/gpu/state/device-error.ts';
import type { ApplyContext } from './gpu-session.ts';
import { HostLoans } from '../host/host-loans.ts';
import type { JournalGpu } from '../host/journal.ts';
import { LoanNote } from '../host/loan-note.ts';
import { PersistenceMode } from '../host/persistence-mode.ts';
import { type DeviceState, type GpuState, listUuids } from '../../core/gpu/state/device-state.ts';

/**
 * Brings the GPUs of a node to their targets, one operation at a time unless `gpusAtOnce`, and leaves alone what needs no change: GPUs, instances,
 * compute instances. Each GPU is independent: one that is lost or in use does not stop the others, unless `allOrNothing`.
 *
 * Level-based: it reads the device, plans from what exists, acts, and reads again, for all GPUs at once. Interrupted anywhere and
 * called again, it continues from what it finds.
 *
 * @returns one result per target, in their order
 * @throws DeviceError only if the device cannot be read at the start; then nothing was touched
 */
export async function applyNode(
  driver: NvidiaSmi,
  targets: readonly GpuTarget[],
  options: DeviceApplyOptions = {},
): Promise<NodeResult> {
  const initial = options.device ?? (await driver.readDevice());
  let device: DeviceState | undefined = initial;
  const held = (await options.listHeld?.()) ?? new Set<string>();
  const host = options.host ?? new HostLoans({ persistence: new PersistenceMode(driver, new LoanNote()) });
  const context: ApplyContext = { driver, options, host, known: listUuids(initial) };
  // 1. Judge every GPU on the reading before any is touched.
  const tasks = targets.map((target) => judgeTarget(context, initial, target, held));
  if (options.allOrNothing === true && tasks.some(isGivenUp)) skip(tasks, undefined);
  // 2. Record the previous state.
  const open = tasks.filter(isOpen);
  // A GPU whose own table is not known yet comes first: if that refuses the plan, nothing has been destroyed anywhere.
  const changing = [...open.filter(hasUncheckedTable), ...open.filter((task) => !hasUncheckedTable(task))];
  if (changing.length > 0 && (await beginJournal(options, changing))) {
    // 3. Rounds: change the GPUs, then prove them all with one reading.
    device = await changeAll(context, changing);
    // 4. Undo what must not stay.
    if (await undoAll(options, changing)) device = undefined;
    // 5. What else on the host follows the devices.
    if (changing.some(({ gpu }) => gpu.operations > 0)) await options.afterChange?.();
    options.journal?.finish();
  }
  return { results: tasks.map(reportTask), device };
}

async function beginJournal({ journal }: DeviceApplyOptions, tasks: readonly OpenTask[]): Promise<boolean> {
  try {
    await journal?.begin({ gpus: tasks.map(({ now }) => noteGpu(now)) });
    return true;
  } catch (error) {
    skip(tasks, demandDeviceError(error));
    return false;
  }
}

/** @returns the device after the last operation or the last refusal; undefined if it was not read since */
async function changeAll(context: ApplyContext, tasks: readonly OpenTask[]): Promise<DeviceState | undefined> {
  // What will be undone needs no more work, and no proof.
  const isLost = (): boolean => context.options.allOrNothing === true && tasks.some(isGivenUp);
  for (;;) {
    const stop = await advanceAll(context, tasks.filter(isOpen));
    const begun = tasks.filter(isOpen);
    if (isLost() || begun.length === 0) return undefined;
    const device = await prove(context, begun, stop);
    if (isLost() || !begun.some(isOpen)) return device;
  }
}

/** One round of operations. @returns what stops the whole node, if anything does */
async function advanceAll(context: ApplyContext, tasks: readonly OpenTask[]): Promise<DeviceError | undefined> {
  const { gpusAtOnce = 1 } = context.options;
  const end: RoundEnd = { isOver: false, stop: undefined };
  const isBeside = (task: OpenTask): boolean => gpusAtOnce > 1 && task.gpu.changesInstancesOnly(task.now);
  await advance(context, tasks, tasks.filter((task) => !isBeside(task)).values(), end);
  const rest = tasks.filter(isBeside).values();
  const lanes = Array.from({ length: gpusAtOnce }, () => advance(context, tasks, rest, end));
  // Nothing may run on in the background when one of them is a bug.
  for (const lane of await Promise.allSettled(lanes)) if (lane.status === 'rejected') throw lane.reason;
  return end.stop;
}

interface RoundEnd {
  /** Whether no other GPU may be begun. */
  isOver: boolean;
  /** What stops the whole node. */
  stop: DeviceError | undefined;
}

/** Takes one GPU after the other from a queue that others may share. */
async function advance(
  { options }: ApplyContext,
  tasks: readonly OpenTask[],
  queue: Iterable<OpenTask>,
  end: RoundEnd,
): Promise<void> {
  for (const task of queue) {
    if (end.isOver) return;
    if (task.outcome === 'Pending' && options.signal?.aborted === true) {
      const found = 'asked to stop before it started';
      skip([task], new DeviceError('Stopped', { tried: 'to begin with the GPU', found, gpu: task.now.pciBusId }));
      continue;
    }
    task.outcome = 'Begun';
    try {
      await task.gpu.advance(task.now);
    } catch (error) {
      const reason = fail(task, error);
      // An error of the whole node would only recur on the next GPU. All GPUs wait for the same boot.
      if (reason.stopsNode || (options.allOrNothing === true && !task.gpu.awaitsBoot)) {
        end.isOver = true;
        if (reason.stopsNode) end.stop ??= reason;
        skip(tasks, reason.stopsNode ? reason : undefined);
        return;
      }
    }
  }
}

/**
 * True if the driver answers for no GPU: another query would only wait for the deadline again. Output that is not understood
 * may concern one GPU, and an operation that may not start may not be needed for another.
 */
function isSilent({ stopsNode, code }: DeviceError): boolean {
  return stopsNode && code !== 'ParseError' && code !== 'Stopped';
}

/**
 * Checks with one reading what the driver claimed for all GPUs.
 *
 * @param stop why nothing more may be done on this node
 * @returns the reading; undefined if the node could not be read, and each GPU was read by itself
 */
async function prove(
  { driver }: ApplyContext,
  tasks: readonly OpenTask[],
  stop: DeviceError | undefined,
): Promise<DeviceState | undefined> {
  const device = await driver.readDevice().catch(demandDeviceError);
  let silent = device instanceof DeviceError && isSilent(device) ? device : undefined;
  for (const task of tasks) {
    try {
      if (silent !== undefined) throw silent;
      task.now = device instanceof DeviceError ? await task.gpu.readBack() : demandGpu(device, task.uuid);
    } catch (error) {
      const reason = fail(task, error);
      if (isSilent(reason)) silent = reason;
      continue;
    }
    try {
      if (task.gpu.isReached(task.now)) task.outcome = 'Applied';
      else if (stop !== undefined) throw stop;
    } catch (error) {
      fail(task, error);
    }
  }
  return device instanceof DeviceError ? undefined : device;
}

/**
 * A MIG mode that waits for a boot stays pending: it is the progress, and a boot without it would be for nothing.
 * @returns whether anything was tried
 */
async function undoAll({ undo, allOrNothing }: DeviceApplyOptions, tasks: readonly OpenTask[]): Promise<boolean> {
  const isLost = allOrNothing === true && tasks.some(isGivenUp);
  const isVain = allOrNothing === true && tasks.some((task) => isGivenUp(task) && !task.gpu.awaitsBoot);
  const taken = tasks.filter(
    ({ outcome, gpu }) =>
      (outcome === 'Failed' && (undo === true || allOrNothing === true) && (isVain || !gpu.awaitsBoot)) ||
      ((outcome === 'Applied' || outcome === 'Begun') && isLost),
  );
  let silent: DeviceError | undefined;
  for (const task of taken.toReversed()) {
    try {
      if (silent !== undefined) throw silent;
      await task.gpu.undo();
      task.outcome = 'Undone';
    } catch (error) {
      task.outcome = 'Failed';
      task.undoError = demandDeviceError(error);
      if (isSilent(task.undoError)) silent = task.undoError;
    }
  }
  return taken.length > 0;
}

function hasUncheckedTable({ now }: OpenTask): boolean {
  return now.tableSource !== 'Own';
}

function noteGpu({ uuid, mig, instances }: GpuState): JournalGpu {
  return { uuid, mig: mig?.current ?? 'Disabled', placements: instances.map(placeOf) };
}
