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
  /** All that the doctor finds in a saved cluster. */
  readonly diagnosis?: Diagnosis;
}

type Diagnosis = NonNullable<Parameters<typeof viewPage>[2]['diagnosis']>;

/** The fleet as the page knows it, and the listeners for its changes. A view is made only while somebody looks. */
export class FleetFeed {
  readonly #parts: FeedParts;
  readonly #listeners = new Set<(change: PageChange) => void>();
  #view: PageView;
  #seenAt: number;
  /** What has come since the view was made. */
  #news: FleetObjectsView | undefined;

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.#seenAt = parts.now();
    this.#view = viewPage([], [], parts, this.#seenAt);
  }

  get fleet(): PageFleet {
    this.#look();
    return this.#show(this.#view.nodes);
  }

  /** @returns a function that stops listening */
  listen(listener: (change: PageChange) => void): () => void {
    // It is told what changes from now on.
    this.#look();
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Updates to the current fleet. */
  update(news: FleetObjectsView): void {
    this.#seenAt = news.seenAt ?? this.#parts.now();
    this.#news = news;
    if (this.#listeners.size === 0) return;
    const before = new Map(this.#view.nodes.map((node) => [node.node, node]));
    this.#look();
    const { nodes } = this.#view;
    const names = new Set(nodes.map(({ node }) => node));
    const gone = [...before.keys()].filter((name) => !names.has(name));
    const change = { ...this.#show(nodes.filter((node) => before.get(node.node) !== node)), gone };
    for (const listener of this.#listeners) listener(change);
  }

  #look(): void {
    if (this.#news === undefined) return;
    const { policies, partitions, interruption = null } = this.#news;
    this.#news = undefined;
    const frame = { ...this.#parts, interruption, before: this.#view.nodes };
    this.#view = viewPage(policies, partitions, frame, this.#parts.now());
  }

  #show(nodes: PageFleet['nodes']): PageFleet {
    const { source, now } = this.#parts;
    const ageMs = 'files' in source ? null : Math.max(0, now() - this.#seenAt);
    return { ...this.#view, ageMs, nodes };
  }
}
