/** Which GPUs, or pods, are left alone for a while, because they were re-laid a short while ago. */
export class RelayRest {
  readonly #relaidMs = new Map<string, number>();
  /** When it was re-laid before that. */
  readonly #beforeMs = new Map<string, number>();

  relaid(id: string, nowMs: number): void {
    const before = this.#relaidMs.get(id);
    if (before !== undefined) this.#beforeMs.set(id, before);
    this.#relaidMs.set(id, nowMs);
  }

  /** Forgets those that have rested, except those that are there: an edit of the time to rest may apply to them again. */
  forgetOthers(there: ReadonlySet<string>, nowMs: number, restMs: number): void {
    for (const id of this.#relaidMs.keys())
      if (!there.has(id) && !this.isResting(id, nowMs, restMs)) {
        this.#relaidMs.delete(id);
        this.#beforeMs.delete(id);
      }
  }

  /** @param restMs of this moment: an edit of it applies to GPUs that rest already */
  isResting(id: string, nowMs: number, restMs: number): boolean {
    const relaidMs = this.#relaidMs.get(id);
    return relaidMs !== undefined && nowMs < relaidMs + restMs;
  }

  /** Whether one that rests was re-laid while it rested before: the rest has yielded once, and does not again. */
  isHeld(id: string, nowMs: number, restMs: number): boolean {
    const beforeMs = this.#beforeMs.get(id);
    const relaidMs = this.#relaidMs.get(id) ?? Infinity;
    return beforeMs !== undefined && relaidMs < beforeMs + restMs && this.isResting(id, nowMs, restMs);
  }
}
