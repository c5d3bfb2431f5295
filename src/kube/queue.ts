import { systemClock, type Clock } from '../process/clock.ts';
import { describeError, type Logger } from '../process/logger.ts';
import { isConflict } from './api-error.ts';
import { backoffMs, type BackoffOptions } from './backoff.ts';

/** What a reconcile asks for when it succeeded: nothing, or to be called again. */
export interface ReconcileResult {
  readonly requeueAfterMs?: number | undefined;
}

/** Thrown by a reconcile when trying again is of no use until something changes. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

export interface QueueOptions {
  /** Brings the world of one key in order. Reads its state itself: a key says only that something may have changed. */
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<ReconcileResult | void>;
  readonly logger: Logger;
  /** Most keys at work at once; 1 unless told. */
  readonly concurrency?: number;
  readonly backoff?: BackoffOptions;
  /** Keys that go before all others, however long those have waited; asked when a key is added. */
  readonly isUrgent?: (key: string) => boolean;
  /** Called after a failed reconcile; `retryInMs` is absent for a terminal error. */
  readonly onFailure?: (key: string, error: unknown, retryInMs: number | undefined) => void;
  readonly observer?: QueueObserver | undefined;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** Counts since the start. */
export interface QueueCounts {
  readonly succeeded: number;
  readonly failed: number;
}

/** Told of each reconcile, for metrics. */
export interface QueueObserver {
  /** A key is taken to work, so many ms after it was added. */
  started(waitedMs: number): void;
  ended(result: 'success' | 'error', tookMs: number): void;
}

interface Delayed {
  readonly atMs: number;
  readonly cancel: () => void;
}

/** Longest that reconciles which wait for nothing follow one another, in ms: leases have to be renewed, watches read. */
const longestTurnMs = 10;
const usualBackoff: BackoffOptions = { baseMs: 500, maxMs: 5 * 60_000 };

/**
 * A work queue of keys. A key waits at most once and is never at work twice at a time; a key that comes while it is at
 * work runs once more afterwards. A failure is retried with backoff, for its key alone.
 */
export class WorkQueue {
  readonly #options: QueueOptions;
  readonly #clock: Clock;
  readonly #stopped = new AbortController();
  /** Keys that wait for their turn, and since when; the urgent ones first. */
  readonly #urgent = new Map<string, number>();
  readonly #waiting = new Map<string, number>();
  /** Keys at work, and since when. */
  readonly #working = new Map<string, number>();
  readonly #runs = new Set<Promise<void>>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #failures = new Map<string, number>();
  #turnIsDue = false;
  /** Since when keys are started in this turn of the event loop; undefined: none was. */
  #turnSinceMs: number | undefined;
  readonly #counts = { succeeded: 0, failed: 0 };

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Keys that wait for their turn; those that wait for a time do not count. */
  get depth(): number {
    return this.#urgent.size + this.#waiting.size;
  }

