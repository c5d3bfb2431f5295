// Room host: one host without Kubernetes, and the files that people bring or send: what they say, never how they are read or written.
// Ask here which objects a support bundle of a cluster contains, and which parts of each.
import { acceleratorLabels, evictAnnotation, group, safeToEvictAnnotation } from '../../api/names.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import { usesGpu } from '../device/holders.ts';
import { type NodeView, selectedKeys } from '../kubernetes/node.ts';
import { type PodView, mirrorAnnotation } from '../kubernetes/pod.ts';
import { pluginPodsOf } from '../node/plugin-pods.ts';
import { mayUseClaims } from '../policy/spec.ts';
import { fieldsOf } from '../text/json.ts';

/** Prefix of our own labels, annotations and taints. */
const ownPrefix = `${group}/`;

const kept: readonly string[] = [
  'nvidia.com/',
  ownPrefix,
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'node.kubernetes.io/instance-type',
  // By these Cluster Autoscaler expects GPUs.
  ...Object.values(acceleratorLabels),
];

/** Annotations that prevent a pod's eviction, give a node another owner, or list NFD's labels. */
const annotations: readonly string[] = [
  ownPrefix,
  mirrorAnnotation,
  evictAnnotation,
  safeToEvictAnnotation,
  'hami.io/',
  'nfd.node.kubernetes.io/',
];

function isKnownAnnotation(key: string): boolean {
  return annotations.some((prefix) => key.startsWith(prefix));
}

/** Chooses what of a cluster a bundle contains. @param isOwn whether a pod is one of our programs */
export function chooseBundled<Node extends NodeView, Pod extends PodView>(
  {
    policies,
    partitions,
    nodes,
    pods,
  }: {
    readonly policies: readonly GpuPartitionPolicy[];
    readonly partitions: readonly GpuNodePartition[];
    readonly nodes: readonly Node[];
    readonly pods: readonly Pod[];
  },
  isOwn: (pod: Pod) => boolean,
) {
  const gpuNodes = chooseNodes(nodes, partitions);
  const chosen = choosePods(pods, new Set(gpuNodes.map(({ metadata }) => metadata.name)), isOwn);
  return {
    nodes: keepLabels(gpuNodes, policies, chosen),
    pods: chosen,
    ours: sortForLogs(chosen.filter(isOwn), partitions),
    usesClaims: usesClaims(policies, partitions, chosen),
  };
}

/** Whether the cluster uses claims; elsewhere the right to list them is not asked for. */
function usesClaims(
  policies: readonly GpuPartitionPolicy[],
  partitions: readonly GpuNodePartition[],
  pods: readonly PodView[],
): boolean {
  return (
    policies.some(({ spec }) => mayUseClaims(spec)) ||
    partitions.some(({ spec }) => spec.backend === 'DRA') ||
    pods.some(({ spec }) => (spec?.resourceClaims ?? []).length > 0)
  );
}

function chooseNodes<Node extends NodeView>(
  all: readonly Node[],
  partitions: readonly GpuNodePartition[],
): readonly Node[] {
  const known = new Set(partitions.map(({ metadata }) => metadata.name));
  const isGpu = (key: string): boolean => key.startsWith('nvidia.com/');
  return all.filter(
    ({ metadata, status }) =>
      known.has(metadata.name) ||
      [metadata.labels, status?.allocatable, status?.capacity].some((fields) => Object.keys(fields ?? {}).some(isGpu)),
  );
}

/** Our pods, those that request GPUs, and the daemons of GPU nodes: the device plugin, and others that may own or hold GPUs. */
function choosePods<Pod extends PodView>(
  all: readonly Pod[],
  gpuNodes: ReadonlySet<string>,
  isOwn: (pod: Pod) => boolean,
): readonly Pod[] {
  const isDaemon = ({ metadata, spec }: Pod): boolean =>
    gpuNodes.has(spec?.nodeName ?? '') &&
    metadata.ownerReferences?.some(({ kind, controller }) => kind === 'DaemonSet' && controller === true) === true;
  return all.filter((pod) => isOwn(pod) || usesGpu(pod) || isDaemon(pod) || pluginPodsOf([pod]).length > 0);
}

