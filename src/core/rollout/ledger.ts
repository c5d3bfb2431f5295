// Room rollout: which nodes of a policy may change now, by its budget, canary, windows and pauses, and by the cap over all policies.
// Ask here what stops a rollout, in words, for the next step of a policy’s ledger of nodes in flight, or a play of several without a cluster.
import { durationMs, timeText } from '../text/syntax.ts';
import { countWords } from '../text/words.ts';
import {
  type ClusterCap,
  countLimit,
  FleetRollout,
  isFor,
  type NodeRolloutState,
  type Slot,
  stateOfWindows,
} from './budget.ts';
import type { RequestQueue, RolloutStates } from './states.ts';
import type { GpuPartitionPolicy, PolicyStatus } from '../../api/types.ts';
import type { PolicyReason } from '../../api/names.ts';

/**
 * Why nodes that request a slot do not get one, other than that others have it. Points in time rather than remaining time: otherwise
 * every look would be a write.
 */
type RolloutGate =
  | { readonly reason: 'Frozen'; readonly why: string }
  | { readonly reason: 'Paused' }
  | { readonly reason: 'Held' }
  | {
      readonly reason: 'Halted';
      readonly failed: ReadonlySet<string>;
      readonly threshold: number;
      readonly isCanary: boolean;
    }
  | { readonly reason: 'WindowClosed'; readonly opensAt: number | undefined }
  | { readonly reason: 'Capped'; readonly most: number; readonly others: ClusterCap['others'] }
  | {
      readonly reason: 'NodesUnavailable';
      readonly most: number;
      readonly count: number;
      /** The first of them. */
      readonly nodes: readonly NodeRolloutState[];
      /** Nodes in flight besides those: they take places too. */
      readonly changing: number;
    }
  | { readonly reason: 'CanarySoak'; readonly nodes: readonly string[]; readonly endsAt: number | undefined };

/** How many of the nodes that keep others waiting are named. */
const mostNames = 5;

/** How the words for a frozen cluster begin: they end the message of every policy. */
export const frozenWords = 'the whole cluster is frozen';

/** Describes a gate for conditions: why it is closed, and what to do. */
export function describeGate(gate: RolloutGate): string {
  switch (gate.reason) {
    case 'Frozen':
      return `${frozenWords}: ${gate.why}. No node starts to change; restart the controller without --freeze to continue`;
    case 'Paused':
      return 'the rollout is paused; set spec.rollout.paused to false to continue';
    case 'Held':
      return 'spec.rollout.maxUnavailable is 0: no node starts to change; raise it to continue';
    case 'Halted': {
      const names = listNames([...gate.failed]);
      const limit = gate.isCanary ? 'a canary must not fail' : `spec.rollout.failureThreshold is ${gate.threshold}`;
      return `${gate.failed.size} failed (${names}), and ${limit}: no new node starts. Failed nodes are retried; the rollout continues when they are Ready, or when the policy changes`;
    }
    case 'WindowClosed':
      return gate.opensAt === undefined
        ? 'no window in spec.rollout.windows ever opens'
        : `outside spec.rollout.windows; the next window opens at ${timeText(gate.opensAt)}`;
    case 'Capped': {
      const most = countWords(gate.most, 'node');
      return `--max-concurrent-nodes of the controller allows ${most} of all policies at a time, and others change now: ${listHolders(gate.others)}`;
    }
    case 'NodesUnavailable': {
      const { count, nodes, changing } = gate;
      const beside = changing === 0 ? '' : ` beside ${changing} that ${changing === 1 ? 'changes' : 'change'}`;
      const names = nodes.map(({ node, isReady }) => `${node} (${isReady ? 'cordoned' : 'not Ready'})`);
      const most = countWords(gate.most, 'unavailable node');
      return `spec.rollout.maxUnavailable allows ${most}, and there ${count === 1 ? 'is' : 'are'} ${count} already${beside}: ${listNames(names, count)}. The rollout continues when fewer are`;
    }
    case 'CanarySoak': {
      const names = listNames(gate.nodes);
      return gate.endsAt === undefined
        ? `waiting for the canary: ${names}`
        : `the canary is Ready (${names}); the rest follows at ${timeText(gate.endsAt)}`;
    }
  }
}

