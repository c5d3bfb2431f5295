import type { GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';
import { isResourceOf, type ClusterFacts, type GpuNode, listGpuNodes, resourceOf } from '../cluster/facts.ts';
import { WHOLE } from '../gpu/profiles.ts';
import { findModel, type Geometry } from '../gpu/geometry.ts';
import { compareText } from '../text/json.ts';
import { byPrecedence, selectsNode, isPlanned, asScheduled } from '../policy/spec.ts';
import { type NodeView, type LabelSelection, meetsSelection } from '../kubernetes/node.ts';
import { isChangingLabelKey } from '../../api/label-keys.ts';
import { matchesGpu } from '../policy/resolve-node.ts';
import { liveGeometry } from '../device/plan.ts';
import { GPU_RESOURCE } from '../nvidia/labels.ts';
import { requestsOf, podName, type PodView } from '../kubernetes/pod.ts';
import { actsOf, type PodPool, PoolReader } from './members.ts';
import { isSlice, listWaiters, alikeKey, shareWaiting, type WaitingSlices } from './waiting-pods.ts';

const suffix = '-demand';
/** A policy's name becomes a label value. */
const longestName = 63;

/**
 * A name for the policy that is advised beside another, which it must not replace.
 *
 * @param taken names of policies that enforce, and of others that are advised
 */
function nameAdvised(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number += 1) {
    const end = number === 1 ? suffix : `${suffix}-${number}`;
    // A part of a DNS name ends with a letter or digit.
    const start = name.slice(0, longestName - end.length).replace(/[-.]+$/, '');
    if (!taken.has(start + end)) return start + end;
  }
}

const hostname = 'kubernetes.io/hostname';
/** The most host names that a selector lists: people still have to read the policy. */
const mostHosts = 64;

/**
 * A selector of a policy that takes exactly these nodes: by a label that all of them have and no other node, else by their host
 * names. Undefined if neither tells them from the others.
 */
function findSelector(pool: readonly NodeView[], others: readonly NodeView[]): PolicySpec['nodeSelector'] | undefined {
  const [first] = pool;
  if (first === undefined) return undefined;
  const [found] = Object.entries(labelsOf(first))
    .filter(([key, value]) => isOwnLabel(key) && separates(key, value, pool, others))
    .toSorted(([a], [b]) => rank(a) - rank(b) || compareText(a, b));
  if (found !== undefined) return { matchLabels: { [found[0]]: found[1] } };
  const hosts = pool.flatMap((node) => labelsOf(node)[hostname] ?? []);
  const isExact = hosts.length === pool.length && hosts.length <= mostHosts;
  return isExact ? { matchExpressions: [{ key: hostname, operator: 'In', values: hosts }] } : undefined;
}

function separates(key: string, value: string, pool: readonly NodeView[], others: readonly NodeView[]): boolean {
  const has = (node: NodeView): boolean => labelsOf(node)[key] === value;
  return pool.every(has) && !others.some(has);
}

function isOwnLabel(key: string): boolean {
  return key !== hostname && !isChangingLabelKey(key);
}

/** What people name pools with, before what Kubernetes and NVIDIA write by machine. */
function rank(key: string): number {
  if (key === 'nvidia.com/gpu.present') return 1;
  return /(^|[./])(kubernetes\.io|k8s\.io|nvidia\.com)\//.test(key) ? 2 : 0;
}

function labelsOf({ metadata }: NodeView): Readonly<Record<string, string>> {
  return metadata.labels ?? {};
}

/** GPU nodes for which one policy is advised. */
export interface AdvicePool {
  readonly name: string;
  /** The name of the policy that is advised. */
  readonly advisedName: string;
  /** Decides over these nodes now; undefined if none does. */
  readonly policy: GpuPartitionPolicy | undefined;
  /** Selects these nodes; undefined if no label tells them from others. */
  readonly selector: PolicySpec['nodeSelector'] | undefined;
  readonly nodes: readonly GpuNode[];
}

/**
 * The node sets of policies, and those that no policy selects by the models of their GPUs; or the one that a selector takes.
 * Sorted by name.
 */
