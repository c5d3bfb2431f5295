import { expect } from 'chai';
import { applyNode, type DeviceApplyOptions } from '../../src/device/apply.ts';
import type { GpuTarget } from '../../src/core/smi/change.ts';
import type { Execution } from '../../src/core/smi/command.ts';
import { InProcessNode, listNamed } from './simulated-node.ts';

const A100 = 'A100-SXM4-40GB';
const H100 = 'H100-80GB-HBM3';

async function prepare({
  gpu = A100,
  gpus = 1,
  from,
}: {
  readonly gpu?: string;
  readonly gpus?: number;
  readonly from: GpuTarget['want'];
}): Promise<InProcessNode> {
  const node = new InProcessNode(Array<string>(gpus).fill(gpu));
  await node.changeAll(from);
  return node;
}

/** Outcomes and error codes of making all GPUs the same. */
async function apply(node: InProcessNode, want: GpuTarget['want'], options: DeviceApplyOptions = {}): Promise<string> {
  const driver = node.openDriver();
  const { faults } = node;
  node.faults = '';
  const device = await driver.readDevice();
  node.faults = faults;
  node.commands.length = 0;
  const targets = node.gpus.map(({ uuid }) => ({ uuid, want }));
  const { results } = await applyNode(driver, targets, { device, ...options });
  return results.map(({ outcome, error }) => [outcome, error?.code ?? ''].join(' ').trim()).join(', ');
}

describe('a driver that lies about its success', () => {
  const created = 'Successfully created GPU instance ID 1\nSuccessfully created compute instance ID 0\n';
  const createdOn = (gpu: number): string => created.replaceAll(/(?<=ID \d)/g, ` on GPU  ${gpu}`);
  const destroyed = 'Successfully destroyed GPU instance ID 1 from GPU  0\n';

  /** Lies about the first commands with a word, and does nothing then. */
  function lie(node: InProcessNode, word: string, stdout: string, times = 1): void {
    let left = times;
    node.intercept = (args, run): Execution => {
      if (!args.includes(word) || left === 0) return run();
      left -= 1;
      return { rc: 0, stdout, end: 'Exited' };
    };
    node.commands.length = 0;
  }

  const countOf = (node: InProcessNode, word: string): number =>
    node.takeChanges().filter((change) => change.includes(word)).length;

  it('has a creation made again, on the GPU that misses it alone', async () => {
    const node = await prepare({ gpus: 2, from: {} });
    let left = 1;
    node.intercept = (args, run) => {
      if (!args.includes('-cgi') || left === 0) return run();
      left -= 1;
      return node.runBut(0, args, createdOn(0).repeat(2));
    };
    expect(await apply(node, { '3g.20gb': 2 })).to.equal('Applied, Applied');
    const [both, one, ...more] = node.takeChanges().filter((change) => change.includes('-cgi'));
    expect(both).to.contain(`${node.busId(0)},${node.busId(1)}`);
    expect(one).to.contain(node.busId(0)).and.not.to.contain(node.busId(1));
    expect(more).to.deep.equal([]);
    for (const index of [0, 1]) expect(await node.layout(index)).to.deep.equal(['3g.20gb@0', '3g.20gb@4']);
  });

  it('is not trusted forever: three times, then NothingDone, and the other GPU is done', async () => {
    const node = await prepare({ gpus: 2, from: {} });
    node.intercept = (args, run) => (args.includes('-cgi') ? node.runBut(0, args, createdOn(0)) : run());
    expect(await apply(node, { '7g.40gb': 1 })).to.equal('Failed NothingDone, Applied');
    expect(countOf(node, '-cgi')).to.equal(3);
  });

  it('is found out about a destroy before Applied is said', async () => {
    const node = await prepare({ from: { '2g.10gb': 3 } });
    lie(node, '-dgi', destroyed);
    expect(await apply(node, { '2g.10gb': 1 })).to.equal('Applied');
    expect(countOf(node, '-dgi')).to.equal(2);
    expect(await node.layout(0)).to.have.length(1);

    lie(node, '-dgi', destroyed, 100);
    expect(await apply(node, {})).to.equal('Failed NothingDone');
    expect(countOf(node, '-dgi')).to.equal(3);
  });

  it('is found out about a destroy by the creation that needs its room', async () => {
    const node = await prepare({ from: { '3g.20gb': 2 } });
    lie(node, '-dgi', destroyed);
    expect(await apply(node, { '7g.40gb': 1 })).to.equal('Applied');
    expect(await node.layout(0)).to.deep.equal(['7g.40gb@0']);

    lie(node, '-dgi', destroyed, 100);
    expect(await apply(node, { '3g.20gb': 2 }, { undo: true })).to.equal('Undone NothingDone');
    expect(await node.layout(0)).to.deep.equal(['7g.40gb@0']);
  });

  it('is found out about a destroy before MIG mode is switched off', async () => {
    const node = await prepare({ gpu: H100, from: { '3g.40gb': 2 } });
    lie(node, '-dgi', destroyed, 100);
    expect(await apply(node, 'Disabled')).to.equal('Failed NothingDone');
    expect(countOf(node, '-mig')).to.equal(0);
  });

  it('is found out about compute instances, made and destroyed', async () => {
    const node = await prepare({ gpu: H100, from: { '3g.40gb': 1 } });
    lie(node, '-dci', 'Successfully destroyed compute instance ID  0 from GPU  0 GPU instance ID  1\n');
    expect(await apply(node, { '1c.3g.40gb': 3 })).to.equal('Applied');
    const parts = await node.layout(0);
    expect(parts[0]).to.match(/\[1c\.3g\.40gb,1c\.3g\.40gb,1c\.3g\.40gb\]$/);
    await apply(node, { '3g.40gb': 1 });
    lie(node, '-cci', 'Successfully created compute instance ID  0\n');
    expect(await apply(node, { '1c.3g.40gb': 3 })).to.equal('Applied');
    expect(await node.layout(0)).to.deep.equal(parts);
  });

  it('takes nobody else down when all or nothing is asked: what was done is taken back', async () => {
    const node = await prepare({ gpus: 2, from: { '3g.20gb': 2 } });
    node.intercept = (args, run) => (args.includes('-cgi') ? node.runBut(1, args, createdOn(1)) : run());
    expect(await apply(node, {}, { allOrNothing: true })).to.equal('Applied, Applied');
    expect(await apply(node, { '7g.40gb': 1 }, { allOrNothing: true })).to.equal('Undone, Undone NothingDone');
    for (const index of [0, 1]) expect(await node.layout(index)).to.deep.equal([]);
  });
});

