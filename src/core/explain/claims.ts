import type { GpuReport, ModelReport } from '../../api/types.ts';
import type { ClusterFacts, GpuNode } from '../cluster/facts.ts';
import { deviceClassPrefix } from '../device/holders.ts';
import {
  gpuDriver,
  hasEnded,
  isGpuResource,
  ownDevicesOf,
  type PodView,
  requestsOf,
  type ResourceClaimView,
  type Toleration,
} from '../kubernetes/pod.ts';
import { GPU_RESOURCE, migResourceName } from '../nvidia/labels.ts';
import { namespacedName, parseQuantity } from '../text/syntax.ts';

type RequestedClaim = NonNullable<ClusterFacts['claims']>[number];
type ClaimSpec = NonNullable<RequestedClaim['spec']>;
type NamedRequest = NonNullable<NonNullable<ClaimSpec['devices']>['requests']>[number];
type DeviceRequest = Omit<NamedRequest, 'name' | 'exactly' | 'firstAvailable'>;
type Selector = NonNullable<DeviceRequest['selectors']>[number];
type Classes = NonNullable<ClusterFacts['classes']>;

/** Devices that a pod's claims request. */
interface ClaimRequests {
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

/** What a pod requests, however it does. */
export interface PodRequests extends ClaimRequests {
  /** All that has a name of the device plugin, by resource, whether it is requested as such or by a claim. */
  readonly all: ReadonlyMap<string, number>;
  /** `1 device of DeviceClass mig.nvidia.com by claim team/train-gpu` */
  readonly words: string;
}

/** Collects what a pod requests. @param isMeant which resources count */
export function readRequests(pod: PodView, facts: ClusterFacts, isMeant: (resource: string) => boolean): PodRequests {
  const claims = claimRequestsOf(pod, facts);
  const all = new Map(requestsOf(pod, isMeant));
  for (const [resource, count] of claims.asked) all.set(resource, (all.get(resource) ?? 0) + count);
  return { ...claims, all, words: describeAsks(all, claims) };
}

/**
 * Whether a pod requests a GPU, or a slice of one. A claim may be for a device of another driver: what no GPU could be is for none.
 *
 * @param dra nodes whose GPUs are handed out by claim
 */
export function asksForGpu(pod: PodView, facts: ClusterFacts, dra: readonly GpuNode[]): boolean {
  if (requestsOf(pod, isGpuResource).size > 0) return true;
  const { asked, requests, allocated } = claimRequestsOf(pod, facts);
  return (
    [...asked.keys()].some(isGpuResource) ||
    allocated.some((claim) => ownDevicesOf(claim).length > 0) ||
    requests.some((request) => listMeetingResources(request, dra).length > 0)
  );
}

/** The resources that would serve a pod: a single request by selectors is served by the smallest slice that meets it. */
export function wantedResources(
  { all, requests }: PodRequests,
  nodes: readonly GpuNode[],
): ReadonlyMap<string, number> {
  const [request, ...others] = requests;
  if (request === undefined || others.length > 0 || all.size > 0) return all;
  const [resource] = listMeetingResources(request, nodes);
  const count = request.choices[0]?.count;
  return resource === undefined || count === undefined ? all : new Map([[resource, count]]);
}

/** Collects what a pod requests by claim. A selector that is not evaluated is named. */
function claimRequestsOf(pod: PodView, facts: ClusterFacts): ClaimRequests {
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

/** What a pod requests in words: `1 device of DeviceClass mig.nvidia.com by claim team/train-gpu`. @param asked resources, and how many */
function describeAsks(
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
function listMeetingResources({ choices }: ClaimRequest, nodes: readonly GpuNode[]): readonly string[] {
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

/** Whether a pod has no node yet, and still wants one. */
export function isUnbound(pod: PodView): boolean {
  return pod.spec?.nodeName === undefined && pod.metadata.deletionTimestamp === undefined && !hasEnded(pod);
}

/** Whether the scheduler has given a claim its devices. */
export function isAllocated({ status }: ResourceClaimView): boolean {
  return status?.allocation !== undefined;
}

/** `gpu-0-mig-1g5gb-19-0 of node n, gpu-1 of node n` */
export function nameDevices(claim: ResourceClaimView): string {
  const devices = ownDevicesOf(claim).map(({ device, pool }) => `${device} of node ${pool}`);
  return devices.length === 0 ? 'no GPU' : devices.join(', ');
}

/** What a selector of a DeviceClass or a request can ask of a device of NVIDIA's driver. */
export interface SelectableDevice {
  /** Attributes in the driver's own domain. */
  readonly attributes: Readonly<Record<string, string | undefined>>;
  /** Capacities in the driver's own domain, in billionths of a unit. */
  readonly capacity: Readonly<Record<string, bigint | undefined>>;
}

type DeviceTest = (device: SelectableDevice) => boolean;

/** Judges a device. Undefined: CEL's error, of what the device does not have. It meets no selector, whatever is said of it. */
type Judgement = (device: SelectableDevice) => boolean | undefined;

/**
 * Reads what is common in CEL selectors of devices: comparisons of the driver, of text attributes (`==`, `!=`, `in [...]`) and of
 * capacities (`compareTo(quantity(...))`), joined by `&&`, `||`, `!` and parentheses. An attribute that a device does not have meets no
 * comparison. @returns undefined for any other expression
 */
export function readSelector(expression: string): DeviceTest | undefined {
  const tokens = tokenize(expression);
  if (tokens === undefined) return undefined;
  const reader = new SelectorReader(tokens);
  const judge = reader.readAny();
  return judge !== undefined && reader.isAtEnd ? (device) => judge(device) === true : undefined;
}

const token = /\s*(?:('[^'\\]*'|"[^"\\]*")|([A-Za-z_]\w*|\d+)|(&&|\|\||==|!=|>=|<=|[()[\].,<>!]))/y;
const longestExpression = 10_240;

function tokenize(expression: string): readonly string[] | undefined {
  if (expression.length > longestExpression) return undefined;
  const text = expression.trimEnd();
  const found: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.length) {
    const match = token.exec(text);
    if (match === null) return undefined;
    const [, string, word, sign] = match;
    found.push(string === undefined ? (word ?? sign ?? '') : `'${string.slice(1, -1)}'`);
  }
  return found;
}

const orders: Readonly<Record<string, (difference: bigint) => boolean>> = {
  '==': (difference) => difference === 0n,
  '!=': (difference) => difference !== 0n,
  '>=': (difference) => difference >= 0n,
  '<=': (difference) => difference <= 0n,
  '>': (difference) => difference > 0n,
  '<': (difference) => difference < 0n,
};

/** Recursive descent; each method returns undefined if it does not know what it finds. */
class SelectorReader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  readAny(): Judgement | undefined {
    return this.#readJoined(
      '||',
      () => this.#readAll(),
      // Whichever side decides: an error on the other one does not count.
      (one, other) => (device) => join(true, one(device), other(device)),
    );
  }

  #readAll(): Judgement | undefined {
    return this.#readJoined(
      '&&',
      () => this.#readOne(),
      (one, other) => (device) => join(false, one(device), other(device)),
    );
  }