/** The controller's first, then agents of unhealthy nodes: of a large fleet not every log is kept. */
function sortForLogs<Pod extends PodView>(
  ours: readonly Pod[],
  partitions: readonly GpuNodePartition[],
): readonly Pod[] {
  const well = new Set(
    partitions.filter(({ status }) => status?.phase === 'Ready').map(({ metadata }) => metadata.name),
  );
  const rank = ({ spec, metadata }: Pod): number =>
    metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet') !== true
      ? 0
      : well.has(spec?.nodeName ?? '')
        ? 2
        : 1;
  return ours.toSorted((a, b) => rank(a) - rank(b));
}

/** Nodes with the labels that are about GPUs, or decide something here: in policies, and in pods that request GPUs. */
function keepLabels<Node extends NodeView>(
  nodes: readonly Node[],
  policies: readonly GpuPartitionPolicy[],
  pods: readonly PodView[],
) {
  const ofPolicies = policies.flatMap(({ spec }) => selectedKeys(spec.nodeSelector));
  const ofPods = pods.flatMap(({ spec }) => {
    const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
    const expressions = terms.flatMap(({ matchExpressions = [] }) => matchExpressions.map(({ key }) => key));
    return [...Object.keys(spec?.nodeSelector ?? {}), ...expressions];
  });
  const deciding = new Set([...ofPolicies, ...ofPods]);
  const isKept = (key: string): boolean => deciding.has(key) || kept.some((prefix) => key.startsWith(prefix));
  return nodes.map(({ metadata, ...node }) => {
    const labels = Object.entries(metadata.labels ?? {}).filter(([key]) => isKept(key));
    return { ...node, metadata: { ...metadata, labels: Object.fromEntries(labels) } };
  });
}

/** A part of an object, in the API's own shape. Exported fields are listed one by one; anything unlisted stays private. */
type Shape = true | { readonly [field: string]: Shape } | readonly [Shape];

const metadata = {
  name: true,
  namespace: true,
  uid: true,
  resourceVersion: true,
  generation: true,
  creationTimestamp: true,
  deletionTimestamp: true,
  labels: true,
  finalizers: true,
  ownerReferences: true,
} as const satisfies Shape;

const object = { apiVersion: true, kind: true, metadata } as const satisfies Shape;
const annotated = { ...object, metadata: { ...metadata, annotations: true } } as const satisfies Shape;

const containerStatus = {
  name: true,
  image: true,
  imageID: true,
  ready: true,
  started: true,
  restartCount: true,
  allocatedResourcesStatus: true,
  state: {
    waiting: { reason: true },
    running: true,
    terminated: { reason: true, exitCode: true, signal: true, startedAt: true, finishedAt: true },
  },
  lastState: {
    terminated: { reason: true, exitCode: true, signal: true, startedAt: true, finishedAt: true },
  },
} as const satisfies Shape;

/** Neither environment nor arguments or volumes. */
const container = { name: true, image: true, restartPolicy: true, resources: true } as const satisfies Shape;

const podStatus = {
  phase: true,
  reason: true,
  message: true,
  qosClass: true,
  nominatedNodeName: true,
  startTime: true,
  conditions: true,
  extendedResourceClaimStatus: true,
  resourceClaimStatuses: true,
  containerStatuses: [containerStatus],
  initContainerStatuses: [containerStatus],
} as const satisfies Shape;

const pod = {
  ...annotated,
  spec: {
    nodeName: true,
    schedulerName: true,
    priority: true,
    priorityClassName: true,
    nodeSelector: true,
    affinity: { nodeAffinity: true },
    tolerations: true,
    schedulingGates: true,
    resourceClaims: true,
    terminationGracePeriodSeconds: true,
    hostPID: true,
    containers: [container],
    initContainers: [container],
    ephemeralContainers: [container],
  },
  status: podStatus,
} as const satisfies Shape;

/** The arguments of our own programs are options, none of them secret. */
const ownContainer = { ...container, args: true } as const satisfies Shape;
const ownPod = {
  ...pod,
  spec: { ...pod.spec, containers: [ownContainer], serviceAccountName: true },
} as const satisfies Shape;