export function listPools(facts: ClusterFacts, selection?: LabelSelection): readonly AdvicePool[] {
  const pools = findPools(facts, selection).toSorted((a, b) => compareText(a.name, b.name));
  const deciding = new Set(pools.map(({ policy }) => policy));
  const others = facts.policies.filter((policy) => !isPlanned(policy) || deciding.has(policy));
  const taken = new Set(others.map(({ metadata }) => metadata.name));
  return pools.map((pool) => {
    const advisedName = isPlanned(pool.policy) ? pool.name : nameAdvised(pool.name, taken);
    taken.add(advisedName);
    return { ...pool, advisedName };
  });
}

type NamedPool = Omit<AdvicePool, 'advisedName'>;

function findPools(facts: ClusterFacts, selection: LabelSelection | undefined): readonly NamedPool[] {
  const nodes = listGpuNodes(facts).map((one) => one.under(decidingPolicy(one, facts.policies)));
  if (selection !== undefined) {
    const taken = nodes.filter(({ labels }) => meetsSelection(selection, labels));
    const [first, ...others] = new Set(taken.map(({ policy }) => policy));
    const policy = others.length === 0 ? first : undefined;
    const name = policy?.metadata.name ?? nameSelection(selection);
    return taken.length === 0 ? [] : [{ name, policy, selector: selectorOf(selection), nodes: taken }];
  }
  return [...Map.groupBy(nodes, ({ policy }) => policy)].flatMap(([policy, own]) =>
    policy === undefined ? groupByModels(own, facts) : [fromPolicy(policy, own)],
  );
}

function fromPolicy(policy: GpuPartitionPolicy, nodes: readonly GpuNode[]): NamedPool {
  return { name: policy.metadata.name, policy, selector: policy.spec.nodeSelector, nodes };
}

function groupByModels(nodes: readonly GpuNode[], { nodes: all }: ClusterFacts): readonly NamedPool[] {
  return [...Map.groupBy(nodes, nameModels)].map(([name, own]) => {
    const names = new Set(own.map((one) => one.name));
    const others = all.filter(({ metadata }) => !names.has(metadata.name));
    const selector = findSelector(
      own.map(({ node }) => node),
      others,
    );
    return { name, policy: undefined, selector, nodes: own };
  });
}

/** `a100-40gb`; `unread` for nodes whose GPUs no agent has reported. */
function nameModels({ partition }: GpuNode): string {
  const gpus = partition?.status?.device?.gpus ?? [];
  // One that no selector matches has not told what it is.
  const known = gpus.filter((gpu) => matchesGpu({}, gpu));
  const products = known.map(({ product }) => findModel(product)?.id ?? asName(product));
  return products.length === 0 ? 'unread' : [...new Set(products)].toSorted(compareText).join('-');
}

/** The one that the controller has named, else the first that enforces, else the first that only plans. */
function decidingPolicy(
  { partition, labels }: GpuNode,
  policies: readonly GpuPartitionPolicy[],
): GpuPartitionPolicy | undefined {
  const selecting = policies.filter(({ spec }) => selectsNode(spec.nodeSelector, labels)).toSorted(byPrecedence);
  return (
    policies.find(({ metadata }) => metadata.name === partition?.spec.policy?.name) ??
    selecting.find((policy) => !isPlanned(policy)) ??
    selecting[0]
  );
}

/** `pool=inference` is called `inference`. */
function nameSelection({ matchLabels = {} }: LabelSelection): string {
  return asName(Object.values(matchLabels).join('-')) || 'selected';
}

