import type { KubeClient } from '../../../kube/client.ts';
import type { ReconcileResult } from '../../../kube/queue.ts';
import type { KubeObject, ObjectRef } from '../../../kube/resource.ts';
import { leasesResource } from './kube-objects.ts';
import type { Machine } from './machine.ts';

interface LeaseObject extends KubeObject {
  readonly spec: object;
}

/** Shows that a node is alive, as kubelets do: renews a Lease of its name in kube-node-lease, owned by the Node, when it is due. */
export async function syncLease(
  machine: Machine,
  uid: string,
  { client, leaseMs }: { readonly client: KubeClient; readonly leaseMs: number },
): Promise<ReconcileResult> {
  const waitMs = machine.renewedAtMs + leaseMs - performance.now();
  if (waitMs > 0) return { requeueAfterMs: waitMs };
  const { name } = machine.node;
  const ref: ObjectRef = { resource: leasesResource, namespace: 'kube-node-lease', name };
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  const spec = { holderIdentity: name, leaseDurationSeconds: 40, renewTime };
  const owner = { apiVersion: 'v1', kind: 'Node', name, uid };
  await client.apply<LeaseObject>(ref, { metadata: { ownerReferences: [owner] }, spec }, { force: true });
  machine.renewedAtMs = performance.now();
  return { requeueAfterMs: leaseMs };
}
