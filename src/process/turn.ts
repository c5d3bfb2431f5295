import { setImmediate } from 'node:timers/promises';

/** How long one piece of work may block everything else, in ms: leases must be renewed, probes answered. */
const longestMs = 10;

/** A turn of the event loop, of which long work must not take all. */
export class Turn {
  #startedAt = performance.now();

  /** Yields to others if this turn has lasted long enough. */
  async pause(): Promise<void> {
    if (performance.now() - this.#startedAt < longestMs) return;
    await setImmediate();
    this.#startedAt = performance.now();
  }
}
