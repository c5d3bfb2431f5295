import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import { type DemandWishes, hasDemandWish, ownWish } from './demand-wish.ts';
import { type NodeResolution, resolveNode } from './resolve-node.ts';

/** What policies make of nodes, worked out once for each report. */
export class WishCache {
  /** By the object that the watch replaces when it changes. */
  readonly #wishes = new WeakMap<
    GpuNodePartition,
    {
      readonly of: GpuPartitionPolicy['spec'];
      readonly chosen: DemandWishes | undefined;
      readonly wish: NodeResolution | undefined;
    }
  >();

  /**
   * @param chosen for a policy with a demand: what its last plan makes of the node
   * @returns undefined until the agent has reported and, for a demand, a plan was made
   */
  wishOf(
    policy: GpuPartitionPolicy,
    partition: GpuNodePartition | undefined,
    chosen?: DemandWishes,
  ): NodeResolution | undefined {
    const { spec } = policy;
    if (!partition?.status?.device?.gpus) return undefined;
    const known = this.#wishes.get(partition);
    if (known?.of === spec && known.chosen === chosen) return known.wish;
    const wish = resolve(policy, partition, chosen);
    this.#wishes.set(partition, { of: spec, chosen, wish });
    return wish;
  }
}

function resolve(
  policy: GpuPartitionPolicy,
  partition: GpuNodePartition,
  chosen: DemandWishes | undefined,
): NodeResolution | undefined {
  const { spec } = policy;
  const device = partition.status?.device ?? {};
  if (spec.demand === undefined) return resolveNode(spec, device, partition.spec.wish);
  const current = ownWish(policy, partition);
  return chosen === undefined && !hasDemandWish(current) ? undefined : resolveNode(spec, device, current, chosen);
}
