/** The parts of a pod that tell whose it is. */
export interface OwnedPodView {
  readonly metadata: {
    readonly namespace?: string;
    readonly ownerReferences?: readonly { readonly kind: string; readonly controller?: boolean }[];
  };
}

/** Where the cluster's own GPU software runs, unless the administrator says otherwise: no tenant may make pods there. */
export const defaultSystemNamespaces: readonly string[] = ['gpu-operator', 'nvidia-device-plugin', 'kube-system'];

/**
 * Pods that may be the device plugin, hold GPUs by right, or own them: those of DaemonSets in the cluster's own namespaces. Labels,
 * containers and node selectors are free for all: by those alone any tenant could keep a node closed, or have its settings believed.
 */
export function systemPods<Pod extends OwnedPodView>(
  pods: readonly Pod[],
  namespaces: readonly string[],
): readonly Pod[] {
  return pods.filter(
    (pod) => isOfDaemonSet(pod) && pod.metadata.namespace !== undefined && namespaces.includes(pod.metadata.namespace),
  );
}

/** Nobody makes another pod anew, and it may be a user's work. */
export function isOfDaemonSet({ metadata }: OwnedPodView): boolean {
  return (metadata.ownerReferences ?? []).some(({ kind, controller }) => kind === 'DaemonSet' && controller === true);
}
