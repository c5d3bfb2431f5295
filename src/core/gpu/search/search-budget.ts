/**
 * SearchBudget allowed for a search, counted in choices examined and never in time, so that the same question gets the same answer
 * everywhere. A made-up profile table may need more than a lifetime.
 */
export class SearchBudget {
  #left: number;

  constructor(limit: number = MOST_CHOICES) {
    this.#left = limit;
  }

  /** Counts one choice. @throws BudgetExceeded */
  spend(): void {
    this.#left -= 1;
    if (this.#left < 0) throw new BudgetExceeded();
  }
}

/** Of the built-in tables the largest takes 6,000 to list all of its layouts, and 300 for a plan. */
export const MOST_CHOICES = 60_000;

/** Unwinds a search; {@link withinBudget} catches it. */
export class BudgetExceeded extends Error {
  override readonly name = 'WorkExceeded';
}

/** The result of a search within its budget; undefined if it needs more. */
export function withinBudget<Result>(
  search: (budget: SearchBudget) => Result,
): { readonly result: Result } | undefined {
  try {
    return { result: search(new SearchBudget()) };
  } catch (error) {
    if (error instanceof BudgetExceeded) return undefined;
    throw error;
  }
}
