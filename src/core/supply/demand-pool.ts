import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import type { ExtendedNames } from '../explain/judge.ts';
import type { NodeView } from '../node/node-view.ts';
import type { Fleet } from '../policy/fleet.ts';
import type { PolicyRecord } from '../policy/policy-record.ts';
import { enforces } from '../policy/versions.ts';
import { listMembers, type Member, type Rests } from './member.ts';
import { type Acts, actsOf, type PodPool, type PoolNode, PoolReader } from './pod-pool.ts';

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

/**
 * Whether a GPU was re-laid a short while ago, by its id.
 *
 * @param grantedMs when its node last changed for this policy, in ms since the epoch
 */
export type RestOf = (id: string, grantedMs: number | undefined) => Rests;

/** What is remembered of a pool between two looks. */
export interface PoolPast {
  readonly restOf: RestOf;
  /** By node: see {@link KnownOfNode}. If absent, what is out of reach does not count as supply. */
  readonly hasLost?: (node: string, isOut: boolean) => boolean;
}

/** Nothing is remembered. */
export const noPast: PoolPast = { restOf: () => false };

/** The GPUs that take part in the demand of a policy, node by node. */
export function* listPool(
  record: PolicyRecord,
  { fleet, nodes, partitions, names }: PoolCluster,
  { restOf, hasLost }: PoolPast,
): Generator<readonly Member[], undefined, undefined> {
  for (const node of [...record.nodes].sort()) {
    const partition = isInPool(fleet, record, node) ? partitions.get(node) : undefined;
    const grantedMs = partition && changedAt(partition, record.policy);
    const known = {
      node: nodes.get(node),
      chosen: fleet.chosenFor(record.policy, node),
      isResting: (uuid: string) => restOf(`${node}/${uuid}`, grantedMs),
      hasLost: hasLost && ((isOut: boolean) => hasLost(node, isOut)),
      names,
    };
    yield partition === undefined ? [] : listMembers(record.policy, partition, known);
  }
}

/**
 * All pools among which pods that wait are shared, with that of a policy as {@link listPool} has it; yields after each node.
 *
 * @param now in ms since the epoch
 */
export function* listPodPools(
  record: PolicyRecord,
  { fleet, nodes, partitions, names }: PoolCluster,
  now: number,
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
    pools.push(reader.pool(name, own, actsNow(one, now, one === record), one.demand?.states));
  }
  return pools;
}

/** When a node was last granted a change for a policy. */
function changedAt({ spec }: GpuNodePartition, { metadata }: GpuPartitionPolicy): number | undefined {
  const { policy, deadline, seconds = 0, planHash } = spec.granted ?? {};
  if (deadline === undefined || planHash === '' || policy?.uid !== metadata.uid) return undefined;
  return Date.parse(deadline) - seconds * 1000;
}

/** Whether no node was ever told of a policy. */
export function isNewPolicy({ policy, nodes }: PolicyRecord, partitions: PoolCluster['partitions']): boolean {
  const { uid } = policy.metadata;
  for (const node of nodes) if (partitions.get(node)?.spec.policy?.uid === uid) return false;
  return true;
}

/** {@link actsOf}, with what the status does not say yet. */
function actsNow(record: PolicyRecord, now: number, isViewer: boolean): Acts {
  const { policy, isAccepted, inForce } = record;
  if (!isViewer && !isAccepted && inForce === undefined) return 'Never';
  const acts = actsOf(policy, now, isViewer);
  return acts === 'Now' && record.holdFor(policy)?.kind === 'Refused' ? 'Later' : acts;
}

/** A policy that only plans takes no node from another, and shows what it would do with all. */
function isInPool(fleet: Pick<Fleet, 'winnerOf'>, { name, policy }: PolicyRecord, node: string): boolean {
  return !enforces(policy) || fleet.winnerOf(node) === name;
}
