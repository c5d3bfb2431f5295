import type { DeviceReport, GpuReport } from '../../api/types.ts';

/**
 * The UUID of the device that a device plugin's id means. Forms: `GPU-<uuid>`; `MIG-<uuid>`;
 * `MIG-GPU-<uuid>/<gi>/<ci>`, as drivers before R470 have it; any of them with a replica's number, `<id>::<n>`
 * (time-slicing); and, for plugins that number devices, `2` (GPU 2) and `0:3` (MIG device 3 of GPU 0).
 *
 * @param device without it, an id of the last two forms, or one that it cannot resolve, comes back as it is
 */
export function uuidOfDeviceId(id: string, device?: Pick<DeviceReport, 'gpus'>): string {
  const bare = id.replace(/::\d+$/, '');
  const gpus = device?.gpus ?? [];
  return findByIndex(bare, gpus) ?? findByInstanceId(bare, gpus) ?? bare;
}

function findByIndex(id: string, gpus: readonly GpuReport[]): string | undefined {
  const [, gpuIndex, migIndex] = /^(\d+)(?::(\d+))?$/.exec(id) ?? [];
  const gpu = gpus.find(({ index }) => String(index) === gpuIndex);
  if (gpu === undefined || migIndex === undefined) return gpu?.uuid;
  // nvidia-smi and NVML number the MIG devices of a GPU by GPU instance id, then compute instance id, without gaps.
  return gpu.instances
    .toSorted((a, b) => a.gi - b.gi)
    .flatMap(({ computeInstances }) => computeInstances)
    .at(Number(migIndex))?.uuid;
}

/** An id of the old form, while the report has the new one: the driver was replaced under a running plugin. */
function findByInstanceId(id: string, gpus: readonly GpuReport[]): string | undefined {
  const [, gpuUuid, gi, ci] = /^MIG-(GPU-[^/]+)\/(\d+)\/(\d+)$/.exec(id) ?? [];
  const instance = gpus.find(({ uuid }) => uuid === gpuUuid)?.instances.find((one) => String(one.gi) === gi);
  if (instance === undefined || instance.computeInstances.some(({ uuid }) => uuid === id)) return undefined;
  return instance.computeInstances.at(Number(ci))?.uuid;
}
