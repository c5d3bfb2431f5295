import { evictAnnotation, safeToEvictAnnotation } from '../../api/names.ts';

/** The parts of a pod that decide whether it may be evicted. */
export interface EvictionView {
  readonly metadata: {
    readonly annotations?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly {
      readonly kind: string;
      readonly uid?: string;
      readonly controller?: boolean;
    }[];
  };
  readonly spec?: { readonly terminationGracePeriodSeconds?: number };
}

/**
 * How a pod can be removed, in the terms of `kubectl drain`. `Never`: a static pod, which the API cannot end, or a DaemonSet's,
 * which comes back at once. `ByForce`: nothing replaces it, or its owner does not want it evicted.
 */
export type Evictability = 'Yes' | 'ByForce' | 'Never';

/** Marks a mirror pod: the API object of a static pod, which only the kubelet starts and ends. */
export const mirrorAnnotation = 'kubernetes.io/config.mirror';

export function judgeEviction({ metadata }: EvictionView): Evictability {
  const { annotations = {} } = metadata;
  const owner = ownerOf({ metadata });
  if (mirrorAnnotation in annotations || owner?.kind === 'DaemonSet') return 'Never';
  const isUnwanted = annotations[evictAnnotation] === 'false' || annotations[safeToEvictAnnotation] === 'false';
  return isUnwanted || owner === undefined ? 'ByForce' : 'Yes';
}

/** The owner that replaces the pod. */
export function ownerOf({ metadata }: EvictionView): { readonly kind: string; readonly uid?: string } | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** Why a pod does not go by itself; undefined if it does. */
export function explainStaying(pod: EvictionView): string | undefined {
  const { annotations = {} } = pod.metadata;
  switch (judgeEviction(pod)) {
    case 'Yes':
      return undefined;
    case 'Never':
      return mirrorAnnotation in annotations
        ? 'a static pod, which no eviction ends'
        : 'of a DaemonSet, which would create it again';
    case 'ByForce':
      return ownerOf(pod) === undefined
        ? 'without a controller: nothing would create it again'
        : `annotated ${annotations[evictAnnotation] === 'false' ? evictAnnotation : safeToEvictAnnotation}: "false"`;
  }
}
