import { systemClock, type Clock } from '../process/clock.ts';
import { describeError, type Logger } from '../process/log.ts';
import { isConflict, backoffMs } from './api-error.ts';
import type { Backoff } from '../core/text/syntax.ts';

/** What a successful reconcile requests: nothing, or to be called again. */
export interface ReconcileResult {
  readonly requeueAfterMs?: number | undefined;
}

export interface QueueOptions {
  /** Reconciles one key. Reads its state itself: a key only says that something may have changed. */
  readonly reconcile: (key: string, signal: AbortSignal) => Promise<ReconcileResult | void>;
  readonly logger: Logger;
  /** Maximum number of keys processed in parallel; default 1. */
  readonly concurrency?: number;
  readonly backoff?: Backoff;
  /** Keys that go before all others, however long those have waited; checked when a key is added. */
  readonly isUrgent?: (key: string) => boolean;
  /** Maximum number of other keys processed in parallel, asked for before each; default `concurrency`. */
  readonly patientConcurrency?: () => number;
  readonly observer?: QueueObserver | undefined;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** Called on each reconcile, for metrics. */
export interface QueueObserver {
  /** A key's reconcile starts, this many ms after the key was added. */
  started(waitedMs: number): void;
  ended(result: 'success' | 'error', tookMs: number): void;
}

interface Delayed {
  readonly atMs: number;
  readonly cancel: () => void;
}

/** How long reconciles that never wait may run back to back, in ms: leases must be renewed, watches read. */
const longestTurnMs = 10;
const usualBackoff: Backoff = { baseMs: 500, maxMs: 5 * 60_000 };

/**
 * A work queue of keys. A key is queued at most once and never processed twice in parallel; a key added while it is being
 * processed runs once more afterwards. A failure is retried with backoff, for its key alone.
 */
export class WorkQueue {
  readonly #options: QueueOptions;
  readonly #clock: Clock;
  readonly #stopped = new AbortController();
  /** Queued keys and when they were queued; the urgent ones first. */
  readonly #urgent = new Map<string, number>();
  readonly #waiting = new Map<string, number>();
  /** Keys being processed, and their start. */
  readonly #working = new Map<string, number>();
  /** Keys being processed that were not urgent. */
  readonly #patient = new Set<string>();
  readonly #runs = new Set<Promise<void>>();
  readonly #delayed = new Map<string, Delayed>();
  readonly #failures = new Map<string, number>();
  #turnIsDue = false;
  /** The time at which the first key of this turn of the event loop was started; undefined if none was. */
  #turnSinceMs: number | undefined;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** The number of queued keys; delayed keys do not count. */
  get depth(): number {
    return this.#urgent.size + this.#waiting.size;
  }

  /** How long the oldest running reconcile has been running, in ms; 0 if none is. A liveness check uses it. */
  get longestRunMs(): number {
    const starts = [...this.#working.values()];
    return starts.length === 0 ? 0 : this.#clock.monotonicMs() - Math.min(...starts);
  }

  /** Queues the key for an early reconcile. */
  add(key: string): void {
    if (this.#stopped.signal.aborted) return;
    this.#line(key);
    // Not immediately: the reconcile must not run on its caller's stack, and equal keys of one turn are one run.
    if (this.#turnIsDue) return;
    this.#turnIsDue = true;
    queueMicrotask(() => {
      this.#turnIsDue = false;
      this.#startWork();
    });
  }

  /** Queues the key after a delay, or sooner if something else requests it. */
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

  /** Forgets the key's failures and its delay: for keys whose object is gone. */
  forget(key: string): void {
    this.#failures.delete(key);
    this.#cancelDelay(key);
  }

  /** Starts nothing more, aborts the signal of running reconciles, and waits for their end. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    this.#urgent.clear();
    this.#waiting.clear();
    for (const key of this.#delayed.keys()) this.#cancelDelay(key);
    await Promise.all(this.#runs);
  }

  /** Queues a key. A key that has since become urgent moves ahead of the others. */
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
      const isUrgent = this.#urgent.has(key);
      if (!isUrgent && this.#patient.size >= (this.#options.patientConcurrency?.() ?? Infinity)) return;
      if (this.#isTurnOver()) return;
      this.#urgent.delete(key);
      this.#waiting.delete(key);
      if (!isUrgent) this.#patient.add(key);
      this.#cancelDelay(key);
      const nowMs = this.#clock.monotonicMs();
      this.#working.set(key, nowMs);
      this.#options.observer?.started(nowMs - sinceMs);
      const run = this.#work(key).finally(() => {
        this.#runs.delete(run);
        this.#working.delete(key);
        this.#patient.delete(key);
        this.#startWork();
      });
      this.#runs.add(run);
    }
  }

  /** Promises alone never yield to timers and sockets. The remaining keys are started after those. */
  #isTurnOver(): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (this.#turnSinceMs === undefined) {
      this.#turnSinceMs = nowMs;
      this.#clock.afterTurn(() => {
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
      observer?.ended('success', this.#clock.monotonicMs() - startedMs);
      if (result?.requeueAfterMs !== undefined) this.addAfter(key, result.requeueAfterMs);
    } catch (error) {
      if (signal.aborted) return;
      observer?.ended('error', this.#clock.monotonicMs() - startedMs);
      this.#fail(key, error);
    }
  }

  #fail(key: string, error: unknown): void {
    const { logger, backoff = usualBackoff, random } = this.#options;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    const retryInMs = backoffMs(backoff, failures, random);
    // Somebody else wrote in the meantime: the precondition exists for exactly this.
    if (isConflict(error)) logger.info('written by others meanwhile; trying again', { key, failures, retryInMs });
    else logger.error('reconcile failed', { key, failures, retryInMs, error: describeError(error) });
    this.#failures.set(key, failures);
    this.addAfter(key, retryInMs);
  }

  #cancelDelay(key: string): void {
    this.#delayed.get(key)?.cancel();
    this.#delayed.delete(key);
  }
}
