// Room node: what happens on one node: the commands that bring it to its policy, what is remembered and told of it, and what is counted.
// Ask here what happens next on a node, or what would in memory, without a read or a write, and what is remembered in between.
import { gpuPresenceLabel, stateLabel } from '../../api/names.ts';
import {
  keepClosedTime,
  beginByNow,
  type NodeMemory,
  timer,
  type WaitName,
  type Waits,
  recallMemory,
} from './memory.ts';
import { releaseNode, clientsAnnotation, changeKey } from './marks.ts';
import { type NodeView, pickLabels } from '../kubernetes/node.ts';
import { combine, metadataOf, patchNode } from './node-patch.ts';
import { recordFailures, hasFailed, driftEndsAt, generationOf } from './grants.ts';
import {
  type Command,
  askInOrder,
  type Outcome,
  type Rule,
  type Ruling,
  type RuleInput,
  type Verdict,
  type WishFields,
} from './commands.ts';
import { disruptsNode, describePlan, onHold } from './rules/slot.ts';
import { settleNode, verifyAndOpen } from './rules/verify-and-open.ts';
import { findMoved, tellWish } from './rules/wish.ts';
import { awaitAnswer, grant } from './rules/grant.ts';
import { planNotReady } from './rules/plan.ts';
import { endDebris } from './owners.ts';
import { standsEarly, isUntouched } from './rules/plugin.ts';
import {
  type Needed,
  type NodeSnapshot,
  isClosed,
  isUnfinished,
  isReadyNode,
  leavingTaintOf,
  isClosedAnyway,
  isReadBeforeBoot,
  backendOf,
  refresh,
  wishOf,
} from './snapshot.ts';
import { slotIn } from '../rollout/budget.ts';
import { type NodeRolloutState, hasGpus } from '../rollout/budget.ts';
import type { NodePartitionStatus, GpuNodePartition } from '../../api/types.ts';
import { type WishPlan, planDrained, planWish } from '../device/plan.ts';
import { type BudgetView, judgeFate, adoptRests } from './eviction.ts';
import { omitUndefined } from '../text/json.ts';
import { foreignOn, isGrantLive, isUnanswered } from '../device/grants.ts';
import { managedConfig } from '../nvidia/plugin-config.ts';
import { predictSlice } from '../device/holders.ts';
import type { Fleet, NodePolicy } from '../policy/fleet.ts';
import type { PodView } from '../kubernetes/pod.ts';
import { presumeAffected } from './rules/users.ts';

/** The decision on a node: its verdict, the commands and what to remember. */
export type Decision =
  /** More must be read first; then the same question is asked again. */
  | { readonly needs: Needed }
  | {
      readonly verdict: Verdict;
      readonly commands: readonly Command[];
      readonly memory: NodeMemory;
      /** How the node stands in the rollout of its policy. */
      readonly rolloutState: NodeRolloutState;
    };

/** The rules in order of precedence: the first with an outcome decides. */
const rules: readonly Rule[] = [awaitAnswer, endDebris, tellWish, verifyAndOpen, onHold, planNotReady, grant];

/**
 * Decides what happens next on a node, from what was read and remembered. Pure: the same snapshot and memory give the same decision,
 * and an unchanged world yields no commands.
 */
export function decide(snapshot: NodeSnapshot, known: NodeMemory): Decision {
  const { partition, now } = snapshot;
  const memory = beginByNow(known, now);
  if (partition === undefined || partition.spec.nodeUID !== snapshot.node.metadata.uid) {
    // The object of an earlier node does not describe this one.
    const rolloutState = keepRolloutState({ ...snapshot, partition: undefined });
    return { ...decidePartition(snapshot), memory, rolloutState };
  }
  const situation: RuleInput = { ...snapshot, partition, memory };
  const outcome = judge(situation);
  // A closed node is about to be granted or opened, which rests on everything being read: one look instead of two.
  if ('needs' in outcome) return isClosed(snapshot.node) && outcome.needs === 'Pods' ? { needs: 'All' } : outcome;
  const { verdict } = outcome;
  const commands = mergeCommands(snapshot, outcome.commands ?? []);
  if (snapshot.fresh === undefined && opensNode(commands)) {
    // All else was read before the offer was written that now stands. A list of pods takes the API server 0.1 s.
    const isStanding = verdict.phase === 'Ready' && standsEarly(situation);
    if (!isStanding) return { needs: 'All' };
    if (snapshot.isCurrent !== true) return { needs: 'Node' };
  }
  const waits = {
    ...keepWaits(situation, verdict),
    ...outcome.waits,
    ...recordFailures(situation, verdict),
    ...timer(situation, 'Reason', verdict.reason).waits,
  };
  const rolloutState = describeRolloutState({ ...situation, memory: { ...memory, waits } }, outcome);
  const closed = keepClosedTime(memory, staysClosed(snapshot.node, commands), snapshot.now);
  const all = [...commands, ...endDrain(situation, rolloutState, commands)];
  return {
    verdict,
    commands: [...forgetOrphans(situation, all), ...all],
    memory: { waits, evictions: keepKnown(memory, snapshot), ...(closed && { closed }) },
    rolloutState,
  };
}

