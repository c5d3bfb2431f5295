/** What may be so for a while, and may not stay so. */
export class Suspicions {
  readonly #since = new Map<string, number>();
  readonly #allowanceMs: number;

  constructor(allowanceMs: number) {
    this.#allowanceMs = allowanceMs;
  }

  /** @returns whether it has just lasted too long */
  note(what: string, isSo: boolean, nowMs: number): boolean {
    if (!isSo) {
      this.#since.delete(what);
      return false;
    }
    const since = this.#since.get(what) ?? nowMs;
    // Told once.
    const isTooLong = nowMs - since > this.#allowanceMs;
    this.#since.set(what, isTooLong ? Infinity : since);
    return isTooLong;
  }

  /** Time in which no program could act does not count. */
  forgive(): void {
    for (const [what, since] of this.#since) if (since !== Infinity) this.#since.delete(what);
  }
}