/** What keeps every node of a policy from starting, whichever asks. */
interface RolloutStop {
  readonly reason: PolicyReason;
  /** The reason in words, with what to do. */
  readonly message: string;
}

/**
 * Finds what stops the whole rollout of a policy, by what its author wrote and by its status; undefined if nothing does.
 *
 * @param now in ms since the epoch; undefined: what depends on the time is not told
 */
export function findStop({ spec, status }: GpuPartitionPolicy, now: number | undefined): RolloutStop | undefined {
  if (spec.mode === 'Plan') return { reason: 'PlanOnly', message: 'mode Plan changes nothing: set mode: Enforce' };
  const { paused, maxUnavailable = 1, windows } = spec.rollout ?? {};
  if (paused === true) return stopBy({ reason: 'Paused' });
  if (countLimit(maxUnavailable, 1) === 0) return stopBy({ reason: 'Held' });
  const window = now === undefined ? undefined : stateOfWindows(windows, now);
  if (window?.isOpen === false) return stopBy({ reason: 'WindowClosed', opensAt: window.until });
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const reason = (['Frozen', 'Halted'] as const).find((one) => one === ready?.reason);
  return ready?.status === 'False' && reason !== undefined ? { reason, message: ready.message } : undefined;
}

function stopBy(gate: RolloutGate): RolloutStop {
  return { reason: gate.reason, message: describeGate(gate) };
}

