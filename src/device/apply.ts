import { type DeviceState, type GpuState, demandGpu, listUuids, DeviceError } from '../core/gpu/device-state.ts';
import { type GpuTarget, GpuApply } from '../core/smi/change.ts';
import { Crew, CrewEnded, type Member, sharesCommands } from './crew.ts';
import { placeOf } from '../core/gpu/grid.ts';
import type { Work, WorkShell } from '../core/smi/command.ts';
import { askAll } from '../core/text/asking.ts';
import type { NvidiaSmi } from './nvidia-smi.ts';
import { HostLoans, LoanNote, PersistenceMode } from './host/loans.ts';
import type { JournalGpu, Journal } from './host/journal.ts';

/** The parts that all operations of one apply share. */
interface ApplyContext {
  readonly driver: NvidiaSmi;
  readonly options: DeviceApplyOptions;
  readonly host: NonNullable<DeviceApplyOptions['host']>;
  /** Whether GPUs that need the same are changed by one command. */
  readonly shares: boolean;
  /** UUIDs of all GPUs of the node and of what is on them. */
  readonly known: ReadonlySet<string>;
}

/** The progress of one GPU in an apply. */
interface Task {
  readonly uuid: string;
  /** The GPU's apply; undefined if the node does not have this GPU. */
  readonly gpu: GpuApply | undefined;
  /** `Begun`: something may have been done, and nothing has proved it yet. */
  outcome: GpuOutcome | 'Pending' | 'Begun';
  /** The GPU as last read; undefined if the node does not have this GPU. */
  now: GpuState | undefined;
  /** Operations on it so far, failed ones included. */
  operations: number;
  error?: DeviceError;
  undoError?: DeviceError;
}

/** A task that has been begun, or will be. */
type OpenTask = Task & { readonly gpu: GpuApply; now: GpuState };

function isOpen(task: Task): task is OpenTask {
  const isMoving = task.outcome === 'Pending' || task.outcome === 'Begun';
  return isMoving && task.gpu !== undefined && task.now !== undefined;
}

/** Decides from a reading whether a GPU must change, and can. */
function judgeTarget(context: ApplyContext, device: DeviceState, target: GpuTarget, held: ReadonlySet<string>): Task {
  const { uuid } = target;
  const task: Task = { uuid, gpu: undefined, now: undefined, outcome: 'Unchanged', operations: 0 };
  try {
    task.now = demandGpu(device, uuid);
    const mayReset = context.options.allowReset === true;
    const gpu = new GpuApply({ mayReset, known: context.known }, task.now, target, held);
    return { ...task, gpu, outcome: gpu.judge(device.driverVersion) ? 'Pending' : 'Unchanged' };
  } catch (error) {
    return { ...task, outcome: 'Refused', error: demandDeviceError(error) };
  }
}

/** Ends a task with an error; anything but a DeviceError is rethrown. */
function fail(task: Task, error: unknown): DeviceError {
  task.error = demandDeviceError(error);
  task.outcome = task.operations === 0 ? 'Refused' : 'Failed';
  return task.error;
}

/** Skips tasks that have not begun. */
function skip(tasks: readonly Task[], error: DeviceError | undefined): void {
  for (const task of tasks) {
    if (task.outcome !== 'Pending') continue;
    task.outcome = 'Skipped';
    if (error !== undefined) task.error = error;
  }
}

/** True if a GPU will not reach its target. */
function isGivenUp({ outcome }: Task): boolean {
  return outcome === 'Failed' || outcome === 'Refused' || outcome === 'Skipped';
}

function reportTask({ uuid, outcome, operations, error, undoError }: Task): GpuResult {
  return {
    uuid,
    outcome: outcome === 'Pending' || outcome === 'Begun' ? 'Skipped' : outcome,
    operations,
    error,
    undoError,
  };
}

/** Returns a DeviceError; anything else is a bug: it ends the apply as a crash would. */
export function demandDeviceError(error: unknown): DeviceError {
  if (error instanceof DeviceError) return error;
  throw error;
}

