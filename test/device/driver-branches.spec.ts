import { expect } from 'chai';
import { driverBranches } from '../../src/simulator/nvidia-smi/board.ts';
import { InProcessNode } from './simulated-node.ts';

const on = 'gpu 0 mig 1 pending 1\n';
const listOpeners = (): readonly string[] => ['nv-hostengine (pid 812, nvidia-dcgm.service)'];

for (const branch of driverBranches) {
  describe(`driver branch ${branch}`, () => {
    function aNode(state = ''): InProcessNode {
      const node = new InProcessNode(['A100-SXM4-40GB', 'A100-SXM4-40GB'], state);
      node.driver = branch;
      return node;
    }

    it('is read with MIG mode off: GPUs in order, with their profiles', async () => {
      const { driverVersion, gpus } = await aNode().openDriver().readDevice();
      expect(driverVersion?.split('.')[0]).to.equal(branch);
      expect(gpus.map(({ fault, health, geometry }) => [fault, health, geometry?.profiles.length])).to.deep.equal([
        [undefined, undefined, 7],
        [undefined, undefined, 7],
      ]);
    });

    it('is partitioned, changed as little as possible, and switched off again', async () => {
      const node = aNode();
      expect((await node.change({ '3g.20gb': 1, '2g.10gb': 1 }))?.outcome).to.equal('Applied');
      const kept = (await node.layout(0)).find((place) => place.startsWith('3g'));
      expect((await node.change({ '3g.20gb': 1, '1g.5gb': 3 }))?.outcome).to.equal('Applied');
      expect(await node.layout(0))
        .to.have.length(4)
        .and.to.include(kept);
      expect((await node.change('Disabled'))?.outcome).to.equal('Applied');
      expect(node.state).to.match(/^gpu 0 mig 0 pending 0\n/);
    });

    it('resets a GPU in spite of persistence mode, which is on again after that', async () => {
      const node = aNode();
      node.faults = 'migpending rc=16';
      const done = await node.change({ '1g.5gb': 7 }, { allowReset: true });
      expect([done?.outcome, node.state.includes('persistence')]).to.deep.equal(['Applied', false]);
      expect(node.takeChanges().filter((line) => line.includes('--gpu-reset'))).to.have.length(1);
    });

    it('has a reset refused by a monitor named, and persistence mode on again', async () => {
      const node = aNode('handle gpu 0 name monitoring/dcgm\n');
      const { error } = (await node.change({ '1g.5gb': 7 }, { allowReset: true, listOpeners })) ?? {};
      expect(error?.code).to.equal('Pending');
      expect(error?.message).to.contain('nv-hostengine (pid 812');
      expect(node.state).not.to.contain('persistence');
    });

    it('has nothing touched beside a process on the whole GPU', async () => {
      const node = aNode(on);
      await node.change({ '3g.20gb': 2 });
      await node.startProcess(0);
      node.takeChanges();
      const refused = await node.change({ '1g.5gb': 7 });
      expect([refused?.error?.code, node.takeChanges()]).to.deep.equal(['InUse', []]);
    });

    it('keeps an instance that a monitor has open, names the monitor, and changes once that ends', async () => {
      const node = aNode(on);
      await node.change({ '3g.20gb': 1 });
      const gi = /^gi 0 (\d+) /m.exec(node.state)?.[1] ?? '';
      const handle = `handle gpu 0 gi ${gi} name nv-hostengine\n`;
      node.state += handle;
      const before = await node.layout(0);
      const refused = await node.change({ '1g.5gb': 7 }, { listOpeners, undo: true });
      expect(refused?.error?.code).to.equal('InUse');
      expect(refused?.error?.message).to.contain('nv-hostengine (pid 812');
      expect(await node.layout(0)).to.deep.equal(before);
      node.state = node.state.replace(handle, '');
      expect((await node.change({ '1g.5gb': 7 }))?.outcome).to.equal('Applied');
    });

    it('says in its own field that a GPU needs a reset', async () => {
      const node = aNode(on);
      node.faults = 'sick reset gpu=0';
      const { gpus } = await node.openDriver().readDevice();
      // Reports of 470 and 525 have no such field.
      const action = Number(branch) < 530 ? undefined : 'Reset';
      expect(gpus.map(({ health }) => health?.action)).to.deep.equal([action, undefined]);
    });
  });
}
