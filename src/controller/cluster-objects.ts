import { repartitioningTaint } from '../api/names.ts';
import type { Taint } from '../core/metadata/node-patch.ts';
import type { KubeObject } from '../kube/resource.ts';

/** The parts of a Node that the controller reads. */
export interface NodeObject extends KubeObject {
  readonly spec?: { readonly taints?: readonly Taint[] };
  readonly status?: {
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly nodeInfo?: { readonly bootID?: string };
  };
}

/** Closed by us while its GPUs change. */
export function isClosed(node: NodeObject): boolean {
  return node.spec?.taints?.some(({ key }) => key === repartitioningTaint.key) ?? false;
}

/** A Node of a big fleet is 15 kB, of which this is what counts. */
export function stripNode(node: NodeObject): NodeObject {
  const { name, uid, resourceVersion, labels, annotations } = node.metadata;
  const gpus = Object.entries(node.status?.allocatable ?? {}).filter(([key]) => ownerResource.test(key));
  return {
    metadata: {
      name,
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      labels: labels ?? {},
      annotations: stripAnnotations(annotations ?? {}),
    },
    spec: { taints: node.spec?.taints ?? [] },
    status: {
      allocatable: Object.fromEntries(gpus),
      ...(node.status?.nodeInfo?.bootID === undefined ? {} : { nodeInfo: { bootID: node.status.nodeInfo.bootID } }),
    },
  };
}

/** Resources of NVIDIA's device plugin, and of others who hand out GPUs. */
const ownerResource = /^(nvidia\.com|k8s\.amazonaws\.com|mig\.das\.com|instaslice\.redhat\.com)\//;
/** Annotations of others by which they say that they own GPUs or labels. */
const ownerAnnotation = /^(gpupartition\.dev\/|hami\.io\/node-|([\w.-]+\.)?nfd\.node\.kubernetes\.io\/feature-labels$)/;

function stripAnnotations(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const kept = Object.entries(annotations).filter(([key]) => ownerAnnotation.test(key));
  const [first] = Object.entries(annotations);
  // That there are any must not be lost: a patch makes the map where there is none, and would take away all that is in it.
  return Object.fromEntries(kept.length > 0 || first === undefined ? kept : [first]);
}

/** Managed fields are half of an object and nobody here reads them. */
export function stripManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _unused, ...metadata } = object.metadata;
  return { ...object, metadata };
}
