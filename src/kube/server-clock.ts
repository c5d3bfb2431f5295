import { steadyMs } from '../process/clock.ts';

/** Answers that took longer than this, in ms, say too little about the moment at which they were given. */
const longestMs = 2_000;
/** A steady clock that is off by no more, in ms, is left as it is: answers tell whole seconds. */
const noticedMs = 5_000;

/** How far this machine's clock is ahead of the API server's, from the `Date` of its answers: precise to two seconds. */
export class ServerClock {
  readonly #now: () => number;
  readonly #wallMs: () => number;
  /** How far the steady clock is ahead. */
  #aheadMs: number | undefined;
  #correctedMs = 0;

  /** @param now a clock that never jumps @param wallMs the machine's, which people may set */
  constructor(now = steadyMs, wallMs = Date.now) {
    this.#now = now;
    this.#wallMs = wallMs;
  }

  /** In ms; negative if this machine's clock is behind; undefined before the first answer. */
  get skewMs(): number | undefined {
    return this.#aheadMs === undefined ? undefined : this.#aheadMs + Math.round(this.#wallMs() - this.#now());
  }

  /**
   * Milliseconds since 1970 for what several programs compare. It jumps only where this process has had the time wrong by seconds: at its
   * first answer, or after its machine was suspended.
   */
  nowMs(): number {
    const aheadMs = this.#aheadMs ?? 0;
    if (Math.abs(aheadMs - this.#correctedMs) > noticedMs) this.#correctedMs = aheadMs;
    return this.#now() - this.#correctedMs;
  }

  /** Takes an answer. @param sentMs @param answeredMs by the steady clock */
  see(date: string | readonly string[] | undefined, sentMs: number, answeredMs: number): void {
    const server = typeof date === 'string' ? Date.parse(date) : Number.NaN;
    const tookMs = answeredMs - sentMs;
    if (!Number.isFinite(server) || tookMs < 0 || tookMs > longestMs) return;
    // The server drops fractions of a second.
    this.#aheadMs = (sentMs + answeredMs) / 2 - (server + 500);
  }
}
