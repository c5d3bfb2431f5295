/** Waits for a promise, but only until the signal aborts; then rejects with its reason. */
export async function untilAborted<T>(promise: Promise<T>, signal?: AbortSignal): Promise<T> {
  if (signal === undefined) return promise;
  if (signal.aborted) {
    // A rejection that is not handled would end the process.
    promise.catch(() => undefined);
    throw signal.reason;
  }
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Resolves when the signal aborts, or at once if it already has. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

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
  /** Calls `action` after the timers that are due and the sockets that have news. */
  afterTurn(action: () => void): void;
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
  afterTurn: (action) => void setImmediate(action),
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

/** How long one piece of work may block everything else, in ms: leases must be renewed, probes answered. */
const longestMs = 10;

/** A turn of the event loop, of which long work must not take all. */
export class EventLoopYield {
  readonly #clock: Clock;
  #startedAt: number;

  constructor(clock = systemClock) {
    this.#clock = clock;
    this.#startedAt = clock.monotonicMs();
  }

  /** Yields to others if this turn has lasted long enough. */
  async pause(): Promise<void> {
    if (this.#clock.monotonicMs() - this.#startedAt < longestMs) return;
    await new Promise<void>((resolve) => this.#clock.afterTurn(resolve));
    this.#startedAt = this.#clock.monotonicMs();
  }
}

/** Lets a limited number through at a time; the others wait in order of arrival. */
export class Semaphore {
  readonly #most: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(most: number) {
    this.#most = most;
  }

  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#most) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#inside += 1;
    try {
      return await work();
    } finally {
      // Whoever is let in takes the place of the one who leaves.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#inside -= 1;
    }
  }
}
