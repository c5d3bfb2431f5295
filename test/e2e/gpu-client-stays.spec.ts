import { expect } from 'chai';
import { describeDeployment } from '../../src/simulator/rig/workloads.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually } from '../support/eventually.ts';
import { operatorDaemonSet } from '../support/nvidia-daemons.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const dcgm = 'nvidia.com/gpu.deploy.dcgm';
const names = ['s1', 's2'] as const;
const nodes: readonly RigNode[] = names.map((name) => ({
  name,
  gpus: ['A100-SXM4-40GB'],
  strategy: 'mixed',
  labels: { pool: 'stuck', [dcgm]: 'true' },
}));

/** Keeps every GPU open, and does not go for a long time. */
const dcgmDaemons = operatorDaemonSet('dcgm', {
  name: 'nvidia-dcgm',
  namespace: 'kube-system',
  annotations: {
    'simulator.gpupartition.dev/holds-gpus': 'true',
    'simulator.gpupartition.dev/stop-seconds': '600',
  },
});

interface PodView {
  readonly metadata: { readonly uid: string; readonly deletionTimestamp?: string };
  readonly status: { readonly phase: string };
}

describe('a GPU client that never ends, beside pods that hold what has to go @all', function () {
  const rig = useRig(nodes, { controllerArguments: ['--clients-deadline-seconds', '3'] });

  async function listPods(selector: string): Promise<readonly PodView[]> {
    const text = await rig().kubectl('get', 'pods', '-A', '-l', selector, '-o', 'json');
    return (JSON.parse(text) as { items: readonly PodView[] }).items;
  }

  async function untilRunning(selector: string): Promise<readonly PodView[]> {
    return eventually(
      () => listPods(selector),
      (pods) => pods.length === names.length && pods.every(({ status }) => status.phase === 'Running'),
      { timeoutMs: 60_000, what: `pods with ${selector}` },
    );
  }

  before(async function () {
    await rig().create(dcgmDaemons);
    const prefers = { key: 'pool', value: 'stuck' };
    const train = { name: 'train', resource: 'nvidia.com/gpu', replicas: names.length, prefers };
    await rig().create(describeDeployment(train));
    await untilRunning('app=nvidia-dcgm');
  });

  it('costs no pod, counts as a failure, and keeps the next node from starting', async () => {
    const before = await untilRunning('app=train');
    await rig().apply('stuck', {
      nodeSelector: { matchLabels: { pool: 'stuck' } },
      layouts: [{ profiles: { '3g.20gb': 2 } }],
      rollout: { failureThreshold: 1 },
    });
    const { status } = await rig().waitFor('stuck', 'Stalled', 'True', 'Halted', 60_000);
    const [failed] = status?.failures ?? [];
    expect(failed).to.include({ reason: 'ClientsStay' });
    expect(failed?.message).to.include('kube-system/nvidia-dcgm-');
    expect(status?.nodes).to.include({ failed: 1, ready: 0 });
    for (const name of names) {
      await eventually(
        async () => ownTaints(await rig().node(name)),
        (taints) => taints.length === 0,
        { timeoutMs: 20_000, what: `${name} to be open` },
      );
      expect((await rig().node(name)).metadata.labels[dcgm]).to.equal('true');
      expect((await rig().partition(name)).spec.granted, 'nothing was granted').to.equal(undefined);
    }
    const writes = await rig().controlPlane.auditedWrites();
    expect(writes.filter(({ subresource }) => subresource === 'eviction')).to.deep.equal([]);
    const other = names.find((name) => name !== failed?.node) ?? '';
    const closed = await rig().kubectl('get', 'events', '-A', '--field-selector', `involvedObject.name=${other}`);
    expect(closed, 'never closed').to.not.match(/Draining|Repartitioning/);
    const after = await listPods('app=train');
    expect(after.map(({ metadata }) => metadata)).to.have.length(names.length);
    expect(after.map(({ metadata }) => metadata.uid)).to.have.members(before.map(({ metadata }) => metadata.uid));
    expect(after.filter(({ metadata }) => metadata.deletionTimestamp !== undefined)).to.deep.equal([]);
  });
});
