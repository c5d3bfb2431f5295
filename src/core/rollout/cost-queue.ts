import { compareText } from '../text/fingerprint.ts';

/**
 * Names ordered by cost, those of equal cost by name: the order does not depend on who looked when, and `plan` can tell it. There are few
 * different costs, and a name is found by bisection, so an addition or removal costs next to nothing however many names there are.
 */
export class CostQueue {
  readonly #levelOf = new Map<string, Level>();
  /** Ascending; none is empty. */
  readonly #levels: Level[] = [];

  get size(): number {
    return this.#levelOf.size;
  }

  add(name: string, cost: number): void {
    if (this.#levelOf.get(name)?.cost === cost) return;
    this.delete(name);
    const level = this.#levels.find((one) => one.cost === cost) ?? this.#insert(cost);
    level.names.splice(placeOf(name, level.names), 0, name);
    this.#levelOf.set(name, level);
  }

  delete(name: string): void {
    const level = this.#levelOf.get(name);
    if (!level) return;
    this.#levelOf.delete(name);
    level.names.splice(placeOf(name, level.names), 1);
    if (level.names.length === 0) this.#levels.splice(this.#levels.indexOf(level), 1);
  }

  /** The cheapest first. */
  *inOrder(): Iterable<string> {
    for (const { names } of this.#levels) yield* names;
  }

  #insert(cost: number): Level {
    const level = { cost, names: [] };
    const next = this.#levels.findIndex((other) => other.cost > cost);
    this.#levels.splice(next === -1 ? this.#levels.length : next, 0, level);
    return level;
  }
}

/** The names of one cost, in order. */
interface Level {
  readonly cost: number;
  readonly names: string[];
}

/** Where a name stands, or belongs, among sorted names. */
function placeOf(name: string, names: readonly string[]): number {
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareText(names[middle] ?? '', name) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
