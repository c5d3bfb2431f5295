// Room rollout: which nodes of a policy may change now, by its budget, canary, windows and pauses, and by the cap over all policies.
// Ask here how nodes stand for rollouts, for the next step of a policy’s ledger of nodes in flight, or a play of several without a cluster.
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
  type SlotRequest,
  type Limit,
  countLimit,
} from './budget.ts';
import type { GpuPartitionPolicy } from '../../api/types.ts';
import { compareText, deepEqual } from '../text/json.ts';

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

/**
 * Names ordered by cost, those of equal cost by name: the order does not depend on who looked when, and `plan` can tell it. There are few
 * different costs, and a name is found by bisection, so an addition or removal costs next to nothing however many names there are.
 */
export class CostQueue {
  readonly #levelOf = new Map<string, Level>();
  /** Ascending; none is empty. */
  readonly #levels: Level[] = [];

  get size(): number {
    return this.#levelOf.size;
  }

  add(name: string, cost: number): void {
    if (this.#levelOf.get(name)?.cost === cost) return;
    this.delete(name);
    const level = this.#levels.find((one) => one.cost === cost) ?? this.#insert(cost);
    level.names.splice(placeOf(name, level.names), 0, name);
    this.#levelOf.set(name, level);
  }

  delete(name: string): void {
    const level = this.#levelOf.get(name);
    if (!level) return;
    this.#levelOf.delete(name);
    level.names.splice(placeOf(name, level.names), 1);
    if (level.names.length === 0) this.#levels.splice(this.#levels.indexOf(level), 1);
  }

  /** The cheapest first. */
  *inOrder(): Iterable<string> {
    for (const { names } of this.#levels) yield* names;
  }

  #insert(cost: number): Level {
    const level = { cost, names: [] };
    const next = this.#levels.findIndex((other) => other.cost > cost);
    this.#levels.splice(next === -1 ? this.#levels.length : next, 0, level);
    return level;
  }
}

/** The names of one cost, in order. */
interface Level {
  readonly cost: number;
  readonly names: string[];
}

/** The index at which a name is, or belongs, among sorted names. */
function placeOf(name: string, names: readonly string[]): number {
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareText(names[middle] ?? '', name) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** `FreshRetry`: failed before, and is already tainted. */
export type RequestQueue = SlotRequest['kind'] | 'FreshRetry';

/** The cost of one eviction, which exceeds the instances that any node can have to destroy: evictions count first, then instances. */
const evictionCost = 100_000;
/** A cost that exceeds that of any change: a node whose pods did not go queues behind all others. */
const restCost = 1e12;

/** The nodes that a policy decides over. */
export interface OwnNodes {
  /** How often these have become others. */
  readonly changes: number;
  has(node: string): boolean;
}

/** The nodes of one policy as its rollout sees them, counted incrementally: an event costs the same however many nodes there are. */
export class RolloutStates {
  readonly #nodes = new Map<string, NodeRolloutState>();
  readonly #withGpus = new Set<string>();
  /** How often these have become others. */
  #gpuChanges = 0;
  #counted: { readonly own: OwnNodes; readonly changes: number; readonly count: number } | undefined;
  readonly #unavailable = new Set<string>();
  readonly #failed = new Set<string>();
  /** Failed nodes that are available. */
  readonly #failedOpen = new Set<string>();
  readonly #underWay = new Set<string>();
  readonly #queues: Readonly<Record<RequestQueue, CostQueue>> = {
    Repair: new CostQueue(),
    Retry: new CostQueue(),
    FreshRetry: new CostQueue(),
    Fresh: new CostQueue(),
    New: new CostQueue(),
  };

  /** @returns whether anything changed */
  put(rolloutState: NodeRolloutState): boolean {
    const { node, request } = rolloutState;
    const before = this.#nodes.get(node);
    if (before !== undefined && deepEqual(before, rolloutState)) return false;
    // A node with the same request as before keeps its place.
    const queue = request && queueOf(request);
    if (before?.request && queueOf(before.request) !== queue) this.#queues[queueOf(before.request)].delete(node);
    this.#nodes.set(node, rolloutState);
    const isAvailable = rolloutState.isReady && !rolloutState.isCordoned;
    if (mark(this.#withGpus, node, rolloutState.hasGpus)) this.#gpuChanges += 1;
    // A node that was never available does not count as unavailable.
    mark(this.#unavailable, node, !isAvailable && !rolloutState.isClosedAnyway);
    mark(this.#failed, node, rolloutState.hasFailed);
    mark(this.#failedOpen, node, rolloutState.hasFailed && isAvailable && !rolloutState.isClosedAnyway);
    mark(this.#underWay, node, rolloutState.isUnderWay);
    if (request && queue) this.#queues[queue].add(node, costOf(request));
    return true;
  }

  /** @returns whether it was there */
  remove(node: string): boolean {
    const before = this.#nodes.get(node);
    if (!before) return false;
    this.#nodes.delete(node);
    if (this.#withGpus.delete(node)) this.#gpuChanges += 1;
    for (const set of [this.#unavailable, this.#failed, this.#failedOpen, this.#underWay]) set.delete(node);
    if (before.request) this.#queues[queueOf(before.request)].delete(node);
    return true;
  }

  get(node: string): NodeRolloutState | undefined {
    return this.#nodes.get(node);
  }

  /**
   * How many have GPUs: the base of percentages. Counted again only when it may be another number.
   * @param own those that the policy still decides over: one that an edit has just left out is here until it is looked at
   */
  countGpuNodes(own?: OwnNodes): number {
    if (own === undefined) return this.#withGpus.size;
    const changes = own.changes + this.#gpuChanges;
    if (this.#counted?.own === own && this.#counted.changes === changes) return this.#counted.count;
    let count = 0;
    for (const node of this.#withGpus) if (own.has(node)) count += 1;
    this.#counted = { own, changes, count };
    return count;
  }

  /** Nodes on which no new pod can run, for reasons other than the rollout. */
  get unavailable(): ReadonlySet<string> {
    return this.#unavailable;
  }

  firstUnavailable(most: number): readonly NodeRolloutState[] {
    const found: NodeRolloutState[] = [];
    for (const node of this.#unavailable) {
      if (found.length === most) break;
      const rolloutState = this.#nodes.get(node);
      if (rolloutState) found.push(rolloutState);
    }
    return found;
  }

  get failed(): ReadonlySet<string> {
    return this.#failed;
  }

  /** Nodes that have failed and are available. */
  get failedOpen(): ReadonlySet<string> {
    return this.#failedOpen;
  }

  get underWay(): ReadonlySet<string> {
    return this.#underWay;
  }

  /**
   * Nodes that request a slot, the cheapest first: fewest evictions, then fewest instances destroyed; those whose pods did not go come
   * last.
   */
  *inOrder(queue: RequestQueue): Iterable<NodeRolloutState> {
    for (const name of this.#queues[queue].inOrder()) {
      const rolloutState = this.#nodes.get(name);
      if (rolloutState) yield rolloutState;
    }
  }

  /** Whether any node requests a slot. */
  get isAsked(): boolean {
    return Object.values(this.#queues).some(({ size }) => size > 0);
  }
}

function costOf({ failedDrains, evictions, destroys }: SlotRequest): number {
  return failedDrains * restCost + evictions * evictionCost + destroys;
}

function queueOf({ kind, isClosedAnyway }: SlotRequest): RequestQueue {
  return kind === 'Retry' && isClosedAnyway ? 'FreshRetry' : kind;
}

/** @returns whether this is new */
function mark(set: Set<string>, node: string, belongs: boolean): boolean {
  if (set.has(node) === belongs) return false;
  if (belongs) set.add(node);
  else set.delete(node);
  return true;
}

/** How all nodes stand, each under the policy that decides over it. */
export class FleetRollout {
  readonly #nodes = new Map<string, NodeRolloutState>();
  readonly #policies = new Map<string, RolloutStates>();
  #withGpus = 0;

  /** How many nodes have been looked at. */
  get known(): number {
    return this.#nodes.size;
  }

  /** How many nodes have GPUs, whichever policy decides over them: the base of the cap over all policies. */
  get size(): number {
    return this.#withGpus;
  }

  /** What all policies together may have in flight beside one of them. @param ledgers of all policies, by name */
  capBeside(
    policy: string,
    most: Limit,
    ledgers: Iterable<readonly [policy: string, ledger: readonly Slot[]]>,
  ): ClusterCap {
    return capBeside(policy, countLimit(most, this.size), ledgers);
  }

  /** Policies of which nodes wait for a slot. */
  get asking(): readonly string[] {
    return [...this.#policies].flatMap(([name, { isAsked }]) => (isAsked ? [name] : []));
  }

  /** @returns policies whose rollout this may advance */
  put(rolloutState: NodeRolloutState): readonly string[] {
    const before = this.#nodes.get(rolloutState.node);
    const left = before !== undefined && before.policy !== rolloutState.policy ? this.#leave(before) : [];
    this.#nodes.set(rolloutState.node, rolloutState);
    const resized = this.#count(before, rolloutState);
    const { policy } = rolloutState;
    const moved = policy !== undefined && this.of(policy).put(rolloutState) ? [policy] : [];
    return [...new Set([...left, ...moved, ...resized])];
  }

  /** @returns policies whose rollout this may advance */
  remove(node: string): readonly string[] {
    const before = this.#nodes.get(node);
    this.#nodes.delete(node);
    this.#count(before, undefined);
    return before === undefined ? [] : this.#leave(before);
  }

  /** Called before a node with a slot is processed: it counts as under way until its outcome is known. */
  begin(node: string): void {
    const before = this.#nodes.get(node);
    if (before && !before.isUnderWay) this.put({ ...before, isUnderWay: true, isBegun: true });
  }

  rolloutStateOf(node: string): NodeRolloutState | undefined {
    return this.#nodes.get(node);
  }

  /**
   * How nodes stand for a ledger. A standing from before a node's slot was known, or before another policy won the node, says nothing about
   * the slot: an old leader would take it from a node that the new leader lets proceed.
   *
   * @param winnerOf the policy that decides over a node now
   */
  standingFor(
    ledger: readonly Slot[],
    winnerOf: (node: string) => string | undefined,
  ): (node: string) => NodeRolloutState | undefined {
    const slots = new Map(ledger.map((slot) => [slot.node, slot]));
    return (node) => {
      const state = this.#nodes.get(node);
      const slot = slots.get(node);
      const isOutdated = state && (state.policy !== winnerOf(node) || (slot && isNewSlot(slot, state)));
      return isOutdated === true ? { ...state, isUnderWay: true } : state;
    };
  }

  /** Nodes in a ledger that have not been looked at since their slot appeared: another leader gave it. */
  newIn(ledger: readonly Slot[]): readonly string[] {
    return ledger.flatMap((slot) => {
      const state = this.#nodes.get(slot.node);
      return state && isNewSlot(slot, state) ? [slot.node] : [];
    });
  }

  of(policy: string): RolloutStates {
    const known = this.#policies.get(policy) ?? new RolloutStates();
    this.#policies.set(policy, known);
    return known;
  }

  dropPolicy(policy: string): void {
    this.#policies.delete(policy);
  }

  /** @returns policies whose nodes wait for a slot, if there is more to share among all */
  #count(before: NodeRolloutState | undefined, after: NodeRolloutState | undefined): readonly string[] {
    const more = Number(after?.hasGpus === true) - Number(before?.hasGpus === true);
    this.#withGpus += more;
    return more > 0 ? this.asking : [];
  }

  #leave({ node, policy }: NodeRolloutState): readonly string[] {
    // Of a policy that is gone, nothing is made again.
    return policy !== undefined && this.#policies.get(policy)?.remove(node) === true ? [policy] : [];
  }
}

function isNewSlot({ startTime = '' }: Slot, { seen }: NodeRolloutState): boolean {
  return seen?.includes(startTime) !== true;
}
