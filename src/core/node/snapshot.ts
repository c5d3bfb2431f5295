import type { GpuNodePartition, NodePartitionSpec } from '../../api/types.ts';
import { type ResourceClaimView, type ResourceSliceView, listSliceDevices } from '../kubernetes/claims.ts';
import type { GpuClient, LabelSelector } from '../nvidia/plugin-pods.ts';
import { type PodView, isReady, podName } from '../kubernetes/pod.ts';
import type { FateFacts } from '../kubernetes/eviction.ts';
import { type ReportedPods, publishDevices } from '../device/holders.ts';
import type { NodePolicy } from '../policy/decide-policy.ts';
import type { ReadGenerations } from '../policy/versions.ts';
import type { Slot } from '../rollout/budget.ts';
import { type NodeView, isUnfinished } from '../kubernetes/node.ts';
import { advertisedResources, compareSlices, type SliceOffer } from './offer.ts';
import { cutText } from '../text/words.ts';

/** The agent's pod of a node, by its watch: its readiness is a sign of life that costs no write. */
export type AgentView =
  | { readonly state: 'Ready' }
  /** `why`: the pod and what the kubelet reports of it. */
  | { readonly state: 'NotReady'; readonly why: string }
  | { readonly state: 'Missing' };

/** The ConfigMap of the device plugin's config files; absent files: it could not be read. */
export type ConfigFiles =
  | { readonly state: 'Read'; readonly files: Readonly<Record<string, unknown>> }
  | { readonly state: 'Unreadable'; readonly why: string };

/** Times and names that the administrator may choose. */
export interface NodeSettings {
  /** Time for a pod that the scheduler was binding when the node was closed to show up, in ms. */
  readonly settleMs: number;
  /** How long an agent may take for a grant, in ms. */
  readonly deadlineMs: number;
  /** How often the pods of a node that waits for them are listed, in ms. */
  readonly waitingPollMs: number;
  /** How long a device plugin may take to follow a change by itself before its pod is replaced, in ms. */
  readonly refreshAfterMs: number;
  /** Whether the agent signals the plugin's process, or its pod is replaced at once. */
  readonly pluginRefresh: 'Signal' | 'Evict';
  /** Whether a change of what the kubelet offers is written into the node's status at once, or the kubelet does so within 10 s. */
  readonly nodeStatus: 'Write' | 'Wait';
  /** Whether resources of earlier layouts are removed from a node's status, where the kubelet leaves them at 0. */
  readonly tidyNodeStatus: boolean;
  /** How long a layout may take to be advertised, and labels to be correct, before the node counts as failed, in ms. */
  readonly advertiseDeadlineMs: number;
  /** How long to wait for the pods of GPU clients that were told to go, in ms. */
  readonly clientsDeadlineMs: number;
  readonly gpuClients: readonly GpuClient[];
  /** The controller's own; absent: agents of any version are granted changes. */
  readonly version?: string;
  /** Namespaces in which the device plugin, other holders and other owners of GPUs run; see `systemPods`. */
  readonly systemNamespaces: readonly string[];
  /** Whether a node is left alone whose device plugin has no pod that we know: nobody may restart it after a change. */
  readonly refusesUnknownPlugin?: boolean;
  /** Labels of a device plugin's pods besides NVIDIA's own. */
  readonly pluginSelector?: LabelSelector | undefined;
  /** The ConfigMap of the device plugin's config files; absent: they belong to the administrator. */
  readonly pluginConfigMap?: { readonly namespace: string; readonly name: string } | undefined;
}

export interface FreshRead extends ReportedPods {
  /** Generations of the policy that decides; undefined if it no longer exists. */
  readonly policy: ReadGenerations | undefined;
  /** The node's slot in that policy's ledger; undefined if it has none. */
  readonly slot: Slot | undefined;
  /** ResourceSlices of this node. */
  readonly resourceSlices: readonly ResourceSliceView[];
  /** Claims of all nodes; undefined: not listed, as nothing that is handed out by claims is to go. */
  readonly claims?: readonly ResourceClaimView[] | undefined;
  /** What the fate of the pods depends on that have to go; undefined: not read. */
  readonly drain?: FateFacts;
}

/** Whether the API server serves `resource.k8s.io/v1`. */
export type DraApi = 'Served' | 'Missing';

/** Everything that was read of one node. The decision rests on nothing else. */
export interface NodeSnapshot {
  /** Milliseconds since the epoch, by a clock that never jumps. */
  readonly now: number;
  readonly node: NodeView;
  /** The node's partition; undefined if it has not been created yet. */
  readonly partition: GpuNodePartition | undefined;
  /** The policy that decides over the node, and those that would. */
  readonly claim: NodePolicy;
  /** The node's slot in the ledger of the policy that decides, if it was given for this generation. */
  readonly slot: Slot | undefined;
  readonly agent: AgentView;
  readonly settings: NodeSettings;
  /** The node's pods, listed just now; undefined: not listed. */
  readonly pods?: readonly PodView[];
  /** The node's ResourceSlices, listed just now; undefined: not listed, as no policy may hand its GPUs out by them. */
  readonly slices?: readonly ResourceSliceView[] | undefined;
  /** Whether the cluster has the API of claims; undefined: not known. */
  readonly draApi?: DraApi | undefined;
  /** Whether the watch of ResourceSlices has any of this node; absent where they are not watched. */
  readonly hasSlices?: boolean;
  /** The files that device plugins may be told to use; undefined: not read, or not ours to write. */
  readonly configFiles?: ConfigFiles | undefined;
  /**
   * Occupancy if everything above, the policy included, was read from the API server itself just now: what cannot be undone is decided
   * on nothing less.
   */
  readonly fresh?: FreshRead;
  /** True if at least the node and its partition were read from the API server itself just now. */
  readonly isCurrent?: true;
}

