/** Which GPUs are left alone for a while, because they were re-laid a short while ago. */
export class RelayRest {
  readonly #restMs: number;
  readonly #relaidMs = new Map<string, number>();

  constructor(restMs: number) {
    this.#restMs = restMs;
  }

  relaid(id: string, nowMs: number): void {
    this.#relaidMs.set(id, nowMs);
  }

  isResting(id: string, nowMs: number): boolean {
    const relaidMs = this.#relaidMs.get(id);
    return relaidMs !== undefined && nowMs < relaidMs + this.#restMs;
  }
}
