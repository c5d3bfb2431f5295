// Room cluster: the cluster as it was read, and the one judge of its pods and nodes.
// Ask here for the GPU nodes of a cluster, with what each offers and what of it is in use, by resource.
import { type ResourceClaimView, gpuDriver } from '../kubernetes/claims.ts';
import { namespacedName, roundUp, wholeUnits } from '../text/syntax.ts';
import { memoize } from '../text/json.ts';
import type {
  DeviceReport,
  GpuNodePartition,
  GpuPartitionPolicy,
  GpuReport,
  GpuWish,
  InstanceReport,
} from '../../api/types.ts';
import { findNamedDevice, publishDevices } from '../device/holders.ts';
import { userKey } from '../gpu/device-state.ts';
import { todaysNameOf } from '../gpu/profiles.ts';
import type { NodeView } from '../kubernetes/node.ts';
import { GPU_RESOURCE, labelProfile, migResourceName, type MigStrategy, strategyByLabels } from '../nvidia/labels.ts';
import type { BudgetView } from '../kubernetes/eviction.ts';
import { isGpuResource, holdsNode, requestOf, podName, type PodView } from '../kubernetes/pod.ts';
import { selectsNode, byPrecedence, isPlanned } from '../policy/versions.ts';
import { asScheduled } from '../policy/schedules.ts';
import type { NodeSlice } from './claim-devices.ts';
import type { ClaimTemplate, RequestedClaim, DeviceClassView } from './claim-requests.ts';

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

/** What is known of a cluster when a pod is explained. */
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

/** A GPU node with the policy that decides over it. */
export interface GpuNode {
  readonly name: string;
  readonly node: NodeView;
  readonly labels: Readonly<Record<string, string>>;
  readonly partition: GpuNodePartition | undefined;
  readonly policy: GpuPartitionPolicy | undefined;
  readonly pods: readonly PodView[] | undefined;
  /** Devices taken by claims; undefined if the claims are not known. */
  readonly taken: TakenDevices | undefined;
}

/** Pods that hold something, and how much of it. */
interface ResourceUse {
  readonly used: number;
  readonly holders: readonly string[];
  /** How much of it stays in use if these pods go. */
  readonly usedWithout: (gone: readonly string[]) => number;
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
      {
        name,
        node,
        labels,
        partition,
        policy: policy && asScheduled(policy),
        pods: pods && (podsOf.get(name) ?? []),
        taken: claims && (takenByNode(claims).get(name) ?? new Map()),
      },
    ];
  });
}

/** GPU resources that a node offers, and how many. */
export function offersOf(gpuNode: Pick<GpuNode, 'node' | 'partition'>): Readonly<Record<string, number>> {
  const { node, partition } = gpuNode;
  if (isDra(gpuNode)) return countDevices(partition?.status?.device ?? {});
  const all = Object.entries(node.status?.allocatable ?? {}).filter(([name]) => isGpuResource(name));
  return Object.fromEntries(all.map(([name, amount]) => [name, wholeUnits(amount)]));
}

/** How many of a resource a node offers. */
export function offerOf(gpuNode: Pick<GpuNode, 'node' | 'partition'>, resource: string): number {
  return offersOf(gpuNode)[resource] ?? 0;
}

