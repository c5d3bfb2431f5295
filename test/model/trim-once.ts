import type { NodeObject } from '../../src/controller/operator.ts';
import { trimNode, trimPartition } from '../../src/core/cluster/watched-objects.ts';
import type { StoredPartition } from './api.ts';

const nodes = new WeakMap<NodeObject, NodeObject>();
const partitions = new WeakMap<StoredPartition, StoredPartition>();

/** What a controller keeps of a Node: worked out once, however many controllers see this version, and however often. */
export function trimNodeOnce(node: NodeObject): NodeObject {
  const known = nodes.get(node) ?? trimNode(node);
  nodes.set(node, known);
  return known;
}

/** The same of a GpuNodePartition. */
export function trimPartitionOnce(partition: StoredPartition): StoredPartition {
  const known = partitions.get(partition) ?? trimPartition(partition);
  partitions.set(partition, known);
  return known;
}
