import { ApiError } from './api-error.ts';
import { backoffMs } from './backoff.ts';
import type { ReflectorTiming } from './reflector-options.ts';
import { TimeTravelError } from './watch-cursor.ts';

/** What stands before the server may ask for a wait of an hour, and a watch must not be blind for so long. In ms. */
const longestAskedMs = 30_000;

/** How long a watch waits before it is opened again. */
export class RetryPace {
  readonly #timing: ReflectorTiming;
  #failuresInRow = 0;
  /** When we last retried without a wait. */
  #hurriedAtMs = -Infinity;

  constructor(timing: ReflectorTiming) {
    this.#timing = timing;
  }

  /** The server has answered. */
  reset(): void {
    this.#failuresInRow = 0;
  }

  /**
   * @param isExpected whether a list repairs it
   * @param doubts how often in a row the server has gone back
   * @returns in ms
   */
  delayAfter(
    error: unknown,
    { isExpected, doubts }: { readonly isExpected: boolean; readonly doubts: number },
  ): number {
    const { backoffBaseMs: baseMs, backoffMaxMs: maxMs, floorMs } = this.#timing;
    this.#failuresInRow += 1;
    // What a list repairs needs no wait, but not repeatedly: the list may not help.
    if (isExpected && performance.now() - this.#hurriedAtMs > 30 * floorMs) {
      this.#hurriedAtMs = performance.now();
      return 0;
    }
    // A server that has gone back does answer: how long it was unreachable before is irrelevant.
    const failures = error instanceof TimeTravelError ? doubts : this.#failuresInRow;
    const askedMs = Math.min(longestAskedMs, (error instanceof ApiError && error.retryAfterMs) || 0);
    return askedMs + backoffMs({ baseMs, maxMs }, failures);
  }
}
