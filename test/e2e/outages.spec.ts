import { expect } from 'chai';
import { setTimeout as pause } from 'node:timers/promises';
import type { PolicySpec } from '../../src/api/types.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const nodes: readonly RigNode[] = [
  { name: 'a100', gpus: ['A100-SXM4-40GB', 'A100-SXM4-40GB'], labels: { pool: 'p' }, strategy: 'mixed' },
  { name: 'h100', gpus: ['H100-80GB-HBM3'], labels: { pool: 'p' }, strategy: 'mixed' },
];

function spec(
  a100: Record<string, number>,
  h100: Record<string, number>,
): Pick<PolicySpec, 'nodeSelector' | 'layouts'> {
  return {
    nodeSelector: { matchLabels: { pool: 'p' } },
    layouts: [
      { gpus: { models: ['A100-*'] }, profiles: a100 },
      { gpus: { models: ['H100-*'] }, profiles: h100 },
    ],
  };
}

/** Four layouts that differ in every slice, so that each test has a change to make. */
const layouts = {
  small: spec({ '1g.5gb': 7 }, { '1g.10gb': 7 }),
  large: spec({ '3g.20gb': 2 }, { '3g.40gb': 2 }),
  middle: spec({ '2g.10gb': 3 }, { '2g.20gb': 3 }),
  whole: spec({ '7g.40gb': 1 }, { '7g.80gb': 1 }),
};

describe('outages during a change', function () {
  const rig = useRig(nodes);

  /** Until both nodes are really so: on the device, in the labels, and open again. */
  async function expectDone(layout: readonly [string, string]): Promise<void> {
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    const [a100, h100] = await Promise.all(nodes.map(({ name }) => rig().partition(name)));
    expect([a100?.status?.layout, h100?.status?.layout]).to.deep.equal(layout);
    for (const { name } of nodes) {
      const node = await rig().node(name);
      expect(ownTaints(node)).to.deep.equal([]);
      expect(node.metadata.labels).to.include({ 'gpupartition.dev/state': 'ready' });
    }
  }

  const operations = async (): Promise<number> =>
    (await Promise.all(nodes.map(({ name }) => rig().rig.deviceOperations(name)))).flat().length;

  /** Until an agent has begun to change its GPUs for a change that was just asked for. */
  async function untilDeviceChanges(before: number): Promise<void> {
    await eventually(operations, (count) => count > before, { timeoutMs: 20_000, what: 'device operations' });
  }

  it('do not happen at first', async () => {
    await rig().apply('p', layouts.small);
    await expectDone(['2 GPUs: 7×1g.5gb', '1 GPU: 7×1g.10gb']);
  });

  it('of the API server, killed for five seconds while agents work, end in the wished layout', async () => {
    const before = await operations();
    await rig().apply('p', layouts.large);
    await untilDeviceChanges(before);
    await rig().controlPlane.killApiServer();
    await pause(5000);
    await rig().controlPlane.startApiServer();
    await expectDone(['2 GPUs: 2×3g.20gb', '1 GPU: 2×3g.40gb']);
    for (const program of [rig().rig.controller, ...rig().rig.agents]) {
      expect(program.crashes, program.name).to.equal(0);
      expect(program.isRunning, program.name).to.equal(true);
    }
  });

  it('of the agents, killed in the middle of their work, end in the wished layout @all', async () => {
    const before = await operations();
    await rig().apply('p', layouts.middle);
    await untilDeviceChanges(before);
    await Promise.all(rig().rig.agents.map((agent) => agent.stop('SIGKILL')));
    for (const agent of rig().rig.agents) agent.start();
    await expectDone(['2 GPUs: 3×2g.10gb', '1 GPU: 3×2g.20gb']);
  });

  it('of the controller, killed when it has granted, end in the wished layout', async () => {
    const before = await operations();
    await rig().apply('p', layouts.whole);
    await untilDeviceChanges(before);
    await rig().rig.controller.stop('SIGKILL');
    rig().rig.controller.start();
    await expectDone(['2 GPUs: 1×7g.40gb', '1 GPU: 1×7g.80gb']);
  });

  it('of the controller, killed before it has done anything, are the same @all', async () => {
    await rig().rig.controller.stop('SIGKILL');
    await rig().apply('p', layouts.small);
    rig().rig.controller.start();
    await expectDone(['2 GPUs: 7×1g.5gb', '1 GPU: 7×1g.10gb']);
  });

  it('of everything at once leave no node closed', async () => {
    const before = await operations();
    await rig().apply('p', layouts.large);
    await untilDeviceChanges(before);
    await Promise.all([rig().rig.controller, ...rig().rig.agents].map((program) => program.stop('SIGKILL')));
    await rig().controlPlane.killApiServer();
    await rig().controlPlane.startApiServer();
    rig().rig.controller.start();
    for (const agent of rig().rig.agents) agent.start();
    await expectDone(['2 GPUs: 2×3g.20gb', '1 GPU: 2×3g.40gb']);
  });

  it('of a node’s power end in the same layout, made again without a new grant', async () => {
    const before = await rig().partition('h100');
    await rig().rig.rebootNode('h100', { withAgent: false });
    // The GPUs have not been read yet: no pod may come.
    await rig().untilReason('h100', 'NodeRestarted');
    expect(ownTaints(await rig().node('h100'))).to.deep.equal(['gpupartition.dev/repartitioning']);
    rig().rig.agent('h100').start();
    await eventually(
      () => rig().partition('h100'),
      ({ status }) => status?.device?.bootID !== before.status?.device?.bootID && status?.phase === 'Ready',
      { timeoutMs: 30_000, what: 'the node to be ready after its reboot' },
    );
    await expectDone(['2 GPUs: 2×3g.20gb', '1 GPU: 2×3g.40gb']);
    expect((await rig().partition('h100')).spec.granted?.epoch).to.equal(before.spec.granted?.epoch);
  });

  it('of a node leave nothing of it behind: recreated, it is partitioned as a new one', async () => {
    const before = await rig().partition('h100');
    const agent = rig().rig.agent('h100');
    await agent.stop('SIGKILL');
    await rig().rig.replaceNode('h100');
    expect(await rig().rig.deviceState('h100'), 'no instance survives a boot').to.not.match(/^gi /m);
    await eventually(
      () => rig().partition('h100'),
      ({ metadata, spec: { nodeUID } }) => metadata.uid !== before.metadata.uid && nodeUID !== before.spec.nodeUID,
      { timeoutMs: 30_000, what: 'a partition of the new node' },
    );
    rig().rig.agent('h100').start();
    await eventually(
      () => rig().partition('h100'),
      ({ status }) => status?.phase === 'Ready',
      { timeoutMs: 30_000, what: 'the new node to be ready' },
    );
    await expectDone(['2 GPUs: 2×3g.20gb', '1 GPU: 2×3g.40gb']);
  });
});
