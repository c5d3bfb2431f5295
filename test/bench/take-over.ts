import { policies } from '../../src/api/resources.ts';
import type { RigProcess } from '../../src/simulator/rig/process.ts';
import { collectionPath } from '../../src/kube/watch.ts';
import { eventually } from '../support/eventually.ts';
import { listOwnWrites } from './audited-writes.ts';
import { printMetric, tell } from './metric.ts';
import { ModelFleet, waitUntilIdle } from './model-fleet.ts';
import { readMemory } from './process-memory.ts';

/** For other sizes, `BENCH_FLEETS=1000,5000`. */
const sizes = (process.env['BENCH_FLEETS'] ?? '1000').split(',').map(Number);
const rounds = 3;

/**
 * A leader ends as a Deployment ends it, with nothing else to do, and its standby takes over: until its first write to a node for an
 * edit that came in between. What a standby costs is measured before.
 */
export async function measureTakeOver(): Promise<void> {
  await using fleet = await ModelFleet.start(['controller-0', 'controller-1'], { auditLog: true });
  const [first] = fleet.controllers;
  // What is copied is in line.
  first?.start();
  await fleet.waitUntilReady();
  await first?.stop('SIGTERM');
  for (const size of sizes) {
    await fleet.grow(size);
    for (const controller of fleet.controllers) controller.start();
    await fleet.waitUntilReady();
    const times: number[] = [];
    for (let round = 0; round < rounds; round += 1) times.push(await takeOver(fleet, size, round));
    const [least = Number.NaN, median] = times.toSorted((a, b) => a - b);
    printMetric({
      metric: `take-over: ${size} nodes, graceful, median`,
      value: median ?? least,
      unit: 's',
      baseline: 3,
    });
    for (const controller of fleet.controllers) await controller.stop('SIGTERM');
  }
}

/** @returns seconds from the signal to the first write of the next leader */
async function takeOver({ controllers, controlPlane }: ModelFleet, size: number, round: number): Promise<number> {
  const { leader, standby } = await tellRoles(controllers);
  for (const controller of controllers)
    if (!controller.isRunning)
      throw new Error(`${controller.name} has ended: ${(await controller.readLog()).slice(-2000)}`);
  await waitUntilIdle(leader.pid ?? 0);
  await waitUntilIdle(standby.pid ?? 0);
  if (round === 0) {
    for (const [name, { pid }] of [['leader', leader] as const, ['standby', standby] as const]) {
      const { rss, anonymous } = await readMemory(pid ?? 0);
      printMetric({ metric: `take-over: RSS of the ${name} at ${size} nodes`, value: rss, unit: 'MB' });
      printMetric({
        metric: `take-over: RSS of the ${name} at ${size} nodes, anonymous`,
        value: anonymous,
        unit: 'MB',
      });
    }
  }
  const signalledMs = Date.now();
  await leader.stop('SIGTERM');
  const endedMs = Date.now();
  const path = `${collectionPath(policies)}/fleet`;
  const profiles = round % 2 === 0 ? { '1g.5gb': 5, '2g.10gb': 1 } : { '1g.5gb': 3, '2g.10gb': 2 };
  const body = { spec: { layouts: [{ profiles }] } };
  await controlPlane.client.demand({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body });
  const what = 'a write of the next leader';
  const writes = await eventually(
    async () =>
      (await listOwnWrites(controlPlane, endedMs)).filter(({ resource }) => /^(nodes$|gpunodep)/.test(resource)),
    ([first]) => first !== undefined,
    { timeoutMs: 300_000, what },
  );
  const firstMs = writes[0]?.atMs ?? Number.NaN;
  tell(`the leader had ended after ${endedMs - signalledMs} ms, the next one wrote after ${firstMs - signalledMs} ms`);
  const since = (time = ''): number => Date.parse(time) - signalledMs;
  for (const line of (await standby.readLog()).split('\n')) {
    const { time, message } = parse(line);
    if (since(time) > 0 && /^(elected|a watch is behind|watches are complete)/.test(message ?? ''))
      tell(`  ${message}: ${since(time)} ms`);
  }
  leader.start();
  return (firstMs - signalledMs) / 1000;
}

async function tellRoles([one, other]: readonly RigProcess[]) {
  if (!one || !other) throw new Error('there are two controllers');
  const lastElected = async (controller: RigProcess): Promise<string> =>
    (await controller.readLog())
      .split('\n')
      .map(parse)
      .findLast(({ message }) => message === 'elected')?.time ?? '';
  const [first, second] = await Promise.all([lastElected(one), lastElected(other)]);
  return first > second ? { leader: one, standby: other } : { leader: other, standby: one };
}

function parse(line: string): { readonly time?: string; readonly message?: string } {
  try {
    return JSON.parse(line) as { readonly time?: string; readonly message?: string };
  } catch {
    return {};
  }
}
