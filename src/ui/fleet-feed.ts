import type { GpuNodePartition, GpuPartitionPolicy } from '../api/types.ts';
import { viewPolicies } from '../core/view/fleet.ts';
import { countTotals, groupNodes, type PageFleet, type PageNode, viewPageNode } from '../core/view/page.ts';
import type { Interruption, Source } from '../core/view/lines.ts';

/** Changes on the page: changed and new nodes, names of removed ones, and all of the rest. */
interface PageChange extends PageFleet {
  readonly gone: readonly string[];
}

interface FleetObjectsView {
  readonly policies: readonly GpuPartitionPolicy[];
  readonly partitions: readonly GpuNodePartition[];
  /** The time at which they were last known to be current, in ms since 1970; absent: now. */
  readonly seenAt?: number;
  readonly interruption?: Interruption | undefined;
}

interface FeedParts {
  readonly source: Source;
  /** Empty if unknown. */
  readonly poolOf: (node: string) => string;
  readonly now: () => number;
}

/** The fleet as the page knows it, and the listeners for its changes. */
export class FleetFeed {
  readonly #parts: FeedParts;
  /** Keyed by the object that the watch replaces when it changes. */
  readonly #views = new WeakMap<GpuNodePartition, PageNode>();
  readonly #listeners = new Set<(change: PageChange) => void>();
  #nodes = new Map<string, PageNode>();
  #summary: Pick<PageFleet, 'totals' | 'policies' | 'groups'>;
  #interruption: PageFleet['interruption'] = null;
  #seenAt: number;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.#seenAt = parts.now();
    this.#summary = { totals: countTotals([], [], this.#seenAt), policies: [], groups: [] };
  }

  get fleet(): PageFleet {
    return this.#show([...this.#nodes.values()]);
  }

  /** @returns a function that stops listening */
  listen(listener: (change: PageChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Updates to the current fleet. */
  update({ policies, partitions, seenAt, interruption }: FleetObjectsView): void {
    const before = this.#nodes;
    const now = this.#parts.now();
    this.#seenAt = seenAt ?? now;
    this.#interruption = interruption ?? null;
    this.#nodes = new Map(partitions.map((partition) => [partition.metadata.name, this.#view(partition)]));
    this.#summary = {
      totals: countTotals(policies, partitions, now),
      policies: viewPolicies(policies, partitions, now),
      groups: groupNodes([...this.#nodes.values()]),
    };
    const nodes = [...this.#nodes.values()].filter((node) => before.get(node.node) !== node);
    const gone = [...before.keys()].filter((name) => !this.#nodes.has(name));
    const change = { ...this.#show(nodes), gone };
    for (const listener of this.#listeners) listener(change);
  }

  #show(nodes: readonly PageNode[]): PageFleet {
    const { source, now } = this.#parts;
    return {
      source,
      ageMs: 'files' in source ? null : Math.max(0, now() - this.#seenAt),
      ...this.#summary,
      nodes,
      interruption: this.#interruption,
    };
  }

  #view(partition: GpuNodePartition): PageNode {
    const known = this.#views.get(partition);
    const pool = this.#parts.poolOf(partition.metadata.name);
    if (known?.pool === pool) return known;
    const view = viewPageNode(partition, pool);
    this.#views.set(partition, view);
    return view;
  }
}
