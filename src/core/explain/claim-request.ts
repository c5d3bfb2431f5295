import type { ClusterFacts } from './cluster-facts.ts';
import { requestsOf, type WorkloadPod } from './workload.ts';

/** The parts of a DeviceClass (`resource.k8s.io`) that tell what it stands for. */
export interface DeviceClassView {
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly extendedResourceName?: string };
}

interface DeviceRequest {
  readonly deviceClassName?: string;
  readonly count?: number;
  readonly allocationMode?: string;
  readonly adminAccess?: boolean;
  readonly selectors?: readonly unknown[];
}

interface NamedRequest extends DeviceRequest {
  readonly name: string;
  readonly exactly?: DeviceRequest;
  readonly firstAvailable?: readonly (DeviceRequest & { readonly name: string })[];
}

interface ClaimSpec {
  readonly devices?: { readonly requests?: readonly NamedRequest[]; readonly constraints?: readonly unknown[] };
}

/** What a ResourceClaim requests, and whether it has it. */
export interface RequestedClaim {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: ClaimSpec;
  readonly status?: {
    readonly allocation?: {
      readonly devices?: { readonly results?: readonly { readonly pool: string; readonly device: string }[] };
    };
  };
}

/** What the ResourceClaims of a ResourceClaimTemplate request. */
export interface ClaimTemplate {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: { readonly spec?: ClaimSpec };
}

/** What a pod's claims request, by the device plugin's names. */
export interface ClaimRequests {
  /** A DeviceClass with an `extendedResourceName` stands for that resource. */
  readonly asked: ReadonlyMap<string, number>;
  /** Why the rest is not known. */
  readonly unclear: readonly string[];
}

/** What a pod requests by claim. No selector is evaluated: what only a selector tells is said to be unclear. */
export function claimRequestsOf(pod: WorkloadPod, facts: ClusterFacts): ClaimRequests {
  const asked = new Map<string, number>();
  const unclear: string[] = [];
  for (const { name = '', ...source } of pod.spec?.resourceClaims ?? []) {
    const found = findClaim(source, pod, facts);
    if (typeof found === 'string') {
      unclear.push(`claim ${name}: ${found}`);
      continue;
    }
    for (const request of found.devices?.requests ?? []) {
      const read = readRequest(request, facts.classes ?? []);
      if (typeof read === 'string') unclear.push(`claim ${name}, request ${request.name}: ${read}`);
      else asked.set(read.resource, (asked.get(read.resource) ?? 0) + read.count);
    }
  }
  return { asked, unclear };
}

/** All that a pod requests of GPUs, however it does. */
export function allRequestsOf(
  pod: WorkloadPod,
  claims: ClaimRequests,
  isMeant: (resource: string) => boolean,
): ReadonlyMap<string, number> {
  const all = new Map(requestsOf(pod, isMeant));
  for (const [resource, count] of claims.asked) all.set(resource, (all.get(resource) ?? 0) + count);
  return all;
}

type ClaimSource = Omit<NonNullable<NonNullable<WorkloadPod['spec']>['resourceClaims']>[number], 'name'>;

function findClaim(
  { resourceClaimName, resourceClaimTemplateName }: ClaimSource,
  { metadata }: WorkloadPod,
  { claims, templates }: ClusterFacts,
): ClaimSpec | string {
  const isHere = (one: { readonly metadata: { readonly namespace?: string } }): boolean =>
    one.metadata.namespace === metadata.namespace;
  if (resourceClaimName !== undefined) {
    if (claims === undefined) return 'ResourceClaims are not known here';
    const claim = claims.find((one) => isHere(one) && one.metadata.name === resourceClaimName);
    if (!claim) return `there is no ResourceClaim ${resourceClaimName}`;
    const [device] = claim.status?.allocation?.devices?.results ?? [];
    if (device) return `ResourceClaim ${resourceClaimName} has ${device.device} of pool ${device.pool} already`;
    return claim.spec ?? {};
  }
  if (templates === undefined) return 'ResourceClaimTemplates are not known here';
  const template = templates.find((one) => isHere(one) && one.metadata.name === resourceClaimTemplateName);
  return template ? (template.spec?.spec ?? {}) : `there is no ResourceClaimTemplate ${resourceClaimTemplateName}`;
}

function readRequest(
  request: NamedRequest,
  classes: readonly DeviceClassView[],
): { readonly resource: string; readonly count: number } | string {
  const { firstAvailable, exactly = request } = request;
  if (firstAvailable) {
    const names = firstAvailable.map(({ deviceClassName = '' }) => deviceClassName);
    return `the first available of DeviceClasses ${names.join(', ')}`;
  }
  const { deviceClassName = '', selectors = [], count = 1, allocationMode, adminAccess } = exactly;
  const found = classes.find(({ metadata }) => metadata.name === deviceClassName);
  if (!found) return `there is no DeviceClass ${deviceClassName}`;
  const resource = found.spec?.extendedResourceName;
  if (resource === undefined)
    return `DeviceClass ${deviceClassName} has no extendedResourceName, and its selectors are not evaluated`;
  if (selectors.length > 0) return 'it has selectors of its own, which are not evaluated';
  if (allocationMode === 'All' || adminAccess === true)
    return `it asks for ${allocationMode === 'All' ? 'all devices' : 'admin access'}`;
  return { resource, count };
}
