import { resourceClaims } from '../../api/resources.ts';
import type { KubeClient } from '../../kube/client.ts';
import { type ClaimObject, driverName, type HeldDevices, refuseHeld } from '../dra-driver/devices.ts';
import type { PodObject } from './node.ts';
import type { Machine } from './machine.ts';
import { uuidOfDeviceId } from '../../core/device/kubelet.ts';
import { isGpuResource } from '../../core/kubernetes/pod.ts';
import { wholeUnits } from '../../core/text/syntax.ts';
import type { Advertisement } from './gpu-devices.ts';
import {
  allocatableResponse,
  listResponse,
  type ContainerDevices,
  type DynamicResource,
} from '../../kubelet/pod-resources.ts';
import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { Server, type handleUnaryCall } from '@grpc/grpc-js';
import { asItIs, bindSocket } from '../../kubelet/device-plugin.ts';

/** A device that a container has by a claim. */
interface PreparedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  /** UUID of the GPU or MIG device; absent for the device of another driver. */
  readonly uuid?: string;
  readonly adminAccess?: boolean;
}

/** A claim of a container, with the devices of it that the container uses. */
interface ContainerClaim {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly devices: readonly PreparedDevice[];
}

/** The claims of a pod, by container. */
export type PodClaims = ReadonlyMap<string, readonly ContainerClaim[]>;

export const noClaims: PodClaims = new Map();

/** Why the containers cannot start yet; the kubelet tries again. */
interface ClaimFailure {
  readonly failure: string;
}

/** A claim as a pod names it, and which of its requests a container uses: all of them if there is none. */
interface ClaimUse {
  readonly container: string;
  /** Name of the claim; undefined while it does not exist. */
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
    for (const { driver, pool, device, adminAccess = false, ...result } of results) {
      const answer: Pick<PreparedDevice, 'uuid'> | ClaimFailure =
        driver === driverName ? askDriver(machine, device) : {};
      if ('failure' in answer) return { failure: `claim ${namespace}/${name}: ${answer.failure}` };
      if (request === undefined || isOf(result.request, request))
        devices.push({ driver, pool, device, adminAccess, ...answer });
    }
    const own = { namespace, name, uid: claim.metadata.uid ?? '', devices };
    prepared.set(container, [...(prepared.get(container) ?? []), own]);
  }
  return prepared;
}

/** Why the node's DRA driver does not prepare these claims beside those of the node's other pods. */
export function refuseClaims(claims: PodClaims, others: Iterable<PodAllocation>): ClaimFailure | undefined {
  const held = holdDevices([...others].flatMap((given) => given.flatMap((container) => container.claims ?? [])));
  for (const [uid, devices] of holdDevices([...claims.values()].flat())) {
    const failure = refuseHeld(uid, devices, held);
    if (failure !== undefined) return { failure };
  }
  return undefined;
}

function holdDevices(claims: readonly ContainerClaim[]): HeldDevices {
  const held = new Map<string, readonly string[]>();
  for (const { uid, devices } of claims) {
    const own = devices.filter(({ driver, adminAccess }) => driver === driverName && adminAccess !== true);
    held.set(uid, [...(held.get(uid) ?? []), ...own.map(({ device }) => device)]);
  }
  return held;
}

/** Resources of a container that the pod gets by the claim that the scheduler has made for them, not from a device plugin. */
function listClaimedResources({ status }: PodObject, container: string): readonly string[] {
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

/** Device ids that one container holds, by resource. */
interface ContainerAllocation {
  readonly container: string;
  readonly deviceIds: Readonly<Record<string, readonly string[]>>;
  /** Claims whose devices it has; absent if it has none. */
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

/**
 * A gRPC server on a Unix socket for unary calls without arguments: a kubelet's `pod-resources/kubelet.sock`. Replaces an existing socket
 * file of a kubelet that was killed.
 *
 * @param methods encoded responses by gRPC path, computed on request
 */
export async function servePodResources(socket: string, methods: Readonly<Record<string, () => Buffer>>) {
  mkdirSync(dirname(socket), { recursive: true });
  const server = new Server({ 'grpc.enable_channelz': 0 });
  for (const [path, answer] of Object.entries(methods)) {
    const handle: handleUnaryCall<Buffer, Buffer> = (_call, callback) => callback(null, answer());
    server.register(path, handle, asItIs, asItIs, 'unary');
  }
  await bindSocket(server, socket);
  return {
    close: () =>
      new Promise<void>((resolve) => {
        server.tryShutdown(() => resolve());
        // A kubelet that exits does not wait for its callers.
        server.forceShutdown();
      }),
  };
}
