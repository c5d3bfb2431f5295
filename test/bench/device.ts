/**
 * What a change costs at the device: commands that read, commands that change, instances destroyed and GPU time out of service,
 * beside clearing and rebuilding each GPU that differs, in the same run on the same simulated node of eight GPUs.
 *
 *   node test/bench/device.ts
 *
 * Time out of service is a model, not a clock: an operation takes 1 s, one after the other, then the device plugin takes 5 s to
 * start; meanwhile the memory slices that were destroyed or made are out of service.
 */
import type { Layout } from '../../src/core/gpu/geometry.ts';
import { applyNode, type DeviceApplyOptions, type NodeResult } from '../../src/device/apply.ts';
import type { NvidiaSmi } from '../../src/device/nvidia-smi.ts';
import type { GpuInstanceState } from '../../src/core/gpu/device-state.ts';
import { InProcessNode } from '../device/simulated-node.ts';
import { printMetric, type Metric } from './metric.ts';

interface Scenario {
  readonly name: string;
  readonly from: Layout;
  readonly to: Layout;
  /** GPUs that change, of eight. */
  readonly changed: number;
  /** Most processes of nvidia-smi that the whole change may start. */
  readonly aimed?: number;
}

interface Cost {
  readonly reads: Counts;
  readonly operations: Counts;
  readonly destroyed: number;
  readonly gpuSeconds: number;
}

interface Counts {
  readonly total: number;
  readonly kinds: ReadonlyMap<string, number>;
}

const gpuCount = 8;
const slicesOfGpu = 8;
const operationSeconds = 1;
const pluginSeconds = 5;

const balanced: Layout = { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 };
const scenarios: readonly Scenario[] = [
  { name: 'same layout again', from: balanced, to: balanced, changed: 0 },
  { name: 'edit of one instance', from: balanced, to: { '1g.5gb': 4, '3g.20gb': 1 }, changed: 1 },
  { name: 're-shape of 1 of 8 GPUs', from: { '1g.5gb': 7 }, to: { '3g.20gb': 2 }, changed: 1 },
  { name: '8 GPUs from empty', from: {}, to: balanced, changed: 8, aimed: 8 },
  { name: '8 GPUs, 2x3g to 7x1g', from: { '3g.20gb': 2 }, to: { '1g.5gb': 7 }, changed: 8, aimed: 16 },
];

export async function benchDevice(print: (metric: Metric) => void): Promise<void> {
  for (const scenario of scenarios) {
    const ours = await measure(scenario, async (node, driver, wanted) => {
      await apply(node, driver, wanted);
    });
    const agents = await measure(scenario, changeAsAgent);
    report(print, scenario, { ours, agents, theirs: await measure(scenario, clearAndRebuild) });
  }
}

async function apply(
  node: InProcessNode,
  driver: NvidiaSmi,
  wanted: readonly Layout[],
  options: DeviceApplyOptions = {},
): Promise<NodeResult> {
  const targets = wanted.map((want, index) => ({ uuid: node.uuid(index), want }));
  const done = await applyNode(driver, targets, options);
  const undone = done.results.find(({ outcome }) => outcome !== 'Applied' && outcome !== 'Unchanged');
  if (undone !== undefined) throw new Error(`${undone.uuid}: ${undone.error?.message}`);
  return done;
}

/** An agent looks at the device before it plans, applies, and tells what the device is after that. */
async function changeAsAgent(node: InProcessNode, driver: NvidiaSmi, wanted: readonly Layout[]): Promise<void> {
  const before = await driver.glanceAtDevice();
  const { device } = await apply(node, driver, wanted, { device: before });
  if (device === undefined) await driver.readDevice();
}

interface Costs {
  readonly ours: Cost;
  readonly agents: Cost;
  readonly theirs: Cost;
}

function report(
  print: (metric: Metric) => void,
  { name, changed, aimed }: Scenario,
  { ours, agents, theirs }: Costs,
): void {
  const say = (metric: string, value: number, unit: string, baseline?: number): void =>
    print({ metric: `device: ${name}: ${metric}`, value, unit, ...(baseline === undefined ? {} : { baseline }) });
  // The aim: two for the node, one for each GPU that changes, and a look at the processes before each destroy.
  const aim = 2 + changed + ours.destroyed;
  say('reads', ours.reads.total, 'commands', aim);
  for (const [kind, number] of ours.reads.kinds) say(`reads, ${kind}`, number, 'commands');
  say('reads, all of a change', agents.reads.total, 'commands', aim);
  if (aimed !== undefined) say('processes', agents.reads.total + agents.operations.total, 'processes', aimed);
  say('operations', ours.operations.total, 'operations', theirs.operations.total);
  for (const [kind, number] of ours.operations.kinds) say(`operations, ${kind}`, number, 'operations');
  say('instances destroyed', ours.destroyed, 'instances', theirs.destroyed);
  say('out of service', ours.gpuSeconds, 'GPU-seconds', theirs.gpuSeconds);
}

