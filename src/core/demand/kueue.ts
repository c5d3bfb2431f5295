// Room demand: which layouts the demand of a policy makes of its pool of GPUs, by what pods ask for.
// Ask here for what is read of Kueue, and how little of it is kept.
import { requestsOf, type PodView, type Toleration, tolerates } from '../kubernetes/pod.ts';
import type { NodeView, Taint } from '../kubernetes/node.ts';
import { isZeroQuantity } from '../text/syntax.ts';
import {
  assignWaitingPods,
  hasLabels,
  isSlice,
  listWaiters,
  type PoolShare,
  trimWaitingPod,
  type Uncounted,
  type Waiter,
  type WaitingPods,
} from './waiting-pods.ts';
import { omitUndefined } from '../text/json.ts';
import { controllerManager, managedByLabel } from '../../api/names.ts';
import { actsOf, isInPool, type PodPool, type PoolCluster, PoolReader } from './members.ts';
import type { PolicyRecord } from '../policy/record.ts';

/** The parts of Kueue's objects that tell what it holds back, in the API's own shape; v1beta1 and v1beta2 agree in them. */
export interface KueueFacts {
  readonly workloads: readonly KueueWorkload[];
  readonly localQueues: readonly LocalQueue[];
  readonly clusterQueues: readonly ClusterQueue[];
  readonly flavors: readonly ResourceFlavor[];
}

/** What Kueue holds back, or why that cannot be read. */
export type KueueReading = KueueFacts | { readonly trouble: string };

/** The pods that Kueue holds back, by reading: all policies ask for those of the same. */
const known = new WeakMap<KueueReading, readonly Waiter[]>();

/** Finds the pods that are held back; none if that is not known. Yields after each Workload: there may be many. */
export function* readHeld(reading: KueueReading): Generator<undefined, readonly Waiter[], unknown> {
  const before = known.get(reading);
  if (before) return before;
  const waiters: Waiter[] = [];
  for (const held of 'trouble' in reading ? [] : holding(reading)) {
    waiters.push(...held);
    yield;
  }
  known.set(reading, waiters);
  return waiters;
}

/** The share of the waiting pods that counts for a policy's pool. */
export interface WaitingReading extends PoolShare {
  /** Pods that count for no pool. */
  readonly uncounted: readonly Uncounted[];
  /** Why what Kueue holds back for the policy is not known, and what to do; undefined if it is known, or does not count. */
  readonly trouble: string | undefined;
}

const asksNothing: PoolShare = { waiting: new Map(), missing: new Map(), stranded: new Map(), takers: undefined };

/**
 * Shares pods that wait among the pools of all policies; yields after each look at a node, or at a pool.
 *
 * @param waiting pods, of which those count that wait for a node
 * @param held what Kueue holds back; undefined: the policy does not follow that
 * @param now in ms since the epoch
 * @returns the share of one policy
 */
export function* readShare(
  record: PolicyRecord,
  cluster: PoolCluster,
  waiting: WaitingPods,
  held: KueueReading | undefined,
  now: number,
): Generator<undefined, WaitingReading, unknown> {
  const uncounted: Uncounted[] = [];
  const pools = yield* listPodPools(record, cluster, now);
  const queued = held ? yield* readHeld(held) : [];
  const all = [...listWaiters(waiting.pods, waiting.namespaces), ...queued];
  const shares = yield* assignWaitingPods(all, pools, (left) => uncounted.push(left));
  const own = [...record.nodes].flatMap((node) => cluster.nodes.get(node) ?? []);
  const trouble = held && explainUnread(held, own);
  return { ...(shares.get(record.name) ?? asksNothing), uncounted, trouble };
}

/**
 * All pools among which pods that wait are shared, with that of a policy as `listPool` has it; yields after each node.
 *
 * @param now in ms since the epoch
 */
export function* listPodPools(
  record: PolicyRecord,
  { fleet, nodes, partitions, names }: PoolCluster,
  now: number,
): Generator<undefined, readonly PodPool[], unknown> {
  const pools: PodPool[] = [];
  for (const one of fleet.policies) {
    const { name, policy } = one;
    const reader = new PoolReader(policy, names);
    const own: PodPool['nodes'][number][] = [];
    for (const key of one.nodes) {
      const isOwn = one === record ? isInPool(fleet, one, key) : fleet.winnerOf(key) === name;
      const isTaken = one !== record && record.nodes.has(key) && isInPool(fleet, record, key);
      const node = isOwn && !isTaken ? nodes.get(key) : undefined;
      if (node) own.push(reader.read(node, partitions.get(key)));
      yield;
    }
    pools.push(reader.pool(name, own, actsNow(one, now, one === record), one.demand?.states, now));
  }
  return pools;
}

/** {@link actsOf}, with what the status does not say yet. */
function actsNow(record: PolicyRecord, now: number, isViewer: boolean): PodPool['acts'] {
  const { policy, isAccepted, inForce } = record;
  if (!isViewer && !isAccepted && inForce === undefined) return 'Never';
  const acts = actsOf(policy, now, isViewer);
  return acts === 'Now' && record.holdFor(policy)?.kind === 'Refused' ? 'Later' : acts;
}

