import type { Taint } from '../core/rollout/node-patch.ts';
import type { KubeObject } from '../kube/resource.ts';

/** The parts of a Node that the controller reads. */
export interface NodeObject extends KubeObject {
  readonly spec?: { readonly taints?: readonly Taint[] };
  readonly status?: { readonly allocatable?: Readonly<Record<string, string>> };
}

/** A Node of a big fleet is 15 kB, of which this is what counts. */
export function stripNode(node: NodeObject): NodeObject {
  const { name, uid, resourceVersion, labels, annotations } = node.metadata;
  const own = Object.entries(annotations ?? {}).filter(([key]) => key.startsWith('gpupartition.dev/'));
  const gpus = Object.entries(node.status?.allocatable ?? {}).filter(([key]) => key.startsWith('nvidia.com/'));
  return {
    metadata: {
      name,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      labels: labels ?? {},
      annotations: Object.fromEntries(own),
    },
    spec: { taints: node.spec?.taints ?? [] },
    status: { allocatable: Object.fromEntries(gpus) },
  };
}

/** Managed fields are half of an object and nobody here reads them. */
export function stripManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _unused, ...metadata } = object.metadata;
  return { ...object, metadata };
}
