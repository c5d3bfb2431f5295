import type { GpuReport, ModelReport } from '../../api/types.ts';
import { GPU_RESOURCE, migResourceName } from '../nvidia/labels.ts';
import { namespacedName, parseQuantity } from '../text/syntax.ts';
import { type ClaimableDevice, listDevices } from '../cluster/claim-devices.ts';
import {
  type ClusterFacts,
  type GpuNode,
  isDra,
  lostGpuFor,
  offerOf,
  slicesOf,
  strategyOf,
  useOf,
  wishedSlices,
} from '../cluster/facts.ts';
import {
  type ChoiceFit,
  type ClaimRequest,
  type DeviceChoice,
  fitChoice,
  type ClaimRequests,
} from '../cluster/claim-requests.ts';
import { repartitioningTaint, startupTaintKeys } from '../../api/names.ts';
import { isUnanswered } from '../device/grants.ts';
import {
  type ResourceClaimView,
  gpuDriver,
  nameDevices,
  ownDevicesOf,
  type SelectableDevice,
} from '../kubernetes/claims.ts';
import { countWords } from '../text/words.ts';
import { isOffered, listNeeds } from '../cluster/judge.ts';
import { otherNameOf } from './cluster.ts';
import { listMismatches } from '../kubernetes/selectors.ts';
import { requestOf, type PodView, tolerates } from '../kubernetes/pod.ts';

/** Beyond this many combinations of alternatives, requests that fit one by one count as fitting together. */
const mostCombinations = 1000;

/** What keeps a node from the requests of claims; none if of each one choice is free there, beside those of the others. */
function judgeRequests(gpuNode: GpuNode, requests: readonly ClaimRequest[], facts: ClusterFacts): readonly Blocker[] {
  if (requests.length === 0) return [];
  if (!isDra(gpuNode))
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
  const possible = nodes.filter(isDra).flatMap(({ partition }) => listPossible(partition?.status?.device ?? {}));
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

/** What keeps a pod from a node, the firmest first. */
export const blockerKinds = [
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

/** @param asked GPU resources that the pod requests, and how many */
export function judgeNode(
  pod: PodView,
  gpuNode: GpuNode,
  asked: ReadonlyMap<string, number>,
  claims: ClaimRequests,
  facts: ClusterFacts,
): NodeVerdict {
  const mismatches = listMismatches(pod.spec, gpuNode.name, gpuNode.labels);
  const found = [
    ...mismatches.map((one): Blocker => ({ kind: 'Selector', message: describeMismatch(one) })),
    ...listClosings(pod, gpuNode),
    ...[...asked].flatMap(
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
  return isHere ? [] : [{ kind: 'ClaimElsewhere', message: describeAllocated(claim) }];
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
  { asked }: ClaimRequests,
  { classes }: ClusterFacts,
): readonly Blocker[] | undefined {
  const offered = offerOf(gpuNode, resource);
  if (offered === 0) return undefined;
  if (!isDra(gpuNode)) {
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
  const offered = offerOf(gpuNode, resource);
  if (offered === 0) return [explainAbsence(gpuNode, resource)];
  if (amount > offered) {
    const message = `the pod requests ${amount} ${resource}, and the node has ${offered} in total`;
    return [{ kind: 'TooMany', message }];
  }
  const { used, holders } = useOf(gpuNode, resource);
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
  const hasOtherName = offerOf(gpuNode, otherNameOf(resource)) > 0;
  const there = hasOtherName ? 0 : slicesOf(gpuNode, resource);
  const isSingle = strategyOf(gpuNode) === 'single';
  const lost = lostGpuFor(gpuNode, resource);
  const why = lost === undefined ? '' : `: GPU ${lost.index} does not answer (${lost.error ?? ''})`;
  if (there > 0 && !isSingle && partition?.status?.phase === 'Ready') {
    const message = isDra(gpuNode)
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
function judgeOthers(pod: PodView, { node, pods }: GpuNode, { classes = [] }: ClusterFacts): readonly Blocker[] {
  const { allocatable } = node.status ?? {};
  return listNeeds(pod).flatMap(([resource, amount]): readonly Blocker[] => {
    // A DeviceClass stands for it.
    if (classes.some(({ spec }) => spec?.extendedResourceName === resource)) return [];
    if (!isOffered(node, resource)) return [{ kind: 'OtherResource', message: `it has no ${resource}` }];
    const offered = allocatable?.[resource];
    if (offered === undefined) return [];
    const used = (pods ?? []).reduce((sum, one) => sum + requestOf(one, resource), 0n);
    const total = parseQuantity(offered) ?? 0n;
    if (used + amount <= total) return [];
    return [
      {
        kind: 'OtherResource',
        message: `not enough ${resource}: ${offered} in total, ${percent(used, total)} % requested by others`,
      },
    ];
  });
}

function percent(part: bigint, whole: bigint): string {
  return whole === 0n ? '0' : String((part * 100n) / whole);
}

/** `claim team/train has gpu-0-mig-1g5gb-19-0 of node n` */
export function describeAllocated(claim: ResourceClaimView): string {
  return `claim ${namespacedName(claim.metadata)} has ${nameDevices(claim)}`;
}

/** `pool is training, and the pod wants inference` */
export function describeMismatch({ key, wanted, found }: ReturnType<typeof listMismatches>[number]): string {
  return `${key} is ${found === undefined ? 'absent' : found === '' ? 'empty' : found}, and the pod wants ${wanted}`;
}
