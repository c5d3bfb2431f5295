import type { GpuReport, ModelReport } from '../../api/types.ts';
import type { ClusterFacts, GpuNode } from '../cluster/facts.ts';
import { predictSlice, findNamedDevice, deviceClassPrefix } from '../device/holders.ts';
import { todaysNameOf } from '../gpu/profiles.ts';
import {
  attributeOf,
  gpuDriver,
  isAllocated,
  nameDevices,
  type ResourceClaimView,
  type DeviceTest,
  readSelector,
  type SelectableDevice,
} from '../kubernetes/claims.ts';
import type { Taint } from '../kubernetes/node.ts';
import { type Toleration, tolerates, isGpuResource, requestsOf, type PodView } from '../kubernetes/pod.ts';
import { GPU_RESOURCE, migResourceName } from '../nvidia/labels.ts';
import { memoize } from '../text/json.ts';
import { namespacedName, parseQuantity } from '../text/syntax.ts';
import type { Blocker } from './node-verdict.ts';

type RequestedClaim = NonNullable<ClusterFacts['claims']>[number];
type ClaimSpec = NonNullable<RequestedClaim['spec']>;
type NamedRequest = NonNullable<NonNullable<ClaimSpec['devices']>['requests']>[number];
type DeviceRequest = Omit<NamedRequest, 'name' | 'exactly' | 'firstAvailable'>;
type Selector = NonNullable<DeviceRequest['selectors']>[number];
type Classes = NonNullable<ClusterFacts['classes']>;
type NodeSlice = NonNullable<ClusterFacts['slices']>[number];

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
function listByResource(pod: PodView, classes: Classes): readonly NamedRequest[] {
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
  | { readonly unknown: string }
  | { readonly source: string; readonly spec: ClaimSpec; readonly claim?: RequestedClaim };

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
  classes: ClusterFacts['classes'],
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
/** Devices of which a request takes some. */
interface DeviceChoice {
  /** The choice in words: `DeviceClass mig.nvidia.com with its own selectors`. */
  readonly words: string;
  readonly test: DeviceTest;
  /** The number of devices; undefined: all that there are. */
  readonly count: number | undefined;
  /** True if the request looks on: others may have the devices. */
  readonly isMonitor: boolean;
  /** The taints of devices that the request tolerates. */
  readonly tolerations: readonly Toleration[];
}

/** A request that a node meets if it meets one of the choices, the first first. */
interface ClaimRequest {
  readonly name: string;
  readonly choices: readonly DeviceChoice[];
}

/** Whether no device that a request may get is a GPU. */
function isForeign(alternatives: readonly DeviceRequest[], classes: Classes): boolean {
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
function readChoice(request: DeviceRequest, classes: ClusterFacts['classes']): DeviceChoice | string {
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
  const tests: DeviceTest[] = [];
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
interface ChoiceFit {
  readonly choice: DeviceChoice;
  readonly matching: readonly ClaimableDevice[];
  readonly free: readonly ClaimableDevice[];
  /** Matching devices with taints that the choice does not tolerate. */
  readonly tainted: readonly ClaimableDevice[];
  /** How many devices it takes. */
  readonly needed: number;
  readonly fits: boolean;
}

function fitChoice(choice: DeviceChoice, devices: readonly ClaimableDevice[]): ChoiceFit {
  const matching = devices.filter(choice.test);
  const tainted = matching.filter(({ taints }) => !taints.every((taint) => tolerates(choice.tolerations, taint)));
  const open = matching.filter((device) => !tainted.includes(device));
  const free = choice.isMonitor ? open : open.filter(({ holder }) => holder === undefined);
  const needed = choice.count ?? Math.max(1, matching.length);
  return { choice, matching, free, tainted, needed, fits: free.length >= needed };
}

/** A device that a DRA driver offers on a node. */
interface ClaimableDevice extends SelectableDevice {
  readonly name: string;
  /** The device plugin's name of its kind. */
  readonly resource: string;
  /** The claim that has it, or the pods by the agent's report; undefined: free. */
  readonly holder: string | undefined;
  /**
   * Taints that the driver set, as on a GPU that is not well. A request gets such a device only with tolerations (Kubernetes 1.36, gate
   * DRADeviceTaints).
   */
  readonly taints: readonly Taint[];
}

/** What a node's DRA driver offers: by its ResourceSlices, else by what its device has. None with the device plugin. */
export function listDevices(gpuNode: GpuNode, { slices }: Pick<ClusterFacts, 'slices'>): readonly ClaimableDevice[] {
  if (!gpuNode.isDra) return [];
  const report = gpuNode.partition?.status?.device ?? {};
  const found: readonly NodeSlice[] = slices ? (byNode(slices).get(gpuNode.name) ?? []) : [predictSlice(report)];
  const { taken } = gpuNode;
  const memories = new Map(
    (report.models ?? []).flatMap(({ profiles }) => profiles.map(({ name, memoryMiB }) => [name, memoryMiB] as const)),
  );
  return found.flatMap(({ spec }) =>
    (spec.devices ?? []).map((device): ClaimableDevice => {
      const names = Object.keys(device.attributes ?? {}).map((key) => key.replace(`${gpuDriver}/`, ''));
      const attributes = Object.fromEntries(names.map((name) => [name, attributeOf(device, name)]));
      const { profile, uuid, productName = '' } = attributes;
      const capacity: Record<string, bigint | undefined> = Object.fromEntries(
        Object.entries(device.capacity ?? {}).map(([key, { value = '' }]) => [
          key.replace(`${gpuDriver}/`, ''),
          parseQuantity(value),
        ]),
      );
      const memoryMiB = profile === undefined ? memoryOf(gpuNode, uuid) : memories.get(profile);
      if (memoryMiB !== undefined) capacity['memory'] ??= parseQuantity(`${memoryMiB}Mi`);
      const resource = profile === undefined ? GPU_RESOURCE : migResourceName(todaysNameOf(productName, profile));
      const holder = taken ? taken.get(device.name) : reportedHolder(gpuNode, device.name);
      const taints = (device.taints ?? []).filter(closesDevice);
      return { name: device.name, attributes, capacity, resource, holder, taints };
    }),
  );
}

/** Another effect, None, is for information. */
function closesDevice({ effect }: Taint): boolean {
  return effect === 'NoSchedule' || effect === 'NoExecute';
}

function memoryOf({ partition }: GpuNode, uuid: string | undefined): number | undefined {
  return partition?.status?.device?.gpus?.find((gpu) => gpu.uuid === uuid)?.memoryMiB;
}

/** The slices of NVIDIA's driver. Every node is asked for its own: they are sorted once. */
const byNode = memoize((slices: readonly NodeSlice[]) => {
  const own = slices.filter(({ spec }) => spec.driver === gpuDriver);
  return Map.groupBy(own, ({ spec }) => spec.nodeName);
});

/** The holder by the agent's report, where claims may not be listed. */
function reportedHolder({ partition }: GpuNode, device: string): string | undefined {
  const { gpus = [] } = partition?.status?.device ?? {};
  const uuid = findNamedDevice(device, { gpus })?.uuid;
  const places = gpus.flatMap((gpu) => [
    { busy: gpu.busy, pods: gpu.pods, uuids: [gpu.uuid] },
    ...gpu.instances.map((one) => ({
      busy: one.busy,
      pods: one.pods,
      uuids: [one.uuid, ...(one.computeInstances ?? []).map((part) => part.uuid)],
    })),
  ]);
  const place = places.find(({ uuids }) => uuid !== undefined && uuids.includes(uuid));
  return place?.busy === true ? (place.pods?.[0] ?? 'a process') : undefined;
}
/** Beyond this many combinations of alternatives, requests that fit one by one count as fitting together. */
const mostCombinations = 1000;

/** What keeps a node from the requests of claims; none if of each one choice is free there, beside those of the others. */
export function judgeRequests(
  gpuNode: GpuNode,
  requests: readonly ClaimRequest[],
  facts: ClusterFacts,
): readonly Blocker[] {
  if (requests.length === 0) return [];
  if (!gpuNode.isDra)
    return [{ kind: 'NotOffered', message: 'its device plugin hands its GPUs out, and the pod asks by claim' }];
  const devices = listDevices(gpuNode, facts);
  const fits = requests.map(({ choices }) => choices.map((choice) => fitChoice(choice, devices)));
  const misses = fits.flatMap((one) => describeMisses(one));
  if (misses.length > 0 || fitTogether(fits.map((one) => one.filter((fit) => fit.fits)))) return misses;
  const free = devices.filter(({ holder }) => holder === undefined).length;
  const message = `each request of its claims fits alone, and all ${requests.length} together do not: ${free} of ${devices.length} devices are free`;
  return [{ kind: 'Full', message }];
}

/** @param fits of each request the choices that fit alone */
function fitTogether(fits: readonly (readonly ChoiceFit[])[]): boolean {
  if (fits.reduce((product, { length }) => product * length, 1) > mostCombinations) return true;
  return choose(fits, []);
}

function choose([first, ...others]: readonly (readonly ChoiceFit[])[], slots: readonly Slot[]): boolean {
  if (first === undefined) return canFill(slots);
  return first.some(({ choice, free, needed }) => {
    const taken = choice.isMonitor ? [] : Array.from({ length: needed }, () => free);
    return choose(others, [...slots, ...taken]);
  });
}

/** Devices of which one is needed. */
type Slot = readonly ClaimableDevice[];

/** Whether each slot gets a device of its own (a bipartite matching by augmenting paths). */
function canFill(slots: readonly Slot[]): boolean {
  const slotOf = new Map<ClaimableDevice, number>();
  const fill = (slot: number, seen: Set<ClaimableDevice>): boolean =>
    (slots[slot] ?? []).some((device) => {
      if (seen.has(device)) return false;
      seen.add(device);
      const other = slotOf.get(device);
      if (other !== undefined && !fill(other, seen)) return false;
      slotOf.set(device, slot);
      return true;
    });
  return slots.every((_, slot) => fill(slot, new Set()));
}

/** Why no choice of a request fits, by the nearest of them. */
function describeMisses(fits: readonly ChoiceFit[]): readonly Blocker[] {
  if (fits.some((one) => one.fits)) return [];
  const nearest = fits.toSorted((a, b) => b.matching.length - a.matching.length)[0];
  return nearest === undefined ? [] : [describeMiss(nearest, fits.length)];
}

function describeMiss({ choice, matching, free, tainted }: ChoiceFit, choices: number): Blocker {
  const more = choices > 1 ? ` (and none of the other ${choices - 1} alternatives has room)` : '';
  if (matching.length === 0) {
    return { kind: 'NotOffered', message: `none of its devices meets ${choice.words}${more}` };
  }
  const { count = matching.length } = choice;
  if (count > matching.length) {
    const message = `the claim requests ${count} of ${choice.words}, and ${matching.length} devices of the node meet it${more}`;
    return { kind: 'TooMany', message };
  }
  const taken = matching.filter((device) => !free.includes(device) && !tainted.includes(device));
  const holders = [...new Set(taken.flatMap(({ holder }) => holder ?? []))].toSorted();
  const names = holders.length > 5 ? [...holders.slice(0, 5), `${holders.length - 5} more`] : holders;
  const what = `of ${matching.length} devices that meet ${choice.words}`;
  const causes = [
    ...(taken.length > 0 ? [`${taken.length} ${what} are in use, held by ${names.join(', ')}`] : []),
    ...(tainted.length > 0 ? [describeTainted(`${tainted.length} ${what}`, tainted)] : []),
  ];
  return { kind: taken.length > 0 ? 'Full' : 'Tainted', message: `${causes.join('; ')}${more}` };
}

/** `2 nvidia.com/mig-1g.5gb have taints that the request does not tolerate: gpu.nvidia.com/xid=79:NoSchedule` */
export function describeTainted(what: string, devices: readonly ClaimableDevice[]): string {
  const taints = devices.flatMap((device) =>
    device.taints.map(({ key, value, effect }) => `${key}${value ? `=${value}` : ''}:${effect}`),
  );
  return `${what} have taints that the request does not tolerate: ${[...new Set(taints)].toSorted().join(', ')}`;
}

/** What a pod requests in words: `1 device of DeviceClass mig.nvidia.com by claim team/train-gpu`. @param asked resources, and how many */
export function describeAsks(
  asked: ReadonlyMap<string, number>,
  { requests, sources, allocated }: Pick<ClaimRequests, 'requests' | 'sources' | 'allocated'>,
): string {
  const resources = [...asked].map(([resource, amount]) => `${amount} ${resource}`);
  const has = allocated.map((one) => `what claim ${namespacedName(one.metadata)} has (${nameDevices(one)})`);
  const by = sources.length === 0 ? '' : ` by ${sources.join(' and ')}`;
  const open = [...resources, ...requests.map(describeRequest)].join(' and ');
  return [...(open === '' ? [] : [`${open}${by}`]), ...has].join(' and ');
}

/** A request in words: `2 devices of DeviceClass mig.nvidia.com with selectors of its own`. */
function describeRequest({ choices }: ClaimRequest): string {
  const [first, ...others] = choices.map(describeChoice);
  return others.length === 0 ? (first ?? '') : `the first available of ${[first, ...others].join(', ')}`;
}

function describeChoice({ count, words, isMonitor }: DeviceChoice): string {
  const amount = count === undefined ? 'all devices' : count === 1 ? '1 device' : `${count} devices`;
  return `${amount} of ${words}${isMonitor ? ', with admin access' : ''}`;
}

/** Resources of the device plugin whose slices meet a request, the smallest first: what an edit of a policy could make. */
export function listMeetingResources({ choices }: ClaimRequest, nodes: readonly GpuNode[]): readonly string[] {
  const possible = nodes
    .filter(({ isDra }) => isDra)
    .flatMap(({ partition }) => listPossible(partition?.status?.device ?? {}));
  const meeting = possible.filter((device) => choices.some(({ test }) => test(device)));
  const sizeOf = ({ capacity }: SelectableDevice): bigint => capacity['memory'] ?? 0n;
  const sorted = meeting.toSorted((a, b) => Number(sizeOf(a) - sizeOf(b)));
  return [...new Set(sorted.map(({ resource }) => resource))];
}

/** Devices that GPUs like a node's could be, whether they are now or not. */
function listPossible({
  models = [],
  gpus = [],
}: {
  readonly models?: readonly ModelReport[];
  readonly gpus?: readonly GpuReport[];
}): readonly (SelectableDevice & { readonly resource: string })[] {
  const slices = models.flatMap(({ product, profiles }) =>
    profiles.map(({ name, memoryMiB }) => ({
      resource: migResourceName(name),
      attributes: { type: 'mig', profile: name, productName: product },
      capacity: memoryMiB === undefined ? {} : { memory: parseQuantity(`${memoryMiB}Mi`) },
    })),
  );
  const whole = gpus.map(({ product, uuid, memoryMiB }) => ({
    resource: GPU_RESOURCE,
    attributes: { type: 'gpu', uuid, productName: product },
    capacity: memoryMiB === undefined ? {} : { memory: parseQuantity(`${memoryMiB}Mi`) },
  }));
  return [...slices, ...whole];
}
