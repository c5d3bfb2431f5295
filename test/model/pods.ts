import { type PodView, type OwnerReference, mirrorAnnotation } from '../../src/core/kubernetes/pod.ts';
import type { Pod } from './api.ts';

/** What pods differ in. */
export interface PodParts {
  readonly labels: Readonly<Record<string, string>>;
  /** Kind of what would make it again. */
  readonly owner?: string;
  /** The mirror of a static pod, which only the kubelet ends. */
  readonly isStatic?: boolean;
  readonly spec: object;
  /** Beside its phase. */
  readonly status?: object;
}

/** A pod as its owner makes it. */
export function makePod(name: string, uid: string, { labels, owner, isStatic = false, spec, status }: PodParts): Pod {
  return {
    metadata: {
      name: uid,
      namespace: labels['user'] === undefined ? 'gpu-operator' : 'default',
      uid,
      labels,
      ...(owner !== undefined && { ownerReferences: [ownerOf(owner, name)] }),
      ...(isStatic && { annotations: { [mirrorAnnotation]: uid } }),
    },
    spec,
    status: { ...status, phase: 'Pending' },
  };
}

function ownerOf(kind: string, name: string): OwnerReference {
  return { apiVersion: kind === 'Node' ? 'v1' : 'apps/v1', kind, name, uid: `set-${name}`, controller: true };
}

/** The node that it is bound to; empty while it waits for one. */
export function nodeOf({ spec }: PodView): string {
  return spec?.nodeName ?? '';
}

/** Whether a pod that has not ended wants a resource. */
export function isUsing(pod: Pod, resource: string): boolean {
  const { phase } = pod.status ?? {};
  const isOver = phase === 'Failed' || phase === 'Succeeded';
  return !isOver && pod.spec?.containers?.[0]?.resources?.limits?.[resource] !== undefined;
}

/** Whether a pod is a user's: the others are in a namespace of the cluster. Of a user's pod a controller keeps no labels. */
export function isOfUser({ metadata }: PodView): boolean {
  return metadata.namespace === 'default';
}

/** Whether nobody may end a pod but its owner: it is static, or a DaemonSet would make it again at once. */
export function isUntouchable({ metadata }: PodView): boolean {
  const { annotations = {}, ownerReferences = [] } = metadata;
  const isDaemon = ownerReferences.some(({ kind, apiVersion }) => kind === 'DaemonSet' && apiVersion === 'apps/v1');
  return mirrorAnnotation in annotations || isDaemon;
}
