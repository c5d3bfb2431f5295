// Room cluster: the cluster as it was read, and the one judge of its pods and nodes.
// Ask here whether a pod could run on a node, whether it can use its slices now, and whether the node can change now.
import type { GpuNodePartition, GpuReport, PolicySpec } from '../../api/types.ts';
import type { NodeView } from '../kubernetes/node.ts';
import { findResting } from '../node/eviction.ts';
import { isGrantLive } from '../device/grants.ts';
import { WHOLE } from '../gpu/profiles.ts';
import { GPU_RESOURCE, labelProfile, migResourceName } from '../nvidia/labels.ts';
import { isGpuResource, type PodView, tolerates, listRequested, requestOf } from '../kubernetes/pod.ts';
import { deviceClassPrefix } from '../device/holders.ts';
import { wholeUnits, parseQuantity } from '../text/syntax.ts';
import type { DeviceClassView } from './claim-requests.ts';
import { listMismatches } from '../kubernetes/selectors.ts';
import { isOwnTaint, isUnfinished, leavingTaintOf } from '../node/snapshot.ts';

/**
 * The one judge of pods and nodes. It answers three questions, whoever asks (demand, explain, plan, defrag, recommend, the page): whether
 * a pod could run on a node but for its slices ({@link couldTake}), whether the slices of a node can be used by it now
 * ({@link explainUnusable}, {@link canUse}, {@link NodeReach}), and whether the node can change now ({@link explainUnchangeable}).
 */

/** What keeps new pods from a node's slices, or a change from the node. */
interface Obstacle {
  readonly kind: 'Leaving' | 'NotReady' | 'Cordoned' | 'Closed' | 'Unheard' | 'Failed' | 'Resting';
  /** About the node, as `it is cordoned`. */
  readonly message: string;
}

/** Resources that are not counted in a node's allocatable before the node has the slices: GPUs, and what a claim brings. */
function isOfGpus(resource: string): boolean {
  return isGpuResource(resource) || resource.startsWith(deviceClassPrefix);
}

/** Resources that every kubelet reports: where one is missing, it was not read. */
const common: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];

/**
 * Whether a node would take a pod if it were empty, undisturbed and had the slices that the pod requests: every other resource against its
 * allocatable, its taints, selectors and node affinity. What passes (a cordon, a kubelet that is not ready, a change of its GPUs) says
 * nothing here: see {@link explainUnusable}.
 */
export function couldTake(node: NodeView, pod: PodView): boolean {
  const { metadata, spec, status } = node;
  const { name, labels = {} } = metadata;
  const { allocatable } = status ?? {};
  const isMet = ([resource, amount]: Need): boolean => {
    const offered = allocatable?.[resource];
    return offered === undefined ? isOffered(node, resource) : amount <= (parseQuantity(offered) ?? 0n);
  };
  return (
    (spec?.taints ?? []).every((taint) => !isLasting(taint) || tolerates(pod.spec?.tolerations, taint)) &&
    // A different layout would have different layout labels.
    listMismatches(pod.spec, name, labels).every(({ key }) => key.startsWith('nvidia.com/')) &&
    listNeeds(pod).every(isMet)
  );
}

/** A resource that a pod requests beside slices, and how much of it, in billionths. */
type Need = readonly [resource: string, amount: bigint];

/** Needs by pod: it is asked about each node, and does not change. */
const needsOf = new WeakMap<PodView, readonly Need[]>();

/** The needs of a pod, as the scheduler counts them. */
export function listNeeds(pod: PodView): readonly Need[] {
  const known = needsOf.get(pod);
  if (known !== undefined) return known;
  const needs = listRequested(pod).flatMap((resource): readonly Need[] => {
    const amount = isOfGpus(resource) ? 0n : requestOf(pod, resource);
    return amount > 0n ? [[resource, amount]] : [];
  });
  needsOf.set(pod, needs);
  return needs;
}

/** Whether a node has any of a resource, or may have: not everything was read. */
export function isOffered({ status }: NodeView, resource: string): boolean {
  const { allocatable } = status ?? {};
  return allocatable === undefined || common.includes(resource) || allocatable[resource] !== undefined;
}

type Taint = NonNullable<NonNullable<NodeView['spec']>['taints']>[number];

