/** Longest time between two looks that counts: a machine that stood still meanwhile says nothing about the programs. */
const longestStepMs = 5_000;

/** Milliseconds in which the machine went on, as far as somebody looked. */
export class FairClock {
  #spentMs = 0;
  #lookedMs: number | undefined;

  read(nowMs: number): number {
    this.#spentMs += Math.min(longestStepMs, nowMs - (this.#lookedMs ?? nowMs));
    this.#lookedMs = nowMs;
    return this.#spentMs;
  }
}
