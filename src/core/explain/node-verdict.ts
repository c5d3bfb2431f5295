import type { GpuReport, GpuWish } from '../../api/types.ts';
import { type ClusterFacts, type GpuNode, isResourceOf, listShortages } from '../cluster/facts.ts';
import { type PodRequests, nameDevices, type SelectableDevice } from './claims.ts';
import { repartitioningTaint, startupTaintKeys } from '../../api/names.ts';
import { isUnanswered } from '../device/grants.ts';
import { findNamedDevice, predictSlice } from '../device/holders.ts';
import { MODELS } from '../gpu/geometry.ts';
import { todaysNameOf } from '../gpu/profiles.ts';
import { type Taint, listMismatches } from '../kubernetes/node.ts';
import { memoize } from '../text/json.ts';
import { namespacedName, parseQuantity } from '../text/syntax.ts';
import { countWords, findNearestWords } from '../text/words.ts';
import {
  isGpuResource,
  type PodView,
  tolerates,
  attributeOf,
  type ResourceClaimView,
  gpuDriver,
  ownDevicesOf,
} from '../kubernetes/pod.ts';
import { GPU_RESOURCE, labelProfile, migResourceName } from '../nvidia/labels.ts';
import { isPlanned } from '../policy/spec.ts';

type ClaimRequest = PodRequests['requests'][number];
type DeviceChoice = ClaimRequest['choices'][number];
type NodeSlice = NonNullable<ClusterFacts['slices']>[number];

/** What keeps a pod from a node, the firmest first. */
const blockerKinds = [
  'Selector',
  'NotReady',
  'Cordoned',
  'Tainted',
  'Changing',
  'NotAdvertised',
  'ClaimElsewhere',
  'NotOffered',
  'TooMany',
  'Full',
  'OtherResource',
] as const;
export type BlockerKind = (typeof blockerKinds)[number];

/** One thing that keeps a pod from a node, and its words. */
interface Blocker {
  readonly kind: BlockerKind;
  readonly message: string;
}

/** A node, and what keeps a pod from it. */
export interface NodeVerdict {
  readonly gpuNode: GpuNode;
  readonly mismatches: ReturnType<typeof listMismatches>;
  readonly blockers: readonly Blocker[];
}

/** What keeps a pod from each node, the nearest first. */
export function judgeNodes(
  pod: PodView,
  nodes: readonly GpuNode[],
  requests: PodRequests,
  facts: ClusterFacts,
): readonly NodeVerdict[] {
  return nodes.map((node) => judgeNode(pod, node, requests, facts)).toSorted(byNearness);
}

/** A node with one of these cannot take the pod as its GPUs are. */
const lackKinds: readonly BlockerKind[] = ['ClaimElsewhere', 'NotOffered', 'NotAdvertised', 'TooMany'];

/** Orders nodes by the least that is wrong with them: first by the firmest blocker, then by how much. */
function byNearness(a: NodeVerdict, b: NodeVerdict): number {
  const rank = ({ blockers }: NodeVerdict): number => {
    const [first] = blockers;
    return first === undefined ? blockerKinds.length : blockerKinds.indexOf(first.kind);
  };
  const isOffering = ({ blockers }: NodeVerdict): number =>
    Number(blockers.some(({ kind }) => lackKinds.includes(kind)));
  return isOffering(a) - isOffering(b) || rank(b) - rank(a) || a.blockers.length - b.blockers.length;
}

function judgeNode(pod: PodView, gpuNode: GpuNode, claims: PodRequests, facts: ClusterFacts): NodeVerdict {
  const mismatches = listMismatches(pod.spec, gpuNode.name, gpuNode.labels);
  const found = [
    ...mismatches.map((one): Blocker => ({ kind: 'Selector', message: describeMismatch(one) })),
    ...listClosings(pod, gpuNode),
    ...[...claims.all].flatMap(
      ([resource, amount]) =>
        judgeStack(gpuNode, resource, claims, facts) ?? judgeResource(gpuNode, resource, amount, facts),
    ),
    ...judgeRequests(gpuNode, claims.requests, facts),
    ...claims.allocated.flatMap((claim) => judgeAllocated(gpuNode, claim)),
    ...judgeOthers(pod, gpuNode, facts),
  ];
  const blockers = found.toSorted((a, b) => blockerKinds.indexOf(a.kind) - blockerKinds.indexOf(b.kind));
  return { gpuNode, mismatches, blockers };
}

/** A claim stays with its devices until no pod uses it. */
function judgeAllocated({ name }: GpuNode, claim: ResourceClaimView): readonly Blocker[] {
  const isHere = ownDevicesOf(claim).every(({ pool }) => pool === name);
  return isHere
    ? []
    : [{ kind: 'ClaimElsewhere', message: `claim ${namespacedName(claim.metadata)} has ${nameDevices(claim)}` }];
}

