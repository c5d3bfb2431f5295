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
import { parseQuantity } from '../text/syntax.ts';
import type { ClusterFacts } from './facts.ts';
import { listMismatches } from '../kubernetes/selectors.ts';
import { isOwnTaint, isUnfinished, leavingTaintOf } from '../node/snapshot.ts';

/**
 * The one judge of pods and nodes. It answers three questions, whoever asks (demand, explain, plan, defrag, recommend, the page): whether
 * a pod could run on a node but for its slices ({@link couldTake}), whether the slices of a node can be used by it now
 * ({@link explainUnusable}, {@link canUse}), and whether the node can change now ({@link explainUnchangeable}).
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
function listNeeds(pod: PodView): readonly Need[] {
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
function isOffered({ status }: NodeView, resource: string): boolean {
  const { allocatable } = status ?? {};
  return allocatable === undefined || common.includes(resource) || allocatable[resource] !== undefined;
}

/** A resource of which a node has too little for a pod. */
interface Shortage {
  readonly resource: string;
  /** How much of it the node has, as its kubelet reports it; undefined: none. */
  readonly total: string | undefined;
  /** The part of that which others request, in %. */
  readonly percentUsed: number;
}

/** What a pod requests beside slices and a node cannot give it now. @param others pods that the node has */
export function listShortages(node: NodeView, pod: PodView, others: readonly PodView[]): readonly Shortage[] {
  return listNeeds(pod).flatMap(([resource, amount]): readonly Shortage[] => {
    if (!isOffered(node, resource)) return [{ resource, total: undefined, percentUsed: 0 }];
    const total = node.status?.allocatable?.[resource];
    if (total === undefined) return [];
    const used = others.reduce((sum, one) => sum + requestOf(one, resource), 0n);
    const all = parseQuantity(total) ?? 0n;
    if (used + amount <= all) return [];
    return [{ resource, total, percentUsed: all === 0n ? 0 : Number((used * 100n) / all) }];
  });
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

/** Why no new pod can use what a node offers now; undefined if it can. For a pod with taints of its own, see {@link canUse}. */
export function explainUnusable(node: NodeView): Obstacle | undefined {
  const aside = explainAside(node);
  if (aside) return aside;
  return isUnfinished(node) || (node.spec?.taints ?? []).some(isOwnTaint)
    ? { kind: 'Closed', message: 'it is closed while its GPUs change' }
    : undefined;
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
export function extendedNamesOf(classes: ClusterFacts['classes']): ReadonlySet<string> | undefined {
  return classes && new Set(classes.flatMap(({ spec }) => spec?.extendedResourceName ?? []));
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
