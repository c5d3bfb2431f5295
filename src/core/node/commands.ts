// Room node: what happens on one node: the commands that bring it to its policy, what is remembered and told of it, and what is counted.
// Ask here for the commands of a decision, what is remembered of their answers, and what an uninstalled operator takes from a node.
import type { Grant, NodePartitionSpec, Wish, GpuNodePartition, Phase, DeviceReport } from '../../api/types.ts';
import { type NodeChange, combine, patchNode, metadataOf } from './node-patch.ts';
import type { OfferedStatus } from './offer.ts';
import { type NodeSnapshot, type Needed, isUnfinished } from './snapshot.ts';
import type { NodeRolloutState } from '../rollout/budget.ts';
import type { NodeMemory, Waits, WaitName, Wait } from './memory.ts';
import { type NodeReason, group } from '../../api/names.ts';
import type { NodeView } from '../kubernetes/node.ts';
import { type JsonPatchOperation, omitUndefined } from '../text/json.ts';
import { readRefreshMark, releaseNode, removeCondition } from './marks.ts';
import { isUnanswered } from '../device/grants.ts';
import { timeText } from '../text/syntax.ts';
import { predictDevice } from '../nvidia/predict.ts';
import {
  writerModeFor,
  listManagedLabels,
  listPrunableLabels,
  describeStaleLabels,
  sharingByLabels,
  staleLabels,
} from './rules/labels.ts';
import { strategyByLabels, dropInvalidLabels, changesWithLayout } from '../nvidia/labels.ts';

