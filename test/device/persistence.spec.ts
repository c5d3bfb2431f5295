import { expect } from 'chai';
import { applyNode } from '../../src/device/apply/apply.ts';
import type { GpuResult } from '../../src/device/apply/apply-options.ts';
import { InProcessNode } from './simulated-node.ts';

/** A GPU whose reset is refused while persistence mode is on, or always. */
function aHeldGpu(isHeldBy: 'Persistence' | 'Service'): InProcessNode {
  const node = new InProcessNode(['A30']);
  node.faults = 'migpending rc=16';
  let isOn = true;
  node.intercept = (args, run) => {
    const at = args.indexOf('-pm');
    if (at !== -1) {
      isOn = args[at + 1] === '1';
      return { rc: 0, stdout: 'All done.\n', end: 'Exited' };
    }
    if (!args.includes('--gpu-reset') || (!isOn && isHeldBy === 'Persistence')) return run();
    const stdout = `The following GPUs could not be reset:\n  GPU ${node.busId(0)}: In use by another client\n\n1 device is currently being used\n`;
    return { rc: 255, stdout, end: 'Exited' };
  };
  return node;
}

async function slice(node: InProcessNode): Promise<GpuResult | undefined> {
  const target = { uuid: node.uuid(0), want: { '2g.12gb': 2 } };
  return (await applyNode(node.openDriver(), [target], { allowReset: true })).results[0];
}

describe('a reset that persistence mode holds up', () => {
  it('is done with it off, and it is on again after that', async () => {
    const node = aHeldGpu('Persistence');
    expect((await slice(node))?.outcome).to.equal('Applied');
    const gpu = `-i ${node.busId(0)}`;
    expect(node.takeChanges().slice(1, 5)).to.deep.equal([
      `--gpu-reset ${gpu}`,
      `${gpu} -pm 0`,
      `--gpu-reset ${gpu}`,
      `${gpu} -pm 1`,
    ]);
  });

  it('leaves it on where somebody else holds the GPU too, and says who that may be', async () => {
    const node = aHeldGpu('Service');
    const result = await slice(node);
    expect([result?.outcome, result?.error?.code]).to.deep.equal(['Failed', 'Pending']);
    expect(result?.error?.message).to.contain('nvidia_drm').and.to.contain('Fabric Manager');
    expect(node.takeChanges().findLast((change) => change.includes('-pm'))).to.match(/-pm 1$/);
  });
});
