// Room explain: why something waits or is wasted and what would help, in words, from the facts of a cluster at one time.
// Ask here why a pod or a claim is where it is, why a pod does not exist, and which pods wait for GPUs.
import {
  isGpuResource,
  hasEnded,
  podName,
  type PodView,
  type EventView,
  lastSeen,
  ownDevicesOf,
  type ResourceClaimView,
} from '../kubernetes/pod.ts';
import { listLosses } from '../device/holders.ts';
import { unreadUntil, findNamedDevice } from '../device/holders.ts';
import { namespacedName, cutGenerateName, wholeUnits } from '../text/syntax.ts';
import { userKey } from '../gpu/device-state.ts';
import {
  asksForGpu,
  listClaimNames,
  type PodRequests,
  readRequests,
  wantedResources,
  isAllocated,
  nameDevices,
  isUnbound,
} from './claims.ts';
import { type ClusterFacts, listGpuNodes } from '../cluster/facts.ts';
import { type BlockerKind, explainUnoffered, judgeNodes, type NameFinding, type NodeVerdict } from './node-verdict.ts';
import { outlookHere } from '../demand/pod-outlook.ts';
import { listSuggestions } from './suggestions.ts';
import { compareText } from '../text/json.ts';

type ExplanationCode =
  | 'Bound'
  | 'DeviceLost'
  | 'NotStarted'
  | 'Rejected'
  | 'Ended'
  | 'Terminating'
  | 'Gated'
  | 'NoGpuAsked'
  | 'AsksByClaim'
  | 'NoScheduler'
  | 'NoGpuNodes'
  | 'Nominated'
  | 'SchedulerSays'
  | NameFinding['code']
  | BlockerKind;

/** Why a pod is where it is. */
export interface PodExplanation {
  readonly pod: string;
  /** Whether the pod waits for something that keeps it from running. */
  readonly isPending: boolean;
  readonly code: ExplanationCode;
  readonly message: string;
  /** GPU nodes and what keeps the pod from each, the nearest first. */
  readonly nodes: readonly { readonly node: string; readonly blockers: readonly string[] }[];
  readonly suggestions: ReturnType<typeof listSuggestions>;
}

type Finding = Pick<PodExplanation, 'isPending' | 'code' | 'message'>;

/** Explains why a pod is pending, and what would let it run. */
export function explainPod(pod: PodView, facts: ClusterFacts): PodExplanation {
  const name = podName(pod);
  const known = explainState(pod, facts);
  if (known) return { pod: name, ...known, nodes: [], suggestions: [] };
  const requests = readRequests(pod, facts, (name) => name.startsWith('nvidia.com/') || isGpuResource(name));
  const nodes = listGpuNodes(facts);
  const verdicts = judgeNodes(pod, nodes, requests, facts);
  const finding = explainWait(pod, requests, verdicts);
  const suggestions = listSuggestions(verdicts, wantedResources(requests, nodes));
  const told = verdicts.map(({ gpuNode, blockers }) => ({
    node: gpuNode.name,
    blockers: blockers.map(({ message }) => message),
  }));
  return { pod: name, ...finding, nodes: told, suggestions };
}