function listHolders(holders: ClusterCap['others']): string {
  const named = holders.slice(0, mostNames);
  const more = holders.length - named.length;
  const groups = [...Map.groupBy(named, ({ policy }) => policy)].map(([policy, nodes]) => {
    const words = nodes.map(({ node, since }) => (since === undefined ? node : `${node} (since ${since})`));
    return `policy ${policy} ${words.join(', ')}`;
  });
  return [...groups, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/** @param count if these are only the first of so many */
function listNames(names: readonly string[], count = names.length): string {
  const more = count - mostNames;
  return more > 0 ? `${names.slice(0, mostNames).join(', ')} and ${more} more` : names.join(', ');
}

/** The input of the admission decision. */
export interface LedgerSnapshot {
  readonly now: number;
  readonly policy: GpuPartitionPolicy;
  /** Whether it has asked for the same since an earlier generation, but for `mode` and `rollout`; false where that is unknown. */
  readonly hasAskedSince: (generation: number) => boolean;
  /** States of the nodes that the policy decides over. */
  readonly rolloutStates: RolloutStates;
  /** How many of them have GPUs: the base of percentages. */
  readonly size: number;
  /** How a node stands, whichever policy decides over it; undefined if it has not been processed yet. */
  readonly rolloutStateOf: (node: string) => NodeRolloutState | undefined;
  /** The uid of a node; undefined if it does not exist. */
  readonly uidOf: (node: string) => string | undefined;
  /** Which of the nodes may start. */
  readonly admits: Admits;
  readonly cap: ClusterCap;
  /** Why the whole cluster is frozen; undefined if it is not. */
  readonly frozen: string | undefined;
}

export interface LedgerStep {
  readonly ledger: readonly Slot[];
  readonly canary: Canary | undefined;
  /** The pace of this generation; undefined if no node of it has been verified. */
  readonly pace: Pace | undefined;
  /** Nodes that got a slot. */
  readonly admitted: readonly string[];
  /** Nodes that lost theirs. */
  readonly released: readonly string[];
  /** What keeps nodes waiting; undefined if none waits, or only for others to finish. */
  readonly gate: RolloutGate | undefined;
  readonly limits: RolloutBudget['counts'];
  /** Milliseconds until this changes without any event; undefined if it does not. */
  readonly requeueAfterMs: number | undefined;
}

/**
 * Takes one step of a policy's rollout: releases the slots of nodes that are verified or given up, records nodes that change without a
 * slot, and admits those that may start. Pure; an unchanged world yields an unchanged ledger.
 */
export function stepLedger(snapshot: LedgerSnapshot): LedgerStep {
  const { policy, rolloutStates, uidOf } = snapshot;
  const before = policy.status?.inFlight ?? [];
  // 1. What has been released, and what is under way unrecorded: lost status, a controller that died.
  const kept = before.filter((slot) => isHeld(slot, snapshot));
  const known = new Set(kept.map(({ node }) => node));
  const found = [...rolloutStates.underWay]
    .filter((node) => !known.has(node))
    .flatMap((node) => rolloutStates.get(node) ?? [])
    .filter(({ node, nodeUID, isBegun }) => uidOf(node) === nodeUID && isBegun !== true)
    .map((rolloutState) => makeSlot(rolloutState, rolloutState.isClosedAnyway ? 'Fresh' : 'Found', snapshot));
  const counted = [...kept, ...found].slice(0, mostSlots);
  const held = new Set(counted.map(({ node }) => node));
  // 2. Which nodes may start.
  const canary = judgeCanary(snapshot, held);
  const budget = judgeBudget(snapshot, counted, canary);
  const exchanged = renew(counted, budget, snapshot);
  const ledger = counted.map((slot) => exchanged.get(slot) ?? slot);
  const renewed = [...exchanged.values()];
  const mostNew = budget.mostNew - renewed.filter(isNew).length;
  const chosen = choose({ ...budget, mostNew }, snapshot, held);
  const admitted = chosen.map(({ rolloutState, kind }) => makeSlot(rolloutState, kind, snapshot));
  const canaries = [...renewed, ...admitted].filter(isNew).map(({ node }) => node);
  return {
    ledger: [...ledger, ...admitted],
    canary: recordCanaries(canary, canaries),
    pace: recordPace(
      snapshot,
      before.filter(({ node }) => !known.has(node)),
    ),
    admitted: [...found, ...renewed, ...admitted].map(({ node }) => node),
    released: before.flatMap(({ node }) => (known.has(node) ? [] : [node])),
    gate: rolloutStates.isAsked ? budget.gate : undefined,
    limits: budget.counts,
    requeueAfterMs: requeueAfter(snapshot, ledger, budget),
  };
}

function isNew({ kind }: Slot): boolean {
  return kind === 'New';
}

/** A slot is released when the node is found finished by a decision that knew of the slot. */
function isHeld(slot: Slot, { policy, rolloutStateOf, uidOf }: LedgerSnapshot): boolean {
  const uid = uidOf(slot.node);
  const rolloutState = rolloutStateOf(slot.node);
  if (uid === undefined) return false;
  // A Node that was recreated may be closed too: the place is not free before that is known.
  if (uid !== slot.nodeUID) return rolloutState?.nodeUID !== uid;
  if (rolloutState === undefined || rolloutState.isUnderWay) return true;
  const decides = rolloutState.policy === policy.metadata.name && isFor(slot, rolloutState);
  return decides && rolloutState.slot !== slot.startTime;
}

function recordCanaries({ record, places }: CanaryState, started: readonly string[]): Canary | undefined {
  if (record === undefined || places === undefined || started.length === 0) return record;
  const { readySince: _over, ...rest } = record;
  return { ...rest, nodes: [...record.nodes, ...started] };
}

/** A node that another policy has won triggers no event here. */
const othersPollMs = 1000;

function requeueAfter(
  { policy, rolloutStateOf }: LedgerSnapshot,
  ledger: readonly Slot[],
  { changesIn }: RolloutBudget,
): number | undefined {
  if (ledger.some(({ node }) => rolloutStateOf(node)?.policy !== policy.metadata.name)) return othersPollMs;
  return changesIn.length === 0 ? undefined : Math.min(...changesIn) + 100;
}

function makeSlot({ node, nodeUID }: NodeRolloutState, kind: SlotKind, { policy, now }: LedgerSnapshot): Slot {
  const { generation = 0 } = policy.metadata;
  const timeoutMs = durationMs(policy.spec.drain?.timeout ?? '10m');
  return {
    node,
    nodeUID,
    generation,
    startTime: timeText(now),
    deadline: timeText(now + timeoutMs),
    kind,
  };
}

interface Choice {
  readonly rolloutState: NodeRolloutState;
  readonly kind: SlotKind;
}

/**
 * Chooses who gets a slot: repairs, nodes that are already tainted, the cheapest of the rest, and last failed nodes, so that they starve no
 * other.
 */
function choose(
  { mayStart, mayDisrupt, isHalted, mostNew, open, free, room }: RolloutBudget,
  { rolloutStates, uidOf, admits }: LedgerSnapshot,
  held: ReadonlySet<string>,
): readonly Choice[] {
  if (admits === 'Nobody') return [];
  const chosen: Choice[] = [];
  const admit = (queue: RequestQueue, kind: SlotKind, most: number): number => {
    const before = chosen.length;
    const end = Math.min(room, before + most);
    if (before >= end) return 0;
    for (const rolloutState of rolloutStates.inOrder(queue)) {
      if (held.has(rolloutState.node) || uidOf(rolloutState.node) !== rolloutState.nodeUID) continue;
      if (admits === 'WithoutEvictions' && rolloutState.request?.evictions !== 0) continue;
      chosen.push({ rolloutState, kind });
      if (chosen.length >= end) break;
    }
    return chosen.length - before;
  };
  // If no user can be disrupted, neither window nor budget applies.
  const anybody = mayStart ? Infinity : 0;
  const repairs = admit('Repair', 'Repair', mayDisrupt ? free : 0);
  admit('Fresh', 'Fresh', isHalted ? 0 : anybody);
  const others = admit('New', 'New', mayDisrupt && !isHalted ? Math.min(mostNew, free - repairs) : 0);
  admit('FreshRetry', 'Fresh', anybody);
  // These are counted already.
  admit('Retry', 'Retry', mayDisrupt ? open - repairs - others : 0);
  return chosen;
}

/**
 * Exchanges the slots of nodes that are closed for an earlier wish, for the one that they have now: such a node might never be opened
 * for the earlier one, as long as its plugin does not offer what its device has become. It takes no new place, and obeys all else that a
 * new one does; while canaries are missing, it becomes one of them.
 *
 * @returns for each slot that is exchanged, the one that takes its place
 */
function renew(slots: readonly Slot[], budget: RolloutBudget, snapshot: LedgerSnapshot): ReadonlyMap<Slot, Slot> {
  const renewed = new Map<Slot, Slot>();
  let left = budget.isHalted ? 0 : budget.mostNew;
  for (const slot of slots) {
    const next = renewOne(slot, budget, snapshot);
    if (next === undefined || (next.kind === 'New' && left === 0)) continue;
    if (next.kind === 'New') left -= 1;
    renewed.set(slot, next);
  }
  return renewed;
}

function renewOne(slot: Slot, { mayStart, mayDisrupt }: RolloutBudget, snapshot: LedgerSnapshot): Slot | undefined {
  const { policy, admits, rolloutStateOf } = snapshot;
  const rolloutState = rolloutStateOf(slot.node);
  const { request } = rolloutState ?? {};
  if (
    !rolloutState ||
    !request ||
    rolloutState.nodeUID !== slot.nodeUID ||
    rolloutState.policy !== policy.metadata.name
  )
    return undefined;
  if (isFor(slot, rolloutState)) return undefined;
  const isSeen = admits === 'Everybody' || (admits === 'WithoutEvictions' && request.evictions === 0);
  // A Fresh slot takes no place.
  const isFree = request.kind === 'Fresh' ? mayStart : mayDisrupt && slot.kind !== 'Fresh';
  return isSeen && isFree ? makeSlot(rolloutState, request.kind, snapshot) : undefined;
}

/** The API keeps at most this many entries. */
const mostSlots = 500;

/** How many nodes may start now, and what keeps the others waiting. */
interface RolloutBudget extends Places {
  readonly gate: RolloutGate | undefined;
  /** The part of the status about what the rollout may do now, in numbers of nodes. */
  readonly counts: NonNullable<PolicyStatus['limits']>;
  /** Whether a node whose change disrupts nobody may start. */
  readonly mayStart: boolean;
  /** Whether a node that may run pods may start. */
  readonly mayDisrupt: boolean;
  /** True if nothing new may start. */
  readonly isHalted: boolean;
  /** Waits in ms from now, after each of which something of this changes with time alone. */
  readonly changesIn: readonly number[];
  /** The most slots of kind New. */
  readonly mostNew: number;
  /** The most slots of all kinds. */
  readonly room: number;
}

interface Places {
  /** Part of maxUnavailable not used by nodes that are in flight or not ready. */
  readonly open: number;
  /** The open places, less the nodes that have failed. */
  readonly free: number;
  /** Nodes that are not in flight have used it up, or the rest of it. */
  readonly isTakenByOthers: boolean;
  /** Nodes in flight that are available otherwise. */
  readonly changing: number;
}

function judgeBudget(snapshot: LedgerSnapshot, ledger: readonly Slot[], canary: CanaryState): RolloutBudget {
  const { policy, rolloutStates, size, now, frozen, cap } = snapshot;
  const { maxUnavailable = 1, failureThreshold = 1, windows, paused } = policy.spec.rollout ?? {};
  const most = countLimit(maxUnavailable, size);
  const isCanary = canary.places !== undefined;
  const threshold = isCanary ? 1 : Math.max(1, countLimit(failureThreshold, size));
  const isHalted = rolloutStates.failed.size >= threshold;
  const window = stateOfWindows(windows, now);
  const stops: RolloutGate | undefined =
    frozen === undefined ? (paused === true ? { reason: 'Paused' } : undefined) : { reason: 'Frozen', why: frozen };
  const holds: RolloutGate | undefined =
    most === 0 ? { reason: 'Held' } : window.isOpen ? undefined : { reason: 'WindowClosed', opensAt: window.until };
  const halts: RolloutGate | undefined = isHalted
    ? { reason: 'Halted', failed: rolloutStates.failed, threshold, isCanary }
    : undefined;
  const waits: RolloutGate | undefined =
    canary.places === 0
      ? { reason: 'CanarySoak', nodes: canary.record?.nodes ?? [], endsAt: canary.endsAt }
      : undefined;
  const places = countPlaces(most, ledger, rolloutStates);
  const room = Math.min(cap.most - cap.others.length, mostSlots) - ledger.length;
  const changesAt = [window.until, canary.endsAt];
  return {
    gate: stops ?? halts ?? holds ?? waits ?? findShortage(snapshot, most, places, room),
    counts: { nodes: size, maxUnavailable: most, maxConcurrentNodes: cap.most },
    ...places,
    room,
    mayStart: stops === undefined,
    mayDisrupt: stops === undefined && holds === undefined,
    isHalted,
    changesIn: changesAt.flatMap((time) => (time === undefined ? [] : [time - now])),
    mostNew: canary.places ?? Infinity,
  };
}

/**
 * Counts nodes that are in flight, not ready or have failed. Failed nodes that are open again slow a rollout down to one node at a
 * time but do not stop it: that is what the threshold is for.
 */
function countPlaces(most: number, ledger: readonly Slot[], rolloutStates: RolloutStates): Places {
  const held = ledger.flatMap(({ node, kind }) => (kind === 'Fresh' ? [] : [node]));
  const countOthers = (nodes: ReadonlySet<string>): number =>
    nodes.size - held.filter((node) => nodes.has(node)).length;
  const open = Math.max(0, most - held.length - countOthers(rolloutStates.unavailable));
  const free = Math.max(0, open - countOthers(rolloutStates.failedOpen));
  const isTakenByOthers = open === 0 && held.length < most;
  const changing = held.filter((node) => !rolloutStates.unavailable.has(node)).length;
  return { open, free: held.length === 0 ? Math.min(open, Math.max(1, free)) : free, isTakenByOthers, changing };
}

/** What uses up the missing places, if not nodes of this ledger: those finish, and that is progress. */
function findShortage(
  { rolloutStates, cap }: LedgerSnapshot,
  most: number,
  { isTakenByOthers, changing }: Places,
  room: number,
): RolloutGate | undefined {
  if (isTakenByOthers) {
    const nodes = rolloutStates.firstUnavailable(mostNames);
    return { reason: 'NodesUnavailable', most, count: rolloutStates.unavailable.size, nodes, changing };
  }
  return room <= 0 && cap.others.length > 0 ? { reason: 'Capped', ...cap } : undefined;
}

interface CanaryState {
  /** The canaries to keep in the status; undefined if the policy asks for none. */
  readonly record: Canary | undefined;
  /** How many more nodes may start as canaries; undefined if the rest may follow. */
  readonly places: number | undefined;
  /** The time at which the rest may follow, in ms since the epoch; undefined if the canaries are not ready. */
  readonly endsAt?: number | undefined;
}

/** Progress of a generation's canary. @param held nodes with a slot */
function judgeCanary(snapshot: LedgerSnapshot, held: ReadonlySet<string>): CanaryState {
  const { policy, now, rolloutStateOf, hasAskedSince } = snapshot;
  const spec = policy.spec.rollout?.canary;
  if (!spec) return { record: undefined, places: undefined };
  const { generation = 0 } = policy.metadata;
  const { canary: known, schedule } = policy.status ?? {};
  // Each switch has its own: what was right by day says nothing about the night.
  const of = { generation, ...(schedule?.name !== undefined && { schedule: schedule.name }) };
  // One that only looks starts nothing: what was found of the generation in force still holds when that continues.
  if (known && policy.spec.mode === 'Plan') return { record: known, places: 0 };
  // A pause, a resumption and a change of pace ask for nothing new.
  const isSame = known !== undefined && known.schedule === schedule?.name && hasAskedSince(known.generation);
  const before = isSame ? { ...known, generation } : { ...of, nodes: [] };
  // What happens to its nodes later no longer affects it.
  if (before.passedTime !== undefined) return { record: before, places: undefined };
  const nodes = before.nodes.filter((node) => isCanary(node, snapshot, held));
  const places = Math.max(0, spec.nodes - nodes.length);
  // A new leader has not seen all of them yet: do not start over because of that.
  const isUnknown = nodes.some((node) => rolloutStateOf(node) === undefined);
  if (isUnknown && nodes.length === before.nodes.length) return { record: known, places };
  const areReady = places === 0 && nodes.every((node) => isWell(rolloutStateOf(node)));
  // Nor because of a pause or resumption that its nodes have not been looked at for: it asks for what they have.
  const isUnseen = isSame && known.generation !== generation && places === 0;
  if (!areReady && isUnseen && nodes.every((node) => isUntouched(rolloutStateOf(node)) && !held.has(node)))
    return { record: known, places };
  if (!areReady) return { record: { ...of, nodes }, places };
  const readySince = before.readySince ?? timeText(now);
  const endsAt = Date.parse(readySince) + durationMs(spec.soak ?? '0s');
  const record = { ...of, nodes, readySince };
  if (endsAt > now) return { record, places: 0, endsAt };
  return { record: { ...record, passedTime: timeText(now) }, places: undefined };
}

/** A node whose kubelet is gone says nothing about the new layout, however well it was before. */
function isWell(rolloutState: NodeRolloutState | undefined): boolean {
  return rolloutState?.isVerified === true && rolloutState.isReady;
}

/** Nothing happens on a node, nor has to as far as is known. */
function isUntouched(rolloutState: NodeRolloutState | undefined): boolean {
  if (rolloutState === undefined) return false;
  const { isReady, isUnderWay, hasFailed, request } = rolloutState;
  return isReady && !isUnderWay && !hasFailed && request === undefined;
}

/** A canary node that is gone is replaced, and so is one that gave up its slot and waits for another: its pods did not go. */
function isCanary(node: string, { policy, rolloutStateOf, uidOf }: LedgerSnapshot, held: ReadonlySet<string>): boolean {
  if (uidOf(node) === undefined) return false;
  const rolloutState = rolloutStateOf(node);
  if (rolloutState === undefined || held.has(node)) return true;
  return rolloutState.policy === policy.metadata.name && rolloutState.request?.kind !== 'New';
}

/** The nodes that change first at a generation. */
type Canary = NonNullable<PolicyStatus['canary']>;

/** How fast nodes change at a generation. */
type Pace = NonNullable<PolicyStatus['pace']>;

type SlotKind = NonNullable<Slot['kind']>;

/** How fast nodes change at a generation, including those that have just released their slots because they are verified. */
function recordPace({ policy, rolloutStateOf, now }: LedgerSnapshot, released: readonly Slot[]): Pace | undefined {
  const { generation = 0, name } = policy.metadata;
  const known = policy.status?.pace;
  const took = released.flatMap((slot): readonly number[] => {
    const rolloutState = rolloutStateOf(slot.node);
    const isDone = rolloutState?.isVerified === true && rolloutState.policy === name && isFor(slot, rolloutState);
    const startedAt = Date.parse(slot.startTime ?? '');
    // A node that was found changing began at an unknown time.
    const counts = isDone && slot.generation === generation && slot.kind !== 'Found' && Number.isFinite(startedAt);
    return counts ? [Math.max(0, Math.round((now - startedAt) / 1000))] : [];
  });
  // The pace of an earlier generation stays until then: a new generation alone causes no write.
  if (took.length === 0) return known;
  const { nodes, seconds } = known?.generation === generation ? known : { nodes: 0, seconds: 0 };
  return { generation, nodes: nodes + took.length, seconds: took.reduce((sum, one) => sum + one, seconds) };
}

/**
 * The nodes that may start. `WithoutEvictions`: those that evict no pod, as nodes that have not been looked at yet cannot be cheaper in
 * evictions; all others wait until every node has been looked at.
 */
type Admits = 'Nobody' | 'WithoutEvictions' | 'Everybody';

/** Plays the rollouts of policies without a cluster, each by its own ledger, under a cap over all of them. */
export class RolloutPlay {
  /** How all nodes stand. */
  readonly nodes = new FleetRollout();
  readonly #cap: number;
  readonly #ledgers = new Map<string, readonly Slot[]>();
  readonly #canaries = new Map<string, Canary | undefined>();

  /** @param cap how many nodes of all policies together may be in flight */
  constructor(cap: number) {
    this.#cap = cap;
  }

  /** Takes in where the rollout of a policy stands. */
  begin(policy: string, canary: Canary | undefined, ledger: readonly Slot[] = []): void {
    this.#ledgers.set(policy, ledger);
    this.#canaries.set(policy, canary);
  }

  /** Forgets the nodes in flight of a policy. */
  release(policy: string): void {
    this.#ledgers.delete(policy);
  }

  /** Nodes in flight, of all policies. */
  get inFlight(): readonly Slot[] {
    return [...this.#ledgers.values()].flat();
  }

  /** Takes one step of a policy's rollout. */
  step(policy: GpuPartitionPolicy, now: number, admits: Admits): LedgerStep {
    const { name, generation: newest = 0 } = policy.metadata;
    const canary = this.#canaries.get(name);
    const { inFlight: _ledger, canary: _canary, ...status } = policy.status ?? {};
    const inFlight = [...(this.#ledgers.get(name) ?? [])];
    const rolloutStates = this.nodes.of(name);
    const rolloutStateOf = (node: string): NodeRolloutState | undefined => this.nodes.rolloutStateOf(node);
    const step = stepLedger({
      now,
      policy: { ...policy, status: { ...status, inFlight, ...(canary && { canary }) } },
      hasAskedSince: (generation) => generation === newest,
      rolloutStates,
      size: rolloutStates.countGpuNodes(),
      rolloutStateOf,
      uidOf: (node) => rolloutStateOf(node)?.nodeUID,
      admits,
      cap: this.nodes.capBeside(name, this.#cap, this.#ledgers),
      frozen: undefined,
    });
    this.begin(name, step.canary, step.ledger);
    return step;
  }
}
