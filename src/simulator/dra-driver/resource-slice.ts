import { randomBytes } from 'node:crypto';

import { resourceSlices } from '../../api/resources.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { KubeObject } from '../../kube/resource.ts';
import type { OfferedDevice } from './driver-device.ts';
import type { CounterSet } from './dynamic-mig.ts';

export const driverName = 'gpu.nvidia.com';

/** The part of a ResourceSlice that the driver fills. */
export interface SliceSpec {
  readonly driver: string;
  readonly nodeName: string;
  readonly pool: { readonly name: string; readonly generation: number; readonly resourceSliceCount: number };
  readonly devices?: readonly OfferedDevice[];
  /** Only with the gate DynamicMIG; such a slice has no devices. */
  readonly sharedCounters?: readonly CounterSet[];
}

interface NodeRef {
  readonly name: string;
  readonly uid: string;
}

/** What the API server takes in one slice if the devices consume counters. */
const mostCounting = 64;

interface SliceObject extends KubeObject {
  readonly spec: SliceSpec;
}

/** The devices that a driver offers; counters only with the gate DynamicMIG. */
export interface DriverOffer {
  readonly devices: readonly OfferedDevice[];
  readonly counters?: readonly CounterSet[];
}

/**
 * Makes the API server offer these devices of a node: one slice, owned by the Node and changed in place, whose generation stays 1 as
 * the real driver's does. Counters are in a slice of their own, and more slices follow.
 */
export async function publishDevices(client: KubeClient, { name, uid }: NodeRef, offer: DriverOffer): Promise<void> {
  const contents = divide(offer);
  const pool = { name, generation: 1, resourceSliceCount: contents.length };
  const specs = contents.map((content) => ({ driver: driverName, nodeName: name, pool, ...content }));
  const found = await listSlices(client, name);
  const [spec] = specs;
  const [first] = found;
  if (first !== undefined && spec !== undefined && found.length === 1 && specs.length === 1) {
    const ref = { resource: resourceSlices, name: first.metadata.name };
    await client.replace<SliceObject>(ref, { ...first, spec }, { metadataOnly: true });
    return;
  }
  for (const { metadata } of found) await client.delete({ resource: resourceSlices, name: metadata.name });
  const owner = { apiVersion: 'v1', kind: 'Node', name, uid, controller: true };
  for (const one of specs) {
    const metadata = { name: sliceName(name), ownerReferences: [owner] };
    await client.create<SliceObject>(resourceSlices, { metadata, spec: one }, { metadataOnly: true });
  }
}

function divide({ devices, counters }: DriverOffer): readonly Pick<SliceSpec, 'devices' | 'sharedCounters'>[] {
  if (counters === undefined) return [{ devices }];
  const parts = Array.from({ length: Math.ceil(devices.length / mostCounting) }, (_, i) => ({
    devices: devices.slice(i * mostCounting, (i + 1) * mostCounting),
  }));
  return counters.length > 0 ? [{ sharedCounters: counters }, ...parts] : parts;
}

/** What a kubelet does some time after a driver has gone. */
export async function deleteSlices(client: KubeClient, node: string): Promise<void> {
  for (const { metadata } of await listSlices(client, node)) {
    await client.delete({ resource: resourceSlices, name: metadata.name });
  }
}

async function listSlices(client: KubeClient, node: string): Promise<readonly SliceObject[]> {
  const fieldSelector = `spec.nodeName=${node},spec.driver=${driverName}`;
  return (await client.list<SliceObject>(resourceSlices, { fieldSelector })).items;
}

/** As the API server completes the driver's `generateName`. */
function sliceName(node: string): string {
  return `00000-${driverName}-${node}-${randomBytes(3).toString('hex').slice(0, 5)}`;
}