type Change = (node: InProcessNode, driver: NvidiaSmi, wanted: readonly Layout[]) => Promise<void>;

/** Costs of a change for a program that has been running: the driver's tables are known to it. */
async function measure({ from, to, changed }: Scenario, change: Change): Promise<Cost> {
  const gpus = Array<string>(gpuCount).fill('A100-SXM4-40GB');
  const node = new InProcessNode(gpus, gpus.map((_, index) => `gpu ${index} mig 1 pending 1\n`).join(''));
  const driver = node.openDriver();
  await applyNode(
    driver,
    node.gpus.map(({ uuid }) => ({ uuid, want: from })),
  );
  await driver.readDevice();
  node.commands.length = 0;
  const touched = new Set<string>();
  let destroyed = 0;
  node.intercept = (_args, run) => {
    const before = listInstances(node.state);
    const execution = run();
    const after = listInstances(node.state);
    const removed = before.filter((line) => !after.includes(line));
    destroyed += removed.length;
    const added = after.filter((line) => !before.includes(line));
    for (const slice of [...removed, ...added].flatMap(listSlices)) touched.add(slice);
    return execution;
  };
  await change(
    node,
    driver,
    gpus.map((_, index) => (index < changed ? to : from)),
  );
  const operations = count(node.commands.flatMap((args) => nameOperation(args) ?? []));
  const reads = count(node.commands.flatMap((args) => (nameOperation(args) === undefined ? [nameRead(args)] : [])));
  const seconds = operations.total === 0 ? 0 : operations.total * operationSeconds + pluginSeconds;
  return { reads, operations, destroyed, gpuSeconds: (touched.size / slicesOfGpu) * seconds };
}

/** What mig-parted does: a GPU that differs loses all instances, and the new ones are made largest first, wherever the driver likes. */
async function clearAndRebuild(node: InProcessNode, driver: NvidiaSmi, wanted: readonly Layout[]): Promise<void> {
  const { gpus } = await driver.readDevice();
  for (const { index, pciBusId: gpu, instances, geometry } of gpus) {
    const want = wanted[index] ?? {};
    if (isSame(instances, want)) continue;
    for (const { id } of instances) {
      await driver.change({ name: 'DestroyComputeInstances', gpu, instances: [id] });
      await driver.change({ name: 'DestroyInstances', gpu, instances: [id] });
    }
    const profiles = geometry?.profiles.filter(({ name }) => want[name] !== undefined) ?? [];
    for (const { name, id } of profiles.toSorted((a, b) => b.memorySlices - a.memorySlices))
      for (let left = want[name] ?? 0; left > 0; left -= 1)
        await node.execute(['mig', '-i', gpu, '-cgi', String(id), '-C'], 0);
  }
}

function isSame(instances: readonly GpuInstanceState[], want: Layout): boolean {
  const profiles = instances.map(({ profile }) => profile);
  const counts = new Map(profiles.map((name) => [name, profiles.filter((other) => other === name).length]));
  return counts.size === Object.keys(want).length && [...counts].every(([name, number]) => want[name] === number);
}

function nameOperation(args: readonly string[]): string | undefined {
  if (args.includes('-cgi')) return 'create';
  if (args.includes('-dgi')) return 'destroy';
  if (args.includes('-dci')) return 'destroy compute instances';
  return args.some((word) => /^-(?:cci|mig|-gpu-reset)$/.test(word)) ? 'other' : undefined;
}

function nameRead(args: readonly string[]): string {
  if (args.includes('-x')) return args.includes('-i') ? 'processes of one GPU' : 'report of the node';
  return args.find((word) => /^-l/i.test(word)) ?? 'other';
}

function count(names: readonly string[]): Counts {
  return {
    total: names.length,
    kinds: new Map(names.map((name) => [name, names.filter((other) => other === name).length])),
  };
}

function listInstances(state: string): readonly string[] {
  return state.split('\n').filter((line) => line.startsWith('gi '));
}

/** `gi 0 13 profile 19 place 6:1` is slice 6 of GPU 0. */
function listSlices(line: string): readonly string[] {
  const [, gpu, start, size] = /^gi (\d+) .* place (\d+):(\d+)$/.exec(line) ?? [];
  return Array.from({ length: Number(size) }, (_, at) => `${gpu}/${Number(start) + at}`);
}

if (import.meta.main) await benchDevice(printMetric);
