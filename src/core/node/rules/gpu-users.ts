import { mayClaimGpus, usesGpu } from '../../pods/gpu-pods.ts';
import type { NodePod, Situation } from '../snapshot.ts';

/**
 * Pods of a node that use GPUs, under whatever name. What a claim is for tells only who offers devices on the node: until that has
 * been read, a pod with a claim counts for nothing here, and nothing may be granted.
 */
export function listUsers(
  { partition, fresh }: Pick<Situation, 'partition' | 'fresh'>,
  pods: readonly NodePod[],
): readonly NodePod[] {
  const offered = partition.status?.device?.advertised?.resources;
  const mayClaim = fresh !== undefined && mayClaimGpus(fresh.resourceSlices);
  return pods.filter((pod) => usesGpu(pod, { offered, mayClaim }));
}