/** What the commands of several rules come to: one write of the Node, and none that changes nothing. */
function mergeCommands(snapshot: Pick<NodeSnapshot, 'node'>, commands: readonly Command[]): readonly Command[] {
  return dropNoOps(snapshot, mergePatches(commands));
}

/** A Node that already matches is not written, and opening a node that is already open is not reported. */
function dropNoOps({ node }: Pick<NodeSnapshot, 'node'>, commands: readonly Command[]): readonly Command[] {
  const metadata = metadataOf(node);
  return commands.flatMap((command): readonly Command[] => {
    if (command.name !== 'PatchNode') return [command];
    const { removeTaints = [] } = command.change;
    const present = removeTaints.filter((removed) => metadata.taints.some(({ key }) => key === removed));
    const change = { ...command.change, removeTaints: present };
    return patchNode(metadata, change).length > 0 ? [{ name: 'PatchNode', change }] : [];
  });
}

/** Opening lets pods in at once and cannot be undone; so does advertising devices on a node that is closed only because it advertises none. */
function opensNode(commands: readonly Command[]): boolean {
  return commands.some(
    (command) =>
      command.name === 'AdvertiseDevices' ||
      (command.name === 'PatchNode' && (command.change.removeTaints?.length ?? 0) > 0),
  );
}

/** Joins all changes of the Node into one write: a second one would start from a state that no longer exists. */
function mergePatches(commands: readonly Command[]): readonly Command[] {
  const changes = commands.flatMap((command) => (command.name === 'PatchNode' ? [command.change] : []));
  if (changes.length < 2) return commands;
  const last = commands.findLastIndex(({ name }) => name === 'PatchNode');
  return commands.flatMap((command, index): readonly Command[] => {
    if (command.name !== 'PatchNode') return [command];
    return index === last ? [{ name: 'PatchNode', change: combine(...changes) }] : [];
  });
}

/** Whether a node is closed, or open only for the device plugin, and still is when the commands have been carried out. */
function staysClosed(node: NodeView, commands: readonly Command[]): boolean {
  if (!isUnfinished(node)) return false;
  const changes = commands.flatMap((command) => (command.name === 'PatchNode' ? [command.change] : []));
  const { labels = {}, removeTaints = [] } = combine(...changes);
  const { taints = [] } = node.spec ?? {};
  const state = Object.hasOwn(labels, stateLabel) ? labels[stateLabel] : pickLabels(node, [stateLabel])[stateLabel];
  return isUnfinished({
    metadata: { name: node.metadata.name, labels: state === undefined ? {} : { [stateLabel]: state } },
    spec: { taints: taints.filter(({ key }) => !removeTaints.includes(key)) },
  });
}

function judge(situation: RuleInput): Outcome {
  const outcome = askInOrder(rules, situation);
  if (outcome === undefined) throw new Error('no rule has anything to say of this node');
  if ('needs' in outcome) return outcome;
  return settleNode(situation, outcome);
}

/** The node's object: created for a node with GPUs, and recreated if it belongs to an earlier node of the same name. */
function decidePartition({ partition, node, claim }: NodeSnapshot): {
  readonly verdict: Verdict;
  readonly commands: readonly Command[];
} {
  const verdict: Verdict = {
    phase: 'Pending',
    reason: 'AgentNotReporting',
    message: 'the agent on this node has not reported its GPUs yet',
    transient: true,
  };
  const soon = { ...verdict, requeueAfterMs: 1000 };
  if (partition !== undefined) {
    // The old object must not instruct the new node's agent.
    return { verdict: soon, commands: [{ name: 'DeletePartition', uid: partition.metadata.uid ?? '' }] };
  }
  // If the API no longer has this resource, no object can be created, but our marks must still be removed. A closed node waits for its
  // agent's report.
  const isReleased = claim.winner === undefined && !isUnfinished(node);
  const released = isReleased ? mergeCommands({ node }, [{ name: 'PatchNode', change: releaseNode() }]) : [];
  const isGpuNode = claim.winner !== undefined || node.metadata.labels?.[gpuPresenceLabel] === 'true';
  if (!isGpuNode || node.metadata.uid === undefined) return { verdict, commands: released };
  return { verdict: soon, commands: [...released, { name: 'CreatePartition' }] };
}

