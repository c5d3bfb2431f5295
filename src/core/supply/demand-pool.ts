import type { GpuNodePartition } from '../../api/types.ts';
import type { NodeView } from '../node/node-view.ts';
import type { Fleet } from '../policy/fleet.ts';
import type { PolicyRecord } from '../policy/policy-record.ts';
import { enforces } from '../policy/versions.ts';
import { listMembers, type Member } from './member.ts';
import { countWaiting } from './pod-demand.ts';
import type { WorkloadPod } from '../explain/workload.ts';

/** The cluster as far as pools are made of it. */
interface PoolCluster {
  readonly fleet: { readonly policies: Iterable<PolicyRecord> } & Pick<Fleet, 'winnerOf' | 'chosenFor'>;
  readonly partitions: { get(name: string): GpuNodePartition | undefined };
  readonly nodes: { get(name: string): NodeView | undefined };
}

/** As far as waiting pods are counted. */
type WaitingCluster = Pick<PoolCluster, 'nodes'> & {
  readonly fleet: Pick<PoolCluster['fleet'], 'policies' | 'winnerOf'>;
};

/** The members of a policy's pool, node by node. */
export function* listPool(
  { policy, name, nodes }: PolicyRecord,
  { fleet, partitions }: Pick<PoolCluster, 'fleet' | 'partitions'>,
  isResting: (id: string) => boolean,
): Generator<readonly Member[], undefined, undefined> {
  for (const node of [...nodes].sort()) {
    // One that only plans takes no node from another, and shows what it would do with all.
    const partition = !enforces(policy) || fleet.winnerOf(node) === name ? partitions.get(node) : undefined;
    const known = { chosen: fleet.chosenFor(policy, node), isResting: (uuid: string) => isResting(`${node}/${uuid}`) };
    yield partition === undefined ? [] : listMembers(policy, partition, known);
  }
}

/** What pods that wait ask of a policy's pool, by resource. Policies that go before it, by name, take theirs first. */
export function waitingOf(
  record: PolicyRecord,
  pods: readonly WorkloadPod[],
  cluster: WaitingCluster,
): ReadonlyMap<string, number> {
  const before = [...cluster.fleet.policies].filter(
    (one) => one.name < record.name && one.policy.spec.demand?.from === 'Pods',
  );
  return countWaiting(
    pods,
    nodesOf(record, cluster),
    before.flatMap((one) => nodesOf(one, cluster)),
  );
}

function nodesOf({ name, nodes }: PolicyRecord, cluster: WaitingCluster): readonly NodeView[] {
  return [...nodes].flatMap((node) => (cluster.fleet.winnerOf(node) === name ? (cluster.nodes.get(node) ?? []) : []));
}
