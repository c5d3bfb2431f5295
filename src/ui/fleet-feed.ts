import type { GpuNodePartition, GpuPartitionPolicy } from '../api/types.ts';
import { viewPolicies } from '../core/view/fleet-status.ts';
import type { Interruption } from '../core/view/interruption.ts';
import { type PageFleet, type PageNode, viewPageNode } from '../core/view/page-fleet.ts';

/** Changes on the page: current nodes, removed nodes, and every policy. */
export interface PageChange {
  readonly policies: PageFleet['policies'];
  readonly nodes: readonly PageNode[];
  readonly gone: readonly string[];
  readonly interruption: PageFleet['interruption'];
}

interface FleetObjectsView {
  readonly policies: readonly GpuPartitionPolicy[];
  readonly partitions: readonly GpuNodePartition[];
  readonly interruption?: Interruption | undefined;
}

/** The fleet as the page knows it, and the listeners for its changes. */
export class FleetFeed {
  readonly #poolOf: (node: string) => string;
  readonly #now: () => number;
  /** Keyed by the object that the watch replaces when it changes. */
  readonly #views = new WeakMap<GpuNodePartition, PageNode>();
  readonly #listeners = new Set<(change: PageChange) => void>();
  #nodes = new Map<string, PageNode>();
  #policies: PageFleet['policies'] = [];
  #interruption: PageFleet['interruption'] = null;

  constructor(poolOf: (node: string) => string, now: () => number) {
    this.#poolOf = poolOf;
    this.#now = now;
  }

  get fleet(): PageFleet {
    return { policies: this.#policies, nodes: [...this.#nodes.values()], interruption: this.#interruption };
  }

  /** @returns a function that stops listening */
  listen(listener: (change: PageChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Updates to the current fleet. */
  take({ policies, partitions, interruption }: FleetObjectsView): void {
    const before = this.#nodes;
    this.#interruption = interruption ?? null;
    this.#policies = viewPolicies(policies, partitions, this.#now());
    this.#nodes = new Map(partitions.map((partition) => [partition.metadata.name, this.#view(partition)]));
    const nodes = [...this.#nodes.values()].filter((node) => before.get(node.node) !== node);
    const gone = [...before.keys()].filter((name) => !this.#nodes.has(name));
    const change = { policies: this.#policies, nodes, gone, interruption: this.#interruption };
    for (const listener of this.#listeners) listener(change);
  }

  #view(partition: GpuNodePartition): PageNode {
    const known = this.#views.get(partition);
    if (known) return known;
    const view = viewPageNode(partition, this.#poolOf(partition.metadata.name));
    this.#views.set(partition, view);
    return view;
  }
}
