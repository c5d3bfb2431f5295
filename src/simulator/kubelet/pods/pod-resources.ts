import { allocatableResponse, listResponse } from '../../../kubelet/pod-resources-messages.ts';
import type { ContainerDevices, DynamicResource } from '../../../kubelet/pod-resources-messages.ts';
import type { PodAllocation } from './allocation.ts';
import type { ContainerClaim } from './pod-claims.ts';

/** A pod on a node and what it holds. */
export interface StartedPodHolding {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly containers: PodAllocation;
}

/**
 * `v1.ListPodResourcesResponse`: all pods, including those without devices, and one entry per device id, as a real kubelet
 * answers (the same resource name repeats: sum).
 */
export function encodeList(holdings: readonly StartedPodHolding[]): Buffer {
  return listResponse.encode({
    podResources: holdings.map(({ name, namespace, containers }) => ({
      name,
      namespace,
      containers: containers.map(({ container, deviceIds, claims = [] }) => ({
        name: container,
        devices: listDevices(Object.entries(deviceIds)),
        ...(claims.length > 0 && { dynamicResources: claims.map(describeClaim) }),
      })),
    })),
  });
}

/** `v1.AllocatableResourcesResponse`: all devices that the plugin advertises, allocated or not. */
export function encodeAllocatable(deviceIds: ReadonlyMap<string, readonly string[]>): Buffer {
  return allocatableResponse.encode({ devices: listDevices([...deviceIds]) });
}

function describeClaim({ namespace, name, devices }: ContainerClaim): DynamicResource {
  return {
    claimName: name,
    claimNamespace: namespace,
    claimResources: devices.map(({ driver, pool, device }) => ({
      cdiDevices: [{ name: `k8s.${driver}/claim=${name}-${device}` }],
      driverName: driver,
      poolName: pool,
      deviceName: device,
    })),
  };
}

function listDevices(devices: readonly (readonly [string, readonly string[]])[]): readonly ContainerDevices[] {
  return devices.flatMap(([resourceName, ids]) => ids.map((id) => ({ resourceName, deviceIds: [id] })));
}
