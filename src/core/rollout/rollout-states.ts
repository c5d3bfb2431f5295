import { sameJson } from '../text/fingerprint.ts';
import { CostQueue } from './cost-queue.ts';
import type { NodeRolloutState, SlotRequest } from './slot.ts';

/** `FreshRetry`: failed before, and is already tainted. */
export type RequestQueue = SlotRequest['kind'] | 'FreshRetry';

/** More than any node can have to destroy: evictions count first, then instances. */
const evictionCost = 100_000;
/** More than any change can cost: a node whose pods did not go queues behind all others. */
const restCost = 1e12;

/** The nodes of one policy as its rollout sees them, counted incrementally: an event costs the same however many nodes there are. */
export class RolloutStates {
  readonly #nodes = new Map<string, NodeRolloutState>();
  readonly #withGpus = new Set<string>();
  readonly #unavailable = new Set<string>();
  readonly #failed = new Set<string>();
  /** Of these, the available ones. */
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
    if (before !== undefined && sameJson(before, rolloutState)) return false;
    // A node with the same request as before keeps its place.
    const queue = request && queueOf(request);
    if (before?.request && queueOf(before.request) !== queue) this.#queues[queueOf(before.request)].delete(node);
    this.#nodes.set(node, rolloutState);
    const isAvailable = rolloutState.isReady && !rolloutState.isCordoned;
    mark(this.#withGpus, node, rolloutState.hasGpus);
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
    const sets = [this.#withGpus, this.#unavailable, this.#failed, this.#failedOpen, this.#underWay];
    for (const set of sets) set.delete(node);
    if (before.request) this.#queues[queueOf(before.request)].delete(node);
    return true;
  }

  get(node: string): NodeRolloutState | undefined {
    return this.#nodes.get(node);
  }

  /**
   * How many have GPUs: the base of percentages.
   * @param isOwn of nodes that the policy still decides over: one that an edit has just left out is here until it is looked at
   */
  countGpuNodes(isOwn: (node: string) => boolean = () => true): number {
    let count = 0;
    for (const node of this.#withGpus) if (isOwn(node)) count += 1;
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

  /** Those that have failed and are available. */
  get failedOpen(): ReadonlySet<string> {
    return this.#failedOpen;
  }

  get underWay(): ReadonlySet<string> {
    return this.#underWay;
  }

  /**
   * Those that request a slot, the cheapest first: fewest evictions, then fewest instances destroyed; those whose pods did not go come
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

function mark(set: Set<string>, node: string, belongs: boolean): void {
  if (belongs) set.add(node);
  else set.delete(node);
}
