import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { waitForQuiet } from './audited-writes.ts';
import { BenchCluster, slowestNode } from './bench-cluster.ts';
import { addFleet } from './node-fleet.ts';
import { printMetric, tell } from './metric.ts';
import { readMemory } from './process-memory.ts';

const fleetSize = 1_000;
/** Garbage of the start is collected by then. */
const idleMs = 10_000;

/** Memory of the programs as they are shipped, when they have nothing to do. */
export async function measureMemory(): Promise<void> {
  await using cluster = await BenchCluster.start();
  await cluster.applySamples();
  await cluster.waitUntilReady('sample');
  const { controller, agents } = cluster.rig;
  const bare = startBareNode();
  try {
    await sleep(idleMs);
    const floor = await readMemory(demandPid('bare node', bare.pid));
    for (const { name, pid } of [controller, ...agents]) {
      const { rss, anonymous, peak } = await readMemory(demandPid(name, pid));
      printMetric({ metric: `memory: RSS of ${name}`, value: rss, unit: 'MB', baseline: floor.rss });
      printMetric({ metric: `memory: RssAnon of ${name}`, value: anonymous, unit: 'MB', baseline: floor.anonymous });
      printMetric({ metric: `memory: peak RSS of ${name}`, value: peak, unit: 'MB', baseline: floor.rss });
    }
    await measureFleet(cluster, floor.rss);
  } finally {
    bare.kill('SIGKILL');
  }
}

/** The controller once more, with many nodes whose GPUs are reported as if an agent were on each. */
async function measureFleet(cluster: BenchCluster, floor: number): Promise<void> {
  const { controlPlane, rig } = cluster;
  const model = (await cluster.listPartitions()).find(({ metadata }) => metadata.name === slowestNode);
  if (model?.status?.device === undefined) throw new Error(`${slowestNode} has no report to copy`);
  const startedAt = performance.now();
  await addFleet(controlPlane, fleetSize, model.status.device);
  const lastWriteMs = await waitForQuiet(controlPlane, 3_000);
  tell(`${fleetSize} nodes are in order after ${Math.round(performance.now() - startedAt)} ms`);
  await sleep(Math.max(0, idleMs - (Date.now() - lastWriteMs)));
  const { rss, anonymous, peak } = await readMemory(demandPid('controller', rig.controller.pid));
  const name = `controller with ${fleetSize} nodes`;
  printMetric({ metric: `memory: RSS of ${name}`, value: rss, unit: 'MB', baseline: floor });
  printMetric({ metric: `memory: RssAnon of ${name}`, value: anonymous, unit: 'MB' });
  printMetric({ metric: `memory: peak RSS of ${name}`, value: peak, unit: 'MB', baseline: floor });
}

/** With the settings that our programs are started with. */
function startBareNode() {
  return spawn(process.execPath, ['--max-semi-space-size=1', '-e', 'setInterval(() => undefined, 1000)'], {
    stdio: 'ignore',
  });
}

function demandPid(name: string, pid: number | undefined): number {
  if (pid === undefined) throw new Error(`${name} does not run`);
  return pid;
}
