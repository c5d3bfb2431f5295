import { demoNodes } from '../../src/simulator/demo/screen.ts';
import { concernsNode, describeWrite, isEvent, listOwnWrites, type OwnWrite, waitForQuiet } from './audited-writes.ts';
import { BenchCluster, type LayoutName, layouts, slowestNode } from './bench-cluster.ts';
import { countInstances, type DeviceRun, isOperation, listChangedGpus, listDeviceRuns } from './device-log.ts';
import { median, printMetric, tell } from './metric.ts';
import { timeRawLoop } from './raw-loop.ts';

/** One change of policies, and all that came of it. */
interface Change {
  readonly startedMs: number;
  readonly seconds: number;
  readonly earlyReadiness: number;
  readonly writes: readonly OwnWrite[];
  readonly runs: ReadonlyMap<string, readonly DeviceRun[]>;
  /** New grants by node. */
  readonly grants: ReadonlyMap<string, number>;
}

/** Speed and gentleness of a change, from the first word of a user to the last label. */
export async function measureRollout(): Promise<void> {
  await using cluster = await BenchCluster.start();
  const first = await observeChange(cluster, 'sample', () => cluster.applySamples());
  await reportFirst(first);
  await reportPartitionSize(cluster);
  await reportRepetition(cluster);
  reportEdit(await observeChange(cluster, 'split', () => cluster.setLayout('split')));
}

async function observeChange(cluster: BenchCluster, layout: LayoutName, act: () => Promise<void>): Promise<Change> {
  const epochs = await listEpochs(cluster);
  const startedMs = Date.now();
  await act();
  tell(`kubectl has returned after ${Date.now() - startedMs} ms`);
  const earlyReadiness = await cluster.waitUntilReady(layout);
  const seconds = (Date.now() - startedMs) / 1000;
  await waitForQuiet(cluster.controlPlane, 2_500);
  const writes = await listOwnWrites(cluster.controlPlane, startedMs);
  const runs = new Map<string, readonly DeviceRun[]>();
  for (const { name } of demoNodes) runs.set(name, await listDeviceRuns(cluster.rig, name, startedMs));
  const after = await listEpochs(cluster);
  const grants = new Map([...after].map(([name, epoch]) => [name, epoch - (epochs.get(name) ?? 0)]));
  const change = { startedMs, seconds, earlyReadiness, writes, runs, grants };
  tellTimeline(change);
  return change;
}

async function reportFirst(change: Change): Promise<void> {
  const runs = change.runs.get(slowestNode) ?? [];
  const operations = runs.filter(isOperation);
  const time = (some: readonly DeviceRun[]) =>
    timeRawLoop(
      slowestNode,
      some.map(({ argv }) => argv),
    );
  // Three times, since whatever else this machine does falls on one of them or on all.
  const rawMs = median([await time(operations), await time(operations), await time(operations)]);
  const wholeMs = await time(runs);
  printMetric({ metric: 'rollout: apply to all Ready', value: change.seconds, unit: 's', baseline: rawMs / 1000 });
  printMetric({
    metric: 'rollout: apply to all Ready, against all commands of the slowest node',
    value: change.seconds,
    unit: 's',
    baseline: wholeMs / 1000,
  });
  printMetric({
    metric: 'rollout: nvidia-smi processes on the slowest node',
    value: runs.length,
    unit: 'processes',
    baseline: operations.length,
  });
  printMetric({ metric: 'rollout: Ready seen before the device was', value: change.earlyReadiness, unit: 'times' });
  reportWrites('rollout', change);
}

function reportWrites(name: string, { writes, grants, runs }: Change): void {
  const failed = writes.filter(({ code }) => code >= 300).length;
  printMetric({ metric: `${name}: API writes refused`, value: failed, unit: 'writes', baseline: writes.length });
  for (const { name: node } of demoNodes) {
    const own = writes.filter((write) => concernsNode(write, node));
    if (own.length === 0) continue;
    const changed = listChangedGpus(runs.get(node) ?? []).length;
    const spec = own.filter((write) => describeWrite(write) === 'controller patch gpunodepartitions').length;
    const about = `${node}, ${changed} GPUs changed`;
    const wishes = spec - (grants.get(node) ?? 0);
    printMetric({ metric: `${name}: API writes of the wish, ${about}`, value: wishes, unit: 'writes', baseline: 1 });
    const events = own.filter(isEvent).length;
    printMetric({
      metric: `${name}: API writes in all, ${about}`,
      value: own.length - events,
      unit: 'writes',
      baseline: 8,
    });
    printMetric({ metric: `${name}: Events, ${about}`, value: events, unit: 'writes' });
    tell(`${node}: ${countKinds(own)}`);
  }
  const rest = writes.filter((write) => !demoNodes.some(({ name: node }) => concernsNode(write, node)));
  const events = rest.filter(isEvent).length;
  const touched = new Set(rest.filter((write) => !isEvent(write)).map((write) => write.name));
  printMetric({
    metric: `${name}: API writes of policies' status`,
    value: rest.length - events,
    unit: 'writes',
    baseline: touched.size,
  });
  tell(`policies: ${countKinds(rest)}`);
}

