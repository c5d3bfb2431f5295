import { isGpuResource } from '../../pods/gpu-resource.ts';
import { isZeroQuantity, wholeUnits } from '../../text/quantity.ts';
import { findReplicas } from './replicas.ts';

/**
 * Whether a node advertises exactly these resources of NVIDIA's device plugin. The kubelet keeps the names of removed resources with
 * the amount 0, so 0 counts as absent; resources of other vendors are ignored.
 */
export function advertises(
  allocatable: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, number>>,
): boolean {
  const found = advertisedResources(allocatable);
  const names = new Set([...Object.keys(found), ...Object.keys(wanted).filter((name) => wanted[name] !== 0)]);
  return [...names].every((name) => (found[name] ?? 0) === (wanted[name] ?? 0));
}

/** The GPU resources in a node's allocatable, without those at 0. */
export function advertisedResources(allocatable: Readonly<Record<string, string>>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(allocatable)
      .filter(([name, amount]) => isGpuResource(name) && !isZeroQuantity(amount))
      .map(([name, amount]) => [name, wholeUnits(amount)]),
  );
}

/** `nvidia.com/gpu 1, nvidia.com/mig-1g.5gb 2`, or `nothing`. */
export function resourcesText(resources: Readonly<Record<string, number>>): string {
  const parts = Object.entries(resources)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => `${name} ${count}`);
  return parts.length > 0 ? parts.join(', ') : 'nothing';
}

/**
 * Whether a kubelet offers these devices and no others, shared or not: time-slicing multiplies each count and may add `.shared` to
 * the name.
 */
export function offersDevices(
  offered: Readonly<Record<string, number>>,
  devices: Readonly<Record<string, number>>,
): boolean {
  const gpus = Object.fromEntries(Object.entries(offered).filter(([name]) => isGpuResource(name)));
  return findReplicas(gpus, devices) !== undefined;
}
