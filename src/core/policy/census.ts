import { SharedValues } from '../metadata/shared-values.ts';

/** Which GPU products the nodes of a fleet have reported. */
export class Census {
  readonly #ofNode = new Map<string, readonly string[]>();
  readonly #counts = new Map<string, number>();
  readonly #shared = new SharedValues();

  get products(): readonly string[] {
    return [...this.#counts.keys()];
  }

  /** @param products of a node's GPUs; none if the node is gone. @returns whether the fleet has gained or lost one */
  put(node: string, products: readonly string[]): boolean {
    const before = this.#ofNode.get(node) ?? [];
    const after = this.#shared.share([...new Set(products)].sort());
    if (before === after) return false;
    if (after.length === 0) this.#ofNode.delete(node);
    else this.#ofNode.set(node, after);
    const gained = after.filter((product) => this.#count(product, 1) === 1);
    const lost = before.filter((product) => this.#count(product, -1) === 0);
    return gained.length + lost.length > 0;
  }

  #count(product: string, more: number): number {
    const count = (this.#counts.get(product) ?? 0) + more;
    if (count > 0) this.#counts.set(product, count);
    else this.#counts.delete(product);
    return count;
  }
}
