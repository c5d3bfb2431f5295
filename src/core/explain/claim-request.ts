import type { ResourceClaimView } from '../dra/resource-claim.ts';
import type { ClusterFacts } from './cluster-facts.ts';
import { type ClaimRequest, type DeviceChoice, type DeviceRequest, readChoice } from './device-request.ts';
import type { DeviceClassView } from './device-request.ts';
import { requestsOf, type WorkloadPod } from './workload.ts';

interface NamedRequest extends DeviceRequest {
  readonly name: string;
  readonly exactly?: DeviceRequest;
  readonly firstAvailable?: readonly (DeviceRequest & { readonly name: string })[];
}

interface ClaimSpec {
  readonly devices?: { readonly requests?: readonly NamedRequest[]; readonly constraints?: readonly unknown[] };
}

/** What a ResourceClaim requests, and whether it has it. */
export interface RequestedClaim extends ResourceClaimView {
  readonly spec?: ClaimSpec;
}

/** What the ResourceClaims of a ResourceClaimTemplate request. */
export interface ClaimTemplate {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: { readonly spec?: ClaimSpec };
}

/** What a pod's claims request. */
export interface ClaimRequests {
  /** By the device plugin's names: a DeviceClass with an `extendedResourceName` stands for that resource. */
  readonly asked: ReadonlyMap<string, number>;
  /** By what their selectors say of devices. */
  readonly requests: readonly ClaimRequest[];
  /** Why the rest is not known. */
  readonly unclear: readonly string[];
}

/** What a pod requests by claim. A selector that is not evaluated is named. */
export function claimRequestsOf(pod: WorkloadPod, facts: ClusterFacts): ClaimRequests {
  const asked = new Map<string, number>();
  const requests: ClaimRequest[] = [];
  const unclear: string[] = [];
  for (const { name = '', ...source } of pod.spec?.resourceClaims ?? []) {
    const found = findClaim(source, pod, facts);
    if (typeof found === 'string') {
      unclear.push(`claim ${name}: ${found}`);
      continue;
    }
    const { requests: wanted = [], constraints = [] } = found.devices ?? {};
    if (constraints.length > 0 && wanted.length > 1)
      unclear.push(`claim ${name}: its constraints between requests are not evaluated here`);
    for (const request of wanted) {
      const read = readRequest(request, facts.classes ?? []);
      if (typeof read === 'string') unclear.push(`claim ${name}, request ${request.name}: ${read}`);
      else if ('resource' in read) asked.set(read.resource, (asked.get(read.resource) ?? 0) + read.count);
      else requests.push({ name: request.name, choices: read.choices });
    }
  }
  return { asked, requests, unclear };
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

/** A class that stands for a resource needs no look at its selectors. */
function readRequest(
  request: NamedRequest,
  classes: readonly DeviceClassView[],
): { readonly resource: string; readonly count: number } | Pick<ClaimRequest, 'choices'> | string {
  const { firstAvailable, exactly = request } = request;
  const { deviceClassName, selectors = [], count = 1, allocationMode, adminAccess } = exactly;
  const isPlain =
    firstAvailable === undefined && selectors.length === 0 && allocationMode !== 'All' && adminAccess !== true;
  const found = classes.find(({ metadata }) => metadata.name === deviceClassName);
  const resource = found?.spec?.extendedResourceName;
  if (isPlain && resource !== undefined) return { resource, count };
  const choices: DeviceChoice[] = [];
  for (const one of firstAvailable ?? [exactly]) {
    const choice = readChoice(one, classes);
    if (typeof choice === 'string') return choice;
    choices.push(choice);
  }
  return { choices };
}
