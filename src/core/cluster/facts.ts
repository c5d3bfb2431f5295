// Room cluster: the cluster as it was read, and the one judge of its pods and nodes.
// Ask here for the facts that the tools read of a cluster and the GPU nodes in them, whether a pod could run on a node, whether it can use its slices now, and whether the node can change now.
import { namespacedName, parseQuantity, roundUp, wholeUnits } from '../text/syntax.ts';
import { memoize } from '../text/json.ts';
import type {
  DeviceReport,
  GpuNodePartition,
  GpuPartitionPolicy,
  GpuReport,
  InstanceReport,
  PolicySpec,
} from '../../api/types.ts';
import { isGrantLive } from '../device/grants.ts';
import { deviceClassPrefix, findNamedDevice, publishDevices } from '../device/holders.ts';
import { userKey } from '../gpu/device-state.ts';
import { todaysNameOf, WHOLE } from '../gpu/profiles.ts';
import { type NodeView, type Taint, listMismatches } from '../kubernetes/node.ts';
import { GPU_RESOURCE, labelProfile, migResourceName, type MigStrategy, strategyByLabels } from '../nvidia/labels.ts';
import { type BudgetView, findResting } from '../node/eviction.ts';
import { isOwnTaint, isUnfinished, leavingTaintOf } from '../node/snapshot.ts';
import {
  isGpuResource,
  hasEnded,
  listRequested,
  requestOf,
  podName,
  type PodView,
  type Toleration,
  tolerates,
  type ResourceClaimView,
  type ResourceSliceView,
  type SliceDevice,
  gpuDriver,
} from '../kubernetes/pod.ts';
import { selectsNode, byPrecedence, isPlanned, asScheduled } from '../policy/spec.ts';

/** Devices of one node by their names, and who has each: the pod, or the claim that no pod uses. */
type TakenDevices = ReadonlyMap<string, string>;

/** The devices that claims have, by node. A monitor takes none. Every node is asked for its own: claims are sorted once. */
const takenByNode = memoize((claims: readonly ResourceClaimView[]): ReadonlyMap<string, TakenDevices> => {
  const taken = new Map<string, Map<string, string>>();
  for (const { metadata, status } of claims) {
    for (const { driver, pool, device, adminAccess } of status?.allocation?.devices?.results ?? []) {
      if (driver !== gpuDriver || adminAccess === true) continue;
      const [first] = status?.reservedFor ?? [];
      const holder = first ? namespacedName({ ...metadata, name: first.name }) : `claim ${namespacedName(metadata)}`;
      taken.set(pool, (taken.get(pool) ?? new Map<string, string>()).set(device, holder));
    }
  }
  return taken;
});

interface Selector {
  readonly cel?: { readonly expression?: string };
}

/** The parts of a DeviceClass (`resource.k8s.io`) that tell what it stands for. */
interface DeviceClassView {
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly extendedResourceName?: string; readonly selectors?: readonly Selector[] };
}

/** One request of a claim, or one alternative of it. */
interface DeviceRequest {
  readonly deviceClassName?: string;
  readonly count?: number;
  readonly allocationMode?: string;
  readonly adminAccess?: boolean;
  readonly selectors?: readonly Selector[];
  readonly tolerations?: readonly Toleration[];
}

interface NamedRequest extends DeviceRequest {
  readonly name: string;
  readonly exactly?: DeviceRequest;
  readonly firstAvailable?: readonly (DeviceRequest & { readonly name: string })[];
}

interface ClaimSpec {
  readonly devices?: { readonly requests?: readonly NamedRequest[]; readonly constraints?: readonly unknown[] };
}

/** What a ResourceClaim requests, and whether it has it. */
interface RequestedClaim extends ResourceClaimView {
  readonly spec?: ClaimSpec;
}

/** What the ResourceClaims of a ResourceClaimTemplate request. */
interface ClaimTemplate {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: { readonly spec?: ClaimSpec };
}

interface OfferedDevice extends SliceDevice {
  readonly capacity?: Readonly<Record<string, { readonly value?: string }>>;
  readonly taints?: readonly Taint[];
}

/** The slice of a node as `kubectl get resourceslices` gives it. */
interface NodeSlice {
  readonly spec: Omit<ResourceSliceView['spec'], 'devices'> & {
    readonly nodeName?: string;
    readonly devices?: readonly OfferedDevice[];
  };
}