/** What the pod's own state shows, regardless of the cluster. */
function explainState(pod: PodView, facts: ClusterFacts): Finding | undefined {
  const { spec, status, metadata } = pod;
  const say = (code: ExplanationCode, message: string, isPending = true): Finding => ({ isPending, code, message });
  if (status?.phase === 'Failed' && status.reason !== undefined && spec?.nodeName !== undefined) {
    const words = status.message === undefined ? '' : `: ${status.message}`;
    return say(
      'Rejected',
      `node ${spec.nodeName} rejected or evicted it (${status.reason})${words}; its controller must create another`,
    );
  }
  if (hasEnded(pod)) return say('Ended', `it has ended (${status?.phase}) and requests nothing`, false);
  if (metadata.deletionTimestamp !== undefined) return say('Terminating', 'it is being deleted', false);
  if (spec?.nodeName !== undefined) {
    const waiting = status?.containerStatuses?.find(({ state }) => state?.waiting?.reason !== undefined);
    const held = describeHeld(pod, facts);
    const lost = explainLoss(pod, facts);
    if (lost !== undefined)
      return say('DeviceLost', `it is on node ${spec.nodeName}${held}; ${lost}: delete it`, false);
    if (!waiting) return say('Bound', `it is on node ${spec.nodeName} (${status?.phase ?? 'Pending'})${held}`, false);
    const { reason, message } = waiting.state?.waiting ?? {};
    const words = message === undefined ? '' : `: ${message}`;
    return say(
      'NotStarted',
      `it has its GPU on node ${spec.nodeName}${held}; container ${waiting.name} waits: ${reason}${words}`,
    );
  }
  const gates = (spec?.schedulingGates ?? []).map((gate) => gate.name);
  if (gates.length > 0) {
    return say(
      'Gated',
      `it is held back by its scheduling gate${gates.length > 1 ? 's' : ''} ${gates.join(', ')}, until whoever set it removes it`,
    );
  }
  return undefined;
}

function explainWait(
  pod: PodView,
  { unclear, requests, allocated, all, words: what }: PodRequests,
  verdicts: readonly NodeVerdict[],
): Finding {
  const say = (code: ExplanationCode, message: string): Finding => ({ isPending: true, code, message });
  const word = pod.status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message;
  if (unclear.length > 0) {
    return say('AsksByClaim', `it requests devices by claim: ${unclear.join('; ')}${scheduler(word)}`);
  }
  if (all.size + requests.length + allocated.length === 0) {
    return say('NoGpuAsked', `it requests no GPU resource, so it does not wait for a partition${scheduler(word)}`);
  }
  if (verdicts.length === 0) return say('NoGpuNodes', `it requests ${what}, and no node reports a GPU`);
  const unoffered = explainUnoffered(all.keys(), verdicts);
  if (unoffered !== undefined) return say(unoffered.code, unoffered.message);
  const [nearest] = verdicts;
  const [first] = nearest?.blockers ?? [];
  if (!nearest || !first) return explainRoom(pod, word, nearest);
  const alike = verdicts.filter(({ blockers }) => blockers[0]?.kind === first.kind).length;
  const others = verdicts.length > 1 ? ` (${alike} of ${verdicts.length} GPU nodes: ${kindWords[first.kind]})` : '';
  return say(
    first.kind,
    `it requests ${what}; the nearest is node ${nearest.gpuNode.name}: ${nearest.blockers.map(({ message }) => message).join('; ')}${others}`,
  );
}

/** Explains a pod for which some node meets everything that is checked here. */
function explainRoom(pod: PodView, word: string | undefined, nearest: NodeVerdict | undefined): Finding {
  const node = nearest?.gpuNode.name ?? '';
  const { nominatedNodeName } = pod.status ?? {};
  if (nominatedNodeName) {
    const message = `it waits for pods of lower priority to leave node ${nominatedNodeName}, where it goes next`;
    return { isPending: true, code: 'Nominated', message };
  }
  const hasScheduler = pod.status?.conditions?.some(({ type }) => type === 'PodScheduled') === true;
  if (!hasScheduler) {
    const name = pod.spec?.schedulerName ?? 'default-scheduler';
    const message = `node ${node} has room for it, but scheduler ${name} has not processed it: is it running?`;
    return { isPending: true, code: 'NoScheduler', message };
  }
  return { isPending: true, code: 'SchedulerSays', message: `node ${node} has its GPUs free${scheduler(word)}` };
}

/** `, with gpu-0 of node n by claim team/train-gpu` */
function describeHeld(pod: PodView, { claims = [] }: ClusterFacts): string {
  const names = listClaimNames(pod);
  const own = claims.filter((one) => isAllocated(one) && names.includes(namespacedName(one.metadata)));
  return own.map((one) => `, with ${nameDevices(one)} by claim ${namespacedName(one.metadata)}`).join('');
}

