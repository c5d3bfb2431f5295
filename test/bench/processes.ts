/**
 * What a change costs where each run of nvidia-smi takes long, as on large nodes: seconds and processes from the look at the device before
 * the plan to the reading that proves the result, beside the same change with one GPU in each command, in the same run.
 *
 *   node test/bench/processes.ts
 *
 * Every command of the simulated nvidia-smi waits, by the clock, before it answers.
 */
import { applyNode, type DeviceApplyOptions } from '../../src/device/apply.ts';
import type { GpuTarget } from '../../src/core/smi/change.ts';
import { InProcessNode, isChange } from '../device/simulated-node.ts';
import { Semaphore } from '../../src/process/clock.ts';
import { printMetric, type Metric } from './metric.ts';

type Want = GpuTarget['want'];

interface Change {
  readonly name: string;
  readonly gpus: number;
  readonly from: Want;
  readonly to: Want;
  /** Whether the driver gave the instances of all GPUs the same ids; the mock gives even and odd GPUs different ones. */
  readonly haveEqualIds: boolean;
}

interface Cost {
  readonly seconds: number;
  readonly processes: number;
  /** Of these, those that change something. */
  readonly operations: number;
}

const model = 'A100-SXM4-40GB';
const halves: Want = { '3g.20gb': 2 };
const eighths: Want = { '1g.5gb': 7 };

const changes: readonly Change[] = [
  { name: 'edit of 2 GPUs', gpus: 2, from: halves, to: eighths, haveEqualIds: true },
  { name: 'edit of 8 GPUs', gpus: 8, from: halves, to: eighths, haveEqualIds: true },
  { name: 'edit of 8 GPUs with two sets of ids', gpus: 8, from: halves, to: eighths, haveEqualIds: false },
  { name: 'MIG off to 8 whole slices', gpus: 8, from: 'Disabled', to: { '7g.40gb': 1 }, haveEqualIds: true },
];

/** Seconds that a command takes; users report such times of real nodes. */
const delays: readonly number[] = [0.1, 0.5, 2];

export async function measureProcesses(print: (metric: Metric) => void): Promise<void> {
  for (const delay of delays) {
    // Changes that mostly wait do not slow each other down.
    const beside = new Semaphore(delay < 1 ? 1 : changes.length);
    const costs = changes.map(async (change) => ({
      change,
      ours: await beside.pass(() => measure(change, delay, {})),
      apart: await beside.pass(() => measure(change, delay, { oneGpuACommand: true })),
    }));
    for (const { change, ours, apart } of await Promise.all(costs)) {
      const say = (what: string, unit: string, value: number, baseline: number): void =>
        print({ metric: `processes: ${change.name}: ${what}`, value, unit, baseline });
      if (delay === delays[0]) {
        say('nvidia-smi processes', 'processes', ours.processes, apart.processes);
        say('operations', 'operations', ours.operations, apart.operations);
      }
      say(`at ${delay} s a command`, 's', ours.seconds, apart.seconds);
    }
  }
}

async function measure(
  { gpus, from, to, haveEqualIds }: Change,
  delay: number,
  options: DeviceApplyOptions,
): Promise<Cost> {
  const node = new InProcessNode(Array<string>(gpus).fill(model));
  const targets = (want: Want): readonly GpuTarget[] => node.gpus.map(({ uuid }) => ({ uuid, want }));
  const driver = node.openDriver();
  await applyNode(driver, targets(from));
  if (haveEqualIds) copyFirst(node);
  await driver.readDevice();
  node.commands.length = 0;
  node.intercept = async (_args, run) => {
    await new Promise((resolve) => setTimeout(resolve, delay * 1_000));
    return run();
  };
  const startedMs = performance.now();
  // As an agent: it looks before it plans. With one GPU a command it read everything.
  const device = options.oneGpuACommand === true ? await driver.readDevice() : await driver.glanceAtDevice();
  const { results } = await applyNode(driver, targets(to), { ...options, device });
  const seconds = (performance.now() - startedMs) / 1_000;
  const undone = results.find(({ outcome }) => outcome !== 'Applied');
  if (undone !== undefined) throw new Error(`${undone.uuid}: ${undone.outcome} ${undone.error?.message}`);
  return { seconds, processes: node.commands.length, operations: node.commands.filter(isChange).length };
}

/** Gives all GPUs the instances of the first, by the same ids. */
function copyFirst(node: InProcessNode): void {
  const lines = node.state.split('\n').filter((line) => line !== '');
  const modes = lines.filter((line) => line.startsWith('gpu '));
  const first = lines.filter((line) => /^[gc]i 0 /.test(line));
  const copies = node.gpus.flatMap(({ index }) => first.map((line) => line.replace(/^([gc]i) 0/, `$1 ${index}`)));
  node.state = [...modes, ...copies].map((line) => `${line}\n`).join('');
}

if (import.meta.main) await measureProcesses(printMetric);
