/**
 * Names ordered by cost, those of equal cost by arrival. There are few different costs, so an addition or removal takes the same
 * time however many names there are.
 */
export class CostQueue {
  readonly #costOf = new Map<string, number>();
  readonly #namesAt = new Map<number, Set<string>>();
  /** Ascending. */
  readonly #costs: number[] = [];

  get size(): number {
    return this.#costOf.size;
  }

  /** A name that is already queued keeps its place among those of the same cost. */
  add(name: string, cost: number): void {
    if (this.#costOf.get(name) === cost) return;
    this.delete(name);
    this.#costOf.set(name, cost);
    const names = this.#namesAt.get(cost);
    if (names) {
      names.add(name);
      return;
    }
    this.#namesAt.set(cost, new Set([name]));
    const next = this.#costs.findIndex((other) => other > cost);
    this.#costs.splice(next === -1 ? this.#costs.length : next, 0, cost);
  }

  delete(name: string): void {
    const cost = this.#costOf.get(name);
    const names = cost === undefined ? undefined : this.#namesAt.get(cost);
    if (cost === undefined || !names) return;
    this.#costOf.delete(name);
    names.delete(name);
    if (names.size > 0) return;
    this.#namesAt.delete(cost);
    this.#costs.splice(this.#costs.indexOf(cost), 1);
  }

  /** The cheapest first. */
  *inOrder(): Iterable<string> {
    for (const cost of this.#costs) yield* this.#namesAt.get(cost) ?? [];
  }
}