/** Evictions of pods that are gone are forgotten, except while the node has a slot: their owners may replace the pods. */
function keepKnown({ evictions }: NodeMemory, { pods, slot }: NodeSnapshot): NodeMemory['evictions'] {
  if (pods === undefined || slot !== undefined) return evictions;
  const uids = new Set(pods.map(({ metadata }) => metadata.uid));
  return Object.fromEntries(Object.entries(evictions).filter(([uid]) => uids.has(uid)));
}

/** Ends the drain that the partition still names. */
function endDrain(
  { partition }: RuleInput,
  { isUnderWay }: NodeRolloutState,
  commands: readonly Command[],
): readonly Command[] {
  const isWritten = commands.some(
    ({ name }) =>
      name === 'WriteWish' || name === 'WriteMonitors' || name === 'WriteDrain' || name === 'DeletePartition',
  );
  if (partition.spec.drain === undefined || isUnderWay || isWritten || isGrantLive(partition)) return [];
  return [{ name: 'WriteDrain', drain: null }];
}

/**
 * Takes back a request to end registrations. On an open node a plugin serves what the kubelet offers: an agent that has restarted must not
 * end its registrations for a request of before. Two writes of one object would collide.
 */
function forgetOrphans({ node, partition }: RuleInput, commands: readonly Command[]): readonly Command[] {
  const isStillClosed = isClosed(node) && !opensNode(commands);
  if (partition.spec.unregister === undefined || isStillClosed || commands.some(writesSpec)) return [];
  return [{ name: 'WriteUnregister', unregister: null }];
}

function writesSpec({ name }: Command): boolean {
  return name.startsWith('Write') || name === 'RevokeGrant' || name === 'DeletePartition';
}

/** How a node stands after a decision. */
function describeRolloutState(situation: RuleInput, ruling: Ruling): NodeRolloutState {
  const { slot } = situation;
  const { verdict, request } = ruling;
  return {
    ...outsideRollout(situation),
    hasFailed: verdict.phase !== 'Ready' && hasFailed(situation),
    isVerified: verdict.phase === 'Ready',
    isUnderWay: isUnderWay(situation) || (slot !== undefined && goesOn(situation, ruling)),
    slot: slot?.startTime,
    ...(request && { request }),
  };
}

/** What tells how a node stands where nothing was decided. */
type RolloutFacts = Pick<NodeSnapshot, 'node' | 'partition' | 'slot'> & {
  readonly claim: Pick<NodeSnapshot['claim'], 'winner'>;
};

/** A node that cannot be decided: it requests nothing, and keeps its slot as long as it is closed or its agent may be at work. */
export function keepRolloutState(known: RolloutFacts): NodeRolloutState {
  return { ...outsideRollout(known), isUnderWay: isUnderWay(known), slot: known.slot?.startTime };
}

/** A node that takes no part. */
function outsideRollout({ node, partition, claim }: RolloutFacts): NodeRolloutState {
  return {
    node: node.metadata.name,
    nodeUID: node.metadata.uid ?? '',
    policy: claim.winner?.metadata.name,
    isReady: isReadyNode(node),
    isCordoned: isCordoned(node),
    hasGpus: hasGpus(partition),
    hasFailed: false,
    isVerified: false,
    isClosedAnyway: isClosedAnyway(node),
    isUnderWay: false,
    wishGeneration: partition?.spec.policy?.generation ?? 0,
  };
}

/** Whether new pods are kept from a node until somebody opens it, or it is gone. */
function isCordoned({ spec }: NodeView): boolean {
  return spec?.unschedulable === true || leavingTaintOf(spec?.taints) !== undefined;
}

/**
 * Whether its agent may be changing it, or it is closed for that. A dead node must not hold others up: where nothing of before is left,
 * it takes its slot again when its kubelet is back.
 */
