import { resourceClaims } from '../../../api/resources.ts';
import type { KubeClient } from '../../../kube/client.ts';
import type { ClaimObject } from '../../dra-driver/claim-object.ts';
import { driverName } from '../../dra-driver/resource-slice.ts';
import type { PodObject } from '../node/kube-objects.ts';
import type { Machine } from '../node/machine.ts';

/** A device that a container has by a claim. */
export interface PreparedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  /** Absent for the device of another driver. */
  readonly uuid?: string;
}

/** A claim of a container, with the devices of it that the container uses. */
export interface ContainerClaim {
  readonly namespace: string;
  readonly name: string;
  readonly devices: readonly PreparedDevice[];
}

/** The claims of a pod, by container. */
export type PodClaims = ReadonlyMap<string, readonly ContainerClaim[]>;

export const noClaims: PodClaims = new Map();

/** Why the containers cannot start yet; the kubelet tries again. */
export interface ClaimFailure {
  readonly failure: string;
}

/** A claim as a pod names it, and which of its requests a container uses: all of them if there is none. */
interface ClaimUse {
  readonly container: string;
  /** Undefined while it does not exist. */
  readonly claim: string | undefined;
  readonly request?: string | undefined;
}

/**
 * Prepares the claims of a pod, as the kubelet does with the node's DRA driver before it starts the containers. The driver knows only
 * the devices that it found at its start.
 */
export async function prepareClaims(
  pod: PodObject,
  machine: Machine,
  client: KubeClient,
): Promise<PodClaims | ClaimFailure> {
  const { namespace = '', uid } = pod.metadata;
  const prepared = new Map<string, readonly ContainerClaim[]>();
  for (const { container, claim: name, request } of listUses(pod)) {
    if (name === undefined) return { failure: 'a claim of the pod has not been created yet' };
    const claim = await client.find<ClaimObject>({ resource: resourceClaims, namespace, name });
    const results = claim?.status?.allocation?.devices?.results;
    if (results === undefined) return { failure: `ResourceClaim ${name}: not allocated` };
    if (claim?.status?.reservedFor?.some((user) => user.uid === uid) !== true) {
      return { failure: `pod ${pod.metadata.name} is not allowed to use ResourceClaim ${name}` };
    }
    const devices: PreparedDevice[] = [];
    for (const { driver, pool, device, ...result } of results) {
      const answer: Pick<PreparedDevice, 'uuid'> | ClaimFailure =
        driver === driverName ? askDriver(machine, device) : {};
      if ('failure' in answer) return { failure: `claim ${namespace}/${name}: ${answer.failure}` };
      if (request === undefined || isOf(result.request, request)) devices.push({ driver, pool, device, ...answer });
    }
    prepared.set(container, [...(prepared.get(container) ?? []), { namespace, name, devices }]);
  }
  return prepared;
}

/** Resources of a container that the pod gets by the claim that the scheduler has made for them, not from a device plugin. */
export function listClaimedResources({ status }: PodObject, container: string): readonly string[] {
  const mappings = status?.extendedResourceClaimStatus?.requestMappings ?? [];
  return mappings.filter(({ containerName }) => containerName === container).map(({ resourceName }) => resourceName);
}

function listUses({ spec, status }: PodObject): readonly ClaimUse[] {
  const named = (spec?.containers ?? []).flatMap(({ name: container, resources }) =>
    (resources?.claims ?? []).map(({ name, request }): ClaimUse => {
      const given = spec?.resourceClaims?.find((claim) => claim.name === name)?.resourceClaimName;
      const made = status?.resourceClaimStatuses?.find((claim) => claim.name === name)?.resourceClaimName;
      return { container, claim: given ?? made, request };
    }),
  );
  const { resourceClaimName: claim, requestMappings = [] } = status?.extendedResourceClaimStatus ?? {};
  const mapped = requestMappings.map(({ containerName: container, requestName: request }) => {
    return { container, claim, request };
  });
  return [...named, ...mapped];
}

/** A result of `firstAvailable` is named `REQUEST/ALTERNATIVE`. */
function isOf(result: string, request: string): boolean {
  return result === request || result.startsWith(`${request}/`);
}

function askDriver({ driver, listDevices }: Machine, name: string): { readonly uuid: string } | ClaimFailure {
  if (driver.devices === undefined) return { failure: `DRA driver ${driverName} is not registered` };
  const found = driver.devices.find(({ offered }) => offered.name === name);
  if (found === undefined) return { failure: `allocatable not found for device "${name}"` };
  const isThere = listDevices().some(({ uuid }) => uuid === found.uuid);
  return isThere ? { uuid: found.uuid } : { failure: `device "${name}" (${found.uuid}) is gone` };
}
