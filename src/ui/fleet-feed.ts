import type { GpuNodePartition, GpuPartitionPolicy } from '../api/types.ts';
import { viewPage } from '../core/view/fleet.ts';

type PageView = ReturnType<typeof viewPage>;

/** What the page shows, and how old it is. */
interface PageFleet extends PageView {
  /** Milliseconds since everything was last known to be current: the clock of the browser may be another. Null for a saved cluster. */
  readonly ageMs: number | null;
}

/** Changes on the page: changed and new nodes, names of removed ones, and all of the rest. */
interface PageChange extends PageFleet {
  readonly gone: readonly string[];
}

interface FleetObjectsView {
  readonly policies: readonly GpuPartitionPolicy[];
  readonly partitions: readonly GpuNodePartition[];
  /** The time at which they were last known to be current, in ms since 1970; absent: now. */
  readonly seenAt?: number;
  readonly interruption?: PageView['interruption'] | undefined;
}

interface FeedParts {
  readonly source: PageView['source'];
  /** Empty if unknown. */
  readonly poolOf: (node: string) => string;
  readonly now: () => number;
}

/** The fleet as the page knows it, and the listeners for its changes. */
export class FleetFeed {
  readonly #parts: FeedParts;
  readonly #listeners = new Set<(change: PageChange) => void>();
  #view: PageView;
  #seenAt: number;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.#seenAt = parts.now();
    this.#view = viewPage([], [], parts, this.#seenAt);
  }

  get fleet(): PageFleet {
    return this.#show(this.#view.nodes);
  }

  /** @returns a function that stops listening */
  listen(listener: (change: PageChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Updates to the current fleet. */
  update({ policies, partitions, seenAt, interruption }: FleetObjectsView): void {
    const before = new Map(this.#view.nodes.map((node) => [node.node, node]));
    const now = this.#parts.now();
    this.#seenAt = seenAt ?? now;
    this.#view = viewPage(policies, partitions, { ...this.#parts, interruption: interruption ?? null }, now);
    const { nodes } = this.#view;
    const names = new Set(nodes.map(({ node }) => node));
    const gone = [...before.keys()].filter((name) => !names.has(name));
    const change = { ...this.#show(nodes.filter((node) => before.get(node.node) !== node)), gone };
    for (const listener of this.#listeners) listener(change);
  }

  #show(nodes: PageFleet['nodes']): PageFleet {
    const { source, now } = this.#parts;
    const ageMs = 'files' in source ? null : Math.max(0, now() - this.#seenAt);
    return { ...this.#view, ageMs, nodes };
  }
}
