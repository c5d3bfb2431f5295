import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodePartitions, policies } from '../../src/api/resources.ts';
import { collectionPath } from '../../src/kube/resource.ts';
import type { ControlPlane } from '../../src/simulator/control-plane/control-plane.ts';
import type { RigProcess } from '../../src/simulator/rig/process.ts';
import { Rig } from '../../src/simulator/rig/rig.ts';
import { ownCluster } from '../support/cluster.ts';
import { fleetLayout, fleetNames, fleetNode, fleetPartition, fleetPolicy, fleetReport } from './fleet-objects.ts';
import { inLanes } from './lanes.ts';
import { printMetric, tell } from './metric.ts';
import { readMemory } from './process-memory.ts';

/** Aims in MB, by number of nodes. */
const aims: Readonly<Record<number, number>> = { 1000: 110, 5000: 150, 10_000: 200 };
/** Making 10,000 nodes takes minutes: `BENCH_FLEETS=1000,5000,10000`; empty for none. */
const sizes = (process.env['BENCH_FLEETS'] ?? '1000,5000')
  .split(',')
  .map(Number)
  .filter((size) => size > 0);
/** That no agent answers is told after half a minute. */
const settledMs = 40_000;

/** The controller as it is shipped, on a real API server: started anew with each fleet. No agents run: what they report is there already. */
export async function measureFleetMemory(): Promise<void> {
  if (sizes.length === 0) return;
  const controlPlane = await ownCluster();
  try {
    await using rig = await Rig.start({ controlPlane, nodes: [] });
    await rig.controller.stop('SIGTERM');
    await controlPlane.kubectl(['delete', 'daemonset', '--all', '--namespace', 'gpu-partition-agents']);
    await controlPlane.client.demand({
      method: 'POST',
      path: collectionPath(policies),
      body: fleetPolicy(fleetLayout),
    });
    const made: string[] = [];
    for (const size of sizes) {
      const startedAt = performance.now();
      const names = fleetNames(size).slice(made.length);
      await inLanes(names, (name) => makeNode(controlPlane, name));
      made.push(...names);
      tell(`${size} nodes are made after ${Math.round(performance.now() - startedAt)} ms`);
      await measure(rig.controller, size);
    }
  } finally {
    await controlPlane.stop();
  }
}

async function measure(controller: RigProcess, size: number): Promise<void> {
  controller.start();
  const { pid } = controller;
  if (pid === undefined) throw new Error('the controller does not run');
  await sleep(5_000);
  const start = await readMemory(pid);
  await sleep(settledMs - 5_000);
  await waitUntilIdle(pid);
  const { rss, anonymous, peak } = await readMemory(pid);
  const aim = aims[size];
  const metric = `scale: controller RSS at ${size} nodes`;
  printMetric({ metric, value: rss, unit: 'MB', ...(aim && { baseline: aim }) });
  printMetric({ metric: `${metric}, anonymous`, value: anonymous, unit: 'MB' });
  printMetric({ metric: `${metric}, peak`, value: peak, unit: 'MB', ...(aim && { baseline: aim * 1.5 }) });
  tell(`peak in the first 5 s ${Math.round(start.peak)} MB`);
  await controller.stop('SIGTERM');
}

/** Done when a process has used less than 0.1 s of CPU time in 5 s. */
async function waitUntilIdle(pid: number): Promise<void> {
  let before = -Infinity;
  for (;;) {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const [user = 0, system = 0] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14).map(Number);
    // In ticks of 10 ms.
    if (user + system - before < 10) return;
    before = user + system;
    await sleep(5_000);
  }
}

/** A Node and its partition, with the agent's report that its wish is met. */
async function makeNode({ client }: ControlPlane, name: string): Promise<void> {
  const partitions = collectionPath(nodePartitions);
  const node = await client.demand({ method: 'POST', path: '/api/v1/nodes', body: fleetNode(name) });
  const { uid } = (node as { readonly metadata: { readonly uid: string } }).metadata;
  await client.demand({ method: 'POST', path: partitions, body: fleetPartition(name, uid) });
  const body = { status: { device: fleetReport(name) } };
  const path = `${partitions}/${name}/status`;
  await client.demand({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
}
