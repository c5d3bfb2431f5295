import type { NodeRolloutState } from './budget.ts';
import { compareText, deepEqual } from '../text/json.ts';

type SlotRequest = NonNullable<NodeRolloutState['request']>;

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
