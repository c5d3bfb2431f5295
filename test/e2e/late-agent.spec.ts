import { expect } from 'chai';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually, stays } from '../support/eventually.ts';
import { pluginDaemonSet } from '../support/nvidia-daemons.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const name = 'n';
const nodes: readonly RigNode[] = [
  { name, gpus: ['A100-SXM4-40GB'], labels: { pool: 'p' }, strategy: 'mixed', plugin: 'pod' },
];

describe('an agent that was stopped before it saw its grant @all', function () {
  const rig = useRig(nodes, { controllerArguments: ['--grant-deadline-seconds', '10'] });

  const ask = (profiles: Readonly<Record<string, number>>, mode: 'Plan' | 'Enforce'): Promise<void> =>
    rig().apply('p', { nodeSelector: { matchLabels: { pool: 'p' } }, layouts: [{ profiles }], mode });
  const signal = (kind: 'SIGSTOP' | 'SIGCONT'): boolean => process.kill(rig().rig.agent(name).pid ?? 0, kind);
  const operations = async (): Promise<number> => (await rig().rig.deviceOperations(name)).length;

  before(async function () {
    const plugin = { name: 'nvidia-device-plugin', namespace: 'kube-system', env: { MIG_STRATEGY: 'mixed' } };
    await rig().create(pluginDaemonSet({ ...plugin, nodeSelector: { pool: 'p' } }));
    await ask({ '1g.5gb': 7 }, 'Enforce');
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 90_000);
  });

  it('has its node opened only after the grant was taken back', async () => {
    // The plan of the wish is known before the agent is stopped: the grant follows at once.
    await ask({ '3g.20gb': 2 }, 'Plan');
    await eventually(
      async () => (await rig().partition(name)).status?.device?.plan,
      (plan) => plan?.create === 2,
      { timeoutMs: 30_000, what: 'the plan' },
    );
    signal('SIGSTOP');
    await ask({ '3g.20gb': 2 }, 'Enforce');
    await eventually(
      async () => {
        const { spec, status } = await rig().partition(name);
        return [spec.granted?.epoch, status?.conditions?.find(({ type }) => type === 'Ready')?.message];
      },
      ([epoch]) => epoch === 2,
      { timeoutMs: 30_000, what: 'the grant' },
    );
    await eventually(
      async () => ownTaints(await rig().node(name)),
      (taints) => taints.length === 0,
      { timeoutMs: 60_000, what: 'the node to be open again' },
    );
    expect((await rig().partition(name)).spec.granted).to.include({ epoch: 3, planHash: '' });
  });

  it('does nothing on the open node when it continues, and answers', async () => {
    const before = await operations();
    // Nothing new is granted meanwhile.
    await rig().kubectl('cordon', name);
    signal('SIGCONT');
    const { status } = await eventually(
      () => rig().partition(name),
      (found) => found.status?.device?.observedEpoch === 3,
      { timeoutMs: 30_000, what: 'the answer' },
    );
    expect(status?.device?.error?.code).to.equal('Stale');
    await stays(operations, (count) => count === before, { forMs: 3000, intervalMs: 250 });
  });

  it('carries out the next grant', async () => {
    await rig().kubectl('uncordon', name);
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    expect((await rig().partition(name)).status?.layout).to.equal('1 GPU: 2×3g.20gb');
  });
});