function asName(words: string): string {
  return words
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

function selectorOf({ matchLabels = {} }: LabelSelection): PolicySpec['nodeSelector'] {
  return { matchLabels };
}

/** How often slices are asked for, by profile as the GPUs name it. */
export type ProfileCounts = ReadonlyMap<string, number>;

/** Amounts of resources as amounts of profiles, and of whole GPUs. Resources that these GPUs do not have are left out. */
export function byProfile(amounts: ReadonlyMap<string, number>, geometries: readonly Geometry[]): ProfileCounts {
  const counts = new Map<string, number>();
  for (const [resource, amount] of amounts) {
    const profile = profileOf(resource, geometries);
    if (profile !== undefined) counts.set(profile, (counts.get(profile) ?? 0) + amount);
  }
  return counts;
}

function profileOf(resource: string, geometries: readonly Geometry[]): string | undefined {
  if (resource === GPU_RESOURCE) return WHOLE;
  for (const { profiles } of geometries) {
    const found = profiles.find(({ name }) => isResourceOf(resource, name));
    if (found !== undefined) return found.name;
  }
  return undefined;
}

/** Memory slices of a profile, on the GPU on which it takes the fewest. */
export function sizeOf(profile: string, geometries: readonly Geometry[]): number {
  const sizes = geometries.flatMap(({ profiles }) =>
    profiles.flatMap(({ name, memorySlices }) => (name === profile ? [memorySlices] : [])),
  );
  return Math.min(...sizes, 16);
}

/** Pods that wait for GPUs which no pool has. */
interface HomelessPods {
  readonly resource: string;
  /** `NAMESPACE/NAME` */
  readonly pods: readonly string[];
}

interface PlacedPods {
  /** Slices requested by the pods that wait for a pool, by resource. */
  readonly waitingOf: ReadonlyMap<AdvicePool, WaitingSlices>;
  readonly homeless: readonly HomelessPods[];
}

/** Shares waiting pods among pools as the controller does. Those that it counts for none go to a pool that could have such a demand. */
export function placePods(
  pools: readonly AdvicePool[],
  { pods = [], namespaces, now }: Pick<ClusterFacts, 'pods' | 'namespaces' | 'now'>,
): PlacedPods {
  const waiters = listWaiters(pods, namespaces);
  const asPools = pools.map((pool, index) => toPodPool(pool, index, now));
  const shares = shareWaiting(waiters, asPools);
  const waitingOf = new Map(
    pools.map((pool, index): readonly [AdvicePool, WaitingSlices] => [
      pool,
      shares.get(asPools[index]?.policy ?? '') ?? new Map<string, number>(),
    ]),
  );
  const homeless = new Map<string, string[]>();
  // What GPUs could offer does not depend on whose pods count.
  const ofAll = asPools.map((pool) => ({ ...pool, namespaceSelector: undefined }));
  for (const [, alike] of Map.groupBy(waiters, alikeKey)) {
    const [first] = alike;
    if (first === undefined || [...shareWaiting([first], ofAll).values()].some(({ size }) => size > 0)) continue;
    for (const resource of first.requests.keys())
      homeless.set(resource, [...(homeless.get(resource) ?? []), ...alike.map(({ pod }) => podName(pod))]);
  }
  return { waitingOf, homeless: [...homeless].map(([resource, names]) => ({ resource, pods: names })) };
}

function toPodPool({ name, policy, nodes }: AdvicePool, index: number, now: number | undefined): PodPool {
  const scheduled = policy && asScheduled(policy);
  const reader = new PoolReader(scheduled ?? { spec: { strategy: 'mixed', nodeSelector: {} } });
  const strategy = scheduled?.spec.strategy ?? 'mixed';
  const read = nodes.map((one) => {
    const found = reader.read(one.node, one.partition);
    const profiles =
      strategy === 'mixed' ? geometriesOf({ nodes: [one] }).flatMap((geometry) => geometry.profiles) : [];
    const possible = profiles.map((profile) => resourceOf(profile.name));
    // The controller counts for policies only.
    const known = policy ? found : { ...found, idle: noSlices, follows: new Set<string>(), fixed: new Set<string>() };
    return { ...known, possible: new Set([...possible, GPU_RESOURCE]) };
  });
  // Pools without a policy may bear the name of one.
  const acts = scheduled ? actsOf(scheduled, now) : 'Never';
  return reader.pool(`${name} ${index}`, read, acts, scheduled?.status?.demand);
}

const noSlices: ReadonlyMap<string, number> = new Map();

/** The geometries of the GPUs that agents have reported. */
export function geometriesOf({ nodes }: Pick<AdvicePool, 'nodes'>): readonly Geometry[] {
  const found = nodes.flatMap(({ partition }) => {
    const device = partition?.status?.device ?? {};
    return (device.gpus ?? []).flatMap((gpu) => liveGeometry(device, gpu) ?? []);
  });
  return [...new Set(found)];
}

/** What pods request together, by resource. */
export function sumRequests(pods: readonly PodView[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const pod of pods)
    for (const [resource, amount] of requestsOf(pod, isSlice)) sums.set(resource, (sums.get(resource) ?? 0) + amount);
  return sums;
}
