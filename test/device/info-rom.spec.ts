import { expect } from 'chai';
import { applyNode } from '../../src/device/apply.ts';
import type { GpuTarget } from '../../src/core/smi/change.ts';
import { InProcessNode } from './simulated-node.ts';

const A100 = 'A100-SXM4-40GB';

describe('a GPU whose infoROM is corrupted', () => {
  async function apply(node: InProcessNode, want: GpuTarget['want'], allowReset = false): Promise<string | undefined> {
    const { results } = await applyNode(node.openDriver(), [{ uuid: node.uuid(0), want }], { allowReset });
    return results[0]?.error?.message ?? results[0]?.outcome;
  }

  it('is read, with exit code 14 and a warning below every answer, whatever is on it', async () => {
    for (const state of ['', 'gpu 0 mig 1 pending 1\n', 'gpu 0 mig 1 pending 1\ngi 0 1 profile 9 place 0:4\n']) {
      const node = new InProcessNode([A100], state);
      const sound = await node.openDriver().readDevice();
      node.faults = 'inforom gpu=0';
      expect(node.run(['-L'])).to.include({ rc: 14 });
      expect(node.run(['-L']).stdout).to.include('\nWARNING: infoROM is corrupted at gpu 0000:07:00.0\n');
      expect(await node.openDriver().readDevice(), state).to.deep.equal(sound);
    }
  });

  it('takes a layout, parts, MIG mode off and a reset', async () => {
    const node = new InProcessNode([A100]);
    node.faults = 'inforom gpu=0';
    expect(await apply(node, { '3g.20gb': 1, '1g.5gb': 2 })).to.equal('Applied');
    expect(await apply(node, { '1c.3g.20gb': 2 })).to.equal('Applied');
    expect(await apply(node, 'Disabled')).to.equal('Applied');
    node.faults += '\nmigpending rc=16';
    expect(await apply(node, { '7g.40gb': 1 }, true)).to.equal('Applied');
  });

  it('is not read where exit code 14 comes without the warning, or the warning without an answer', async () => {
    const node = new InProcessNode([A100], 'gpu 0 mig 1 pending 1\n');
    const codeOf = async (): Promise<string> =>
      node
        .openDriver()
        .readDevice()
        .then(
          () => 'read',
          (error: unknown) => String(error),
        );
    node.intercept = (_args, run) => ({ ...run(), rc: 14 });
    expect(await codeOf()).to.include('DriverFailed');
    node.intercept = () => ({ rc: 14, stdout: 'WARNING: infoROM is corrupted at gpu 0000:07:00.0\n', end: 'Exited' });
    expect(await codeOf()).to.include('ParseError');
  });
});
