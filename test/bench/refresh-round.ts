import type { AuditedWrite } from '../../src/simulator/control-plane/components.ts';
import { waitForQuiet } from './audited-writes.ts';
import { type DeviceRun, isOperation, listDeviceRuns } from './device-log.ts';
import { createValidatorPods, operatorNamespace, pluginApp } from './gpu-daemons.ts';
import { tell } from './metric.ts';
import { runMigManagerSequence } from './mig-manager-sequence.ts';
import type { NodeMoment, PodMoment } from './node-record.ts';
import type { Pool, RefreshCluster } from './refresh-cluster.ts';
import { resourcesOf, type Shape, shapes } from './refresh-layout.ts';
import { countClosedMs, type RefreshTime, splitRefreshTime } from './refresh-time.ts';
import { describeAccountWrite, listChangeWrites } from './refresh-writes.ts';

/** One change of one node. Times in ms. */
export interface Round {
  /** From the wish to when the node offers it. */
  readonly allMs: number;
  /** From the last device operation to when the node is said to be done, and to when it offers the layout. */
  readonly saidMs: number;
  readonly offeredMs: number;
  /** Time in which no GPU pod could come. */
  readonly closedMs: number;
  readonly writes: readonly AuditedWrite[];
}

export interface OwnRound extends Round {
  readonly time: RefreshTime;
}

interface Seen {
  readonly operationsEndMs: number;
  readonly runs: readonly DeviceRun[];
  readonly writes: readonly AuditedWrite[];
  readonly nodeMoments: readonly NodeMoment[];
  readonly podMoments: readonly PodMoment[];
  readonly closedMs: number;
}

/** A change of a policy, carried out by our controller and agent. */
export async function observeOwn(
  cluster: RefreshCluster,
  pool: Pool,
  ...layout: readonly [first: Shape, second?: Shape]
): Promise<OwnRound> {
  const startedMs = Date.now();
  const readyMs = await cluster.waitUntilReady(pool, await cluster.setShapes(pool, ...layout));
  const seen = await lookBack(cluster, pool, startedMs);
  const { operationsEndMs, writes, nodeMoments, podMoments, closedMs } = seen;
  const plugin = podMoments.find(({ app, what }) => app === pluginApp && what === 'gone')?.name;
  const eviction = writes.find(
    ({ subresource, name, code }) => subresource === 'eviction' && name === plugin && code === 201,
  );
  if (!eviction) throw new Error(`no pod of the device plugin was evicted on ${pool}`);
  const evictedMs = Date.parse(eviction.time);
  const wanted = resourcesOf(...layout);
  const time = splitRefreshTime({ operationsEndMs, evictedMs, readyMs, wanted, nodeMoments, podMoments });
  const parts = Object.entries(time).map(([name, ms]) => `${name} ${Math.round(ms)}`);
  tell(`${pool}: ${parts.join(', ')} (ms)`);
  tellTimeline(seen, readyMs);
  return { allMs: readyMs - startedMs, saidMs: time.whole, offeredMs: time.whole, closedMs, writes, time };
}

/** The same change by mig-manager's sequence. */
export async function observeMigManager(cluster: RefreshCluster, shape: Shape): Promise<Round> {
  const node = 'incumbent';
  await createValidatorPods(cluster.controlPlane, node);
  const startedMs = Date.now();
  const saidAtMs = await runMigManagerSequence(
    {
      client: cluster.controlPlane.client,
      token: cluster.migManagerToken,
      node,
      namespace: operatorNamespace,
      nvidiaSmi: cluster.nvidiaSmi(node),
    },
    { gpu: 0, profileIds: shapes[shape].profileIds },
  );
  const offeredAtMs = await cluster.waitUntilOffered(node, resourcesOf(shape), startedMs);
  const { operationsEndMs, writes, closedMs } = await lookBack(cluster, node, startedMs);
  const saidMs = saidAtMs - operationsEndMs;
  const offeredMs = offeredAtMs - operationsEndMs;
  tell(
    `mig-manager: last operation after ${operationsEndMs - startedMs} ms, success ${saidMs} ms and ` +
      `allocatable ${offeredMs} ms later; nothing offered for ${closedMs} ms`,
  );
  return { allMs: offeredAtMs - startedMs, saidMs, offeredMs, closedMs, writes };
}

async function lookBack({ controlPlane, rig, record }: RefreshCluster, pool: Pool, sinceMs: number): Promise<Seen> {
  await waitForQuiet(controlPlane, 500);
  const runs = await listDeviceRuns(rig, pool, sinceMs);
  const nodeMoments = record.nodeMoments(pool, sinceMs);
  return {
    runs,
    nodeMoments,
    operationsEndMs: Math.max(...runs.filter(isOperation).map(({ endMs }) => endMs)),
    writes: await listChangeWrites(controlPlane, sinceMs),
    podMoments: record.podMoments(pool, sinceMs),
    closedMs: countClosedMs(nodeMoments, Date.now()),
  };
}

/** All that happened, every write included, before and after the last device operation: where time and writes go. */
function tellTimeline({ operationsEndMs, runs, writes, podMoments, nodeMoments }: Seen, endMs: number): void {
  const marks = [
    ...writes.map((write) => ({ atMs: Date.parse(write.time), text: `${describeAccountWrite(write)} ${write.name}` })),
    ...runs.map(({ startMs, argv }) => ({ atMs: startMs, text: `nvidia-smi ${argv.join(' ')}` })),
    ...podMoments.map(({ atMs, name, what }) => ({ atMs, text: `pod ${name} is ${what}` })),
    ...nodeMoments.map(({ atMs, closed, offered }) => ({
      atMs,
      text: `the node is ${closed ? 'closed' : 'open'} and offers ${JSON.stringify(offered)}`,
    })),
  ];
  const writeTimes = new Set(writes.map(({ time }) => Date.parse(time)));
  for (const { atMs, text } of marks.toSorted((a, b) => a.atMs - b.atMs)) {
    if (atMs <= endMs || writeTimes.has(atMs)) tell(`${String(atMs - operationsEndMs).padStart(6)} ms  ${text}`);
  }
}
