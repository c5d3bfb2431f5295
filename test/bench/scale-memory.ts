import { setTimeout as sleep } from 'node:timers/promises';
import { printMetric, tell } from './metric.ts';
import { ModelFleet, waitUntilIdle } from './model-fleet.ts';
import { readMemory } from './process-memory.ts';

/** Aims in MB, by number of nodes. */
const aims: Readonly<Record<number, number>> = { 1000: 110, 5000: 150, 10_000: 200 };
/** For quick runs, `BENCH_FLEETS=1000`; empty for none. */
const sizes = (process.env['BENCH_FLEETS'] ?? '1000,5000,10000')
  .split(',')
  .map(Number)
  .filter((size) => size > 0);
/** V8 collects garbage once more when a program has been idle for ten seconds. */
const settleMs = 15_000;

/** The controller as it is shipped, on a real API server, restarted with each fleet: every node has its agent and is in line. */
export async function measureFleetMemory(): Promise<void> {
  if (sizes.length === 0) return;
  await using fleet = await ModelFleet.start(['controller-0']);
  await measure(fleet, 1);
  for (const size of sizes) {
    await fleet.grow(size);
    await measure(fleet, size);
  }
}

async function measure(fleet: ModelFleet, size: number): Promise<void> {
  const [controller] = fleet.controllers;
  const startedAt = performance.now();
  controller?.start();
  const { pid } = controller ?? {};
  if (controller === undefined || pid === undefined) throw new Error('the controller does not run');
  await fleet.waitUntilReady();
  tell(`${size} nodes are in line ${Math.round(performance.now() - startedAt)} ms after its start`);
  await waitUntilIdle(pid);
  await sleep(settleMs);
  const { rss, anonymous, peak } = await readMemory(pid);
  const aim = aims[size];
  const metric = `scale: controller RSS at ${size} nodes`;
  printMetric({ metric, value: rss, unit: 'MB', ...(aim && { baseline: aim }) });
  printMetric({ metric: `${metric}, anonymous`, value: anonymous, unit: 'MB' });
  printMetric({ metric: `${metric}, peak`, value: peak, unit: 'MB', ...(aim && { baseline: aim * 1.5 }) });
  await controller.stop('SIGTERM');
}