/**
 * Brings the GPUs of a node to their targets, one command at a time unless `gpusAtOnce`, and leaves alone what needs no change: GPUs, instances,
 * compute instances. What is equal on several GPUs is one command. Each GPU is independent: one that is lost or in use does not stop the others, unless `allOrNothing`.
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
  const { gpusAtOnce = 1, oneGpuACommand = false } = options;
  const shares = gpusAtOnce === 1 && !oneGpuACommand && sharesCommands(initial.driverVersion);
  const { confirm, listHeld } = options;
  const asking: DeviceApplyOptions = {
    ...options,
    ...(confirm && { confirm: joinCalls(confirm) }),
    ...(listHeld && { listHeld: joinCalls(listHeld) }),
  };
  const context: ApplyContext = { driver, options: asking, host, shares, known: listUuids(initial) };
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
    if (await undoAll(context, changing)) device = undefined;
    // 5. What else on the host follows the devices.
    if (changing.some(({ operations }) => operations > 0)) await options.afterChange?.();
    options.journal?.finish();
  }
  return { results: tasks.map(reportTask), device };
}

/** Shares one call among those who ask while it runs, as GPUs do that change side by side: a kubelet refuses bursts. */
function joinCalls<Result>(ask: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  return () => {
    running ??= ask().finally(() => {
      running = undefined;
    });
    return running;
  };
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

/** Runs one round of operations. @returns what stops the whole node, if anything does */
async function advanceAll(context: ApplyContext, tasks: readonly OpenTask[]): Promise<DeviceError | undefined> {
  const { gpusAtOnce = 1 } = context.options;
  const end: RoundEnd = { isOver: false, stop: undefined };
  if (context.shares) {
    await advanceTogether(context, tasks, tasks.filter(hasUncheckedTable), end);
    await advanceTogether(
      context,
      tasks,
      tasks.filter((task) => !hasUncheckedTable(task)),
      end,
    );
    return end.stop;
  }
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
  /** The error that stops the whole node. */
  stop: DeviceError | undefined;
}

/** Takes one GPU after the other from a queue that others may share. */
async function advance(
  context: ApplyContext,
  tasks: readonly OpenTask[],
  queue: Iterable<OpenTask>,
  end: RoundEnd,
): Promise<void> {
  for (const task of queue) {
    if (end.isOver) return;
    if (mayBegin(context, task)) await advanceOne(context, tasks, task, end);
  }
}

/** Takes several GPUs side by side, with one command where they need the same. */
async function advanceTogether(
  context: ApplyContext,
  tasks: readonly OpenTask[],
  together: readonly OpenTask[],
  end: RoundEnd,
): Promise<void> {
  if (end.isOver) return;
  const crew = new Crew(context.driver.line);
  const begun = together.filter((task) => mayBegin(context, task));
  const flows = begun.map((task) =>
    crew.work(task.now, async (member) => {
      try {
        await advanceOne(context, tasks, task, end, member);
      } catch (error) {
        // A bug ends all others too: nothing may run on in the background.
        crew.end();
        throw error;
      }
      if (end.isOver) crew.end();
    }),
  );
  for (const flow of await Promise.allSettled(flows)) if (flow.status === 'rejected') throw flow.reason;
}

function mayBegin({ options }: ApplyContext, task: OpenTask): boolean {
  if (task.outcome !== 'Pending' || options.signal?.aborted !== true) return true;
  const found = 'asked to stop before it started';
  skip([task], new DeviceError('Stopped', { tried: 'to begin with the GPU', found, gpu: task.now.pciBusId }));
  return false;
}

/** @param member its place among GPUs that are changed side by side */
async function advanceOne(
  context: ApplyContext,
  tasks: readonly OpenTask[],
  task: OpenTask,
  end: RoundEnd,
  member?: Member,
): Promise<void> {
  task.outcome = 'Begun';
  try {
    await carryOut(context, task, task.gpu.advance(task.now), member);
  } catch (error) {
    if (error instanceof CrewEnded) return leave(task, end);
    const reason = fail(task, error);
    // An error of the whole node would only recur on the next GPU. All GPUs wait for the same boot.
    if (reason.stopsNode || (context.options.allOrNothing === true && !task.gpu.awaitsBoot)) {
      end.isOver = true;
      if (reason.stopsNode) end.stop ??= reason;
      skip(tasks, reason.stopsNode ? reason : undefined);
    }
  }
}

/** Does work on one GPU: asks and runs whatever it needs. @param member its place among GPUs that are changed side by side */
function carryOut<Result>(context: ApplyContext, task: OpenTask, work: Work<Result>, member?: Member): Promise<Result> {
  const { options, host } = context;
  const { driver } = member ?? context;
  const answers: WorkShell = {
    Read: ({ reading }) => driver.read(reading),
    Change: async ({ command, text, disrupts, key }) => {
      const ask = async (): Promise<void> => {
        if (disrupts) await options.confirm?.();
      };
      const begin = (): void => {
        const found = options.explainStop?.(disrupts);
        if (found !== undefined) throw new DeviceError('Stopped', { tried: text, found, gpu: task.now.pciBusId });
        task.operations += 1;
      };
      const execution = await driver.change(command, { ask, begin }, key);
      if (execution === undefined) task.operations -= 1;
      else options.onProgress?.({ uuid: task.uuid, done: text, operations: task.operations });
      return execution;
    },
    Confirm: async () => options.confirm?.(),
    ListHeld: async () => (await options.listHeld?.()) ?? new Set(),
    ListOpeners: async ({ minor }) => options.listOpeners?.(minor) ?? [],
    Alone: async () => member?.beAlone(),
    StopUnits: () => host.stopUnits(),
    StartUnits: () => host.startUnits(),
    TakePersistence: ({ gpu }) => host.takePersistence(gpu),
    RestorePersistence: () => host.restorePersistence(),
  };
  return askAll(work, (question) => (answers[question.kind] as (of: typeof question) => Promise<unknown>)(question));
}

/** Another GPU has ended the work on this one. What was done there is proved, or undone. */
function leave(task: OpenTask, { stop }: RoundEnd): void {
  if (task.operations > 0) return;
  task.outcome = 'Pending';
  skip([task], stop);
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
  context: ApplyContext,
  tasks: readonly OpenTask[],
  stop: DeviceError | undefined,
): Promise<DeviceState | undefined> {
  const device = await context.driver.readDevice().catch(demandDeviceError);
  let silent = device instanceof DeviceError && isSilent(device) ? device : undefined;
  for (const task of tasks) {
    try {
      if (silent !== undefined) throw silent;
      const isUnread = device instanceof DeviceError;
      task.now = isUnread ? await carryOut(context, task, task.gpu.readBack()) : demandGpu(device, task.uuid);
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
async function undoAll(context: ApplyContext, tasks: readonly OpenTask[]): Promise<boolean> {
  const { undo, allOrNothing } = context.options;
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
      await carryOut(context, task, task.gpu.undo());
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

/** A GPU as the journal has it. */
export function noteGpu({ uuid, mig, instances }: GpuState): JournalGpu {
  return { uuid, mig: mig?.current ?? 'Disabled', placements: instances.map(placeOf) };
}

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
  /** True to change all GPUs or none: if one cannot be brought to its target, those that were changed are restored. */
  readonly allOrNothing?: boolean;
  /** A signal after which GPUs in progress are finished, and no other is begun. */
  readonly signal?: AbortSignal;
  /**
   * Whether each command names one GPU even where GPUs need the same, as with a driver whose nvidia-smi is not known to take several;
   * for measurements.
   */
  readonly oneGpuACommand?: boolean;
  /**
   * How many GPUs may change at the same time, if only their instances do; default 1. Above 1, each command names one GPU, and changes of
   * MIG mode and resets stay one by one.
   */
  readonly gpusAtOnce?: number;
  /**
   * Asked before every operation: why it may not start (the deadline has passed). Nothing starts any more then, not even an undo.
   *
   * @param disrupts whether it destroys, resets, or changes the mode
   */
  readonly explainStop?: (disrupts: boolean) => string | undefined;
  /** Awaited before each busy check, and before each command that may end running work; throws a DeviceError to stop. */
  readonly confirm?: () => Promise<void>;
  /**
   * What pods hold, read again before each disruption, since a pod may hold a device without a process: UUIDs of GPUs and MIG
   * devices, known or not, and `NAMESPACE/NAME` of a pod whose device cannot be identified.
   */
  readonly listHeld?: () => Promise<ReadonlySet<string>>;
  /** Lists who keeps a GPU open on its host, by the minor number of its device file; asked if the driver reports that somebody does. */
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
  /** Not touched: the target is impossible, or not possible now. */
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
  /** Results, one per target, in their order. */
  readonly results: readonly GpuResult[];
  /**
   * The current device: the reading that proves the results, or the first one if nothing was begun. Undefined if it was not read
   * after the last operation or the last refusal, as after a failure or an undo. Then read it.
   */
  readonly device: DeviceState | undefined;
}
