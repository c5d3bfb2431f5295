import type { NodeView } from '../../core/node/node-view.ts';
import { poolOf } from '../../core/status/fleet-figures.ts';

type Named = Pick<NodeView, 'metadata'>;

/** The pools of nodes by their labels, of nodes that join later too. */
export class NodePools {
  readonly #find: (node: string) => Promise<Named | undefined>;
  readonly #pools: Map<string, string>;

  /** @param find reads one node; undefined if there is none, or it may not be read */
  constructor(nodes: readonly Named[], find: (node: string) => Promise<Named | undefined>) {
    this.#pools = new Map(nodes.map(({ metadata }) => [metadata.name, poolOf(metadata.labels)]));
    this.#find = find;
  }

  /** Empty if unknown. */
  of(node: string): string {
    return this.#pools.get(node) ?? '';
  }

  /**
   * Reads the nodes that have joined, and forgets those that have left.
   *
   * @param present names of all nodes
   * @returns whether a pool has become known
   */
  async follow(present: readonly string[]): Promise<boolean> {
    const names = new Set(present);
    for (const name of this.#pools.keys()) if (!names.has(name)) this.#pools.delete(name);
    const joined = present.filter((name) => !this.#pools.has(name));
    // Each is read once, whatever comes of it.
    for (const name of joined) this.#pools.set(name, '');
    for (const name of joined) {
      const node = await this.#find(name);
      if (node && this.#pools.has(name)) this.#pools.set(name, poolOf(node.metadata.labels));
    }
    return joined.some((name) => this.of(name) !== '');
  }
}