/** Whether a taint keeps pods away, and says something of the node and not of its state. */
function isLasting(taint: Taint): boolean {
  const isState = taint.key.startsWith('node.kubernetes.io/') || leavingTaintOf([taint]) !== undefined;
  return taint.effect !== 'PreferNoSchedule' && !isOwnTaint(taint) && !isState;
}

/** Equal for pods that require the same of a node. */
export function requirementsKey(pod: PodView): string {
  const { nodeSelector, affinity, tolerations } = pod.spec ?? {};
  return JSON.stringify([
    nodeSelector,
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution,
    tolerations,
    listNeeds(pod).map(([resource, amount]) => [resource, String(amount)]),
  ]);
}

/** Whether any of some nodes would accept a pod. Pods that require the same of a node are judged once: many may wait. */
export function takersAmong(nodes: readonly NodeView[]): (pod: PodView) => boolean {
  const known = new Map<string, boolean>();
  return (pod) => {
    const key = requirementsKey(pod);
    const isTaken = known.get(key) ?? nodes.some((node) => couldTake(node, pod));
    known.set(key, isTaken);
    return isTaken;
  };
}

/** Reasons of the scheduler for which a pod stays pending whatever slices there are: they are about its volumes, or about other pods. */
const incurable: readonly RegExp[] = [
  /\bunbound immediate PersistentVolumeClaims\b/,
  /^(running "[\w.]+" filter plugin: )?persistentvolumeclaim "[^"]*" (not found|is being deleted|bound to non-existent persistentvolume)\b/,
  /^node\(s\) didn't find available persistent volumes to bind$/,
  /^node\(s\) had volume node affinity conflict$/,
  /^node\(s\) didn't match PersistentVolume's node affinity$/,
  /^node\(s\) had no available volume zone$/,
  /^node\(s\) didn't match pod (affinity|anti-affinity|topology spread constraints)( rules)?( \(missing required label\))?$/,
  /^node\(s\) didn't satisfy existing pods anti-affinity rules$/,
];
/** Reasons for which other nodes refuse it, beside the lack of slices. */
const elsewhere: readonly RegExp[] = [
  /^node\(s\) had untolerated taint(\(s\)| \{[^}]*\})?$/,
  /^node\(s\) (were unschedulable|didn't match Pod's node affinity\/selector|didn't match the requested node name|didn't have free ports for the requested pod ports)$/,
  /^Too many pods$/,
  /^Insufficient (?!nvidia\.com\/(gpu|mig-)).+$/,
];

/**
 * The reason of the scheduler for which no slice helps a pod that waits, as volumes or other pods keep it from every node: from its
 * condition `PodScheduled`. Undefined if there is none, or if the words are not understood: then the pod waits for a slice.
 */
export function explainHopeless({ status }: PodView): string | undefined {
  const scheduled = status?.conditions?.find(({ type }) => type === 'PodScheduled');
  if (scheduled?.status !== 'False') return undefined;
  const reasons = readReasons(scheduled.message ?? '');
  const found = reasons.filter((reason) => incurable.some((one) => one.test(reason)));
  const isKnown = reasons.every((reason) => found.includes(reason) || elsewhere.some((one) => one.test(reason)));
  return isKnown ? found[0] : undefined;
}

/** `0/3 nodes are available: 1 node(s) were unschedulable, 2 Too many pods. preemption: …`, without the numbers. */
function readReasons(message: string): readonly string[] {
  const [, list = message] = /^\d+\/\d+ nodes are available: (.*)$/s.exec(message) ?? [];
  const [reasons = ''] = list.split(/\.?\s*(?:preemption: |no new claims|still not schedulable|$)/);
  return reasons.split(', ').map((reason) => reason.replace(/^\d+ /, '').replace(/\.$/, '').trim());
}

/** Why no new pod can use what a node offers now; undefined if it can. For a pod with taints of its own, see {@link canUse}. */
export function explainUnusable(node: NodeView): Obstacle | undefined {
  const aside = explainAside(node);
  if (aside) return aside;
  return isUnfinished(node) || (node.spec?.taints ?? []).some(isOwnTaint)
    ? { kind: 'Closed', message: 'it is closed while its GPUs change' }
    : undefined;
}

/**
 * Why what a node offers is out of reach of new pods; undefined if they reach it, or if a change that is under way will bring it to
 * them. What is out of reach does not count as supply, once that has lasted.
 */
