import type {
  DeviceReport,
  GpuNodePartition,
  GpuReport,
  GpuWish,
  InstanceReport,
  NodePartitionStatus,
  PlanReport,
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
  const { policy, wish, granted } = spec;
  return {
    ...spec,
    ...(policy && { policy: shared.share(policy) }),
    ...(wish && { wish: { ...wish, gpus: projectWishes(wish.gpus, uuids) } }),
    ...(granted && { granted: { ...granted, gpus: projectWishes(granted.gpus, uuids) } }),
  };
}

/** A grant usually equals the wish. */
function projectWishes(gpus: readonly GpuWish[], uuids: SharedValues): readonly GpuWish[] {
  const wishes = gpus.map(({ uuid, profiles, entry, ...rest }) => ({
    uuid: uuids.share(uuid),
    ...(profiles && { profiles: shared.share(profiles) }),
    ...rest,
    ...(entry !== undefined && { entry: shared.share(entry) }),
  }));
  return uuids.share(wishes);
}

/** @param isDra the UUIDs of instances are kept: a node is Ready when its ResourceSlices show them */
function projectStatus(status: NodePartitionStatus, uuids: SharedValues, isDra: boolean): NodePartitionStatus {
  const { conditions, layout, device } = status;
  return {
    ...status,
    ...(layout !== undefined && { layout: shared.share(layout) }),
    ...(conditions && {
      conditions: conditions.map(({ message, reason, ...rest }) => ({
        ...rest,
        reason: shared.share(reason),
        message: shared.share(message),
      })),
    }),
    ...(device && { device: projectDevice(device, uuids, isDra) }),
  };
}

function projectDevice(device: DeviceReport, uuids: SharedValues, isDra: boolean): DeviceReport {
  const { agentVersion, driverVersion, cudaVersion, machine, advertised, plan, models, gpus, lastGood } = device;
  return {
    ...device,
    ...(agentVersion !== undefined && { agentVersion: shared.share(agentVersion) }),
    ...(driverVersion !== undefined && { driverVersion: shared.share(driverVersion) }),
    ...(cudaVersion !== undefined && { cudaVersion: shared.share(cudaVersion) }),
    ...(machine !== undefined && { machine: shared.share(machine) }),
    ...(advertised && { advertised: shared.share(advertised) }),
    ...(plan && { plan: projectPlan(plan) }),
    ...(models && { models: models.map((model) => shared.share(model)) }),
    ...(gpus && { gpus: gpus.map((gpu) => projectGpu(gpu, uuids, isDra)) }),
    ...(lastGood && { lastGood: projectLastGood(lastGood, uuids) }),
  };
}

function projectPlan({ hash, ...rest }: PlanReport): PlanReport {
  return { hash: shared.share(hash), ...rest };
}

function projectGpu(gpu: GpuReport, uuids: SharedValues, isDra: boolean): GpuReport {
  const { uuid, pciBusId, pciDeviceId, pciClass, product, computeCapability, instances } = gpu;
  return {
    ...gpu,
    uuid: uuids.share(uuid),
    pciBusId: shared.share(pciBusId),
    ...(pciDeviceId !== undefined && { pciDeviceId: shared.share(pciDeviceId) }),
    ...(pciClass !== undefined && { pciClass: shared.share(pciClass) }),
    product: shared.share(product),
    ...(computeCapability !== undefined && { computeCapability: shared.share(computeCapability) }),
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
    gpus: gpus.map(({ uuid, placements, ...rest }) => ({
      ...rest,
      uuid: uuids.share(uuid),
      ...(placements && { placements: shared.share(placements) }),
    })),
  };
}
