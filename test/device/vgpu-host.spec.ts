import { expect } from 'chai';
import { applyNode } from '../../src/device/apply.ts';
import { reportDevice } from '../../src/core/device/agent.ts';
import { planWish } from '../../src/core/device/plan.ts';
import { InProcessNode } from './simulated-node.ts';

const A100 = 'A100-SXM4-40GB';

describe('a GPU that serves virtual machines', () => {
  it('is left alone by name, since no process of theirs is listed, and its neighbour is changed', async () => {
    const node = new InProcessNode([A100, A100], 'gpu 0 mig 1 pending 1\ngpu 1 mig 1 pending 1\n');
    const targets = node.gpus.map(({ uuid }) => ({ uuid, want: { '3g.20gb': 2 } }));
    await applyNode(node.openDriver(), targets);
    node.faults = 'vgpu gpu=0';
    const driver = node.openDriver();
    const device = await driver.readDevice();
    const report = reportDevice(device);
    expect(report.gpus?.map(({ vgpuHost }) => vgpuHost)).to.deep.equal(['Host VGPU, SR-IOV', undefined]);
    const wishes = node.gpus.map(({ uuid }) => ({ uuid, profiles: { '1g.5gb': 7 } }));
    const plan = planWish(report, { gpus: wishes }).report;
    expect([plan.refusalCode, plan.refusal]).to.deep.equal([
      'Foreign',
      `GPU 0 (A100-SXM4-40GB) serves virtual machines (Host VGPU, SR-IOV) and is left alone: take it out of the layout, or out of vGPU mode`,
    ]);
    node.takeChanges();
    const { results } = await applyNode(
      driver,
      wishes.map(({ uuid, profiles: want }) => ({ uuid, want })),
    );
    expect(results.map(({ outcome, error }) => [outcome, error?.code])).to.deep.equal([
      ['Refused', 'VgpuHost'],
      ['Applied', undefined],
    ]);
    expect(node.takeChanges().some((change) => change.includes(node.busId(0)))).to.equal(false);
  });

  it('is left alone where it is a virtual machine’s own, whose slices its host has made, and adopted as it is', async () => {
    const node = new InProcessNode([A100], 'gpu 0 mig 1 pending 1\n');
    const uuid = node.uuid(0);
    await applyNode(node.openDriver(), [{ uuid, want: { '3g.20gb': 1 } }]);
    node.takeChanges();
    node.intercept = (_args, run) => {
      const execution = run();
      const guest = '<virtualization_mode>VGPU</virtualization_mode>';
      return {
        ...execution,
        stdout: execution.stdout.replaceAll(/<virtualization_mode>.*?<\/virtualization_mode>/g, guest),
      };
    };
    const report = reportDevice(await node.openDriver().readDevice());
    const planFor = (want: object) => planWish(report, { gpus: [{ uuid, ...want }] }).report;
    expect(planFor({ profiles: { '3g.20gb': 1 } }))
      .to.include({ keep: 1, gpusChanging: 0 })
      .and.to.not.have.property('refusal');
    for (const want of [{ profiles: { '1g.5gb': 7 } }, { mig: 'Disabled' }]) {
      const { refusalCode, refusal } = planFor(want);
      expect(refusalCode).to.equal('Foreign');
      expect(refusal).to.contain('is a virtual GPU (VGPU) and is left alone');
    }
    const { results } = await applyNode(node.openDriver(), [{ uuid, want: 'Disabled' }]);
    expect(results[0]?.error?.code).to.equal('VgpuHost');
    expect(node.takeChanges()).to.deep.equal([]);
  });

  it('may be one in a mode that no driver has had yet, and is left alone; a passed-through one is the node’s own', async () => {
    const node = new InProcessNode([A100], 'gpu 0 mig 1 pending 1\n');
    const uuid = node.uuid(0);
    const refusalIn = async (mode: string): Promise<string | undefined> => {
      node.intercept = (_args, run) => {
        const execution = run();
        const told = `<virtualization_mode>${mode}</virtualization_mode>`;
        return {
          ...execution,
          stdout: execution.stdout.replaceAll(/<virtualization_mode>.*?<\/virtualization_mode>/g, told),
        };
      };
      const report = reportDevice(await node.openDriver().readDevice());
      return planWish(report, { gpus: [{ uuid, profiles: { '1g.5gb': 7 } }] }).report.refusal;
    };
    expect(await refusalIn('Live Migration')).to.contain(
      'may serve virtual machines (Live Migration, a virtualization mode that this version does not know) and is left alone',
    );
    for (const own of ['None', 'Pass-Through', 'N/A', '[N/A]']) expect(await refusalIn(own), own).to.equal(undefined);
  });

  it('is left alone if it matches the layout', async () => {
    const node = new InProcessNode([A100], 'gpu 0 mig 1 pending 1\n');
    node.faults = 'vgpu';
    const { results } = await applyNode(node.openDriver(), [{ uuid: node.uuid(0), want: {} }]);
    expect(results[0]?.outcome).to.equal('Unchanged');
  });
});