const node = {
  ...annotated,
  spec: { taints: true, unschedulable: true },
  status: {
    allocatable: true,
    capacity: true,
    conditions: true,
    nodeInfo: {
      architecture: true,
      bootID: true,
      containerRuntimeVersion: true,
      kernelVersion: true,
      kubeletVersion: true,
      operatingSystem: true,
      osImage: true,
    },
  },
} as const satisfies Shape;

const event = {
  ...object,
  metadata: { name: true, namespace: true, creationTimestamp: true },
  involvedObject: { kind: true, namespace: true, name: true, uid: true },
  reason: true,
  message: true,
  type: true,
  count: true,
  series: true,
  firstTimestamp: true,
  lastTimestamp: true,
  eventTime: true,
  source: { component: true },
  reportingComponent: true,
} as const satisfies Shape;

const budget = { ...object, spec: true, status: true } as const satisfies Shape;

/** Parameters of drivers may hold anything: they are left out. */
const claimSpec = { devices: { requests: true, constraints: true } } as const satisfies Shape;

const claim = {
  ...object,
  spec: claimSpec,
  status: { allocation: { devices: { results: true } }, reservedFor: true },
} as const satisfies Shape;

const claimTemplate = { ...object, spec: { spec: claimSpec } } as const satisfies Shape;

const deviceClass = { ...object, spec: { selectors: true, extendedResourceName: true } } as const satisfies Shape;

const slice = { ...object, spec: true } as const satisfies Shape;

const namespace = { ...object, metadata: { name: true, labels: true } } as const satisfies Shape;

/** Our own kinds may be shown in full. */
const own = { ...annotated, spec: true, status: true } as const satisfies Shape;

const shapes = {
  pod,
  ownPod,
  node,
  event,
  budget,
  claim,
  claimTemplate,
  deviceClass,
  slice,
  namespace,
  own,
} satisfies Readonly<Record<string, Shape>>;

/** The parts of an object that a bundle contains. Only annotations that decide something: others may be anybody's, with any content. */
export function trimObject<Result extends object>(object: Result, kind: keyof typeof shapes): Result {
  const picked = pick(object, shapes[kind]) as Result & { metadata?: { annotations?: Record<string, string> } };
  const annotations = picked.metadata?.annotations;
  if (annotations === undefined) return picked;
  const known = Object.entries(annotations).filter(([key]) => isKnownAnnotation(key));
  return { ...picked, metadata: { ...picked.metadata, annotations: Object.fromEntries(known) } };
}

function pick(value: unknown, shape: Shape): unknown {
  if (shape === true) return value;
  if (isItems(shape)) return Array.isArray(value) ? value.map((item) => pick(item, shape[0])) : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.entries(shape).flatMap(([field, inner]) => {
      const found = field in fields ? pick(fields[field], inner) : undefined;
      return found === undefined ? [] : [[field, found]];
    }),
  );
}

function isItems(shape: Exclude<Shape, true>): shape is readonly [Shape] {
  return Array.isArray(shape);
}

const unknownKey = 'x-kubernetes-preserve-unknown-fields';

/** The fields that a CRD has: descriptions, bounds and rules, which are nine tenths of it, are those of its release. */
export function trimDefinition<Result extends object>(definition: Result): Result {
  const { spec, ...rest } = pick(definition, {
    ...object,
    spec: { versions: [{ name: true, schema: true }] },
  }) as Result & {
    readonly spec?: { readonly versions?: readonly { readonly schema?: { readonly openAPIV3Schema?: unknown } }[] };
  };
  const versions = (spec?.versions ?? []).map(({ schema, ...version }) => ({
    ...version,
    schema: { openAPIV3Schema: trimSchema(schema?.openAPIV3Schema) },
  }));
  return { ...rest, spec: { versions } } as Result;
}

function trimSchema(schema: unknown): unknown {
  const fields = fieldsOf(schema) ?? {};
  const properties = fieldsOf(fields['properties']);
  return {
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, trimSchema(inner)])),
    }),
    ...(fieldsOf(fields['items']) && { items: trimSchema(fields['items']) }),
    ...(fields[unknownKey] === true && { [unknownKey]: true }),
  };
}
