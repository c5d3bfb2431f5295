// Room rollout: which nodes of a policy may change now, by its budget, canary, windows and pauses, and by the cap over all policies.
// Ask here for the next step of a policy’s ledger of nodes in flight, or a play of several ledgers without a cluster.
import { durationMs, timeText } from '../text/syntax.ts';
import {
  type RolloutBudget,
  isFor,
  type NodeRolloutState,
  type Slot,
  type SlotKind,
  judgeBudget,
  mostSlots,
  type CanaryState,
  judgeCanary,
  type ClusterCap,
  type RolloutGate,
  recordPace,
  capBeside,
  type Canary,
  type Pace,
} from './budget.ts';
import { FleetRollout, type RequestQueue, type RolloutStates } from './fleet.ts';
import type { GpuPartitionPolicy } from '../../api/types.ts';

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
      cap: capBeside(name, this.#cap, this.#ledgers),
      frozen: undefined,
    });
    this.begin(name, step.canary, step.ledger);
    return step;
  }
}
