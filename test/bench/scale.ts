import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { nodePartitions, nodes, policies } from '../../src/api/resources.ts';
import { FleetDouble } from './fleet-double.ts';
import { fleetLayout, fleetPolicy } from './fleet-objects.ts';
import { percentile, printMetric, tell } from './metric.ts';
import { measureFleetMemory } from './scale-memory.ts';
import { threadMs } from './thread-time.ts';
import { Waiting } from '../../src/simulator/control-plane/run.ts';

const fleetSize = 10_000;
const warmUps = 100;
const events = 300;
/** One more instance or less on each GPU. */
const editedLayout = { '1g.5gb': 5, '2g.10gb': 1 };

/** Policies that select all nodes of a smaller fleet and win none. */
const losers = 400;
const contestedFleetSize = 1_000;

/** What the controller costs in a big fleet: the event loop's time of single events and of an edit, and memory. */
export async function measureScale(): Promise<void> {
  await measureTurns();
  await measureLosers();
  await measureFleetMemory();
}

async function measureTurns(): Promise<void> {
  tell(`bringing ${fleetSize} nodes in line, in memory …`);
  const fleet = await FleetDouble.start(fleetSize, fleetLayout);
  await waitUntil(fleet, () => readyNodes(fleet) === fleetSize && fleet.isIdle);
  await report(fleet, 'one node event', nodes.plural, (at) => ({
    name: `fleet-${at}`,
    fields: { metadata: { labels: { 'feature.node.kubernetes.io/cpu-0': `changed-${at}` } } },
  }));
  await report(fleet, 'one report of an agent', nodePartitions.plural, (at) => ({
    name: `fleet-${at}`,
    fields: { status: { device: { agentVersion: `0.1.${at}`, cudaVersion: at % 2 === 0 ? '12.4' : '12.5' } } },
  }));
  await report(fleet, 'one policy status write', policies.plural, (at) => ({
    name: 'fleet',
    fields: { status: { summary: `somebody else's ${at}` } },
  }));
  await measureEdit(fleet);
  await fleet.stop();
}

/** What policies that decide over no node cost the one that decides over all. */
async function measureLosers(): Promise<void> {
  const size = contestedFleetSize;
  const fleet = await FleetDouble.start(size, fleetLayout);
  await waitUntil(fleet, () => readyNodes(fleet) === size && fleet.isIdle);
  const alone = await measureContested(fleet, 2);
  const [cpu, aside] = [threadMs(), fleet.aside.cpuMs];
  const startedAt = performance.now();
  for (let at = 0; at < losers; at += 1) {
    const { spec, ...policy } = fleetPolicy(fleetLayout);
    const name = `loser-${String(at).padStart(3, '0')}`;
    fleet.addPolicy({ ...policy, metadata: { name }, spec: { ...spec, priority: -1 } });
  }
  await waitUntil(fleet, () => outrankedNodes(fleet, `loser-${losers - 1}`) === size && fleet.isIdle, 1_000);
  tell(`they are counted after ${Math.round(performance.now() - startedAt)} ms`);
  const added = threadMs() - cpu - (fleet.aside.cpuMs - aside);
  const metric = `scale: ${losers} policies that win none of ${size} nodes`;
  printMetric({ metric: `${metric}, CPU until they are counted`, value: added / 1000, unit: 's' });
  const beside = await measureContested(fleet, 3);
  for (const what of ['node event', 'edit'] as const) {
    const unit = what === 'edit' ? 's' : 'ms';
    printMetric({ metric: `${metric}, CPU of ${what}`, value: beside[what], unit, baseline: alone[what] });
  }
  await fleet.stop();
}

/** CPU time of a node's event, in ms, and of an edit of the policy that decides until every node is as it says, in s. */
async function measureContested(
  fleet: FleetDouble,
  generation: number,
): Promise<{ readonly 'node event': number; readonly edit: number }> {
  const measure = async (work: () => Promise<void>): Promise<number> => {
    const [before, aside] = [threadMs(), fleet.aside.cpuMs];
    await work();
    return threadMs() - before - (fleet.aside.cpuMs - aside);
  };
  const nodesMs = await measure(async () => {
    for (let at = 0; at < events; at += 1) {
      const labels = { 'feature.node.kubernetes.io/cpu-0': `changed-${generation}-${at}` };
      fleet.change(nodes.plural, `fleet-${at}`, { metadata: { labels } });
      do await setImmediate();
      while (!fleet.isIdle);
    }
  });
  const profiles = generation % 2 === 0 ? editedLayout : fleetLayout;
  const { wishes } = fleet;
  const editMs = await measure(async () => {
    fleet.change(policies.plural, 'fleet', { metadata: { generation }, spec: { layouts: [{ profiles }] } });
    // A node that was granted a change keeps its wish until an agent has answered, which none does here: one changes at a time.
    await waitUntil(fleet, () => fleet.wishes - wishes >= contestedFleetSize - 1 && fleet.isIdle, 20);
  });
  return { 'node event': nodesMs / events, edit: editMs / 1000 };
}

