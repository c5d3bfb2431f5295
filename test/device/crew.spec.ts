import { expect } from 'chai';
import { applyNode, type DeviceApplyOptions, type NodeResult } from '../../src/device/apply.ts';
import { sharesCommands } from '../../src/device/crew.ts';
import type { GpuTarget } from '../../src/core/smi/change.ts';
import { DeviceError } from '../../src/core/gpu/device-state.ts';
import { brief, isChange, InProcessNode, listNamed } from './simulated-node.ts';

const A100 = 'A100-SXM4-40GB';
type Want = GpuTarget['want'];

/** A node with these layouts, and the driver that an agent has used before. */
async function prepare(from: readonly Want[], gpu: string = A100): Promise<InProcessNode> {
  const node = new InProcessNode(from.map(() => gpu));
  await apply(node, from);
  node.takeChanges();
  return node;
}

function apply(node: InProcessNode, wants: readonly Want[], options: DeviceApplyOptions = {}): Promise<NodeResult> {
  const targets = wants.map((want, index) => ({ uuid: node.uuid(index), want }));
  return applyNode(node.openDriver(), targets, options);
}

const outcomes = ({ results }: NodeResult): readonly string[] => results.map(brief);

/** Makes the instances of a GPU lie where the driver gave them the ids that they have on the first: the mock gives others to odd GPUs. */
function giveEqualIds(node: InProcessNode): void {
  const [first, ...others] = node.gpus.map(({ index }) => index);
  const lines = node.state.split('\n').filter((line) => line !== '');
  const own = lines.filter((line) => /^[gc]i /.test(line) && line.split(' ')[1] === String(first));
  const rest = lines.filter((line) => !/^[gc]i /.test(line));
  const copies = others.flatMap((index) => own.map((line) => line.replace(/^([gc]i) \d+/, `$1 ${index}`)));
  node.state = `${[...rest, ...own, ...copies].join('\n')}\n`;
}

const all = <T>(count: number, one: T): readonly T[] => Array.from({ length: count }, () => one);

interface Edit {
  readonly name: string;
  readonly gpus: number;
  readonly gpu?: string;
  readonly from: Want;
  readonly to: Want;
  readonly sets: number;
  readonly most: number;
}

const edits: readonly Edit[] = [
  { name: 'an edit of two GPUs', gpus: 2, from: { '3g.20gb': 2 }, to: { '1g.5gb': 7 }, sets: 1, most: 8 },
  { name: 'an edit of eight GPUs', gpus: 8, from: { '3g.20gb': 2 }, to: { '1g.5gb': 7 }, sets: 1, most: 8 },
  { name: 'an edit of eight GPUs', gpus: 8, from: { '3g.20gb': 2 }, to: { '1g.5gb': 7 }, sets: 2, most: 10 },
  { name: 'MIG off to eight whole slices', gpus: 8, from: 'Disabled', to: { '7g.40gb': 1 }, sets: 1, most: 8 },
];

describe('commands for several GPUs', () => {
  it('are known of branches 535 and 550 alone', () => {
    expect(['535.274.02', '550.163.01', '550.54'].map(sharesCommands)).to.deep.equal([true, true, true]);
    const others = ['470.256.02', '525.147.05', '555.58.02', '570.86', '5500.1', '', '55'];
    expect(others.filter(sharesCommands)).to.deep.equal([]);
  });
});

