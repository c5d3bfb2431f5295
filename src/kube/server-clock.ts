/** Answers that took longer than this, in ms, say too little about the moment at which they were given. */
const longestMs = 2_000;

/** How far this machine's clock is ahead of the API server's, from the `Date` of its answers: precise to two seconds. */
export class ServerClock {
  #skewMs: number | undefined;

  /** In ms; negative if this machine's clock is behind; undefined before the first answer. */
  get skewMs(): number | undefined {
    return this.#skewMs;
  }

  /** Takes an answer. @param sentMs @param answeredMs by this machine's clock */
  see(date: string | readonly string[] | undefined, sentMs: number, answeredMs: number): void {
    const server = typeof date === 'string' ? Date.parse(date) : Number.NaN;
    const tookMs = answeredMs - sentMs;
    if (!Number.isFinite(server) || tookMs < 0 || tookMs > longestMs) return;
    // The server drops fractions of a second.
    this.#skewMs = (sentMs + answeredMs) / 2 - (server + 500);
  }
}
