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
  if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return false;
  return [...(pod.spec?.containers ?? []), ...(pod.spec?.initContainers ?? [])].some(({ resources }) =>
    [resources?.limits, resources?.requests].some((amounts) =>
      Object.entries(amounts ?? {}).some(([name, amount]) => name.startsWith('nvidia.com/') && String(amount) !== '0'),
    ),
  );
}

/** `ns/a, ns/b and 3 more`. */
export function namePods(pods: readonly PodView[], most = 5): string {
  const names = pods.map(({ metadata }) => `${metadata.namespace ?? 'default'}/${metadata.name}`).sort();
  const rest = names.length - most;
  return rest > 0 ? `${names.slice(0, most).join(', ')} and ${rest} more` : names.join(', ');
}
