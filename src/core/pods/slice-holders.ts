import type { DeviceReport, GpuReport, InstanceReport } from '../../api/types.ts';
import { uuidOfDeviceId } from './device-id.ts';
import { isGpuResource } from './gpu-resource.ts';
import type { HeldDevice, PodHolding } from './holding.ts';

/** Who holds which device. Pods are `NAMESPACE/NAME`, sorted, each once. */
export interface Holders {
  /** By UUID: that of the GPU for a whole GPU, that of the MIG device for a compute instance. Free devices are absent. */
  readonly ofDevice: ReadonlyMap<string, readonly string[]>;
  /** Devices that the report does not have: destroyed under the pod, or on a GPU that could not be read. */
  readonly stale: readonly StaleHolding[];
}

export interface StaleHolding extends HeldDevice {
  /** `NAMESPACE/NAME` */
  readonly pod: string;
}

/**
 * Who holds what, as the kubelet says. It does not know of processes that are in no pod, and it goes on naming devices that
 * were destroyed for as long as the pod lives.
 */
export function holdersOf(device: Pick<DeviceReport, 'gpus'>, holdings: readonly PodHolding[]): Holders {
  const known = new Set(listUuids(device));
  const pods = new Map<string, Set<string>>();
  const stale: StaleHolding[] = [];
  for (const { namespace, name, devices } of holdings) {
    const pod = `${namespace}/${name}`;
    for (const { resource, id } of devices) {
      if (!isGpuResource(resource)) continue;
      const uuid = uuidOfDeviceId(id, device);
      if (known.has(uuid)) pods.set(uuid, (pods.get(uuid) ?? new Set()).add(pod));
      else stale.push({ pod, resource, id });
    }
  }
  return { ofDevice: new Map([...pods].map(([uuid, names]) => [uuid, [...names].toSorted()])), stale };
}

/** Pods that were given the whole GPU; those on its instances are not among them. */
export function listGpuHolders({ ofDevice }: Holders, { uuid }: Pick<GpuReport, 'uuid'>): readonly string[] {
  return ofDevice.get(uuid) ?? [];
}

/** Pods on any compute instance of a GPU instance. */
export function listInstanceHolders(
  { ofDevice }: Holders,
  { computeInstances }: Pick<InstanceReport, 'computeInstances'>,
): readonly string[] {
  const pods = computeInstances.flatMap(({ uuid }) => (uuid === undefined ? [] : (ofDevice.get(uuid) ?? [])));
  return [...new Set(pods)].toSorted();
}

/** UUIDs of all devices that the node has: GPUs, and compute instances as far as the driver named them. */
export function listUuids({ gpus = [] }: Pick<DeviceReport, 'gpus'>): readonly string[] {
  return gpus.flatMap(({ uuid, instances }) => [
    uuid,
    ...instances.flatMap(({ computeInstances }) => computeInstances.flatMap((one) => one.uuid ?? [])),
  ]);
}
