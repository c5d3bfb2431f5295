import { expect } from 'chai';
import { applyNode, type DeviceApplyOptions, type GpuResult } from '../../src/device/apply.ts';
import type { Step } from '../../src/core/gpu/plan.ts';
import type { GpuTarget } from '../../src/core/smi/change.ts';
import { DeviceError } from '../../src/core/gpu/device-state.ts';
import { brief, InProcessNode } from './simulated-node.ts';

const mig = (index: number): string => `gpu ${index} mig 1 pending 1\n`;

async function apply(
  node: InProcessNode,
  wants: readonly (GpuTarget['want'] | undefined)[],
  options: DeviceApplyOptions = {},
): Promise<readonly GpuResult[]> {
  const targets = wants.flatMap((want, index) => (want === undefined ? [] : [{ uuid: node.uuid(index), want }]));
  return (await applyNode(node.openDriver(), targets, options)).results;
}

const outcomes = (results: readonly GpuResult[]): readonly string[] => results.map(brief);

describe('applying layouts to a node', () => {
  it('makes a layout on an empty GPU in one operation, placed where the plan says', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], mig(0));
    const results = await apply(node, [{ '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 }]);
    expect(results).to.deep.equal([
      { uuid: node.uuid(0), outcome: 'Applied', operations: 1, error: undefined, undoError: undefined },
    ]);
    expect(await node.layout(0)).to.have.length(4);
    const changes = node.takeChanges();
    expect(changes).to.have.length(1);
    expect(changes[0]).to.match(/^mig -i 00000000:07:00\.0 -cgi \d+:\d(?:,\d+:\d){3} -C$/);
  });

  it('changes nothing the second time, and reads no more than it must', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB', 'A30'], mig(0) + mig(1));
    const driver = node.openDriver();
    const targets = [
      { uuid: node.uuid(0), want: { '1g.5gb': 7 } },
      { uuid: node.uuid(1), want: { '2g.12gb': 2 } },
    ];
    expect(outcomes((await applyNode(driver, targets)).results)).to.deep.equal(['Applied', 'Applied']);
    await driver.readDevice();
    node.commands.length = 0;
    expect(outcomes((await applyNode(driver, targets)).results)).to.deep.equal(['Unchanged', 'Unchanged']);
    expect(node.commands).to.deep.equal([['-q', '-x'], ['mig', '-lgi'], ['-L']]);
  });

  it('grows and shrinks around what stays', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], mig(0));
    await apply(node, [{ '1g.5gb': 2, '3g.20gb': 1 }]);
    const before = await node.layout(0);
    node.takeChanges();
    await apply(node, [{ '1g.5gb': 3, '3g.20gb': 1 }]);
    expect(node.takeChanges()).to.have.length(1);
    expect(await node.layout(0)).to.include.members(before.slice());
    node.takeChanges();
    await apply(node, [{ '3g.20gb': 1 }]);
    const changes = node.takeChanges();
    const destroys = changes.filter((change) => change.includes('-dgi'));
    expect(destroys).to.have.length(1);
    expect(destroys[0]).to.match(/ -gi \d+,\d+,\d+$/);
    expect(changes.some((change) => change.includes('-cgi'))).to.equal(false);
  });

  it('re-shapes a GPU around a busy instance', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], mig(0));
    await apply(node, [{ '1g.5gb': 7 }]);
    await node.startProcess(0, 5);
    expect(outcomes(await apply(node, [{ '1g.5gb': 1, '3g.20gb': 1 }]))).to.deep.equal(['Applied']);
    expect(await node.layout(0)).to.deep.equal(['3g.20gb@0', '1g.5gb@5']);
    expect(node.state).to.include('python3 train.py');
  });

  it('refuses a layout that needs the place of a busy instance, names the holder, and touches nothing', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], mig(0));
    await apply(node, [{ '1g.5gb': 7 }]);
    await node.startProcess(0, 5);
    const { state } = node;
    const [result] = await apply(node, [{ '7g.40gb': 1 }]);
    expect(result?.outcome).to.equal('Refused');
    expect(result?.error?.code).to.equal('InUse');
    expect(result?.error?.holders).to.deep.equal(['pid 4200 (python3 train.py) on 1g.5gb at 5']);
    expect(node.state).to.equal(state);
  });

  it('looks again right before each destroy: who came after the plan is safe', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], mig(0));
    await apply(node, [{ '2g.10gb': 3 }]);
    const before = await node.layout(0);
    const confirm = async (): Promise<void> => {
      if (!node.state.includes('proc')) await node.startProcess(0, 0);
    };
    node.takeChanges();
    const [result] = await apply(node, [{}], { confirm });
    expect([result?.outcome, result?.error?.code]).to.deep.equal(['Refused', 'InUse']);
    expect(await node.layout(0)).to.deep.equal(before);
  });

  it('destroys nothing that a pod holds without a process', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], mig(0));
    await apply(node, [{ '3g.20gb': 2 }]);
    const { gpus } = await node.openDriver().readDevice();
    const uuid = gpus[0]?.instances[1]?.computeInstances[0]?.uuid ?? '';
    const listHeld = async () => new Set([uuid]);
    expect(outcomes(await apply(node, [{}], { listHeld }))).to.deep.equal(['Refused InUse']);
    expect(outcomes(await apply(node, [{ '3g.20gb': 1 }], { listHeld }))).to.deep.equal(['Applied']);
    expect(await node.layout(0)).to.deep.equal(['3g.20gb@4']);
  });

  it('splits an instance into compute instances, and joins them again, without touching the GPU instance', async () => {
    const node = new InProcessNode(['H100-80GB-HBM3'], mig(0));
    await apply(node, [{ '1c.3g.40gb': 2, '2g.20gb': 1 }]);
    const layout = await node.layout(0);
    expect(layout).to.include('2g.20gb@0');
    expect(layout[1]).to.match(/^3g\.40gb@4\[1c\.3g\.40gb,1c\.3g\.40gb\]$/);
    node.takeChanges();
    await apply(node, [{ '3g.40gb': 1, '2g.20gb': 1 }]);
    expect(await node.layout(0)).to.deep.equal(['2g.20gb@0', '3g.40gb@4']);
    expect(node.takeChanges().some((change) => /-[cd]gi/.test(change))).to.equal(false);
  });

  it('gives a GPU instance that has none its compute instance', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], `${mig(0)}gi 0 13 profile 19 place 6:1\n`);
    expect(outcomes(await apply(node, [{ '1g.5gb': 1 }]))).to.deep.equal(['Applied']);
    expect(node.takeChanges()).to.deep.equal(['mig -i 00000000:07:00.0 -cci -gi 13']);
    expect(await node.layout(0)).to.deep.equal(['1g.5gb@6']);
  });

  it('touches only GPUs that have a target and differ from it', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB', 'A100-SXM4-40GB', 'A100-SXM4-40GB'], mig(0) + mig(1) + mig(2));
    await apply(node, [{ '7g.40gb': 1 }]);
    node.takeChanges();
    expect(outcomes(await apply(node, [{ '7g.40gb': 1 }, undefined, { '7g.40gb': 1 }]))).to.deep.equal([
      'Unchanged',
      'Applied',
    ]);
    for (const change of node.takeChanges()) expect(change).to.include('-i 00000000:47:00.0');
  });

  it('leaves a lost GPU and finishes the seven others', async () => {
    const node = new InProcessNode(
      Array<string>(8).fill('A100-SXM4-40GB'),
      Array.from({ length: 8 }, (_, i) => mig(i)).join(''),
    );
    const driver = node.openDriver();
    await driver.readDevice();
    node.faults = 'lost gpu=3';
    const targets = node.gpus.map(({ uuid }) => ({ uuid, want: { '3g.20gb': 2 } }));
    const { results } = await applyNode(driver, targets);
    expect(outcomes(results).filter((outcome) => outcome === 'Applied')).to.have.length(7);
    expect(outcomes(results)[3]).to.equal('Refused GpuLost');
    node.faults = '';
    expect(await node.layout(7)).to.deep.equal(['3g.20gb@0', '3g.20gb@4']);
  });

  it('finishes the others when a GPU falls off the bus in the middle', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB', 'A100-SXM4-40GB'], mig(0) + mig(1));
    let creations = 0;
    node.intercept = (args, run) => {
      if (args.includes('-cgi') && (creations += 1) === 2) node.faults = 'lost gpu=0';
      return run();
    };
    const results = await apply(node, [{ '1g.5gb': 3 }, { '3g.20gb': 2 }], { undo: true });
    expect(outcomes(results)).to.deep.equal(['Failed GpuLost', 'Applied']);
    expect(results[0]?.undoError?.code).to.equal('GpuLost');
  });

  it('says of a GPU that is not there that it is missing', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB']);
    const {
      results: [result],
    } = await applyNode(node.openDriver(), [{ uuid: 'GPU-0', want: {} }]);
    expect([result?.outcome, result?.error?.code, result?.operations]).to.deep.equal(['Refused', 'GpuMissing', 0]);
  });

  it('refuses what the live table does not have before it destroys anything', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], mig(0));
    await apply(node, [{ '1g.5gb': 7 }]);
    const { state } = node;
    const wants = [{ '1g.99gb': 7 }, { '1g.5gb': 3, '2g.99gb': 1 }, { '7g.40gb': 2 }];
    const codes = ['UnknownProfile', 'UnknownProfile', 'DoesNotFit'];
    for (const [at, want] of wants.entries()) {
      expect(outcomes(await apply(node, [want]))).to.deep.equal([`Refused ${codes[at]}`]);
    }
    expect(node.state).to.equal(state);
  });

  it('destroys no instance that it may not, though idle', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], mig(0));
    await apply(node, [{ '2g.10gb': 3 }]);
    const steps: readonly Step[] = [
      { action: 'DestroyInstance', profile: '2g.10gb', start: 2, computeInstances: ['2g.10gb'] },
    ];
    const target = { uuid: node.uuid(0), steps };
    const go = async (want: GpuTarget['want']) =>
      outcomes((await applyNode(node.openDriver(), [{ ...target, want }])).results);
    expect(await go({ '7g.40gb': 1 })).to.deep.equal(['Refused ForeignInstance']);
    expect(await go('Disabled')).to.deep.equal(['Refused ForeignInstance']);
    expect(await go({ '2g.10gb': 2 })).to.deep.equal(['Applied']);
    expect(await node.layout(0)).to.deep.equal(['2g.10gb@0', '2g.10gb@4']);
  });

  it('plans afresh when a foreign instance has taken the place, and never destroys that', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], mig(0));
    node.intercept = (args, run) => {
      if (args.includes('-cgi') && !node.state.includes('gi 0')) node.run(['mig', '-i', '0', '-cgi', '14:4', '-C']);
      return run();
    };
    expect(outcomes(await apply(node, [{ '3g.20gb': 1 }]))).to.deep.equal(['Failed ForeignInstance']);
    expect(await node.layout(0)).to.deep.equal(['2g.10gb@4']);
    node.intercept = (_args, run) => run();
    expect(outcomes(await apply(node, [{ '2g.10gb': 1, '3g.20gb': 1 }]))).to.deep.equal(['Applied']);
  });

  it('stops before an instance whose id somebody else has taken since the plan', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], mig(0));
    await apply(node, [{ '1g.5gb': 1 }]);
    const [place = ''] = await node.layout(0);
    const start = place.split('@')[1] ?? '';
    const id = /gi 0 (\d+)/.exec(node.state)?.[1] ?? '';
    let isTaken = false;
    const confirm = async (): Promise<void> => {
      if (isTaken) return;
      isTaken = true;
      node.run(['mig', '-i', '0', '-dci', '-gi', id]);
      node.run(['mig', '-i', '0', '-dgi', '-gi', id]);
      node.run(['mig', '-i', '0', '-cgi', `20:${start}`]);
    };
    const [result] = await apply(node, [{}], { confirm });
    expect([result?.outcome, result?.error?.code]).to.deep.equal(['Refused', 'ForeignInstance']);
    expect(await node.layout(0)).to.deep.equal([`1g.5gb+me@${start}[]`]);
  });

  it('starts nothing after the deadline, and undoes nothing either', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], mig(0));
    await apply(node, [{ '1g.5gb': 7 }]);
    let left = 2;
    const explainStop = (): string | undefined => ((left -= 1) >= 0 ? undefined : 'the time is over');
    const [result] = await apply(node, [{ '3g.20gb': 2 }], { explainStop, undo: true });
    expect(result).to.deep.include({ outcome: 'Failed', operations: 2 });
    expect([result?.error?.code, result?.undoError?.code]).to.deep.equal(['Stopped', 'Stopped']);
    expect(await node.layout(0)).to.deep.equal([]);
  });

  it('finishes the GPUs at hand when it is asked to stop, and begins no other', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB', 'A100-SXM4-40GB'], mig(0) + mig(1));
    node.driver = '555';
    const controller = new AbortController();
    const results = await apply(node, [{ '1g.5gb': 2 }, { '1g.5gb': 2 }], {
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    expect(outcomes(results)).to.deep.equal(['Applied', 'Skipped Stopped']);

    const together = new InProcessNode(['A100-SXM4-40GB', 'A100-SXM4-40GB'], mig(0) + mig(1));
    const other = new AbortController();
    const options = { signal: other.signal, onProgress: () => other.abort() };
    expect(outcomes(await apply(together, [{ '1g.5gb': 2 }, { '1g.5gb': 2 }], options))).to.deep.equal([
      'Applied',
      'Applied',
    ]);
  });

  it('asks before each look at who uses what goes and before each command that destroys, and stops where it is told to', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], mig(0));
    await apply(node, [{ '2g.10gb': 2 }]);
    const asked: number[] = [];
    node.takeChanges();
    const [result] = await apply(node, [{ '1g.5gb': 1 }], {
      confirm: async () => {
        asked.push(node.takeChanges().length);
        if (asked.length === 3) throw new DeviceError('Stopped', { tried: 'to confirm', found: 'no answer' });
      },
    });
    expect(asked).to.deep.equal([0, 0, 1]);
    expect(result?.error?.code).to.equal('Stopped');
    expect(node.takeChanges()).to.deep.equal([]);
  });

  it('tells what it did as it goes', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], mig(0));
    const told: string[] = [];
    await apply(node, [{ '7g.40gb': 1 }], { onProgress: ({ done, operations }) => told.push(`${operations} ${done}`) });
    expect(told).to.deep.equal(['1 nvidia-smi mig -i 00000000:07:00.0 -cgi 0:0 -C']);
  });
});
