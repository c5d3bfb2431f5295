import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';

import { Operator } from '../node/operator.ts';
import type { Profiles } from '../node/operator.ts';
import { nodeName } from '../node/node-config.ts';
import { runOnOwnMachine } from '../node/own-machine.ts';
import { isOnNode } from '../node/real-node.ts';
import { printMetric, tell } from './metric.ts';
import { NodeRecord } from './node-record.ts';
import { countClosedMs } from './refresh-time.ts';

/** The kubelet's own default. */
const periodMs = 10_000;
const phases = 10;
const layouts: readonly [Profiles, Profiles] = [
  { '1g.5gb': 4, '3g.20gb': 1 },
  { '2g.10gb': 2, '3g.20gb': 1 },
];

/** Aims of both ways, in ms. Evict waits for the kubelet's tick twice. */
const aims = { Signal: { mean: 6_500, worst: 10_500 }, Evict: undefined } as const;
type Way = keyof typeof aims;

interface EditTime {
  readonly closedMs: number;
  readonly allMs: number;
}

/** The refresh on a real kubelet, in namespaces of their own; where these are not allowed, a line says so. */
export async function measureRealRefresh(): Promise<void> {
  if (isOnNode()) return measureHere();
  const command = [process.execPath, fileURLToPath(new URL('main.ts', import.meta.url)), 'real-refresh'];
  const run = await runOnOwnMachine(command);
  if ('skipped' in run) tell(`real-refresh: skipped: ${run.skipped}`);
  else if (run.code !== 0) throw new Error(`real-refresh ended with ${run.code}`);
}

async function measureHere(): Promise<void> {
  const operator = await Operator.install(periodMs / 1000);
  const record = await NodeRecord.start(operator.node.controlPlane);
  await operator.ask(layouts[0]);
  await operator.untilDone(layouts[0]);
  for (const way of ['Signal', 'Evict'] as const) {
    await operator.setPluginRefresh(way);
    const edits: EditTime[] = [];
    for (let phase = 0; phase < phases; phase += 1) edits.push(await measureEdit(operator, record, phase));
    report(way, edits);
  }
  await record[Symbol.asyncDispose]();
  await operator.node.stop();
}

/** One edit, `phase` tenths of a period after the kubelet has told the API server of its resources. */
async function measureEdit(operator: Operator, record: NodeRecord, phase: number): Promise<EditTime> {
  const layout = layouts[(phase + 1) % 2] ?? layouts[0];
  const tickMs = lastTick(record);
  const offsetMs = (phase * periodMs) / phases;
  const soonest = Date.now() + 2_000 - tickMs - offsetMs;
  await sleep(tickMs + offsetMs + Math.ceil(soonest / periodMs) * periodMs - Date.now());
  const startedMs = Date.now();
  await operator.ask(layout);
  await operator.untilDone(layout);
  const endedMs = Date.now();
  const closedMs = countClosedMs(record.nodeMoments(nodeName, startedMs), endedMs);
  tell(`phase ${offsetMs} ms: closed ${closedMs} ms, asked for to offered ${endedMs - startedMs} ms`);
  return { closedMs, allMs: endedMs - startedMs };
}

/** When the node's resources last changed: nothing but the kubelet's tick changes them. */
function lastTick(record: NodeRecord): number {
  const moments = record.nodeMoments(nodeName);
  const at = moments.findLastIndex(
    ({ offered }, index) => JSON.stringify(offered) !== JSON.stringify(moments[index - 1]?.offered),
  );
  return moments[at]?.atMs ?? Date.now();
}

function report(way: Way, edits: readonly EditTime[]): void {
  const aim = aims[way];
  const print = (metric: string, ms: number, baselineMs?: number): void => {
    const baseline = baselineMs === undefined ? {} : { baseline: baselineMs / 1000 };
    printMetric({ metric: `refresh: ${metric} on a real kubelet, ${way}`, value: ms / 1000, unit: 's', ...baseline });
  };
  const closed = edits.map(({ closedMs }) => closedMs);
  print('closed', mean(closed), aim?.mean);
  print('closed, worst,', Math.max(...closed), aim?.worst);
  print('asked for to offered', mean(edits.map(({ allMs }) => allMs)));
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