/** A reading that is older than the pod tells of an earlier one of its name. */
function explainLoss(pod: PodView, { partitions }: ClusterFacts): string | undefined {
  const { device } = partitions.find(({ metadata }) => metadata.name === pod.spec?.nodeName)?.status ?? {};
  return unreadUntil(pod, device) === undefined ? listLosses(device, [pod])[0]?.why : undefined;
}

function scheduler(word: string | undefined): string {
  return word === undefined || word === '' ? '' : `; the scheduler reports: ${word}`;
}

const kindWords: Readonly<Record<BlockerKind, string>> = {
  Selector: 'its labels do not match',
  NotReady: 'not ready',
  Cordoned: 'cordoned',
  Tainted: 'a taint that the pod does not tolerate',
  Changing: 'closed for a change',
  NotAdvertised: 'its slices are not on offer',
  ClaimElsewhere: 'its claim has a device of another node',
  NotOffered: 'not offered',
  TooMany: 'too few in total',
  Full: 'all in use',
  OtherResource: 'not enough of another resource',
};

/** The part of an Event that tells why a controller could not create a pod. */
interface CreationEvent extends EventView {
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
}

/** The part of a ResourceQuota that tells what is left. */
interface QuotaView {
  readonly metadata: { readonly name: string };
  readonly status?: {
    readonly hard?: Readonly<Record<string, string>>;
    readonly used?: Readonly<Record<string, string>>;
  };
}

/**
 * Why a pod does not exist: its controller was refused one, by a quota or an admission policy. Undefined if nothing shows this.
 *
 * @param events of the pod's namespace
 */
export function explainMissing(
  pod: string,
  events: readonly CreationEvent[],
  quotas: readonly QuotaView[],
): string | undefined {
  const [refused] = events
    .filter(({ reason, involvedObject }) => reason === 'FailedCreate' && isRelated(pod, involvedObject?.name ?? ''))
    .toSorted((a, b) => compareText(lastSeen(b), lastSeen(a)));
  const full = quotas.flatMap(({ metadata, status }) =>
    Object.entries(status?.hard ?? {}).flatMap(([key, hard]) => {
      const resource = key.replace(/^(requests|limits)\./, '');
      const used = status?.used?.[key] ?? '0';
      return isGpuResource(resource) && wholeUnits(used) >= wholeUnits(hard)
        ? [`quota ${metadata.name} is used up: ${used} of ${hard} ${key}`]
        : [];
    }),
  );
  const refusal = refused?.message;
  const words =
    refusal === undefined
      ? []
      : [
          `${refused?.involvedObject?.kind ?? 'a controller'} ${refused?.involvedObject?.name ?? ''} cannot create it: ${refusal}`,
        ];
  const all = [...words, ...full];
  return all.length === 0 ? undefined : all.join('; ');
}

/** Whether a controller's pods have such names, or a Deployment of this name has such a ReplicaSet. */
function isRelated(pod: string, owner: string): boolean {
  if (owner === '') return false;
  return pod === owner || pod.startsWith(cutGenerateName(`${owner}-`)) || owner.startsWith(`${pod}-`);
}

/** Pods that wait alike, and why. */
interface WaitingGroup extends Pick<PodExplanation, 'code' | 'message' | 'suggestions'> {
  /** What demands offer the first of the pods. */
  readonly demands: ReturnType<typeof outlookHere>;
  readonly count: number;
  /** The first of them, as NAMESPACE/NAME. */
  readonly pods: readonly string[];
  /** `1 nvidia.com/mig-3g.20gb`, `1 device of DeviceClass mig.nvidia.com by ResourceClaimTemplate small` */
  readonly asks: string;
}

/** Pods that wait for a GPU, or a slice of one, by a resource or by a claim. */
interface WaitingPods {
  readonly count: number;
  /** Why they wait; those that ask alike are explained once. */
  readonly explain: () => readonly WaitingGroup[];
}

/** The most groups that are explained: explaining a pod looks at each node. */
const mostGroups = 30;
const mostPods = 10;

