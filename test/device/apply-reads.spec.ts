import { expect } from 'chai';
import { applyNode, type DeviceApplyOptions } from '../../src/device/apply.ts';
import type { GpuTarget } from '../../src/core/smi/change.ts';
import type { NvidiaSmi } from '../../src/device/nvidia-smi.ts';
import { brief, isChange, InProcessNode } from './simulated-node.ts';

const A100 = 'A100-SXM4-40GB';
const H100 = 'H100-80GB-HBM3';

interface Scenario {
  readonly name: string;
  readonly gpu?: string;
  readonly gpus?: number;
  readonly from: GpuTarget['want'];
  /** What the first GPU, or all that change, become. */
  readonly to: GpuTarget['want'];
  readonly changed?: number;
  readonly faults?: string;
  /** Commands beyond the looks at who uses what is about to go. */
  readonly reads: readonly string[];
  /** Looks at who uses what goes: one for all instances that go together. */
  readonly busyChecks: number;
}

/** Of a GPU in MIG mode without instances: there is no UUID to read. */
const startEmpty = ['-q -x', 'mig -lgi'];
const start = [...startEmpty, '-L'];
const proof = start;
const gpu0 = '-i 00000000:07:00.0';

const scenarios: readonly Scenario[] = [
  { name: 'the same again', from: { '1g.5gb': 7 }, to: { '1g.5gb': 7 }, changed: 0, reads: start, busyChecks: 0 },
  {
    name: 'an edit of one instance of one of eight GPUs',
    gpus: 8,
    from: { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 },
    to: { '1g.5gb': 4, '3g.20gb': 1 },
    reads: [...start, ...proof],
    busyChecks: 1,
  },
  {
    name: 'eight GPUs from empty',
    gpus: 8,
    from: {},
    to: { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 },
    changed: 8,
    reads: [...startEmpty, ...proof],
    busyChecks: 0,
  },
  {
    name: 'all instances for others',
    from: { '1g.5gb': 7 },
    to: { '3g.20gb': 2 },
    reads: [...start, ...proof],
    busyChecks: 1,
  },
  {
    name: 'three instances fewer',
    from: { '1g.5gb': 5 },
    to: { '1g.5gb': 2 },
    reads: [...start, ...proof],
    busyChecks: 1,
  },
  {
    name: 'MIG mode on, and a layout',
    gpu: H100,
    from: 'Disabled',
    to: { '1g.10gb': 3 },
    // The second report reads the change of the mode back.
    reads: ['-q -x', `${gpu0} -q -x`, ...proof],
    busyChecks: 1,
  },
  {
    name: 'MIG mode on with a reset',
    gpu: 'A30',
    from: 'Disabled',
    to: { '2g.12gb': 2 },
    faults: 'migpending rc=16',
    reads: ['-q -x', `${gpu0} -q -x`, `${gpu0} -q -x`, `${gpu0} -q -x`, ...proof],
    busyChecks: 3,
  },
  {
    name: 'MIG mode off',
    gpu: H100,
    from: { '1g.10gb': 2, '3g.40gb': 1 },
    to: 'Disabled',
    reads: [...start, `mig ${gpu0} -lgi`, `${gpu0} -q -x`, '-q -x'],
    busyChecks: 2,
  },
  {
    name: 'an instance in parts',
    gpu: H100,
    from: { '3g.40gb': 2 },
    to: { '1c.3g.40gb': 3, '3g.40gb': 1 },
    reads: [...start, `mig ${gpu0} -lci`, `mig ${gpu0} -lcip -gi`, ...proof],
    busyChecks: 1,
  },
];

async function prepare({
  gpu = A100,
  gpus = 1,
  from,
}: Pick<Scenario, 'gpu' | 'gpus' | 'from'>): Promise<InProcessNode> {
  const node = new InProcessNode(Array<string>(gpus).fill(gpu));
  await node.changeAll(from);
  return node;
}

/** What a whole change reads: a look at the device, the work, and what the device is after that. */
async function change(
  node: InProcessNode,
  driver: NvidiaSmi,
  targets: readonly GpuTarget[],
  options: DeviceApplyOptions = {},
): Promise<{ readonly outcomes: readonly string[]; readonly reads: readonly string[]; readonly isProved: boolean }> {
  node.commands.length = 0;
  const before = await driver.readDevice();
  const { results, device } = await applyNode(driver, targets, { ...options, device: before });
  const reads = node.commands.filter((args) => !isChange(args)).map((args) => args.join(' '));
  const outcomes = results.map(brief);
  const { faults } = node;
  node.faults = '';
  const isProved = JSON.stringify(device) === JSON.stringify(await driver.readDevice());
  node.faults = faults;
  return { outcomes, reads, isProved };
}

describe('what a change costs in commands that read', () => {
  for (const scenario of scenarios) {
    const { name, from, to, changed = 1, busyChecks } = scenario;
    it(`${name}: ${scenario.reads.length}, and ${busyChecks} looks at who uses what goes`, async () => {
      const node = await prepare(scenario);
      const driver = node.openDriver();
      await driver.readDevice();
      node.faults = scenario.faults ?? '';
      const targets = node.gpus.map(({ uuid }, index) => ({ uuid, want: index < changed ? to : from }));
      const options = { allowReset: true };
      const { outcomes, reads, isProved } = await change(node, driver, targets, options);
      expect(outcomes).to.deep.equal(targets.map((_, index) => (index < changed ? 'Applied' : 'Unchanged')));
      expect(isProved).to.equal(true);
      expect(reads.map((read) => read.replace(/-gi \d+$/, '-gi')).toSorted()).to.deep.equal(
        [...scenario.reads, ...Array<string>(busyChecks).fill(`${gpu0} -q -x`)].toSorted(),
      );
    });
  }

  it('reads the device first if that was not just done', async () => {
    const node = await prepare({ from: {} });
    const driver = node.openDriver();
    await driver.readDevice();
    node.commands.length = 0;
    const { device } = await applyNode(driver, [{ uuid: node.uuid(0), want: {} }]);
    expect(node.commands.map((args) => args.join(' '))).to.deep.equal(startEmpty);
    expect(device?.gpus[0]?.uuid).to.equal(node.uuid(0));
  });

  it('has no device to show where something was done after it was read last', async () => {
    const node = await prepare({ from: { '3g.20gb': 2 } });
    node.faults = 'fail DeviceCreateGpuInstance rc=999 nth=1';
    const targets = [{ uuid: node.uuid(0), want: { '7g.40gb': 1 } }];
    const { results, device } = await applyNode(node.openDriver(), targets, { undo: true });
    expect([results[0]?.outcome, device]).to.deep.equal(['Undone', undefined]);
  });
});
