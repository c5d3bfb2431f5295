import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually, stays } from '../support/eventually.ts';
import { pluginDaemonSet } from '../support/nvidia-daemons.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const gpus = ['A100-SXM4-40GB'];
const nodes: readonly RigNode[] = [
  { name: 'idle', gpus, labels: { pool: 'idle' }, strategy: 'mixed' },
  { name: 'busy', gpus, labels: { pool: 'busy' }, strategy: 'mixed', plugin: 'pod' },
];

/** What a message says of an agent whose process is gone. */
const namesPod = /pod gpu-partition-agents\/gpu-partition-agent-\w+ /;

describe('an agent that is away', function () {
  const rig = useRig(nodes, { controllerArguments: ['--grant-deadline-seconds', '10'] });

  const ask = (pool: string, profiles: Readonly<Record<string, number>>): Promise<void> =>
    rig().apply(pool, { nodeSelector: { matchLabels: { pool } }, layouts: [{ profiles }] });
  const operations = async (node: string): Promise<number> => (await rig().rig.deviceOperations(node)).length;
  const reasonOf = async (node: string): Promise<string | undefined> =>
    (await rig().partition(node)).status?.conditions?.find(({ type }) => type === 'Ready')?.reason;

  async function untilOpen(node: string): Promise<void> {
    await eventually(
      async () => ownTaints(await rig().node(node)),
      (taints) => taints.length === 0,
      { timeoutMs: 60_000, what: `taints of ${node}` },
    );
  }

  before(async function () {
    await rig().create(
      pluginDaemonSet({
        name: 'nvidia-device-plugin',
        namespace: 'kube-system',
        nodeSelector: { pool: 'busy' },
        env: { MIG_STRATEGY: 'mixed' },
      }),
    );
    await eventually(
      async () => (await rig().node('busy')).status.allocatable?.['nvidia.com/gpu'],
      (count) => count === '1',
      { timeoutMs: 40_000, what: 'the offer of the device plugin' },
    );
    for (const pool of ['idle', 'busy']) await ask(pool, { '1g.5gb': 7 });
    for (const pool of ['idle', 'busy']) await rig().waitFor(pool, 'Ready', 'True', 'Ready', 90_000);
  });

  it('changes nothing on a Ready node without a request: agents are updated one by one', async () => {
    await rig().rig.agent('idle').stop('SIGKILL');
    await stays(
      () => reasonOf('idle'),
      (reason) => reason === 'Ready',
      { forMs: 3000, intervalMs: 250 },
    );
  });

  it('does not keep its node closed, killed in the middle of a grant @all', async () => {
    const before = await operations('busy');
    await writeFile(rig().rig.faultsFile('busy'), 'sleep GpuInstance ms=200\n');
    await ask('busy', { '3g.20gb': 2 });
    await eventually(
      () => operations('busy'),
      (count) => count >= before + 3,
      { timeoutMs: 30_000, intervalMs: 5, what: 'device operations' },
    );
    await rig().rig.agent('busy').stop('SIGKILL');
    expect(ownTaints(await rig().node('busy'))).to.have.lengthOf(1);
    await untilOpen('busy');
    const { spec, status } = await rig().partition('busy');
    expect(status?.device?.observedEpoch, 'the grant has no answer').to.be.below(spec.granted?.epoch ?? 0);
    const message = await rig().untilReason('busy', 'Failed');
    expect(message)
      .to.match(/the agent has not answered by the deadline \S+ of its grant, which is taken back/)
      .and.match(namesPod);
  });

  it('leaves nothing of ours on the node when the policy goes then @all', async () => {
    await rig().kubectl('delete', 'gpp', 'busy');
    const { metadata, spec } = await eventually(
      () => rig().node('busy'),
      (node) => Object.keys(node.metadata.labels).every((key) => !key.startsWith('gpupartition.dev/')),
      { timeoutMs: 20_000, what: 'our labels' },
    );
    expect(metadata.labels).not.to.have.property('nvidia.com/mig.config.state');
    expect((spec.taints ?? []).filter(({ key }) => key.startsWith('gpupartition.dev/'))).to.deep.equal([]);
  });

  it('is named with its pod after half a minute', async () => {
    expect(await rig().untilReason('idle', 'AgentNotReporting', 60_000)).to.match(namesPod);
  });

  it('gets no grant for an edit, and continues when it is back', async () => {
    const { spec } = await rig().partition('idle');
    const before = await operations('idle');
    await ask('idle', { '3g.20gb': 2 });
    await rig().waitFor('idle', 'Ready', 'False');
    await stays(
      async () => [(await rig().partition('idle')).spec.granted?.epoch, await operations('idle')],
      ([epoch, count]) => epoch === spec.granted?.epoch && count === before,
      { forMs: 3000, intervalMs: 250 },
    );
    expect(ownTaints(await rig().node('idle'))).to.deep.equal([]);
    rig().rig.agent('idle').start();
    await rig().waitFor('idle', 'Ready', 'True', 'Ready', 90_000);
    expect((await rig().partition('idle')).status?.layout).to.equal('1 GPU: 2×3g.20gb');
  });
});
