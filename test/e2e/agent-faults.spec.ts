import { expect } from 'chai';
import { access, rm, writeFile } from 'node:fs/promises';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const name = 'n1';
const nodes: readonly RigNode[] = [
  { name, gpus: ['A100-SXM4-40GB', 'A100-SXM4-40GB'], labels: { pool: 'p' }, strategy: 'mixed' },
];

describe('an agent whose device does not answer @all', function () {
  const rig = useRig(nodes);

  const setFaults = (text: string): Promise<void> => writeFile(rig().rig.faultsFile(name), text);
  const apply = (profiles: Record<string, number>): Promise<void> =>
    rig().apply('p', { nodeSelector: { matchLabels: { pool: 'p' } }, layouts: [{ profiles }] });

  it('works at first', async () => {
    await apply({ '3g.20gb': 2 });
    await rig().waitFor('p', 'Ready', 'True', 'Ready');
  });

  it('still knows its own instances when a GPU that was lost during a change is back', async () => {
    const before = (await rig().rig.deviceOperations(name)).length;
    await setFaults('sleep GpuInstance ms=200');
    await apply({ '1g.5gb': 7 });
    await eventually(
      () => rig().rig.deviceOperations(name),
      // The old instances of the first GPU are gone, and some new ones are there.
      (operations) => operations.length >= before + 5,
      { timeoutMs: 20_000, what: 'device operations' },
    );
    await setFaults('lost gpu=0');
    await eventually(
      () => rig().partition(name),
      ({ spec, status }) =>
        status?.device?.observedEpoch === spec.granted?.epoch && status?.device?.gpus?.[0]?.error !== undefined,
      { timeoutMs: 30_000, what: 'the agent’s answer' },
    );
    await setFaults('');
    // Another layout than the one that was half made: nothing of it may be in the way.
    await apply({ '7g.40gb': 1 });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    expect((await rig().partition(name)).status?.layout).to.equal('2 GPUs: 1×7g.40gb');
  });

  it('does not say after a reboot that it has read what it could not read: the node stays closed', async () => {
    const before = (await rig().partition(name)).status?.device;
    await rig().rig.rebootNode(name, { withAgent: false });
    await rig().untilReason(name, 'NodeRestarted');
    await setFaults('nodriver');
    rig().rig.agent(name).start();
    const { status } = await eventually(
      () => rig().partition(name),
      ({ status: found }) => found?.device?.step === 'Unknown',
      { timeoutMs: 20_000, what: 'the agent’s report' },
    );
    expect(status?.device?.error?.code).to.equal('DriverUnavailable');
    expect(status?.device?.bootID, 'the boot in which the GPUs were read').to.equal(before?.bootID);
    expect(status?.device?.gpus).to.deep.equal(before?.gpus);
    expect(ownTaints(await rig().node(name))).to.deep.equal(['gpupartition.dev/repartitioning']);
    await setFaults('');
    await eventually(
      () => rig().partition(name),
      ({ status: found }) => found?.device?.bootID !== before?.bootID && found?.phase === 'Ready',
      { timeoutMs: 30_000, what: 'the node to be ready after its reboot' },
    );
    expect(ownTaints(await rig().node(name))).to.deep.equal([]);
  });

  it('finishes a change of MIG mode with the one reboot that it asks for', async () => {
    // As in a virtual machine: no GPU can be reset.
    await setFaults('migpending rc=16\nfail GpuReset rc=3');
    const selected = { nodeSelector: { matchLabels: { pool: 'p' } }, allow: { reboot: true } };
    await rig().apply('p', { ...selected, layouts: [{ mig: 'Disabled' }] });
    expect(await rig().untilReason(name, 'RebootRequired', 60_000)).to.contain('MIG mode Disabled is pending');
    const isAsked = (): Promise<boolean> =>
      access(rig().rig.rebootSentinel(name)).then(
        () => true,
        () => false,
      );
    expect(await isAsked()).to.equal(true);
    expect(await rig().rig.deviceState(name)).to.match(/gpu 0 mig 1 pending 0\n(.*\n)*gpu 1 mig 1 pending 0/);
    await rig().rig.rebootNode(name);
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    expect((await rig().partition(name)).status?.device?.gpus?.map(({ mig }) => mig)).to.deep.equal([
      'Disabled',
      'Disabled',
    ]);
    expect(await isAsked()).to.equal(false);
    await setFaults('');
  });

  it('ends when somebody empties its state folder, and works on when its kubelet has started it again', async () => {
    const agent = rig().rig.agent(name);
    const { ends } = agent;
    await rm(rig().rig.agentFolder(name), { recursive: true });
    await eventually(
      () => agent.ends,
      (count) => count > ends,
      { timeoutMs: 20_000, what: 'the end of the agent' },
    );
    expect(await agent.readLog()).to.match(/the lock \S+ is gone: somebody emptied or restored its folder/);
    await apply({ '2g.10gb': 3 });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    expect((await rig().partition(name)).status?.layout).to.equal('2 GPUs: 3×2g.10gb');
  });
});
