import { pluginPodsOf } from '../../pods/plugin-pods.ts';
import { systemPods } from '../../pods/system-pods.ts';
import type { NodePod, Situation } from '../snapshot.ts';
import { mayClaimGpus, usesGpu } from '../../pods/gpu-pods.ts';

/** Pods of a node that are the cluster's own software, whatever labels others carry. */
export function clusterPods({ settings }: Pick<Situation, 'settings'>, pods: readonly NodePod[]): readonly NodePod[] {
  return systemPods(pods, settings.systemNamespaces);
}

/** Pods of the device plugin among those of a node. */
export function pluginPods(situation: Pick<Situation, 'settings'>, pods: readonly NodePod[]): readonly NodePod[] {
  return pluginPodsOf(clusterPods(situation, pods), situation.settings.pluginSelector);
}

/**
 * Pods of a node that use GPUs, under any resource name. Only the node's device offers tell what a claim is for: until they have
 * been read, a pod with a claim does not count here, and nothing may be granted. A resource that the node does not have is not one
 * of its GPUs: the kubelet refuses such a pod, and anybody can create one with `spec.nodeName`.
 */
export function listUsers(
  { node, partition, fresh }: Pick<Situation, 'node' | 'partition' | 'fresh'>,
  pods: readonly NodePod[],
): readonly NodePod[] {
  const offered = partition.status?.device?.advertised?.resources;
  const mayClaim = fresh !== undefined && mayClaimGpus(fresh.resourceSlices);
  return pods.filter((pod) => usesGpu(pod, { offered, mayClaim, resources: node.status?.allocatable ?? {} }));
}
