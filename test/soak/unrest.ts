import { ownTaints } from '../support/rig.ts';
import type { ClusterActs } from './cluster-acts.ts';
import { pools } from './cast.ts';
import { type CountSlices, countOffered } from './onlooker.ts';

/** @returns everything that is not as the policies say, a line each; empty if all is */
export async function findUnrest(acts: ClusterActs, countSlices: CountSlices): Promise<readonly string[]> {
  const [policies, partitions, nodes] = await Promise.all([acts.policies(), acts.partitions(), acts.nodes()]);
  const found = pools
    .filter((pool) => !policies.some(({ metadata }) => metadata.name === pool))
    .map((pool) => `policy ${pool} is missing`);
  for (const { metadata, status } of policies) {
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    if (ready?.status !== 'True' || ready.observedGeneration !== metadata.generation)
      found.push(`policy ${metadata.name} is ${ready?.reason ?? 'new'}`);
  }
  const byName = new Map(partitions.map((partition) => [partition.metadata.name, partition]));
  for (const node of nodes) {
    const { name } = node.metadata;
    const status = byName.get(name)?.status;
    const reason = status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
    const [taints, offered, has] = [ownTaints(node), countOffered(node), countSlices(name)];
    if (status?.phase !== 'Ready') found.push(`node ${name} is ${status?.phase ?? 'new'} (${reason ?? 'no reason'})`);
    else if (taints.length > 0) found.push(`node ${name} is closed: ${taints.join()}`);
    else if (offered !== has || has === 0) found.push(`node ${name} offers ${offered} slices and has ${has}`);
  }
  return found;
}
