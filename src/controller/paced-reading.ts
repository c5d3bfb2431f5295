import { steadyMs } from '../process/clock.ts';

/** Reading takes at most this part of the time. */
const mostShare = 0.1;

/** What takes long to read: read when it is asked for, but not again within ten times what it took. */
export class PacedReading<Found> {
  readonly #read: () => Promise<Found>;
  readonly #now: () => number;
  #known: { readonly untilMs: number; readonly atMs: number; readonly found: Found } | undefined;

  /** @param now a clock that is never set: otherwise what was read once would count for as long as it was set back */
  constructor(read: () => Promise<Found>, now = steadyMs) {
    this.#read = read;
    this.#now = now;
  }

  /** @param longestMs how old the reading may be, unless reading takes long */
  async get(longestMs = 0): Promise<Found> {
    const startedMs = this.#now();
    const known = this.#known;
    if (known && startedMs < Math.max(known.untilMs, known.atMs + longestMs)) return known.found;
    const found = await this.#read();
    const atMs = this.#now();
    this.#known = { atMs, untilMs: atMs + (atMs - startedMs) / mostShare, found };
    return found;
  }
}
