import type { GpuPartitionPolicy, PolicyStatus } from '../../api/types.ts';
import { durationMs, timeText } from '../text/duration.ts';
import type { Admits } from './admits.ts';
import { type CanaryState, judgeCanary } from './canary.ts';
import type { ClusterCap } from './cap.ts';
import { mostNames, type RolloutGate } from './gate.ts';
import { countLimit } from './limit.ts';
import { notePace } from './pace.ts';
import { type Canary, isFor, type NodeRolloutState, type Pace, type Slot, type SlotKind } from './slot.ts';
import type { RequestQueue, RolloutStates } from './rollout-states.ts';
import { stateOfWindows } from './windows.ts';

/** All input for the admission decision. */
export interface LedgerSnapshot {
  readonly now: number;
  readonly policy: GpuPartitionPolicy;
  /** Of the nodes that the policy decides over. */
  readonly rolloutStates: RolloutStates;
  /** How many of them have GPUs: the base of percentages. */
  readonly size: number;
  /** How a node stands, whichever policy decides over it; undefined if it has not been processed yet. */
  readonly rolloutStateOf: (node: string) => NodeRolloutState | undefined;
  /** Undefined if there is no such node. */
  readonly uidOf: (node: string) => string | undefined;
  /** Which of them may start. */
  readonly admits: Admits;
  readonly cap: ClusterCap;
  /** Why the whole cluster is frozen; undefined if it is not. */
  readonly frozen: string | undefined;
}

export interface LedgerStep {
  readonly ledger: readonly Slot[];
  readonly canary: Canary | undefined;
  /** Undefined if no node has been verified at this generation. */
  readonly pace: Pace | undefined;
  /** Nodes that got a slot. */
  readonly admitted: readonly string[];
  /** Nodes that lost theirs. */
  readonly released: readonly string[];
  /** What keeps nodes waiting; undefined if none waits, or only for others to finish. */
  readonly gate: RolloutGate | undefined;
  readonly limits: RolloutLimits;
  /** When this changes without any event, in ms. */
  readonly requeueAfterMs: number | undefined;
}

/** What a rollout may do now, in numbers of nodes. */
export type RolloutLimits = NonNullable<PolicyStatus['limits']>;

/** The API keeps at most this many entries. */
const mostSlots = 500;

/**
 * One step of a policy's rollout: releases the slots of nodes that are verified or given up, records nodes that change without a
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
  const limits = judgeLimits(snapshot, counted, canary);
  const ledger = counted.map((slot) => renew(slot, limits, snapshot) ?? slot);
  const renewed = ledger.filter((slot) => !counted.includes(slot));
  const chosen = choose(limits, snapshot, held);
  const admitted = chosen.map(({ rolloutState, kind }) => makeSlot(rolloutState, kind, snapshot));
  const canaries = chosen.flatMap(({ rolloutState, kind }) => (kind === 'New' ? [rolloutState.node] : []));
  return {
    ledger: [...ledger, ...admitted],
    canary: noteCanaries(canary, canaries),
    pace: notePace(
      snapshot,
      before.filter(({ node }) => !known.has(node)),
    ),
    admitted: [...found, ...renewed, ...admitted].map(({ node }) => node),
    released: before.flatMap(({ node }) => (known.has(node) ? [] : [node])),
    gate: rolloutStates.isAsked ? limits.gate : undefined,
    limits: limits.counts,
    requeueAfterMs: requeueAfter(snapshot, ledger, limits),
  };
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

interface Limits extends Places {
  readonly gate: RolloutGate | undefined;
  readonly counts: RolloutLimits;
  /** Whether a node whose change disrupts nobody may start. */
  readonly mayStart: boolean;
  /** Whether a node that may run pods may start. */
  readonly mayDisrupt: boolean;
  /** Nothing new may start. */
  readonly isHalted: boolean;
  /** What of this changes with time alone, in ms from now. */
  readonly changesIn: readonly number[];
  /** How many of kind New. */
  readonly mostNew: number;
  /** How many of all kinds. */
  readonly room: number;
}

interface Places {
  /** Part of maxUnavailable not used by nodes that are in flight or not ready. */
  readonly open: number;
  /** The same less the nodes that have failed. */
  readonly free: number;
  /** Nodes that are not in flight have used it up. */
  readonly isTakenByOthers: boolean;
}