describe('processes of a change', () => {
  for (const { name, gpus, from, to, sets, most } of edits) {
    it(`are at most ${most} for ${name} with ${sets === 1 ? 'equal ids' : `${sets} sets of ids`}`, async () => {
      const node = await prepare(all(gpus, from));
      if (sets === 1) giveEqualIds(node);
      const driver = node.openDriver();
      await driver.readDevice();
      node.commands.length = 0;
      const device = await driver.glanceAtDevice();
      const targets = node.gpus.map(({ uuid }) => ({ uuid, want: to }));
      const result = await applyNode(driver, targets, { device });
      expect(outcomes(result)).to.deep.equal(all(gpus, 'Applied'));
      expect(result.device).not.to.equal(undefined);
      expect(node.commands.length, node.commands.map((args) => args.join(' ')).join('\n')).to.be.at.most(most);
    });
  }

  it('are no more with the 535 branch, which shows no table before MIG mode is on', async () => {
    const node = await prepare(all(8, 'Disabled'));
    node.driver = '535';
    const driver = node.openDriver();
    const device = await driver.readDevice();
    node.commands.length = 0;
    const targets = node.gpus.map(({ uuid }) => ({ uuid, want: { '7g.40gb': 1 } }));
    expect(outcomes(await applyNode(driver, targets, { device }))).to.deep.equal(all(8, 'Applied'));
    // The tables of all GPUs, once for the creation and once for the next reading, are two commands each.
    expect(node.commands.length, node.commands.map((args) => args.join(' ')).join('\n')).to.be.at.most(12);
  });

  it('are for one GPU each with a driver that is not known to take several', async () => {
    for (const driver of ['470', '525', '555'] as const) {
      const node = await prepare(all(2, { '3g.20gb': 2 }));
      giveEqualIds(node);
      node.driver = driver;
      node.commands.length = 0;
      expect(outcomes(await apply(node, all(2, { '1g.5gb': 7 })))).to.deep.equal(all(2, 'Applied'));
      expect(node.commands.filter((args) => listNamed(args).length > 1)).to.deep.equal([]);
    }
  });

  it('are for one GPU each where the internal option says so', async () => {
    const node = await prepare(all(2, {}));
    node.commands.length = 0;
    await apply(node, all(2, { '1g.5gb': 7 }), { oneGpuACommand: true });
    expect(node.commands.filter((args) => listNamed(args).length > 1)).to.deep.equal([]);
  });
});

describe('a list of ids', () => {
  it('goes only to GPUs on which each of its ids was meant, though another has a stranger under one of them', async () => {
    // The ids of 3g.20gb at 0 and 4 are exchanged on odd GPUs.
    const node = await prepare(all(2, { '3g.20gb': 2 }));
    const strangers = node.state.split('\n').filter((line) => line.startsWith('gi 1 ') && line.endsWith('place 4:4'));
    const [id] = /(?<=gi 1 )\d+/.exec(strangers[0] ?? '') ?? [];
    expect(node.state).to.contain(`gi 0 ${id} profile 9 place 0:4`);
    const granted = (start: number) => [
      { action: 'DestroyInstance' as const, profile: '3g.20gb', start, computeInstances: ['3g.20gb'] },
    ];
    // Each GPU loses the one at 0: its id is the other's on the other GPU.
    const targets = [0, 1].map((index) => ({ uuid: node.uuid(index), want: { '3g.20gb': 1 }, steps: granted(0) }));
    const result = await applyNode(node.openDriver(), targets);
    expect(outcomes(result)).to.deep.equal(['Applied', 'Applied']);
    for (const index of [0, 1]) expect(await node.layout(index)).to.deep.equal(['3g.20gb@4']);
    for (const change of node.takeChanges()) expect(listNamed(change.split(' '))).to.have.length(1);
  });

  it('is not sent where a reading just before shows that its instance has become another', async () => {
    const node = await prepare(all(3, { '3g.20gb': 2 }));
    giveEqualIds(node);
    const device = await node.openDriver().readDevice();
    let hasCome = false;
    node.intercept = (args, run) => {
      if (!hasCome && args.includes('-x') && listNamed(args).length > 0) {
        hasCome = true;
        // Somebody has split the first instance of GPU 1 since the plan.
        const [line = ''] = node.state.split('\n').filter((one) => one.startsWith('ci 1 '));
        node.state = node.state.replace(line, line.replace(/profile \d+ place 0:3/, 'profile 0 place 0:1'));
      }
      return run();
    };
    const targets = node.gpus.map(({ uuid }) => ({ uuid, want: { '7g.40gb': 1 } }));
    const before = node.state;
    const result = await applyNode(node.openDriver(), targets.slice(0, 3), { device });
    expect(before).not.to.equal(node.state);
    expect(outcomes(result)[0]).to.equal('Applied');
    const first = node.takeChanges().find((change) => change.includes('-dci')) ?? '';
    expect(listNamed(first.split(' '))).to.deep.equal([node.busId(0), node.busId(2)]);
  });
});

