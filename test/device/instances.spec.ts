import { expect } from 'chai';
import { applyNode, type DeviceApplyOptions } from '../../src/device/apply.ts';
import type { GpuTarget } from '../../src/core/smi/change.ts';
import { brief, InProcessNode } from './simulated-node.ts';

async function apply(node: InProcessNode, want: GpuTarget['want'], options: DeviceApplyOptions = {}): Promise<string> {
  return brief(await node.change(want, options));
}

async function modeOf(node: InProcessNode): Promise<string> {
  node.faults = '';
  const [gpu] = (await node.openDriver().readDevice()).gpus;
  return `${gpu?.mig?.current} ${gpu?.mig?.pending}`;
}

/** With persistence mode off, which would hold the GPU. */
const unheldReset = ['-i 00000000:07:00.0 -pm 0', '--gpu-reset -i 00000000:07:00.0', '-i 00000000:07:00.0 -pm 1'];
const needsReset = 'migpending rc=16';
const inUse = 'migpending rc=19';
/** A GPU that is passed through to a virtual machine. */
const inVm = 'migpending rc=16\nfail GpuReset rc=3';

describe('MIG mode', () => {
  it('is switched on before the layout is made, and off after the instances are gone', async () => {
    const node = new InProcessNode(['H100-80GB-HBM3']);
    expect(await apply(node, { '3g.40gb': 1 })).to.equal('Applied');
    expect(node.takeChanges()[0]).to.equal('-i 00000000:07:00.0 -mig 1');
    expect(await apply(node, 'Disabled')).to.equal('Applied');
    expect(node.takeChanges().at(-1)).to.equal('-i 00000000:07:00.0 -mig 0');
    expect(await modeOf(node)).to.equal('Disabled Disabled');
    node.takeChanges();
    expect(await apply(node, 'Disabled')).to.equal('Unchanged');
    expect(node.takeChanges()).to.deep.equal([]);
  });

  it('that was left pending is finished by the reset alone, and set again only where that does not help', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], 'gpu 0 mig 0 pending 1\n');
    expect(await apply(node, {}, { allowReset: true })).to.equal('Applied');
    expect(node.takeChanges()).to.deep.equal(unheldReset);

    const stubborn = new InProcessNode(['A100-SXM4-40GB'], 'gpu 0 mig 0 pending 1\n');
    stubborn.faults = 'skip GpuReset';
    expect(await apply(stubborn, {}, { allowReset: true })).to.equal('Applied');
    expect(stubborn.takeChanges().at(-1)).to.equal('-i 00000000:07:00.0 -mig 1');
  });

  it('that stays pending is finished by a reset of that GPU alone, where that is allowed', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB', 'A100-SXM4-40GB']);
    node.faults = needsReset;
    expect(await apply(node, { '7g.40gb': 1 }, { allowReset: true })).to.equal('Applied');
    expect(node.takeChanges().slice(0, 4)).to.deep.equal(['-i 00000000:07:00.0 -mig 1', ...unheldReset]);
  });

  it('that stays pending asks for the reset where it is not allowed, and another wish takes it back', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB']);
    node.faults = needsReset;
    expect(await apply(node, { '7g.40gb': 1 })).to.equal('Failed ResetRequired');
    expect(node.takeChanges().some((change) => change.includes('reset'))).to.equal(false);
    expect(await modeOf(node)).to.equal('Disabled Enabled');
    expect(await apply(node, 'Disabled')).to.equal('Applied');
    expect(await modeOf(node)).to.equal('Disabled Disabled');
  });

  it('that waits for a boot is left pending by undo, and in effect after the boot', async () => {
    for (const options of [{ undo: true }, { undo: true, allowReset: true }, { allOrNothing: true }]) {
      const node = new InProcessNode(['A100-SXM4-40GB']);
      node.faults = inVm;
      expect(await apply(node, { '7g.40gb': 1 }, options)).to.match(/^Failed Re(?:boot|set)Required$/);
      expect(await modeOf(node)).to.equal('Disabled Enabled');
      node.reboot();
      node.faults = inVm;
      expect(await apply(node, { '7g.40gb': 1 }, options)).to.equal('Applied');
    }
  });

  it('off that waits for a boot does not bring back what the boot would take', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], 'gpu 0 mig 1 pending 1\n');
    await apply(node, { '1g.5gb': 7 });
    node.faults = inVm;
    node.takeChanges();
    expect(await apply(node, 'Disabled', { undo: true, allowReset: true })).to.equal('Failed RebootRequired');
    expect(node.takeChanges().filter((change) => change.includes('-cgi'))).to.deep.equal([]);
    expect(await modeOf(node)).to.equal('Enabled Disabled');
    node.reboot();
    expect(await apply(node, 'Disabled', { undo: true })).to.equal('Unchanged');
  });

  it('of all GPUs is set before the one boot that they need, and taken back where one of them fails otherwise', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB', 'A100-SXM4-40GB']);
    const targets = [0, 1].map((index) => ({ uuid: node.uuid(index), want: { '7g.40gb': 1 } }));
    const options = { undo: true, allOrNothing: true, allowReset: true };
    node.faults = inVm;
    const first = await applyNode(node.openDriver(), targets, options);
    expect(first.results.map(brief)).to.deep.equal(['Failed RebootRequired', 'Failed RebootRequired']);
    expect(node.state).to.contain('gpu 0 mig 0 pending 1').and.to.contain('gpu 1 mig 0 pending 1');
    node.reboot();
    expect((await applyNode(node.openDriver(), targets, options)).results.map(brief)).to.deep.equal([
      'Applied',
      'Applied',
    ]);

    const broken = new InProcessNode(['A100-SXM4-40GB', 'A100-SXM4-40GB']);
    const its = [0, 1].map((index) => ({ uuid: broken.uuid(index), want: { '7g.40gb': 1 } }));
    broken.faults = `${inVm.replace('migpending', 'migpending gpu=0')}\nfail DeviceSetMigMode gpu=1 rc=999`;
    const second = await applyNode(broken.openDriver(), its, options);
    expect(second.results.map(brief)).to.deep.equal(['Undone', 'Undone DriverFailed']);
    expect(broken.state).to.not.contain('pending 1');
  });

  it('that somebody left pending is not taken back by the undo of what failed', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], 'gpu 0 mig 0 pending 1\n');
    node.faults = `${inUse}\nfail GpuReset rc=19`;
    expect(await apply(node, {}, { undo: true, allowReset: true })).to.match(/ Pending$/);
    expect(await modeOf(node)).to.equal('Disabled Enabled');
  });

  it('that is pending since a client holds the GPU says Pending, with a reset and without', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB']);
    node.faults = inUse;
    expect(await apply(node, {})).to.equal('Failed Pending');
    node.faults = `${inUse}\nfail GpuReset rc=19`;
    expect(await apply(node, {}, { allowReset: true })).to.equal('Failed Pending');
  });

  it('that survives a reset needs a reboot', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB']);
    for (const reset of ['skip GpuReset', 'fail GpuReset rc=3', 'fail GpuReset rc=16']) {
      node.faults = `${needsReset}\n${reset}`;
      expect(await apply(node, {}, { allowReset: true }), reset).to.equal('Failed RebootRequired');
    }
  });

  it('is left alone while a process uses the whole GPU', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB']);
    await node.startProcess(0);
    expect(await apply(node, {})).to.equal('Refused InUse');
    expect(node.takeChanges()).to.deep.equal([]);
  });

  it('is left alone while a pod holds the whole GPU without a process', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB']);
    const listHeld = async () => new Set([node.uuid(0)]);
    expect(await apply(node, {}, { listHeld })).to.equal('Refused InUse');
    expect(node.takeChanges()).to.deep.equal([]);
  });

  it('off touches no instance while one of them is busy', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], 'gpu 0 mig 1 pending 1\n');
    await apply(node, { '2g.10gb': 3 });
    await node.startProcess(0, 4);
    const before = node.state;
    expect(await apply(node, 'Disabled')).to.equal('Refused InUse');
    expect(node.state).to.equal(before);
  });

  it('pending for off is taken back when the layout stays', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], 'gpu 0 mig 1 pending 1\n');
    await apply(node, { '3g.20gb': 1 });
    node.state = node.state.replace('pending 1', 'pending 0');
    await node.startProcess(0, Number((await node.layout(0))[0]?.split('@')[1]));
    node.takeChanges();
    expect(await apply(node, { '3g.20gb': 1 })).to.equal('Applied');
    expect(node.takeChanges()).to.deep.equal(['-i 00000000:07:00.0 -mig 1']);
    expect(await modeOf(node)).to.equal('Enabled Enabled');
  });

  it('is not for a GPU without MIG: off is what it is, a layout is not supported', async () => {
    const node = new InProcessNode(['T4']);
    expect(await apply(node, 'Disabled')).to.equal('Unchanged');
    expect(await apply(node, { '1g.5gb': 1 })).to.equal('Refused NotSupported');
  });

  it('does not start on a GPU for which the driver asks a reset', async () => {
    const node = new InProcessNode(['A100-SXM4-40GB'], 'gpu 0 mig 1 pending 1\n');
    node.intercept = (_args, run) => {
      const execution = run();
      const stdout = execution.stdout.replace('<reset_required>No', '<reset_required>Yes');
      return { ...execution, stdout };
    };
    expect(await apply(node, { '1g.5gb': 1 })).to.equal('Refused ResetRequired');
    expect(await apply(node, {})).to.equal('Unchanged');
  });
});
