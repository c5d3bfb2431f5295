// Room cluster: the cluster as it was read, and the one judge of its pods and nodes.
// Ask here what is kept in memory of the objects that a controller watches.
import { omitUndefined, SharedValues } from '../text/json.ts';
import { type NodeView, PackedLabels, selectedKeys } from '../kubernetes/node.ts';
import type {
  DeviceReport,
  GpuNodePartition,
  GpuReport,
  GpuWish,
  InstanceReport,
  NodePartitionStatus,
} from '../../api/types.ts';
import { evictAnnotation, safeToEvictAnnotation } from '../../api/names.ts';
import type { BudgetView } from '../node/eviction.ts';
import {
  mirrorAnnotation,
  systemPods,
  type ContainerView,
  type PodView,
  type ResourceClaimView,
} from '../kubernetes/pod.ts';
import { deviceClassPrefix, isGpuOfNode } from '../device/holders.ts';

/** What is kept of a claim: anybody may create any number. */
export function trimClaim({ metadata, status }: ResourceClaimView): ResourceClaimView {
  const { allocation, reservedFor } = status ?? {};
  const results = allocation?.devices?.results?.map(({ driver, pool, device, adminAccess }) =>
    omitUndefined({ driver, pool, device, adminAccess }),
  );
  return {
    metadata: omitUndefined({ name: metadata.name, namespace: metadata.namespace }),
    ...(results && { status: { allocation: { devices: { results } }, ...(reservedFor && { reservedFor }) } }),
  };
}

/** What nodes of a fleet have in common: a few values each, unless another program keeps times in its annotations. */
const sharedNodeValues = new SharedValues(512);

/** A Node of a large fleet is 15 kB; these are the relevant parts. What is equal across the fleet is kept once. Of the result itself all is kept. */
export function trimNode(node: NodeView): NodeView {
  if (node.metadata instanceof KeptMetadata) return node;
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  const bootID = node.status?.nodeInfo?.bootID;
  return {
    metadata: new KeptMetadata(node.metadata),
    spec: sharedNodeValues.share({
      taints: node.spec?.taints ?? [],
      ...(node.spec?.unschedulable === true && { unschedulable: true }),
    }),
    status: {
      // All of it: a waiting pod may request any of it.
      allocatable: sharedNodeValues.share({ ...node.status?.allocatable }),
      capacity: projectQuantities(node.status?.capacity),
      ...(bootID !== undefined && { nodeInfo: { bootID } }),
      conditions: sharedNodeValues.share(ready ? [describeReady(ready)] : []),
    },
  };
}

function projectQuantities(quantities: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return sharedNodeValues.share(
    Object.fromEntries(Object.entries(quantities).filter(([key]) => ownerResource.test(key))),
  );
}

/** Metadata whose labels are packed, and unpacked when they are read. */
class KeptMetadata {
  readonly name: string;
  declare readonly uid?: string;
  declare readonly resourceVersion?: string;
  declare readonly deletionTimestamp?: string;
  declare readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly #packed: PackedLabels;

