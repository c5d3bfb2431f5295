import { expect } from 'chai';
import { applyNode } from '../../src/device/apply.ts';
import { reportDevice } from '../../src/core/device/agent.ts';
import { planWish } from '../../src/core/device/plan.ts';
import { InProcessNode } from './simulated-node.ts';

const A100 = 'A100-SXM4-40GB';
const on = (gpus: number): string => Array.from({ length: gpus }, (_, gpu) => `gpu ${gpu} mig 1 pending 1\n`).join('');

describe('the health of a GPU', () => {
  const signs: Readonly<Record<string, readonly [string, string]>> = {
    reset: ['Reset', 'the driver asks for a reset'],
    remap: ['Reset', 'row remapping is pending'],
    remapfailure: ['Replace', 'row remapping has failed'],
    ecc: ['Reset', 'ECC mode Disabled is pending'],
    recoveryreset: ['Reset', 'the driver’s recovery action is "Drain and Reset"'],
    recoveryreboot: ['Reboot', 'the driver’s recovery action is "Reboot"'],
    recoverydrain: ['Drain', 'the driver’s recovery action is "Drain P2P"'],
    recoverybus: ['Reboot', 'the driver’s recovery action is "Bus Reset"'],
    recoverysystem: ['Reboot', 'the driver’s recovery action is "System Reboot"'],
    recoveryother: ['Unknown', 'the driver’s recovery action is "Quiesce"'],
  };
  for (const [sign, [action, message]] of Object.entries(signs)) {
    it(`is read from the report: ${message}`, async () => {
      const node = new InProcessNode([A100, A100], on(2));
      node.faults = `sick ${sign} gpu=1`;
      const device = await node.openDriver().readDevice();
      expect(device.gpus.map(({ health, fault }) => health ?? fault)).to.deep.equal([undefined, { action, message }]);
      expect(reportDevice(device).gpus?.[1]?.health).to.deep.equal({ action, message });
    });
  }

  it('is told by the strongest of several signs, with all of them', async () => {
    const node = new InProcessNode([A100], on(1));
    node.faults = 'sick remap\nsick recoveryreboot';
    const [gpu] = (await node.openDriver().readDevice()).gpus;
    expect(gpu?.health).to.deep.equal({
      action: 'Reboot',
      message: 'the driver’s recovery action is "Reboot", row remapping is pending',
    });
  });

  it('keeps a GPU that is not well from being repartitioned, and no other', async () => {
    const node = new InProcessNode([A100, A100, A100], on(3));
    node.faults = 'sick recoveryreset gpu=0\nsick remapfailure gpu=1';
    const driver = node.openDriver();
    const gpus = node.gpus.map(({ uuid }) => ({ uuid, profiles: { '3g.20gb': 2 } }));
    const { work, report } = planWish(reportDevice(await driver.readDevice()), { gpus, allowGpuReset: false });
    expect(work.map(({ uuid }) => uuid)).to.deep.equal([node.uuid(2)]);
    expect(report.refusal).to.equal(undefined);
    const targets = node.gpus.map(({ uuid }) => ({ uuid, want: { '3g.20gb': 2 } }));
    const { results } = await applyNode(driver, targets);
    expect(results.map(({ outcome, error }) => [outcome, error?.code])).to.deep.equal([
      ['Refused', 'ResetRequired'],
      ['Refused', 'Unhealthy'],
      ['Applied', undefined],
    ]);
    const again = planWish(reportDevice(await driver.readDevice()), { gpus, allowGpuReset: false }).report;
    expect([again.refusalCode, again.refusal]).to.deep.equal([
      'Unhealthy',
      `GPU 0 (${node.busId(0)}) is not repartitioned: the driver’s recovery action is "Drain and Reset"`,
    ]);
  });

  it('does not disturb a GPU that matches its layout', async () => {
    const node = new InProcessNode([A100], on(1));
    const target = { uuid: node.uuid(0), want: { '3g.20gb': 2 } };
    await applyNode(node.openDriver(), [target]);
    node.faults = 'sick reset';
    const { results } = await applyNode(node.openDriver(), [target]);
    expect(results[0]?.outcome).to.equal('Unchanged');
  });
});