  get counts(): QueueCounts {
    return { ...this.#counts };
  }

  /** Since when the oldest reconcile has been at work, in ms; 0 when none is. A liveness check watches it. */
  get longestRunMs(): number {
    const starts = [...this.#working.values()];
    return starts.length === 0 ? 0 : this.#clock.monotonicMs() - Math.min(...starts);
  }

  /** Has the key reconciled soon. */
  add(key: string): void {
    if (this.#stopped.signal.aborted) return;
    this.#line(key);
    // Not at once: the reconcile must not run on its caller's stack, and equal keys of one turn are one run.
    if (this.#turnIsDue) return;
    this.#turnIsDue = true;
    queueMicrotask(() => {
      this.#turnIsDue = false;
      this.#startWork();
    });
  }

  /** Has the key reconciled after a time, or sooner if something else asks for it. */
  addAfter(key: string, delayMs: number): void {
    if (this.#stopped.signal.aborted) return;
    const atMs = this.#clock.monotonicMs() + delayMs;
    const earlier = this.#delayed.get(key);
    if (earlier !== undefined && earlier.atMs <= atMs) return;
    earlier?.cancel();
    const cancel = this.#clock.startTimer(delayMs, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { atMs, cancel });
  }

  /** Forgets the key's failures and its wait for a time: for keys whose object is gone. */
  forget(key: string): void {
    this.#failures.delete(key);
    this.#cancelDelay(key);
  }

  /** Starts nothing more, aborts the signal of what is at work, and waits for its end. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#urgent.clear();
    this.#waiting.clear();
    for (const key of this.#delayed.keys()) this.#cancelDelay(key);
    await Promise.all(this.#runs);
  }

  /** Lines a key up. One that has become urgent since leaves the others behind. */
  #line(key: string): void {
    if (this.#urgent.has(key)) return;
    const sinceMs = this.#waiting.get(key) ?? this.#clock.monotonicMs();
    if (this.#options.isUrgent?.(key) === true) {
      this.#waiting.delete(key);
      this.#urgent.set(key, sinceMs);
    } else this.#waiting.set(key, sinceMs);
  }

  *#inOrder(): Generator<readonly [key: string, sinceMs: number]> {
    yield* this.#urgent;
    yield* this.#waiting;
  }

  #startWork(): void {
    for (const [key, sinceMs] of this.#inOrder()) {
      if (this.#working.size >= (this.#options.concurrency ?? 1)) return;
      if (this.#working.has(key)) continue;
      if (this.#isTurnOver()) return;
      this.#urgent.delete(key);
      this.#waiting.delete(key);
      this.#cancelDelay(key);
      const nowMs = this.#clock.monotonicMs();
      this.#working.set(key, nowMs);
      this.#options.observer?.started(nowMs - sinceMs);
      const run = this.#work(key).finally(() => {
        this.#runs.delete(run);
        this.#working.delete(key);
        this.#startWork();
      });
      this.#runs.add(run);
    }
  }

  /** Promises alone never let timers and sockets have their turn. What is left is started in the next one. */
  #isTurnOver(): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (this.#turnSinceMs === undefined) {
      this.#turnSinceMs = nowMs;
      setImmediate(() => {
        this.#turnSinceMs = undefined;
        this.#startWork();
      });
    }
    return nowMs - this.#turnSinceMs > longestTurnMs;
  }

  async #work(key: string): Promise<void> {
    const { signal } = this.#stopped;
    const { observer } = this.#options;
    const startedMs = this.#clock.monotonicMs();
    try {
      const result = await this.#options.reconcile(key, signal);
      this.#failures.delete(key);
      this.#counts.succeeded += 1;
      observer?.ended('success', this.#clock.monotonicMs() - startedMs);
      if (result?.requeueAfterMs !== undefined) this.addAfter(key, result.requeueAfterMs);
    } catch (error) {
      if (signal.aborted) return;
      observer?.ended('error', this.#clock.monotonicMs() - startedMs);
      this.#fail(key, error);
    }
  }

  #fail(key: string, error: unknown): void {
    const { logger, onFailure, backoff = usualBackoff, random } = this.#options;
    this.#counts.failed += 1;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    const isTerminal = error instanceof TerminalError;
    const retryInMs = isTerminal ? undefined : backoffMs(backoff, failures, random);
    // Somebody else has written meanwhile: that is what the precondition is for.
    if (isConflict(error)) logger.info('written by others meanwhile; trying again', { key, failures, retryInMs });
    else logger.error('reconcile failed', { key, failures, retryInMs, error: describeError(error) });
    if (retryInMs === undefined) {
      this.#failures.delete(key);
    } else {
      this.#failures.set(key, failures);
      this.addAfter(key, retryInMs);
    }
    try {
      onFailure?.(key, error, retryInMs);
    } catch (cause) {
      logger.error('a handler of failures failed', { key, error: describeError(cause) });
    }
  }

  #cancelDelay(key: string): void {
    this.#delayed.get(key)?.cancel();
    this.#delayed.delete(key);
  }
}
