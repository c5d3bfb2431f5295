import type {
  DeviceReport,
  GpuNodePartition,
  GpuReport,
  GpuWish,
  InstanceReport,
  NodePartitionStatus,
} from '../../api/types.ts';
import { SharedValues } from '../metadata/shared-values.ts';
import { definedOnly } from '../text/defined-fields.ts';

type LastGood = NonNullable<DeviceReport['lastGood']>;

const shared = new SharedValues();

/**
 * A GpuNodePartition of 8 GPUs with 7 instances each is 12 kB, of which the controller reads a small part. What is equal across the
 * fleet is kept once: profile tables, the instances of GPUs with the same layout, products and versions.
 */
export function projectPartition(partition: GpuNodePartition): GpuNodePartition {
  const { metadata, spec, status } = partition;
  const { name, uid, resourceVersion, generation, deletionTimestamp } = metadata;
  const uuids = new SharedValues();
  return {
    apiVersion: shared.share(partition.apiVersion),
    kind: shared.share(partition.kind),
    metadata: definedOnly({ name, uid, resourceVersion, generation, deletionTimestamp }),
    spec: projectSpec(spec, uuids),
    ...(status && { status: projectStatus(status, uuids, spec.backend === 'DRA') }),
  };
}

function projectSpec(spec: GpuNodePartition['spec'], uuids: SharedValues): GpuNodePartition['spec'] {
  const { wish, granted } = spec;
  return {
    ...shared.shareFields(spec, 'policy'),
    ...(wish && { wish: { ...wish, gpus: projectWishes(wish.gpus, uuids) } }),
    ...(granted && { granted: { ...granted, gpus: projectWishes(granted.gpus, uuids) } }),
  };
}

/** A grant usually equals the wish. */
function projectWishes(gpus: readonly GpuWish[], uuids: SharedValues): readonly GpuWish[] {
  return uuids.share(gpus.map((gpu) => uuids.shareFields(shared.shareFields(gpu, 'profiles', 'entry'), 'uuid')));
}

/** @param isDra the UUIDs of instances are kept: a node is Ready when its ResourceSlices show them */
function projectStatus(status: NodePartitionStatus, uuids: SharedValues, isDra: boolean): NodePartitionStatus {
  const { conditions, device } = status;
  return {
    ...shared.shareFields(status, 'layout'),
    ...(conditions && { conditions: conditions.map((one) => shared.shareFields(one, 'reason', 'message')) }),
    ...(device && { device: projectDevice(device, uuids, isDra) }),
  };
}

function projectDevice(device: DeviceReport, uuids: SharedValues, isDra: boolean): DeviceReport {
  const { plan, models, gpus, lastGood } = device;
  return {
    ...shared.shareFields(device, 'agentVersion', 'driverVersion', 'cudaVersion', 'machine', 'advertised'),
    ...(plan && { plan: shared.shareFields(plan, 'hash') }),
    ...(models && { models: models.map((model) => shared.share(model)) }),
    ...(gpus && { gpus: gpus.map((gpu) => projectGpu(gpu, uuids, isDra)) }),
    ...(lastGood && { lastGood: projectLastGood(lastGood, uuids) }),
  };
}

function projectGpu(gpu: GpuReport, uuids: SharedValues, isDra: boolean): GpuReport {
  const { uuid, instances } = gpu;
  return {
    ...shared.shareFields(gpu, 'pciBusId', 'pciDeviceId', 'pciClass', 'product', 'computeCapability'),
    uuid: uuids.share(uuid),
    instances: isDra ? instances.map(dropPods) : shared.share(instances.map(projectInstance)),
  };
}

/** Being busy says enough about its pods and claims. */
function dropPods({ pods: _pods, claims: _claims, ...instance }: InstanceReport): InstanceReport {
  return instance;
}

/** With UUIDs, no two GPUs would have equal instances. */
function projectInstance(instance: InstanceReport): InstanceReport {
  const { uuid: _uuid, computeInstances, ...rest } = dropPods(instance);
  const parts = computeInstances?.map(({ uuid: _uuids, ...one }) => one);
  return { ...rest, ...(parts && { computeInstances: parts }) };
}

function projectLastGood(lastGood: LastGood, uuids: SharedValues): LastGood {
  const { gpus } = lastGood;
  if (!gpus) return lastGood;
  return {
    ...lastGood,
    gpus: gpus.map((gpu) => uuids.shareFields(shared.shareFields(gpu, 'placements'), 'uuid')),
  };
}