/** What is known of a cluster at one moment. */
export interface ClusterFacts {
  /** Milliseconds since the epoch; undefined: what depends on the time is not told. */
  readonly now?: number;
  readonly nodes: readonly NodeView[];
  readonly partitions: readonly GpuNodePartition[];
  readonly policies: readonly GpuPartitionPolicy[];
  /** Every pod of the cluster; undefined if the user may not list them: then the agents' reports count. */
  readonly pods?: readonly PodView[] | undefined;
  /** PodDisruptionBudgets; undefined if the user may not list them: then evictions count as allowed. */
  readonly budgets?: readonly BudgetView[] | undefined;
  /** Labels of namespaces, by name; absent: only their names are known. */
  readonly namespaces?: ReadonlyMap<string, Readonly<Record<string, string>>> | undefined;
  /** Objects of `resource.k8s.io`; undefined: not served, or the user may not list them. */
  readonly classes?: readonly DeviceClassView[] | undefined;
  readonly claims?: readonly RequestedClaim[] | undefined;
  readonly templates?: readonly ClaimTemplate[] | undefined;
  readonly slices?: readonly NodeSlice[] | undefined;
}

/** Pods that hold something, and how much of it. */
interface ResourceUse {
  readonly used: number;
  readonly holders: readonly string[];
  /** How much of it stays in use if these pods go. */
  readonly usedWithout: (gone: readonly string[]) => number;
}

/** A GPU node with the policy that decides over it. */
export class GpuNode {
  readonly name: string;
  readonly node: NodeView;
  readonly labels: Readonly<Record<string, string>>;
  readonly partition: GpuNodePartition | undefined;
  readonly policy: GpuPartitionPolicy | undefined;
  readonly pods: readonly PodView[] | undefined;
  /** Devices taken by claims; undefined if the claims are not known. */
  readonly taken: TakenDevices | undefined;
  #offers: Readonly<Record<string, number>> | undefined;

  constructor(node: NodeView, known: Pick<GpuNode, 'partition' | 'policy' | 'pods' | 'taken'>) {
    this.name = node.metadata.name;
    this.node = node;
    this.labels = node.metadata.labels ?? {};
    this.partition = known.partition;
    this.policy = known.policy;
    this.pods = known.pods;
    this.taken = known.taken;
  }

  /** The node as if another policy, or none, decided over it. */
  under(policy: GpuPartitionPolicy | undefined): GpuNode {
    const { node, partition, pods, taken } = this;
    return new GpuNode(node, { partition, policy, pods, taken });
  }

  /** Whether a DRA driver hands out the node's GPUs. Its slices then stand for the resources that DeviceClasses name. */
  get isDra(): boolean {
    return this.partition?.spec.backend === 'DRA';
  }

  /** The strategy with which the node's plugin runs: by its labels, else its policy's, unless that only plans. */
  get strategy(): MigStrategy | undefined {
    return strategyByLabels(this.labels, false) ?? (isPlanned(this.policy) ? undefined : this.partition?.spec.strategy);
  }

  /** GPU resources that the node offers, and how many. */
  get offers(): Readonly<Record<string, number>> {
    this.#offers ??= this.#countOffers();
    return this.#offers;
  }

