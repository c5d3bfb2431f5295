import { systemClock, waitFor, type Clock } from '../process/clock.ts';
import { describeError, type Logger } from '../process/logger.ts';
import { isAlreadyExists, isConflict } from './api-error.ts';
import type { KubeClient } from './client.ts';
import { LeaseLock } from './lease.ts';
import type { Term } from './term.ts';

/** Times of an election, in ms; client-go's defaults. lease > renew > retry. */
export interface ElectionTiming {
  /** How long others wait, after the last renewal that they saw, before they take the lease. */
  readonly leaseMs: number;
  /** A leader that could not renew for this long stops. */
  readonly renewMs: number;
  /** Time between two renewals; a candidate checks twice as often. */
  readonly retryMs: number;
}

export interface ElectionOptions {
  readonly client: KubeClient;
  readonly logger: Logger;
  readonly namespace: string;
  readonly name: string;
  /** Of this candidate; two processes must never share one. */
  readonly identity: string;
  readonly timing?: ElectionTiming;
  readonly clock?: Clock;
}

/** Leadership is lost, or its work did not end in time: the process should end. */
export class LeadershipLostError extends Error {
  override readonly name = 'LeadershipLostError';
  readonly code = 'LEADERSHIP_LOST';
}

const usualTiming: ElectionTiming = { leaseMs: 15_000, renewMs: 10_000, retryMs: 2_000 };

/**
 * Stands for election until it leads, then runs `lead` for as long as the lease is renewed. Resolves when `lead` has
 * returned, or when the signal aborts before that; the lease is then released, so that the next leader need not wait.
 * While `lead` winds down after the signal, the lease is still renewed.
 *
 * @throws LeadershipLostError when the lease could not be renewed in time: end the process. Also what `lead` throws.
 */
export async function runElected(
  options: ElectionOptions,
  lead: (term: Term) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { timing = usualTiming, clock = systemClock, logger, namespace, name, identity } = options;
  const lock = new LeaseLock({ ...options, clock, leaseMs: timing.leaseMs, timeoutMs: timing.renewMs / 2 });
  const fields = { lease: `${namespace}/${name}`, identity };
  logger.info('standing for election', fields);
  const release = (): Promise<void> =>
    lock.release().catch((error: unknown) => {
      logger.warn('the lease was not released', { ...fields, error: describeError(error) });
    });
  while (!(await tryAcquire(lock, logger, signal))) {
    // A read costs little, and a released lease is taken at once. Jitter keeps candidates from always colliding.
    await waitFor(clock, (timing.retryMs / 2) * (1 + Math.random() * 0.2), signal);
    if (signal.aborted) break;
  }
  if (signal.aborted) return release();
  logger.info('elected', fields);
  const lost = new AbortController();
  const ended = new AbortController();
  const term: Term = {
    signal: AbortSignal.any([signal, lost.signal]),
    requireLeadership() {
      if (lost.signal.aborted || lock.sinceRenewalMs >= timing.renewMs) {
        throw new LeadershipLostError(`the lease ${fields.lease} was not renewed for ${lock.sinceRenewalMs} ms`);
      }
    },
  };
  const work = settle(() => lead(term)).finally(() => ended.abort());
  await keepRenewing(lock, { timing, clock, logger }, ended.signal);
  if (ended.signal.aborted) {
    await release();
    const failure = await work;
    if (failure !== undefined) throw failure.cause;
    return;
  }
  logger.error('leadership lost', { ...fields, holder: lock.holder });
  lost.abort(new LeadershipLostError('leadership lost'));
  // Nobody else leads until the lease has expired.
  await Promise.race([work, waitFor(clock, timing.leaseMs - lock.sinceRenewalMs, ended.signal)]);
  const state = ended.signal.aborted ? 'its work ended' : 'its work did not end in time';
  throw new LeadershipLostError(`the lease ${fields.lease} was not renewed within ${timing.renewMs} ms; ${state}`);
}

/** Renews until the signal aborts or the lease is lost: taken by another, or not renewed within `renewMs`. */
async function keepRenewing(
  lock: LeaseLock,
  { timing, clock, logger }: { readonly timing: ElectionTiming; readonly clock: Clock; readonly logger: Logger },
  ended: AbortSignal,
): Promise<void> {
  for (let renewed = true; renewed && !ended.aborted;) {
    renewed = false;
    const late = new AbortController();
    const cancel = clock.startTimer(timing.renewMs - lock.sinceRenewalMs, () => late.abort());
    const stop = AbortSignal.any([ended, late.signal]);
    while (!renewed && !stop.aborted) {
      await waitFor(clock, timing.retryMs, stop);
      if (!stop.aborted) renewed = await tryAcquire(lock, logger, stop, late.signal);
      if (!renewed && lock.isTaken) break;
    }
    cancel();
  }
}

/** One attempt. An end of the work never interrupts its write: a lease that is written meanwhile could not be given back. */
async function tryAcquire(lock: LeaseLock, logger: Logger, stop: AbortSignal, late?: AbortSignal): Promise<boolean> {
  try {
    return await lock.acquire(stop, late);
  } catch (error) {
    const isRace = isConflict(error) || isAlreadyExists(error);
    if (!stop.aborted) logger[isRace ? 'debug' : 'warn']('the lease was not acquired', { error: describeError(error) });
    return false;
  }
}

/** Runs work to its end; resolves with what it threw. */
async function settle(work: () => Promise<void>): Promise<{ readonly cause: unknown } | undefined> {
  try {
    await work();
    return undefined;
  } catch (cause) {
    return { cause };
  }
}