/** Why what Kueue holds back for a policy is not known, and what to do. @param nodes of the policy */
function explainUnread(reading: KueueReading, nodes: readonly NodeView[]): string | undefined {
  if ('trouble' in reading)
    return `${reading.trouble}: install Kueue and grant what config/rbac has for it, or set demand.from: Pods`;
  const named = new Set(
    reading.clusterQueues.flatMap(({ spec }) =>
      (spec?.resourceGroups ?? []).flatMap((group) => (group.flavors ?? []).map(({ name }) => name)),
    ),
  );
  const own = reading.flavors.filter(
    ({ metadata, spec }) => named.has(metadata.name) && nodes.some((node) => hasLabels(node, spec?.nodeLabels ?? {})),
  );
  if (nodes.length === 0 || own.length > 0) return undefined;
  return 'no ClusterQueue names a ResourceFlavor whose nodeLabels match a node of this policy, so nothing in Kueue is for it: add one to a queue, or set demand.from: Pods';
}

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface KueueWorkload {
  readonly metadata: Metadata;
  readonly spec?: {
    readonly active?: boolean;
    readonly queueName?: string;
    readonly podSets?: readonly PodSet[];
  };
  readonly status?: {
    readonly admission?: {
      readonly podSetAssignments?: readonly {
        readonly name?: string;
        /** Fewer than the set has, where its job starts with fewer pods too. */
        readonly count?: number;
        readonly flavors?: Readonly<Record<string, string>>;
      }[];
    };
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly reclaimablePods?: readonly { readonly name: string; readonly count: number }[];
  };
}

interface PodSet {
  readonly name?: string;
  readonly count?: number;
  readonly template?: { readonly spec?: PodView['spec'] };
}

interface LocalQueue {
  readonly metadata: Metadata;
  readonly spec?: { readonly clusterQueue?: string; readonly stopPolicy?: string };
}

interface ClusterQueue {
  readonly metadata: Metadata;
  readonly spec?: {
    readonly stopPolicy?: string;
    /** The cohort's name in v1beta1; v1beta2 calls the field `cohortName`. */
    readonly cohort?: string;
    readonly cohortName?: string;
    readonly resourceGroups?: readonly {
      readonly coveredResources?: readonly string[];
      readonly flavors?: readonly { readonly name: string; readonly resources?: readonly Quota[] }[];
    }[];
  };
}

interface Quota {
  readonly name: string;
  readonly nominalQuota?: string | number;
  readonly borrowingLimit?: string | number;
}

interface ResourceFlavor {
  readonly metadata: Metadata;
  readonly spec?: {
    readonly nodeLabels?: Readonly<Record<string, string>>;
    readonly nodeTaints?: readonly Taint[];
    readonly tolerations?: readonly Toleration[];
  };
}

/**
 * The pods of Workloads that Kueue has not admitted, Workload by Workload: their jobs are suspended, or their pods gated, so nothing else
 * shows what they will request. Once a Workload is admitted, its pods are there and count. What a stopped queue holds does not count.
 */
function* holding(facts: KueueFacts): Generator<readonly Waiter[], undefined, undefined> {
  const queues = new Map(facts.localQueues.map((one) => [nameOf(one.metadata), one]));
  const clusterQueues = new Map(facts.clusterQueues.map((one) => [one.metadata.name, one]));
  const flavors = new Map(facts.flavors.map((one) => [one.metadata.name, one]));
  for (const workload of facts.workloads) {
    const { metadata, spec } = workload;
    const local = queues.get(nameOf({ ...metadata, name: spec?.queueName ?? '' }));
    const queue = clusterQueues.get(local?.spec?.clusterQueue ?? '');
    const isStopped = [local, queue].some((one) => (one?.spec?.stopPolicy ?? 'None') !== 'None');
    const sets = !isStopped && isOnHold(workload) ? (spec?.podSets ?? []) : [];
    yield sets.flatMap((set) => (queue ? readPodSet(workload, set, queue, flavors) : []));
  }
}

function nameOf({ namespace = '', name }: Metadata): string {
  return `${namespace}/${name}`;
}

/** Whether Kueue has yet to admit it. */
function isOnHold({ metadata, spec, status }: KueueWorkload): boolean {
  const is = (type: string): boolean =>
    status?.conditions?.some((one) => one.type === type && one.status === 'True') === true;
  return metadata.deletionTimestamp === undefined && spec?.active !== false && !is('Finished') && !is('Admitted');
}

