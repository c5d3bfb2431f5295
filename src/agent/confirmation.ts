import { GrantRefused } from '../core/report/fault.ts';
import type { Clock } from '../process/clock.ts';

/**
 * The API server's word that a grant still stands. It is asked for again during the work: a controller that takes a grant back
 * opens the node once the last word is too old for anything to begin.
 */
export class Confirmation {
  readonly #ask: () => Promise<void>;
  readonly #clock: Clock;
  readonly #validMs: number;
  #atMs = -Infinity;

  /** @param ask throws if the grant does not stand, or without an answer @param validMs how long an answer is valid */
  constructor(ask: () => Promise<void>, clock: Clock, validMs: number) {
    this.#ask = ask;
    this.#clock = clock;
    this.#validMs = validMs;
  }

  /** Asks, unless it has just been answered. @throws what asking throws; without an answer only when the last one is too old */
  async renew(): Promise<void> {
    const askedMs = this.#clock.monotonicMs();
    if (askedMs - this.#atMs < this.#validMs / 6) return;
    try {
      await this.#ask();
      // The answer may be as old as the question.
      this.#atMs = askedMs;
    } catch (error) {
      if (error instanceof GrantRefused || this.explainEnd() !== undefined) throw error;
    }
  }

  /** Why nothing may be destroyed; undefined while the last answer is valid. */
  explainEnd(): string | undefined {
    const ageMs = this.#clock.monotonicMs() - this.#atMs;
    if (ageMs <= this.#validMs) return undefined;
    return `the API server last confirmed the grant ${Math.round(ageMs / 1000)} s ago`;
  }
}
