import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import { type NodeResolution, resolveNode } from './resolve-node.ts';

/** What policies make of nodes, worked out once for each report. */
export class WishCache {
  /** By the object that the watch replaces when it changes. */
  readonly #wishes = new WeakMap<
    GpuNodePartition,
    { readonly of: GpuPartitionPolicy['spec']; readonly wish: NodeResolution }
  >();

  /** @returns undefined until the agent has reported */
  wishOf({ spec }: GpuPartitionPolicy, partition: GpuNodePartition | undefined): NodeResolution | undefined {
    const device = partition?.status?.device;
    if (!partition || !device?.gpus) return undefined;
    const known = this.#wishes.get(partition);
    if (known?.of === spec) return known.wish;
    const wish = resolveNode(spec, device, partition.spec.wish);
    this.#wishes.set(partition, { of: spec, wish });
    return wish;
  }
}
