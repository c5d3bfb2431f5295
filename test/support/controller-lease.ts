import { controllerManager } from '../../src/api/names.ts';
import { leases, microTime } from '../../src/kube/election.ts';
import { type ControlPlane, createKubeClient } from './cluster.ts';

const namespace = 'default';
const ref = { resource: leases, namespace, name: controllerManager };

/** A Lease as a controller has it that renewed it this long ago. */
export async function renewLease(cluster: ControlPlane, secondsAgo = 0, leaseDurationSeconds = 15): Promise<void> {
  const client = await createKubeClient(cluster);
  const renewTime = microTime(Date.now() - secondsAgo * 1000);
  const spec = { holderIdentity: 'a-controller', leaseDurationSeconds, renewTime };
  if (await client.find(ref)) await client.merge(ref, { spec });
  else await client.create(leases, { metadata: { namespace, name: controllerManager }, spec });
}

/** A Lease as a controller has it that leads for longer than any test takes. */
export async function holdLease(cluster: ControlPlane): Promise<void> {
  await renewLease(cluster, 0, 86_400);
}

export async function dropLease(cluster: ControlPlane): Promise<void> {
  await (await createKubeClient(cluster)).delete(ref);
}
