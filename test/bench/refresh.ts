import type { AuditedWrite } from '../../src/simulator/control-plane/components.ts';
import { median, printMetric, tell } from './metric.ts';
import { RefreshCluster } from './refresh-cluster.ts';
import type { Shape } from './refresh-layout.ts';
import { observeMigManager, observeOwn, type OwnRound, type Round } from './refresh-round.ts';
import type { RefreshTime } from './refresh-time.ts';
import { countByAccount, isByAgent, isByController, isByMigManager } from './refresh-writes.ts';

/** There, back and there again: the operations take turns. */
const rounds: readonly Shape[] = ['middle', 'large', 'middle'];
/** Aim, in ms: what we add to the time that kubelet and plugin need. */
const ownWaitsAim = 1_000;

/** One GPU of four gets another layout: how long until pods may use it, beside mig-manager on the same kind of node. */
export async function measureRefresh(): Promise<void> {
  await using cluster = await RefreshCluster.start();
  const theirs: Round[] = [];
  const ours: Readonly<Record<'tolerant' | 'stock', OwnRound[]>> = { tolerant: [], stock: [] };
  for (const shape of rounds) {
    theirs.push(await observeMigManager(cluster, shape));
    for (const pool of ['tolerant', 'stock'] as const) ours[pool].push(await observeOwn(cluster, pool, shape));
  }
  for (const pool of ['tolerant', 'stock'] as const) report(`${pool} plugin`, ours[pool], theirs);
  // The two GPUs change places: the API shows the same counts throughout.
  const swap = await observeOwn(cluster, 'tolerant', 'large', 'middle');
  printSeconds('our own waits, same counts on other GPUs, tolerant plugin', swap.time.ours, ownWaitsAim);
  const early = medianOf(theirs, ({ saidMs, offeredMs }) => offeredMs - saidMs);
  printSeconds('mig-manager says success before the node offers it', early);
  tell(`mig-manager: ${countByAccount(theirs.at(-1)?.writes ?? [])}`);
}

function report(plugin: string, ours: readonly OwnRound[], theirs: readonly Round[]): void {
  const compare = (metric: string, read: (round: Round) => number): void =>
    printSeconds(`${metric}, ${plugin}`, medianOf(ours, read), medianOf(theirs, read));
  const print = (metric: string, read: (time: RefreshTime) => number, baseline?: number): void => {
    const ms = medianOf(ours, ({ time }) => read(time));
    printSeconds(`${metric}, ${plugin}`, ms, baseline);
  };
  compare('last device operation to Ready', ({ offeredMs }) => offeredMs);
  compare('asked for to offered', ({ allMs }) => allMs);
  compare('no GPU pod can come', ({ closedMs }) => closedMs);
  print('our own waits', (time) => time.ours, ownWaitsAim);
  print('our own waits, until the eviction', ({ untilEviction }) => untilEviction);
  print('our own waits, until the taint is off', ({ untilTaintOff }) => untilTaintOff);
  print('our own waits, until Ready', ({ untilReady }) => untilReady);
  print('eviction to the old pod gone', ({ evictionToGone }) => evictionToGone);
  print('old pod gone to the new one Ready', ({ goneToReady }) => goneToReady);
  print('new pod Ready to allocatable', ({ readyToAllocatable }) => readyToAllocatable);
  const isOurs = (write: AuditedWrite): boolean => isByController(write) || isByAgent(write);
  const migManagers = countWrites(theirs, isByMigManager);
  printWrites(plugin, '', countWrites(ours, isOurs), migManagers);
  printWrites(plugin, ' by the controller', countWrites(ours, isByController));
  printWrites(plugin, ' by the agent', countWrites(ours, isByAgent));
  const everybodys = countWrites(theirs, (write) => !isOurs(write));
  printWrites(
    plugin,
    ' by everybody',
    countWrites(ours, (write) => !isByMigManager(write)),
    everybodys,
  );
  tell(`${plugin}: ${countByAccount(ours.at(-1)?.writes ?? [])}`);
}

function printSeconds(metric: string, ms: number, baselineMs?: number): void {
  const baseline = baselineMs === undefined ? {} : { baseline: baselineMs / 1000 };
  printMetric({ metric: `refresh: ${metric}`, value: ms / 1000, unit: 's', ...baseline });
}

function printWrites(plugin: string, by: string, value: number, baseline?: number): void {
  const metric = `refresh: API writes per changed node${by}, ${plugin}`;
  printMetric({ metric, value, unit: 'writes', ...(baseline === undefined ? {} : { baseline }) });
}

function countWrites(some: readonly Round[], isMeant: (write: AuditedWrite) => boolean): number {
  return medianOf(some, ({ writes }) => writes.filter(isMeant).length);
}

function medianOf<Item>(items: readonly Item[], read: (item: Item) => number): number {
  return median(items.map(read));
}
