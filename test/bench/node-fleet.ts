import { nodePartitions } from '../../src/api/resources.ts';
import type { DeviceReport } from '../../src/api/types.ts';
import { collectionPath } from '../../src/kube/resource.ts';
import type { ControlPlane } from '../../src/simulator/control-plane/control-plane.ts';
import { eventually } from '../support/eventually.ts';

/** Requests at a time: more only makes each slower. */
const lanes = 16;
/** Of a real GPU node, beside its own 90 labels (5,000 such nodes are 111 MB in one list). */
const images = Array.from({ length: 50 }, (_, at) => ({
  names: [
    `registry.example/team-${at}/service@sha256:${'0'.repeat(64)}`,
    `registry.example/team-${at}/service:v1.${at}`,
  ],
  sizeBytes: 100_000_000 + at,
}));
const labels = Object.fromEntries(
  Array.from({ length: 90 }, (_, at) => [`feature.node.kubernetes.io/cpu-${at}`, 'true']),
);

/** Makes Nodes of a real one's size, waits for the partitions that the controller makes of them, and fills in their devices. */
export async function addFleet(controlPlane: ControlPlane, count: number, device: DeviceReport): Promise<void> {
  const { client } = controlPlane;
  const names = Array.from({ length: count }, (_, at) => `fleet-${at}`);
  const partitions = collectionPath(nodePartitions);
  await inLanes(names, async (name) => {
    await client.demand({ method: 'POST', path: '/api/v1/nodes', body: makeNode(name) });
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

function makeNode(name: string) {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { ...labels, 'nvidia.com/gpu.present': 'true' } },
    status: {
      images,
      capacity: { cpu: '64', 'nvidia.com/gpu': '8' },
      allocatable: { cpu: '64', 'nvidia.com/gpu': '8' },
    },
  };
}

async function inLanes<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const item of left) await work(item);
    }),
  );
}
