// Room plan: what a change of policies would do to a cluster, foreseen with the controller's own decisions; nothing is written.
// Ask here what becomes of nodes and their pods.
import type { DeviceReport, GpuReport } from '../../api/types.ts';
import { type WishPlan, type GpuWork, liveGeometry } from '../device/plan.ts';
import { compareText } from '../text/json.ts';
import { drawGpu, placeOf } from '../gpu/grid.ts';
import { podName } from '../kubernetes/pod.ts';
import type { NodeReason } from '../../api/names.ts';
import type { Waves } from './change.ts';
import type { NodePreview } from '../node/decide.ts';

/** A GPU instance and its holders. */
interface HeldSlice {
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
interface GpuPreview {
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
type PodPreview = NodePreview['evictions'][number]['fate'] | 'Gone';

interface EvictionPreview {
  /** `NAMESPACE/NAME` */
  readonly pod: string;
  readonly fate: PodPreview;
  /** `GPU 0: 3g.20gb at 4 by claim team/train-gpu`, `GPU 1`; empty if unknown. */
  readonly holds: readonly string[];
  /** Why it is neither evicted nor awaited. */
  readonly message?: string;
}

/** The pods that have to go for a node's plan, by name. */
function describeEvictions({ snapshot, plan, evictions }: NodePreview): readonly EvictionPreview[] {
  if (plan === undefined || plan.work.length === 0) return [];
  const gpus = snapshot.partition?.status?.device?.gpus ?? [];
  const found = evictions.map(({ pod, ...fate }): EvictionPreview => {
    const name = podName(pod);
    return { pod: name, holds: listHoldings(gpus, name), ...fate };
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
type NodeFate =
  | 'Changes'
  | 'Held'
  | 'PlanOnly'
  | 'UnderWay'
  | 'Waits'
  | 'Refused'
  | 'Done'
  | 'OtherPolicy'
  | 'Released';

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
function isConcerned(outlook: NodePreview | undefined, { all }: GivenPolicies): boolean {
  const winner = outlook?.snapshot.claim.winner?.metadata.name;
  return winner === undefined || all.has(winner) || outlook?.isTold === true;
}

/** The policies whose change is planned, by name. */
interface GivenPolicies {
  readonly all: ReadonlySet<string>;
  /** Policies that are new or edited. */
  readonly changed: ReadonlySet<string>;
}

/** Nodes as the controller would decide over them after a change. */
interface NodeOutlooks {
  readonly outlooks: ReadonlyMap<string, NodePreview>;
  /** The nodes that the change concerns; the others share rollouts with them. */
  readonly affected: ReadonlySet<string>;
}

/**
 * What a change makes of the nodes that it concerns, by name, and in which of the waves.
 *
 * @param all the waves of all nodes
 * @returns of the waves what concerns these nodes
 */
export function foreseeNodes(
  { outlooks, affected }: NodeOutlooks,
  all: Waves,
  given: GivenPolicies,
): { readonly nodes: readonly PlannedNode[]; readonly waves: Waves } {
  const waves = pickWaves(all, (node) => affected.has(node) && isConcerned(outlooks.get(node), given));
  const nodes = [...outlooks]
    .filter(([node]) => affected.has(node))
    .toSorted(([a], [b]) => compareText(a, b))
    .map(([, outlook]) => describePlannedNode(outlook, waves, given));
  return { nodes, waves };
}

/** Picks the nodes that this change concerns out of the waves; others share their rollouts, and the cap. */
function pickWaves({ waves, held, cap }: Waves, concerns: (node: string) => boolean): Waves {
  const picked = waves.map((wave) => ({ ...wave, nodes: wave.nodes.filter(concerns) }));
  return { waves: picked.filter(({ nodes }) => nodes.length > 0), held, cap };
}

function describePlannedNode(outlook: NodePreview, { waves, held }: Waves, given: GivenPolicies): PlannedNode {
  const { snapshot, plan, verdict } = outlook;
  const { node, partition, claim } = snapshot;
  const { name } = node.metadata;
  const policy = claim.winner?.metadata.name;
  const wave = waves.findIndex(({ nodes }) => nodes.includes(name));
  const fate = wave === -1 ? judgeNodeFate(outlook, given) : 'Changes';
  const hold = fate === 'Held' && policy !== undefined ? held.get(policy) : undefined;
  const evictions = describeEvictions(outlook);
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
