/** Longest time between two looks that counts: a machine that stood still meanwhile says nothing about the programs. */
const longestStepMs = 5_000;

/**
 * Tells slowness from standstill: on a loaded machine a fleet may take long to come to rest, but fewer and fewer things are left to do. What
 * goes round in circles never gets below the fewest.
 */
export class Standstill {
  readonly #allowanceMs: number;
  #fewest = Infinity;
  #stillMs = 0;
  #lookedMs: number | undefined;

  constructor(allowanceMs: number) {
    this.#allowanceMs = allowanceMs;
  }

  /** @returns whether for too long there were never fewer things left than before */
  note(left: number, nowMs: number): boolean {
    this.#stillMs += Math.min(longestStepMs, nowMs - (this.#lookedMs ?? nowMs));
    this.#lookedMs = nowMs;
    if (left < this.#fewest) {
      this.#fewest = left;
      this.#stillMs = 0;
    }
    return this.#stillMs > this.#allowanceMs;
  }
}
