/**
 * The time source of the programs. Everything that waits takes a clock, so that tests run hours in milliseconds.
 */
export interface Clock {
  /** Milliseconds of a clock that never jumps; only differences are meaningful. */
  monotonicMs(): number;
  /** Milliseconds since 1970, UTC. */
  wallMs(): number;
  /** Calls `action` once, `delayMs` from now, and returns a function that cancels it. */
  startTimer(delayMs: number, action: () => void): () => void;
}

// setTimeout takes a 32-bit delay and fires at once if it is larger.
const longestTimerMs = 2 ** 31 - 1;

/** The machine's clock. Its timers keep the process alive: a wait between two attempts must not end it. */
export const systemClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  startTimer(delayMs, action) {
    const timer = setTimeout(action, Math.min(Math.max(0, delayMs), longestTimerMs));
    return () => clearTimeout(timer);
  },
};

/**
 * Milliseconds since 1970 by a clock that never jumps while the process runs: what began before a change of the machine's time
 * still lasts as long as it should.
 */
export function steadyMs(): number {
  return performance.timeOrigin + performance.now();
}

/** Resolves after `delayMs` of the clock, or at once when the signal aborts; never rejects. */
export function waitFor(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const finish = (): void => {
      cancel();
      signal?.removeEventListener('abort', finish);
      resolve();
    };
    const cancel = clock.startTimer(delayMs, finish);
    signal?.addEventListener('abort', finish, { once: true });
  });
}
