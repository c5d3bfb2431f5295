import type { OwnerReference } from '../../src/kube/resource.ts';
import type { Pod } from './api.ts';

/** A pod as its owner makes it. @param parts `owner`: kind of what would make it again */
export function makePod(
  name: string,
  uid: string,
  {
    labels,
    owner,
    spec,
  }: { readonly labels: Readonly<Record<string, string>>; readonly owner?: string; readonly spec: object },
): Pod {
  return {
    metadata: {
      name: uid,
      namespace: labels['user'] === undefined ? 'gpu-operator' : 'default',
      uid,
      labels,
      ...(owner !== undefined && { ownerReferences: [ownerOf(owner, name)] }),
    },
    spec,
    status: { phase: 'Pending' },
  };
}

function ownerOf(kind: string, name: string): OwnerReference {
  return { apiVersion: 'apps/v1', kind, name, uid: `set-${name}`, controller: true };
}

/** Whether a pod that has not ended wants a resource. */
export function isUsing(pod: Pod, resource: string): boolean {
  const { phase } = pod.status ?? {};
  const isOver = phase === 'Failed' || phase === 'Succeeded';
  return !isOver && pod.spec?.containers?.[0]?.resources?.limits?.[resource] !== undefined;
}
