import type { NodeObject } from '../../src/controller/operator.ts';
import type { Pod } from '../model/api.ts';
import type { PodView } from '../../src/core/kubernetes/pod.ts';

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
      labels: { app, [boundTo]: node },
      ...(!isBare && { ownerReferences: [owner] }),
    },
    spec: { containers: [container], ...(pool !== undefined && { nodeSelector: { pool } }) },
    status: { phase: 'Pending' },
  };
}

/** Whether a pod is a user's, and not one that makes GPUs usable. */
export function isUsers({ metadata }: Pod): boolean {
  return metadata.labels?.['role'] === undefined;
}

/** @param node where it runs from now on */
export function bindPod(pod: Pod, node: string): Pod {
  const { metadata } = pod;
  return { ...pod, metadata: { ...metadata, labels: { ...metadata.labels, [boundTo]: node } } };
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