function isUnderWay({ node, partition, slot }: RolloutFacts): boolean {
  if (partition !== undefined && isGrantLive(partition)) return true;
  if (!isUnfinished(node)) return false;
  if (isReadyNode(node)) return slot !== undefined || !isClosedAnyway(node);
  return !isClosedAnyway(node) && !isReadBeforeBoot(node, partition);
}

/** Whether a node that has a slot and is open is about to use it. Bounded: no slot is kept for nothing. */
function goesOn({ slot, now, settings }: RuleInput, { verdict, request, commands = [] }: Ruling): boolean {
  if (request !== undefined) return false;
  // It does so at this moment.
  if (commands.some(disruptsNode)) return true;
  const end = Date.parse(slot?.deadline ?? '') + settings.deadlineMs;
  const isMoving = verdict.phase === 'Updating' || (verdict.phase === 'Pending' && verdict.transient === true);
  return isMoving && !(end < now);
}

/**
 * Waits that last as long as their cause, whichever rule decides: none has to remember them. A text is what the wait must be about;
 * undefined: the cause is over.
 */
const causes: {
  readonly [Name in WaitName]?: (situation: RuleInput, verdict: Verdict) => string | boolean | undefined;
} = {
  Closed: ({ node }) => isClosed(node),
  Untouched: isUntouched,
  // Time for a drain counts from its first eviction, separately in each slot: what precedes it takes none of it.
  Drain: ({ slot }) => slot?.startTime,
  // The next rest is longer until the node is Ready, whatever it waits for in between.
  DrainRest: (_, { phase }) => phase !== 'Ready',
  HoldersRest: (_, { phase }) => phase !== 'Ready',
  GpusGone: (situation) => findMoved(situation) !== undefined,
  Drift: ({ partition, now }) => driftEndsAt(partition, now) !== undefined,
  ChangeFailed: (situation, { phase }) => phase !== 'Ready' && generationOf(situation),
  Granted: ({ partition }) => isGrantLive(partition) && String(partition.spec.granted?.epoch),
  Revoked: ({ partition, node }) => isUnanswered(partition) && isClosed(node) && String(partition.spec.granted?.epoch),
  HoldersRestarted: ({ node }) => node.metadata.annotations?.[clientsAnnotation],
  // What somebody brings back is left alone until the device changes.
  Tidied: ({ partition }) => changeKey(partition),
};

/** The earlier waits that continue without a rule that returns them. */
export function keepWaits(situation: RuleInput, verdict: Verdict): Waits {
  const kept = Object.entries(situation.memory.waits).filter(([name, { of }]) => {
    const about = causes[name as WaitName]?.(situation, verdict);
    return about === true || (typeof about === 'string' && about === of);
  });
  return Object.fromEntries(kept);
}

/** The number of consecutive throws, in gathering or deciding, after which other nodes no longer wait for the node. */
const mostThrows = 3;

/** Another node of the same name has another uid. */
type Which = Pick<NodeView['metadata'], 'name' | 'uid'>;

interface RememberedNode {
  readonly uid: string | undefined;
  /** What the node waits for; undefined if no decision has been carried out yet. */
  readonly memory: NodeMemory | undefined;
  /** How many times in a row no decision could be made. */
  readonly throws: number;
}

/**
 * What is remembered of all nodes between two decisions. It is all that a leader keeps of its decisions outside of the API: losing it
 * only prolongs waits.
 */
export class FleetMemory {
  readonly #nodes = new Map<string, RememberedNode>();

  /** @param status of the node's own partition: on the first look, memory starts with what an earlier leader left there */
  of(node: Which, status: NodePartitionStatus | undefined): NodeMemory {
    return this.#known(node).memory ?? recallMemory(status);
  }

  /** A decision is about to be carried out, and perhaps no answer will tell whether it was. @param before what it rests on */
  tries(node: Which, before: NodeMemory, decided: NodeMemory): void {
    this.put(node, adoptRests(before, decided));
  }

  /** A decision was carried out, and left this. */
  put({ name, uid }: Which, memory: NodeMemory): void {
    this.#nodes.set(name, { uid, memory, throws: 0 });
  }

