// Room node: what happens on one node: the commands that bring it to its policy, what is remembered and told of it, and what is counted.
// Ask here what has to be read of a node, what a decision rests on, and what its object alone says of it.
import type { GpuNodePartition, GpuPartitionPolicy, NodePartitionSpec, PolicySpec, Wish } from '../../api/types.ts';
import type { GpuClient, LabelSelector } from './plugin-pods.ts';
import type { PodView, ResourceClaimView, ResourceSliceView } from '../kubernetes/pod.ts';
import type { FateFacts } from './eviction.ts';
import type { NodePolicy } from '../policy/fleet.ts';
import { PolicyRecord } from '../policy/record.ts';
import { type Slot, slotIn } from '../rollout/budget.ts';
import { type NodeView, type Taint, pickLabels } from '../kubernetes/node.ts';
import { advertisedResources, compareSlices, type SliceOffer, listSliceDevices } from './offer.ts';
import { deviceMeets } from '../device/plan.ts';
import { listLosers, listReportedPods, publishDevices } from '../device/holders.ts';
import { devicePluginConfigLabel } from '../nvidia/labels.ts';
import {
  deployLabelPrefix,
  repartitioningTaint,
  startupTaintKeys,
  restartedValue,
  stateLabel,
} from '../../api/names.ts';

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
  /** Whether nodes have the condition GpuPartitionReady, for other programs' gates. */
  readonly nodeCondition: boolean;
  /** How long a layout may take to be advertised, and labels to be correct, before the node counts as failed, in ms. */
  readonly advertiseDeadlineMs: number;
  /** How long to wait for the pods of GPU clients that were told to go, in ms. */
  readonly clientsDeadlineMs: number;
  /** Programs that hold GPUs unasked; absent: those of gpu-operator. */
  readonly gpuClients?: readonly GpuClient[] | undefined;
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

/** Generations of a policy: which its author wrote last, and which its nodes are told. */
interface PolicyGenerations {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  readonly told: number | undefined;
}

function generationsOf(policy: GpuPartitionPolicy): PolicyGenerations {
  const { uid, generation } = policy.metadata;
  return { uid, generation, told: PolicyRecord.read(policy).told };
}

/** What was read from the API server itself. */
export interface FreshRead extends ReturnType<typeof listReportedPods> {
  /** Generations of the policy that decides; undefined if it no longer exists. */
  readonly policy: PolicyGenerations | undefined;
  /** The node's slot in that policy's ledger; undefined if it has none. */
  readonly slot: Slot | undefined;
  /** ResourceSlices of this node. */
  readonly resourceSlices: readonly ResourceSliceView[];
  /** Claims of all nodes; undefined: not listed, as nothing that is handed out by claims is to go. */
  readonly claims?: readonly ResourceClaimView[] | undefined;
  /** What the fate of the pods depends on that have to go; undefined: not read. */
  readonly drain?: FateFacts;
}

/** What was read of a node from the API server itself, beside the Node. */
interface Reading extends Pick<FreshRead, 'claims' | 'drain'> {
  /** The policy that decides; undefined if it no longer exists. */
  readonly policy: GpuPartitionPolicy | undefined;
  /** The node’s partition, with the pods on its slices, which no watch keeps. */
  readonly partition: GpuNodePartition | undefined;
  readonly slices: readonly ResourceSliceView[] | undefined;
}

/** A snapshot of which everything was read from the API server itself just now. */
export function refresh<Known extends NodeSnapshot>(
  snapshot: Known,
  { policy, partition, slices, ...read }: Reading,
): Known & { readonly fresh: FreshRead } {
  const fresh = {
    policy: policy && generationsOf(policy),
    slot: slotIn(policy, snapshot.node, partition),
    resourceSlices: slices ?? [],
    ...read,
    ...listReportedPods(partition?.status?.device),
  };
  return { ...snapshot, fresh };
}

/** What the policy wants of this node's GPUs; undefined if it wants nothing, or is not known. */
export function wishOf({ claim }: Pick<NodeSnapshot, 'claim'>): Wish | undefined {
  return claim.wish && 'wish' in claim.wish ? claim.wish.wish : undefined;
}

