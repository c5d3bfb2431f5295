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

/** Aims, in ms. */
const aims = {
  Signal: { closed: 1_500, worst: 3_000, all: 2_500 },
  Evict: { closed: 5_000, worst: undefined, all: undefined },
} as const;
type Way = keyof typeof aims;

interface EditTime {
  readonly closedMs: number;
  readonly runningMs: number;
  readonly allMs: number;
  /** From when allocatable is right until the node is open, and from then until the pod is Ready. */
  readonly exactMs: number;
  readonly openMs: number;
  readonly processes: number;
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
    for (let edit = 1; edit <= phases; edit += 1) {
      const startedMs = Date.now();
      edits.push(await measureEdit(operator, record, layouts[edit % 2] ?? layouts[0]));
      await sleep(startedMs + periodMs + periodMs / phases - Date.now());
    }
    report(way, edits);
  }
  await record[Symbol.asyncDispose]();
  await operator.node.stop();
}

/** One edit, with a pod that has waited for the new slices since the same moment. */
async function measureEdit(operator: Operator, record: NodeRecord, layout: Profiles): Promise<EditTime> {
  const [profile = ''] = Object.keys(layout);
  const processesBefore = await operator.countProcesses();
  const startedMs = Date.now();
  await operator.ask(layout);
  const running = operator.runGpuPod('waiting', `nvidia.com/mig-${profile}`).then(() => Date.now() - startedMs);
  await operator.untilDone(layout);
  const allMs = Date.now() - startedMs;
  const processes = (await operator.countProcesses()) - processesBefore;
  const moments = record.nodeMoments(nodeName, startedMs);
  const closedMs = countClosedMs(moments, startedMs + allMs);
  const runningMs = await running;
  const last = moments.findLastIndex(({ offered }) => offered[`nvidia.com/mig-${profile}`] === undefined);
  const exactAtMs = moments[last + 1]?.atMs ?? Number.NaN;
  const openAtMs = moments.find(({ atMs, closed }) => atMs >= exactAtMs && !closed)?.atMs ?? Number.NaN;
  const pod = record.podMoments(nodeName, startedMs).filter(({ name }) => name === 'waiting');
  const readyAtMs = pod.find(({ what }) => what === 'ready')?.atMs ?? Number.NaN;
  const boundAtMs = pod.find(({ what }) => what === 'created')?.atMs ?? Number.NaN;
  const edit = {
    closedMs,
    runningMs,
    allMs,
    exactMs: openAtMs - exactAtMs,
    openMs: readyAtMs - openAtMs,
    boundMs: boundAtMs - openAtMs,
    processes,
  };
  await operator.kubectl('delete', 'pod', 'waiting', '--timeout=30s');
  tell(JSON.stringify(edit));
  return edit;
}

function report(way: Way, edits: readonly EditTime[]): void {
  const aim = aims[way];
  const print = (metric: string, ms: number, baselineMs?: number): void => {
    const baseline = baselineMs === undefined ? {} : { baseline: baselineMs / 1000 };
    printMetric({ metric: `refresh: ${metric}`, value: ms / 1000, unit: 's', ...baseline });
  };
  const closed = edits.map(({ closedMs }) => closedMs);
  print(`closed on a real kubelet, ${way}`, mean(closed), aim.closed);
  print(`closed on a real kubelet, ${way}, worst`, Math.max(...closed), aim.worst);
  print(`asked for to offered on a real kubelet, ${way}`, mean(edits.map(({ allMs }) => allMs)), aim.all);
  print(`asked for to a waiting pod Ready on a real kubelet, ${way}`, mean(edits.map(({ runningMs }) => runningMs)));
  print(`allocatable right to open on a real kubelet, ${way}`, mean(edits.map(({ exactMs }) => exactMs)));
  print(`open to a waiting pod Ready on a real kubelet, ${way}`, mean(edits.map(({ openMs }) => openMs)));
  const processes = mean(edits.map((edit) => edit.processes));
  printMetric({
    metric: `refresh: nvidia-smi processes on a real kubelet, ${way}`,
    value: processes,
    unit: 'processes',
  });
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
