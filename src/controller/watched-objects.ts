import { partitionReadyCondition } from '../api/names.ts';
import { deepEqual, omitUndefined, SharedValues } from '../core/text/json.ts';
import { type NodeView, PackedLabels } from '../core/kubernetes/node.ts';
import type {
  DeviceReport,
  GpuNodePartition,
  GpuPartitionPolicy,
  GpuReport,
  GpuWish,
  InstanceReport,
  NodePartitionStatus,
} from '../api/types.ts';
import type { BudgetView } from '../core/node/eviction.ts';
import { isReady, podName, type PodView, type ResourceClaimView } from '../core/kubernetes/pod.ts';
import type { NodeSnapshot } from '../core/node/snapshot.ts';
import { cutText } from '../core/text/words.ts';
import type { KubeObject } from '../kube/watch.ts';

/** Keeps, of a policy's managed fields, which are half of the object, who manages which part of it, and none of the fields in these. */
export function trimPolicy<Policy extends GpuPartitionPolicy>(policy: Policy): Policy {
  const managed = (policy.metadata['managedFields'] ?? []) as readonly { readonly fieldsV1?: object }[];
  const managedFields = managed.map(({ fieldsV1 = {}, ...entry }) => ({
    ...entry,
    fieldsV1: Object.fromEntries(Object.keys(fieldsV1).map((part) => [part, {}])),
  }));
  return { ...policy, metadata: { ...policy.metadata, managedFields } };
}

/** What nodes of a fleet have in common: a few values each, unless another program keeps times in its annotations. */
const sharedNodeValues = new SharedValues(512);

/** A Node of a large fleet is 15 kB; these are the relevant parts. What is equal across the fleet is kept once. Of the result itself all is kept. */
export function trimNode(node: NodeView): NodeView {
  if (node.metadata instanceof KeptMetadata) return node;
  const { conditions = [] } = node.status ?? {};
  const ready = conditions.find(({ type }) => type === 'Ready');
  const own = conditions.find(({ type }) => type === partitionReadyCondition);
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
      conditions: sharedNodeValues.share([
        ...(ready ? [describeReady(ready)] : []),
        ...(own ? [describeOwn(own)] : []),
      ]),
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

/** Whether two versions of a node have the same labels, of which there are more than a hundred. */
export function hasSameLabels({ metadata: a }: NodeView, { metadata: b }: NodeView): boolean {
  return a.isLabelledAs?.(b) ?? deepEqual(a.labels, b.labels);
}

type NodeCondition = NonNullable<NonNullable<NodeView['status']>['conditions']>[number];

/** The message of a ready node changes with the kubelet's wording and is irrelevant. */
function describeReady({ type, status, message }: NodeCondition): NodeCondition {
  return { type, status, ...(status !== 'True' && message !== undefined && { message }) };
}

/** Its times differ from node to node, and nothing rests on them. */
function describeOwn({ type, status, reason, message }: NodeCondition): NodeCondition {
  return omitUndefined({ type, status, reason, message });
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

/** An agent's pod, reduced to its sign of life. */
export function trimAgentPod({ metadata, spec, status }: PodView): PodView {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const isUp = ready?.status === 'True';
  const waiting = isUp ? undefined : status?.containerStatuses?.find(({ state }) => state?.waiting)?.state?.waiting;
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

/** What the pods of one node's agent say of it, as they are kept. */
export function viewAgent(all: readonly PodView[]): NodeSnapshot['agent'] {
  const pods = all.filter(({ metadata }) => !metadata.deletionTimestamp);
  const [first] = pods;
  if (!first) return { state: 'Missing' };
  if (pods.some(isReady)) return { state: 'Ready' };
  return { state: 'NotReady', why: describePod(first) };
}

function describePod(pod: PodView): string {
  const { status } = pod;
  const waiting = status?.containerStatuses?.[0]?.state?.waiting;
  const why = waiting
    ? [waiting.reason, waiting.message].filter((text) => text !== undefined && text !== '').join(': ')
    : (status?.conditions?.[0]?.message ?? `phase ${status?.phase ?? 'unknown'}`);
  return `pod ${podName(pod)} (${cutText(why, 200)})`;
}

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

/**
 * The most characters of a budget's selector. Anybody may write budgets into a namespace of theirs: one with a longer selector is left to
 * the API server, which enforces it.
 */
const longestSelector = 4096;

export function trimBudget({ metadata, spec, status }: BudgetView & KubeObject): BudgetView & KubeObject {
  const { name, namespace, generation } = metadata;
  return {
    metadata: omitUndefined({ name, namespace, generation }),
    ...(spec && JSON.stringify(spec).length <= longestSelector && { spec }),
    ...(status && { status }),
  };
}
