import { uuidOfDeviceId } from '../../../core/pods/device-id.ts';
import { isGpuResource } from '../../../core/pods/gpu-resource.ts';
import { wholeUnits } from '../../../core/text/quantity.ts';
import type { Advertisement } from '../daemons/advertisement.ts';
import { listClaimedResources, noClaims } from './pod-claims.ts';
import type { ContainerClaim, PodClaims } from './pod-claims.ts';
import type { PodObject } from '../node/kube-objects.ts';

/** Device ids that one container holds, by resource. */
export interface ContainerAllocation {
  readonly container: string;
  readonly deviceIds: Readonly<Record<string, readonly string[]>>;
  /** Absent if it has none. */
  readonly claims?: readonly ContainerClaim[];
}

export type PodAllocation = readonly ContainerAllocation[];

/** Why a kubelet permanently rejects a pod. */
export interface AdmissionFailure {
  readonly reason: 'UnexpectedAdmissionError';
  readonly message: string;
}

/** How many of each GPU resource a container requests of the device plugin. Extended resources have limits equal to requests. */
export function listRequests(pod: PodObject): readonly { readonly container: string; readonly counts: Counts }[] {
  return (pod.spec?.containers ?? []).map(({ name, resources }) => ({
    container: name,
    counts: Object.entries(resources?.limits ?? {})
      .filter(([resource]) => isGpuResource(resource) && !listClaimedResources(pod, name).includes(resource))
      .map(([resource, count]) => [resource, wholeUnits(count)] as const),
  }));
}

type Counts = readonly (readonly [resource: string, count: number])[];

/**
 * Gives a pod devices that no other pod holds, as the kubelet's device manager does at admission. It does not check
 * whether the devices still exist: the kubelet does not either (it trusts the plugin). Its claims have been prepared.
 */
export function allocate(
  pod: PodObject,
  advertised: Advertisement,
  others: readonly PodAllocation[],
  claims: PodClaims = noClaims,
): PodAllocation | AdmissionFailure {
  const taken = new Set(others.flat().flatMap(({ deviceIds }) => Object.values(deviceIds).flat()));
  const given: ContainerAllocation[] = [];
  for (const { container, counts } of listRequests(pod)) {
    const deviceIds: Record<string, readonly string[]> = {};
    for (const [resource, count] of counts) {
      const free = (advertised.deviceIds.get(resource) ?? []).filter((id) => !taken.has(id));
      if (free.length < count) return refuse(resource, count, free.length);
      deviceIds[resource] = chooseLeastUsed(free, count, taken);
      for (const id of deviceIds[resource] ?? []) taken.add(id);
    }
    given.push({ container, deviceIds, ...claimsOf(container, claims) });
  }
  return given;
}

/** Replicas of the device with the fewest allocated, as the plugin prefers by default (`distributed`). */
function chooseLeastUsed(free: readonly string[], count: number, taken: ReadonlySet<string>): readonly string[] {
  const uses = new Map<string, number>();
  const use = (id: string): void => void uses.set(uuidOfDeviceId(id), (uses.get(uuidOfDeviceId(id)) ?? 0) + 1);
  for (const id of taken) use(id);
  const left = [...free];
  return Array.from({ length: count }, () => {
    const usesOf = (id: string): number => uses.get(uuidOfDeviceId(id)) ?? 0;
    const at = left.reduce((best, id, index) => (usesOf(id) < usesOf(left[best] ?? '') ? index : best), 0);
    const [chosen = ''] = left.splice(at, 1);
    use(chosen);
    return chosen;
  });
}

/** The devices of a running pod, from its own status: effectively a kubelet's checkpoint file. */
export function readAllocation(pod: PodObject, claims: PodClaims = noClaims): PodAllocation {
  return (pod.status?.containerStatuses ?? []).map(({ name, allocatedResourcesStatus }) => ({
    container: name,
    ...claimsOf(name, claims),
    deviceIds: Object.fromEntries(
      (allocatedResourcesStatus ?? []).map((resource) => [
        resource.name,
        (resource.resources ?? []).map(({ resourceID }) => resourceID),
      ]),
    ),
  }));
}

export function holdsDevices(given: PodAllocation): boolean {
  return given.some(({ deviceIds }) => Object.keys(deviceIds).length > 0) || holdsClaims(given);
}

export function holdsClaims(given: PodAllocation): boolean {
  return given.some(({ claims = [] }) => claims.length > 0);
}

function claimsOf(container: string, claims: PodClaims): Pick<ContainerAllocation, 'claims'> {
  const own = claims.get(container);
  return own === undefined ? {} : { claims: own };
}

/**
 * What becomes of a pod with devices when its node reboots: the kubelet admits it again before the device plugin has registered. Undefined for a pod
 * that asks for none.
 */
export function refuseAfterReboot(pod: PodObject): AdmissionFailure | undefined {
  const [resource] = listRequests(pod)
    .flatMap(({ counts }) => counts)
    .flatMap(([name, count]) => (count > 0 ? [name] : []));
  if (resource === undefined) return undefined;
  return {
    reason: 'UnexpectedAdmissionError',
    message: `Allocate failed due to cannot allocate unregistered device ${resource}, which is unexpected`,
  };
}

function refuse(resource: string, requested: number, available: number): AdmissionFailure {
  return {
    reason: 'UnexpectedAdmissionError',
    message:
      `Allocate failed due to requested number of devices unavailable for ${resource}. ` +
      `Requested: ${requested}, Available: ${available}, which is unexpected`,
  };
}
