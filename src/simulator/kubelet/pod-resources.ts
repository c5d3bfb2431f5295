import type { PodAllocation } from './allocation.ts';
import { encodeMessage, encodeText } from './protobuf.ts';

/** A pod on a node and what it holds. */
export interface PodHolding {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly containers: PodAllocation;
}

/**
 * `v1.ListPodResourcesResponse` of k8s.io/kubelet `podresources/v1/api.proto`: all pods, those without devices too, and one
 * entry for each device id, as a real kubelet answers (the same resource name repeats: sum).
 */
export function encodeList(holdings: readonly PodHolding[]): Buffer {
  const pods = holdings.map(({ name, namespace, containers }) =>
    encodeMessage(1, [
      encodeText(1, name),
      encodeText(2, namespace),
      ...containers.map(({ container, deviceIds }) =>
        encodeMessage(3, [encodeText(1, container), ...encodeDevices(2, Object.entries(deviceIds))]),
      ),
    ]),
  );
  return Buffer.concat(pods);
}

/** `v1.AllocatableResourcesResponse`: all devices that the plugin advertises, given away or not. */
export function encodeAllocatable(deviceIds: ReadonlyMap<string, readonly string[]>): Buffer {
  return Buffer.concat(encodeDevices(1, [...deviceIds]));
}

function encodeDevices(field: number, devices: readonly (readonly [string, readonly string[]])[]): readonly Buffer[] {
  return devices.flatMap(([resource, ids]) =>
    ids.map((id) => encodeMessage(field, [encodeText(1, resource), encodeText(2, id)])),
  );
}
