// Room cluster: the cluster as it was read, and the one judge of its pods and nodes.
// Ask here what the claims of a pod ask for, and how devices fit that.
import { gpuDriver, type ResourceClaimView, isAllocated, readSelector } from '../kubernetes/claims.ts';
import type { ClaimableDevice } from './claim-devices.ts';
import { type Toleration, tolerates, isGpuResource, requestsOf, type PodView } from '../kubernetes/pod.ts';
import { deviceClassPrefix } from '../device/holders.ts';
import { namespacedName } from '../text/syntax.ts';
import type { ClusterFacts } from './facts.ts';

interface Selector {
  readonly cel?: { readonly expression?: string };
}

/** The parts of a DeviceClass (`resource.k8s.io`) that tell what it stands for. */
export interface DeviceClassView {
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly extendedResourceName?: string; readonly selectors?: readonly Selector[] };
}

/** One request of a claim, or one alternative of it. */
export interface DeviceRequest {
  readonly deviceClassName?: string;
  readonly count?: number;
  readonly allocationMode?: string;
  readonly adminAccess?: boolean;
  readonly selectors?: readonly Selector[];
  readonly tolerations?: readonly Toleration[];
}

/** Devices of which a request takes some. */
export interface DeviceChoice {
  /** The choice in words: `DeviceClass mig.nvidia.com with its own selectors`. */
  readonly words: string;
  readonly test: NonNullable<ReturnType<typeof readSelector>>;
  /** The number of devices; undefined: all that there are. */
  readonly count: number | undefined;
  /** True if the request looks on: others may have the devices. */
  readonly isMonitor: boolean;
  /** The taints of devices that the request tolerates. */
  readonly tolerations: readonly Toleration[];
}

/** A request that a node meets if it meets one of the choices, the first first. */
export interface ClaimRequest {
  readonly name: string;
  readonly choices: readonly DeviceChoice[];
}

/** Whether no device that a request may get is a GPU. */
function isForeign(alternatives: readonly DeviceRequest[], classes: readonly DeviceClassView[]): boolean {
  return alternatives.every(({ deviceClassName, selectors = [] }) => {
    const found = classes.find(({ metadata }) => metadata.name === deviceClassName);
    return [...(found?.spec?.selectors ?? []), ...selectors].some(isOfOtherDriver);
  });
}

