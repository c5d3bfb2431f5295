import { controllerManager } from '../../api/names.ts';
import { isNotFound } from '../../kube/api-error.ts';
import type { KubeClient } from '../../kube/client.ts';
import { type Lease, leases } from '../../kube/lease.ts';
import { type Clock, systemClock, waitFor } from '../../process/clock.ts';
import { ask } from './connection.ts';

const pollMs = 500;

/**
 * The current leader; undefined if there is none. A held lease is watched for its whole duration: the clocks of two machines are
 * never compared.
 */
export async function findLeader(
  client: KubeClient,
  namespace: string,
  clock: Clock = systemClock,
): Promise<string | undefined> {
  const first = await readLease(client, namespace);
  const { holderIdentity = '', leaseDurationSeconds = 0 } = first?.spec ?? {};
  if (holderIdentity === '') return undefined;
  const end = clock.monotonicMs() + leaseDurationSeconds * 1000;
  while (clock.monotonicMs() < end) {
    await waitFor(clock, pollMs, new AbortController().signal);
    const lease = await readLease(client, namespace);
    if (lease?.metadata.resourceVersion !== first?.metadata.resourceVersion)
      return lease?.spec?.holderIdentity || undefined;
  }
  return undefined;
}

async function readLease(client: KubeClient, namespace: string): Promise<Lease | undefined> {
  return ask(`Lease ${namespace}/${controllerManager}`, async () => {
    try {
      return await client.find<Lease>({ resource: leases, namespace, name: controllerManager });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  });
}