/** Whether a DRA driver hands out a node's GPUs. Its slices then stand for the resources that DeviceClasses name. */
export function isDra({ partition }: Pick<GpuNode, 'partition'>): boolean {
  return partition?.spec.backend === 'DRA';
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

/** The use of a resource on a node, by pod. */
export function useOf(gpuNode: GpuNode, resource: string): ResourceUse {
  const { pods } = gpuNode;
  // A claim names a device, and not what its pod asked for.
  if (pods === undefined || isDra(gpuNode)) return reportedUse(gpuNode, resource);
  const asked = pods.map((pod) => ({ pod, amount: roundUp(requestOf(pod, resource)) }));
  const holders = asked.filter(({ amount }) => amount > 0);
  const usedWithout = (gone: readonly string[]): number =>
    holders.reduce((sum, { pod, amount }) => sum + (gone.includes(podName(pod)) ? 0 : amount), 0);
  return { used: usedWithout([]), holders: holders.map(({ pod }) => podName(pod)).toSorted(), usedWithout };
}

/** What is in use by the agent's report, and by claims whose pod it does not know yet: less exact if slices are shared. */
function reportedUse(gpuNode: GpuNode, resource: string): ResourceUse {
  const isSliced = resource.startsWith('nvidia.com/mig-');
  // A lost GPU offers nothing, whoever has it.
  const gpus = (gpuNode.partition?.status?.device?.gpus ?? []).filter(({ error }) => error === undefined);
  const claimed = isDra(gpuNode) ? claimedPlaces(gpuNode, gpus) : new Map<string, string>();
  const usersOf = ({ busy, pods = [] }: GpuReport | InstanceReport, key: string): readonly string[] | undefined => {
    const claim = claimed.get(key);
    if (pods.length > 0 || claim === undefined) return busy === true ? pods : undefined;
    return [claim];
  };
  const slices = gpus.flatMap((gpu) =>
    (gpu.mig === 'Enabled' ? gpu.instances : []).map((one) => ({
      profile: isDra(gpuNode) ? todaysNameOf(gpu.product, one.profile) : one.profile,
      users: usersOf(one, userKey(gpu.uuid, one)),
    })),
  );
  const whole = gpus.filter(({ mig }) => mig !== 'Enabled').map((gpu) => usersOf(gpu, userKey(gpu.uuid)));
  const isNamedBySlice = isDra(gpuNode) || strategyOf(gpuNode) === 'mixed';
  const held = isSliced
    ? slices.filter(({ profile }) => isResourceOf(resource, profile)).map(({ users }) => users)
    : [...whole, ...(isNamedBySlice ? [] : slices.map(({ users }) => users))];
  const all = held.filter((users) => users !== undefined);
  // What no pod is named for, some process has.
  const usedWithout = (gone: readonly string[]): number =>
    all.filter((users) => users.length === 0 || users.some((pod) => !gone.includes(pod))).length;
  return { used: all.length, holders: [...new Set(all.flat())].toSorted(), usedWithout };
}

/** Holders of a node's places by claim, by {@link userKey}. */
function claimedPlaces({ taken = new Map() }: GpuNode, gpus: readonly GpuReport[]): ReadonlyMap<string, string> {
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

/** How many instances of a resource's profile are on a node's device. */
export function slicesOf({ partition }: GpuNode, resource: string): number {
  const gpus = partition?.status?.device?.gpus ?? [];
  return gpus.flatMap(({ instances }) => instances).filter(({ profile }) => isResourceOf(resource, profile)).length;
}

/** The GPU without an answer that has, or is to have, instances of a resource's profile, unless one that answers has some too. */
export function lostGpuFor(gpuNode: GpuNode, resource: string): GpuReport | undefined {
  const wishes = wishesOf(gpuNode);
  const gpus = (gpuNode.partition?.status?.device?.gpus ?? []).filter(
    ({ uuid, instances }) =>
      instances.some(({ profile }) => isResourceOf(resource, profile)) ||
      wishes.some((wish) => wish.uuid === uuid && countWished(wish, resource) > 0),
  );
  return gpus.every(({ error }) => error !== undefined) ? gpus[0] : undefined;
}

/** The strategy with which a node's plugin runs: by its labels, else its policy's, unless that only plans. */
export function strategyOf({ labels, partition, policy }: GpuNode): MigStrategy | undefined {
  return strategyByLabels(labels, false) ?? (isPlanned(policy) ? undefined : partition?.spec.strategy);
}

/** How many instances of a resource's profile a node is to have by its policy, on GPUs that answer. */
export function wishedSlices(gpuNode: GpuNode, resource: string): number {
  const { gpus = [] } = gpuNode.partition?.status?.device ?? {};
  const lost = new Set(gpus.flatMap(({ uuid, error }) => (error === undefined ? [] : [uuid])));
  return wishesOf(gpuNode).reduce((sum, wish) => sum + (lost.has(wish.uuid) ? 0 : countWished(wish, resource)), 0);
}

function wishesOf({ partition, policy }: GpuNode): readonly GpuWish[] {
  return isPlanned(policy) ? [] : (partition?.spec.wish?.gpus ?? []);
}

function countWished({ profiles = {} }: GpuWish, resource: string): number {
  return Object.entries(profiles).reduce(
    (sum, [profile, count]) => sum + (isResourceOf(resource, profile) ? count : 0),
    0,
  );
}

/** Lists all GPU resources that are offered anywhere now. */
export function listOffered(nodes: readonly GpuNode[]): readonly string[] {
  const names = nodes.flatMap((one) =>
    Object.entries(offersOf(one)).flatMap(([name, amount]) => (amount > 0 ? [name] : [])),
  );
  return [...new Set(names)].toSorted();
}