describe('the one reading that proves what was done to all GPUs', () => {
  const lastCreation = (node: InProcessNode, then: () => void): void => {
    let created = 0;
    node.intercept = (args, run) => {
      const execution = run();
      if (args.includes('-cgi') && (created += listNamed(args).length) === 2) then();
      return execution;
    };
  };

  it('finds a GPU lost that was changed before, and the others done', async () => {
    const node = await prepare({ gpus: 2, from: {} });
    lastCreation(node, () => {
      node.faults = 'lost gpu=0';
    });
    expect(await apply(node, { '7g.40gb': 1 })).to.equal('Failed GpuLost, Applied');
  });

  it('is made GPU by GPU where one of them spoils it', async () => {
    const node = await prepare({ gpus: 2, from: {} });
    lastCreation(node, () => {
      node.intercept = (args, run) =>
        args.includes('-i') && args.includes(node.busId(1)) ? run() : { rc: 0, stdout: '+--', end: 'Exited' };
    });
    expect(await apply(node, { '7g.40gb': 1 })).to.equal('Failed ParseError, Applied');
  });

  it('that gets no answer is not asked for again and again', async () => {
    const node = await prepare({ gpus: 2, from: {} });
    let asked = 0;
    lastCreation(node, () => {
      node.intercept = () => {
        asked += 1;
        return { rc: 255, stdout: '', end: 'TimedOut' };
      };
    });
    expect(await apply(node, { '7g.40gb': 1 }, { undo: true })).to.equal('Failed TimedOut, Failed TimedOut');
    // Once for the proof, once for a list of GPUs that might answer, once on the way back.
    expect(asked).to.equal(3);
  });

  it('is made even when the time is over: what was done by then is Applied', async () => {
    const node = await prepare({ gpus: 3, from: { '1g.5gb': 7 } });
    node.driver = '555';
    // Three operations a GPU: compute instances, GPU instances, the new ones.
    let left = 5;
    const explainStop = (): string | undefined => ((left -= 1) >= 0 ? undefined : 'the time is over');
    const outcomes = await apply(node, { '3g.20gb': 2 }, { explainStop });
    expect(outcomes).to.equal('Applied, Failed Stopped, Skipped Stopped');
  });

  it('starts nothing more on a node that stops, though something turns out not to be done', async () => {
    const node = await prepare({ gpus: 2, from: {} });
    const stdout = 'Successfully created GPU instance ID 1\nSuccessfully created compute instance ID 0\n';
    let left = 1;
    node.intercept = (args, run) =>
      args.includes('-cgi') && args.includes(node.busId(0)) ? { rc: 0, stdout, end: 'Exited' } : run();
    const explainStop = (): string | undefined => ((left -= 1) >= 0 ? undefined : 'the time is over');
    const outcomes = await apply(node, { '3g.20gb': 2 }, { explainStop });
    expect(outcomes).to.equal('Failed Stopped, Refused Stopped');
    expect(node.takeChanges()).to.have.length(1);
  });
});