function explainLost(node: NodeView, partition: GpuNodePartition | undefined): Obstacle | undefined {
  const found = explainUnusable(node);
  return found?.kind === 'Closed' && partition?.status?.phase !== 'Failed' ? undefined : found;
}

/** Whether a pod can use the slices of a node now: it could run there, and the node takes pods. */
export function canUse(node: NodeView, pod: PodView): boolean {
  return explainUnusable(node) === undefined && couldTake(node, pod);
}

/** Why a node takes no new pods for reasons that are not ours: it is going, its kubelet does not report, or it is cordoned. */
export function explainAside(node: NodeView): Obstacle | undefined {
  const { metadata, spec, status } = node;
  if (metadata.deletionTimestamp !== undefined) return { kind: 'Leaving', message: 'it is being deleted' };
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const isSilent = ready !== undefined && ready.status !== 'True';
  if (isSilent)
    return { kind: 'NotReady', message: `its kubelet is not ready${ready.message ? `: ${ready.message}` : ''}` };
  const leaving = leavingTaintOf(spec?.taints);
  if (leaving !== undefined) return { kind: 'Leaving', message: `it is being removed (taint ${leaving})` };
  return spec?.unschedulable === true
    ? { kind: 'Cordoned', message: 'it is cordoned; kubectl uncordon opens it' }
    : undefined;
}

/**
 * Why the GPUs of a node do not change now, whatever is chosen for them; undefined if they can. A change that is under way continues.
 * Namespaces without evictions and budgets that never allow one show as a node that rests.
 */
export function explainUnchangeable(node: NodeView, partition: GpuNodePartition | undefined): Obstacle | undefined {
  const aside = explainAside(node);
  if (aside || partition === undefined || isGrantLive(partition)) return aside;
  const { phase, conditions } = partition.status ?? {};
  const ready = conditions?.find(({ type }) => type === 'Ready');
  const why = ready === undefined ? '' : `: ${ready.reason}`;
  const resting = findResting(partition);
  if (resting?.isResting === true) return { kind: 'Resting', message: `it rests${why}` };
  if (phase === 'Failed' || phase === 'Invalid') return { kind: 'Failed', message: `it is ${phase}${why}` };
  if (ready?.reason === 'ForeignManager') return { kind: 'Failed', message: `its GPUs have another owner${why}` };
  return ready?.reason === 'AgentNotReporting' && partition.status?.device !== undefined
    ? { kind: 'Unheard', message: 'its agent does not report' }
    : undefined;
}

/** The names by which a DRA driver hands out slices to pods that ask by a resource; undefined: they are not known, and all count. */
export function extendedNamesOf(classes: readonly DeviceClassView[] | undefined): ReadonlySet<string> | undefined {
  return classes && new Set(classes.flatMap(({ spec }) => spec?.extendedResourceName ?? []));
}

/**
 * How many more slices of each resource a node hands out, beside those in use: a device plugin what it advertises, a DRA driver what a
 * DeviceClass names. Take them one by one.
 */
class SliceQuota {
  readonly #left = new Map<string, number>();
  readonly #limitOf: (resource: string) => number;

  constructor(
    node: NodeView,
    partition: GpuNodePartition | undefined,
    busy: readonly string[],
    names?: ReadonlySet<string>,
  ) {
    const { allocatable } = node.status ?? {};
    if (partition?.spec.backend === 'DRA') {
      this.#limitOf = (resource) => (names === undefined || names.has(resource) ? Infinity : 0);
      return;
    }
    const used = Map.groupBy(busy, (resource) => resource);
    // What a closed node advertises is on its way.
    const isKnown = allocatable !== undefined && !isUnfinished(node) && !(partition && isGrantLive(partition));
    this.#limitOf = (resource) =>
      isKnown ? wholeUnits(allocatable[resource] ?? '0') - (used.get(resource)?.length ?? 0) : Infinity;
  }

  /** @returns whether one more is handed out */
  take(resource: string): boolean {
    const left = this.#left.get(resource) ?? this.#limitOf(resource);
    this.#left.set(resource, left - 1);
    return left > 0;
  }
}

/** A slice of a GPU, or the whole one, as pods ask for it. */
interface OfferedSlice {
  readonly resource: string;
  readonly busy: boolean;
}

