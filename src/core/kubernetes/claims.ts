import { namespacedName } from '../text/syntax.ts';

/** Domain of the driver with which NVIDIA hands out GPUs by claim (kubernetes-sigs/dra-driver-nvidia-gpu). */
export const gpuDriver = 'gpu.nvidia.com';

/** The parts of a ResourceSlice (`resource.k8s.io`) that tell what it offers, and whether its driver creates that itself. */
export interface ResourceSliceView {
  readonly metadata?: { readonly name?: string };
  readonly spec: {
    readonly driver: string;
    readonly sharedCounters?: readonly unknown[];
    readonly devices?: readonly SliceDevice[];
  };
}

export interface SliceDevice {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, { readonly string?: string }>>;
  readonly consumesCounters?: readonly unknown[];
}

/** Lists the devices that NVIDIA's driver offers in these slices. The pool's generation says nothing: it stays over changes of content. */
export function listSliceDevices(slices: readonly ResourceSliceView[]): readonly SliceDevice[] {
  return slices.filter(({ spec }) => spec.driver === gpuDriver).flatMap(({ spec }) => spec.devices ?? []);
}

/** Text of an attribute in the driver's own domain. */
export function attributeOf({ attributes = {} }: SliceDevice, name: string): string | undefined {
  return (attributes[name] ?? attributes[`${gpuDriver}/${name}`])?.string;
}

/**
 * Slices of a driver with its gate DynamicMIG: it creates instances for each claim, and at its start destroys those that it does not
 * know. They have counters, and devices without a UUID, since none of them exists before it is claimed.
 */
export function listDynamicSlices(slices: readonly ResourceSliceView[]): readonly ResourceSliceView[] {
  return slices.filter(({ spec }) => {
    if (spec.driver !== gpuDriver) return false;
    const { sharedCounters = [], devices = [] } = spec;
    return sharedCounters.length > 0 || devices.some((one) => (one.consumesCounters ?? []).length > 0 || isUnborn(one));
  });
}

/** Whether a device has no UUID yet. Only devices of these types come from the part of the driver that makes slices. */
function isUnborn(device: SliceDevice): boolean {
  const type = attributeOf(device, 'type');
  return (type === 'gpu' || type === 'mig') && attributeOf(device, 'uuid') === undefined;
}

/** The parts of a ResourceClaim (`resource.k8s.io`) that tell which devices it has, and for whom. */
export interface ResourceClaimView {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly deletionTimestamp?: string };
  readonly status?: {
    readonly allocation?: { readonly devices?: { readonly results?: readonly AllocatedDevice[] } };
    readonly reservedFor?: readonly { readonly resource: string; readonly name: string; readonly uid: string }[];
  };
}

/** A device that a claim was given. */
export interface AllocatedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  /** True if the claim looks on: whoever has the device keeps it. */
  readonly adminAccess?: boolean;
}

/** GPUs of one node that a claim has. */
interface GpuClaim {
  /** `NAMESPACE/NAME` */
  readonly name: string;
  /** Names of the devices within the node's pool. */
  readonly devices: readonly string[];
  /** Pods for which it is reserved, whichever way they ask: by a template, by the claim's name or by an extended resource. */
  readonly users: readonly { readonly name: string; readonly uid: string }[];
}

/**
 * The claims that have GPUs of a node to use, without the devices that they only look at. The scheduler allocates before it binds: a claim
 * has its device before its pod is on the node.
 */
export function listGpuClaims(claims: readonly ResourceClaimView[], node: string): readonly GpuClaim[] {
  return listClaims(claims, node, (results) => results.filter(({ adminAccess }) => adminAccess !== true));
}

/** The claims that only look on: they have GPUs of a node by admin access, and none otherwise. */
export function listMonitorClaims(claims: readonly ResourceClaimView[], node: string): readonly GpuClaim[] {
  return listClaims(claims, node, (results) => (results.every((one) => one.adminAccess === true) ? results : []));
}

/** @param pick which of the GPUs of the node that a claim has count */
function listClaims(
  claims: readonly ResourceClaimView[],
  node: string,
  pick: (own: readonly AllocatedDevice[]) => readonly AllocatedDevice[],
): readonly GpuClaim[] {
  return claims.flatMap(({ metadata, status }) => {
    const results = status?.allocation?.devices?.results ?? [];
    const own = pick(results.filter((one) => one.driver === gpuDriver && one.pool === node));
    if (own.length === 0) return [];
    const { namespace = 'default' } = metadata;
    const users = (status?.reservedFor ?? []).filter(({ resource }) => resource === 'pods');
    return [
      {
        name: namespacedName(metadata),
        devices: [...new Set(own.map(({ device }) => device))],
        users: users.map((user) => ({ name: `${namespace}/${user.name}`, uid: user.uid })),
      },
    ];
  });
}

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
