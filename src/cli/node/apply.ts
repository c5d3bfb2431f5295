import { applyNode, type GpuOutcome, type GpuResult, type Progress } from '../../device/apply.ts';
import type { JournalEntry } from '../../device/host/journal.ts';
import { listGpuOpeners } from '../../device/host/openers.ts';
import { openHostLoans } from '../../device/host/loans.ts';
import type { NvidiaSmi } from '../../device/nvidia-smi.ts';
import { explainFault } from '../../core/gpu/device-state.ts';
import type { Terminal } from '../terminal.ts';
import {
  readHost,
  reportAsync,
  listHeldOnHost,
  type PodOptions,
  refreshHost,
  type ToolkitOptions,
  type HostLockOptions,
  withHostLock,
  withSignal,
} from './host.ts';
import { type NodeLayout, planHost } from '../../core/host/plan.ts';

export interface ApplyLimits extends PodOptions, ToolkitOptions, HostLockOptions {
  readonly allowGpuReset?: boolean;
  /** Services of this machine that may be stopped temporarily. */
  readonly hostUnits?: readonly string[];
  /** True to change all GPUs or none: if one cannot reach its target, none is changed. Strategy single implies it. */
  readonly allOrNothing?: boolean;
  /** Seconds after which no further operation starts. */
  readonly deadline: number;
}

interface GpuApplyResult {
  readonly index: number;
  readonly uuid: string;
  readonly outcome: GpuOutcome;
  /** Operations on the GPU, failed ones included. */
  readonly operations: number;
  readonly error?: ReturnType<typeof explainFault>;
  /** Why its previous state could not be restored. */
  readonly undoError?: ReturnType<typeof explainFault>;
}

type Planned = ReturnType<typeof planHost>;

/** What was done; the shape of `apply -o json` and `reset -o json`. */
export interface NodeApplyResult {
  /** `NotApplied` if any GPU does not match its target. */
  readonly state: 'Applied' | 'Unchanged' | 'NotApplied';
  readonly plan: Planned['plan'];
  /** GPUs that should change, by index. */
  readonly results: readonly GpuApplyResult[];
  /** What on this host does not follow the new layout by itself, and what to do. */
  readonly notes: readonly string[];
}

/** Watches an apply. */
export interface ApplyWatcher {
  /** An earlier apply in this boot was interrupted; the plan shows what is left of it. */
  readonly onCutOff?: (entry: JournalEntry) => void;
  /** Called before anything is touched. */
  readonly onPlan?: (planned: Planned) => void;
  readonly onProgress?: (index: number, progress: Progress) => void;
}

/**
 * Plans a node and applies the plan, under the lock of this host. Destroys nothing that the plan does not name, and nothing busy.
 * @throws CliError with code 1 if the lock is not available, with code 3 if the GPUs cannot be read
 */
export async function applyLayout(
  driver: NvidiaSmi,
  layout: NodeLayout,
  limits: ApplyLimits,
  watcher: ApplyWatcher,
  { cwd }: Terminal,
): Promise<{ readonly done: NodeApplyResult; readonly planned: Planned }> {
  const end = performance.now() + limits.deadline * 1000;
  return withHostLock(limits, cwd, async ({ lock, journal, folder }) => {
    const host = await reportAsync(3, async () => openHostLoans(driver, { folder, units: limits.hostUnits ?? [] }));
    await host.giveBack();
    const cutOff = journal.read();
    let notes: readonly string[] = [];
    const afterChange = async (): Promise<void> => {
      notes = await refreshHost(limits, cwd);
    };
    if (cutOff !== undefined) {
      watcher.onCutOff?.(cutOff);
      await afterChange();
    }
    const device = await readHost(driver);
    const listHeld = listHeldOnHost(limits, device);
    const planned = planHost(device, layout, {
      held: await reportAsync(3, listHeld),
      mayReset: limits.allowGpuReset === true,
      allOrNothing: limits.allOrNothing === true,
    });
    const { plan, targets, allOrNothing } = planned;
    watcher.onPlan?.(planned);
    if (targets.length === 0) {
      // What was interrupted is done, or no longer needed.
      if (plan.state === 'Unchanged') journal.finish();
      const state = plan.state === 'Unchanged' ? 'Unchanged' : 'NotApplied';
      return { done: { state, plan, results: [], notes: [...notes, ...host.problems] }, planned };
    }
    const indexOf = (uuid: string): number => plan.gpus.find((gpu) => gpu.uuid === uuid)?.index ?? -1;
    const { results } = await withSignal((signal) =>
      reportAsync(3, () =>
        applyNode(driver, targets, {
          device,
          journal,
          afterChange,
          listHeld,
          listOpeners: (minor) => listGpuOpeners(minor),
          host,
          undo: true,
          allOrNothing,
          allowReset: limits.allowGpuReset === true,
          signal,
          explainStop: () => lock.explainLoss() ?? (performance.now() < end ? undefined : 'the time limit is over'),
          onProgress: (progress) => watcher.onProgress?.(indexOf(progress.uuid), progress),
        }),
      ),
    );
    const isDone = results.every(({ outcome }) => outcome === 'Applied' || outcome === 'Unchanged');
    const state = isDone && plan.state !== 'Refused' ? 'Applied' : 'NotApplied';
    const shown = results.map((result) => report(result, indexOf(result.uuid)));
    return { done: { state, plan, results: shown, notes: [...notes, ...host.problems] }, planned };
  });
}

function report({ uuid, outcome, operations, error, undoError }: GpuResult, index: number): GpuApplyResult {
  return {
    index,
    uuid,
    outcome,
    operations,
    ...(error === undefined ? {} : { error: explainFault(error) }),
    ...(undoError === undefined ? {} : { undoError: explainFault(undoError) }),
  };
}
