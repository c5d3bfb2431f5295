/** Which GPUs are left alone for a while, because they were re-laid a short while ago. */
export class RelayRest {
  readonly #relaidMs = new Map<string, number>();

  relaid(id: string, nowMs: number): void {
    this.#relaidMs.set(id, nowMs);
  }

  /** @param restMs of this moment: an edit of it applies to GPUs that rest already */
  isResting(id: string, nowMs: number, restMs: number): boolean {
    const relaidMs = this.#relaidMs.get(id);
    return relaidMs !== undefined && nowMs < relaidMs + restMs;
  }
}
