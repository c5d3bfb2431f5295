import type { AuditedWrite } from '../../src/simulator/control-plane/audit.ts';
import { isEvent, waitForQuiet } from './audited-writes.ts';
import { type DeviceRun, isOperation, listDeviceRuns } from './device-log.ts';
import { createValidatorPods, operatorNamespace, pluginApp } from './gpu-daemons.ts';
import { median, printMetric, tell } from './metric.ts';
import { runMigManagerSequence } from './mig-manager-sequence.ts';
import type { NodeMoment, PodMoment } from './node-record.ts';
import { type Pool, RefreshCluster, resourcesOf, type Shape, shapes } from './refresh-cluster.ts';
import { countClosedMs, type RefreshTime, splitRefreshTime } from './refresh-time.ts';

/** The last one changes back: each round needs the same operations in turn. */
const rounds: readonly Shape[] = ['middle', 'large', 'middle'];

interface Round {
  /** From the wish to when the node offers it, in ms. */
  readonly allMs: number;
  /** From the last device operation to when the node is said to be done, and to when it offers the layout, in ms. */
  readonly saidMs: number;
  readonly offeredMs: number;
  /** Time in which no GPU pod could come, in ms. */
  readonly closedMs: number;
  /** Writes by account and kind, Events, Leases and the status of policies aside. */
  readonly writes: readonly AuditedWrite[];
}

interface OwnRound extends Round {
  readonly time: RefreshTime;
}

/** One GPU of four gets another layout: how long until pods may use it, beside mig-manager on the same kind of node. */
export async function measureRefresh(): Promise<void> {
  await using cluster = await RefreshCluster.start();
  const theirs: Round[] = [];
  const ours = { tolerant: [] as OwnRound[], stock: [] as OwnRound[] };
  for (const shape of rounds) {
    theirs.push(await observeMigManager(cluster, shape));
    for (const pool of ['tolerant', 'stock'] as const) ours[pool].push(await observeOwn(cluster, pool, shape));
  }
  for (const pool of ['tolerant', 'stock'] as const) report(`${pool} plugin`, ours[pool], theirs);
  const { time } = await observeOwn(cluster, 'tolerant', 'large', 'middle');
  printMetric({
    metric: 'refresh: our own waits, same counts on other GPUs',
    value: time.ours / 1000,
    unit: 's',
    baseline: 1,
  });
  const said = medianOf(theirs, ({ saidMs }) => saidMs) / 1000;
  const offered = medianOf(theirs, ({ offeredMs }) => offeredMs) / 1000;
  printMetric({
    metric: 'refresh: mig-manager says success before the node offers it',
    value: offered - said,
    unit: 's',
  });
}

async function observeOwn(
  cluster: RefreshCluster,
  pool: Pool,
  ...layout: readonly [first: Shape, second?: Shape]
): Promise<OwnRound> {
  const { controlPlane, record, rig } = cluster;
  const startedMs = Date.now();
  const readyMs = await cluster.waitUntilReady(pool, await cluster.setShapes(pool, ...layout));
  const wanted = resourcesOf(...layout);
  await waitForQuiet(controlPlane, 500);
  const runs = await listDeviceRuns(rig, pool, startedMs);
  const operationsEndMs = Math.max(...runs.filter(isOperation).map(({ endMs }) => endMs));
  const writes = await writesSince(cluster, startedMs);
  const podMoments = record.podMoments(pool, startedMs);
  const plugin = podMoments.find(({ app, what }) => app === pluginApp && what === 'gone')?.name;
  const eviction = writes.find(
    ({ subresource, name, code }) => subresource === 'eviction' && name === plugin && code === 201,
  );
  if (!eviction) throw new Error(`no pod of the device plugin was evicted on ${pool}`);
  const nodeMoments = record.nodeMoments(pool, startedMs);
  const time = splitRefreshTime({
    operationsEndMs,
    evictedMs: Date.parse(eviction.time),
    readyMs,
    wanted,
    nodeMoments,
    podMoments,
  });
  tellTime(pool, time);
  tellTimeline(operationsEndMs, readyMs, { writes, runs, podMoments, nodeMoments });
  const closedMs = countClosedMs(nodeMoments, Date.now());
  return { allMs: readyMs - startedMs, saidMs: time.whole, offeredMs: time.whole, closedMs, writes, time };
}

async function observeMigManager(cluster: RefreshCluster, shape: Shape): Promise<Round> {
  const { controlPlane, record, rig } = cluster;
  const node = 'incumbent';
  await createValidatorPods(controlPlane, node);
  const startedMs = Date.now();
  const saidAtMs = await runMigManagerSequence(
    {
      client: controlPlane.client,
      token: cluster.migManagerToken,
      node,
      namespace: operatorNamespace,
      nvidiaSmi: cluster.nvidiaSmi(node),
    },
    { gpu: 0, profileIds: shapes[shape].profileIds },
  );
  const offeredAtMs = await cluster.waitUntilOffered(node, resourcesOf(shape), startedMs);
  await waitForQuiet(controlPlane, 500);
  const runs = await listDeviceRuns(rig, node, startedMs);
  const operationsEndMs = Math.max(...runs.filter(isOperation).map(({ endMs }) => endMs));
  const closedMs = countClosedMs(record.nodeMoments(node, startedMs), Date.now());
  tell(
    `mig-manager: last operation after ${operationsEndMs - startedMs} ms, success ${saidAtMs - operationsEndMs} ms and ` +
      `allocatable ${offeredAtMs - operationsEndMs} ms later; nothing offered for ${closedMs} ms`,
  );
  return {
    allMs: offeredAtMs - startedMs,
    saidMs: saidAtMs - operationsEndMs,
    offeredMs: offeredAtMs - operationsEndMs,
    closedMs,
    writes: await writesSince(cluster, startedMs),
  };
}

