import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import { checkPolicy } from './check.ts';
import type { PolicyRefusal } from './refusal.ts';
import { fullSupport, type Support } from './support.ts';
import { decidePolicy, type NodeWish, resolveNode } from './resolve-node.ts';

/** What resolving needs to know of a Node. */
export interface FleetNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly partition: GpuNodePartition | undefined;
}

export interface NodeResolution {
  readonly winner: GpuPartitionPolicy | undefined;
  readonly losers: readonly GpuPartitionPolicy[];
  /** undefined while the node's agent has not reported, or no policy selects the node. */
  readonly wish: NodeWish | undefined;
}

export interface FleetResolution {
  readonly nodes: ReadonlyMap<string, NodeResolution>;
  /** By policy name: why the policy is refused as a whole. One node that cannot be is enough: no node is touched. */
  readonly refusals: ReadonlyMap<string, PolicyRefusal>;
}

/** Remembers results by the objects that they came from: the watch cache replaces an object when it changes. */
export interface ResolutionMemory {
  readonly checks: WeakMap<GpuPartitionPolicy, { readonly refusal: PolicyRefusal | undefined }>;
  readonly wishes: WeakMap<GpuNodePartition, { readonly policy: GpuPartitionPolicy; readonly wish: NodeWish }>;
}

export function newMemory(): ResolutionMemory {
  return { checks: new WeakMap(), wishes: new WeakMap() };
}

/** Resolves every node, then every policy: which policy wins where, what it wants there, and why it is refused. */
export function resolveFleet(
  policies: readonly GpuPartitionPolicy[],
  nodes: Iterable<FleetNode>,
  support: Support = fullSupport,
  memory: ResolutionMemory = newMemory(),
): FleetResolution {
  const refusals = new Map<string, PolicyRefusal>();
  for (const policy of policies) {
    const { refusal } = remember(memory.checks, policy, () => ({ refusal: checkPolicy(policy.spec, support) }));
    if (refusal) refusals.set(policy.metadata.name, refusal);
  }
  const resolved = new Map<string, NodeResolution>();
  for (const node of nodes) {
    const { winner, losers } = decidePolicy(policies, node.labels);
    const wish = winner && !refusals.has(winner.metadata.name) ? wishOf(winner, node, memory) : undefined;
    resolved.set(node.name, { winner, losers, wish });
  }
  // Only now, so that one node's refusal does not change how the nodes after it were resolved.
  for (const [node, { winner, wish }] of resolved) {
    if (!winner || !wish || !('refusal' in wish)) continue;
    const name = winner.metadata.name;
    if (!refusals.has(name)) {
      const place = wish.entry === undefined ? '' : `spec.layouts[${wish.entry}]: `;
      refusals.set(name, { ...wish.refusal, message: `node ${node}: ${place}${wish.refusal.message}` });
    }
  }
  return { nodes: resolved, refusals };
}

function wishOf(policy: GpuPartitionPolicy, node: FleetNode, memory: ResolutionMemory): NodeWish | undefined {
  const { partition } = node;
  const device = partition?.status?.device;
  if (!partition || !device?.gpus) return undefined;
  const known = memory.wishes.get(partition);
  if (known?.policy === policy) return known.wish;
  const wish = resolveNode(policy.spec, device, partition.spec.wish);
  memory.wishes.set(partition, { policy, wish });
  return wish;
}

function remember<K extends object, V>(memory: WeakMap<K, V>, key: K, compute: () => V): V {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const value = compute();
  memory.set(key, value);
  return value;
}