/** Taints that the control plane derives from what is reported already. */
const saidElsewhere = ['not-ready', 'unreachable', 'unschedulable'].map((word) => `node.kubernetes.io/${word}`);

function listClosings({ spec }: PodView, gpuNode: GpuNode): readonly Blocker[] {
  const { node } = gpuNode;
  const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
  const found: Blocker[] = [];
  if (ready !== undefined && ready.status !== 'True') {
    found.push({ kind: 'NotReady', message: `its kubelet is not ready${ready.message ? `: ${ready.message}` : ''}` });
  }
  const tolerations = spec?.tolerations ?? [];
  const cordon = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };
  if (node.spec?.unschedulable === true && !tolerates(tolerations, cordon)) {
    found.push({ kind: 'Cordoned', message: 'it is cordoned; kubectl uncordon opens it' });
  }
  for (const taint of node.spec?.taints ?? []) {
    if (taint.effect === 'PreferNoSchedule' || saidElsewhere.includes(taint.key)) continue;
    if (tolerates(tolerations, taint)) continue;
    if (taint.key === repartitioningTaint.key) found.push({ kind: 'Changing', message: describeChange(gpuNode) });
    else if (startupTaintKeys.includes(taint.key)) {
      found.push({ kind: 'Changing', message: `it joined and waits for its first layout: ${reasonOf(gpuNode)}` });
    } else {
      const text = `${taint.key}${taint.value ? `=${taint.value}` : ''}:${taint.effect}`;
      found.push({ kind: 'Tainted', message: `it has the taint ${text}, which the pod does not tolerate` });
    }
  }
  return found;
}

function describeChange(gpuNode: GpuNode): string {
  const { partition } = gpuNode;
  const deadline = partition && isUnanswered(partition) ? partition.spec.granted?.deadline : undefined;
  const until = deadline === undefined ? '' : `, until ${deadline} at the latest`;
  return `it is closed while its GPUs change${until}: ${reasonOf(gpuNode)}`;
}

/** `Applying: the agent works on 2 GPUs` */
function reasonOf({ partition }: GpuNode): string {
  const ready = partition?.status?.conditions?.find(({ type }) => type === 'Ready');
  if (!ready) return 'its agent has not reported yet';
  return ready.message === '' ? ready.reason : `${ready.reason}: ${ready.message}`;
}

/** Whether what hands out the GPUs of a node serves a pod that requests a resource like this. */
function judgeStack(
  gpuNode: GpuNode,
  resource: string,
  { asked }: PodRequests,
  { classes }: ClusterFacts,
): readonly Blocker[] | undefined {
  const offered = gpuNode.offers[resource] ?? 0;
  if (offered === 0) return undefined;
  if (!gpuNode.isDra) {
    if (!asked.has(resource)) return undefined;
    const message = `it has ${offered} ${resource}, which its device plugin hands out, and the pod asks by claim`;
    return [{ kind: 'NotOffered', message }];
  }
  if (classes === undefined || classes.some(({ spec }) => spec?.extendedResourceName === resource)) return undefined;
  const [what, cure] =
    resource === GPU_RESOURCE
      ? ['whole GPU', `ask for it by a claim of DeviceClass ${gpuDriver}, which the driver brings`]
      : ['such slice', 'gpu-partition export dra -f POLICY | kubectl apply -f - creates it'];
  const message = `its DRA driver hands out ${countWords(offered, what)}, and no DeviceClass has extendedResourceName: ${resource}; ${cure}`;
  return [{ kind: 'NotAdvertised', message }];
}

function judgeResource(gpuNode: GpuNode, resource: string, amount: number, facts: ClusterFacts): readonly Blocker[] {
  const offered = gpuNode.offers[resource] ?? 0;
  if (offered === 0) return [explainAbsence(gpuNode, resource)];
  if (amount > offered) {
    const message = `the pod requests ${amount} ${resource}, and the node has ${offered} in total`;
    return [{ kind: 'TooMany', message }];
  }
  const { used, holders } = gpuNode.useOf(resource);
  if (offered - used >= amount) {
    const tainted = listDevices(gpuNode, facts).filter(
      (one) => one.resource === resource && one.holder === undefined && one.taints.length > 0,
    );
    if (offered - used - tainted.length >= amount) return [];
    return [{ kind: 'Tainted', message: describeTainted(`${tainted.length} ${resource}`, tainted) }];
  }
  const names = holders.length > 5 ? [...holders.slice(0, 5), `${holders.length - 5} more`] : holders;
  const by = names.length === 0 ? '' : `, held by ${names.join(', ')}`;
  return [{ kind: 'Full', message: `${used} of ${offered} ${resource} are in use${by}` }];
}

