import type { AllocatedDevice, ResourceClaimView } from '../dra/resource-claim.ts';
import { gpuDriver } from '../dra/resource-slice.ts';
import { namespacedName } from '../text/namespaced-name.ts';

/** Whether the scheduler has given a claim its devices. */
export function isAllocated({ status }: ResourceClaimView): boolean {
  return status?.allocation !== undefined;
}

/** The devices of NVIDIA's driver that a claim has: their pools are nodes. */
export function ownDevicesOf({ status }: ResourceClaimView): readonly AllocatedDevice[] {
  return (status?.allocation?.devices?.results ?? []).filter(({ driver }) => driver === gpuDriver);
}

/** `gpu-0-mig-1g5gb-19-0 of node n, gpu-1 of node n` */
export function nameDevices(claim: ResourceClaimView): string {
  const devices = ownDevicesOf(claim).map(({ device, pool }) => `${device} of node ${pool}`);
  return devices.length === 0 ? 'no GPU' : devices.join(', ');
}

/** `claim team/train has gpu-0-mig-1g5gb-19-0 of node n` */
export function describeAllocated(claim: ResourceClaimView): string {
  return `claim ${namespacedName(claim.metadata)} has ${nameDevices(claim)}`;
}