/** What a GPU offers under a strategy, one for each slice; nothing if it does not answer. */
export function listOffers(
  { error, mig, busy, pods = [], instances }: GpuReport,
  strategy: PolicySpec['strategy'],
): readonly OfferedSlice[] {
  if (error !== undefined) return [];
  if (strategy === 'none' || mig !== 'Enabled')
    return [{ resource: GPU_RESOURCE, busy: busy === true || pods.length > 0 }];
  return instances.map((one) => ({
    resource: strategy === 'single' ? GPU_RESOURCE : resourceOf(one.profile),
    busy: one.busy === true,
  }));
}

/** The resource of a profile under strategy mixed, or of whole GPUs. */
export function resourceOf(profile: string): string {
  return profile === WHOLE ? GPU_RESOURCE : migResourceName(labelProfile(profile));
}

/** What is known of a node beside its partition. */
interface KnownOfNode {
  /** The Node object; undefined: nothing keeps pods from its slices, or changes from its GPUs. */
  readonly node?: NodeView | undefined;
  /** The names by which a DRA driver hands out slices to pods that ask by a resource. */
  readonly names?: ReadonlySet<string> | undefined;
  /** Takes in whether the node is out of reach now. @returns whether it has been for so long that it does not count as supply any more; at once if absent */
  readonly hasLost?: ((isOut: boolean) => boolean) | undefined;
}

/** What new pods reach of a node under strategy mixed, and whether its GPUs change. */
export class NodeReach {
  /** True if nothing changes on the node for now. */
  readonly isFixed: boolean;
  /** True if the layout chosen for the node is not expected any more. */
  readonly isGivenUp: boolean;
  /** True if slices out of reach still count as supply. */
  readonly isSupply: boolean;
  readonly #lost: Obstacle | undefined;
  readonly #quota: SliceQuota | undefined;

  constructor(partition: GpuNodePartition, { node, names, hasLost = (isOut) => isOut }: KnownOfNode) {
    const { gpus = [] } = partition.status?.device ?? {};
    const offers = gpus.flatMap((gpu) => listOffers(gpu, 'mixed'));
    const busy = offers.flatMap((one) => (one.busy ? [one.resource] : []));
    const idle = offers.flatMap((one) => (one.busy ? [] : [one.resource]));
    const count = node && new SliceQuota(node, partition, busy, names);
    this.#quota = node && new SliceQuota(node, partition, busy, names);
    this.#lost = node && explainLost(node, partition);
    const obstacle = node && explainUnchangeable(node, partition);
    const fails = obstacle?.kind === 'Failed' || obstacle?.kind === 'Resting';
    const isShort = count !== undefined && idle.some((resource) => !count.take(resource));
    const isLong = hasLost(this.#lost !== undefined || isShort || (obstacle !== undefined && !fails));
    this.isFixed = obstacle !== undefined;
    this.isGivenUp = obstacle !== undefined && (fails || isLong);
    this.isSupply = !isLong;
  }

  /** Takes one more idle slice of a profile, or whole GPU. @returns whether new pods reach it */
  take(profile: string): boolean {
    return this.#lost === undefined && this.#quota?.take(resourceOf(profile)) !== false;
  }

  /** Why new pods do not reach a slice, about the node: `is cordoned`. */
  get why(): string {
    return this.#lost === undefined ? 'does not advertise them' : saidOf[this.#lost.kind];
  }
}

const saidOf: Readonly<Record<Obstacle['kind'], string>> = {
  Leaving: 'is being removed',
  NotReady: 'is not ready',
  Cordoned: 'is cordoned',
  Closed: 'stays closed',
  Unheard: 'does not report',
  Failed: 'has failed',
  Resting: 'rests',
};

/** Slices that new pods can use on a node now, by resource. @param names of DeviceClasses, where a DRA driver hands its GPUs out */
export function countUsable(
  node: NodeView,
  partition: GpuNodePartition | undefined,
  strategy: PolicySpec['strategy'],
  names?: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const idle = new Map<string, number>();
  if (explainUnusable(node) !== undefined) return idle;
  const offers = (partition?.status?.device?.gpus ?? []).flatMap((gpu) => listOffers(gpu, strategy));
  const busy = offers.flatMap((one) => (one.busy ? [one.resource] : []));
  const quota = new SliceQuota(node, partition, busy, names);
  for (const { resource, busy: isUsed } of offers)
    if (!isUsed && quota.take(resource)) idle.set(resource, (idle.get(resource) ?? 0) + 1);
  return idle;
}
