// Room node: what becomes of one node: its verdict, its commands, its status, and what the fleet's figures count of it.
// Ask here what a node will come to, decided and planned in memory: nothing is read, and nothing is written.
import { type WishPlan, planDrained, planWish } from '../device/plan.ts';
import type { Verdict, WishFields } from './commands.ts';
import { type BudgetView, judgeFate } from './eviction.ts';
import type { PodView } from '../kubernetes/pod.ts';
import { presumeAffected } from './rules/users.ts';
import type { GpuNodePartition } from '../../api/types.ts';
import { omitUndefined } from '../text/json.ts';
import { foreignOn } from '../device/ownership.ts';
import { managedConfig } from '../nvidia/managed-config.ts';
import { predictSlice } from '../device/published.ts';
import { type Decision, decide } from './decide.ts';
import { recallMemory } from './memory.ts';
import type { NodePolicy } from '../policy/fleet.ts';
import type { NodeOutcome } from '../policy/record.ts';
import { describeRefusal } from '../policy/resolve-node.ts';
import { describePlan } from './rules/slot.ts';
import type { NodeRolloutState } from '../rollout/budget.ts';
import { type NodeSnapshot, type FreshRead, backendOf, refresh, slotIn } from './snapshot.ts';

/** The decision on one node after the change. */
export interface NodePreview {
  /** The input of the decision, with the wish and the plan in the partition. */
  readonly snapshot: NodeSnapshot & { readonly fresh: FreshRead };
  /** Whether the controller writes a new wish for it. */
  readonly isTold: boolean;
  /** What its agent will plan; undefined if the policies want nothing of it, or its GPUs are unknown. */
  readonly plan: WishPlan | undefined;
  readonly verdict: Verdict;
  readonly rolloutState: NodeRolloutState;
}

/** What is known of a node before anything is decided: everything else follows from it. */
type NodeStart = Omit<NodeSnapshot, 'slot' | 'fresh' | 'configFiles'> &
  Required<Pick<NodeSnapshot, 'pods'>> & {
    /** Disruption budgets of the pods' namespaces; absent: none. */
    readonly budgets?: readonly BudgetView[];
  };

/**
 * Lets the controller decide and the agent plan, in memory: the wish is written, the plan is made, and the node reports what it is
 * waiting for, which is a slot if nothing is in the way.
 */
export function forecastNode(start: NodeStart): NodePreview {
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
    ...(policy && { policy: omitUndefined({ ...policy, schedule: schedule ?? undefined }) }),
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

/** Plans as the agent does when it gets a wish. */
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
  const managed = winner && managedConfig(winner.spec);
  // What is handed out by claims, and for whom, is not known: the agent knows which pods have devices.
  const slices = backendOf(known) === 'DRA' ? [predictSlice(partition?.status?.device ?? {})] : undefined;
  const files = managed ? { [managed.key]: managed.file } : {};
  const snapshot = {
    ...known,
    slot: slotIn(winner, node, partition),
    ...(slices && { slices }),
    configFiles: { state: 'Read', files },
  } as const;
  return refresh(snapshot, { policy: winner, partition, slices, ...(slices && { claims: [] }), drain: { budgets } });
}

function decideAtOnce(snapshot: NodeSnapshot): Exclude<Decision, { readonly needs: unknown }> {
  const decision = decide(snapshot, recallMemory(snapshot.partition?.status));
  if ('needs' in decision) throw new Error(`${decision.needs} was read, and is requested again`);
  return decision;
}

/**
 * How a node stands at a new generation of its policy, before it has been looked at: the wish and the agent's plan are worked out in
 * memory. Its pods are not known, so a node that must evict any is expected to request nothing.
 *
 * @param before how it stood at the generation before
 * @returns undefined if it cannot be told: the node is new, another policy decided over it, or any pod of the node may have to go
 */
export function forecastRolloutState(
  before: NodeRolloutState | undefined,
  known: NodeSnapshot,
): NodeRolloutState | undefined {
  const { slot: _recomputed, ...start } = known;
  const { winner } = known.claim;
  const isSame = before?.policy === winner?.metadata.name && before?.nodeUID === known.node.metadata.uid;
  if (before === undefined || !isSame || winner?.spec.drain?.scope === 'Node') return undefined;
  return expectRolloutState(before, forecastNode({ ...start, pods: [] }).rolloutState.request);
}

/**
 * What a policy of mode Plan would do to a node over which another policy decides. The node's agent plans the wish of that one alone.
 *
 * @param claim as if the policy decided
 * @param partition with the pods on its slices
 */
export function planPreview(node: string, claim: NodePolicy, partition: GpuNodePartition | undefined): NodeOutcome {
  const { device = {} } = partition?.status ?? {};
  const { wish } = claim;
  if (partition === undefined || wish === undefined) {
    const message = 'the agent on this node has not reported its GPUs yet';
    return { node, phase: 'Pending', reason: 'AgentNotReporting', message };
  }
  if ('refusal' in wish) return { node, phase: 'Invalid', ...describeRefusal(wish) };
  const foreign = foreignOn(device);
  // Only the agent sees processes that belong to no pod: a plan is the same without their names.
  const { report: plan } = planWish(device, wish.wish, foreign);
  const planned = { ...partition, status: { ...partition.status, device: { ...device, plan } } };
  const message = `mode Plan, nothing changes: ${plan.refusal ?? describePlan({ partition: planned, claim })}`;
  return { node, phase: 'Pending', reason: 'PlanOnly', message, plan };
}

/**
 * How a node stands at a new generation until it has been looked at: its failures were of the generation before.
 * @param expected what it would request; undefined if nothing is expected of it
 */
export function expectRolloutState(before: NodeRolloutState, expected: NodeRolloutState['request']): NodeRolloutState {
  const { request: _before, ...rest } = before;
  const request = before.isUnderWay ? undefined : expected;
  return { ...rest, hasFailed: false, isVerified: false, ...(request && { request }) };
}

/** What becomes of the pods that have to go for what a node will come to. */
export function foreseeEvictions(
  { snapshot }: NodePreview,
  pods: readonly PodView[],
  budgets: readonly BudgetView[],
): readonly ({ readonly pod: PodView } & ReturnType<typeof judgeFate>)[] {
  const { partition, claim } = snapshot;
  if (partition === undefined) return [];
  const drain = claim.winner?.spec.drain;
  return presumeAffected({ ...snapshot, partition }, pods).map((pod) => ({
    pod,
    ...judgeFate(pod, drain, { budgets }),
  }));
}
