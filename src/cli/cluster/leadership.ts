import { controllerManager } from '../../api/names.ts';
import type { Interruption } from '../../core/view/freshness.ts';
import { describeAbsence, isHeld } from '../../core/view/leadership.ts';
import { ApiError } from '../../kube/api-error.ts';
import type { CallOptions } from '../../kube/call-options.ts';
import type { KubeClient } from '../../kube/client.ts';
import { type Lease, leases } from '../../kube/lease.ts';
import { type Clock, systemClock, waitFor } from '../../process/clock.ts';
import { ask } from './connection.ts';

/** A leader renews its Lease every two seconds: one that is renewed within this time, in ms, only looks old by clocks that differ. */
const patienceMs = 5000;
const pollMs = 500;

/** Whether a controller leads, for somebody who looks now and then. */
export class LeadershipWatch {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  /** What was there at the last look, and since when it has been the same. */
  #seen = { versions: '', sinceMs: 0 };

  constructor(client: KubeClient, clock: Clock = systemClock) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * @returns why nobody leads; undefined if somebody does, or the user may not know; `Unsettled` if it takes another look
   * @throws ApiError if the API server does not answer
   */
  async check(options: CallOptions = {}): Promise<Interruption | 'Unsettled' | undefined> {
    const found = await listLeases(this.#client, options);
    const now = this.#clock.wallMs() - (this.#client.config.serverClock.skewMs ?? 0);
    if (found === undefined || found.some((lease) => isHeld(lease, now))) return undefined;
    const versions = JSON.stringify(found.map(({ metadata }) => [metadata.namespace, metadata.resourceVersion]));
    const monotonicMs = this.#clock.monotonicMs();
    if (versions !== this.#seen.versions) this.#seen = { versions, sinceMs: monotonicMs };
    return monotonicMs - this.#seen.sinceMs < patienceMs ? 'Unsettled' : describeAbsence(found);
  }

  /** Looks until it knows. @throws CliError if the API server does not answer */
  async settle(): Promise<Interruption | undefined> {
    for (;;) {
      const answer = await ask('leases', () => this.check());
      if (answer !== 'Unsettled') return answer;
      await waitFor(this.#clock, pollMs);
    }
  }
}

/** In all namespaces; undefined if the user may not list them. */
export async function listLeases(client: KubeClient, options: CallOptions = {}): Promise<readonly Lease[] | undefined> {
  const fieldSelector = `metadata.name=${controllerManager}`;
  try {
    return (await client.list<Lease>(leases, { fieldSelector }, { ...options, paged: false })).items;
  } catch (error) {
    if (error instanceof ApiError && error.code === 403) return undefined;
    throw error;
  }
}
