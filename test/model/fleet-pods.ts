import type { NodeObject } from '../../src/controller/operator.ts';
import type { Pod } from './api.ts';
import type { PodView } from '../../src/core/kubernetes/pod.ts';

interface PodParts {
  readonly uid: string;
  readonly app: string;
  /** Where it runs; absent: it waits. */
  readonly node?: string;
  readonly resource: string;
  /** How many of it; 1 if absent. */
  readonly amount?: string;
  /** No controller would replace it. */
  readonly isBare: boolean;
  /** The pool that it is for; any if absent. */
  readonly pool?: string | undefined;
}

/** A pod that wants slices. */
export function makePod({ uid, app, node, resource, amount = '1', isBare, pool }: PodParts): Pod {
  const container = { name: 'main', resources: { limits: { [resource]: amount } } };
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: app, uid: `set-${app}`, controller: true };
  return {
    metadata: {
      name: uid,
      namespace: 'default',
      uid,
      labels: { app },
      ...(!isBare && { ownerReferences: [owner] }),
    },
    spec: {
      ...(node !== undefined && { nodeName: node }),
      containers: [container],
      ...(pool !== undefined && { nodeSelector: { pool } }),
    },
    status: { phase: 'Pending' },
  };
}

/** Whether a pod is a user's, and not one that makes GPUs usable. */
export function isUsers({ metadata }: Pod): boolean {
  return metadata.labels?.['role'] === undefined;
}

/** What a pod requests. */
export function resourceOf(pod: Pod): string {
  return Object.keys(pod.spec?.containers?.[0]?.resources?.limits ?? {})[0] ?? '';
}

/** How many it requests. */
export function amountOf(pod: PodView): number {
  return Number(Object.values(pod.spec?.containers?.[0]?.resources?.limits ?? {})[0] ?? 0);
}

/** Whether a pod requests more than any machine holds. */
export function isAbsurd(pod: PodView): boolean {
  return amountOf(pod) > 7;
}

export function poolOf(pod: PodView): string | undefined {
  return pod.spec?.nodeSelector?.['pool'];
}

/** Whether the scheduler may bind a pod to a node, its resources aside. */
export function isFor(pod: PodView, { metadata }: NodeObject): boolean {
  const pool = poolOf(pod);
  return pool === undefined || metadata.labels?.['pool'] === pool;
}