/** Finds the pods that wait for GPUs; undefined if the user may not list pods. */
export function findWaiting(facts: ClusterFacts): WaitingPods | undefined {
  if (facts.pods === undefined) return undefined;
  const dra = listGpuNodes(facts).filter(({ isDra }) => isDra);
  const pods = facts.pods.filter((pod) => isUnbound(pod) && asksForGpu(pod, facts, dra));
  return { count: pods.length, explain: () => explainWaiting(pods, facts) };
}

/** Fields of a pod's spec that decide, besides its requests, why it waits. */
const decidingFields = [
  'resourceClaims',
  'nodeSelector',
  'affinity',
  'tolerations',
  'schedulingGates',
  'schedulerName',
] as const;

function explainWaiting(waiting: readonly PodView[], facts: ClusterFacts): readonly WaitingGroup[] {
  const alike = Map.groupBy(waiting, ({ metadata, spec, status }) => {
    const asks = spec?.containers?.map(({ resources }) => resources) ?? [];
    const words = (status?.conditions ?? []).map(({ type, message }) => [type, message]);
    return JSON.stringify([metadata.namespace, asks, decidingFields.map((field) => spec?.[field]), words]);
  });
  return [...alike.values()]
    .toSorted((a, b) => b.length - a.length)
    .slice(0, mostGroups)
    .flatMap((pods): readonly WaitingGroup[] => {
      const [first] = pods;
      if (!first) return [];
      const { isPending, code, message, suggestions } = explainPod(first, facts);
      const { words: asks } = readRequests(first, facts, isGpuResource);
      const names = pods.map(podName).toSorted().slice(0, mostPods);
      const demands = isPending ? outlookHere(first, facts) : [];
      return [{ code, message, demands, suggestions, count: pods.length, pods: names, asks }];
    });
}

type ClaimCode = 'Allocated' | 'OtherDriver' | 'DeviceGone' | 'Unused' | PodExplanation['code'];

/** Why a ResourceClaim is where it is. */
export interface ClaimExplanation extends Pick<PodExplanation, 'nodes' | 'suggestions'> {
  /** `NAMESPACE/NAME` */
  readonly claim: string;
  /** Whether it waits for devices, or a pod waits for them in vain. */
  readonly isPending: boolean;
  readonly code: ClaimCode;
  readonly message: string;
  /** Pods that use it, or ask for it. */
  readonly pods: readonly string[];
  /** The GPUs that it has; none while it is pending. */
  readonly devices: readonly ClaimedSlice[];
}

/** A device of a claim, and what it is by the report of its node's agent. */
interface ClaimedSlice {
  readonly node: string;
  readonly device: string;
  /** `GPU 0: 1g.5gb at 0`, `GPU 0`; absent if the node does not have it, or its agent has not reported. */
  readonly place?: string;
  /** The node does not have it: no pod that uses the claim can start. */
  readonly isGone?: true;
  /** The plan of the node destroys it. */
  readonly isGoing?: true;
  /** True if the claim has admin access: it looks on, others use the device. */
  readonly looksOn?: true;
}

