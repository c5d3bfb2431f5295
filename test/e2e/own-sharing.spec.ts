import { expect } from 'chai';
import { pluginConfigMap, pluginDaemonSet } from '../support/nvidia-daemons.ts';
import { ownTaints, useRig } from '../support/rig.ts';
import { eventually } from '../support/eventually.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';

const namespace = 'kube-system';
const nodes: readonly RigNode[] = [
  { name: 'own', gpus: ['A100-SXM4-40GB'], labels: { pool: 'own' }, strategy: 'mixed', plugin: 'pod' },
  { name: 'bare', gpus: ['A100-SXM4-40GB'], labels: { pool: 'bare' }, strategy: 'mixed', plugin: 'pod' },
];

describe('time-slicing by the administrator’s own config @all', function () {
  const rig = useRig(nodes);

  before(async () => {
    const own =
      'version: v1\nflags: {migStrategy: mixed}\nsharing: {timeSlicing: {resources: [{name: nvidia.com/mig-1g.5gb, replicas: 4}, {name: nvidia.com/gpu, replicas: 2}]}}\n';
    await rig().create(pluginConfigMap('own', namespace, { default: own }));
    await rig().create(
      pluginDaemonSet({ name: 'nvidia-device-plugin', namespace, configMap: 'own', nodeSelector: { pool: 'own' } }),
    );
  });

  const allocatable = async (): Promise<Readonly<Record<string, string>>> => {
    const found = (await rig().node('own')).status.allocatable ?? {};
    return Object.fromEntries(Object.entries(found).filter(([key, n]) => key.startsWith('nvidia.com/') && n !== '0'));
  };

  it('is taken as it is', async () => {
    await eventually(allocatable, (a) => a['nvidia.com/gpu'] === '2', { timeoutMs: 20_000 });
    await rig().apply('own', {
      nodeSelector: { matchLabels: { pool: 'own' } },
      strategy: 'mixed',
      layouts: [{ profiles: { '1g.5gb': 4, '3g.20gb': 1 } }],
    });
    await rig().waitFor('own', 'Ready', 'True', 'Ready');
    expect(await allocatable()).to.deep.equal({ 'nvidia.com/mig-1g.5gb': '16', 'nvidia.com/mig-3g.20gb': '1' });
    expect(ownTaints(await rig().node('own'))).to.deep.equal([]);
    expect((await rig().node('own')).metadata.labels).to.include({ 'nvidia.com/mig-1g.5gb.replicas': '4' });
    await rig().apply('own', {
      nodeSelector: { matchLabels: { pool: 'own' } },
      strategy: 'mixed',
      layouts: [{ profiles: { '1g.5gb': 1 } }],
    });
    await rig().waitFor('own', 'Ready', 'True', 'Ready');
    expect(await allocatable()).to.deep.equal({ 'nvidia.com/mig-1g.5gb': '4' });
  });

  it('is not asked of a node without a plugin, which is left alone', async () => {
    await rig().apply('bare', {
      nodeSelector: { matchLabels: { pool: 'bare' } },
      strategy: 'mixed',
      layouts: [{ profiles: { '1g.5gb': 7 } }],
    });
    const text = await eventually(
      async () => JSON.stringify(await rig().partition('bare')),
      (t) => t.includes('NoDevicePlugin'),
      { timeoutMs: 20_000 },
    );
    expect(text).to.contain('nvidia.com/gpu 1 under strategy mixed');
    expect(await rig().rig.deviceOperations('bare')).to.deep.equal([]);
  });
});
