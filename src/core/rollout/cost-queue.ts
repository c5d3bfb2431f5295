/**
 * Names ordered by cost, those of equal cost by arrival. There are few different costs, so an addition or removal takes the same
 * time however many names there are.
 */
export class CostQueue {
  readonly #levelOf = new Map<string, Level>();
  /** Ascending; none is empty. */
  readonly #levels: Level[] = [];

  get size(): number {
    return this.#levelOf.size;
  }

  /** A name that is already queued keeps its place among those of the same cost. */
  add(name: string, cost: number): void {
    if (this.#levelOf.get(name)?.cost === cost) return;
    this.delete(name);
    const level = this.#levels.find((one) => one.cost === cost) ?? this.#insert(cost);
    level.names.add(name);
    this.#levelOf.set(name, level);
  }

  delete(name: string): void {
    const level = this.#levelOf.get(name);
    if (!level) return;
    this.#levelOf.delete(name);
    level.names.delete(name);
    if (level.names.size === 0) this.#levels.splice(this.#levels.indexOf(level), 1);
  }

  /** The cheapest first. */
  *inOrder(): Iterable<string> {
    for (const { names } of this.#levels) yield* names;
  }

  #insert(cost: number): Level {
    const level = { cost, names: new Set<string>() };
    const next = this.#levels.findIndex((other) => other.cost > cost);
    this.#levels.splice(next === -1 ? this.#levels.length : next, 0, level);
    return level;
  }
}

/** The names of one cost. */
interface Level {
  readonly cost: number;
  readonly names: Set<string>;
}
