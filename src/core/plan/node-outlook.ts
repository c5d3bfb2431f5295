import type { GpuNodePartition } from '../../api/types.ts';
import { foreseeSlice } from '../dra/published-devices.ts';
import { backendOf } from '../node/backend.ts';
import { decide, type Decision } from '../node/decide.ts';
import type { WishFields } from '../node/commands.ts';
import { recallMemory } from '../node/memory.ts';
import type { FreshRead, NodeSnapshot } from '../node/snapshot.ts';
import type { RolloutState } from '../node/rollout-state.ts';
import type { Verdict } from '../node/outcome.ts';
import { managedConfig } from '../nvidia/plugin-config/managed-config.ts';
import type { BudgetView } from '../pods/disruption-budget.ts';
import { listReportedPods } from '../pods/reported-pods.ts';
import { planDrained } from '../wish/drain-plan.ts';
import { foreignOn } from '../wish/ownership.ts';
import type { WishPlan } from '../wish/plan-wish.ts';
import { readGenerations } from '../policy/versions.ts';
import { slotOf } from '../rollout/slot.ts';
import { definedOnly } from '../text/defined-fields.ts';

/** What becomes of one node. */
export interface NodeOutlook {
  /** All input for the decision, with the wish and the plan in the partition. */
  readonly snapshot: NodeSnapshot & { readonly fresh: FreshRead };
  /** Whether the controller writes a new wish for it. */
  readonly isTold: boolean;
  /** What its agent will plan; undefined if the policies want nothing of it, or its GPUs are unknown. */
  readonly plan: WishPlan | undefined;
  readonly verdict: Verdict;
  readonly rolloutState: RolloutState;
}

/** What is known of a node before anything is decided: everything else follows from it. */
export type NodeStart = Omit<NodeSnapshot, 'slot' | 'fresh' | 'configFiles'> &
  Required<Pick<NodeSnapshot, 'pods'>> & {
    /** Of the namespaces of its pods; absent: none. */
    readonly budgets?: readonly BudgetView[];
  };

/**
 * Lets the controller decide and the agent plan, in memory: the wish is written, the plan is made, and the node reports what it is
 * waiting for, which is a slot if nothing is in the way.
 */
export function forecastNode(start: NodeStart): NodeOutlook {
  const told = tellWish(start);
  const plan = planAsAgent(start, told);
  const partition = told && plan ? reportPlan(told, plan) : told;
  const snapshot = complete({ ...start, partition });
  const { verdict, rolloutState } = decideAtOnce(snapshot);
  return { snapshot, isTold: told !== start.partition, plan, verdict, rolloutState };
}

/** The partition with the wish that the controller writes, if any. */
function tellWish(start: NodeStart): GpuNodePartition | undefined {
  const { partition } = start;
  const { commands } = decideAtOnce(complete(start));
  const written = commands.find(({ name }) => name === 'WriteWish');
  if (partition === undefined || written?.name !== 'WriteWish') return partition;
  return { ...partition, spec: writeWish(partition.spec, written.fields) };
}

function writeWish(
  { policy: before, strategy: _strategy, backend: known, wish: _wish, repairs: _repairs, drain: _drain, ...kept }: Spec,
  { policy, strategy, backend, wish }: WishFields,
): Spec {
  // Absent: as it is.
  const told = backend === undefined ? known : backend;
  const schedule = policy?.schedule === undefined ? before?.schedule : policy.schedule;
  return {
    ...kept,
    ...(policy && { policy: definedOnly({ ...policy, schedule: schedule ?? undefined }) }),
    ...(strategy !== null && strategy !== undefined && { strategy }),
    ...(told && { backend: told }),
    ...(wish?.gpus && {
      wish: {
        gpus: wish.gpus,
        ...(wish.replaceForeignInstances === true && { replaceForeignInstances: true }),
        ...(wish.allowGpuReset === false && { allowGpuReset: false }),
      },
    }),
  };
}

type Spec = GpuNodePartition['spec'];

/** As the agent does when it gets a wish. */
function planAsAgent({ claim }: NodeStart, partition: GpuNodePartition | undefined): WishPlan | undefined {
  const { device } = partition?.status ?? {};
  const wish = claim.wish && 'wish' in claim.wish ? claim.wish.wish : undefined;
  if (partition === undefined || wish === undefined || !device?.gpus) return undefined;
  const foreign = foreignOn(device);
  const marks = { drain: partition.spec.drain, reported: device.plan };
  // Only the agent sees processes that belong to no pod: a plan is the same without their names.
  return planDrained(device, wish, marks, foreign, new Map());
}

function reportPlan(partition: GpuNodePartition, { report }: WishPlan): GpuNodePartition {
  const { status = {} } = partition;
  return { ...partition, status: { ...status, device: { ...status.device, plan: report } } };
}

function complete(start: NodeStart): NodeSnapshot & { readonly fresh: FreshRead } {
  const { budgets = [], ...known } = start;
  const { node, partition, claim } = known;
  const { winner } = claim;
  const slot = slotOf(winner?.status?.inFlight, {
    node: node.metadata.name,
    nodeUID: node.metadata.uid ?? '',
    wishGeneration: partition?.spec.policy?.generation ?? 0,
  });
  const managed = winner && managedConfig(winner.spec);
  // What is handed out by claims, and for whom, is not known: the agent knows which pods have devices.
  const slices = backendOf(known) === 'DRA' ? [foreseeSlice(partition?.status?.device ?? {})] : undefined;
  return {
    ...known,
    slot,
    ...(slices && { slices }),
    configFiles: { state: 'Read', files: managed ? { [managed.key]: managed.file } : {} },
    fresh: {
      policy: winner && readGenerations(winner),
      slot,
      ...listReportedPods(partition?.status?.device),
      resourceSlices: slices ?? [],
      ...(slices && { claims: [] }),
      drain: { budgets },
    },
  };
}

function decideAtOnce(snapshot: NodeSnapshot): Exclude<Decision, { readonly needs: unknown }> {
  const decision = decide(snapshot, recallMemory(snapshot.partition?.status));
  if ('needs' in decision) throw new Error(`${decision.needs} was read, and is requested again`);
  return decision;
}
