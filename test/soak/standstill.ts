import { FairClock } from '../../src/simulator/control-plane/run.ts';

/**
 * Tells slowness from standstill: on a loaded machine a fleet may take long to come to rest, but fewer and fewer things are left to do. What
 * goes round in circles never gets below the fewest.
 */
export class Standstill {
  readonly #allowanceMs: number;
  readonly #clock = new FairClock();
  #fewest = Infinity;
  #sinceMs = 0;

  constructor(allowanceMs: number) {
    this.#allowanceMs = allowanceMs;
  }

  /** @returns whether for too long there were never fewer things left than before */
  note(left: number, nowMs: number): boolean {
    const atMs = this.#clock.read(nowMs);
    if (left < this.#fewest) {
      this.#fewest = left;
      this.#sinceMs = atMs;
    }
    return atMs - this.#sinceMs > this.#allowanceMs;
  }
}
