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
    return known !== undefined && typeof known === typeof value ? (known as T) : this.#keep(key, value);
  }

  /** An object of which some fields, if they are there, have shared values. */
  shareFields<T extends object>(object: T, ...fields: readonly (keyof T)[]): T {
    const copy = { ...object };
    for (const field of fields) if (copy[field] !== undefined) copy[field] = this.share(copy[field]);
    return copy;
  }

  /** As {@link share}, for who knows a value by a text and makes it only if it is new. Such texts and {@link share} do not mix. */
  shareAs<T extends object>(text: string, make: () => T): T {
    return (this.#known.get(text) as T | undefined) ?? this.#keep(text, make());
  }

  #keep<T>(key: string, value: T): T {
    if (this.#known.size >= this.#most) this.#known.clear();
    this.#known.set(key, value);
    return value;
  }
}
