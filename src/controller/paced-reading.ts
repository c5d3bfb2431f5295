import { steadyMs } from '../process/clock.ts';

/** Reading takes at most this part of the time. */
const mostShare = 0.1;

/** What takes long to read: read when it is asked for, but not again within ten times what it took. */
export class PacedReading<Found> {
  readonly #read: () => Promise<Found>;
  readonly #now: () => number;
  #known: { readonly untilMs: number; readonly startedMs: number; readonly found: Found } | undefined;

  /** @param now a clock that is never set: otherwise what was read once would count for as long as it was set back */
  constructor(read: () => Promise<Found>, now = steadyMs) {
    this.#read = read;
    this.#now = now;
  }

  /** @param longestMs how old the reading may be, from its beginning, unless reading takes long */
  async get(longestMs = 0): Promise<Found> {
    const startedMs = this.#now();
    const known = this.#known;
    if (known && startedMs < Math.max(known.untilMs, known.startedMs + longestMs)) return known.found;
    const found = await this.#read();
    const endedMs = this.#now();
    this.#known = { startedMs, untilMs: endedMs + (endedMs - startedMs) / mostShare, found };
    return found;
  }
}
