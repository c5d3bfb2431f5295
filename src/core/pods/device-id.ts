import type { DeviceReport, GpuReport } from '../../api/types.ts';
import { findNamedUuid } from '../dra/published-devices.ts';
import { gpuDriver } from '../dra/resource-slice.ts';
import { computeInstancesOf } from '../gpu/state/compute-instances.ts';
import { isGpuResource } from './gpu-resource.ts';
import type { ClaimedDevice, HeldDevice } from './holding.ts';

type Device = Pick<DeviceReport, 'gpus'>;

/**
 * The UUID of the device that a device plugin's id denotes. Forms: `GPU-<uuid>`; `MIG-<uuid>`; `MIG-GPU-<uuid>/<gi>/<ci>`, used by
 * drivers before R470; any of them with a replica's number, `<id>::<n>` (time-slicing) or `<id>-<n>` (plugins that share by MPS);
 * for plugins that number devices, `2` (GPU 2) and `0:3` (MIG device 3 of GPU 0); and, for plugins that name device files (GKE's),
 * `nvidia0`, `nvidia0/gi2` (GPU instance 2) and a share of one, `nvidia0/gi2/vgpu1`.
 *
 * @param device if absent, an id of the last forms, or one that cannot be resolved, is returned unchanged
 */
export function uuidOfDeviceId(id: string, device?: Device): string {
  const bare = id.replace(/::\d+$/, '');
  const gpus = device?.gpus ?? [];
  return (
    findByIndex(bare, gpus) ?? findByFile(bare, gpus) ?? findByInstanceId(bare, gpus) ?? findByShare(bare, gpus) ?? bare
  );
}

/** UUID of this node's device that a pod has, whatever its resource is called; undefined if it is none of them. */
export function findHeldUuid({ resource, id }: HeldDevice, device: Device): string | undefined {
  // Any plugin may number its devices: among GPU plugins only NVIDIA's does.
  if (!isGpuResource(resource) && /^[\d:]+$/.test(id)) return undefined;
  const uuid = uuidOfDeviceId(id, device);
  return listUuids(device).includes(uuid) ? uuid : undefined;
}

/** UUID of this node's device that a claim names, by NVIDIA's names or by itself; undefined if it names none. */
export function findClaimedUuid(
  { driver, device: name, cdiDevices }: ClaimedDevice,
  device: Device,
): string | undefined {
  if (driver === gpuDriver) return findNamedUuid(name, device);
  const names = [name, ...cdiDevices].map((text) => text.toLowerCase());
  return listUuids(device)
    .filter((uuid) => names.some((text) => text.includes(uuid.toLowerCase())))
    .toSorted((a, b) => b.length - a.length)[0];
}

/** UUIDs of all devices of the node: GPUs, and compute instances for which the driver gave one. */
export function listUuids({ gpus = [] }: Device): readonly string[] {
  return gpus.flatMap(({ uuid, instances }) => [
    uuid,
    ...instances.flatMap((instance) => computeInstancesOf(instance).flatMap((one) => one.uuid ?? [])),
  ]);
}

function findByIndex(id: string, gpus: readonly GpuReport[]): string | undefined {
  const [, gpuIndex, migIndex] = /^(\d+)(?::(\d+))?$/.exec(id) ?? [];
  const gpu = gpus.find(({ index }) => String(index) === gpuIndex);
  if (gpu === undefined || migIndex === undefined) return gpu?.uuid;
  // nvidia-smi and NVML number the MIG devices of a GPU by GPU instance id, then compute instance id, without gaps.
  return gpu.instances
    .toSorted((a, b) => a.gi - b.gi)
    .flatMap(computeInstancesOf)
    .at(Number(migIndex))?.uuid;
}

/** A plugin that names device files hands out GPU instances whole. */
function findByFile(id: string, gpus: readonly GpuReport[]): string | undefined {
  const [, number, gi] = /^nvidia(\d+)(?:\/gi(\d+))?(?:\/vgpu\d+)?$/.exec(id) ?? [];
  const gpu = gpus.find(({ index, minor = index }) => String(minor) === number);
  if (gpu === undefined || gi === undefined) return gpu?.uuid;
  const instance = gpu.instances.find((one) => String(one.gi) === gi);
  return instance && computeInstancesOf(instance)[0]?.uuid;
}

/** An id of the old form, while the report has the new one: the driver was replaced under a running plugin. */
function findByInstanceId(id: string, gpus: readonly GpuReport[]): string | undefined {
  const [, gpuUuid, gi, ci] = /^MIG-(GPU-[^/]+)\/(\d+)\/(\d+)$/.exec(id) ?? [];
  const instance = gpus.find(({ uuid }) => uuid === gpuUuid)?.instances.find((one) => String(one.gi) === gi);
  const parts = instance === undefined ? [] : computeInstancesOf(instance);
  return parts.some(({ uuid }) => uuid === id) ? undefined : parts.at(Number(ci))?.uuid;
}

/** `<uuid>-<n>`, as awslabs/aws-virtual-gpu-device-plugin numbers the shares of a GPU. A UUID itself ends the same way. */
function findByShare(id: string, gpus: readonly GpuReport[]): string | undefined {
  const whole = /^(.+)-\d+$/.exec(id)?.[1];
  return whole !== undefined && gpus.some((gpu) => hasUuid(gpu, whole)) ? whole : undefined;
}

function hasUuid({ uuid: own, instances }: GpuReport, uuid: string): boolean {
  return own === uuid || instances.some((instance) => computeInstancesOf(instance).some((one) => one.uuid === uuid));
}
