import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { discoveryDaemonSet } from '../support/nvidia-daemons.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const node = 'labelled';
const count = 'nvidia.com/mig-3g.20gb.count';

describe('GPU Feature Discovery beside a DRA driver @all', function () {
  // Longer than anybody waits here: a node that was given up would be Failed.
  const rig = useRig(
    [
      {
        name: node,
        gpus: ['A100-SXM4-40GB'],
        labels: { pool: 'dra', gfd: 'true' },
        strategy: 'mixed',
        plugin: 'dra',
      },
    ],
    { controllerArguments: ['--advertise-deadline-seconds', '900'] },
  );

  before(async function () {
    const namespace = 'kube-system';
    const env = { MIG_STRATEGY: 'mixed' };
    await rig().create(discoveryDaemonSet({ name: 'discovery', namespace, env, nodeSelector: { gfd: 'true' } }));
    await eventually(
      () => rig().node(node),
      ({ metadata }) => metadata.labels['nvidia.com/gpu.count'] === '1',
      { timeoutMs: 20_000, what: 'the labels of GPU Feature Discovery' },
    );
  });

  it('keeps no node closed to which it cannot come back, after a change of the MIG mode', async () => {
    await rig().apply('dra', {
      nodeSelector: { matchLabels: { pool: 'dra' } },
      strategy: 'mixed',
      backend: 'DRA',
      layouts: [{ profiles: { '3g.20gb': 2 } }],
    });
    await rig().waitFor('dra', 'Ready', 'True', 'Ready');
    const view = await rig().node(node);
    expect(view.metadata.labels[count]).to.equal('2');
    expect(ownTaints(view)).to.deep.equal([]);
  });
});