/** Where a command for several GPUs ends: in its middle. */
interface Stop {
  readonly name: string;
  readonly from: Want;
  readonly to: Want;
  readonly faults: string;
  readonly expected: readonly string[];
}

const stops: readonly Stop[] = [
  {
    name: 'a destroy of compute instances that one GPU refuses',
    from: { '3g.20gb': 2 },
    to: { '7g.40gb': 1 },
    faults: 'fail ComputeInstanceDestroy rc=19 gpu=1',
    expected: ['Applied', 'Undone InUse', 'Applied', 'Applied'],
  },
  {
    name: 'a destroy that one GPU refuses',
    from: { '3g.20gb': 2 },
    to: { '7g.40gb': 1 },
    faults: 'fail GpuInstanceDestroy rc=19 gpu=2',
    expected: ['Applied', 'Applied', 'Undone InUse', 'Applied'],
  },
  {
    name: 'a creation that one GPU refuses',
    from: {},
    to: { '1g.5gb': 7 },
    faults: 'fail DeviceCreateGpuInstance rc=999 gpu=1 nth=3-',
    expected: ['Applied', 'Undone DriverFailed', 'Applied', 'Applied'],
  },
  {
    name: 'creations that two GPUs refuse',
    from: {},
    to: { '1g.5gb': 7 },
    faults: 'fail DeviceCreateGpuInstance rc=999 gpu=0 nth=7-\nfail DeviceCreateGpuInstance rc=23 gpu=2',
    expected: ['Undone DriverFailed', 'Applied', 'Undone NoRoom', 'Applied'],
  },
  {
    name: 'a GPU instance without its compute instance',
    from: {},
    to: { '3g.20gb': 2 },
    faults: 'fail GpuInstanceCreateComputeInstance rc=999 gpu=1 nth=1',
    expected: ['Applied', 'Applied', 'Applied', 'Applied'],
  },
  {
    name: 'a MIG mode that one GPU refuses',
    from: 'Disabled',
    to: { '7g.40gb': 1 },
    faults: 'fail DeviceSetMigMode rc=999 gpu=1',
    expected: ['Applied', 'Undone DriverFailed', 'Applied', 'Applied'],
  },
  {
    name: 'a MIG mode that stays pending on one GPU',
    from: 'Disabled',
    to: { '7g.40gb': 1 },
    faults: 'migpending rc=19 gpu=1',
    expected: ['Applied', 'Undone Pending', 'Applied', 'Applied'],
  },
  {
    name: 'a GPU that is lost after the look at who uses it',
    from: { '3g.20gb': 2 },
    to: { '7g.40gb': 1 },
    faults: 'fail DeviceGetHandleByIndex_v2 rc=15 gpu=2 with=-dci\nfail DeviceGetHandleByIndex_v2 rc=15 gpu=2 nth=6-',
    expected: ['Applied', 'Applied', 'Failed GpuLost', 'Applied'],
  },
  {
    name: 'success in words and none in fact, on one GPU',
    from: { '3g.20gb': 2 },
    to: { '7g.40gb': 1 },
    faults: 'skip GpuInstanceDestroy gpu=3',
    expected: ['Applied', 'Applied', 'Applied', 'Undone NothingDone'],
  },
];

