import type { NodeView } from '../node/node-view.ts';

/** A Node of a large fleet is 15 kB; these are the relevant parts. */
export function projectNode(node: NodeView): NodeView {
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

/** Resources of NVIDIA's device plugin, and of other providers of GPUs. */
const ownerResource = /^(nvidia\.com|k8s\.amazonaws\.com|mig\.das\.com|instaslice\.redhat\.com)\//;
/** Annotations by which other programs claim GPUs or labels. */
const ownerAnnotation = /^(gpupartition\.dev\/|hami\.io\/node-|([\w.-]+\.)?nfd\.node\.kubernetes\.io\/feature-labels$)/;

function projectAnnotations(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const kept = Object.entries(annotations).filter(([key]) => ownerAnnotation.test(key));
  const [first] = Object.entries(annotations);
  // Keep at least one: a patch creates the map if there is none, and would remove everything in it.
  return Object.fromEntries(kept.length > 0 || first === undefined ? kept : [first]);
}

type ReadyCondition = NonNullable<NonNullable<NodeView['status']>['conditions']>[number];

/** The message of a ready node changes with the kubelet's wording and is irrelevant. */
function describeReady({ type, status, message }: ReadyCondition): ReadyCondition {
  return { type, status, ...(status !== 'True' && message !== undefined && { message }) };
}