function judgeLimits(snapshot: LedgerSnapshot, ledger: readonly Slot[], canary: CanaryState): Limits {
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
    most === 0 ? { reason: 'Held' } : window.isOpen ? undefined : { reason: 'WindowClosed', opensAt: window.opensAt };
  const halts: RolloutGate | undefined = isHalted
    ? { reason: 'Halted', failed: rolloutStates.failed, threshold, isCanary }
    : undefined;
  const waits: RolloutGate | undefined =
    canary.places === 0
      ? { reason: 'CanarySoak', nodes: canary.record?.nodes ?? [], endsAt: canary.endsAt }
      : undefined;
  const places = countPlaces(most, ledger, rolloutStates);
  const room = Math.min(cap.most - cap.others.length, mostSlots) - ledger.length;
  const opensIn = window.isOpen || window.opensAt === undefined ? [] : [window.opensAt - now];
  return {
    gate: stops ?? halts ?? holds ?? waits ?? findShortage(snapshot, most, places, room),
    counts: { nodes: size, maxUnavailable: most, maxConcurrentNodes: cap.most },
    ...places,
    room,
    mayStart: stops === undefined,
    mayDisrupt: stops === undefined && holds === undefined,
    isHalted,
    changesIn: [...opensIn, ...(canary.endsAt === undefined ? [] : [canary.endsAt - now])],
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
  return { open, free: held.length === 0 ? Math.min(open, Math.max(1, free)) : free, isTakenByOthers };
}

/** What uses up the missing places, if not nodes of this ledger: those finish, and that is progress. */
function findShortage(
  { rolloutStates, cap }: LedgerSnapshot,
  most: number,
  { isTakenByOthers }: Places,
  room: number,
): RolloutGate | undefined {
  if (isTakenByOthers) {
    const nodes = rolloutStates.firstUnavailable(mostNames);
    return { reason: 'NodesUnavailable', most, count: rolloutStates.unavailable.size, nodes };
  }
  return room <= 0 && cap.others.length > 0 ? { reason: 'Capped', ...cap } : undefined;
}

interface Choice {
  readonly rolloutState: NodeRolloutState;
  readonly kind: SlotKind;
}

/** Who gets a slot: repairs, nodes that are already tainted, the cheapest of the rest, and last failed nodes, so that they starve no other. */
function choose(
  { mayStart, mayDisrupt, isHalted, mostNew, open, free, room }: Limits,
  { rolloutStates, uidOf, admits }: LedgerSnapshot,
  held: ReadonlySet<string>,
): readonly Choice[] {
  if (admits === 'Nobody') return [];
  const chosen: Choice[] = [];
  const take = (queue: RequestQueue, kind: SlotKind, most: number): number => {
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
  const repairs = take('Repair', 'Repair', mayDisrupt ? free : 0);
  take('Fresh', 'Fresh', isHalted ? 0 : anybody);
  const others = take('New', 'New', mayDisrupt && !isHalted ? Math.min(mostNew, free - repairs) : 0);
  take('FreshRetry', 'Fresh', anybody);
  // These are counted already.
  take('Retry', 'Retry', mayDisrupt ? open - repairs - others : 0);
  return chosen;
}

/**
 * A node that is closed for an earlier wish keeps its place for the one that it has now: it might never be opened for that, as long as
 * its plugin does not offer what its device has become. It takes no new place, and obeys all else that a new one does.
 */
function renew(
  slot: Slot,
  { mayStart, mayDisrupt, isHalted, mostNew }: Limits,
  snapshot: LedgerSnapshot,
): Slot | undefined {
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
  const mayBegin = request.kind !== 'New' || (!isHalted && mostNew === Infinity);
  // A Fresh slot takes no place.
  const isFree = request.kind === 'Fresh' ? mayStart : mayDisrupt && slot.kind !== 'Fresh';
  return isSeen && mayBegin && isFree ? makeSlot(rolloutState, request.kind, snapshot) : undefined;
}

function noteCanaries({ record, places }: CanaryState, started: readonly string[]): Canary | undefined {
  if (record === undefined || places === undefined || started.length === 0) return record;
  const { readySince: _over, ...rest } = record;
  return { ...rest, nodes: [...record.nodes, ...started] };
}

/** A node that another policy has won triggers no event here. */
const othersPollMs = 1000;

function requeueAfter(
  { policy, rolloutStateOf }: LedgerSnapshot,
  ledger: readonly Slot[],
  { changesIn }: Limits,
): number | undefined {
  if (ledger.some(({ node }) => rolloutStateOf(node)?.policy !== policy.metadata.name)) return othersPollMs;
  return changesIn.length === 0 ? undefined : Math.min(...changesIn) + 100;
}
