import type { GpuNodePartition } from '../../api/types.ts';
import type { ExtendedNames } from '../explain/judge.ts';
import type { NodeView } from '../node/node-view.ts';
import type { Fleet } from '../policy/fleet.ts';
import type { PolicyRecord } from '../policy/policy-record.ts';
import { enforces } from '../policy/versions.ts';
import { listMembers, type Member } from './member.ts';
import { type PodPool, type PoolNode, PoolReader } from './pod-pool.ts';

interface ByName<T> {
  get(name: string): T | undefined;
}

/** The cluster as far as pools are made of it. */
export interface PoolCluster {
  readonly fleet: { readonly policies: Iterable<PolicyRecord> } & Pick<Fleet, 'winnerOf' | 'chosenFor'>;
  readonly nodes: ByName<NodeView>;
  readonly partitions: ByName<GpuNodePartition>;
  /** By which names DRA drivers hand out slices to pods that ask by a resource; undefined: not known. */
  readonly names?: ExtendedNames;
}

/** What is remembered of a pool between two looks. */
export interface PoolPast {
  /** Whether a GPU was re-laid a short while ago. */
  readonly isResting: (id: string) => boolean;
  /** By node: see {@link KnownOfNode}. If absent, what is out of reach does not count as supply. */
  readonly hasLost?: (node: string, isOut: boolean) => boolean;
}

/** Nothing is remembered. */
export const noPast: PoolPast = { isResting: () => false };

/** The GPUs that take part in the demand of a policy, node by node. */
export function* listPool(
  record: PolicyRecord,
  { fleet, nodes, partitions, names }: PoolCluster,
  { isResting, hasLost }: PoolPast,
): Generator<readonly Member[], undefined, undefined> {
  for (const node of [...record.nodes].sort()) {
    const partition = isInPool(fleet, record, node) ? partitions.get(node) : undefined;
    const known = {
      node: nodes.get(node),
      chosen: fleet.chosenFor(record.policy, node),
      isResting: (uuid: string) => isResting(`${node}/${uuid}`),
      hasLost: hasLost && ((isOut: boolean) => hasLost(node, isOut)),
      names,
    };
    yield partition === undefined ? [] : listMembers(record.policy, partition, known);
  }
}

/** All pools among which pods that wait are shared, with that of a policy as {@link listPool} has it; yields after each node. */
export function* listPodPools(
  record: PolicyRecord,
  { fleet, nodes, partitions, names }: PoolCluster,
): Generator<undefined, readonly PodPool[], undefined> {
  const pools: PodPool[] = [];
  for (const one of fleet.policies) {
    const { name, policy } = one;
    const reader = new PoolReader(policy, names);
    const own: PoolNode[] = [];
    for (const key of one.nodes) {
      const isOwn = one === record ? isInPool(fleet, one, key) : fleet.winnerOf(key) === name;
      const isTaken = one !== record && record.nodes.has(key) && isInPool(fleet, record, key);
      const node = isOwn && !isTaken ? nodes.get(key) : undefined;
      if (node) own.push(reader.read(node, partitions.get(key)));
      yield;
    }
    pools.push(reader.pool(name, own, one.demand?.states));
  }
  return pools;
}

/** A policy that only plans takes no node from another, and shows what it would do with all. */
function isInPool(fleet: Pick<Fleet, 'winnerOf'>, { name, policy }: PolicyRecord, node: string): boolean {
  return !enforces(policy) || fleet.winnerOf(node) === name;
}