  #countOffers(): Readonly<Record<string, number>> {
    if (this.isDra) return countDevices(this.partition?.status?.device ?? {});
    const all = Object.entries(this.node.status?.allocatable ?? {}).filter(([name]) => isGpuResource(name));
    return Object.fromEntries(all.map(([name, amount]) => [name, wholeUnits(amount)]));
  }

  /** The use of a resource on the node, by pod. */
  useOf(resource: string): ResourceUse {
    // A claim names a device, and not what its pod asked for.
    if (this.pods === undefined || this.isDra) return this.#reportedUse(resource);
    const asked = this.pods.map((pod) => ({ pod, amount: roundUp(requestOf(pod, resource)) }));
    const holders = asked.filter(({ amount }) => amount > 0);
    const usedWithout = (gone: readonly string[]): number =>
      holders.reduce((sum, { pod, amount }) => sum + (gone.includes(podName(pod)) ? 0 : amount), 0);
    return { used: usedWithout([]), holders: holders.map(({ pod }) => podName(pod)).toSorted(), usedWithout };
  }

  /** What is in use by the agent's report, and by claims whose pod it does not know yet: less exact if slices are shared. */
  #reportedUse(resource: string): ResourceUse {
    const { isDra } = this;
    const isSliced = resource.startsWith('nvidia.com/mig-');
    // A lost GPU offers nothing, whoever has it.
    const gpus = (this.partition?.status?.device?.gpus ?? []).filter(({ error }) => error === undefined);
    const claimed = isDra ? claimedPlaces(this.taken, gpus) : new Map<string, string>();
    const usersOf = ({ busy, pods = [] }: GpuReport | InstanceReport, key: string): readonly string[] | undefined => {
      const claim = claimed.get(key);
      if (pods.length > 0 || claim === undefined) return busy === true ? pods : undefined;
      return [claim];
    };
    const slices = gpus.flatMap((gpu) =>
      (gpu.mig === 'Enabled' ? gpu.instances : []).map((one) => ({
        profile: isDra ? todaysNameOf(gpu.product, one.profile) : one.profile,
        users: usersOf(one, userKey(gpu.uuid, one)),
      })),
    );
    const whole = gpus.filter(({ mig }) => mig !== 'Enabled').map((gpu) => usersOf(gpu, userKey(gpu.uuid)));
    const isNamedBySlice = isDra || this.strategy === 'mixed';
    const held = isSliced
      ? slices.filter(({ profile }) => isResourceOf(resource, profile)).map(({ users }) => users)
      : [...whole, ...(isNamedBySlice ? [] : slices.map(({ users }) => users))];
    const all = held.filter((users) => users !== undefined);
    // What no pod is named for, some process has.
    const usedWithout = (gone: readonly string[]): number =>
      all.filter((users) => users.length === 0 || users.some((pod) => !gone.includes(pod))).length;
    return { used: all.length, holders: [...new Set(all.flat())].toSorted(), usedWithout };
  }
}

/** What the driver publishes by the report: a node on which it does not is closed, or not Ready. */
function countDevices(device: DeviceReport): Readonly<Record<string, number>> {
  const names = publishDevices(device).devices.map(({ profile, productName }) =>
    profile === undefined ? GPU_RESOURCE : migResourceName(todaysNameOf(productName, profile)),
  );
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** Holders of a node's places by claim, by {@link userKey}. */
function claimedPlaces(taken: TakenDevices = new Map(), gpus: readonly GpuReport[]): ReadonlyMap<string, string> {
  return new Map(
    [...taken].flatMap(([device, holder]) => {
      const found = findNamedDevice(device, { gpus });
      return found ? [[userKey(found.gpu.uuid, found.instance), holder] as const] : [];
    }),
  );
}

/** Whether a resource is a profile's under strategy mixed, shared or not. */
export function isResourceOf(resource: string, profile: string): boolean {
  return resource.replace(/\.shared$/, '') === migResourceName(labelProfile(profile));
}

/** The nodes that have GPUs: a partition, or a resource that stands for some. */
export function listGpuNodes({ nodes, partitions, policies, pods, claims }: ClusterFacts): readonly GpuNode[] {
  const partitionOf = new Map(partitions.map((partition) => [partition.metadata.name, partition]));
  const podsOf = Map.groupBy((pods ?? []).filter(holdsNode), ({ spec }) => spec?.nodeName);
  const ordered = policies.toSorted(byPrecedence);
  return nodes.flatMap((node): readonly GpuNode[] => {
    const { name, labels = {} } = node.metadata;
    const partition = partitionOf.get(name);
    if (!partition && !Object.keys(node.status?.allocatable ?? {}).some(isGpuResource)) return [];
    const named = ordered.find(({ metadata }) => metadata.name === partition?.spec.policy?.name);
    const policy = named ?? ordered.find(({ spec }) => selectsNode(spec.nodeSelector, labels));
    return [
      new GpuNode(node, {
        partition,
        policy: policy && asScheduled(policy),
        pods: pods && (podsOf.get(name) ?? []),
        taken: claims && (takenByNode(claims).get(name) ?? new Map()),
      }),
    ];
  });
}

/** Whether a pod keeps what it holds on a node. */
export function holdsNode(pod: PodView): boolean {
  return pod.spec?.nodeName !== undefined && !hasEnded(pod);
}

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
