import { eventually } from '../support/eventually.ts';
import { describeWrite, isEvent, listOwnWrites, waitForQuiet } from './audited-writes.ts';
import { FleetCluster } from './fleet/fleet-cluster.ts';
import { measureFailOver } from './fail-over.ts';
import { fleetNames } from './fleet-objects.ts';
import { idealMs, roll, share, workMs } from './fleet-roll.ts';
import { percentile, printMetric, tell } from './metric.ts';

/** Of the nodes, one in so many fails once. */
const failingOneIn = 20;
const sizes = (process.env['BENCH_ROLLS'] ?? '200,1000').split(',').map(Number);
const quietSeconds = Number(process.env['BENCH_QUIET_SECONDS'] ?? '120');

/** How a policy moves through a fleet, by the controller as it is shipped, on a real API server. */
export async function measureFleet(): Promise<void> {
  const largest = Math.max(...sizes);
  for (const size of sizes) {
    await using cluster = await FleetCluster.start(size);
    if (size === largest) await measureQuiet(cluster);
    await measureRoll(cluster, size === largest);
    await measureFailures(cluster);
    if (size === largest) await measureFailOver(cluster);
  }
}

async function measureRoll(cluster: FleetCluster, isLargest: boolean): Promise<void> {
  const { size } = cluster;
  const rolled = await roll(cluster, 'after', workMs);
  const metric = `fleet: convergence of ${size} nodes against the ideal`;
  printMetric({ metric, value: rolled.tookMs / idealMs(cluster), unit: 'ratio', baseline: 1.05 });
  if (!isLargest) return;
  reportStarts(cluster, rolled.startedAt);
  await reportWrites(cluster, rolled.startedMs);
}

function reportStarts({ size, fleet, rollout: watch }: FleetCluster, startedAt: number): void {
  // Those that may start at once; the rest wait for these.
  const first = [...fleet.begun.values()].toSorted((a, b) => a - b).slice(0, Math.max(1, Math.floor(size * share)));
  const report = (metric: string, timesMs: readonly number[]): void => {
    tell(`${metric}: median ${Math.round(percentile(timesMs, 0.5))} ms of ${timesMs.length}`);
    printMetric({ metric: `${metric}, p99`, value: percentile(timesMs, 0.99) / 1000, unit: 's' });
  };
  report('fleet: slot refill', watch.refills);
  const sinceEdit = first.map((at) => at - startedAt);
  report(`fleet: policy edit to first device operation, ${size} agents`, sinceEdit);
}

async function reportWrites({ controlPlane, size }: FleetCluster, startedMs: number): Promise<void> {
  await waitForQuiet(controlPlane, 3_000);
  const writes = await listOwnWrites(controlPlane, startedMs);
  const counted = writes.filter((write) => !isEvent(write) && write.subresource !== 'eviction');
  const metric = 'fleet: API writes per changed node';
  printMetric({ metric, value: counted.length / size, unit: 'writes', baseline: 10 });
  tellWrites(writes.map(describeWrite));
}

async function measureFailures(cluster: FleetCluster): Promise<void> {
  const { size, fleet } = cluster;
  fleet.breakNext(fleetNames(size).filter((_, at) => at % failingOneIn === 0));
  const { tookMs } = await roll(cluster, 'before', workMs);
  const metric = `fleet: convergence of ${size} nodes against the ideal, 5 % failing`;
  printMetric({ metric, value: tookMs / idealMs(cluster), unit: 'ratio', baseline: 1.25 });
}

async function measureQuiet({ controlPlane, controllers, fleet, size }: FleetCluster): Promise<void> {
  // Many earlier Events are still queued.
  const [controller] = controllers;
  await controller?.stop('SIGTERM');
  controller?.start();
  const countStarts = (log: string): number => log.split('watches are complete').length - 1;
  const hasStarted = (log = ''): boolean => countStarts(log) > 1;
  await eventually(() => controller?.readLog(), hasStarted, { timeoutMs: 60_000, what: 'the controller’s log' });
  await waitForQuiet(controlPlane, 3_000);
  tell(`watching a quiet fleet for ${quietSeconds} s …`);
  const startedMs = Date.now();
  await fleet.beatFor(quietSeconds * 1000);
  const writes = await listOwnWrites(controlPlane, startedMs);
  const metric = `fleet: writes in 10 quiet minutes, ${size} nodes`;
  printMetric({ metric, value: writes.length, unit: 'writes', baseline: 0 });
  tellWrites(writes.map(describeWrite));
}

function tellWrites(names: readonly string[]): void {
  const counts = Object.entries(Object.groupBy(names, (name) => name)).map(([name, all = []]) => [name, all.length]);
  for (const [name, count] of counts) tell(`  ${count} × ${name}`);
}