function explainAbsence(gpuNode: GpuNode, resource: string): Blocker {
  const { partition } = gpuNode;
  const hasOtherName = (gpuNode.offers[otherNameOf(resource)] ?? 0) > 0;
  const there = hasOtherName ? 0 : slicesOf(gpuNode, resource);
  const isSingle = gpuNode.strategy === 'single';
  const lost = lostGpuFor(gpuNode, resource);
  const why = lost === undefined ? '' : `: GPU ${lost.index} does not answer (${lost.error ?? ''})`;
  if (there > 0 && !isSingle && partition?.status?.phase === 'Ready') {
    const message = gpuNode.isDra
      ? `it has ${there} of these slices, and its DRA driver publishes none: their GPU is lost, or they have no compute instance`
      : `it has ${there} of these slices, and its device plugin offers none${why || ': look at the plugin’s pod and its MIG strategy'}`;
    return { kind: 'NotAdvertised', message };
  }
  const wished = isSingle ? 0 : wishedSlices(gpuNode, resource);
  if (wished > 0 && partition?.status?.phase !== 'Ready') {
    return {
      kind: 'Changing',
      message: `it will have ${wished} of them; ${partition?.status?.phase ?? 'Pending'}, ${reasonOf(gpuNode)}`,
    };
  }
  return { kind: 'NotOffered', message: `it does not offer ${resource}${why}` };
}

/** CPU, memory, other devices and the like, which a GPU node may run out of first. */
function judgeOthers(pod: PodView, { node, pods = [] }: GpuNode, { classes = [] }: ClusterFacts): readonly Blocker[] {
  return listShortages(node, pod, pods).flatMap(({ resource, total, percentUsed }): readonly Blocker[] => {
    // A DeviceClass stands for it.
    if (classes.some(({ spec }) => spec?.extendedResourceName === resource)) return [];
    const message =
      total === undefined
        ? `it has no ${resource}`
        : `not enough ${resource}: ${total} in total, ${percentUsed} % requested by others`;
    return [{ kind: 'OtherResource', message }];
  });
}

