import { gpuDriver } from './resource-slice.ts';

/** The parts of a ResourceClaim (`resource.k8s.io`) that tell which devices it has, and for whom. */
export interface ResourceClaimView {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly status?: {
    readonly allocation?: { readonly devices?: { readonly results?: readonly AllocatedDevice[] } };
    readonly reservedFor?: readonly { readonly resource: string; readonly name: string; readonly uid: string }[];
  };
}

interface AllocatedDevice {
  readonly driver: string;
  readonly pool: string;
  readonly device: string;
  /** It looks on: whoever has the device keeps it. */
  readonly adminAccess?: boolean;
}

/** GPUs of one node that a claim has; a claim of a monitor has none. */
export interface GpuClaim {
  /** `NAMESPACE/NAME` */
  readonly name: string;
  /** Within the node's pool. */
  readonly devices: readonly string[];
  /** Pods for which it is reserved, whichever way they ask: by a template, by the claim's name or by an extended resource. */
  readonly users: readonly { readonly name: string; readonly uid: string }[];
}

/** The claims that have GPUs of a node. The scheduler allocates before it binds: a claim has its device before its pod is on the node. */
export function listGpuClaims(claims: readonly ResourceClaimView[], node: string): readonly GpuClaim[] {
  return claims.flatMap(({ metadata, status }) => {
    const results = status?.allocation?.devices?.results ?? [];
    const own = results.filter((one) => one.driver === gpuDriver && one.pool === node && one.adminAccess !== true);
    if (own.length === 0) return [];
    const { namespace = 'default', name } = metadata;
    const users = (status?.reservedFor ?? []).filter(({ resource }) => resource === 'pods');
    return [
      {
        name: `${namespace}/${name}`,
        devices: [...new Set(own.map(({ device }) => device))],
        users: users.map((user) => ({ name: `${namespace}/${user.name}`, uid: user.uid })),
      },
    ];
  });
}
