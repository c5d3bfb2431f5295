import type { DeviceReport, GpuReport, InstanceReport, ModelReport } from '../../api/types.ts';
import type { Engines, Geometry } from '../gpu/geometry/geometry.ts';
import type { DeviceState, GpuInstanceState, GpuState, LostGpu } from '../gpu/state/device-state.ts';
import { cutText } from '../text/cut-text.ts';

/** The GPUs as reported to the cluster: what placements, labels and busy checks need, and nothing else. */
export function reportDevice(
  device: DeviceState,
): Pick<DeviceReport, 'driverVersion' | 'cudaVersion' | 'gpus' | 'models'> {
  const tables = new Map(
    device.gpus.flatMap(({ product, geometry, tableSource }) =>
      geometry && tableSource !== 'BuiltIn' ? [[product, geometry] as const] : [],
    ),
  );
  return {
    driverVersion: device.driverVersion,
    ...definedOnly({ cudaVersion: device.cudaVersion }),
    gpus: [...device.gpus.map(reportGpu), ...device.lost.flatMap(reportLost)].toSorted((a, b) => a.index - b.index),
    models: [...tables].map(([product, geometry]) => reportModel(product, geometry)),
  };
}

function reportGpu(gpu: GpuState): GpuReport {
  const { mig, fault } = gpu;
  return {
    uuid: gpu.uuid,
    index: gpu.index,
    pciBusId: gpu.pciBusId,
    product: gpu.product,
    memoryMiB: gpu.memoryMiB,
    migCapable: gpu.migCapable,
    ...definedOnly({
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
    instances: gpu.instances.toSorted((a, b) => a.start - b.start).map((one) => reportInstance(gpu.processes, one)),
  };
}

/** A lost GPU stays in the report, so that nobody assumes it was never there. */
function reportLost({ uuid, index, pciBusId, product, fault, instances }: LostGpu): readonly GpuReport[] {
  if (uuid === undefined) return [];
  const error = cutText(`${fault.code}: ${fault.message}`, 256);
  return [
    {
      uuid,
      index: index ?? 63,
      pciBusId,
      product: product ?? 'unknown',
      error,
      instances: instances.map((one) => reportInstance([], one)),
    },
  ];
}

/** @param others processes of the GPU that may be on any instance */
function reportInstance(others: GpuState['processes'], instance: GpuInstanceState): InstanceReport {
  return {
    profile: instance.profile,
    gi: instance.id,
    start: instance.start,
    ...(instance.processes.length + others.length > 0 ? { busy: true } : {}),
    computeInstances: instance.computeInstances.map((one) => ({
      profile: one.profile,
      ...definedOnly({
        uuid: one.uuid,
        memoryMiB: one.attributes?.memoryMiB,
        multiprocessors: one.attributes?.multiprocessors,
        engines: one.attributes && listEngines(one.attributes.engines),
      }),
    })),
  };
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

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

function definedOnly<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>;
}