/** Whether the policy that decides has mode Plan. */
export function onlyPlans({ claim }: Pick<NodeSnapshot, 'claim'>): boolean {
  return claim.winner?.spec.mode === 'Plan';
}

/** Whether the device matches the policy, as far as GPU instances are concerned. */
export function isDeviceDone({ claim, partition }: Pick<NodeSnapshot, 'claim' | 'partition'>): boolean {
  const wish = wishOf({ claim });
  return wish !== undefined && deviceMeets(partition?.status?.device?.gpus ?? [], wish.gpus);
}

/** Whether the newest generation at the API server is still the one that the claim was made from. */
export function isPolicyCurrent({ claim, fresh }: Pick<NodeSnapshot, 'claim' | 'fresh'>): boolean {
  const { uid } = claim.winner?.metadata ?? {};
  return fresh?.policy !== undefined && fresh.policy.uid === uid && fresh.policy.generation === claim.newestGeneration;
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

/** What a decision on a node may rest on beside its objects and its pods. */
interface NodeNeeds {
  /** Whether on its ResourceSlices. */
  readonly slices: boolean;
  /** Whether on the claims of all nodes. */
  readonly claims: boolean;
  /** Namespaces of which the disruption budgets count. */
  readonly budgets: readonly string[];
}

/** @param reported the partition as it was just read, with the pods on its slices; undefined: no budgets are asked for */
export function needsOf(planned: Planned, reported: GpuNodePartition | undefined): NodeNeeds {
  return {
    slices: backendOf(planned) === 'DRA' || isFoundOut(planned),
    claims: asksForClaims(planned),
    budgets: reported === undefined ? [] : listHolderNamespaces(reported, planned.claim.winner?.spec.drain),
  };
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

/** Namespaces of pods that a plan may send away, as far as its agent knows them. */
export function listHolderNamespaces(
  { spec, status }: GpuNodePartition,
  drain: PolicySpec['drain'],
): readonly string[] {
  const { plan } = status?.device ?? {};
  const isAll = drain?.scope === 'Node' || (plan?.morePods ?? 0) > 0;
  const names = [
    ...(plan?.affectedPods ?? []),
    ...listLosers(status?.device),
    ...(isAll ? listReportedPods(status?.device).holders : []),
  ];
  const announced = spec.drain?.pods.map(({ namespace }) => namespace) ?? [];
  return [...new Set([...names.flatMap((name) => name.split('/', 1)), ...announced])];
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

/** The agent's pod and its problem. */
export function describeAgent({ agent, node }: Pick<NodeSnapshot, 'agent' | 'node'>): string {
  switch (agent.state) {
    case 'Ready':
      return 'the agent is running';
    case 'NotReady':
      return `the agent is not ready: ${agent.why}`;
    case 'Missing':
      return `no agent pod runs on node ${node.metadata.name}`;
  }
}

/** gpu-operator's upgrade controller records a node's progress here (NVIDIA/k8s-operator-libs `pkg/upgrade/consts.go`). */
const driverUpgradeLabel = 'nvidia.com/gpu-driver-upgrade-state';

/** Value that k8s-driver-manager gives deploy labels from before it unloads a driver until the new one is loaded. */
export const pausedForDriverUpgrade = 'paused-for-driver-upgrade';

// `upgrade-required` only means that the driver is old: nothing happens to the node until its upgrade starts.
const idle: readonly string[] = ['', 'upgrade-done', 'upgrade-required'];

/**
 * True right before the upgrade controller opens the node again: the new driver runs and has been validated. Not earlier: the
 * driver's own pods, and those that validate it, do not tolerate our taint, and the upgrade would wait for them forever.
 */
export function isDriverReplaced(labels: Readonly<Record<string, string>>): boolean {
  return labels[driverUpgradeLabel] === 'uncordon-required';
}

/** What to wait for if the node's driver is being replaced, undefined if it is not. MIG changes before or after, never during. */
export function driverUpgrade(labels: Readonly<Record<string, string>>): string | undefined {
  const state = labels[driverUpgradeLabel] ?? '';
  if (state === 'upgrade-failed') {
    return (
      `the driver upgrade of this node failed (${driverUpgradeLabel}=upgrade-failed): repair it, ` +
      `then set the label to upgrade-required to retry; waiting until it is upgrade-done`
    );
  }
  if (!idle.includes(state)) {
    return `gpu-operator is upgrading the driver of this node (${driverUpgradeLabel}=${state}); waiting until it is upgrade-done`;
  }
  const paused = Object.keys(labels)
    .filter((key) => key.startsWith(deployLabelPrefix) && labels[key] === pausedForDriverUpgrade)
    .sort();
  if (paused.length === 0) return undefined;
  return (
    `k8s-driver-manager is replacing the driver of this node (${pausedForDriverUpgrade}: ${paused.join(', ')}); ` +
    `waiting until it restores ${paused.length === 1 ? 'this label' : 'these labels'}`
  );
}

/** The config file that the node's plugin is told to use. */
export function configOf({ metadata }: NodeView): string | undefined {
  return metadata.labels?.[devicePluginConfigLabel];
}

/** Whether its kubelet is alive. */
export function isReadyNode({ status }: NodeView): boolean {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
}

/**
 * Taints by which others say that a node goes, whoever tolerates them: Cluster Autoscaler's, Karpenter's (v1 and before), that of
 * KEP-2268 for a node that is switched off, GKE's before it maintains or preempts a machine, and that of AWS' termination handler for a spot
 * instance.
 */
const leavingTaints: readonly string[] = [
  'ToBeDeletedByClusterAutoscaler',
  'karpenter.sh/disrupted',
  'karpenter.sh/disruption',
  'node.kubernetes.io/out-of-service',
  'cloud.google.com/impending-node-termination',
  'aws-node-termination-handler/spot-itn',
];

/** The key of the taint with which a node is being removed; undefined if it is not. */
export function leavingTaintOf(taints: readonly Taint[] = []): string | undefined {
  return taints.find(({ key, effect }) => leavingTaints.includes(key) && effect !== 'PreferNoSchedule')?.key;
}

/** Closed by us while its GPUs change. */
export function isClosed(node: NodeView): boolean {
  return node.spec?.taints?.some(({ key }) => key === repartitioningTaint.key) ?? false;
}

/** Closed by its node pool until its first layout is verified. */
export function hasStartupTaint(node: NodeView): boolean {
  return node.spec?.taints?.some(({ key }) => startupTaintKeys.includes(key)) ?? false;
}

/** Closed whatever we do: making it available disrupts nobody. */
export function isClosedAnyway(node: NodeView): boolean {
  const isRestarted = ({ key, value }: Taint): boolean => key === repartitioningTaint.key && value === restartedValue;
  return hasStartupTaint(node) || (node.spec?.taints?.some(isRestarted) ?? false);
}

/** Closed, or open only for the device plugin: what it offers now does not match its device. */
export function isUnfinished(node: NodeView): boolean {
  return isClosed(node) || pickLabels(node, [stateLabel])[stateLabel] === 'updating';
}

/** A taint of ours, or one of the node pool that we remove. */
export function isOwnTaint({ key }: Pick<Taint, 'key'>): boolean {
  return key === repartitioningTaint.key || startupTaintKeys.includes(key);
}

/** Whether a node is out of service, or must be closed before a pod gets a device that no longer exists: it goes before others. */
export function isUrgentNode(node: NodeView, partition: GpuNodePartition | undefined): boolean {
  return (
    isUnfinished(node) ||
    hasStartupTaint(node) ||
    isReadBeforeBoot(node, partition) ||
    isDriverReplaced(pickLabels(node, [driverUpgradeLabel]))
  );
}

/** Whether the node has restarted since its agent last read the GPUs; false if either boot is unknown. */
export function isReadBeforeBoot({ status }: NodeView, partition: GpuNodePartition | undefined): boolean {
  const booted = status?.nodeInfo?.bootID ?? '';
  const read = partition?.status?.device?.bootID ?? 'unknown';
  return booted !== '' && read !== 'unknown' && read !== booted;
}
