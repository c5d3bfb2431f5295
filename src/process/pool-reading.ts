import type { GpuNodePartition } from '../api/types.ts';
import type { NodeView } from '../core/node/node-view.ts';
import type { Fleet } from '../core/policy/fleet.ts';
import type { PolicyRecord } from '../core/policy/policy-record.ts';
import { enforces } from '../core/policy/versions.ts';
import { listMembers, type Member } from '../core/supply/member.ts';
import { type PodPool, type PoolNode, PoolReader } from '../core/supply/waiting-share.ts';
import { Turn } from './turn.ts';

interface ByName<T> {
  get(name: string): T | undefined;
}

/** Where nodes and their policies are known. */
export interface PoolSources {
  readonly fleet: Fleet;
  readonly nodes: ByName<NodeView>;
  readonly partitions: ByName<GpuNodePartition>;
}

/** The GPUs that take part in the demand of a policy, by node. @param rests whether a GPU was re-laid a short while ago */
export async function readMembers(
  { fleet, partitions }: PoolSources,
  record: PolicyRecord,
  rests: (node: string, uuid: string) => boolean,
): Promise<readonly Member[]> {
  const turn = new Turn();
  const members: Member[] = [];
  for (const node of [...record.nodes].sort()) {
    const partition = isInPool(fleet, record, node) ? partitions.get(node) : undefined;
    if (partition) members.push(...listMembers(record.policy, partition, (uuid) => rests(node, uuid)));
    await turn.pause();
  }
  return members;
}

/** All pools among which pods that wait are shared, with that of a policy as `readMembers` has it. */
export async function readPools(
  { fleet, nodes, partitions }: PoolSources,
  record: PolicyRecord,
): Promise<readonly PodPool[]> {
  const turn = new Turn();
  const pools: PodPool[] = [];
  for (const one of fleet.policies) {
    const { name, policy } = one;
    const reader = new PoolReader(policy);
    const own: PoolNode[] = [];
    for (const key of one.nodes) {
      const isOwn = one === record ? isInPool(fleet, one, key) : fleet.winnerOf(key) === name;
      const isTaken = one !== record && record.nodes.has(key) && isInPool(fleet, record, key);
      const node = isOwn && !isTaken ? nodes.get(key) : undefined;
      if (node) own.push(reader.read(node, partitions.get(key)));
      await turn.pause();
    }
    const { priority = 0, demand } = policy.spec;
    pools.push({ policy: name, priority, followsQueues: demand?.from === 'Kueue', nodes: own });
  }
  return pools;
}

/** A policy that only plans takes no node from another, and shows what it would do with all. */
function isInPool(fleet: Fleet, { name, policy }: PolicyRecord, node: string): boolean {
  return !enforces(policy) || fleet.winnerOf(node) === name;
}
