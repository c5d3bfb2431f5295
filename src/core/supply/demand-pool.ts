import type { GpuNodePartition } from '../../api/types.ts';
import { isResourceOf } from '../explain/cluster-facts.ts';
import { findModel } from '../gpu/geometry/model-lookup.ts';
import type { NodeView } from '../node/node-view.ts';
import type { Fleet } from '../policy/fleet.ts';
import { profilesServing } from '../policy/demand-profiles.ts';
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
type WaitingCluster = Pick<PoolCluster, 'nodes' | 'partitions'> & {
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

/**
 * What pods that wait ask of a policy's pool, by resource. A pod that several policies could serve counts for the first of them by name
 * of which a slice follows pods with its profile: it gets one node only.
 */
export function waitingOf(
  record: PolicyRecord,
  pods: readonly WorkloadPod[],
  cluster: WaitingCluster,
): ReadonlyMap<string, number> {
  const before = [...cluster.fleet.policies]
    .filter((one) => one.name < record.name && one.policy.spec.demand?.from === 'Pods')
    .map((one) => ({ nodes: nodesOf(one, cluster), follows: followedBy(one, cluster) }));
  return countWaiting(pods, nodesOf(record, cluster), before);
}

function nodesOf({ name, nodes }: PolicyRecord, cluster: WaitingCluster): readonly NodeView[] {
  return [...nodes].flatMap((node) => (cluster.fleet.winnerOf(node) === name ? (cluster.nodes.get(node) ?? []) : []));
}

/** Whether a slice of the policy follows pods that request a resource. */
function followedBy({ policy, nodes }: PolicyRecord, { partitions }: WaitingCluster): (resource: string) => boolean {
  const gpus = [...nodes].flatMap((node) => partitions.get(node)?.status?.device?.gpus ?? []);
  const products = [...new Set(gpus.map(({ product }) => product))];
  const slices = (policy.spec.demand?.slices ?? []).filter(({ count }) => count === undefined);
  const profiles = products.flatMap((product) => {
    const geometry = findModel(product);
    return geometry ? slices.flatMap((slice) => profilesServing(slice, geometry, product)) : [];
  });
  return (resource) => profiles.some((profile) => isResourceOf(resource, profile));
}