/** Whether a selector begins with the name of another driver: the rest of it is often not to be evaluated here. */
function isOfOtherDriver({ cel: { expression = '' } = {} }: Selector): boolean {
  const driver = /^\s*device\.driver\s*==\s*(['"])([^'"]*)\1\s*(?:&&|$)/.exec(expression)?.[2];
  return driver !== undefined && driver !== gpuDriver && !expression.includes('||');
}

/** @returns why it is not known what devices meet a request */
function readChoice(request: DeviceRequest, classes: readonly DeviceClassView[] | undefined): DeviceChoice | string {
  if (classes === undefined) return 'DeviceClasses are not known here';
  const {
    deviceClassName = '',
    selectors = [],
    count = 1,
    allocationMode,
    adminAccess = false,
    tolerations = [],
  } = request;
  const found = classes.find(({ metadata }) => metadata.name === deviceClassName);
  if (!found) return `there is no DeviceClass ${deviceClassName}`;
  const tests: NonNullable<ReturnType<typeof readSelector>>[] = [];
  for (const { cel } of [...(found.spec?.selectors ?? []), ...selectors]) {
    const expression = cel?.expression ?? '';
    const test = readSelector(expression);
    if (test === undefined) return `its selector is not evaluated here: ${expression}`;
    tests.push(test);
  }
  const own = selectors.length > 0 ? ' with selectors of its own' : '';
  return {
    words: `DeviceClass ${deviceClassName}${own}`,
    test: (device) => tests.every((test) => test(device)),
    count: allocationMode === 'All' ? undefined : count,
    isMonitor: adminAccess,
    tolerations,
  };
}

/** How a node stands towards a choice. */
export interface ChoiceFit {
  readonly choice: DeviceChoice;
  readonly matching: readonly ClaimableDevice[];
  readonly free: readonly ClaimableDevice[];
  /** Matching devices with taints that the choice does not tolerate. */
  readonly tainted: readonly ClaimableDevice[];
  /** How many devices it takes. */
  readonly needed: number;
  readonly fits: boolean;
}

export function fitChoice(choice: DeviceChoice, devices: readonly ClaimableDevice[]): ChoiceFit {
  const matching = devices.filter(choice.test);
  const tainted = matching.filter(({ taints }) => !taints.every((taint) => tolerates(choice.tolerations, taint)));
  const open = matching.filter((device) => !tainted.includes(device));
  const free = choice.isMonitor ? open : open.filter(({ holder }) => holder === undefined);
  const needed = choice.count ?? Math.max(1, matching.length);
  return { choice, matching, free, tainted, needed, fits: free.length >= needed };
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
export interface RequestedClaim extends ResourceClaimView {
  readonly spec?: ClaimSpec;
}

/** What the ResourceClaims of a ResourceClaimTemplate request. */
export interface ClaimTemplate {
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: { readonly spec?: ClaimSpec };
}

/** Devices that a pod's claims request. */
export interface ClaimRequests {
  /** Counts by the device plugin's names: a DeviceClass with an `extendedResourceName` stands for that resource. */
  readonly asked: ReadonlyMap<string, number>;
  /** Requests whose selectors say which devices they take. */
  readonly requests: readonly ClaimRequest[];
  /** Why the rest is not known. */
  readonly unclear: readonly string[];
  /** The origins of the requests: `claim team/train-gpu-x7k2p`, or `ResourceClaimTemplate small` while there is no claim of it. */
  readonly sources: readonly string[];
  /** Claims that have their devices: the pod can only run where these are. */
  readonly allocated: readonly ResourceClaimView[];
}

/** Collects what a pod requests by claim. A selector that is not evaluated is named. */
export function claimRequestsOf(pod: PodView, facts: ClusterFacts): ClaimRequests {
  const asked = new Map<string, number>();
  const requests: ClaimRequest[] = [];
  const unclear: string[] = [];
  const sources: string[] = [];
  const allocated: ResourceClaimView[] = [];
  const note = (request: NamedRequest, source: string): void => {
    const read = readRequest(request, facts.classes);
    if (typeof read === 'string') unclear.push(`${source}: ${read}`);
    else if ('resource' in read) asked.set(read.resource, (asked.get(read.resource) ?? 0) + read.count);
    else requests.push({ name: request.name, choices: read.choices });
  };
  for (const { name = '', ...source } of pod.spec?.resourceClaims ?? []) {
    const found = findClaim(name, source, pod, facts);
    if ('unknown' in found) {
      unclear.push(`claim ${name}: ${found.unknown}`);
      continue;
    }
    if (found.claim && isAllocated(found.claim)) {
      allocated.push(found.claim);
      continue;
    }
    const { requests: all = [], constraints = [] } = found.spec.devices ?? {};
    const wanted = all.filter((request) => !isForeign(listAlternatives(request), facts.classes ?? []));
    if (wanted.length === 0 && all.length > 0) continue;
    sources.push(found.source);
    if (constraints.length > 0 && wanted.length > 1)
      unclear.push(`${found.source}: its constraints between requests are not evaluated here`);
    for (const request of wanted) note(request, `${found.source}, request ${request.name}`);
  }
  for (const request of listByResource(pod, facts.classes ?? [])) {
    const source = `resource ${request.name}`;
    sources.push(source);
    note(request, source);
  }
  return { asked, requests, unclear, sources, allocated };
}

/** What a pod asks for by resources that DeviceClasses stand for: under names of their own, or the one that each class has (KEP-5004). */
function listByResource(pod: PodView, classes: readonly DeviceClassView[]): readonly NamedRequest[] {
  const classOf = (resource: string): string | undefined =>
    resource.startsWith(deviceClassPrefix)
      ? resource.slice(deviceClassPrefix.length)
      : classes.find(({ spec }) => spec?.extendedResourceName === resource)?.metadata.name;
  const isMeant = (name: string): boolean => !name.startsWith('nvidia.com/') && classOf(name) !== undefined;
  return [...requestsOf(pod, isMeant)]
    .map(([name, count]) => ({ name, exactly: { deviceClassName: classOf(name) ?? '', count } }))
    .filter(({ exactly }) => !isForeign([exactly], classes));
}

/** `NAMESPACE/NAME` of the claims of a pod, whichever way it asks: by name, by a template or by an extended resource. */
export function listClaimNames({ metadata, spec, status }: PodView): readonly string[] {
  const names = [
    ...(spec?.resourceClaims ?? []).map((one) => one.resourceClaimName),
    ...(status?.resourceClaimStatuses ?? []).map((one) => one.resourceClaimName),
    status?.extendedResourceClaimStatus?.resourceClaimName,
  ];
  const own = names.flatMap((name) => (name === undefined ? [] : namespacedName({ ...metadata, name })));
  return [...new Set(own)];
}

/** Collects all GPUs and slices that a pod requests, however it does. */
export function allRequestsOf(
  pod: PodView,
  claims: ClaimRequests,
  isMeant: (resource: string) => boolean,
): ReadonlyMap<string, number> {
  const all = new Map(requestsOf(pod, isMeant));
  for (const [resource, count] of claims.asked) all.set(resource, (all.get(resource) ?? 0) + count);
  return all;
}

type ClaimSource = Omit<NonNullable<NonNullable<PodView['spec']>['resourceClaims']>[number], 'name'>;

type FoundClaim =
  { readonly unknown: string } | { readonly source: string; readonly spec: ClaimSpec; readonly claim?: RequestedClaim };

function findClaim(
  entry: string,
  { resourceClaimName, resourceClaimTemplateName }: ClaimSource,
  { metadata, status }: PodView,
  { claims, templates }: ClusterFacts,
): FoundClaim {
  const isHere = (one: { readonly metadata: { readonly namespace?: string } }): boolean =>
    one.metadata.namespace === metadata.namespace;
  const made = status?.resourceClaimStatuses?.find(({ name }) => name === entry)?.resourceClaimName;
  const name = resourceClaimName ?? made;
  const claim = claims?.find((one) => isHere(one) && one.metadata.name === name);
  if (claim) return { source: `claim ${namespacedName(claim.metadata)}`, spec: claim.spec ?? {}, claim };
  if (resourceClaimName !== undefined) {
    const unknown = claims ? `there is no ResourceClaim ${resourceClaimName}` : 'ResourceClaims are not known here';
    return { unknown };
  }
  if (templates === undefined) return { unknown: 'ResourceClaimTemplates are not known here' };
  const template = templates.find((one) => isHere(one) && one.metadata.name === resourceClaimTemplateName);
  if (!template) return { unknown: `there is no ResourceClaimTemplate ${resourceClaimTemplateName}` };
  const source =
    made === undefined
      ? `ResourceClaimTemplate ${resourceClaimTemplateName}`
      : `claim ${namespacedName({ ...metadata, name: made })}`;
  return { source, spec: template.spec?.spec ?? {} };
}

function listAlternatives(request: NamedRequest): readonly DeviceRequest[] {
  return request.firstAvailable ?? [request.exactly ?? request];
}

/** A class that stands for a resource of the device plugin needs no look at its selectors. */
function readRequest(
  request: NamedRequest,
  classes: readonly DeviceClassView[] | undefined,
): { readonly resource: string; readonly count: number } | Pick<ClaimRequest, 'choices'> | string {
  const { firstAvailable, exactly = request } = request;
  const { deviceClassName, selectors = [], count = 1, allocationMode, adminAccess, tolerations = [] } = exactly;
  const isPlain =
    firstAvailable === undefined &&
    selectors.length + tolerations.length === 0 &&
    allocationMode !== 'All' &&
    adminAccess !== true;
  const found = classes?.find(({ metadata }) => metadata.name === deviceClassName);
  const resource = found?.spec?.extendedResourceName;
  if (isPlain && resource !== undefined && isGpuResource(resource)) return { resource, count };
  const choices: DeviceChoice[] = [];
  for (const one of listAlternatives(request)) {
    const choice = readChoice(one, classes);
    if (typeof choice === 'string') return choice;
    choices.push(choice);
  }
  return { choices };
}
