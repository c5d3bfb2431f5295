import { mayClaimGpus, usesGpu } from '../../pods/gpu-pods.ts';
import type { NodePod, Situation } from '../snapshot.ts';

/**
 * Pods of a node that use GPUs, under whatever name. What a claim is for tells only who offers devices on the node: until that has
 * been read, a pod with a claim counts for nothing here, and nothing may be granted. A resource that the node does not have is no GPU
 * of it: the kubelet refuses such a pod, and anybody may make one with `spec.nodeName`.
 */
export function listUsers(
  { node, partition, fresh }: Pick<Situation, 'node' | 'partition' | 'fresh'>,
  pods: readonly NodePod[],
): readonly NodePod[] {
  const offered = partition.status?.device?.advertised?.resources;
  const mayClaim = fresh !== undefined && mayClaimGpus(fresh.resourceSlices);
  return pods.filter((pod) => usesGpu(pod, { offered, mayClaim, resources: node.status?.allocatable ?? {} }));
}
