import type { PodView } from './pod-view.ts';

/** Where the cluster's own GPU software runs by default: no tenant may create pods there. */
export const defaultSystemNamespaces: readonly string[] = [
  'gpu-operator',
  'nvidia-device-plugin',
  'nvidia-dra-driver-gpu',
  'kube-system',
];

/**
 * Pods that may be the device plugin, hold GPUs by right, or own them: those of DaemonSets in the cluster's own namespaces. Labels,
 * containers and node selectors are open to all: by those alone any tenant could keep a node closed, or have its settings trusted.
 */
export function systemPods(pods: readonly PodView[], namespaces: readonly string[]): readonly PodView[] {
  return pods.filter(
    (pod) => isOfDaemonSet(pod) && pod.metadata.namespace !== undefined && namespaces.includes(pod.metadata.namespace),
  );
}

/** Other pods might not be recreated, and may be a user's work. */
export function isOfDaemonSet({ metadata }: PodView): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind, controller }) => kind === 'DaemonSet' && controller === true);
}
