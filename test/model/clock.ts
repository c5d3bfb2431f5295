import type { Clock } from '../../src/process/clock.ts';
import { ServerClock } from '../../src/kube/request.ts';
import type { VirtualTime } from './timeline.ts';

/** What a process may be ahead of the API server, which it knows from the dates of answers, or behind it, in ms. */
export const leadersClocks = [0, 3_600_000, -3_600_000, 4_000, -4_000] as const;
/** How far those who lead may be from each other: none follows the API server in what is less than 5 s. */
export const clockSlackMs = 10_000;

/**
 * The API server's time as a process knows it whose machine's clock is ahead, in ms since the epoch.
 *
 * @param aheadMs negative: behind @param hasSeen whether it has seen the API server's dates
 */
export function clockOf(timeline: VirtualTime, aheadMs: number, hasSeen: boolean): () => number {
  if (aheadMs === 0) return () => timeline.now;
  const steadyMs = (): number => timeline.now + aheadMs;
  const clock = new ServerClock(steadyMs);
  if (hasSeen) clock.see(new Date(timeline.now).toUTCString(), steadyMs(), steadyMs());
  return () => clock.nowMs();
}

/** How long long work keeps everybody else waiting at each of its pauses, in ms: every few of them let others go first. */
const workMs = 3;

/** The clock of a program in virtual time. */
export class VirtualClock implements Clock {
  readonly #timeline: VirtualTime;
  readonly #aheadMs: () => number;
  #workedMs = 0;
  #isStopped = false;

  /** @param aheadMs what its wall clock is ahead */
  constructor(timeline: VirtualTime, aheadMs = (): number => 0) {
    this.#timeline = timeline;
    this.#aheadMs = aheadMs;
  }

  /** Its program has ended: no timer of it goes off any more. */
  stop(): void {
    this.#isStopped = true;
  }

  monotonicMs(): number {
    return this.#timeline.now;
  }

  wallMs(): number {
    return this.#timeline.now + this.#aheadMs();
  }

  startTimer(delayMs: number, action: () => void): () => void {
    return this.#timeline.after(delayMs, () => {
      if (this.#isStopped) return;
      this.#timeline.wake();
      action();
    });
  }

  afterTurn(action: () => void): void {
    this.startTimer(1, action);
  }

  /** The same clock for work that takes its time, which virtual time does not show. */
  get ofWork(): Clock {
    return {
      monotonicMs: () => this.monotonicMs() + (this.#workedMs += workMs),
      wallMs: () => this.wallMs(),
      startTimer: (delayMs, action) => this.startTimer(delayMs, action),
      afterTurn: (action) => this.afterTurn(action),
    };
  }
}