describe('a command for several GPUs', () => {
  for (const { name, from, to, faults, expected } of stops) {
    it(`ends in the middle, and the reading says where: ${name}`, async () => {
      const node = await prepare(all(4, from));
      if (from !== 'Disabled') giveEqualIds(node);
      const before = await Promise.all(node.gpus.map(({ index }) => node.layout(index)));
      const device = await node.openDriver().readDevice();
      node.faults = faults;
      const result = await apply(node, all(4, to), { undo: true, device });
      expect(outcomes(result)).to.deep.equal(expected);
      node.faults = '';
      for (const [index, outcome] of expected.entries()) {
        const layout = await node.layout(index);
        if (outcome === 'Applied')
          expect(
            layout.map((one) => one.replace(/@.*/, '')),
            `GPU ${index}`,
          ).to.have.length(Object.values(to).reduce((sum, one) => sum + one, 0));
        else if (outcome.startsWith('Undone')) expect(layout, `GPU ${index}`).to.deep.equal(before[index]);
      }
      const again = outcomes(await apply(node, all(4, to)));
      expect(again.filter((outcome) => outcome !== 'Applied' && outcome !== 'Unchanged')).to.deep.equal([]);
    });
  }

  it('is undone on all of them where the layout is for all or none, and one refuses', async () => {
    const node = await prepare(all(4, { '3g.20gb': 2 }));
    giveEqualIds(node);
    const before = await Promise.all(node.gpus.map(({ index }) => node.layout(index)));
    node.faults = 'fail DeviceCreateGpuInstance rc=999 gpu=2 nth=2';
    const result = await apply(node, all(4, { '1g.5gb': 7 }), { allOrNothing: true });
    expect(outcomes(result)).to.deep.equal(['Undone', 'Undone', 'Undone DriverFailed', 'Undone']);
    expect(await Promise.all(node.gpus.map(({ index }) => node.layout(index)))).to.deep.equal(before);
  });

  it('that is ended by its deadline has each of its GPUs read, and what is there counts', async () => {
    const node = await prepare(all(3, {}));
    node.intercept = (args, run) => {
      if (!args.includes('-cgi')) return run();
      // It came as far as the second GPU.
      node.run(args.with(args.indexOf('-i') + 1, listNamed(args).slice(0, 2).join()));
      return { rc: 255, stdout: '', end: 'TimedOut' };
    };
    const result = await apply(node, all(3, { '1g.5gb': 7 }));
    expect(outcomes(result)).to.deep.equal(['Applied', 'Applied', 'Failed TimedOut']);
    expect(node.takeChanges()).to.have.length(1);
  });

  it('is refused to a GPU that came into use after the others, and done to these', async () => {
    const node = await prepare(all(3, { '3g.20gb': 2 }));
    giveEqualIds(node);
    const device = await node.openDriver().readDevice();
    await node.startProcess(1, 0);
    node.takeChanges();
    const result = await apply(node, all(3, { '7g.40gb': 1 }), { device, undo: true });
    expect(outcomes(result)).to.deep.equal(['Applied', 'Refused InUse', 'Applied']);
    expect(node.takeChanges().filter((change) => change.includes(node.busId(1)))).to.deep.equal([]);
  });

  it('that speaks of none of its GPUs is followed by one for each', async () => {
    const node = await prepare(all(3, {}));
    node.intercept = (args, run) =>
      isChange(args) && listNamed(args).length > 1 ? { rc: 2, stdout: 'Option "-i" is odd.\n', end: 'Exited' } : run();
    expect(outcomes(await apply(node, all(3, { '1g.5gb': 7 })))).to.deep.equal(all(3, 'Applied'));
    expect(node.takeChanges().map((change) => listNamed(change.split(' ')).length)).to.deep.equal([3, 1, 1, 1]);
  });

  it('has the kubelet and the API server asked once for all of its GPUs', async () => {
    const node = await prepare(all(8, { '3g.20gb': 2 }));
    giveEqualIds(node);
    const asked: string[] = [];
    let running = 0;
    const ask = async (whom: string): Promise<void> => {
      asked.push(whom);
      expect((running += 1)).to.equal(1);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
    const options: DeviceApplyOptions = {
      confirm: () => ask('server'),
      listHeld: async () => {
        await ask('kubelet');
        return new Set();
      },
    };
    expect(outcomes(await apply(node, all(8, { '7g.40gb': 1 }), options))).to.deep.equal(all(8, 'Applied'));
    expect(asked.filter((whom) => whom === 'kubelet')).to.have.length(2);
    // Before the look, and for each GPU before each of the two commands that destroy, one after the other.
    expect(asked.filter((whom) => whom === 'server')).to.have.length.of.at.most(17);
  });

  it('is asked for again, after another look, by GPUs that it did not come to', async () => {
    const node = await prepare(all(3, { '3g.20gb': 2 }));
    giveEqualIds(node);
    node.faults = 'fail ComputeInstanceDestroy rc=19 gpu=0';
    const device = await node.openDriver().readDevice();
    const begun: string[] = [];
    node.intercept = async (args, run) => {
      begun.push(args.join(' '));
      const execution = run();
      // While the command fails on GPU 0, somebody begins to use GPU 2.
      if (args.includes('-dci') && listNamed(args).length === 3) await node.startProcess(2, 0);
      return execution;
    };
    const result = await apply(node, all(3, { '7g.40gb': 1 }), { device });
    expect(outcomes(result)).to.deep.equal(['Failed InUse', 'Applied', 'Refused InUse']);
  });

  it('is not begun on any GPU once one of them has ended the work of the node', async () => {
    const node = await prepare(all(3, { '3g.20gb': 2 }));
    giveEqualIds(node);
    let left = 3;
    const explainStop = (): string | undefined => ((left -= 1) >= 0 ? undefined : 'the time is over');
    const result = await apply(node, all(3, { '7g.40gb': 1 }), { explainStop });
    expect(outcomes(result)).to.deep.equal(all(3, 'Failed Stopped'));
    expect(node.takeChanges()).to.have.length(1);
  });

  it('passes an error on that is a bug, and leaves no work behind', async () => {
    const node = await prepare(all(3, { '3g.20gb': 2 }));
    node.intercept = (args, run) => {
      if (args.includes('-dgi')) throw new Error('a bug');
      return run();
    };
    const error: unknown = await apply(node, all(3, { '7g.40gb': 1 })).catch((reason: unknown) => reason);
    expect(error).not.to.be.instanceOf(DeviceError);
    expect(String(error)).to.equal('Error: a bug');
    const count = node.commands.length;
    await new Promise((resolve) => setImmediate(resolve));
    expect(node.commands).to.have.length(count);
  });

  it('that is killed with the agent leaves a state from which the next run reaches the layout', async () => {
    for (const word of ['-dci', '-dgi', '-cgi', '-mig']) {
      for (const reached of [0, 1, 2, 3]) {
        const from: Want = word === '-mig' ? 'Disabled' : { '3g.20gb': 2 };
        const node = await prepare(all(3, from));
        if (word !== '-mig') giveEqualIds(node);
        node.intercept = (args, run) => {
          if (!args.includes(word)) return run();
          const names = listNamed(args).slice(0, reached);
          if (names.length > 0) node.run(args.with(args.indexOf('-i') + 1, names.join()));
          throw new Error('killed');
        };
        const crash: unknown = await apply(node, all(3, { '7g.40gb': 1 })).catch((error: unknown) => error);
        expect(String(crash)).to.equal('Error: killed');
        node.intercept = (_args, run) => run();
        const result = await apply(node, all(3, { '7g.40gb': 1 }));
        const outcome = outcomes(result).filter((one) => one !== 'Applied' && one !== 'Unchanged');
        expect(outcome, `${word} ${reached}`).to.deep.equal([]);
        for (const index of [0, 1, 2]) expect(await node.layout(index)).to.deep.equal(['7g.40gb@0']);
      }
    }
  });
});