/** A Workload of Kueue, reduced to the slices that it waits for. Of one that is not held back, only the name is kept. */
export function trimWorkload(workload: KueueWorkload): KueueWorkload {
  const { name, namespace } = workload.metadata;
  const metadata = omitUndefined({ name, namespace });
  if (!isOnHold(workload)) return { metadata, spec: { active: false } };
  const { queueName, podSets = [] } = workload.spec ?? {};
  const { admission, reclaimablePods } = workload.status ?? {};
  return {
    metadata,
    spec: {
      ...omitUndefined({ queueName }),
      podSets: podSets.map(({ name: set, count, template }) => {
        const { spec } = trimWaitingPod({ metadata, ...(template?.spec && { spec: template.spec }) });
        return omitUndefined({ name: set, count, template: spec && { spec } });
      }),
    },
    status: omitUndefined({ admission, reclaimablePods }),
  };
}

/** The most combinations of flavors that are looked at. */
const mostWays = 256;

function readPodSet(
  { metadata, status }: KueueWorkload,
  { name = 'main', count = 1, template }: PodSet,
  queue: ClusterQueue,
  flavors: ReadonlyMap<string, ResourceFlavor>,
): readonly Waiter[] {
  const pod: PodView = {
    metadata: { ...metadata, name: `${metadata.name}/${name}` },
    ...(template?.spec && { spec: template.spec }),
  };
  const requests = requestsOf(pod, isSlice);
  const done = status?.reclaimablePods?.find((one) => one.name === name)?.count ?? 0;
  // One that has its quota, and waits for a check, has its flavor too.
  const given = status?.admission?.podSetAssignments?.find((one) => (one.name ?? 'main') === name);
  const left = Math.min(given?.count ?? count, count - done);
  if (left <= 0 || requests.size === 0) return [];
  const assigned = given?.flavors ?? {};
  // All resources of a group get the same flavor, and each group has its own.
  const groups = Map.groupBy(requests.keys(), (resource) => groupOf(queue, resource));
  const perGroup = [...groups].map(([, resources]) => {
    const lists = resources.map((one) => (assigned[one] === undefined ? listFlavors(queue, one) : [assigned[one]]));
    return (lists[0] ?? []).filter((flavor) => lists.every((list) => list.includes(flavor)));
  });
  const choices = perGroup.reduce<readonly (readonly string[])[]>(
    (all, names) => all.flatMap((some) => names.map((name) => [...some, name])).slice(0, mostWays),
    [[]],
  );
  const chosen = choices.map((names) => names.map((name) => flavors.get(name)));
  const ways = chosen.flatMap((some) => placeBy(pod, some));
  return ways.length === 0 ? [] : [{ pod, count: left, requests, ways }];
}

function groupOf({ spec }: ClusterQueue, resource: string): object | undefined {
  return spec?.resourceGroups?.find(({ coveredResources = [] }) => coveredResources.includes(resource));
}

/** Whether the controller keeps an object of Kueue: it has then written its label on it. */
export function isKept({ metadata }: ClusterQueue | ResourceFlavor): boolean {
  return metadata.labels?.[managedByLabel] === controllerManager;
}

/**
 * The flavors in which a queue has quota for a resource. Each has to list all resources of its group: with 0 what it does not offer. The
 * quotas that the controller keeps follow what a demand makes, and so say nothing of what it may make.
 */
function listFlavors(queue: ClusterQueue, resource: string): readonly string[] {
  const { spec } = queue;
  const mayBorrow = isKept(queue) || (spec?.cohort ?? spec?.cohortName ?? '') !== '';
  const hasQuota = ({ nominalQuota = 0, borrowingLimit }: Quota): boolean =>
    !isZeroQuantity(nominalQuota) || (mayBorrow && !(borrowingLimit !== undefined && isZeroQuantity(borrowingLimit)));
  return (spec?.resourceGroups ?? []).flatMap(({ coveredResources = [], flavors = [] }) => {
    if (!coveredResources.includes(resource)) return [];
    const offering = flavors.filter(({ resources }) =>
      (resources ?? []).every((quota) => quota.name !== resource || hasQuota(quota)),
    );
    return offering.map(({ name }) => name);
  });
}

/** The pod as Kueue starts it with these flavors; none if it does not tolerate their taints, or no node can have the labels of all. */
function placeBy(pod: PodView, flavors: readonly (ResourceFlavor | undefined)[]): NonNullable<Waiter['ways']> {
  const labels = flavors.flatMap((flavor) => Object.entries(flavor?.spec?.nodeLabels ?? {}));
  const nodeLabels = Object.fromEntries(labels);
  const isPossible = labels.every(([key, value]) => nodeLabels[key] === value);
  if (!isPossible || !flavors.every((flavor) => flavor && toleratesFlavor(pod, flavor))) return [];
  const own = pod.spec?.tolerations ?? [];
  const all = [...own, ...flavors.flatMap((flavor) => flavor?.spec?.tolerations ?? [])];
  return [{ nodeLabels, pod: { ...pod, spec: { ...pod.spec, tolerations: all } } }];
}

function toleratesFlavor(pod: PodView, { spec: { nodeTaints = [], tolerations = [] } = {} }: ResourceFlavor): boolean {
  const all = [...(pod.spec?.tolerations ?? []), ...tolerations];
  const hard = nodeTaints.filter(({ effect }) => effect !== 'PreferNoSchedule');
  return hard.every((taint) => tolerates(all, taint));
}
