import { expect } from 'chai';
import type { PodExplanation } from '../../src/core/explain/pod.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { jsonRunner } from '../cli/run.ts';
import { eventually } from '../support/eventually.ts';
import { pluginDaemonSet } from '../support/nvidia-daemons.ts';
import { type RigNodeView, useRig } from '../support/rig.ts';

const node: RigNode = { name: 'n', gpus: ['A30'], labels: { pool: 'p' }, strategy: 'single', plugin: 'pod' };
const nodeSelector = { matchLabels: { pool: 'p' } };
const layouts = [{ profiles: { '1g.6gb': 4 } }];
const product = 'nvidia.com/gpu.product';

describe('a device plugin of another strategy than a policy’s @all', function () {
  const rig = useRig([node]);
  const explain = jsonRunner<PodExplanation>();
  /** Of the controller, whose log continues. */
  let starts = 1;

  before(async function () {
    const env = { MIG_STRATEGY: 'single' };
    await rig().create(pluginDaemonSet({ name: 'nvidia-device-plugin', namespace: 'kube-system', env }));
    await rig().apply('p', { nodeSelector, layouts, strategy: 'single' });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    const { metadata, status } = await rig().node('n');
    expect(metadata.labels).to.include({ [product]: 'NVIDIA-A30-MIG-1g.6gb', 'nvidia.com/mig.strategy': 'single' });
    expect(status.allocatable).to.include({ 'nvidia.com/gpu': '4' });
    // It selects a whole A30 by its label.
    const containers = [{ name: 'c', image: 'example.com/c:1', resources: { limits: { 'nvidia.com/gpu': 1 } } }];
    const spec = { nodeSelector: { [product]: 'NVIDIA-A30' }, containers };
    await rig().create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'whole', namespace: 'default' }, spec });
  });

  /** All that we may write on a Node. */
  const marks = ({ metadata, spec }: RigNodeView) => [metadata.labels, metadata.annotations, spec.taints];

  async function keepsTheNode(reason: string, edit: Parameters<ReturnType<typeof rig>['apply']>[1]): Promise<void> {
    const before = marks(await rig().node('n'));
    await rig().apply('p', edit);
    await eventually(
      () => rig().partition('n'),
      ({ spec }) => spec.strategy === 'mixed',
      { timeoutMs: 20_000, what: 'the wish' },
    );
    await rig().untilReason('n', reason);
    // Judged once more, by a controller that starts from scratch.
    await rig().rig.controller.stop('SIGTERM');
    rig().rig.controller.start();
    starts += 1;
    await eventually(
      () => rig().rig.controller.readLog(),
      (log) => log.split('watches are complete').length > starts,
      { timeoutMs: 30_000, what: 'the next controller' },
    );
    await rig().untilReason('n', reason);
    expect(marks(await rig().node('n'))).to.deep.equal(before);
    const pod = await rig().kubectl('get', 'pod', 'whole', '-o', 'jsonpath={.status.phase}');
    expect(pod).to.equal('Pending');
    const kubeconfig = await rig().controlPlane.kubeconfigFile({});
    const { answer } = await explain(['explain', 'pod', 'default/whole', '--kubeconfig', kubeconfig]);
    expect(answer.code).to.equal('Selector');
    expect(answer.message).to.include(`${product} is NVIDIA-A30-MIG-1g.6gb, and the pod wants NVIDIA-A30`);
  }

  it('has nothing written on its node by a policy that only plans', async () => {
    await keepsTheNode('PlanOnly', { nodeSelector, layouts, strategy: 'mixed', mode: 'Plan' });
  });

  it('has nothing written on its node by a policy that it does not fit', async () => {
    await keepsTheNode('StrategyMismatch', { nodeSelector, layouts, strategy: 'mixed', mode: 'Enforce' });
  });
});
