import type { NodeView } from '../core/node/node-view.ts';
import type { KubeObject } from '../kube/resource.ts';

/** A Node as it comes from the API server, less what nobody reads. */
export type NodeObject = KubeObject & NodeView;

/** A Node of a big fleet is 15 kB, of which this is what counts. */
export function projectNode(node: NodeObject): NodeObject {
  const { name, uid, resourceVersion, labels, annotations, deletionTimestamp } = node.metadata;
  const gpus = Object.entries(node.status?.allocatable ?? {}).filter(([key]) => ownerResource.test(key));
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  const bootID = node.status?.nodeInfo?.bootID;
  return {
    metadata: {
      name,
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
      labels: labels ?? {},
      annotations: projectAnnotations(annotations ?? {}),
    },
    spec: { taints: node.spec?.taints ?? [], ...(node.spec?.unschedulable === true && { unschedulable: true }) },
    status: {
      allocatable: Object.fromEntries(gpus),
      ...(bootID !== undefined && { nodeInfo: { bootID } }),
      conditions: ready ? [describeReady(ready)] : [],
    },
  };
}

/** Resources of NVIDIA's device plugin, and of others who hand out GPUs. */
const ownerResource = /^(nvidia\.com|k8s\.amazonaws\.com|mig\.das\.com|instaslice\.redhat\.com)\//;
/** Annotations of others by which they say that they own GPUs or labels. */
const ownerAnnotation = /^(gpupartition\.dev\/|hami\.io\/node-|([\w.-]+\.)?nfd\.node\.kubernetes\.io\/feature-labels$)/;

function projectAnnotations(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const kept = Object.entries(annotations).filter(([key]) => ownerAnnotation.test(key));
  const [first] = Object.entries(annotations);
  // That there are any must not be lost: a patch makes the map where there is none, and would take away all that is in it.
  return Object.fromEntries(kept.length > 0 || first === undefined ? kept : [first]);
}

type ReadyCondition = NonNullable<NonNullable<NodeView['status']>['conditions']>[number];

/** Why a node is ready changes with the kubelet's words and matters to nobody. */
function describeReady({ type, status, message }: ReadyCondition): ReadyCondition {
  return { type, status, ...(status !== 'True' && message !== undefined && { message }) };
}

/** Managed fields are half of an object and nobody here reads them. */
export function stripManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _unused, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** An agent's pod, as far as it is a sign of life. */
export interface AgentPod extends KubeObject {
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[];
    readonly containerStatuses?: readonly {
      readonly name: string;
      readonly state?: { readonly waiting?: { readonly reason?: string; readonly message?: string } };
    }[];
  };
}

export function projectAgentPod({ metadata, spec, status }: AgentPod): AgentPod {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const isReady = ready?.status === 'True';
  const waiting = isReady ? undefined : status?.containerStatuses?.find(({ state }) => state?.waiting)?.state?.waiting;
  return {
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(deletionTimestamp !== undefined && { deletionTimestamp }),
    },
    spec: { ...(spec?.nodeName !== undefined && { nodeName: spec.nodeName }) },
    status: {
      ...(status?.phase !== undefined && { phase: status.phase }),
      conditions: ready
        ? [{ type: 'Ready', status: ready.status, ...(ready.message !== undefined && { message: ready.message }) }]
        : [],
      ...(waiting && { containerStatuses: [{ name: 'agent', state: { waiting } }] }),
    },
  };
}
