import { expect } from 'chai';
import type { GpuWish } from '../../src/api/types.ts';
import type { Layout } from '../../src/core/gpu/geometry.ts';
import { planWish } from '../../src/core/device/plan.ts';
import { applyNode, type DeviceApplyOptions, type GpuResult } from '../../src/device/apply.ts';
import { reportDevice } from '../../src/core/device/agent.ts';
import { InProcessNode } from './simulated-node.ts';

/** One GPU with two slices that asks for a reset until it has had one. */
async function aSickGpu(
  sign = 'remap',
  gpu = 'A100-SXM4-40GB',
  want: Layout = { '3g.20gb': 2 },
): Promise<InProcessNode> {
  const node = new InProcessNode([gpu], 'gpu 0 mig 1 pending 1\n');
  await node.change(want);
  node.takeChanges();
  node.faults = `sick ${sign}`;
  node.intercept = (args, run) => {
    const done = run();
    if (args.includes('--gpu-reset') && done.rc === 0) node.faults = '';
    return done;
  };
  return node;
}

/** Plans a wish and does the plan, as an agent does. */
async function change(
  node: InProcessNode,
  wish: Omit<GpuWish, 'uuid'>,
  options: DeviceApplyOptions = { allowReset: true, undo: true },
): Promise<{ readonly plan: ReturnType<typeof planWish>; readonly result: GpuResult | undefined }> {
  const driver = node.openDriver();
  const gpus = [{ uuid: node.uuid(0), ...wish }];
  const allowGpuReset = options.allowReset === true;
  const plan = planWish(reportDevice(await driver.readDevice()), { gpus, allowGpuReset });
  const targets = plan.work.map(({ uuid, steps, resets = false }) => ({
    uuid,
    want: wish.profiles ?? {},
    steps,
    resets,
  }));
  return { plan, result: (await applyNode(driver, targets, options)).results[0] };
}

describe('a GPU that asks for a reset', () => {
  it('gets it with the next change of its layout, empty, and keeps nothing', async () => {
    const node = await aSickGpu();
    const { plan, result } = await change(node, { profiles: { '3g.20gb': 1, '1g.5gb': 1 } });
    expect(plan.report).to.include({ destroy: 2, create: 2, keep: 0, modeChanges: 1 });
    expect(result?.outcome).to.equal('Applied');
    const verbs = node.takeChanges().map((line) => /-dci|-dgi|-pm \d|--gpu-reset|-cgi|-mig/.exec(line)?.[0]);
    expect(verbs).to.deep.equal(['-dci', '-dgi', '-pm 0', '--gpu-reset', '-pm 1', '-cgi']);
  });

  it('has its MIG mode on again where the reset took it', async () => {
    const node = await aSickGpu('recoveryreset', 'H100-80GB-HBM3', { '3g.40gb': 2 });
    const { intercept } = node;
    node.intercept = (args, run) => {
      const done = intercept(args, run);
      if (args.includes('--gpu-reset')) node.state = node.state.replace('mig 1 pending 1', 'mig 0 pending 0');
      return done;
    };
    const { result } = await change(node, { profiles: { '7g.80gb': 1 } });
    expect(result?.outcome).to.equal('Applied');
    expect(node.takeChanges().some((line) => line.endsWith('-mig 1'))).to.equal(true);
  });

  it('is left as it is where no reset is allowed, where one does not help, and where its layout stays', async () => {
    const forbidden = await change(await aSickGpu(), { profiles: { '7g.40gb': 1 } }, { undo: true });
    expect([forbidden.plan.report.refusalCode, forbidden.plan.work]).to.deep.equal(['Unhealthy', []]);
    const worn = await change(await aSickGpu('remapfailure'), { profiles: { '7g.40gb': 1 } });
    expect(worn.plan.report.refusalCode).to.equal('Unhealthy');
    const same = await change(await aSickGpu(), { profiles: { '3g.20gb': 2 } });
    expect(same.plan.work).to.deep.equal([]);
  });

  it('is not reset while somebody uses what is on it, and the pods of all of it go first', async () => {
    const node = await aSickGpu();
    await node.startProcess(0, 0);
    const { plan } = await change(node, { profiles: { '3g.20gb': 1, '1g.5gb': 1 } });
    expect(plan.report.refusalCode).to.equal('InUse');
    const report = reportDevice(await (await aSickGpu()).openDriver().readDevice());
    const gpus = report.gpus?.map((gpu) => ({
      ...gpu,
      instances: gpu.instances.map((one, at) => ({ ...one, busy: true, pods: [`team/${at}`] })),
    }));
    const wish = { gpus: [{ uuid: node.uuid(0), profiles: { '3g.20gb': 1, '1g.5gb': 1 } }] };
    expect(planWish({ ...report, ...(gpus && { gpus }) }, wish).report.affectedPods).to.deep.equal([
      'team/0',
      'team/1',
    ]);
  });

  it('is not reset while a process has it, MIG mode off or not', async () => {
    const node = await aSickGpu();
    node.state = 'gpu 0 mig 0 pending 0\n';
    await node.startProcess(0);
    expect((await change(node, { profiles: { '7g.40gb': 1 } })).plan.report.refusalCode).to.equal('InUse');
  });

  it('is brought back to what it was where the reset is refused or changes nothing', async () => {
    for (const [fault, code] of [
      ['fail GpuReset rc=19', 'Pending'],
      ['sick remap', 'Unhealthy'],
    ] as const) {
      const node = await aSickGpu();
      const before = await node.layout(0);
      node.intercept = (args, run) => {
        const done = run();
        if (args.includes('--gpu-reset')) node.faults = fault;
        return done;
      };
      if (code === 'Pending') node.faults = `sick remap\n${fault}`;
      const { result } = await change(node, { profiles: { '7g.40gb': 1 } });
      expect([result?.outcome, result?.error?.code]).to.deep.equal(['Undone', code]);
      expect(await node.layout(0)).to.deep.equal(before);
    }
  });
});
