import type { DeviceReport, GpuReport, InstanceReport, ModelReport } from '../../api/types.ts';
import type { Engines, Geometry } from '../gpu/geometry/geometry.ts';
import { nameWhole } from '../gpu/geometry/profile-name.ts';
import type {
  ComputeInstanceState,
  DeviceState,
  GpuInstanceState,
  GpuState,
  LostGpu,
} from '../gpu/state/device-state.ts';
import { definedOnly } from '../text/defined-fields.ts';
import { sameJson } from '../text/fingerprint.ts';
import { cutText } from '../text/cut-text.ts';

/**
 * The GPUs as reported to the cluster: what placements, labels and busy checks need, and nothing else.
 *
 * @param before the GPUs as they were last reported
 */
export function reportDevice(
  device: DeviceState,
  before: readonly GpuReport[] = [],
): Pick<DeviceReport, 'driverVersion' | 'cudaVersion' | 'gpus' | 'models'> {
  const tables = new Map(
    device.gpus.flatMap(({ product, geometry, tableSource }) =>
      geometry && tableSource !== 'BuiltIn' ? [[product, geometry] as const] : [],
    ),
  );
  // A GPU that answers from another slot now is not the one that does not answer at its old address.
  const gone = before.filter(({ uuid }) => !device.gpus.some((gpu) => gpu.uuid === uuid));
  return {
    driverVersion: device.driverVersion,
    ...definedOnly({ cudaVersion: device.cudaVersion }),
    gpus: [
      ...device.gpus.map((gpu) => reportGpu(gpu, tables.get(gpu.product))),
      ...device.lost.map((gpu) => reportLost(gpu, gone)),
    ].toSorted((a, b) => a.index - b.index),
    models: [...tables].map(([product, geometry]) => reportModel(product, geometry)),
  };
}

/** @param table the profiles as they are reported: what is as they say is not repeated */
function reportGpu(gpu: GpuState, table: Geometry | undefined): GpuReport {
  const { mig, fault } = gpu;
  return {
    uuid: gpu.uuid,
    index: gpu.index,
    pciBusId: gpu.pciBusId,
    product: gpu.product,
    memoryMiB: gpu.memoryMiB,
    migCapable: gpu.migCapable,
    ...definedOnly({
      minor: gpu.minor,
      pciDeviceId: gpu.pciDeviceId,
      pciClass: gpu.pciClass,
      computeCapability: gpu.computeCapability,
      mig: mig?.current,
      migPending: mig?.pending === mig?.current ? undefined : mig?.pending,
      busy: gpu.processes.length > 0 ? true : undefined,
      health: gpu.health && { action: gpu.health.action, message: cutText(gpu.health.message, 256) },
      vgpuHost: gpu.vgpuHost,
      error: fault && cutText(`${fault.code}: ${fault.message}`, 256),
    }),
    instances: gpu.instances
      .toSorted((a, b) => a.start - b.start)
      .map((one) => reportInstance(gpu.processes, one, table)),
  };
}

/** A lost GPU stays in the report, so that nobody assumes it was never there. */
function reportLost(
  { uuid, index, pciBusId, product, fault, instances }: LostGpu,
  before: readonly GpuReport[],
): GpuReport {
  const error = cutText(`${fault.code}: ${fault.message}`, 256);
  if (uuid === undefined) {
    // Of an agent that was restarted since, the report of the one before tells which GPU is at that address.
    const known = before.find((gpu) => gpu.pciBusId === pciBusId);
    if (known !== undefined) return carryOver(known, error);
  }
  return {
    uuid: uuid ?? pciBusId,
    index: index ?? 63,
    pciBusId,
    product: product ?? 'unknown',
    error,
    instances: instances.map((one) => reportInstance([], one)),
  };
}

/** Without who used it: that is asked again. */
function carryOver({ uuid, index, pciBusId, product, instances }: GpuReport, error: string): GpuReport {
  const kept = instances.map(({ pods: _pods, claims: _claims, busy: _use, ...one }) => one);
  return { uuid, index, pciBusId, product, error, instances: kept };
}

/** @param others processes of the GPU that may be on any instance */
function reportInstance(others: GpuState['processes'], instance: GpuInstanceState, table?: Geometry): InstanceReport {
  const [part, ...parts] = instance.computeInstances;
  const isWhole = part !== undefined && parts.length === 0 && isAsProfiled(instance.profile, part, table);
  return {
    profile: instance.profile,
    gi: instance.id,
    start: instance.start,
    ...(instance.processes.length + others.length > 0 ? { busy: true } : {}),
    ...(isWhole
      ? definedOnly({ uuid: part.uuid })
      : { computeInstances: instance.computeInstances.map(reportComputeInstance) }),
  };
}

function reportComputeInstance({ profile, uuid, attributes }: ComputeInstanceState) {
  const { memoryMiB, multiprocessors, engines } = attributes ?? {};
  return { profile, ...definedOnly({ uuid, memoryMiB, multiprocessors, engines: engines && listEngines(engines) }) };
}

/** Whether a compute instance takes all of its GPU instance, and has exactly what the driver's table says of the profile. */
function isAsProfiled(instance: string, { profile, attributes }: ComputeInstanceState, table?: Geometry): boolean {
  const row = table?.profiles.find(({ name }) => name === instance);
  if (row === undefined || attributes === undefined || nameWhole(profile, instance) !== instance) return false;
  const { memoryMiB, multiprocessors, engines } = attributes;
  return sameJson(
    [memoryMiB, multiprocessors, listEngines(engines)],
    [row.memoryMiB, row.multiprocessors, listEngines(row.engines)],
  );
}

function reportModel(product: string, geometry: Geometry): ModelReport {
  return {
    product,
    computeSlices: geometry.computeSlices,
    memorySlices: geometry.memorySlices,
    profiles: geometry.profiles.map((profile) => ({
      name: profile.name,
      computeSlices: profile.computeSlices,
      memorySlices: profile.memorySlices,
      starts: [...profile.starts],
      maxInstances: profile.maxInstances,
      engines: listEngines(profile.engines),
      ...definedOnly({ id: profile.id, memoryMiB: profile.memoryMiB, multiprocessors: profile.multiprocessors }),
    })),
  };
}

function listEngines({ copy, decoder, encoder, jpeg, ofa }: Engines): number[] {
  return [copy, decoder, encoder, jpeg, ofa];
}
