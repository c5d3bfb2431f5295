import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

import type { ChangeTest } from '../../../src/core/smi/selftest-change.ts';
import { Journal } from '../../../src/device/host/journal.ts';
import { lockNode } from '../../../src/device/host/node-lock.ts';
import { encodeList, servePodResources } from '../../../src/simulator/kubelet/allocation.ts';
import { useScratchFolder } from '../../device/scratch-folder.ts';
import { isChange } from '../../device/simulated-node.ts';
import { TestedNode } from './tested-node.ts';

const A100 = 'A100-SXM4-40GB';
const off = 'gpu 0 mig 0 pending 0\n';
const on = 'gpu 0 mig 1 pending 1\n';
const cut =
  `${on}gi 0 1 profile 9 place 0:4\nci 0 1 0 profile 0 place 0:1\nci 0 1 1 profile 0 place 1:1\nci 0 1 2 profile 0 place 2:1\n` +
  'gi 0 13 profile 19 place 6:1\nci 0 13 0 profile 0 place 0:1\n';
const all = ['1g.5gb', '1g.5gb+me', '1g.10gb', '2g.10gb', '3g.20gb', '4g.20gb', '7g.40gb'];

describe('a self-test that changes a GPU', () => {
  const scratch = useScratchFolder();
  let count = 0;
  const aNode = (state: string, gpus: readonly string[] = [A100], ...more: readonly never[]) => {
    count += 1;
    return new TestedNode(scratch.path(`node-${count}`), gpus, state, ...more);
  };
  const tryGpu = async (node: TestedNode, ...options: Parameters<TestedNode['tryGpu']>): Promise<ChangeTest> => {
    const { change } = (await node.tryGpu(...options)).selftest;
    if (change === undefined) throw new Error('nothing was tried');
    return change;
  };

  it('makes, verifies and undoes each profile, and switches MIG mode off again where it was', async () => {
    const node = aNode(off);
    const test = await tryGpu(node, 0);
    expect(test).to.include({ state: 'Passed', isPutBack: true, otherUuids: 0, mig: 'Disabled' });
    expect(test.profiles.map(({ profile, outcome }) => [profile, outcome])).to.deep.equal(
      all.map((profile) => [profile, 'Passed']),
    );
    for (const { makeMs, verifyMs, undoMs } of test.profiles)
      for (const ms of [makeMs, verifyMs, undoMs]) expect(ms).to.be.greaterThan(0);
    expect(node.state).to.equal(off);
  });

  it('touches no other GPU', async () => {
    const node = aNode(`${off}${cut.replaceAll(/^(gpu|gi|ci) 0/gm, '$1 1')}`, [A100, A100]);
    const before = node.state;
    expect((await tryGpu(node, 0)).state).to.equal('Passed');
    expect(node.commands.filter(isChange).every((args) => args.includes(node.busId(0)))).to.equal(true);
    expect(node.state).to.equal(before);
  });

  it('puts instances back at their places, with the compute instances that were on them', async () => {
    const node = aNode(cut);
    const before = await node.layout(0);
    const test = await tryGpu(node, 0);
    expect(test).to.include({ state: 'Passed', isPutBack: true, mig: 'Enabled' });
    expect(await node.layout(0)).to.deep.equal(before);
  });

  it('refuses a GPU that somebody uses, and one with an instance that could not be put back', async () => {
    const process = 'proc gpu 0 gi 13 ci 0 pid 42 mem 1200 name python3 train.py\n';
    const cases = [
      [`${cut}${process}`, 'somebody uses it (1g.5gb at 6)'],
      [`${on}proc gpu 0 pid 42 mem 9 name x\n`, 'somebody uses it'],
      [`${on}gi 0 1 profile 9 place 0:4\n`, 'could not be put back'],
      ['gpu 0 mig 0 pending 1\n', 'MIG mode Enabled is pending'],
    ] as const;
    for (const [state, reason] of cases) {
      const node = aNode(state);
      const test = await tryGpu(node, 0);
      expect(test.state).to.equal('Refused');
      expect(test.reason).to.contain(reason);
      expect(node.commands.filter(isChange)).to.deep.equal([]);
    }
  });

  it('refuses a GPU that is sick, without MIG, held by a pod, and one that is not there', async () => {
    const sick = aNode(off);
    sick.faults = 'sick remap gpu=0';
    expect((await tryGpu(sick, 0)).reason).to.contain('row remapping is pending');
    expect((await tryGpu(aNode('', ['T4']), 0)).reason).to.equal('it has no MIG');
    expect(await aNode(off).tryGpu(3).catch(String)).to.contain('there is no GPU 3 that answers; there is 0');

    const node = aNode(off);
    const containers = [{ container: 'c', deviceIds: { 'nvidia.com/gpu': [node.uuid(0)] } }];
    const list = encodeList([{ name: 'train', namespace: 'team', uid: 'x', containers }]);
    const kubelet = await servePodResources(node.socket, { '/v1.PodResourcesLister/List': () => list });
    try {
      expect((await tryGpu(node, 0)).reason).to.contain('somebody uses it');
      expect((await tryGpu(node, 0, { ignorePods: true })).state).to.equal('Passed');
    } finally {
      await kubelet.close();
    }
  });

  it('names the profile that fails, tries the others, and leaves the GPU as it was', async () => {
    const node = aNode(off);
    node.intercept = (args, run) =>
      args.includes('9:0') ? { rc: 255, stdout: 'Unable to create: Unknown Error\n', end: 'Exited' } : run();
    const test = await tryGpu(node, 0);
    expect(test).to.include({ state: 'Failed', isPutBack: true });
    expect(test.profiles.filter(({ outcome }) => outcome === 'Failed')).to.have.length(1);
    expect(test.profiles.find(({ profile }) => profile === '3g.20gb')?.error).to.contain('Unknown Error');
    expect(node.state).to.equal(off);
  });

  it('believes no success that the device does not show', async () => {
    const node = aNode(on);
    node.faults = 'skip DeviceCreateGpuInstance nth=1-3';
    const test = await tryGpu(node, 0);
    expect(test).to.include({ state: 'Failed', isPutBack: true });
    expect(test.profiles[0]).to.include({ profile: '1g.5gb', outcome: 'Failed' });
    expect(node.state).to.equal(on);
  });

  it('says what is left where the GPU cannot be put back, and keeps a note of what it was', async () => {
    const node = aNode(cut);
    node.intercept = (args, run) =>
      args.includes('-dgi') && node.state.includes('profile 14 ')
        ? {
            rc: 19,
            stdout: 'Unable to destroy GPU instance ID  3 from GPU  0: In use by another client\n',
            end: 'Exited',
          }
        : run();
    const test = await tryGpu(node, 0);
    expect(test).to.include({ state: 'Failed', isPutBack: false });
    expect(test.reason).to.contain('it was MIG mode Enabled, 3g.20gb@0').and.to.contain('InUse');
    const folder = join(scratch.path(`node-${count}`), 'lib');
    expect(new Journal({ path: join(folder, 'journal.json') }).read()?.gpus[0]?.placements).to.deep.equal([
      '3g.20gb@0',
      '1g.5gb@6',
    ]);
    expect(await node.tryGpu(0).catch(String)).to.contain('an earlier change was interrupted');
  });

  it('needs leave to reset a GPU whose MIG mode changes by a reset only, and takes the mode back without', async () => {
    const node = aNode(off, ['A30']);
    node.faults = 'migpending rc=16';
    const test = await tryGpu(node, 0);
    expect(test).to.include({ state: 'Failed', isPutBack: true });
    expect(test.reason).to.contain('ResetRequired').and.to.contain('--allow-gpu-reset');
    expect(node.state).to.equal(off);
    expect((await tryGpu(node, 0, { allowGpuReset: true })).state).to.equal('Passed');
    expect(node.state).to.equal(off);
  });

  it('puts everything back even after an error of its own, and passes it on', async () => {
    const node = aNode(cut);
    const before = await node.layout(0);
    node.intercept = (args, run) => {
      if (args.includes('14:0')) throw new TypeError('a mistake of the program');
      return run();
    };
    expect(await node.tryGpu(0).catch(String)).to.equal('TypeError: a mistake of the program');
    expect(await node.layout(0)).to.deep.equal(before);
  });

  it('begins no further profile when it is asked to stop, and puts everything back', async () => {
    const node = aNode(cut);
    const before = await node.layout(0);
    node.intercept = (args, run) => {
      if (args.includes('14:0')) process.emit('SIGINT');
      return run();
    };
    const test = await tryGpu(node, 0);
    expect(test).to.include({ state: 'Stopped', isPutBack: true });
    expect(test.profiles.map(({ profile }) => profile)).to.deep.equal(['1g.5gb', '1g.5gb+me', '1g.10gb', '2g.10gb']);
    expect(test.reason).to.contain('asked to stop');
    expect(await node.layout(0)).to.deep.equal(before);
  });

  it('changes nothing while an agent holds the lock of the node', async () => {
    const node = aNode(off);
    const lock = await lockNode({ folder: join(scratch.path(`node-${count}`), 'lib') });
    const error = await node.tryGpu(0).catch(String);
    await lock.release();
    expect(error).to.contain('Locked').and.to.contain('an agent runs on this node');
    expect(node.commands.filter(isChange)).to.deep.equal([]);
  });

  it('leaves no lock and no note behind', async () => {
    const node = aNode(off);
    await tryGpu(node, 0);
    expect(existsSync(join(scratch.path(`node-${count}`), 'lib', 'journal.json'))).to.equal(false);
    expect((await tryGpu(node, 0)).state).to.equal('Passed');
  });
});
