import { controllerManager } from '../../api/names.ts';
import type { KubeClient } from '../../kube/client.ts';
import { type Lease, leases } from '../../kube/lease.ts';
import { type Clock, systemClock, waitFor } from '../../process/clock.ts';
import { ask, find } from './connection.ts';
import { listLeases } from './leadership.ts';

const pollMs = 500;

/**
 * The current leader, whichever namespace its Lease is in; undefined if there is none. A held lease is watched for its whole
 * duration: the clocks of two machines are never compared.
 *
 * @param namespace where to look if the user may not list Leases of all namespaces
 */
export async function findLeader(
  client: KubeClient,
  namespace: string,
  clock: Clock = systemClock,
): Promise<string | undefined> {
  const found = (await ask('leases', () => listLeases(client))) ?? [await readLease(client, namespace)];
  const holders = await Promise.all(found.map((lease) => watchHolder(client, lease, clock)));
  return holders.find((holder) => holder !== undefined);
}

/** @returns who holds a lease, if it is renewed within its duration */
async function watchHolder(client: KubeClient, first: Lease | undefined, clock: Clock): Promise<string | undefined> {
  const { holderIdentity = '', leaseDurationSeconds = 0 } = first?.spec ?? {};
  if (!first || holderIdentity === '') return undefined;
  const { namespace = '', resourceVersion } = first.metadata;
  const end = clock.monotonicMs() + leaseDurationSeconds * 1000;
  while (clock.monotonicMs() < end) {
    await waitFor(clock, pollMs, new AbortController().signal);
    const lease = await readLease(client, namespace);
    if (lease?.metadata.resourceVersion !== resourceVersion) return lease?.spec?.holderIdentity || undefined;
  }
  return undefined;
}

function readLease(client: KubeClient, namespace: string): Promise<Lease | undefined> {
  const ref = { resource: leases, namespace, name: controllerManager };
  return find<Lease>(client, `Lease ${namespace}/${controllerManager}`, ref);
}