  /** A decision was made, whatever becomes of it. */
  decided(node: Which): void {
    if (this.#nodes.has(node.name)) this.#nodes.set(node.name, { ...this.#known(node), throws: 0 });
  }

  /** No decision could be made. @returns why others no longer wait for the node; undefined if they still do */
  threw(node: Which, why: string): string | undefined {
    const known = this.#known(node);
    const throws = known.throws + 1;
    this.#nodes.set(node.name, { ...known, throws });
    if (throws < mostThrows) return undefined;
    // The same text on every retry: otherwise each retry would be a write.
    return `the controller could not process this node ${mostThrows} times in a row: ${why}. Other nodes proceed; it is retried`;
  }

  forget(name: string): void {
    this.#nodes.delete(name);
  }

  /** Looks a node up; an earlier node of the same name has another uid and counts for nothing. */
  #known({ name, uid }: Which): RememberedNode {
    const known = this.#nodes.get(name);
    return known?.uid === uid && known !== undefined ? known : { uid, memory: undefined, throws: 0 };
  }
}

/** The decision on one node after the change. */
export interface NodePreview {
  /** The input of the decision, with the wish and the plan in the partition. */
  readonly snapshot: NodeSnapshot & Required<Pick<NodeSnapshot, 'fresh'>>;
  /** Whether the controller writes a new wish for it. */
  readonly isTold: boolean;
  /** What its agent will plan; undefined if the policies want nothing of it, or its GPUs are unknown. */
  readonly plan: WishPlan | undefined;
  readonly verdict: Verdict;
  readonly rolloutState: NodeRolloutState;
  /** What becomes of the pods that have to go for it; empty if nothing changes. */
  readonly evictions: readonly ({ readonly pod: PodView } & ReturnType<typeof judgeFate>)[];
}

/** What is known of a node before anything is decided: everything else follows from it. */
type NodeStart = Omit<NodeSnapshot, 'slot' | 'fresh' | 'configFiles'> &
  Required<Pick<NodeSnapshot, 'pods'>> & {
    /** Disruption budgets of the pods' namespaces; absent: none. */
    readonly budgets?: readonly BudgetView[];
  };

/**
 * Lets the controller decide and the agent plan, in memory: the wish is written, the plan is made, and the node reports what it is
 * waiting for, which is a slot if nothing is in the way.
 */
export function forecastNode(start: NodeStart): NodePreview {
  const told = partitionTold(start);
  const plan = planAsAgent(start, told);
  const partition = told && plan ? reportPlan(told, plan) : told;
  const snapshot = complete({ ...start, partition });
  const { verdict, rolloutState } = decideAtOnce(snapshot);
  const evictions = plan !== undefined && plan.work.length > 0 ? foreseeEvictions(snapshot) : [];
  return { snapshot, isTold: told !== start.partition, plan, verdict, rolloutState, evictions };
}

function foreseeEvictions(snapshot: NodePreview['snapshot']): NodePreview['evictions'] {
  const { partition, claim, pods = [], fresh } = snapshot;
  if (partition === undefined) return [];
  const { budgets = [] } = fresh.drain ?? {};
  const drain = claim.winner?.spec.drain;
  return presumeAffected({ ...snapshot, partition }, pods).map((pod) => ({
    pod,
    ...judgeFate(pod, drain, { budgets }),
  }));
}

/** The partition with the wish that the controller writes, if any. */
function partitionTold(start: NodeStart): GpuNodePartition | undefined {
  const { partition } = start;
  const { commands } = decideAtOnce(complete(start));
  const written = commands.find(({ name }) => name === 'WriteWish');
  if (partition === undefined || written?.name !== 'WriteWish') return partition;
  return { ...partition, spec: writeWish(partition.spec, written.fields) };
}

function writeWish(
  { policy: before, strategy: _strategy, backend: known, wish: _wish, repairs: _repairs, drain: _drain, ...kept }: Spec,
  { policy, strategy, backend, wish }: WishFields,
): Spec {
  // Absent: as it is.
  const told = backend === undefined ? known : backend;
  const schedule = policy?.schedule === undefined ? before?.schedule : policy.schedule;
  return {
    ...kept,
    ...(policy && { policy: omitUndefined({ ...policy, schedule: schedule ?? undefined }) }),
    ...(strategy !== null && strategy !== undefined && { strategy }),
    ...(told && { backend: told }),
    ...(wish?.gpus && {
      wish: {
        gpus: wish.gpus,
        ...(wish.replaceForeignInstances === true && { replaceForeignInstances: true }),
        ...(wish.allowGpuReset === false && { allowGpuReset: false }),
      },
    }),
  };
}

type Spec = GpuNodePartition['spec'];