function outrankedNodes(fleet: FleetDouble, policy: string): number {
  const status = fleet.find(policies.plural, policy).status as
    | { readonly nodes?: { readonly outranked?: number } }
    | undefined;
  return status?.nodes?.outranked ?? 0;
}

type Change = { readonly name: string; readonly fields: Record<string, unknown> };

/**
 * From the bytes of an event until everything that it sets in motion has ended: CPU time of one in the mean, collection of garbage included, and
 * by the clock, which says nothing on a busy machine.
 */
async function report(
  fleet: FleetDouble,
  what: string,
  plural: string,
  changeOf: (at: number) => Change,
): Promise<void> {
  const change = async (at: number): Promise<number> => {
    const { name, fields } = changeOf((at * 17) % fleetSize);
    const text = fleet.prepare(plural, name, fields);
    const [before, aside] = [performance.now(), fleet.aside.clockMs];
    fleet.deliver(plural, text);
    do await setImmediate();
    while (!fleet.isIdle);
    // What was written comes back.
    await setImmediate();
    return performance.now() - before - (fleet.aside.clockMs - aside);
  };
  for (let at = 0; at < warmUps; at += 1) await change(at);
  const [before, aside] = [threadMs(), fleet.aside.cpuMs];
  const times: number[] = [];
  for (let at = warmUps; at < warmUps + events; at += 1) times.push(await change(at));
  const metric = `scale: ${what} at ${fleetSize} nodes`;
  const value = (threadMs() - before - (fleet.aside.cpuMs - aside)) / events;
  printMetric({ metric, value, unit: 'ms', baseline: 1 });
  printMetric({ metric: `${metric}, p99 by the clock`, value: percentile(times, 0.99), unit: 'ms', baseline: 1 });
}

async function measureEdit(fleet: FleetDouble): Promise<void> {
  const { wishes } = fleet;
  const turns: number[] = [];
  const layouts = [{ profiles: editedLayout }];
  const text = fleet.prepare(policies.plural, 'fleet', { metadata: { generation: 2 }, spec: { layouts } });
  const startedAt = performance.now();
  let [before, aside] = [threadMs(), fleet.aside.cpuMs];
  fleet.deliver(policies.plural, text);
  while (fleet.wishes - wishes < fleetSize) {
    await setImmediate();
    const [now, asideNow] = [threadMs(), fleet.aside.cpuMs];
    turns.push(now - before - (asideNow - aside));
    [before, aside] = [now, asideNow];
  }
  tell(`every node is decided anew after ${Math.round(performance.now() - startedAt)} ms`);
  const metric = `scale: policy edit at ${fleetSize} nodes`;
  printMetric({ metric: `${metric}, longest turn`, value: Math.max(...turns), unit: 'ms', baseline: 50 });
  printMetric({ metric: `${metric}, all turns`, value: turns.reduce((sum, one) => sum + one, 0), unit: 'ms' });
}

function readyNodes(fleet: FleetDouble): number {
  const status = fleet.find(policies.plural, 'fleet').status as { readonly nodes?: { readonly ready?: number } };
  return status?.nodes?.ready ?? 0;
}

/** Waits as long as the controller writes: how long that takes is what the machine decides. */
async function waitUntil(fleet: FleetDouble, holds: () => boolean, everyMs = 200): Promise<void> {
  const waiting = new Waiting(60_000);
  while (!holds()) {
    if (waiting.isOver(() => `${fleet.wishes} ${readyNodes(fleet)} ${Math.round(fleet.aside.cpuMs)}`))
      throw new Error(`${readyNodes(fleet)} nodes are ready, and no more become so`);
    await sleep(everyMs);
  }
}
