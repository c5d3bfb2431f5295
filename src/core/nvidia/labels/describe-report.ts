import type { DeviceReport, GpuReport, InstanceReport, ModelReport } from '../../../api/types.ts';
import { computeInstancesOf } from '../../gpu/state/compute-instances.ts';
import { computeInstanceSlices, nameWhole } from '../../gpu/geometry/profile-name.ts';
import type { GpuDescription, MigDeviceDescription, NodeDescription } from './node-description.ts';

/**
 * What an agent reported, in the terms of GPU Feature Discovery: it determines the labels and resources that the node gets once
 * NVIDIA's tools have read the device. A lost GPU is left out: NVML does not enumerate it either.
 */
export function describeReport(device: DeviceReport): NodeDescription {
  // An agent may report whatever its driver printed.
  const [, major, minor] = /^(\d+)\.(\d+)$/.exec(device.cudaVersion ?? '') ?? [];
  return {
    driverVersion: device.driverVersion ?? '',
    ...(major === undefined ? {} : { cudaDriverVersion: [Number(major), Number(minor)] }),
    ...(device.machine === undefined ? {} : { machine: device.machine }),
    gpus: (device.gpus ?? []).filter(({ error }) => error === undefined).map((gpu) => describeGpu(gpu, device.models)),
  };
}

function describeGpu(gpu: GpuReport, models: readonly ModelReport[] = []): GpuDescription {
  const model = models.find(({ product }) => product === gpu.product);
  const [major = 0, minor = 0] = (gpu.computeCapability ?? '').split('.').map(Number);
  return {
    name: gpu.product,
    memoryMiB: gpu.memoryMiB ?? 0,
    computeCapability: [major, minor],
    migCapable: gpu.migCapable ?? false,
    migEnabled: gpu.mig === 'Enabled',
    ...(gpu.pciClass === undefined ? {} : { pciClass: gpu.pciClass }),
    migDevices: gpu.mig === 'Enabled' ? gpu.instances.flatMap((one) => describeInstance(one, model)) : [],
  };
}

function describeInstance(instance: InstanceReport, model: ModelReport | undefined): readonly MigDeviceDescription[] {
  const gpuSlices = slicesOf(instance.profile);
  const whole = model?.profiles.find(({ name }) => name === instance.profile);
  return computeInstancesOf(instance).map((part) => {
    const { profile } = part;
    const { memoryMiB = 0, multiprocessors = 0, engines = [] } = instance.computeInstances ? part : (whole ?? {});
    const [copy = 0, decoder = 0, encoder = 0, jpeg = 0, ofa = 0] = engines;
    return {
      // NVML gives the full name of a whole one, and so does GFD.
      profile: nameWhole(profile, instance.profile),
      attributes: {
        memory: memoryMiB,
        multiprocessors,
        'slices.gi': gpuSlices,
        'slices.ci': computeInstanceSlices(profile, gpuSlices),
        'engines.copy': copy,
        'engines.decoder': decoder,
        'engines.encoder': encoder,
        'engines.jpeg': jpeg,
        'engines.ofa': ofa,
      },
    };
  });
}

function slicesOf(profile: string): number {
  return Number(/(\d)g\./.exec(profile)?.[1] ?? 0);
}
