import type { Pod } from '../model/api.ts';

/** A label says where a pod is bound: the product never reads a pod's `spec.nodeName`, which the API server selects by. */
const boundTo = 'test/node';

export function nodeOf({ metadata }: Pod): string {
  return metadata.labels?.[boundTo] ?? '';
}

interface PodParts {
  readonly uid: string;
  readonly app: string;
  readonly node: string;
  readonly resource: string;
  /** No controller would replace it. */
  readonly isBare: boolean;
}

/** A pod that wants one slice. */
export function makePod({ uid, app, node, resource, isBare }: PodParts): Pod {
  const container = { name: 'main', resources: { limits: { [resource]: '1' } } };
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: app, uid: `set-${app}`, controller: true };
  return {
    metadata: {
      name: uid,
      namespace: 'default',
      uid,
      labels: { app, [boundTo]: node },
      ...(!isBare && { ownerReferences: [owner] }),
    },
    spec: { containers: [container] },
    status: { phase: 'Pending' },
  };
}
