import type { GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';
import { isPlanned, type ClusterFacts, type GpuNode, listGpuNodes } from '../cluster/facts.ts';
import { findModel } from '../gpu/geometry.ts';
import { compareText } from '../text/json.ts';
import { byPrecedence, selectsNode } from '../policy/versions.ts';
import type { NodeView } from '../kubernetes/node.ts';
import { isChangingLabelKey } from '../../api/label-keys.ts';
import { type LabelSelection, meetsSelection } from '../kubernetes/selectors.ts';
import { productsOf } from '../policy/resolve-node.ts';

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
  const nodes = listGpuNodes(facts).map((node) => ({ ...node, policy: decidingPolicy(node, facts.policies) }));
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
  const products = productsOf(gpus).map((product) => findModel(product)?.id ?? asName(product));
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
