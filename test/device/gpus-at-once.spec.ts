import { expect } from 'chai';
import { applyNode, type DeviceApplyOptions, type NodeResult } from '../../src/device/apply.ts';
import { NvidiaSmi } from '../../src/device/nvidia-smi.ts';
import { brief, isChange, InProcessNode } from './simulated-node.ts';

const models = ['A100-SXM4-40GB', 'A100-SXM4-40GB', 'A100-SXM4-40GB', 'A100-SXM4-40GB'];
const want = { '1g.5gb': 4, '3g.20gb': 1 };

/** Four GPUs with two instances each, whose commands are seen to begin and end. */
class BusyNode {
  readonly node: InProcessNode;
  /** GPUs that a command was at work on, at the same time. */
  readonly seen: (readonly string[])[] = [];
  readonly #at = new Set<string>();

  private constructor(node: InProcessNode) {
    this.node = node;
    node.intercept = async (args, run) => {
      if (!isChange(args)) return run();
      const gpu = args[args.indexOf('-i') + 1] ?? '';
      expect(this.#at.has(gpu), `two commands on ${gpu}`).to.equal(false);
      this.#at.add(gpu);
      this.seen.push([...this.#at]);
      // Whatever else may begin begins meanwhile.
      for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
      this.#at.delete(gpu);
      return run();
    };
  }

  static async make(modes: readonly number[] = [1, 1, 1, 1]): Promise<BusyNode> {
    const node = new InProcessNode(
      models,
      modes.map((mode, gpu) => `gpu ${gpu} mig ${mode} pending ${mode}\n`).join(''),
    );
    const targets = modes.flatMap((mode, gpu) =>
      mode === 1 ? [{ uuid: node.uuid(gpu), want: { '3g.20gb': 2 } }] : [],
    );
    await applyNode(node.openDriver(), targets);
    node.takeChanges();
    return new BusyNode(node);
  }

  async apply(gpusAtOnce: number, options: DeviceApplyOptions = {}): Promise<NodeResult> {
    const driver = new NvidiaSmi(this.node.execute, { atOnce: gpusAtOnce });
    const targets = models.map((_, gpu) => ({ uuid: this.node.uuid(gpu), want }));
    return applyNode(driver, targets, { gpusAtOnce, ...options });
  }

  get most(): number {
    return Math.max(...this.seen.map(({ length }) => length));
  }
}

const outcomes = ({ results }: NodeResult): readonly string[] => results.map(brief);

describe('GPUs that change at the same time', () => {
  for (const gpusAtOnce of [1, 2, 4]) {
    it(`are at most ${gpusAtOnce} if the agent may change ${gpusAtOnce}, and end as one after another`, async () => {
      const busy = await BusyNode.make();
      expect(outcomes(await busy.apply(gpusAtOnce))).to.deep.equal(models.map(() => 'Applied'));
      expect(busy.most).to.equal(gpusAtOnce);
      const alone = await BusyNode.make();
      await alone.apply(1);
      expect(busy.node.state).to.equal(alone.node.state);
      for (const [gpu] of models.entries())
        expect(await busy.node.layout(gpu)).to.deep.equal(await alone.node.layout(gpu));
    });
  }

  it('wait while the MIG mode of one changes', async () => {
    const busy = await BusyNode.make([0, 1, 0, 1]);
    expect(outcomes(await busy.apply(4, { allowReset: true }))).to.deep.equal(models.map(() => 'Applied'));
    const [first, third] = [busy.node.busId(0), busy.node.busId(2)];
    const besideMode = busy.seen.filter((gpus) => gpus.length > 1 && (gpus.includes(first) || gpus.includes(third)));
    expect(besideMode).to.deep.equal([]);
    expect(busy.most).to.equal(2);
  });

  it('do not stop each other where one fails: it alone is undone', async () => {
    const busy = await BusyNode.make();
    const before = await busy.node.layout(0);
    busy.node.faults = 'fail DeviceCreateGpuInstance rc=999 gpu=0 nth=1';
    const result = await busy.apply(4, { undo: true });
    expect(outcomes(result)).to.deep.equal(['Undone DriverFailed', 'Applied', 'Applied', 'Applied']);
    expect(await busy.node.layout(0)).to.deep.equal(before);
  });

  it('all return where one fails and the layout is for all or none', async () => {
    const busy = await BusyNode.make();
    const before = await Promise.all(models.map((_, gpu) => busy.node.layout(gpu)));
    busy.node.faults = 'fail DeviceCreateGpuInstance rc=999 nth=7';
    const result = await busy.apply(4, { allOrNothing: true });
    expect(outcomes(result)).not.to.include('Applied');
    expect(result.results.some(({ error }) => error?.code === 'DriverFailed')).to.equal(true);
    busy.node.faults = '';
    expect(await Promise.all(models.map((_, gpu) => busy.node.layout(gpu)))).to.deep.equal(before);
  });

  it('spare what is in use on any of them', async () => {
    const busy = await BusyNode.make();
    const device = await busy.node.openDriver().readDevice();
    await busy.node.startProcess(2, 0);
    const result = await busy.apply(4, { device });
    expect(outcomes(result)).to.deep.equal(['Applied', 'Applied', 'Refused InUse', 'Applied']);
    expect(busy.node.takeChanges().filter((change) => change.includes(busy.node.busId(2)))).to.deep.equal([]);
  });

  it('begin no more once the driver does not answer, and leave no command behind', async () => {
    const busy = await BusyNode.make();
    const { intercept } = busy.node;
    let running = 0;
    let isSilent = false;
    busy.node.intercept = async (args, run) => {
      isSilent ||= args.includes('-dci');
      running += 1;
      const silent = { rc: 255, stdout: '', end: 'TimedOut' } as const;
      const execution = await intercept(args, isSilent ? () => silent : run);
      running -= 1;
      return execution;
    };
    const result = await busy.apply(2);
    expect(running).to.equal(0);
    expect(outcomes(result)).to.deep.equal([
      'Failed TimedOut',
      'Failed TimedOut',
      'Skipped TimedOut',
      'Skipped TimedOut',
    ]);
    expect(busy.node.takeChanges().filter((change) => change.includes('-dci'))).to.have.length.of.at.most(2);
  });
});