/** Explains where a claim's devices are and who uses them, or why it has none yet and what would give it some. */
export function explainClaim(claim: ResourceClaimView, facts: ClusterFacts): ClaimExplanation {
  const name = namespacedName(claim.metadata);
  const asking = (facts.pods ?? []).filter((pod) => !hasEnded(pod) && listClaimNames(pod).includes(name));
  const reserved = (claim.status?.reservedFor ?? []).map((one) =>
    one.resource === 'pods'
      ? namespacedName({ ...claim.metadata, name: one.name })
      : `${one.resource} ${namespacedName({ ...claim.metadata, name: one.name })}`,
  );
  const pods = [...new Set([...reserved, ...asking.map(podName)])].toSorted();
  const base = { claim: name, pods, devices: ownDevicesOf(claim).map((one) => describeDevice(one, facts)) };
  if (isAllocated(claim))
    return { ...base, nodes: [], suggestions: [], ...explainUse(claim, base.devices, reserved, asking) };
  const [pod] = asking;
  const { isPending, code, message, nodes, suggestions } = explainPod(pod ?? imagineUser(claim), facts);
  if (pod !== undefined) {
    const more = asking.length > 1 ? ` (and ${asking.length - 1} more)` : '';
    return {
      ...base,
      isPending,
      code,
      message: `it waits with pod ${podName(pod)}${more}: ${message}`,
      nodes,
      suggestions,
    };
  }
  if (facts.pods === undefined) return { ...base, isPending, code, message, nodes, suggestions };
  // Of an imagined pod, which no scheduler has seen, that is what a node with room is told by.
  const open =
    code === 'NoScheduler' ? nodes.filter(({ blockers }) => blockers.length === 0).map(({ node }) => node) : [];
  const where =
    open.length > 0 ? `; ${open.length === 1 ? 'node' : 'nodes'} ${open.join(', ')} could serve it` : `; ${message}`;
  const unused = `no pod asks for it, and the scheduler allocates a claim only for a pod${where}`;
  return { ...base, isPending: true, code: 'Unused', message: unused, nodes, suggestions };
}

/** A pod that asks for the claim and for nothing else. */
function imagineUser({ metadata: { name, namespace } }: ResourceClaimView): PodView {
  return {
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    spec: { resourceClaims: [{ name, resourceClaimName: name }] },
  };
}

function describeDevice(
  { pool, device, adminAccess }: ReturnType<typeof ownDevicesOf>[number],
  { partitions }: ClusterFacts,
): ClaimedSlice {
  const base = { node: pool, device, ...(adminAccess === true && { looksOn: true as const }) };
  const { gpus, plan } = partitions.find(({ metadata }) => metadata.name === pool)?.status?.device ?? {};
  if (gpus === undefined) return base;
  const found = findNamedDevice(device, { gpus });
  if (!found) return { ...base, isGone: true };
  const { gpu, instance } = found;
  const isGoing = plan?.drains?.includes(userKey(gpu.uuid, instance)) === true;
  const slice = instance ? `: ${instance.profile} at ${instance.start}` : '';
  return { ...base, place: `GPU ${gpu.index}${slice}`, ...(isGoing && { isGoing }) };
}

function explainUse(
  claim: ResourceClaimView,
  devices: readonly ClaimedSlice[],
  reserved: readonly string[],
  asking: readonly PodView[],
): Pick<ClaimExplanation, 'isPending' | 'code' | 'message'> {
  if (devices.length === 0) {
    const drivers = new Set((claim.status?.allocation?.devices?.results ?? []).map(({ driver }) => driver));
    const message = `it is allocated, without a GPU: its devices are of ${[...drivers].join(', ') || 'no driver'}`;
    return { isPending: false, code: 'OtherDriver', message };
  }
  const users = reserved.map((user) => {
    const pod = asking.find((one) => podName(one) === user);
    const phase = pod?.status?.phase;
    return phase === undefined ? user : `${user} (${phase})`;
  });
  const use =
    users.length > 0
      ? `used by ${users.join(', ')}`
      : 'used by no pod, though it keeps it from others: delete the claim if no pod is to use it';
  const gone = devices.find(({ isGone }) => isGone);
  if (gone) {
    const message =
      `it has ${nameDevices(claim)}, and node ${gone.node} does not have ${gone.device}: no pod that uses it can start; ` +
      `delete ${users.length > 0 ? 'its pods and the claim' : 'the claim'}, so that another device is allocated; ${use}`;
    return { isPending: true, code: 'DeviceGone', message };
  }
  const named = devices.map(({ node, device, place, looksOn, isGoing }) => {
    const slice = place === undefined ? '' : ` (${place})`;
    const how = looksOn ? ', with admin access' : '';
    return `${device} of node ${node}${slice}${how}${isGoing ? ', which the plan of the node destroys' : ''}`;
  });
  return { isPending: false, code: 'Allocated', message: `it has ${named.join(', ')}; ${use}` };
}