  constructor({ name, uid, resourceVersion, deletionTimestamp, labels, annotations }: NodeView['metadata']) {
    this.name = name;
    // What is absent has no field, as everywhere.
    if (uid !== undefined) this.uid = uid;
    if (resourceVersion !== undefined) this.resourceVersion = resourceVersion;
    if (deletionTimestamp !== undefined) this.deletionTimestamp = deletionTimestamp;
    this.annotations = sharedNodeValues.share(projectAnnotations(annotations ?? {}));
    this.#packed = new PackedLabels(labels ?? {});
    // A field, unlike a getter of the class, is in copies too; and one descriptor for all, so that V8 keeps one layout for all.
    Object.defineProperty(this, 'labels', KeptMetadata.#labels);
  }

  pick(keys: readonly string[]): Readonly<Record<string, string>> {
    return this.#packed.pick(keys);
  }

  isLabelledAs(other: unknown): boolean | undefined {
    return other instanceof KeptMetadata ? this.#packed.equals(other.#packed) : undefined;
  }

  static readonly #labels: PropertyDescriptor & ThisType<KeptMetadata> = {
    enumerable: true,
    get() {
      return this.#packed.unpack();
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

type LastGood = NonNullable<DeviceReport['lastGood']>;

const sharedPartitionValues = new SharedValues();

/**
 * A GpuNodePartition of 8 GPUs with 7 instances each is 12 kB, of which the controller reads a small part. What is equal across the
 * fleet is kept once: profile tables, the instances of GPUs with the same layout, products and versions.
 */
export function trimPartition(partition: GpuNodePartition): GpuNodePartition {
  const { metadata, spec, status } = partition;
  const { name, uid, resourceVersion, generation, deletionTimestamp } = metadata;
  const uuids = new SharedValues();
  return {
    apiVersion: sharedPartitionValues.share(partition.apiVersion),
    kind: sharedPartitionValues.share(partition.kind),
    metadata: omitUndefined({ name, uid, resourceVersion, generation, deletionTimestamp }),
    spec: projectSpec(spec, uuids),
    ...(status && { status: projectStatus(status, uuids, spec.backend === 'DRA') }),
  };
}

function projectSpec(spec: GpuNodePartition['spec'], uuids: SharedValues): GpuNodePartition['spec'] {
  const { wish, granted } = spec;
  return {
    ...sharedPartitionValues.shareFields(spec, 'policy'),
    ...(wish && { wish: { ...wish, gpus: projectWishes(wish.gpus, uuids) } }),
    ...(granted && { granted: { ...granted, gpus: projectWishes(granted.gpus, uuids) } }),
  };
}

/** A grant usually equals the wish. */
function projectWishes(gpus: readonly GpuWish[], uuids: SharedValues): readonly GpuWish[] {
  return uuids.share(
    gpus.map((gpu) => uuids.shareFields(sharedPartitionValues.shareFields(gpu, 'profiles', 'entry'), 'uuid')),
  );
}

/** @param isDra the UUIDs of instances are kept: a node is Ready when its ResourceSlices show them */
function projectStatus(status: NodePartitionStatus, uuids: SharedValues, isDra: boolean): NodePartitionStatus {
  const { conditions, device } = status;
  return {
    ...sharedPartitionValues.shareFields(status, 'layout'),
    ...(conditions && {
      conditions: conditions.map((one) => sharedPartitionValues.shareFields(one, 'reason', 'message')),
    }),
    ...(device && { device: projectDevice(device, uuids, isDra) }),
  };
}

function projectDevice(device: DeviceReport, uuids: SharedValues, isDra: boolean): DeviceReport {
  const { plan, models, gpus, lastGood } = device;
  return {
    ...sharedPartitionValues.shareFields(
      device,
      'agentVersion',
      'driverVersion',
      'cudaVersion',
      'machine',
      'advertised',
    ),
    ...(plan && { plan: sharedPartitionValues.shareFields(plan, 'hash') }),
    ...(models && { models: models.map((model) => sharedPartitionValues.share(model)) }),
    ...(gpus && { gpus: gpus.map((gpu) => projectGpu(gpu, uuids, isDra)) }),
    ...(lastGood && { lastGood: projectLastGood(lastGood, uuids) }),
  };
}

function projectGpu(gpu: GpuReport, uuids: SharedValues, isDra: boolean): GpuReport {
  const { uuid, instances } = gpu;
  return {
    ...sharedPartitionValues.shareFields(gpu, 'pciBusId', 'pciDeviceId', 'pciClass', 'product', 'computeCapability'),
    uuid: uuids.share(uuid),
    instances: isDra ? instances.map(dropPods) : sharedPartitionValues.share(instances.map(trimInstance)),
  };
}

/** Being busy says enough about its pods and claims. */
function dropPods({ pods: _pods, claims: _claims, ...instance }: InstanceReport): InstanceReport {
  return instance;
}

/** An instance without its UUIDs: with them, no two GPUs would have equal instances. */
function trimInstance(instance: InstanceReport): InstanceReport {
  const { uuid: _uuid, computeInstances, ...rest } = dropPods(instance);
  const parts = computeInstances?.map(({ uuid: _uuids, ...one }) => one);
  return { ...rest, ...(parts && { computeInstances: parts }) };
}

function projectLastGood(lastGood: LastGood, uuids: SharedValues): LastGood {
  const { gpus } = lastGood;
  if (!gpus) return lastGood;
  return {
    ...lastGood,
    gpus: gpus.map((gpu) => uuids.shareFields(sharedPartitionValues.shareFields(gpu, 'placements'), 'uuid')),
  };
}

/**
 * The relevant parts of a node's pod. Anybody may create a pod of 1 MB: of a pod that is not the cluster's own, the only text
 * kept is its name and its GPUs.
 *
 * @param systemNamespaces see `systemPods`
 * @param gpus what the node and its kubelet offer: resources that may be its GPUs are kept; absent: none
 * @param budgets whose selectors tell which labels are kept
 */
export function podTrimmer({
  systemNamespaces = [],
  gpus,
  budgets = [],
}: {
  readonly systemNamespaces?: readonly string[];
  readonly gpus?: Parameters<typeof isGpuOfNode>[1];
  readonly budgets?: readonly BudgetView[];
}): (pod: PodView) => PodView {
  const isKept = (name: string): boolean =>
    gpus !== undefined && (name.startsWith(deviceClassPrefix) || isGpuOfNode(name, gpus));
  const labelKeys = new Set(budgets.flatMap(({ spec }) => (spec?.selector ? selectedKeys(spec.selector) : [])));
  return (pod) =>
    systemPods([pod], systemNamespaces).length > 0 ? dropManagedFields(pod) : trimPod(pod, isKept, labelKeys);
}

function trimPod(pod: PodView, isKept: (resource: string) => boolean, labelKeys: ReadonlySet<string>): PodView {
  const { metadata, spec, status } = pod;
  const { name, namespace, uid, creationTimestamp, deletionTimestamp, annotations, labels = {} } = metadata;
  const { resourceClaims = [], terminationGracePeriodSeconds: grace, ...containers } = spec ?? {};
  const keep = (list: readonly ContainerView[] = []) => list.map((one) => keepResources(one, isKept));
  const hasClaim = resourceClaims.length > 0 || status?.extendedResourceClaimStatus !== undefined;
  return {
    metadata: {
      ...omitUndefined({
        name,
        namespace,
        uid,
        creationTimestamp,
        deletionTimestamp,
        // At most one is the controller: it shows who recreates the pod.
        ownerReferences: metadata.ownerReferences?.filter(({ controller }) => controller === true),
      }),
      ...keepAnnotations(annotations),
      ...(labelKeys.size > 0 && {
        labels: Object.fromEntries(Object.entries(labels).filter(([key]) => labelKeys.has(key))),
      }),
    },
    spec: {
      containers: keep(containers.containers),
      initContainers: keep(containers.initContainers),
      ephemeralContainers: keep(containers.ephemeralContainers),
      ...(hasClaim && { resourceClaims: [{}] }),
      ...(typeof grace === 'number' && { terminationGracePeriodSeconds: grace }),
    },
    status: omitUndefined({ phase: status?.phase, conditions: keepReady(status?.conditions) }),
  };
}

type Conditions = NonNullable<PodView['status']>['conditions'];

function keepReady(conditions: Conditions): Conditions | undefined {
  const ready = conditions?.find(({ type }) => type === 'Ready');
  return ready && [{ type: 'Ready', status: ready.status }];
}

function keepResources({ resources = {} }: ContainerView, isKept: (resource: string) => boolean): ContainerView {
  const keep = (amounts: Readonly<Record<string, string | number>> = {}) =>
    Object.fromEntries(Object.entries(amounts).filter(([name]) => isKept(name)));
  const { limits, requests } = resources;
  return { resources: { limits: keep(limits), requests: keep(requests) } };
}

function dropManagedFields(pod: PodView): PodView {
  const { managedFields: _unused, annotations, ...metadata } = pod.metadata;
  return { ...pod, metadata: { ...metadata, ...keepAnnotations(annotations) } };
}

/** Annotations that decide whether the pod may be evicted; of a static pod only that it is one. */
function keepAnnotations(annotations: Readonly<Record<string, string>> = {}): Pick<PodView['metadata'], 'annotations'> {
  const kept = Object.entries({
    ...(annotations[mirrorAnnotation] !== undefined && { [mirrorAnnotation]: 'true' }),
    ...(annotations[evictAnnotation] === 'false' && { [evictAnnotation]: 'false' }),
    ...(annotations[safeToEvictAnnotation] === 'false' && { [safeToEvictAnnotation]: 'false' }),
  });
  return kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) };
}

/** An agent's pod, reduced to its sign of life. */
export function trimAgentPod({ metadata, spec, status }: PodView): PodView {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const isReady = ready?.status === 'True';
  const waiting = isReady ? undefined : status?.containerStatuses?.find(({ state }) => state?.waiting)?.state?.waiting;
  return {
    metadata: omitUndefined({ name, namespace, uid, resourceVersion, deletionTimestamp }),
    spec: omitUndefined({ nodeName: spec?.nodeName }),
    status: {
      ...omitUndefined({ phase: status?.phase }),
      conditions: ready ? [omitUndefined({ type: 'Ready', status: ready.status, message: ready.message })] : [],
      ...(waiting && { containerStatuses: [{ name: 'agent', state: { waiting } }] }),
    },
  };
}
