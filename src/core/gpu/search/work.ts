/**
 * Work allowed for a search, counted in choices examined and never in time, so that the same question gets the same answer
 * everywhere. A made-up profile table may need more than a lifetime.
 */
export class Work {
  #left: number;

  constructor(limit: number = MOST_WORK) {
    this.#left = limit;
  }

  /** Counts one choice. @throws WorkExceeded */
  spend(): void {
    this.#left -= 1;
    if (this.#left < 0) throw new WorkExceeded();
  }
}

/** Of the built-in tables the largest takes 6,000 to list all of its layouts, and 300 for a plan. */
export const MOST_WORK = 60_000;

/** Unwinds a search; {@link tryWork} catches it. */
export class WorkExceeded extends Error {
  override readonly name = 'WorkExceeded';
}

/** The result of a search within its budget; undefined if it needs more. */
export function tryWork<Result>(search: (work: Work) => Result): { readonly result: Result } | undefined {
  try {
    return { result: search(new Work()) };
  } catch (error) {
    if (error instanceof WorkExceeded) return undefined;
    throw error;
  }
}
