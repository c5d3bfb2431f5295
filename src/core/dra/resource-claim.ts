import { namespacedName } from '../text/namespaced-name.ts';
import { gpuDriver } from './resource-slice.ts';

/** The parts of a ResourceClaim (`resource.k8s.io`) that tell which devices it has, and for whom. */
export interface ResourceClaimView {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly deletionTimestamp?: string };
  readonly status?: {
    readonly allocation?: { readonly devices?: { readonly results?: readonly AllocatedDevice[] } };
    readonly reservedFor?: readonly { readonly resource: string; readonly name: string; readonly uid: string }[];
  };
}

/** One of the devices that a claim was given. */
export interface AllocatedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  /** It looks on: whoever has the device keeps it. */
  readonly adminAccess?: boolean;
}

/** GPUs of one node that a claim has. */
export interface GpuClaim {
  /** `NAMESPACE/NAME` */
  readonly name: string;
  /** Within the node's pool. */
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