  #readJoined(
    sign: string,
    read: () => Judgement | undefined,
    join: (one: Judgement, other: Judgement) => Judgement,
  ): Judgement | undefined {
    let test = read();
    while (test !== undefined && this.#take(sign)) {
      const next = read();
      test = next && join(test, next);
    }
    return test;
  }

  #readOne(): Judgement | undefined {
    if (this.#take('!')) {
      const test = this.#readOne();
      return test && ((device) => negate(test(device)));
    }
    if (this.#take('(')) {
      const test = this.readAny();
      return this.#take(')') ? test : undefined;
    }
    if (!this.#takeAll('device', '.')) return undefined;
    if (this.#take('driver')) return this.#readText(() => gpuDriver);
    const kind = ['attributes', 'capacity'].find((word) => this.#take(word));
    if (kind === undefined || !this.#takeAll('[', `'${gpuDriver}'`, ']', '.')) return undefined;
    const name = this.#takeWord();
    if (name === undefined) return undefined;
    return kind === 'capacity' ? this.#readQuantity(name) : this.#readText(({ attributes }) => attributes[name]);
  }

  #readText(textOf: (device: SelectableDevice) => string | undefined): Judgement | undefined {
    if (this.#take('in')) {
      const texts = this.#readList();
      if (texts === undefined) return undefined;
      return (device) => {
        const found = textOf(device);
        return found === undefined ? undefined : texts.includes(found);
      };
    }
    const isEqual = this.#take('==');
    if (!isEqual && !this.#take('!=')) return undefined;
    const text = this.#takeString();
    if (text === undefined) return undefined;
    return (device) => {
      const found = textOf(device);
      return found === undefined ? undefined : (found === text) === isEqual;
    };
  }

  /** `.compareTo(quantity('4864Mi')) >= 0` */
  #readQuantity(name: string): Judgement | undefined {
    if (!this.#takeAll('.', 'compareTo', '(', 'quantity', '(')) return undefined;
    const limit = parseQuantity(this.#takeString() ?? '');
    if (limit === undefined || !this.#takeAll(')', ')')) return undefined;
    const order = orders[Object.keys(orders).find((sign) => this.#take(sign)) ?? ''];
    if (order === undefined || !this.#take('0')) return undefined;
    return ({ capacity }) => {
      const amount = capacity[name];
      return amount === undefined ? undefined : order(amount - limit);
    };
  }

  #readList(): readonly string[] | undefined {
    if (!this.#take('[')) return undefined;
    const texts: string[] = [];
    do {
      const text = this.#takeString();
      if (text === undefined) return undefined;
      texts.push(text);
    } while (this.#take(','));
    return this.#take(']') ? texts : undefined;
  }

  #takeString(): string | undefined {
    const found = this.#tokens[this.#at];
    if (found?.startsWith("'") !== true) return undefined;
    this.#at += 1;
    return found.slice(1, -1);
  }

  #takeWord(): string | undefined {
    const found = this.#tokens[this.#at];
    if (found === undefined || !/^[A-Za-z_]\w*$/.test(found)) return undefined;
    this.#at += 1;
    return found;
  }

  #takeAll(...tokens: readonly string[]): boolean {
    return tokens.every((one) => this.#take(one));
  }

  #take(sign: string): boolean {
    if (this.#tokens[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }
}

/** `||` if true decides, `&&` if false does. */
function join(decisive: boolean, one: boolean | undefined, other: boolean | undefined): boolean | undefined {
  if (one === decisive || other === decisive) return decisive;
  return one === undefined || other === undefined ? undefined : !decisive;
}

function negate(judged: boolean | undefined): boolean | undefined {
  return judged === undefined ? undefined : !judged;
}