/** Plans as the agent does when it gets a wish. */
function planAsAgent({ claim }: NodeStart, partition: GpuNodePartition | undefined): WishPlan | undefined {
  const { device } = partition?.status ?? {};
  const wish = wishOf({ claim });
  if (partition === undefined || wish === undefined || !device?.gpus) return undefined;
  const foreign = foreignOn(device);
  const marks = { drain: partition.spec.drain, reported: device.plan };
  // Only the agent sees processes that belong to no pod: a plan is the same without their names.
  return planDrained(device, wish, marks, foreign, new Map());
}

function reportPlan(partition: GpuNodePartition, { report }: WishPlan): GpuNodePartition {
  const { status = {} } = partition;
  return { ...partition, status: { ...status, device: { ...status.device, plan: report } } };
}

function complete(start: NodeStart): NodeSnapshot & Required<Pick<NodeSnapshot, 'fresh'>> {
  const { budgets = [], ...known } = start;
  const { node, partition, claim } = known;
  const { winner } = claim;
  const managed = winner && managedConfig(winner.spec);
  // What is handed out by claims, and for whom, is not known: the agent knows which pods have devices.
  const slices = backendOf(known) === 'DRA' ? [predictSlice(partition?.status?.device ?? {})] : undefined;
  const files = managed ? { [managed.key]: managed.file } : {};
  const snapshot = {
    ...known,
    slot: slotIn(winner, node, partition),
    ...(slices && { slices }),
    configFiles: { state: 'Read', files },
  } as const;
  return refresh(snapshot, { policy: winner, partition, slices, ...(slices && { claims: [] }), drain: { budgets } });
}

function decideAtOnce(snapshot: NodeSnapshot): Exclude<Decision, { readonly needs: unknown }> {
  const decision = decide(snapshot, recallMemory(snapshot.partition?.status));
  if ('needs' in decision) throw new Error(`${decision.needs} was read, and is requested again`);
  return decision;
}

/**
 * How a node stands at a new generation of its policy, before it has been looked at: the wish and the agent's plan are worked out in
 * memory. Its pods are not known, so a node that must evict any is expected to request nothing.
 *
 * @param before how it stood at the generation before
 * @returns undefined if it cannot be told: the node is new, another policy decided over it, or any pod of the node may have to go
 */
export function forecastRolloutState(
  before: NodeRolloutState | undefined,
  known: NodeSnapshot,
): NodeRolloutState | undefined {
  const { slot: _recomputed, ...start } = known;
  const { winner } = known.claim;
  const isSame = before?.policy === winner?.metadata.name && before?.nodeUID === known.node.metadata.uid;
  if (before === undefined || !isSame || winner?.spec.drain?.scope === 'Node') return undefined;
  return expectRolloutState(before, forecastNode({ ...start, pods: [] }).rolloutState.request);
}

/** What is counted of a node for its policies. */
type Counted = Parameters<Fleet['note']>[1];

/**
 * What a policy of mode Plan would do to a node over which another policy decides. The node's agent plans the wish of that one alone.
 *
 * @param claim as if the policy decided
 * @param partition with the pods on its slices
 */
export function planPreview(node: string, claim: NodePolicy, partition: GpuNodePartition | undefined): Counted {
  const { device = {} } = partition?.status ?? {};
  const { wish } = claim;
  if (partition === undefined || wish === undefined) {
    const message = 'the agent on this node has not reported its GPUs yet';
    return { node, phase: 'Pending', reason: 'AgentNotReporting', message };
  }
  if ('refusal' in wish) return { node, phase: 'Invalid', ...wish.told };
  const foreign = foreignOn(device);
  // Only the agent sees processes that belong to no pod: a plan is the same without their names.
  const { report: plan } = planWish(device, wish.wish, foreign);
  const planned = { ...partition, status: { ...partition.status, device: { ...device, plan } } };
  const message = `mode Plan, nothing changes: ${plan.refusal ?? describePlan({ partition: planned, claim })}`;
  return { node, phase: 'Pending', reason: 'PlanOnly', message, plan };
}

/**
 * How a node stands at a new generation until it has been looked at: its failures were of the generation before.
 * @param expected what it would request; undefined if nothing is expected of it
 */
export function expectRolloutState(before: NodeRolloutState, expected: NodeRolloutState['request']): NodeRolloutState {
  const { request: _before, ...rest } = before;
  const request = before.isUnderWay ? undefined : expected;
  return { ...rest, hasFailed: false, isVerified: false, ...(request && { request }) };
}
