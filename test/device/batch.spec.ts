import { expect } from 'chai';
import type { GpuTarget } from '../../src/core/smi/change.ts';
import { InProcessNode } from './simulated-node.ts';

async function aNode(want: GpuTarget['want']): Promise<InProcessNode> {
  const node = new InProcessNode(['A100-SXM4-40GB'], 'gpu 0 mig 1 pending 1\n');
  await node.change(want);
  node.takeChanges();
  return node;
}

const verbs = (changes: readonly string[]): readonly string[] =>
  changes.map((one) => / -[cd][gc]i /.exec(one)?.[0].trim() ?? one);

describe('several instances in one command', () => {
  it('change a whole GPU by three commands and one look at who uses what goes', async () => {
    const node = await aNode({ '3g.20gb': 2 });
    const result = await node.change({ '1g.5gb': 7 });
    expect([result?.outcome, result?.operations]).to.deep.equal(['Applied', 3]);
    expect(node.commands.filter((args) => args.includes('-x') && args.includes('-i'))).to.have.length(1);
    expect(verbs(node.takeChanges())).to.deep.equal(['-dci', '-dgi', '-cgi']);
  });

  it('are all spared where one of them is in use', async () => {
    const node = await aNode({ '3g.20gb': 2 });
    const device = await node.openDriver().readDevice();
    await node.startProcess(0, 4);
    const result = await node.change({}, { device });
    expect([result?.outcome, result?.error?.code, result?.error?.holders]).to.deep.equal([
      'Refused',
      'InUse',
      ['pid 4200 (python3 train.py)'],
    ]);
    expect(result?.error?.instance).to.match(/^3g\.20gb at 4 /);
    expect(node.takeChanges()).to.deep.equal([]);
  });

  it('are made up to the one that fails, which is named, and the rest is not tried', async () => {
    const node = await aNode({});
    node.faults = 'fail DeviceCreateGpuInstance rc=999 nth=3';
    const result = await node.change({ '1g.5gb': 4 });
    expect([result?.outcome, result?.error?.code]).to.deep.equal(['Failed', 'DriverFailed']);
    expect(result?.error?.found).to.contain('Unknown Error');
    expect(await node.layout(0)).to.have.length(2);
    expect(node.takeChanges()).to.have.length(1);
  });

  it('are taken back where one of them fails', async () => {
    const node = await aNode({ '3g.20gb': 2 });
    const before = await node.layout(0);
    node.faults = 'fail DeviceCreateGpuInstance rc=999 nth=3';
    expect((await node.change({ '1g.5gb': 4 }, { undo: true }))?.outcome).to.equal('Undone');
    expect(await node.layout(0)).to.deep.equal(before);
  });

  it('continue after one that says it failed and is done, created, emptied or destroyed', async () => {
    const faults = [
      'fail DeviceCreateGpuInstance rc=999 done nth=2',
      'fail GpuInstanceCreateComputeInstance rc=999 done nth=2',
      'fail GpuInstanceCreateComputeInstance rc=999 nth=2',
      'fail ComputeInstanceDestroy rc=999 done nth=1',
      'fail GpuInstanceDestroy rc=999 done nth=1',
    ];
    for (const fault of faults) {
      const node = await aNode({ '3g.20gb': 2 });
      node.faults = fault;
      expect((await node.change({ '1g.5gb': 5 }))?.outcome, fault).to.equal('Applied');
      expect(await node.layout(0), fault).to.have.length(5);
    }
  });

  it('stop where one of them cannot be destroyed, whatever the tool’s order, and are brought back', async () => {
    for (const fault of ['fail ComputeInstanceDestroy rc=19 nth=2-', 'fail GpuInstanceDestroy rc=19 nth=2-']) {
      const node = await aNode({ '1g.5gb': 3 });
      const before = await node.layout(0);
      node.faults = fault;
      const result = await node.change({ '7g.40gb': 1 }, { undo: true });
      expect([result?.outcome, result?.error?.code], fault).to.deep.equal(['Undone', 'InUse']);
      expect(await node.layout(0), fault).to.deep.equal(before);
    }
  });

  it('are finished after a crash in the middle of the command', async () => {
    const node = await aNode({});
    node.intercept = (args, run) => {
      const at = args.indexOf('-cgi') + 1;
      if (at === 0) return run();
      node.run(args.toSpliced(at, 1, (args[at] ?? '').split(',').slice(0, 2).join()));
      throw new Error('killed');
    };
    const crash: unknown = await node.change({ '1g.5gb': 5 }).catch((error: unknown) => error);
    expect(String(crash)).to.equal('Error: killed');
    node.intercept = (_args, run) => run();
    const result = await node.change({ '1g.5gb': 5 });
    expect([result?.outcome, await node.layout(0).then(({ length }) => length)]).to.deep.equal(['Applied', 5]);
  });

  it('are read again where the command was ended: what is there counts', async () => {
    const node = await aNode({});
    node.intercept = (args, run) => {
      const execution = run();
      return args.includes('-cgi') ? { rc: 255, stdout: '', end: 'TimedOut' } : execution;
    };
    expect((await node.change({ '1g.5gb': 5 }))?.outcome).to.equal('Applied');
    expect(node.takeChanges()).to.have.length(1);
  });
});
