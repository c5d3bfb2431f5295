// Room plan: what a change of policies would do to a cluster, foreseen with the controller's own decisions; nothing is written.
// Ask here what one node will request of its rollout, or what a policy of mode Plan would do to it.
import type { GpuNodePartition, DeviceReport, GpuReport } from '../../api/types.ts';
import { predictSlice, listReportedPods } from '../device/holders.ts';
import { backendOf, type FreshRead, type NodeSnapshot } from '../node/snapshot.ts';
import { decide, type Decision } from '../node/decide.ts';
import type { WishFields, Verdict } from '../node/commands.ts';
import { recallMemory } from '../node/memory.ts';
import type { RolloutState } from '../node/rollout-state.ts';
import { managedConfig } from '../nvidia/plugin-config.ts';
import { type BudgetView, judgeFate, type PodFate } from '../kubernetes/eviction.ts';
import { planDrained, type WishPlan, planWish, type GpuWork, liveGeometry } from '../device/plan.ts';
import { foreignOn } from '../device/ownership.ts';
import { readGenerations } from '../policy/versions.ts';
import { slotOf, type NodeRolloutState } from '../rollout/budget.ts';
import { omitUndefined, compareText } from '../text/json.ts';
import { expectRolloutState } from '../rollout/ledger.ts';
import { describePlan } from '../node/rules/slot.ts';
import { describeRefusal, type NodePolicy } from '../policy/decide-policy.ts';
import type { NodeOutcome } from '../policy/record.ts';
import { drawGpu, placeOf } from '../gpu/grid.ts';
import { presumeAffected } from '../node/rules/users.ts';
import { podName, type PodView } from '../kubernetes/pod.ts';
import type { NodeReason } from '../../api/names.ts';
import type { Waves } from './waves.ts';