function report(name: string, ours: readonly OwnRound[], theirs: readonly Round[]): void {
  const print = (metric: string, ms: number, baseline?: number): void =>
    printMetric({
      metric: `refresh: ${metric}, ${name}`,
      value: ms / 1000,
      unit: 's',
      ...(baseline === undefined ? {} : { baseline: baseline / 1000 }),
    });
  const time = (read: (time: RefreshTime) => number): number => medianOf(ours, (round) => read(round.time));
  print(
    'last device operation to Ready',
    time(({ whole }) => whole),
    medianOf(theirs, ({ offeredMs }) => offeredMs),
  );
  const all = (round: Round): number => round.allMs;
  print('asked for to offered', medianOf(ours, all), medianOf(theirs, all));
  print(
    'our own waits',
    time((one) => one.ours),
    1_000,
  );
  print(
    'our own waits, until the eviction',
    time(({ untilEviction }) => untilEviction),
  );
  print(
    'our own waits, until the taint is off',
    time(({ untilTaintOff }) => untilTaintOff),
  );
  print(
    'our own waits, until Ready',
    time(({ untilReady }) => untilReady),
  );
  print(
    'eviction to the old pod gone',
    time(({ evictionToGone }) => evictionToGone),
  );
  print(
    'old pod gone to the new one Ready',
    time(({ goneToReady }) => goneToReady),
  );
  print(
    'new pod Ready to allocatable',
    time(({ readyToAllocatable }) => readyToAllocatable),
  );
  const closed = (round: Round): number => round.closedMs;
  print('no GPU pod can come', medianOf(ours, closed), medianOf(theirs, closed));
  const writes = (some: readonly Round[], isMeant: (write: AuditedWrite) => boolean): number =>
    medianOf(some, (round) => round.writes.filter(isMeant).length);
  const printWrites = (metric: string, isMeant: (write: AuditedWrite) => boolean): void =>
    printMetric({
      metric: `refresh: API writes per changed node${metric}, ${name}`,
      value: writes(ours, (write) => isMeant(write) && !isTheirs(write)),
      unit: 'writes',
      baseline: writes(theirs, (write) => isMeant(write) && !isOurs(write)),
    });
  printWrites('', (write) => isOurs(write) || isTheirs(write));
  printWrites(', by all accounts', () => true);
  for (const account of ['controller', 'agent'])
    printMetric({
      metric: `refresh: API writes per changed node, by the ${account}, ${name}`,
      value: writes(ours, ({ user }) => user.endsWith(`:gpu-partition-${account}`)),
      unit: 'writes',
    });
  tell(`${name}: ${countByAccount(ours.at(-1)?.writes ?? [])}`);
  tell(`mig-manager: ${countByAccount(theirs.at(-1)?.writes ?? [])}`);
}

/** Writes that a change of one node brings with it, whoever makes them. */
async function writesSince({ controlPlane }: RefreshCluster, sinceMs: number): Promise<readonly AuditedWrite[]> {
  const writes = await controlPlane.auditedWrites();
  return writes.filter(
    (write) =>
      Date.parse(write.time) >= sinceMs &&
      write.user !== 'admin' &&
      !isEvent(write) &&
      !/^(leases\.|gpupartitionpolicies\.|serviceaccounts$|tokenreviews|subjectaccessreviews)/.test(write.resource),
  );
}

function isOurs({ user }: AuditedWrite): boolean {
  return /:gpu-partition-(controller|agent)$/.test(user);
}

function isTheirs({ user }: AuditedWrite): boolean {
  return user.endsWith(':mig-manager');
}

function countByAccount(writes: readonly AuditedWrite[]): string {
  const kinds = Map.groupBy(writes, describeAccount);
  return [...kinds]
    .map(([kind, list]) => `${list.length} × ${kind}`)
    .sort()
    .join(', ');
}

function tellTime(pool: Pool, time: RefreshTime): void {
  const parts = Object.entries(time).map(([name, ms]) => `${name} ${Math.round(ms)}`);
  tell(`${pool}: ${parts.join(', ')} (ms)`);
}

/** All that happened from the last device operation on, for whoever asks where the time goes. */
function tellTimeline(
  fromMs: number,
  toMs: number,
  seen: {
    readonly writes: readonly AuditedWrite[];
    readonly runs: readonly DeviceRun[];
    readonly podMoments: readonly PodMoment[];
    readonly nodeMoments: readonly NodeMoment[];
  },
): void {
  const marks = [
    ...seen.writes.map((write) => ({ atMs: Date.parse(write.time), text: `${describeAccount(write)} ${write.name}` })),
    ...seen.runs.map(({ startMs, argv }) => ({ atMs: startMs, text: `nvidia-smi ${argv.join(' ')}` })),
    ...seen.podMoments.map(({ atMs, name, what }) => ({ atMs, text: `${name} is ${what}` })),
    ...seen.nodeMoments.map(({ atMs, closed, offered }) => ({
      atMs,
      text: `the node ${closed ? 'is closed and' : ''} offers ${JSON.stringify(offered)}`,
    })),
  ];
  for (const { atMs, text } of marks.toSorted((a, b) => a.atMs - b.atMs))
    if (atMs >= fromMs && atMs <= toMs) tell(`${String(atMs - fromMs).padStart(6)} ms  ${text}`);
}

function describeAccount({ user, verb, resource, subresource }: AuditedWrite): string {
  const what = `${resource.replace(/\..*$/, '')}${subresource === '' ? '' : `/${subresource}`}`;
  return `${user.split(':').at(-1)} ${verb} ${what}`;
}

function medianOf<Item>(items: readonly Item[], read: (item: Item) => number): number {
  return median(items.map(read));
}