/** `pool is training, and the pod wants inference` */
function describeMismatch({ key, wanted, found }: ReturnType<typeof listMismatches>[number]): string {
  return `${key} is ${found === undefined ? 'absent' : found === '' ? 'empty' : found}, and the pod wants ${wanted}`;
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
function listDevices(gpuNode: GpuNode, { slices }: Pick<ClusterFacts, 'slices'>): readonly ClaimableDevice[] {
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
function judgeRequests(gpuNode: GpuNode, requests: readonly ClaimRequest[], facts: ClusterFacts): readonly Blocker[] {
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
function describeTainted(what: string, devices: readonly ClaimableDevice[]): string {
  const taints = devices.flatMap((device) =>
    device.taints.map(({ key, value, effect }) => `${key}${value ? `=${value}` : ''}:${effect}`),
  );
  return `${what} have taints that the request does not tolerate: ${[...new Set(taints)].toSorted().join(', ')}`;
}

/** Why no node offers a resource of this name, as far as the name tells. */
export interface NameFinding {
  readonly code: 'UnknownResource' | 'OtherStrategy' | 'OtherName' | 'NotOffered';
  readonly message: string;
}

const knownResources = [
  ...new Set(MODELS.flatMap(({ profiles }) => profiles.map(({ name }) => migResourceName(labelProfile(name))))),
];

/** Why no node offers one of the resources that a pod requests; undefined if each is offered, or on its way. @param verdicts of all GPU nodes */
export function explainUnoffered(
  resources: Iterable<string>,
  verdicts: readonly NodeVerdict[],
): NameFinding | undefined {
  const isOnItsWay = verdicts.some(({ blockers }) =>
    blockers.some(({ kind }) => kind === 'Changing' || kind === 'NotAdvertised'),
  );
  if (isOnItsWay) return undefined;
  const nodes = verdicts.map(({ gpuNode }) => gpuNode);
  const offered = listOffered(nodes);
  const missing = [...resources].find((resource) => !offered.includes(resource));
  return missing === undefined ? undefined : explainName(missing, nodes, offered);
}

/** @param offered GPU resources that some node offers now */
function explainName(resource: string, nodes: readonly GpuNode[], offered: readonly string[]): NameFinding {
  return (
    explainUnknown(resource, offered) ??
    explainShared(resource, offered) ??
    explainSingle(resource, nodes) ??
    explainSliced(resource, offered) ?? {
      code: 'NotOffered',
      message: `no node offers ${resource}; ${listOffer(offered)}`,
    }
  );
}

function explainUnknown(resource: string, offered: readonly string[]): NameFinding | undefined {
  const name = resource.replace(/\.shared$/, '');
  // No strategy with which upstream's plugin starts gives a compute instance its own resource.
  if (offered.includes(resource) || name === GPU_RESOURCE || knownResources.includes(name)) return undefined;
  const near = findNearestWords(resource, [...offered, ...knownResources, GPU_RESOURCE]);
  const hint = near.length > 0 ? `did the pod mean ${near.join(' or ')}?` : listOffer(offered);
  const what = isGpuResource(resource) ? 'no GPU has such a slice' : 'no device plugin for GPUs offers such a resource';
  return { code: 'UnknownResource', message: `${resource}: ${what}; ${hint}` };
}

function explainShared(resource: string, offered: readonly string[]): NameFinding | undefined {
  const other = otherNameOf(resource);
  if (!offered.includes(other)) return undefined;
  return {
    code: 'OtherName',
    message: `no node offers ${resource}, but ${other}: the device plugin ${resource.endsWith('.shared') ? 'does not rename what it shares' : 'shares these and renames them'}`,
  };
}

/** What the device plugin calls the same slices if it shares them, or if it does not. */
function otherNameOf(resource: string): string {
  return resource.endsWith('.shared') ? resource.slice(0, -'.shared'.length) : `${resource}.shared`;
}

function explainSingle(resource: string, nodes: readonly GpuNode[]): NameFinding | undefined {
  const single = nodes.find((one) => one.strategy === 'single' && slicesOf(one, resource) > 0);
  if (!single) return undefined;
  const product = single.labels['nvidia.com/gpu.product'];
  const select = product === undefined ? '' : ` with the node selector nvidia.com/gpu.product: ${product}`;
  return {
    code: 'OtherStrategy',
    message: `node ${single.name} has such slices under strategy single, which offers them as ${GPU_RESOURCE}: ask for ${GPU_RESOURCE}${select}`,
  };
}

/** Explains a request for whole GPUs where none is left anywhere: slices must be requested by their own names. */
function explainSliced(resource: string, offered: readonly string[]): NameFinding | undefined {
  if (resource !== GPU_RESOURCE || offered.length === 0) return undefined;
  return {
    code: 'OtherStrategy',
    message: `no node offers ${resource}: every GPU is cut into slices under strategy mixed, which have names of their own; ${listOffer(offered)}`,
  };
}

function listOffer(offered: readonly string[]): string {
  return offered.length === 0 ? 'no GPU resource is offered at the moment' : `what is offered: ${offered.join(', ')}`;
}

/** How many instances of a resource's profile are on a node's device. */
function slicesOf({ partition }: GpuNode, resource: string): number {
  const gpus = partition?.status?.device?.gpus ?? [];
  return gpus.flatMap(({ instances }) => instances).filter(({ profile }) => isResourceOf(resource, profile)).length;
}

/** The GPU without an answer that has, or is to have, instances of a resource's profile, unless one that answers has some too. */
function lostGpuFor(gpuNode: GpuNode, resource: string): GpuReport | undefined {
  const wishes = wishesOf(gpuNode);
  const gpus = (gpuNode.partition?.status?.device?.gpus ?? []).filter(
    ({ uuid, instances }) =>
      instances.some(({ profile }) => isResourceOf(resource, profile)) ||
      wishes.some((wish) => wish.uuid === uuid && countWished(wish, resource) > 0),
  );
  return gpus.every(({ error }) => error !== undefined) ? gpus[0] : undefined;
}

/** How many instances of a resource's profile a node is to have by its policy, on GPUs that answer. */
function wishedSlices(gpuNode: GpuNode, resource: string): number {
  const { gpus = [] } = gpuNode.partition?.status?.device ?? {};
  const lost = new Set(gpus.flatMap(({ uuid, error }) => (error === undefined ? [] : [uuid])));
  return wishesOf(gpuNode).reduce((sum, wish) => sum + (lost.has(wish.uuid) ? 0 : countWished(wish, resource)), 0);
}

function wishesOf({ partition, policy }: GpuNode): readonly GpuWish[] {
  return isPlanned(policy) ? [] : (partition?.spec.wish?.gpus ?? []);
}

function countWished({ profiles = {} }: GpuWish, resource: string): number {
  return Object.entries(profiles).reduce(
    (sum, [profile, count]) => sum + (isResourceOf(resource, profile) ? count : 0),
    0,
  );
}

/** Lists all GPU resources that are offered anywhere now. */
function listOffered(nodes: readonly GpuNode[]): readonly string[] {
  const names = nodes.flatMap(({ offers }) =>
    Object.entries(offers).flatMap(([name, amount]) => (amount > 0 ? [name] : [])),
  );
  return [...new Set(names)].toSorted();
}
