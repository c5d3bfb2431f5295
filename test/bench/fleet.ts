import type { PolicySpec } from '../../src/api/types.ts';
import type { RigProcess } from '../../src/simulator/rig/process.ts';
import { eventually } from '../support/eventually.ts';
import { describeWrite, isEvent, listOwnWrites, waitForQuiet } from './audited-writes.ts';
import { FleetCluster } from './fleet/fleet-cluster.ts';
import { fleetLayout, fleetNames } from './fleet-objects.ts';
import { percentile, printMetric, tell } from './metric.ts';

/** A real change of a node with 8 GPUs takes about so long, in ms. */
const workMs = 20_000;
/** The same where only the controller is looked at. */
const quickWorkMs = 2_000;
const share = 0.1;
/** Of the nodes, one in so many fails once. */
const failingOneIn = 20;
const sizes = (process.env['BENCH_ROLLS'] ?? '200,1000').split(',').map(Number);
const quietSeconds = Number(process.env['BENCH_QUIET_SECONDS'] ?? '120');

/** What each GPU has, in turn: one change destroys two instances and makes one, the other the opposite. */
const layouts = {
  before: fleetLayout,
  after: { '1g.5gb': 5, '2g.10gb': 1 },
} as const satisfies Record<string, Readonly<Record<string, number>>>;
const rollout = { maxUnavailable: '10%', failureThreshold: '100%' } satisfies PolicySpec['rollout'];

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

/** Nodes are changed `share` of them at a time; the ideal loses no moment between two. */
function idealMs({ size }: FleetCluster): number {
  return Math.ceil(size / Math.max(1, Math.floor(size * share))) * workMs;
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

/** Edits the policy and waits until all nodes are as it says. */
async function roll(cluster: FleetCluster, layout: keyof typeof layouts, deviceMs: number) {
  const { fleet, recorder, rollout: watch, size } = cluster;
  await waitForQuiet(cluster.controlPlane, 3_000);
  fleet.pace.workMs = deviceMs;
  fleet.begun.clear();
  watch.begin();
  recorder.begin(Math.floor(size * share));
  const [startedAt, startedMs] = [performance.now(), Date.now()];
  await cluster.edit({ layouts: [{ profiles: layouts[layout] }], rollout });
  await cluster.waitUntilReady(6 * idealMs(cluster));
  const tookMs = performance.now() - startedAt;
  if (fleet.begun.size < size) throw new Error(`Ready, and ${size - fleet.begun.size} nodes were not changed`);
  if (recorder.broken.length > 0) throw new Error(`the budget was not kept: ${recorder.broken.slice(0, 5).join('; ')}`);
  tell(`${size} nodes were changed in ${(tookMs / 1000).toFixed(1)} s, at most ${recorder.most} at a time`);
  return { startedAt, startedMs, tookMs };
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

async function measureFailOver(cluster: FleetCluster): Promise<void> {
  const [leader, standby] = cluster.controllers;
  if (!leader || !standby) throw new Error('there are two controllers');
  const killed = await failOver(cluster, { leader, standby, signal: 'SIGKILL', layout: 'after' });
  printMetric({ metric: 'fleet: fail-over, leader killed', value: killed, unit: 's', baseline: 20 });
  const ended = await failOver(cluster, { leader: standby, standby: leader, signal: 'SIGTERM', layout: 'before' });
  printMetric({ metric: 'fleet: fail-over, graceful', value: ended, unit: 's', baseline: 3 });
}

/** Ends the leader in the middle of a rollout. @returns seconds until the next one writes to a Node, or a grant */
async function failOver(
  cluster: FleetCluster,
  about: {
    readonly leader: RigProcess;
    readonly standby: RigProcess;
    readonly signal: 'SIGTERM' | 'SIGKILL';
    readonly layout: keyof typeof layouts;
  },
): Promise<number> {
  const { controlPlane, fleet, size } = cluster;
  const { leader, standby, signal, layout } = about;
  standby.start();
  const isRolloutState = (log: string): boolean => log.includes('standing for election');
  await eventually(() => standby.readLog(), isRolloutState, { timeoutMs: 30_000, what: 'the log of the standby' });
  const rolled = roll(cluster, layout, quickWorkMs);
  await eventually(
    () => fleet.begun.size,
    (count) => count > size / 3,
    { timeoutMs: 300_000, what: 'changed nodes' },
  );
  const signalledMs = Date.now();
  await leader.stop(signal);
  const endedMs = Date.now();
  await rolled;
  const writes = await listOwnWrites(controlPlane, endedMs);
  const first = writes.find(
    ({ program, resource, subresource }) =>
      program === 'controller' && subresource === '' && /^(nodes$|gpunodepartitions\.)/.test(resource),
  );
  tell(`the leader had ended after ${endedMs - signalledMs} ms`);
  return ((first?.atMs ?? Number.NaN) - signalledMs) / 1000;
}

function tellWrites(names: readonly string[]): void {
  const counts = Object.entries(Object.groupBy(names, (name) => name)).map(([name, all = []]) => [name, all.length]);
  for (const [name, count] of counts) tell(`  ${count} × ${name}`);
}
