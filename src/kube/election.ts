import { type Clock, systemClock, waitFor } from '../process/clock.ts';
import { isConflict, isAlreadyExists } from './api-error.ts';
import type { CallOptions } from './request.ts';
import type { KubeClient } from './client.ts';
import type { KubeObject, ObjectRef, Resource } from './watch.ts';
import { describeError, type Logger } from '../process/log.ts';

/** A time in the format of Kubernetes' MicroTime: RFC 3339 with six digits of a second. */
export function microTime(wallMs: number): string {
  return new Date(wallMs).toISOString().replace('Z', '000Z');
}

interface LeaseLockOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly leaseMs: number;
  /** Time limit of one request, in ms. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}

interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export const leases: Resource = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease' };

/**
 * A Lease as a lock, by client-go's rules. Clocks of two machines are never compared: a lease has expired once *we* have
 * seen it unchanged for its duration. Every write is tied to the version that was read, so only one of two can win.
 */
export class LeaseLock {
  readonly #options: LeaseLockOptions;
  readonly #ref: ObjectRef;
  #lease: Lease | undefined;
  /** Whether a write of ours may have taken effect without our knowing it. */
  #isUnknown = false;
  #seenAt: Moment;
  #renewedAt: Moment | undefined;

  constructor(options: LeaseLockOptions) {
    this.#options = options;
    this.#ref = { resource: leases, namespace: options.namespace, name: options.name };
    this.#seenAt = this.#now();
  }

  /** The known holder of the lease; empty if nobody holds it. */
  get holder(): string {
    return this.#lease?.spec?.holderIdentity ?? '';
  }

  /** Whether somebody else holds it, as far as we know. */
  get isTaken(): boolean {
    return this.holder !== '' && this.holder !== this.#options.identity;
  }

  /**
   * Time since we last took or renewed the lease, in ms, by whichever clock shows more: the monotonic one stops while
   * the machine sleeps, the other may be set back. Counted from before the request: others count from its effect.
   */
  get sinceRenewalMs(): number {
    return this.#renewedAt === undefined ? Infinity : this.#elapsed(this.#renewedAt);
  }

  /**
   * Tries once to take or renew the lease.
   *
   * @param stop aborts what is read first
   * @param late aborts the write, too. That leaves unknown whether we hold the lease: it is for a holder whose time is
   *   over, not for one that can still give the lease back.
   * @returns whether we hold it.
   * @throws ApiError; Conflict for a lost race.
   */
  async acquire(stop: AbortSignal, late?: AbortSignal): Promise<boolean> {
    // A leader renews its own last write without reading it first.
    if (this.#isUnknown || this.holder !== this.#options.identity) await this.#read(stop);
    const startedAt = this.#now();
    if (this.#lease !== undefined && this.holder !== this.#options.identity && !this.#hasRunOut(this.#lease))
      return false;
    try {
      this.#lease = await this.#write(this.#lease, late);
    } catch (error) {
      // Somebody was faster, or our last write arrived but its answer did not: read before the next attempt. The version is kept: if it
      // is still the same, it has run out already.
      this.#isUnknown = true;
      throw error;
    }
    this.#seenAt = startedAt;
    this.#renewedAt = startedAt;
    return true;
  }

  /**
   * Releases the lease, so that its successor need not wait for it to expire. Does nothing if it is not ours.
   *
   * @throws ApiError when no attempt succeeded within the time of a request.
   */
  async release(): Promise<void> {
    const { client, timeoutMs } = this.#options;
    const signal = AbortSignal.timeout(Math.ceil(timeoutMs));
    // The answer to our last write may be lost.
    if (this.#isUnknown) await this.#read(signal);
    while (this.#lease !== undefined && this.holder === this.#options.identity) {
      const released = this.#releasedFrom(this.#lease);
      this.#renewedAt = undefined;
      try {
        this.#lease = await client.replace<Lease>(this.#ref, released, { timeoutMs, signal });
      } catch (error) {
        // Somebody touched it since our last write, or an earlier attempt arrived.
        if (!isConflict(error)) throw error;
        await this.#read(signal);
      }
    }
  }

  #releasedFrom(held: Lease): Lease {
    const now = microTime(this.#options.clock.wallMs());
    const { leaseTransitions = 0 } = held.spec ?? {};
    const spec = { holderIdentity: '', leaseDurationSeconds: 1, renewTime: now, acquireTime: now, leaseTransitions };
    return { ...held, spec };
  }

  async #read(signal?: AbortSignal): Promise<void> {
    const before = this.#lease?.metadata;
    const lease = await this.#options.client.find<Lease>(this.#ref, this.#call(signal));
    const isNew = lease?.metadata.uid !== before?.uid || lease?.metadata.resourceVersion !== before?.resourceVersion;
    if (isNew) this.#seenAt = this.#now();
    this.#lease = lease;
    this.#isUnknown = false;
  }

  #write(lease: Lease | undefined, signal: AbortSignal | undefined): Promise<Lease> {
    const { client, identity, leaseMs, clock } = this.#options;
    const now = microTime(clock.wallMs());
    const spec = { holderIdentity: identity, leaseDurationSeconds: Math.ceil(leaseMs / 1000), renewTime: now };
    const { namespace, name } = this.#options;
    if (lease === undefined) {
      const body = { metadata: { namespace, name }, spec: { ...spec, acquireTime: now, leaseTransitions: 0 } };
      return client.create<Lease>(leases, body, this.#call(signal));
    }
    const isOurs = this.holder === identity;
    const transitions = (lease.spec?.leaseTransitions ?? 0) + 1;
    const taken = isOurs ? {} : { acquireTime: now, leaseTransitions: transitions };
    return client.replace<Lease>(
      this.#ref,
      { ...lease, spec: { ...lease.spec, ...spec, ...taken } },
      this.#call(signal),
    );
  }

  #hasRunOut({ spec }: Lease): boolean {
    if (spec?.holderIdentity === undefined || spec.holderIdentity === '') return true;
    const since = this.#options.clock.monotonicMs() - this.#seenAt.monotonicMs;
    return since > (spec.leaseDurationSeconds ?? 0) * 1000;
  }

  #call(signal: AbortSignal | undefined): CallOptions {
    return { timeoutMs: this.#options.timeoutMs, attempts: 1, signal };
  }

  #now(): Moment {
    const { clock } = this.#options;
    return { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() };
  }

  #elapsed(since: Moment): number {
    const now = this.#now();
    return Math.max(now.monotonicMs - since.monotonicMs, now.wallMs - since.wallMs);
  }
}

/** Times of an election, in ms; client-go's defaults. lease > renew > retry. */
export interface ElectionTiming {
  /** How long others wait, after the last renewal that they saw, before they take the lease. */
  readonly leaseMs: number;
  /** A leader that could not renew for this long stops. */
  readonly renewMs: number;
  /** Time between two renewals; a candidate checks twice as often. */
  readonly retryMs: number;
}

interface ElectionOptions {
  readonly client: KubeClient;
  readonly logger: Logger;
  readonly namespace: string;
  readonly name: string;
  /** Identity of this candidate; two processes must never share one. */
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

/** Makes one attempt. An end of the work never interrupts its write: a lease that is written meanwhile could not be given back. */
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

/** A time of leadership. */
export interface Term {
  /** Aborts when leadership is lost or the candidate must stop. */
  readonly signal: AbortSignal;
  /**
   * Throws when the lease was not renewed in time. Timers of a stalled process fire late: call this right
   * before anything that two must not do.
   */
  requireLeadership(): void;
}