async function reportPartitionSize(cluster: BenchCluster): Promise<void> {
  const partition = (await cluster.listPartitions()).find(({ metadata }) => metadata.name === slowestNode);
  const bytes = Buffer.byteLength(JSON.stringify(partition));
  printMetric({ metric: 'rollout: GpuNodePartition of 8 GPUs', value: bytes / 1000, unit: 'kB', baseline: 48 });
}

/** The same policies once more, and every agent's periodic look at its GPUs aside, nothing may happen. */
async function reportRepetition(cluster: BenchCluster): Promise<void> {
  const { startedMs, writes, runs } = await observeChange(cluster, 'sample', () => cluster.applySamples());
  const operations = [...runs.values()].flat().filter(isOperation);
  tell(`quiet for ${Date.now() - startedMs} ms`);
  printMetric({ metric: 'same policies again: API writes', value: writes.length, unit: 'writes', baseline: 0 });
  printMetric({
    metric: 'same policies again: device operations',
    value: operations.length,
    unit: 'operations',
    baseline: 0,
  });
}

/** One instance of each GPU is exchanged for two smaller ones. */
function reportEdit(change: Change): void {
  const runs = change.runs.get(slowestNode) ?? [];
  const gpus = Math.max(1, listChangedGpus(runs).length);
  const count = (layout: LayoutName): number =>
    Object.values<number>(layouts[layout]).reduce((sum, one) => sum + one, 0);
  const operations = runs.filter(isOperation).length;
  const removed = countInstances(runs.flatMap((run) => run.removed));
  const added = countInstances(runs.flatMap((run) => run.added));
  printMetric({ metric: 'edit: patch to Ready', value: change.seconds, unit: 's' });
  printMetric({ metric: 'edit: nvidia-smi processes per changed GPU', value: runs.length / gpus, unit: 'processes' });
  // -dci and -dgi for all instances at once, then one -cgi -C with the whole list: mig-parted needs no more.
  printMetric({ metric: 'edit: device operations per changed GPU', value: operations / gpus, unit: 'operations' });
  const [before, after] = [count('sample'), count('split')];
  printMetric({
    metric: 'edit: instances destroyed per changed GPU',
    value: removed / gpus,
    unit: 'instances',
    baseline: before,
  });
  printMetric({
    metric: 'edit: instances created per changed GPU',
    value: added / gpus,
    unit: 'instances',
    baseline: after,
  });
  printMetric({ metric: 'edit: Ready seen before the device was', value: change.earlyReadiness, unit: 'times' });
  reportWrites('edit', change);
}

/** Where the time went on the slowest node, for those who want to make it less. */
function tellTimeline({ startedMs, writes, runs }: Change): void {
  const node = slowestNode;
  const own = (runs.get(node) ?? []).toSorted((a, b) => a.startMs - b.startMs);
  const marks = [
    ...writes
      .filter((write) => concernsNode(write, node) || write.resource.startsWith('gpupartitionpolicies'))
      .map((write) => ({ atMs: write.atMs, text: `${describeWrite(write)} ${write.name}` })),
    ...own.map(({ startMs, endMs, argv }) => ({
      atMs: startMs,
      text: `    nvidia-smi ${argv.join(' ')} (${endMs - startMs} ms)`,
    })),
  ];
  for (const { atMs, text } of marks.toSorted((a, b) => a.atMs - b.atMs))
    tell(`${String(atMs - startedMs).padStart(6)} ms  ${text}`);
}

function countKinds(writes: readonly OwnWrite[]): string {
  const kinds = Map.groupBy(writes, describeWrite);
  return [...kinds].map(([kind, list]) => `${list.length} × ${kind}`).join(', ');
}

async function listEpochs(cluster: BenchCluster): Promise<ReadonlyMap<string, number>> {
  const partitions = await cluster.listPartitions();
  return new Map(partitions.map(({ metadata, spec }) => [metadata.name, spec.granted?.epoch ?? 0]));
}
