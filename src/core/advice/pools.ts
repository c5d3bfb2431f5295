import type { GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';
import { type ClusterFacts, type GpuNode, isPlanned, listGpuNodes } from '../explain/cluster-facts.ts';
import { findModel } from '../gpu/geometry/model-lookup.ts';
import { type LabelSelection, meetsSelection } from '../metadata/label-selector.ts';
import { productsOf } from '../policy/match-gpu.ts';
import { byPrecedence, selectsNode } from '../policy/precedence.ts';
import { compareText } from '../text/fingerprint.ts';
import { nameAdvised } from './advised-name.ts';
import { findSelector } from './pool-selector.ts';

/** GPU nodes for which one policy is advised. */
export interface AdvicePool {
  readonly name: string;
  /** Of the policy that is advised. */
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