/** Identifies a pod fully: a new pod of the same name is a different pod. */
interface PodRef {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

type AssignedPolicy = NonNullable<NodePartitionSpec['policy']>;

/** Fields of a partition's spec in which the controller states the wish; null removes a field. */
export interface WishFields {
  readonly policy: (Omit<AssignedPolicy, 'schedule'> & { readonly schedule?: string | null }) | null;
  readonly strategy: NodePartitionSpec['strategy'] | null;
  /** The backend to write; absent: the field stays as it is. */
  readonly backend?: NodePartitionSpec['backend'] | null;
  readonly wish: { readonly [Key in keyof Required<Wish>]: Wish[Key] | null } | null;
  /** Null removes the monitors; absent: the field stays as it is. */
  readonly monitors?: null;
  readonly repairs: null;
  readonly drain: null;
}

export type Drain = NonNullable<NodePartitionSpec['drain']>;

/** A grant as it is written: null removes a field of an earlier grant. */
type GrantFields = { readonly [Key in keyof Required<Grant>]: Grant[Key] | null };

/**
 * One action, as a value. Each carries its precondition: a write to a partition applies only to the version that was read, a Node's
 * patch tests the taints and borrowed labels that it starts from, an eviction names the uid. If a command is refused, it and all
 * that follow are dropped and the node is decided again.
 */
export type Command =
  | { readonly name: 'CreatePartition' }
  /** The uid guards the deletion: a new partition of the same name stays. */
  | { readonly name: 'DeletePartition'; readonly uid: string }
  | { readonly name: 'WriteWish'; readonly fields: WishFields }
  | { readonly name: 'WriteGrant'; readonly granted: GrantFields; readonly repairs: readonly string[] | null }
  /** Takes back the grant that stands: the next one names no plan. */
  | { readonly name: 'RevokeGrant'; readonly granted: Pick<Grant, 'epoch' | 'planHash'> }
  /** Records for which plan pods are being evicted; null: no longer for any. */
  | {
      readonly name: 'WriteDrain';
      readonly drain: Drain | null;
      /** The pods in it and what they hold, in words; absent if it names none. */
      readonly going?: string;
    }
  /** Tells the agent which claims look on only. */
  | { readonly name: 'WriteMonitors'; readonly claims: readonly string[] }
  /** Has the agent end registrations with the kubelet that no device plugin serves, or takes that back. */
  | { readonly name: 'WriteUnregister'; readonly unregister: NonNullable<NodePartitionSpec['unregister']> | null }
  | { readonly name: 'PatchNode'; readonly change: NodeChange }
  /**
   * Writes quantities of the device plugin's resources into the Node's status, as the kubelet would at its next tick; only the version
   * of the Node that was read.
   */
  | {
      readonly name: 'AdvertiseDevices';
      readonly status: OfferedStatus;
      /** The change of the device that the resources belong to; see {@link changeKey}. */
      readonly change: string;
      /** What the wait `Stands`, which begins with the API server's answer, is about; absent: it does not begin. */
      readonly offered?: string;
    }
  | {
      readonly name: 'EvictPod';
      readonly pod: PodRef;
      /** The grace period in seconds; absent: the pod's own. */
      readonly graceSeconds?: number;
      /** The owner that replaces the pod, by uid, and how often its pods were already evicted here. */
      readonly owner?: string;
      readonly round: number;
      /** Present for a pod that reads GPUs for the cluster, such as an exporter, and does no user's work: see {@link GpuClient}. */
      readonly isClient?: true;
    }
  /** Deletes a pod whatever its disruption budget says. */
  | { readonly name: 'DeletePod'; readonly pod: PodRef; readonly graceSeconds?: number }
  /** Puts a config file of the device plugin into the ConfigMap and leaves its other files alone. */
  | { readonly name: 'PublishConfig'; readonly key: string; readonly file: Readonly<Record<string, unknown>> };

/** What the rules see. */
export interface RuleInput extends NodeSnapshot {
  readonly partition: GpuNodePartition;
  readonly memory: NodeMemory;
}

/** The answer of a rule for a node. */
export type Outcome =
  /** The rule cannot tell until more has been read. */
  { readonly needs: Needed } | Ruling;

export interface Ruling {
  readonly verdict: Verdict;
  /** Commands, carried out in this order. */
  readonly commands?: readonly Command[];
  /** Waits that continue; see {@link timer}. */
  readonly waits?: Waits | undefined;
  /** GPU clients that were told to go stay away: a grant or its follow-up needs it. */
  readonly clientsPaused?: boolean;
  /** `Stays`: a change is under way, or what a closed node would offer is unknown. */
  readonly ifClosed: 'Opens' | 'Stays';
  /** True if nothing is written on an open node, not even its state: what is asked of it does not concern it yet. */
  readonly writesNothing?: boolean;
  /** The node wants to change and has no slot. */
  readonly request?: NonNullable<NodeRolloutState['request']>;
}

/** Waits for what normally passes within moments: until then a closed node stays closed. */
export function waitClosed(
  phase: 'Pending' | 'Updating',
  reason: NodeReason,
  message: string,
  requeueAfterMs?: number,
): Ruling {
  const again = requeueAfterMs !== undefined && { requeueAfterMs };
  return { verdict: { phase, reason, message, transient: true, ...again }, ifClosed: 'Stays' };
}

/** Waits for the agent to plan what it is told. */
export function awaitPlan(requeueAfterMs?: number): Ruling {
  return waitClosed('Pending', 'AwaitingPlan', 'waiting for the agent’s plan', requeueAfterMs);
}

/** Waits for what may last: the node is open meanwhile. */
export function waitOpen(phase: Phase, reason: NodeReason, message: string, requeueAfterMs?: number): Ruling {
  const again = requeueAfterMs !== undefined && { requeueAfterMs };
  return { verdict: { phase, reason, message, ...again }, ifClosed: 'Opens' };
}

/** Waits for whoever uses the GPUs, with the node open. */
export function waitForUsers(
  message: string,
  requeueAfterMs: number,
  reason: 'PodsUseGpus' | 'ProcessesUseGpus' = 'PodsUseGpus',
): Ruling {
  return waitOpen('Waiting', reason, message, requeueAfterMs);
}

/** Leaves a node alone, whatever is asked of it. */
export function refuseNode(reason: NodeReason, message: string): Ruling {
  return {
    ...waitOpen('Failed', reason, `${message}. Nothing is touched until then`, lookAgainMs),
    writesNothing: true,
  };
}

/** A ruling that waits for something more. */
export function alsoWaits(ruling: Ruling, waits: Waits | undefined): Ruling {
  return waits === undefined ? ruling : { ...ruling, waits: { ...waits, ...ruling.waits } };
}

/** A rule of the chain. Undefined: the rule does not apply, and the next one is asked. */
export type Rule = (situation: RuleInput) => Outcome | undefined;

/** Asks rules in order; the first with an outcome decides. */
export function askInOrder(rules: readonly Rule[], situation: RuleInput): Outcome | undefined {
  for (const rule of rules) {
    const outcome = rule(situation);
    if (outcome) return outcome;
  }
  return undefined;
}

/** The finding on a node, for its status, its policy's status and its Events. */
export interface Verdict {
  readonly phase: Phase;
  readonly reason: NodeReason;
  readonly message: string;
  /** True for a state that normally passes within moments: it is reported only if it lasts. */
  readonly transient?: boolean;
  /** Milliseconds until the node is looked at again if no event triggers it; absent: only events do. */
  readonly requeueAfterMs?: number;
}

/** How often, in ms, whatever is not watched is checked again. */
export const lookAgainMs = 15_000;

/** The patch by {@link patchNode} of this very node: another one of its name has nothing to do with what was decided. */
export function patchThisNode(node: NodeView, change: NodeChange): readonly JsonPatchOperation[] {
  const patch = patchNode(metadataOf(node), change);
  return patch.length === 0 ? [] : [{ op: 'test', path: '/metadata/uid', value: node.metadata.uid }, ...patch];
}

/** The result of one look at a node. */
export interface NodeStep {
  readonly node: string;
  readonly verdict: Verdict;
  /** The commands that were carried out. */
  readonly commands: readonly Command[];
  readonly memory: NodeMemory;
}

/** The API server's answer to a command. */
interface Answer {
  /** The time of the answer, in ms since the epoch. */
  readonly at: number;
  /** Why it was refused; undefined if it was not, or if that is unknown. */
  readonly refusal?: string | undefined;
}

/** What is remembered of a command once it has been answered. */
export function recordAnswer(memory: NodeMemory, command: Command, { at, refusal }: Answer): NodeMemory {
  switch (command.name) {
    case 'AdvertiseDevices': {
      const { change, offered } = command;
      if (refusal !== undefined) return addWait(memory, 'StatusRefused', { since: at, of: change });
      return offered === undefined ? memory : addWait(memory, 'Stands', { since: at, of: offered });
    }
    case 'EvictPod':
    case 'DeletePod': {
      const { uid } = command.pod;
      const { owner, round } = command.name === 'EvictPod' ? command : { ...memory.evictions[uid] };
      const eviction = { at, refusal, ...omitUndefined({ round, owner }) };
      return { ...memory, evictions: { ...memory.evictions, [uid]: eviction } };
    }
    default:
      return memory;
  }
}

function addWait(memory: NodeMemory, name: WaitName, wait: Wait): NodeMemory {
  return { ...memory, waits: { ...memory.waits, [name]: wait } };
}

/** The state of a node that no controller manages any more. */
type NodeRelease =
  /** The node has no marks of ours. */
  | { readonly state: 'Clean' }
  /** The node stays closed: until then its agent may be changing the GPUs. */
  | { readonly state: 'Busy'; readonly until: string }
  | {
      readonly state: 'Marked';
      /** Empty if nothing but a condition is left. */
      readonly patch: readonly JsonPatchOperation[];
      /** An item of the Node's conditions, to be merged into them; undefined if there is none of ours. */
      readonly condition: ReturnType<typeof removeCondition>;
      /** True if the node was closed for a change that was never finished: what it offers may be outdated. */
      readonly wasChanging: boolean;
    };

/**
 * What must be removed from a node when the operator is uninstalled: our taint, labels, annotations and condition, and what was borrowed. Layouts
 * stay, and so do the labels that describe them.
 */
export function planRelease(node: NodeView, found: GpuNodePartition | undefined, now: number): NodeRelease {
  const partition = found?.spec.nodeUID === node.metadata.uid ? found : undefined;
  const patch = patchNode(metadataOf(node), combine(releaseNode(), forgetNode(node, partition)));
  const condition = removeCondition(node);
  if (patch.length === 0 && condition === undefined) return { state: 'Clean' };
  const { granted } = partition?.spec ?? {};
  const end = partition !== undefined && granted !== undefined && isUnanswered(partition) ? endOf(granted) : -Infinity;
  if (now < end) return { state: 'Busy', until: timeText(end) };
  return { state: 'Marked', patch, condition, wasChanging: isUnfinished(node) };
}

/**
 * The end of a grant, in ms since the epoch. Without a controller nothing takes it back: its agent may see it at the deadline, and act on
 * it for its whole time.
 */
function endOf({ deadline, seconds = 0 }: Grant): number {
  return Date.parse(deadline) + seconds * 1000;
}

/** What only a controller that comes back would need, and labels that would never be corrected. */
function forgetNode(node: NodeView, partition: GpuNodePartition | undefined): NodeChange {
  const annotations = Object.keys(node.metadata.annotations ?? {}).filter((key) => key.startsWith(`${group}/`));
  return { annotations: removeAll(annotations), labels: removeAll(listOutdatedLabels(node, partition)) };
}

function removeAll(keys: readonly string[]): Readonly<Record<string, undefined>> {
  return Object.fromEntries(keys.map((key) => [key, undefined]));
}

/**
 * Keys of labels that do not describe the device as its agent last reported it, and of all that a layout changes if what it is now is
 * unknown. None on an open node, whose labels follow its device, nor where GPU Feature Discovery writes them.
 */
function listOutdatedLabels(node: NodeView, partition: GpuNodePartition | undefined): readonly string[] {
  const { labels, annotations } = metadataOf(node);
  if (!isUnfinished(node) || writerModeFor({ node, partition }) === 'Verify') return [];
  const isOurs = listManagedLabels({ annotations }).length > 0;
  const strategy = strategyByLabels(labels, isOurs) ?? partition?.spec.strategy ?? 'mixed';
  const sharing = sharingByLabels(labels);
  const device = partition === undefined ? undefined : knownDevice(node, partition);
  const predicted = device && predictDevice(device, strategy, sharing && { sharing });
  const right = dropInvalidLabels(predicted?.labels ?? {});
  return listPrunableLabels({ labels, annotations })
    .filter(changesWithLayout)
    .filter((key) => labels[key] !== right[key] && predicted?.undetermined[key] === undefined);
}

/** Whether the last refresh replaced pods of the device plugin that came back only once the node was open. */
export function waitedForPlugin(node: NodeView): boolean {
  const mark = readRefreshMark(node);
  return mark !== undefined && mark.uids.length > 0 && !mark.tolerates;
}

/**
 * What of an open node's labels does not describe the device as its agent last reported it, in words; undefined if nothing, if neither GPU
 * Feature Discovery nor this operator has written them, or if the device or the strategy is not known.
 */
export function explainStaleLabels(node: NodeView, partition: GpuNodePartition): string | undefined {
  const { labels, annotations } = metadataOf(node);
  const isWritten = writerModeFor({ node, partition }) === 'Verify' || listManagedLabels({ annotations }).length > 0;
  const device = isUnfinished(node) ? undefined : knownDevice(node, partition);
  const strategy = strategyByLabels(labels, true) ?? partition.spec.strategy;
  if (!isWritten || device === undefined || strategy === undefined) return undefined;
  const sharing = sharingByLabels(labels);
  const stale = staleLabels({ labels, annotations }, predictDevice(device, strategy, sharing && { sharing }));
  return stale.length === 0 ? undefined : describeStaleLabels(stale);
}

/** What the agent has reported, if nothing can have changed since. */
function knownDevice(node: NodeView, partition: GpuNodePartition): DeviceReport | undefined {
  const { device } = partition.status ?? {};
  const isKnown = device?.gpus !== undefined && device.step !== 'Unknown' && device.step !== 'Applying';
  const isThisBoot = device?.bootID === node.status?.nodeInfo?.bootID;
  return isKnown && isThisBoot && !isUnanswered(partition) ? device : undefined;
}