/**
 * What must be read before a decision. `Pods`: pods, config files, and with backend DRA or Auto the node's slices. `Node`: node and
 * partition, from the API server itself. `All`: everything, from there. `Drain`: also what decides the fate of the pods that must go.
 */
export type Needed = 'Pods' | 'Node' | 'All' | 'Drain';

export type Backend = NonNullable<NodePartitionSpec['backend']>;

type Planned = Pick<NodeSnapshot, 'node' | 'claim' | 'slices' | 'hasSlices'> & {
  readonly partition: GpuNodePartition | undefined;
};

/**
 * How a node's GPUs are handed out: by its policy, else as they last were. With Auto as was found, until then as by the device plugin. An
 * edit counts when what the previous stack may still offer is gone: of the device plugin, in the middle of a change; of the DRA driver,
 * always, as a reboot may leave its slices behind.
 */
export function backendOf(planned: Planned): Backend {
  const { partition } = planned;
  const { winner } = planned.claim;
  const known = partition?.spec.backend ?? 'DevicePlugin';
  if (winner === undefined) return hasChangedHands(planned, known) ? otherThan(known) : known;
  const asked = winner.spec.backend ?? 'DevicePlugin';
  return asked === 'Auto' || mayOffer(planned, known) ? known : asked;
}

/** Whether what has handed a node's GPUs out may offer what is gone. What was not read may be there. */
function mayOffer({ node, partition, slices }: Planned, known: Backend): boolean {
  if (known === 'DRA') return publishesAny(slices);
  return partition?.spec.granted !== undefined && isUnfinished(node) && offersAny(node);
}

/** Whether, on a node that no policy decides over any more, only the other one is there: nothing will come from the one that is known. */
function hasChangedHands({ node, partition, slices, hasSlices }: Planned, known: Backend): boolean {
  if (known === 'DRA') return !publishesAny(slices) && offersAny(node);
  return hasSlices === true && !offersAny(node) && keepsNothing(partition);
}

/** Whether the kubelet offers no resource. What the API server shows may be the zero of a node that is closed. */
function keepsNothing(partition: GpuNodePartition | undefined): boolean {
  const { advertised } = partition?.status?.device ?? {};
  return advertised?.stale === 0 && Object.values(advertised.resources ?? {}).every((count) => count === 0);
}

function otherThan(backend: Backend): Backend {
  return backend === 'DRA' ? 'DevicePlugin' : 'DRA';
}

function publishesAny(slices: NodeSnapshot['slices']): boolean {
  return slices === undefined || listSliceDevices(slices).length > 0;
}

function offersAny(node: NodeSnapshot['node']): boolean {
  return Object.keys(advertisedResources(node.status?.allocatable ?? {})).length > 0;
}

/** Whether a node's policy has its backend found out. */
export function isFoundOut({ claim }: Pick<NodeSnapshot, 'claim'>): boolean {
  return claim.winner?.spec.backend === 'Auto';
}

/**
 * Whether it matters for a node's plan for whom claims have devices: nothing else tells which pods only look on, and need not be waited
 * for. Nor does anything else tell what the claims of pods are for where a device plugin has come in the driver's place.
 */
export function asksForClaims(planned: Planned): boolean {
  const { create = 0 } = planned.partition?.status?.device?.plan ?? {};
  const mayChangeHands = isFoundOut(planned) && offersAny(planned.node);
  return takesFromClaims(planned) || (backendOf(planned) === 'DRA' && (create > 0 || mayChangeHands));
}

/** Whether a node's plan takes devices away that claims may have: some go, or pods that hold some have to, or every pod that uses a GPU. */
export function takesFromClaims(planned: Planned): boolean {
  const { claim, partition } = planned;
  if (backendOf(planned) !== 'DRA') return false;
  const { destroy = 0, modeChanges = 0, affectedPods = [] } = partition?.status?.device?.plan ?? {};
  return destroy + modeChanges + affectedPods.length > 0 || claim.winner?.spec.drain?.scope === 'Node';
}

/** What keeps the slices of a layout on offer, in messages. */
export function nameBackend(backend: Backend): string {
  switch (backend) {
    case 'DevicePlugin':
      return 'device plugin';
    case 'DRA':
      return 'DRA driver';
  }
}

/** What the DRA driver offers of the device as it is; undefined if its slices have not been read, or are not what counts. */
export function sliceOfferOf(
  known: Pick<NodeSnapshot, 'node' | 'slices' | 'claim'> & { readonly partition: GpuNodePartition },
): SliceOffer | undefined {
  const { slices, partition } = known;
  if (slices === undefined || backendOf(known) !== 'DRA') return undefined;
  return compareSlices(slices, publishDevices(partition.status?.device ?? {}).devices);
}

/** @param all the pods of one node's agent */
export function viewAgent(all: readonly PodView[]): AgentView {
  const pods = all.filter(({ metadata }) => !metadata.deletionTimestamp);
  const [first] = pods;
  if (!first) return { state: 'Missing' };
  if (pods.some(isReady)) return { state: 'Ready' };
  return { state: 'NotReady', why: describePod(first) };
}

function describePod(pod: PodView): string {
  const { status } = pod;
  const waiting = status?.containerStatuses?.[0]?.state?.waiting;
  const why = waiting
    ? [waiting.reason, waiting.message].filter((text) => text !== undefined && text !== '').join(': ')
    : (status?.conditions?.[0]?.message ?? `phase ${status?.phase ?? 'unknown'}`);
  return `pod ${podName(pod)} (${cutText(why, 200)})`;
}
