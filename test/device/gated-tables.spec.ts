import { expect } from 'chai';
import { applyNode } from '../../src/device/apply.ts';
import type { DeviceState } from '../../src/core/gpu/device-state.ts';
import { InProcessNode } from './simulated-node.ts';

const A100 = 'A100-SXM4-40GB';

/** Driver 535: `-lgip` and `-lgipp` show only GPUs with MIG mode on; if there is none, they say so and exit with 6. */
function aNode(gpus: readonly string[], state = ''): InProcessNode {
  const node = new InProcessNode(gpus, state);
  node.driver = '535';
  return node;
}

const sources = ({ gpus }: DeviceState): readonly unknown[] =>
  gpus.map(({ fault, tableSource, geometry }) => [fault?.code, tableSource, geometry?.profiles.length]);

describe('a driver that shows profiles only of GPUs with MIG mode on', () => {
  it('is read by the built-in table while the mode is off everywhere', async () => {
    const node = aNode([A100, 'A30', 'T4']);
    expect(node.run(['mig', '-lgip'])).to.include({ rc: 6, stdout: 'No MIG-enabled devices found.\n' });
    expect(sources(await node.openDriver().readDevice())).to.deep.equal([
      [undefined, 'BuiltIn', 7],
      [undefined, 'BuiltIn', 5],
      [undefined, 'Own', undefined],
    ]);
  });

  it('has the table of a GPU of the same model for one whose mode is off, and the built-in one for another model', async () => {
    const node = aNode([A100, A100, 'A30'], 'gpu 0 mig 1 pending 1\n');
    const device = await node.openDriver().readDevice();
    expect(sources(device)).to.deep.equal([
      [undefined, 'Own', 7],
      [undefined, 'SameModel', 7],
      [undefined, 'BuiltIn', 5],
    ]);
    expect(device.gpus[1]?.geometry).to.equal(device.gpus[0]?.geometry);
  });

  it('is read one GPU after the other beside a sick one', async () => {
    const node = aNode([A100, A100, A100], 'gpu 0 mig 1 pending 1\ngpu 1 mig 1 pending 1\n');
    node.faults = 'fail DeviceGetGpuInstanceProfileInfo rc=999 gpu=0';
    expect(sources(await node.openDriver().readDevice())).to.deep.equal([
      ['DriverFailed', 'Own', undefined],
      [undefined, 'Own', 7],
      [undefined, 'SameModel', 7],
    ]);
  });

  it('shows the table of every GPU of a model as soon as the mode of one is on', async () => {
    const node = aNode([A100, A100]);
    const driver = node.openDriver();
    await driver.readDevice();
    await applyNode(driver, [{ uuid: node.uuid(0), want: {} }]);
    expect(sources(await driver.readDevice())).to.deep.equal([
      [undefined, 'Own', 7],
      [undefined, 'SameModel', 7],
    ]);
  });

  it('is not believed where it finds no GPU with the mode on, and there is one', async () => {
    const node = aNode([A100], 'gpu 0 mig 1 pending 1\n');
    node.intercept = (args, run) =>
      args.includes('-lgip') ? { rc: 0, stdout: 'No MIG-enabled devices found.\n', end: 'Exited' } : run();
    const error = await node
      .openDriver()
      .readDevice()
      .catch((reason: unknown) => reason);
    expect(String(error)).to.match(/Unstable.*1 GPU with it on/);
  });

  it('goes from MIG mode off to a layout, by its own table', async () => {
    const node = aNode([A100]);
    const { results } = await applyNode(node.openDriver(), [{ uuid: node.uuid(0), want: { '3g.20gb': 2 } }]);
    expect(results[0]?.outcome).to.equal('Applied');
    const lines = node.commands.map((args) => args.join(' '));
    const at = (part: string): number => lines.findIndex((line) => line.includes(part));
    expect(at('-mig 1')).to.be.lessThan(at('00.0 -lgipp'));
    expect(at('00.0 -lgipp')).to.be.lessThan(at('-cgi'));
  });
});

describe('a plan that was made by a table that the driver had not shown', () => {
  const steps = [0, 4].map((start) => ({
    action: 'CreateInstance' as const,
    profile: '3g.20gb',
    start,
    computeInstances: ['3g.20gb'],
  }));

  /** The driver's own table has 3g.20gb at 4 only. */
  function narrow(node: InProcessNode): void {
    node.intercept = (_args, run) => {
      const { stdout, ...rest } = run();
      return {
        ...rest,
        stdout: stdout.replace('Profile ID  9 Placements: {0,4}:4', 'Profile ID  9 Placement : {4}:4'),
      };
    };
  }

  it('is made again by the driver’s own where that has no such place', async () => {
    const node = aNode([A100]);
    narrow(node);
    const { results } = await applyNode(node.openDriver(), [
      { uuid: node.uuid(0), want: { '3g.20gb': 1 }, steps: steps.slice(0, 1) },
    ]);
    expect([results[0]?.outcome, results[0]?.error]).to.deep.equal(['Applied', undefined]);
    expect(await node.layout(0)).to.deep.equal(['3g.20gb@4']);
  });

  it('ends before anything is made where that has no room, and MIG mode is off again', async () => {
    const node = aNode([A100]);
    narrow(node);
    const { results } = await applyNode(node.openDriver(), [{ uuid: node.uuid(0), want: { '3g.20gb': 2 }, steps }], {
      undo: true,
    });
    expect([results[0]?.outcome, results[0]?.error?.code]).to.deep.equal(['Undone', 'DoesNotFit']);
    expect(node.takeChanges().map((line) => line.replace(/.* -/, '-'))).to.deep.equal(['-mig 1', '-mig 0']);
  });

  it('is checked before anything is destroyed on another GPU', async () => {
    const node = aNode(['A30', A100], 'gpu 0 mig 1 pending 1\n');
    await node.change({ '2g.12gb': 2 });
    node.faults = 'hide profile=9 gpu=1';
    node.takeChanges();
    const targets = [
      { uuid: node.uuid(0), want: { '1g.6gb': 4 } },
      { uuid: node.uuid(1), want: { '3g.20gb': 2 } },
    ];
    const { results } = await applyNode(node.openDriver(), targets, { allOrNothing: true });
    expect(results.map(({ outcome }) => outcome)).to.deep.equal(['Skipped', 'Undone']);
    expect(node.takeChanges().some((line) => line.includes('-dgi') || line.includes('-dci'))).to.equal(false);
  });
});
