import { expect } from 'chai';
import { applyNode } from '../../src/device/apply.ts';
import type { GpuTarget } from '../../src/core/smi/change.ts';
import type { Execution } from '../../src/core/smi/command.ts';
import { brief, InProcessNode } from './simulated-node.ts';

const on = 'gpu 0 mig 1 pending 1\n';
const timedOut: Execution = { rc: 255, stdout: '', end: 'TimedOut' };

async function aNodeWith(
  want: GpuTarget['want'],
  gpus: readonly string[] = ['A100-SXM4-40GB'],
): Promise<InProcessNode> {
  const node = new InProcessNode(gpus, gpus.map((_, index) => `gpu ${index} mig 1 pending 1\n`).join(''));
  await node.changeAll(want);
  node.takeChanges();
  return node;
}

describe('applying against a driver that misbehaves', () => {
  it('believes the device, not the exit code: an operation that failed and is done is done', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], on);
    node.faults = 'fail DeviceCreateGpuInstance rc=999 done';
    const result = await node.change({ '1g.5gb': 2 });
    expect(brief(result)).to.equal('Applied');
    expect(await node.layout(0)).to.have.length(2);
    expect(node.takeChanges().filter((change) => change.includes('-cgi'))).to.have.length(2);
  });

  it('believes the device, not the exit code: success without effect is a failure', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], on);
    node.intercept = (args, run) => (args.includes('-cgi') ? { rc: 0, stdout: 'All done.\n', end: 'Exited' } : run());
    expect(brief(await node.change({ '1g.5gb': 1 }))).to.equal('Failed NothingDone');
    const full = await aNodeWith({ '3g.20gb': 2 });
    full.faults = 'skip GpuInstanceDestroy';
    expect(brief(await full.change({ '7g.40gb': 1 }))).to.equal('Failed NothingDone');
    const parts = await aNodeWith({ '3g.20gb': 2 });
    parts.faults = 'skip ComputeInstanceDestroy';
    expect(brief(await parts.change({ '7g.40gb': 1 }))).to.equal('Failed InUse');
  });

  it('adds the compute instance that a creation left out', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], on);
    node.faults = 'fail GpuInstanceCreateComputeInstance rc=999 nth=1';
    expect(brief(await node.change({ '2g.10gb': 1 }))).to.equal('Applied');
    node.takeChanges();
    const silent = new InProcessNode(['A100-SXM4-40GB'], on);
    silent.faults = 'skip GpuInstanceCreateComputeInstance nth=1';
    expect(brief(await silent.change({ '2g.10gb': 1 }))).to.equal('Applied');
    expect((await silent.layout(0))[0]).to.match(/^2g\.10gb@\d$/);
  });

  it('reads the device after a command that was ended, and adopts what it had done', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], on);
    node.intercept = (args, run) => {
      const execution = run();
      return args.includes('-cgi') ? timedOut : execution;
    };
    expect(brief(await node.change({ '3g.20gb': 2 }))).to.equal('Applied');
  });

  for (const [driver, second, how] of [
    ['555', 'Skipped', 'goes to no other GPU'],
    ['550', 'Failed', 'tries none of its GPUs again'],
  ] as const) {
    it(`says TimedOut when a command was ended and had done nothing, and ${how}: driver ${driver}`, async () => {
      const node = await aNodeWith({}, ['A100-SXM4-40GB', 'A100-SXM4-40GB']);
      node.driver = driver;
      node.intercept = (args, run) => (args.includes('-cgi') ? timedOut : run());
      const targets = node.gpus.map(({ uuid }) => ({ uuid, want: { '7g.40gb': 1 } }));
      const { results } = await applyNode(node.openDriver(), targets);
      expect(results.map(brief)).to.deep.equal(['Failed TimedOut', `${second} TimedOut`]);
      expect(node.takeChanges()).to.have.length(1);
    });
  }

  it('reports a leaked handle as InUse without a holder, the compute instance gone, and undoes that', async () => {
    const node = await aNodeWith({ '3g.20gb': 2 });
    const before = await node.layout(0);
    const gi = /gi 0 (\d+)/.exec(node.state)?.[1];
    node.faults = `leak gi=${gi}`;
    const result = await node.change({}, { undo: true });
    expect([result.outcome, result.error?.code, result.error?.holders]).to.deep.equal(['Undone', 'InUse', []]);
    expect(await node.layout(0)).to.deep.equal(before);
    expect(brief(await node.change({}))).to.equal('Failed InUse');
    node.faults = '';
    expect(brief(await node.change({}))).to.equal('Applied');
  });

  it('brings a GPU that failed half-way back to what it was, placements included', async () => {
    const node = await aNodeWith({ '1g.5gb': 7 });
    const before = await node.layout(0);
    node.faults = 'fail DeviceCreateGpuInstance rc=999 nth=2';
    const result = await node.change({ '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 }, { undo: true });
    expect(brief(result)).to.equal('Undone DriverFailed');
    expect(await node.layout(0)).to.deep.equal(before);
  });

  it('brings compute instances and MIG mode back too', async () => {
    const split = await aNodeWith({ '1c.3g.20gb': 3, '2g.10gb': 1 });
    const before = await split.layout(0);
    split.faults = 'fail GpuInstanceCreateComputeInstance rc=999 nth=1';
    expect(brief(await split.change({ '3g.20gb': 1, '2g.10gb': 1 }, { undo: true }))).to.equal('Undone DriverFailed');
    expect(await split.layout(0)).to.deep.equal(before);

    const off = new InProcessNode(['H100-80GB-HBM3']);
    off.faults = 'fail DeviceCreateGpuInstance rc=999 nth=2-';
    expect(brief(await off.change({ '1g.10gb': 3 }, { undo: true }))).to.equal('Undone DriverFailed');
    off.faults = '';
    const [gpu] = (await off.openDriver().readDevice()).gpus;
    expect(gpu?.mig?.current).to.equal('Disabled');
  });

  it('says when it could not be brought back', async () => {
    const node = await aNodeWith({ '3g.20gb': 2 });
    node.faults = 'fail DeviceCreateGpuInstance rc=999';
    const result = await node.change({ '7g.40gb': 1 }, { undo: true });
    expect([result.outcome, result.error?.code, result.undoError?.code]).to.deep.equal([
      'Failed',
      'DriverFailed',
      'DriverFailed',
    ]);
  });

  it('changes no GPU when all or nothing is asked and one cannot be', async () => {
    const node = await aNodeWith({ '3g.20gb': 2 }, ['A100-SXM4-40GB', 'A100-SXM4-40GB', 'A100-SXM4-40GB']);
    const before = node.state;
    const all = node.gpus.map(({ uuid }) => ({ uuid, want: { '1g.5gb': 7 } }));
    await node.startProcess(2, 4);
    const { results: refused } = await applyNode(node.openDriver(), all, { allOrNothing: true });
    expect(refused.map(brief)).to.deep.equal(['Skipped', 'Skipped', 'Refused InUse']);
    expect(node.takeChanges()).to.deep.equal([]);

    node.state = before;
    node.faults = 'fail DeviceCreateGpuInstance rc=999 gpu=1 nth=3';
    const { results: undone } = await applyNode(node.openDriver(), all, { allOrNothing: true });
    expect(undone.map(brief)).to.deep.equal(['Undone', 'Undone DriverFailed', 'Undone']);
    for (const index of [0, 1, 2]) expect(await node.layout(index)).to.deep.equal(['3g.20gb@0', '3g.20gb@4']);

    node.state = before;
    node.driver = '555';
    node.faults = 'fail DeviceCreateGpuInstance rc=999 gpu=1 nth=3-3';
    node.takeChanges();
    const { results: apart } = await applyNode(node.openDriver(), all, { allOrNothing: true });
    expect(apart.map(brief)).to.deep.equal(['Undone', 'Undone DriverFailed', 'Skipped']);
    expect(node.takeChanges().filter((change) => change.includes(node.busId(2)))).to.deep.equal([]);
  });

  it('does nothing on output that it does not understand', async () => {
    const node = await aNodeWith({ '3g.20gb': 2 });
    for (const damage of ['garbage=300', 'cut=90', 'empty', 'flood=5000']) {
      for (const argument of ['-x', '-lgi']) {
        node.faults = `output ${damage} with=${argument}`;
        const target = { uuid: node.uuid(0), want: { '7g.40gb': 1 } };
        const error: unknown = await applyNode(node.openDriver(), [target]).catch((reason: unknown) => reason);
        expect(error, node.faults).to.be.an('error').with.property('code').that.is.oneOf(['ParseError', 'Unstable']);
      }
    }
    expect(node.takeChanges()).to.deep.equal([]);
  });

  it('stops the node when the driver goes away in the middle, and converges when it is back', async () => {
    const node = await aNodeWith({}, ['A100-SXM4-40GB', 'A100-SXM4-40GB']);
    const targets = node.gpus.map(({ uuid }) => ({ uuid, want: { '1g.5gb': 3 } }));
    let creations = 0;
    node.intercept = (args, run) => {
      if (args.includes('-cgi') && (creations += 1) === 1) node.faults = 'nodriver';
      return run();
    };
    const { results } = await applyNode(node.openDriver(), targets);
    expect(results.map(brief)).to.deep.equal(['Failed DriverUnavailable', 'Failed DriverUnavailable']);
    node.faults = '';
    expect((await applyNode(node.openDriver(), targets)).results.map(brief)).to.deep.equal(['Applied', 'Applied']);
  });

  it('touches nothing when the journal cannot be written, and clears it when all is done', async () => {
    const node = await aNodeWith({});
    const notes: string[] = [];
    const journal = {
      begin: async ({ gpus }: { readonly gpus: readonly { readonly placements: readonly string[] }[] }) => {
        notes.push(`begin ${gpus.length}`);
      },
      finish: () => {
        notes.push('finish');
      },
    };
    await node.change({ '7g.40gb': 1 }, { journal });
    await node.change({ '7g.40gb': 1 }, { journal });
    expect(notes).to.deep.equal(['begin 1', 'finish']);
  });
});
