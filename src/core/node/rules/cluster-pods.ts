import { driverPodsOf, pluginPodsOf } from '../../pods/plugin-pods.ts';
import { listGpuClaims } from '../../dra/resource-claim.ts';
import { systemPods } from '../../pods/system-pods.ts';
import { backendOf } from '../backend.ts';
import type { Situation } from '../outcome.ts';
import { mayClaimGpus, usesGpu } from '../../pods/gpu-pods.ts';
import type { PodView } from '../../pods/pod-view.ts';

/** Pods of a node that are the cluster's own software, whatever labels others carry. */
export function clusterPods({ settings }: Pick<Situation, 'settings'>, pods: readonly PodView[]): readonly PodView[] {
  return systemPods(pods, settings.systemNamespaces);
}

/** Pods of the device plugin among those of a node. */
export function pluginPods(situation: Pick<Situation, 'settings'>, pods: readonly PodView[]): readonly PodView[] {
  return pluginPodsOf(clusterPods(situation, pods), situation.settings.pluginSelector);
}

/** Pods that read the devices only at their start, and have to read them again after a change. */
export function refreshedPods(
  situation: Pick<Situation, 'settings' | 'node' | 'claim' | 'partition' | 'slices'>,
  pods: readonly PodView[],
): readonly PodView[] {
  switch (backendOf(situation)) {
    case 'DevicePlugin':
      return pluginPods(situation, pods);
    case 'DRA':
      return driverPodsOf(clusterPods(situation, pods));
  }
}

/**
 * Pods of a node that use GPUs, under any resource name. Only the node's device offers tell what a claim is for: until they have
 * been read, a pod with a claim does not count here, and nothing may be granted. A resource that the node does not have is not one
 * of its GPUs: the kubelet refuses such a pod, and anybody can create one with `spec.nodeName`.
 */
export function listUsers(
  { node, partition, fresh }: Pick<Situation, 'node' | 'partition' | 'fresh'>,
  pods: readonly PodView[],
): readonly PodView[] {
  const offered = partition.status?.device?.advertised?.resources;
  const users = listClaimUsers(node, fresh);
  const mayAny = fresh !== undefined && mayClaimGpus(fresh.resourceSlices);
  return pods.filter((pod) => {
    const mayClaim = users?.has(pod.metadata.uid ?? '') ?? mayAny;
    return usesGpu(pod, { offered, mayClaim, resources: node.status?.allocatable });
  });
}

/** Uids of the pods for which claims have a GPU of a node; undefined: claims have not been listed. */
export function listClaimUsers(node: Situation['node'], fresh: Situation['fresh']): ReadonlySet<string> | undefined {
  const claims = fresh?.claims && listGpuClaims(fresh.claims, node.metadata.name);
  return claims && new Set(claims.flatMap((claim) => claim.users.map(({ uid }) => uid)));
}
