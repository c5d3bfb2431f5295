import type { DeviceReport, Strategy } from '../../api/types.ts';
import { findHeldUuid, listUuids, uuidOfDeviceId } from './device-id.ts';
import { isGpuResource } from './gpu-resource.ts';

/** What the kubelet offers of the node's GPUs, as reported by NVIDIA's device plugin or others. */
export interface AdvertisedDevices {
  /** Resource name to count, replicas multiplied in; sorted by name, none at 0. */
  readonly resources: Readonly<Record<string, number>>;
  /** Ids of NVIDIA's plugin among them that the node does not have: it has not read the devices since they changed. */
  readonly stale: number;
}

/**
 * @param allocatable device ids by resource, of the kubelet's GetAllocatableResources
 * @param strategy of the plugin. Under single and mixed it offers no GPU that is in MIG mode, so the id of one is stale; under none
 * it does. If absent, such an id counts as good
 */
export function judgeAdvertised(
  device: Pick<DeviceReport, 'gpus'>,
  allocatable: ReadonlyMap<string, readonly string[]>,
  strategy?: Strategy,
): AdvertisedDevices {
  const offered = [...allocatable]
    .filter(([name, ids]) => ids.length > 0 && (isGpuResource(name) || ids.some((id) => isOfNode(name, id))))
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  const isStale = staleness(device, strategy);
  return {
    resources: Object.fromEntries(offered.map(([name, ids]) => [name, ids.length])),
    stale: offered.flatMap(([name, ids]) => (isGpuResource(name) ? ids : [])).filter(isStale).length,
  };

  function isOfNode(resource: string, id: string): boolean {
    return findHeldUuid({ resource, id }, device) !== undefined;
  }
}

function staleness(device: Pick<DeviceReport, 'gpus'>, strategy: Strategy | undefined): (id: string) => boolean {
  const { gpus = [] } = device;
  const known = new Set(listUuids(device));
  const partitioned = new Set(gpus.filter(({ mig }) => mig === 'Enabled').map(({ uuid }) => uuid));
  const offersPartitioned = strategy === undefined || strategy === 'none';
  // The instances of an unreadable GPU are unknown: an unmatched id may be one of them.
  const isComplete = gpus.every(({ error }) => error === undefined);
  return (id) => {
    const uuid = uuidOfDeviceId(id, device);
    if (!known.has(uuid)) return isComplete;
    return partitioned.has(uuid) && !offersPartitioned;
  };
}
