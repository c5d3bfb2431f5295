/** Maximum number of values that are remembered; a fleet has few distinct ones, and an agent may report anything. */
const mostValues = 4096;

/**
 * Gives equal values the same object, so that a fleet keeps one profile table and not one per node. The values are never
 * modified; forgotten values stay as they are.
 */
export class SharedValues {
  readonly #most: number;
  readonly #known = new Map<string, unknown>();

  constructor(most = mostValues) {
    this.#most = most;
  }

  /** @returns the first value that was equal, in its fields and in their order */
  share<T>(value: T): T {
    const key = typeof value === 'string' ? value : JSON.stringify(value);
    const known = this.#known.get(key);
    // A string may look like the JSON of something else.
    if (known !== undefined && typeof known === typeof value) return known as T;
    if (this.#known.size >= this.#most) this.#known.clear();
    this.#known.set(key, value);
    return value;
  }
}
