import { expect } from 'chai';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import { ProgramVersion } from '../support/program-version.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const controllerVersion = '0.3.0';
/** By node. */
const agentVersions = { older: '0.2.7', newer: '0.4.0', outdated: '0.1.9', ahead: '0.5.0' } as const;
type NodeName = keyof typeof agentVersions;
const names = Object.keys(agentVersions) as readonly NodeName[];
const nodes: readonly RigNode[] = names.map((name) => ({
  name,
  gpus: ['A100-SXM4-40GB'],
  labels: { pool: name === 'older' || name === 'newer' ? 'near' : 'far' },
  strategy: 'mixed',
}));

describe('agents of other versions than the controller @all', function () {
  const programs = new Map<string, ProgramVersion>();
  before(() => {
    programs.set('controller-0', new ProgramVersion('controller', controllerVersion));
    for (const name of names) programs.set(name, new ProgramVersion('agent', agentVersions[name]));
  });
  const rig = useRig(nodes, {
    fileOf: (program) => programs.get(program)?.file,
  });
  after(() => {
    for (const program of programs.values()) program[Symbol.dispose]();
  });

  const ask = (pool: string, profiles: Readonly<Record<string, number>>): Promise<void> =>
    rig().apply(pool, {
      nodeSelector: { matchLabels: { pool } },
      layouts: [{ profiles }],
      rollout: { maxUnavailable: '100%', failureThreshold: '100%' },
    });

  it('say which they are', async () => {
    for (const name of names) {
      const { status } = await eventually(
        () => rig().partition(name),
        (found) => found.status?.device?.agentVersion !== undefined,
        { timeoutMs: 120_000, what: `the report of ${name}` },
      );
      expect(status?.device?.agentVersion).to.equal(agentVersions[name]);
    }
  });

  it('change their nodes, one minor version older and one newer', async () => {
    await ask('near', { '1g.5gb': 2, '3g.20gb': 1 });
    await rig().waitFor('near', 'Ready', 'True', 'Ready', 120_000);
    for (const name of ['older', 'newer']) {
      expect(await rig().rig.deviceOperations(name), name).to.have.length.above(0);
      expect((await rig().partition(name)).status?.layout).to.equal('1 GPU: 2×1g.5gb + 1×3g.20gb');
    }
  });

  it('are given nothing to do when they are two apart, and the message names the image to update', async () => {
    await ask('far', { '1g.5gb': 7 });
    expect(await rig().untilReason('outdated', 'AgentTooOld', 120_000))
      .to.include('0.1.9')
      .and.include('DaemonSet');
    expect(await rig().untilReason('ahead', 'AgentTooNew', 120_000))
      .to.include('0.5.0')
      .and.include('Deployment');
    for (const name of ['outdated', 'ahead']) {
      expect(await rig().rig.deviceOperations(name), name).to.deep.equal([]);
      expect(ownTaints(await rig().node(name)), name).to.deep.equal([]);
      expect((await rig().partition(name)).spec.granted, name).to.equal(undefined);
    }
  });

  it('continue once they are near enough, with no hand on the policy', async () => {
    for (const [name, version] of [
      ['outdated', '0.2.0'],
      ['ahead', '0.3.9'],
    ] as const) {
      programs.get(name)?.become(version);
      await rig().rig.agent(name).stop('SIGTERM');
      rig().rig.agent(name).start();
    }
    await rig().waitFor('far', 'Ready', 'True', 'Ready', 120_000);
    expect((await rig().partition('outdated')).status?.layout).to.equal('1 GPU: 7×1g.5gb');
  });

  it('keep their nodes as they are while the controller is two ahead, and those are Ready', async () => {
    const before = await Promise.all(names.map((name) => rig().rig.deviceOperations(name)));
    programs.get('controller-0')?.become('0.5.0');
    await rig().rig.controller.stop('SIGTERM');
    rig().rig.controller.start();
    await rig().kubectl('annotate', 'gpp', '--all', `touched=${Date.now()}`);
    // A new wish shows that the new leader is at work.
    await ask('near', { '1g.5gb': 3, '3g.20gb': 1 });
    await rig().untilReason('older', 'AgentTooOld', 120_000);
    await rig().waitFor('far', 'Ready', 'True', 'Ready');
    const after = await Promise.all(names.map((name) => rig().rig.deviceOperations(name)));
    expect(after[0], 'the agent of 0.2.7').to.deep.equal(before[0]);
    expect(after[2], 'one that is as its policy says').to.deep.equal(before[2]);
  });
});
