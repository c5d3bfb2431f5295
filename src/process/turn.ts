import { setImmediate } from 'node:timers/promises';

/** Longest that a long piece of work keeps everything else waiting, in ms: leases have to be renewed, probes answered. */
const longestMs = 10;

/** A turn of the event loop that long work must not take whole. */
export class Turn {
  #startedAt = performance.now();

  /** Lets others have their turn where this one has lasted long enough. */
  async pause(): Promise<void> {
    if (performance.now() - this.#startedAt < longestMs) return;
    await setImmediate();
    this.#startedAt = performance.now();
  }
}
