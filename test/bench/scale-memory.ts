import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { policies } from '../../src/api/resources.ts';
import type { GpuPartitionPolicy } from '../../src/api/types.ts';
import { collectionPath } from '../../src/kube/resource.ts';
import type { ControlPlane } from '../../src/simulator/control-plane/control-plane.ts';
import { type Guard, startGuard } from '../../src/simulator/control-plane/guard.ts';
import { installApi } from '../../src/simulator/rig/install.ts';
import { makeController } from '../../src/simulator/rig/make-program.ts';
import type { RigProcess } from '../../src/simulator/rig/process.ts';
import { ownCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { copyModelNode, makeModelNode } from './copied-fleet.ts';
import { printMetric, tell } from './metric.ts';
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
const timeoutMs = 600_000;

/** The controller as it is shipped, on a real API server, restarted with each fleet: every node has its agent and is in line. */
export async function measureFleetMemory(): Promise<void> {
  if (sizes.length === 0) return;
  await using stack = new AsyncDisposableStack();
  // Kubelets that say nothing are not dead here: there is no controller manager to declare them dead.
  const controlPlane = stack.use(await ownCluster({ controllerManager: false, scheduler: false }));
  await installApi(controlPlane);
  const folder = await mkdtemp(join(tmpdir(), 'gpu-partition-bench-'));
  const guard = stack.adopt<Guard>(startGuard(folder), (one) => one.release());
  const controller = await makeController({ controlPlane, nodes: [] }, guard, folder, 'controller-0');
  stack.adopt(controller, async (one) => one.stop('SIGTERM'));
  await makeModelNode(controlPlane);
  await measure(controlPlane, controller, 1);
  let made = 1;
  for (const size of sizes) {
    const startedAt = performance.now();
    await copyModelNode(controlPlane, made, size);
    made = size;
    tell(`${size} nodes are made after ${Math.round(performance.now() - startedAt)} ms`);
    await measure(controlPlane, controller, size);
  }
}

async function measure(controlPlane: ControlPlane, controller: RigProcess, size: number): Promise<void> {
  const startedAt = performance.now();
  controller.start();
  const { pid } = controller;
  if (pid === undefined) throw new Error('the controller does not run');
  await eventually(
    () => countReady(controlPlane),
    (ready) => ready === size,
    { timeoutMs, what: 'nodes in line' },
  );
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

async function countReady({ client }: ControlPlane): Promise<number> {
  const policy = (await client.demand({ path: `${collectionPath(policies)}/fleet` })) as GpuPartitionPolicy;
  const ready = policy.status?.conditions?.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' ? (policy.status?.nodes?.ready ?? 0) : 0;
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
