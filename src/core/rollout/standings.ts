import { sameJson } from '../text/fingerprint.ts';
import { CostQueue } from './cost-queue.ts';
import type { NodeStanding, SlotRequest } from './slot.ts';

type RequestKind = SlotRequest['kind'];

/** More than any node can have to destroy: evictions come first, then instances. */
const evictionCost = 100_000;

/** The nodes of one policy as its rollout sees them, counted change by change: an event costs the same however many nodes there are. */
export class Standings {
  readonly #nodes = new Map<string, NodeStanding>();
  /** Not available, whoever is to blame. */
  readonly #notReady = new Set<string>();
  readonly #failed = new Set<string>();
  readonly #underWay = new Set<string>();
  readonly #queues: Readonly<Record<RequestKind, CostQueue>> = {
    Repair: new CostQueue(),
    Retry: new CostQueue(),
    Fresh: new CostQueue(),
    New: new CostQueue(),
  };

  /** @returns whether anything is different */
  put(standing: NodeStanding): boolean {
    const { node, request } = standing;
    const before = this.#nodes.get(node);
    if (before !== undefined && sameJson(before, standing)) return false;
    // A node that asks for the same as before keeps its turn.
    if (before?.request && before.request.kind !== request?.kind) this.#queues[before.request.kind].delete(node);
    this.#nodes.set(node, standing);
    // Nobody misses a node that was never there.
    mark(this.#notReady, node, !standing.isReady && !standing.isClosedAnyway);
    mark(this.#failed, node, standing.hasFailed);
    mark(this.#underWay, node, standing.isUnderWay);
    if (request) this.#queues[request.kind].add(node, request.evictions * evictionCost + request.destroys);
    return true;
  }

  /** @returns whether it was there */
  remove(node: string): boolean {
    const before = this.#nodes.get(node);
    if (!before) return false;
    this.#nodes.delete(node);
    for (const set of [this.#notReady, this.#failed, this.#underWay]) set.delete(node);
    if (before.request) this.#queues[before.request.kind].delete(node);
    return true;
  }

  get(node: string): NodeStanding | undefined {
    return this.#nodes.get(node);
  }

  get notReady(): ReadonlySet<string> {
    return this.#notReady;
  }

  get failed(): ReadonlySet<string> {
    return this.#failed;
  }

  get underWay(): ReadonlySet<string> {
    return this.#underWay;
  }

  /** The cheapest of those that ask for a slot: fewest evictions, then fewest instances destroyed. */
  firstOf(kind: RequestKind, most: number): readonly NodeStanding[] {
    return this.#queues[kind].first(most).flatMap((node) => this.#nodes.get(node) ?? []);
  }

  /** How many ask for a slot. */
  asking(kind: RequestKind): number {
    return this.#queues[kind].size;
  }
}

function mark(set: Set<string>, node: string, belongs: boolean): void {
  if (belongs) set.add(node);
  else set.delete(node);
}
