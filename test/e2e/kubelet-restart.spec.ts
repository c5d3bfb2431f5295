import { expect } from 'chai';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import { pluginDaemonSet } from '../support/nvidia-daemons.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const name = 'n';
const nodes: readonly RigNode[] = [
  { name, gpus: ['A100-SXM4-40GB'], labels: { pool: 'p' }, strategy: 'mixed', plugin: 'pod' },
];

describe('a kubelet that restarts when a change is granted @all', function () {
  this.timeout(180_000);
  const rig = useRig(nodes);

  const ask = (profiles: Readonly<Record<string, number>>, mode: 'Plan' | 'Enforce'): Promise<void> =>
    rig().apply('p', { nodeSelector: { matchLabels: { pool: 'p' } }, layouts: [{ profiles }], mode });
  const signal = (kind: 'SIGSTOP' | 'SIGCONT'): boolean => process.kill(rig().rig.agent(name).pid ?? 0, kind);
  const socket = (): string => join(rig().rig.folder, name, 'kubelet.sock');
  const pluginPod = async (): Promise<string> =>
    rig().kubectl('get', 'pods', '-n', 'kube-system', '-o', 'jsonpath={.items[*].metadata.uid}');

  before(async () => {
    const tolerations = [{ operator: 'Exists' }];
    const plugin = { name: 'nvidia-device-plugin', namespace: 'kube-system', env: { MIG_STRATEGY: 'mixed' } };
    await rig().create(pluginDaemonSet({ ...plugin, tolerations, nodeSelector: { pool: 'p' } }));
    await ask({ '1g.5gb': 7 }, 'Enforce');
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 90_000);
  });

  it('is waited for: one grant does it, nothing fails, and the plugin runs until the device has changed', async () => {
    await ask({ '3g.20gb': 2 }, 'Plan');
    await eventually(
      async () => (await rig().partition(name)).status?.device?.plan,
      (plan) => plan?.create === 2,
      { timeoutMs: 30_000, what: 'the plan' },
    );
    const before = await pluginPod();
    const epoch = (await rig().partition(name)).spec.granted?.epoch ?? 0;
    const failures = async (): Promise<number> =>
      (await rig().rig.agent(name).readLog()).split('KubeletSocketMissing').length;
    const failuresBefore = await failures();
    signal('SIGSTOP');
    await ask({ '3g.20gb': 2 }, 'Enforce');
    await eventually(
      async () => (await rig().partition(name)).spec.granted?.epoch,
      (granted) => granted === epoch + 1,
      { timeoutMs: 30_000, what: 'the grant' },
    );
    await rename(socket(), `${socket()}.away`);
    signal('SIGCONT');
    // It has asked for the sockets more than once.
    await eventually(failures, (count) => count >= failuresBefore + 3, {
      timeoutMs: 30_000,
      what: 'questions without an answer',
    });
    const { spec, status } = await rig().partition(name);
    expect(spec.granted?.epoch).to.equal(epoch + 1);
    expect(status?.device).to.include({ observedEpoch: epoch, step: 'Idle' });
    expect(ownTaints(await rig().node(name))).to.deep.equal(['gpupartition.dev/repartitioning']);
    expect(await pluginPod(), 'no device has changed').to.equal(before);
    await rename(`${socket()}.away`, socket());
    const policy = await rig().waitFor('p', 'Ready', 'True', 'Ready', 90_000);
    expect(policy.status?.failures ?? []).to.deep.equal([]);
    const done = await rig().partition(name);
    expect(done.spec.granted?.epoch).to.equal(epoch + 1);
    expect(done.status?.layout).to.equal('1 GPU: 2×3g.20gb');
  });
});
