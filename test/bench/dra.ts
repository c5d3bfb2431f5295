import type { PolicySpec } from '../../src/api/types.ts';
import { pick } from '../../src/simulator/control-plane/access.ts';
import type { ControlPlane } from '../../src/simulator/control-plane/start.ts';
import { Rig } from '../../src/simulator/rig/rig.ts';
import { ownCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { waitForQuiet } from './audited-writes.ts';
import { deployLabels, installOperands } from './gpu-daemons.ts';
import { median, printMetric, tell } from './metric.ts';
import { NodeRecord } from './node-record.ts';
import { gpus, type Shape, shapes } from './refresh-layout.ts';
import { isByAgent, isByController, listChangeWrites } from './refresh-writes.ts';

/** A node of each backend; its policy has the same name. */
const backends = { claims: 'DRA', plugin: 'DevicePlugin' } as const;
type Pool = keyof typeof backends;

const kubeletTiming = { startMs: 500, stopMs: 200, statusLagMs: 800 };
/** There, back and there again, the backends in turn. */
const rounds: readonly Shape[] = ['middle', 'large', 'middle', 'large', 'middle'];

/** One change of a node. */
interface Round {
  /** From the edit to Ready, and with the taint, in ms. */
  readonly allMs: number;
  readonly closedMs: number;
  readonly writes: number;
}

/** One GPU of four gets another layout, on a node with the DRA driver and on one with the device plugin. */
export async function measureDra(): Promise<void> {
  tell('starting a control plane, a node with the DRA driver and one with the device plugin …');
  const controlPlane = await ownCluster({ auditLog: true });
  try {
    const rig = await Rig.start({
      controlPlane,
      nodes: [
        { name: 'claims', gpus, labels: { pool: 'claims' }, strategy: 'mixed', plugin: 'dra' },
        { name: 'plugin', gpus, labels: { pool: 'plugin', ...deployLabels }, strategy: 'mixed', plugin: 'pod' },
      ],
      kubeletTiming,
    });
    const record = await NodeRecord.start(controlPlane);
    try {
      await installOperands(controlPlane, [
        { name: 'tolerant', pools: ['plugin'], tolerations: [{ operator: 'Exists' }] },
      ]);
      await measure(controlPlane, record);
    } finally {
      await record[Symbol.asyncDispose]();
      await rig.stop();
    }
  } finally {
    await controlPlane.stop();
  }
}

async function measure(controlPlane: ControlPlane, record: NodeRecord): Promise<void> {
  const found: Record<Pool, Round[]> = { claims: [], plugin: [] };
  const pools = Object.keys(backends) as Pool[];
  for (const pool of pools) await change(controlPlane, record, pool, 'large');
  for (const shape of rounds)
    for (const pool of pools) found[pool].push(await change(controlPlane, record, pool, shape));
  const print = (metric: string, unit: string, read: (round: Round) => number): void => {
    const [value, baseline] = [found.claims, found.plugin].map((some) => median(some.map(read)));
    printMetric({
      metric: `dra: ${metric}, device plugin as baseline`,
      value: value ?? 0,
      unit,
      ...(baseline !== undefined && { baseline }),
    });
  };
  print('edit to Ready', 's', ({ allMs }) => allMs / 1000);
  print('node closed', 's', ({ closedMs }) => closedMs / 1000);
  print('API writes per changed node', 'writes', ({ writes }) => writes);
}

async function change(controlPlane: ControlPlane, record: NodeRecord, pool: Pool, shape: Shape): Promise<Round> {
  await waitForQuiet(controlPlane, 500);
  const startedMs = Date.now();
  const path = `/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies/${pool}`;
  const body = {
    apiVersion: 'gpupartition.dev/v1alpha1',
    kind: 'GpuPartitionPolicy',
    metadata: { name: pool },
    spec: specOf(pool, shape),
  };
  const query = '?fieldManager=bench&force=true';
  const answer = await controlPlane.client.demand({
    method: 'PATCH',
    path: `${path}${query}`,
    body,
    contentType: 'application/apply-patch+yaml',
  });
  const generation = Number(pick(answer, 'metadata', 'generation'));
  const readyMs = await eventually(
    () => record.readyAt(pool, generation),
    (atMs) => atMs !== undefined,
    { timeoutMs: 90_000, what: `policy ${pool} to be Ready` },
  );
  await waitForQuiet(controlPlane, 500);
  const moments = record.nodeMoments(pool, startedMs);
  const endMs = Date.now();
  const closedMs = moments.reduce(
    (sum, { atMs, closed }, at) => (closed ? sum + (moments[at + 1]?.atMs ?? endMs) - atMs : sum),
    0,
  );
  const writes = (await listChangeWrites(controlPlane, startedMs)).filter(
    (write) => isByController(write) || isByAgent(write),
  );
  const round = { allMs: (readyMs ?? endMs) - startedMs, closedMs, writes: writes.length };
  tell(`${pool} ${shape}: Ready after ${round.allMs} ms, closed for ${closedMs} ms, ${writes.length} writes`);
  return round;
}

function specOf(pool: Pool, shape: Shape): PolicySpec {
  return {
    nodeSelector: { matchLabels: { pool } },
    strategy: 'mixed',
    ...(backends[pool] === 'DRA' && { backend: 'DRA' }),
    layouts: [{ gpus: { indices: [0] }, profiles: shapes[shape].counts }, { profiles: shapes.large.counts }],
  };
}
