/** The parts of a Pod that tell whether it holds a GPU. */
export interface PodView {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: {
    readonly containers?: readonly ContainerView[];
    readonly initContainers?: readonly ContainerView[];
  };
  readonly status?: { readonly phase?: string };
}

interface ContainerView {
  readonly resources?: {
    readonly limits?: Readonly<Record<string, string | number>>;
    readonly requests?: Readonly<Record<string, string | number>>;
  };
}

/**
 * Whether a pod holds or will hold a GPU or a slice: it asks for an `nvidia.com/*` resource, in an init container too,
 * and has not ended. A pod that is being terminated still holds it.
 */
export function usesGpu(pod: PodView): boolean {
  return usesResource(pod, (name) => name.startsWith('nvidia.com/'));
}

/** Whether a pod that has not ended asks for a resource, in an init container too. */
export function usesResource(pod: PodView, isMeant: (name: string) => boolean): boolean {
  if (hasEnded(pod)) return false;
  return [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].some(({ resources }) =>
    [resources?.limits, resources?.requests].some((amounts) =>
      Object.entries(amounts ?? {}).some(([name, amount]) => isMeant(name) && String(amount) !== '0'),
    ),
  );
}

/** Nothing of the pod runs any more, or will. */
export function hasEnded({ status }: Pick<PodView, 'status'>): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}

/** `ns/a, ns/b and 3 more`. */
export function namePods(pods: readonly PodView[], most = 5): string {
  const names = pods.map(({ metadata }) => `${metadata.namespace ?? 'default'}/${metadata.name}`).sort();
  const rest = names.length - most;
  return rest > 0 ? `${names.slice(0, most).join(', ')} and ${rest} more` : names.join(', ');
}
