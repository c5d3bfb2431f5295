import { todaysNameOf } from '../gpu/geometry/profile-lookup.ts';
import { isProfileNameError, parseProfile } from '../gpu/geometry/profile-name.ts';
import { listProfiles } from '../gpu/search/layout-words.ts';
import { gpuDriver } from '../dra/resource-slice.ts';
import { migResourceName } from '../nvidia/labels/label-key.ts';
import type { NodeDescription } from '../nvidia/labels/node-description.ts';
import { classNameOf, stemOf } from './device-class.ts';

/** Devices of one kind on a node of NVIDIA's DRA driver, and what a workload writes to get one. */
export interface NodeDeviceClaim {
  /** `1g.5gb`, `whole GPU` */
  readonly device: string;
  readonly count: number;
  readonly deviceClass: string;
  /** The resource by which pods of the device plugin get it; absent for a whole GPU, whose class the driver brings. */
  readonly extendedResourceName?: string;
  /** A ResourceClaimTemplate. */
  readonly template: object;
}

/** What a node's DRA driver offers. */
export interface NodeClaims {
  readonly devices: readonly NodeDeviceClaim[];
  /** Why the driver does not start. */
  readonly errors: readonly string[];
}

/** Why the driver offers nothing new on a node with such a device. */
export const splitReason =
  'NVIDIA’s DRA driver exits on a compute instance that is smaller than its GPU instance, and then offers nothing new on the whole node';

/** What workloads write to get the devices of a node, by the names with which policies' DeviceClasses are made. */
export function listNodeClaims({ gpus }: Pick<NodeDescription, 'gpus'>): NodeClaims {
  const errors = gpus.flatMap(({ migDevices }, index) =>
    migDevices.flatMap(({ profile }) => (isSplit(profile) ? [`GPU ${index}: ${profile}: ${splitReason}`] : [])),
  );
  if (errors.length > 0) return { devices: [], errors };
  const names = gpus.flatMap((gpu) => gpu.migDevices.map(({ profile }) => todaysNameOf(gpu.name, profile)));
  const counts = new Map([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
  const slices = listProfiles(Object.fromEntries(counts)).map(([profile, count]): NodeDeviceClaim => ({
    device: profile,
    count,
    deviceClass: classNameOf(profile),
    extendedResourceName: migResourceName(profile),
    template: describeTemplate(stemOf(profile), classNameOf(profile)),
  }));
  const whole = gpus.filter(({ migEnabled }) => !migEnabled).length;
  if (whole === 0) return { devices: slices, errors };
  const template = describeTemplate('whole-gpu', gpuDriver);
  return { devices: [...slices, { device: 'whole GPU', count: whole, deviceClass: gpuDriver, template }], errors };
}

function isSplit(profile: string): boolean {
  const parsed = parseProfile(profile);
  return !isProfileNameError(parsed) && parsed.computeInstanceSlices !== undefined;
}

function describeTemplate(name: string, deviceClassName: string): object {
  // The server's defaults: without them a second `kubectl apply` would find a difference.
  const exactly = { deviceClassName, allocationMode: 'ExactCount', count: 1 };
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaimTemplate',
    metadata: { name },
    spec: { spec: { devices: { requests: [{ name: 'gpu', exactly }] } } },
  };
}
