import { nodePartitions } from '../../src/api/resources.ts';
import type { DeviceReport } from '../../src/api/types.ts';
import { collectionPath } from '../../src/kube/watch.ts';
import type { ControlPlane } from '../../src/simulator/control-plane/start.ts';
import { eventually } from '../support/eventually.ts';
import { fleetNode } from './fleet-objects.ts';
import { inLanes } from './lanes.ts';

/** Makes Nodes of a real one's size, waits for the partitions that the controller makes of them, and fills in their devices. */
export async function addFleet(controlPlane: ControlPlane, count: number, device: DeviceReport): Promise<void> {
  const { client } = controlPlane;
  const names = Array.from({ length: count }, (_, at) => `fleet-${at}`);
  const partitions = collectionPath(nodePartitions);
  await inLanes(names, async (name) => {
    await client.demand({ method: 'POST', path: '/api/v1/nodes', body: fleetNode(name) });
  });
  await eventually(
    async () => {
      const list = (await client.demand({ path: `${partitions}?limit=1` })) as {
        readonly metadata: { readonly remainingItemCount?: number };
      };
      return 1 + (list.metadata.remainingItemCount ?? 0);
    },
    (found) => found >= count,
    { timeoutMs: 120_000, intervalMs: 500, what: 'the number of partitions' },
  );
  await inLanes(names, async (name) => {
    const path = `${partitions}/${name}/status`;
    const body = { status: { device } };
    await client.demand({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
  });
}
