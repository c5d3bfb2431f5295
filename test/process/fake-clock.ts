import type { Clock } from '../../src/process/clock.ts';

interface Timer {
  readonly atMs: number;
  readonly action: () => void;
}

/** A clock that stands still until a test moves it. */
export class FakeClock implements Clock {
  #nowMs = 0;
  #wallShiftMs = Date.UTC(2026, 0, 1);
  readonly #timers = new Set<Timer>();

  monotonicMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return this.#wallShiftMs + this.#nowMs;
  }

  startTimer(delayMs: number, action: () => void): () => void {
    const timer = { atMs: this.#nowMs + Math.max(0, delayMs), action };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  afterTurn(action: () => void): void {
    setImmediate(action);
  }

  /** Timers that have not fired. */
  get pending(): number {
    return this.#timers.size;
  }

  /** Moves the wall clock alone, as an operator's `date -s` does. */
  shiftWall(ms: number): void {
    this.#wallShiftMs += ms;
  }

  /** Lets promises run, then time pass with all its timers in order, each followed by its promises. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await settle();
    for (;;) {
      const due = [...this.#timers].filter(({ atMs }) => atMs <= endMs).toSorted((a, b) => a.atMs - b.atMs)[0];
      if (due === undefined) break;
      this.#timers.delete(due);
      this.#nowMs = Math.max(this.#nowMs, due.atMs);
      due.action();
      await settle();
    }
    this.#nowMs = endMs;
  }
}

/** Lets all promises that can proceed do so. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
