import type { Clock } from '../process/clock.ts';
import { isConflict } from './api-error.ts';
import type { CallOptions } from './call-options.ts';
import type { KubeClient } from './client.ts';
import { microTime } from './micro-time.ts';
import type { KubeObject, ObjectRef, Resource } from './resource.ts';

export interface LeaseLockOptions {
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
