import type { OwnerReference } from '../metadata/object-meta.ts';
import { evictAnnotation, safeToEvictAnnotation } from '../../api/names.ts';
import type { PodView } from './pod-view.ts';

/**
 * How a pod can be removed, in the terms of `kubectl drain`. `Never`: a static pod, which the API cannot end, or a DaemonSet's,
 * which comes back at once. `ByForce`: nothing replaces it, or its owner does not want it evicted.
 */
export type Evictability = 'Yes' | 'ByForce' | 'Never';

/** Marks a mirror pod: the API object of a static pod, which only the kubelet starts and ends. */
export const mirrorAnnotation = 'kubernetes.io/config.mirror';

/** @param missing uids of owners that were looked up and do not exist */
export function judgeEviction(pod: PodView, missing?: ReadonlySet<string>): Evictability {
  const { annotations = {} } = pod.metadata;
  const owner = ownerOf(pod);
  const daemonSet = claimedDaemonSet(pod);
  const isThere = daemonSet !== undefined && missing?.has(daemonSet.uid ?? '') !== true;
  if (mirrorAnnotation in annotations || isThere) return 'Never';
  const isUnwanted = annotations[evictAnnotation] === 'false' || annotations[safeToEvictAnnotation] === 'false';
  return isUnwanted || owner === undefined || daemonSet !== undefined ? 'ByForce' : 'Yes';
}

/** The owner that replaces the pod. */
export function ownerOf({ metadata }: PodView): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/**
 * The DaemonSet that the pod names as its controller. Anybody may write that into a pod of their own: whether it exists has to be
 * looked up. DaemonSets of other API groups are owners like any other: their pods are evicted.
 */
export function claimedDaemonSet(pod: PodView): OwnerReference | undefined {
  const owner = ownerOf(pod);
  return owner?.kind === 'DaemonSet' && owner.apiVersion === 'apps/v1' ? owner : undefined;
}

/** Why no eviction moves a pod, as what follows its name; undefined if one does. @param missing as for {@link judgeEviction} */
export function explainStaying(pod: PodView, missing?: ReadonlySet<string>): string | undefined {
  const { annotations = {} } = pod.metadata;
  const owner = ownerOf(pod);
  switch (judgeEviction(pod, missing)) {
    case 'Yes':
      return undefined;
    case 'Never':
      return mirrorAnnotation in annotations
        ? 'is a static pod, which no eviction ends'
        : 'belongs to a DaemonSet, which would recreate it';
    case 'ByForce':
      if (owner === undefined) return 'has no controller: nothing would recreate it';
      return claimedDaemonSet(pod) === undefined
        ? `is annotated ${annotations[evictAnnotation] === 'false' ? evictAnnotation : safeToEvictAnnotation}: "false"`
        : `belongs to DaemonSet ${owner.name}, which does not exist: nothing would recreate it`;
  }
}
