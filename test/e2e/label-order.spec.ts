import { expect } from 'chai';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import { listFenceBreaks, listLabelLags } from '../support/fence.ts';
import { operatorDaemonSet } from '../support/nvidia-daemons.ts';
import { ownTaints, useRig } from '../support/rig.ts';
import { Timeline } from '../support/timeline.ts';

const deploy = (operand: string): string => `nvidia.com/gpu.deploy.${operand}`;
const nodes: readonly RigNode[] = [
  {
    name: 'n',
    gpus: ['A100-SXM4-40GB'],
    strategy: 'single',
    plugin: 'pod',
    labels: { pool: 'p', [deploy('device-plugin')]: 'true', [deploy('gpu-feature-discovery')]: 'true' },
  },
];

describe('GPU Feature Discovery and device plugin of gpu-operator as they come @all', function () {
  // Neither tolerates our taint, and the plugin is quicker than the labels.
  const rig = useRig(nodes, { kubeletTiming: { gfdStartMs: 1500 } });
  let timeline: Timeline;

  before(async function () {
    timeline = await Timeline.start(rig().controlPlane);
    const wish = { namespace: 'kube-system', env: { MIG_STRATEGY: 'single' } };
    await rig().create(operatorDaemonSet('device-plugin', { ...wish, name: 'plugin' }));
    await rig().create(operatorDaemonSet('gpu-feature-discovery', { ...wish, name: 'discovery' }));
    await eventually(
      () => rig().node('n'),
      ({ metadata, status }) =>
        metadata.labels['nvidia.com/gpu.count'] === '1' && status.allocatable?.['nvidia.com/gpu'] === '1',
      { timeoutMs: 30_000, what: 'labels and resources' },
    );
  });
  after(() => timeline?.stop());

  async function become(profile: string, count: number): Promise<void> {
    const nodeSelector = { matchLabels: { pool: 'p' } };
    await rig().apply('p', { nodeSelector, strategy: 'single', layouts: [{ profiles: { [profile]: count } }] });
    await rig().waitFor('p', 'Ready', 'True', 'Ready');
    const { metadata, status } = await rig().node('n');
    expect(status.allocatable).to.include({ 'nvidia.com/gpu': String(count) });
    expect(metadata.labels).to.include({
      'nvidia.com/gpu.product': `NVIDIA-A100-SXM4-40GB-MIG-${profile}`,
      [deploy('device-plugin')]: 'true',
    });
    expect(metadata.annotations?.['gpupartition.dev/on-loan'] ?? '{}').to.not.include('gpu.deploy');
    expect(ownTaints(await rig().node('n'))).to.deep.equal([]);
  }

  it('never show slices under previous labels: the plugin comes back when the labels are right', async () => {
    await become('1g.5gb', 7);
    await become('3g.20gb', 2);
    await timeline.catchUp();
    expect(listLabelLags(timeline)).to.deep.equal([]);
    expect(listFenceBreaks(timeline)).to.deep.equal([]);
  });
});