/** The decision on one node after the change. */
export interface NodePreview {
  /** The input of the decision, with the wish and the plan in the partition. */
  readonly snapshot: NodeSnapshot & { readonly fresh: FreshRead };
  /** Whether the controller writes a new wish for it. */
  readonly isTold: boolean;
  /** What its agent will plan; undefined if the policies want nothing of it, or its GPUs are unknown. */
  readonly plan: WishPlan | undefined;
  readonly verdict: Verdict;
  readonly rolloutState: RolloutState;
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
  const slot = slotOf(winner?.status?.inFlight, {
    node: node.metadata.name,
    nodeUID: node.metadata.uid ?? '',
    wishGeneration: partition?.spec.policy?.generation ?? 0,
  });
  const managed = winner && managedConfig(winner.spec);
  // What is handed out by claims, and for whom, is not known: the agent knows which pods have devices.
  const slices = backendOf(known) === 'DRA' ? [predictSlice(partition?.status?.device ?? {})] : undefined;
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

/** A GPU instance and its holders. */
export interface HeldSlice {
  readonly profile: string;
  /** The first memory slice. */
  readonly start: number;
  /** `NAMESPACE/NAME`; absent if no pod holds it. */
  readonly pods?: readonly string[];
}

/** A GPU at one moment. */
interface DrawnGpu {
  readonly mig: 'Enabled' | 'Disabled';
  readonly slices: readonly HeldSlice[];
  /** A line of 73 characters; empty for a GPU without MIG. */
  readonly picture: string;
}

/** The change of one GPU. */
export interface GpuPreview {
  readonly index: number;
  readonly uuid: string;
  /** `A100-SXM4-40GB` */
  readonly product: string;
  readonly isChanging: boolean;
  readonly before: DrawnGpu;
  readonly after: DrawnGpu;
  readonly keep: readonly HeldSlice[];
  readonly destroy: readonly HeldSlice[];
  readonly create: readonly HeldSlice[];
  /** Instances that stay and whose compute instances change. */
  readonly recut: readonly HeldSlice[];
  /** Pods that hold the GPU as a whole. */
  readonly pods?: readonly string[];
}

/** The GPUs of a node before and after a plan, by index. */
function describeGpus(device: DeviceReport, plan: WishPlan | undefined): readonly GpuPreview[] {
  return (device.gpus ?? [])
    .toSorted((a, b) => a.index - b.index)
    .map((gpu) =>
      describeGpu(
        device,
        gpu,
        plan?.work.find(({ uuid }) => uuid === gpu.uuid),
      ),
    );
}

function describeGpu(device: DeviceReport, gpu: GpuReport, work: GpuWork | undefined): GpuPreview {
  const { index, uuid, product, pods = [], instances, mig = 'Disabled' } = gpu;
  const places = (action: string): ReadonlySet<string> =>
    new Set(work?.steps.flatMap((step) => (step.action === action ? [placeOf(step)] : [])));
  const gone = places('DestroyInstance');
  const cut = new Set([...places('DestroyComputeInstances'), ...places('CreateComputeInstances')]);
  const slices = instances.toSorted((a, b) => a.start - b.start).map(holdSlice);
  const keep = slices.filter((one) => !gone.has(placeOf(one)));
  const create = (work?.steps ?? [])
    .flatMap(({ action, profile, start }) => (action === 'CreateInstance' ? [{ profile, start }] : []))
    .toSorted((a, b) => a.start - b.start);
  const migAfter = work?.mode === undefined ? mig : work.mode === 'Enable' ? 'Enabled' : 'Disabled';
  return {
    index,
    uuid,
    product: product.replace(/^NVIDIA /, ''),
    isChanging: work !== undefined,
    before: draw(device, gpu, mig, slices),
    after: draw(
      device,
      gpu,
      migAfter,
      [...keep, ...create].toSorted((a, b) => a.start - b.start),
    ),
    keep,
    destroy: slices.filter((one) => gone.has(placeOf(one))),
    create,
    recut: keep.filter((one) => cut.has(placeOf(one))),
    ...(pods.length > 0 && { pods }),
  };
}

function holdSlice({ profile, start, pods = [] }: GpuReport['instances'][number]): HeldSlice {
  return { profile, start, ...(pods.length > 0 && { pods }) };
}

function draw(device: DeviceReport, gpu: GpuReport, mig: DrawnGpu['mig'], slices: readonly HeldSlice[]): DrawnGpu {
  const geometry = liveGeometry(device, gpu);
  const busy = new Set(gpu.instances.filter((one) => one.busy === true).map(placeOf));
  const drawn = slices.map((one) => ({ ...one, busy: busy.has(placeOf(one)) }));
  const picture = geometry === undefined ? '' : drawGpu(geometry, mig === 'Enabled' ? drawn : undefined);
  return { mig, slices, picture };
}

/** `Gone`: it has ended since the agent saw it. */
export type PodPreview = PodFate | 'Gone';

export interface EvictionPreview {
  /** `NAMESPACE/NAME` */
  readonly pod: string;
  readonly fate: PodPreview;
  /** `GPU 0: 3g.20gb at 4 by claim team/train-gpu`, `GPU 1`; empty if unknown. */
  readonly holds: readonly string[];
  /** Why it is neither evicted nor awaited. */
  readonly message?: string;
}

/** The pods that have to go for a node's plan, by name. */
export function describeEvictions(
  { snapshot, plan }: NodePreview,
  pods: readonly PodView[],
  budgets: readonly BudgetView[],
): readonly EvictionPreview[] {
  const { node, partition, claim, fresh } = snapshot;
  if (partition === undefined || plan === undefined || plan.work.length === 0) return [];
  const affected = presumeAffected({ node, partition, claim, fresh }, pods);
  const gpus = partition.status?.device?.gpus ?? [];
  const drain = claim.winner?.spec.drain;
  const found = affected.map((pod): EvictionPreview => {
    const name = podName(pod);
    return { pod: name, holds: listHoldings(gpus, name), ...judgeFate(pod, drain, { budgets }) };
  });
  const known = new Set(found.map(({ pod }) => pod));
  const gone = (plan.report.affectedPods ?? [])
    .filter((pod) => !known.has(pod))
    .map((pod): EvictionPreview => {
      const message = 'it is not listed: it has ended since the agent saw it';
      return { pod, fate: 'Gone', holds: listHoldings(gpus, pod), message };
    });
  return [...found, ...gone].toSorted((a, b) => compareText(a.pod, b.pod));
}

/** Whether a pod goes because of the plan, now or as soon as its budget allows. */
export function isMoving(fate: PodPreview): boolean {
  return fate === 'Evicted' || fate === 'Deleted' || fate === 'Blocked';
}

/** Lists what a pod holds of a node's GPUs. */
function listHoldings(gpus: readonly GpuReport[], pod: string): readonly string[] {
  const by = (claims: readonly string[] = []): string => (claims.length === 0 ? '' : ` by claim ${claims.join(', ')}`);
  return gpus.flatMap(({ index, pods = [], claims, instances }) => [
    ...(pods.includes(pod) ? [`GPU ${index}${by(claims)}`] : []),
    ...instances.flatMap((one) =>
      one.pods?.includes(pod) === true ? [`GPU ${index}: ${one.profile} at ${one.start}${by(one.claims)}`] : [],
    ),
  ]);
}

/**
 * What becomes of a node. `Changes`: in one of the waves. `Held`: it would, but its rollout does not continue by itself. `PlanOnly`:
 * the policy changes nothing. `UnderWay`: it is changing now, and is planned again when that has ended. `Waits`: for something
 * temporary. `Refused`: it cannot take the policy. `OtherPolicy`: another policy has won it, as before. `Released`: no policy
 * selects it any more.
 */
export type NodeFate =
  'Changes' | 'Held' | 'PlanOnly' | 'UnderWay' | 'Waits' | 'Refused' | 'Done' | 'OtherPolicy' | 'Released';

export interface PlannedNode {
  readonly node: string;
  /** The policy that decides over it. */
  readonly policy?: string;
  readonly fate: NodeFate;
  /** The controller's reason, as in a condition. */
  readonly reason: NodeReason;
  readonly message: string;
  /** Whether this change concerns it: its policy is new or edited, or another one than before. */
  readonly isAffected: boolean;
  /** The number of the node's wave, from 1. */
  readonly wave?: number;
  /** The plan as in `status.device.plan`, once the agent has planned. */
  readonly plan?: {
    readonly hash: string;
    readonly keep: number;
    readonly destroy: number;
    readonly create: number;
  };
  readonly gpus: readonly GpuPreview[];
  readonly evictions: readonly EvictionPreview[];
}

/** Whether a node belongs to the given policies, or changes because of them, unless another policy had won it before. */
export function isConcerned(outlook: NodePreview | undefined, { all }: GivenPolicies): boolean {
  const winner = outlook?.snapshot.claim.winner?.metadata.name;
  return winner === undefined || all.has(winner) || outlook?.isTold === true;
}

/** The policies whose change is planned, by name. */
export interface GivenPolicies {
  readonly all: ReadonlySet<string>;
  /** Policies that are new or edited. */
  readonly changed: ReadonlySet<string>;
}

export function describePlannedNode(
  outlook: NodePreview,
  evictions: readonly EvictionPreview[],
  { waves, held }: Waves,
  given: GivenPolicies,
): PlannedNode {
  const { snapshot, plan, verdict } = outlook;
  const { node, partition, claim } = snapshot;
  const { name } = node.metadata;
  const policy = claim.winner?.metadata.name;
  const wave = waves.findIndex(({ nodes }) => nodes.includes(name));
  const fate = wave === -1 ? judgeNodeFate(outlook, given) : 'Changes';
  const hold = fate === 'Held' && policy !== undefined ? held.get(policy) : undefined;
  const moves = fate === 'Changes' || fate === 'Held' || fate === 'PlanOnly';
  return {
    node: name,
    ...(policy !== undefined && { policy }),
    fate,
    reason: verdict.reason,
    isAffected: outlook.isTold || policy === undefined || given.changed.has(policy),
    message: hold ?? (fate === 'OtherPolicy' ? explainWinner(policy ?? '') : verdict.message),
    ...(wave !== -1 && { wave: wave + 1 }),
    ...(plan && { plan: countPlan(plan.report) }),
    gpus: describeGpus(partition?.status?.device ?? {}, moves ? plan : undefined),
    // A node may wait because of these.
    evictions: moves ? evictions : evictions.filter(({ fate: end }) => end === 'Stays'),
  };
}

function judgeNodeFate(outlook: NodePreview, given: GivenPolicies): NodeFate {
  const { snapshot, plan, verdict, rolloutState } = outlook;
  if (snapshot.claim.winner === undefined) return 'Released';
  if (!isConcerned(outlook, given)) return 'OtherPolicy';
  if (rolloutState.isUnderWay) return 'UnderWay';
  if (rolloutState.request !== undefined) return 'Held';
  if (verdict.reason === 'PlanOnly') return plan?.report.refusal === undefined ? 'PlanOnly' : 'Refused';
  if (verdict.phase === 'Failed' || verdict.phase === 'Invalid') return 'Refused';
  const isDone = verdict.phase === 'Ready' || (verdict.phase === 'Updating' && plan?.work.length === 0);
  return isDone ? 'Done' : 'Waits';
}

function explainWinner(policy: string): string {
  return `policy ${policy} applies to this node, as before: it has the higher priority, or is older`;
}

function countPlan({
  hash,
  keep,
  destroy,
  create,
}: NonNullable<NodePreview['plan']>['report']): NonNullable<PlannedNode['plan']> {
  return { hash, keep, destroy, create };
}
