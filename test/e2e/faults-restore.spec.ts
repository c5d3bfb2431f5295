import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const nodes: readonly RigNode[] = [{ name: 'n', gpus: ['A100-SXM4-40GB'], labels: { pool: 'p' }, strategy: 'mixed' }];

describe('etcd restored from a backup @all', function () {
  // A lease that outlives the restart of the API server, so that the leader's own watches have to notice.
  const rig = useRig(nodes, { controllerArguments: ['--lease-seconds', '60'] });

  async function ask(profiles: Readonly<Record<string, number>>): Promise<void> {
    await rig().apply('p', { nodeSelector: { matchLabels: { pool: 'p' } }, layouts: [{ profiles }] });
  }

  async function expectLayout(layout: string): Promise<void> {
    const device = async (): Promise<string | undefined> => (await rig().partition('n')).status?.layout;
    await eventually(device, (found) => found === layout, { timeoutMs: 60_000, what: 'the layout' });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    expect(ownTaints(await rig().node('n'))).to.deep.equal([]);
  }

  it('is followed one edit back: by the controller, and by the agent to what was granted then', async () => {
    await ask({ '3g.20gb': 2 });
    await expectLayout('1 GPU: 2×3g.20gb');
    const backup = await rig().controlPlane.backUp();
    await ask({ '2g.10gb': 3 });
    await expectLayout('1 GPU: 3×2g.10gb');
    const { metadata: lost } = await rig().policy('p');
    await rig().controlPlane.restore(backup);
    const { metadata: restored } = await rig().policy('p');
    expect(Number(restored.resourceVersion)).to.be.below(Number(lost.resourceVersion));
    // Everything says now what it said then, and nothing of it is so: the device has the layout of the lost edit.
    await eventually(
      () => rig().rig.deviceState('n'),
      (state) => state.includes('profile 9 '),
      { timeoutMs: 60_000, what: 'the device' },
    );
    await expectLayout('1 GPU: 2×3g.20gb');
    const programs = [rig().rig.controller, ...rig().rig.agents];
    for (const program of programs) {
      expect(program.crashes, program.name).to.equal(0);
      expect(program.isRunning, program.name).to.equal(true);
      expect(await program.readLog()).to.contain('restored from a backup');
    }
  });

  it('is followed on from there', async () => {
    await ask({ '1g.5gb': 7 });
    await expectLayout('1 GPU: 7×1g.5gb');
  });

  it('leaves to the agent which instances are its own, even if the object of the node is gone', async () => {
    await rig().kubectl('delete', 'gpn', 'n');
    await ask({ '3g.20gb': 2 });
    await expectLayout('1 GPU: 2×3g.20gb');
  });
});
