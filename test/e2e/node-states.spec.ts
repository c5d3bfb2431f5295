import { expect } from 'chai';
import { writeFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import type { GpuNodePartition, PolicyLayout, PolicySpec } from '../../src/api/types.ts';
import { migConfigStateLabel, uninitializedTaint } from '../../src/api/names.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { eventually, stays } from '../support/eventually.ts';
import { applyObjects, gpuPod } from '../support/gpu-pods.ts';
import { ownTaints, useRig } from '../support/rig.ts';
import { Timeline } from '../support/timeline.ts';

const nodes: readonly RigNode[] = [
  { name: 'a100', gpus: ['A100-SXM4-40GB'], labels: { pool: 'a100' }, strategy: 'mixed' },
  { name: 'a30', gpus: ['A30'], labels: { pool: 'a30' }, strategy: 'mixed', taints: [uninitializedTaint] },
  { name: 'gated', gpus: ['A100-SXM4-40GB', 'A30'], driver: '535', labels: { pool: 'gated' }, strategy: 'mixed' },
  { name: 't4', gpus: ['T4'], labels: { pool: 't4' }, strategy: 'mixed' },
];

describe('what is said of a node, and what is done to it,', function () {
  const rig = useRig(nodes);

  type Layout = PolicyLayout;
  /** A policy of this name for the pool of this name. */
  const ask = (pool: string, layout: Layout, more: Partial<PolicySpec> = {}): Promise<void> =>
    rig().apply(pool, { nodeSelector: { matchLabels: { pool } }, layouts: [layout], ...more });
  const untilReady = (pool: string): Promise<unknown> => rig().waitFor(pool, 'Ready', 'True', 'Ready', 90_000);
  const layoutOf = async (node: string): Promise<string | undefined> => (await rig().partition(node)).status?.layout;
  const validOf = async (policy: string): Promise<string | undefined> =>
    (await rig().policy(policy)).status?.conditions?.find(({ type }) => type === 'Valid')?.message;

  /** What must not change where nothing is done. */
  const doneTo = async (node: string): Promise<object> => ({
    operations: await rig().rig.deviceOperations(node),
    epoch: (await rig().partition(node)).spec.granted?.epoch,
  });

  async function untilMigState(node: string, state: string | undefined): Promise<void> {
    await eventually(
      async () => (await rig().node(node)).metadata.labels[migConfigStateLabel],
      (found) => found === state,
      { timeoutMs: 20_000, what: migConfigStateLabel },
    );
  }

  it('keeps a start-up taint whose first layout failed, until it is there @all', async () => {
    await writeFile(rig().rig.faultsFile('a30'), 'fail DeviceSetMigMode rc=999\n');
    await ask('a30', { profiles: { '1g.6gb': 4 } });
    await rig().waitFor('a30', 'Ready', 'False', 'Failed');
    expect(ownTaints(await rig().node('a30'))).to.include(uninitializedTaint.key);
    expect((await rig().partition('a30')).status?.phase).to.equal('Failed');
    await writeFile(rig().rig.faultsFile('a30'), '');
    await untilReady('a30');
    expect(await layoutOf('a30')).to.equal('1 GPU: 4×1g.6gb');
    expect(ownTaints(await rig().node('a30'))).to.deep.equal([]);
    await rig().kubectl('delete', 'gpp', 'a30');
  });

  it('is Ready on its first day under driver 535, which shows no profile before MIG mode is on, one GPU model after the other', async () => {
    const half = { gpus: { models: ['a100-40gb'] }, profiles: { '3g.20gb': 2 } };
    await ask('gated', half);
    await untilReady('gated');
    expect(await layoutOf('gated')).to.equal('1 GPU: 2×3g.20gb; 1 GPU: whole');
    expect((await rig().partition('gated')).status?.device?.models?.map(({ product }) => product)).to.deep.equal([
      'NVIDIA A100-SXM4-40GB',
    ]);
    await ask('gated', half, { layouts: [half, { gpus: { models: ['a30'] }, profiles: { '2g.12gb': 2 } }] });
    await untilReady('gated');
    expect(slicesOn(await rig().partition('gated'))).to.deep.equal([{ '3g.20gb': 2 }, { '2g.12gb': 2 }]);
  });

  it('is never Ready of a wish that the device does not meet: `kubectl wait` returns when the layout is there', async () => {
    await ask('a100', { profiles: { '1g.5gb': 7 } });
    await untilReady('a100');
    const timeline = await Timeline.start(rig().controlPlane);
    for (const [profile, count] of [
      ['3g.20gb', 2],
      ['2g.10gb', 3],
    ] as const) {
      await ask('a100', { profiles: { [profile]: count } });
      const { generation } = (await rig().policy('a100')).metadata;
      const isSeen = `--for=jsonpath={.spec.policy.generation}=${generation}`;
      await rig().kubectl('wait', 'gpn/a100', isSeen, '--timeout=30s');
      await rig().kubectl('wait', 'gpn/a100', '--for=condition=Ready', '--timeout=60s');
      expect(slicesOn(await rig().partition('a100'))).to.deep.equal([{ [profile]: count }]);
    }
    await timeline.catchUp();
    await timeline.stop();
    const ready = timeline.partitions
      .eventsOf('a100')
      .flatMap(({ object }) => (object && isReady(object) ? object : []));
    expect(ready).to.have.length.above(2);
    for (const partition of ready) {
      expect(slicesOn(partition), `version ${partition.metadata.resourceVersion}`).to.deep.equal(
        partition.spec.wish?.gpus.map(({ profiles }) => profiles),
      );
    }
  });

  it('continues after the right to replace foreign instances was taken back @all', async () => {
    await ask('a100', { profiles: { '7g.40gb': 1 } }, { allow: { replaceForeignInstances: true } });
    await untilReady('a100');
    await ask('a100', { profiles: { '7g.40gb': 1 } });
    await untilReady('a100');
    await ask('a100', { profiles: { '1g.5gb': 7 } });
    await untilReady('a100');
    expect(await layoutOf('a100')).to.equal('1 GPU: 7×1g.5gb');
    expect((await rig().partition('a100')).spec.wish).not.to.have.property('replaceForeignInstances');
  });

  it('grants nothing to a node that somebody cordoned, and continues when it is uncordoned', async () => {
    await rig().kubectl('cordon', 'a100');
    const before = await doneTo('a100');
    await ask('a100', { profiles: { '3g.20gb': 2 } });
    expect(await rig().untilReason('a100', 'ForeignCordon')).to.include('kubectl uncordon a100');
    await untilMigState('a100', 'pending');
    expect(await doneTo('a100')).to.deep.equal(before);
    expect(ownTaints(await rig().node('a100'))).to.deep.equal([]);
    await rig().kubectl('uncordon', 'a100');
    await untilReady('a100');
    expect(await layoutOf('a100')).to.equal('1 GPU: 2×3g.20gb');
  });

  it('keeps a policy Ready where one of higher priority is not valid, and gives the node to that one once it is @all', async () => {
    await ask('a100', { profiles: { '3g.20gb': 2 } });
    await untilReady('a100');
    const broken = {
      nodeSelector: { matchLabels: { pool: 'a100' } },
      priority: 10,
      layouts: [{ profiles: { '3g.20gb': 2 } }],
    };
    const windows = [{ schedule: '0 22 * * *', duration: '6h', timeZone: 'Europe/Atlantis' }];
    await rig().apply('broken', { ...broken, rollout: { windows } });
    await rig().waitFor('broken', 'Valid', 'False', 'BadWindow');
    await untilReady('a100');
    await ask('a100', { profiles: { '3g.20gb': 1, '1g.5gb': 3 } });
    await untilReady('a100');
    const { spec, status } = await rig().partition('a100');
    expect(spec.policy?.name).to.equal('a100');
    expect(status).to.include({ phase: 'Ready', layout: '1 GPU: 3×1g.5gb + 1×3g.20gb' });
    await rig().apply('broken', broken);
    await rig().waitFor('a100', 'Ready', 'True', 'Outranked');
    await rig().waitFor('broken', 'Ready', 'True', 'Ready', 90_000);
    await rig().kubectl('delete', 'gpp', 'broken');
    await untilReady('a100');
  });

  it('tells tools that read mig.config.state that it waits, that it failed, and gives the label back @all', async () => {
    await ask('a100', { profiles: { '3g.20gb': 1, '1g.5gb': 3 } });
    await untilReady('a100');
    await untilMigState('a100', 'success');
    await applyObjects(rig(), [gpuPod({ name: 'user', resource: 'nvidia.com/mig-1g.5gb', node: 'a100' })]);
    await rig().kubectl('wait', '--for=condition=Ready', 'pod/user', '--timeout=30s');
    await ask('a100', { profiles: { '7g.40gb': 1 } }, { drain: { onTimeout: 'Force' } });
    await rig().untilReason('a100', 'Draining');
    await untilMigState('a100', 'pending');
    await rig().kubectl('delete', 'pod', 'user', '--wait', '--grace-period=1');
    await untilReady('a100');
    await untilMigState('a100', 'success');
    await writeFile(rig().rig.faultsFile('a100'), 'fail DeviceCreateGpuInstance rc=999\n');
    await ask('a100', { profiles: { '3g.20gb': 2 } });
    await rig().waitFor('a100', 'Ready', 'False', 'Failed', 60_000);
    await untilMigState('a100', 'failed');
    await writeFile(rig().rig.faultsFile('a100'), '');
    await rig().kubectl('delete', 'gpp', 'a100');
    await untilMigState('a100', undefined);
    expect(await rig().rig.deviceState('a100')).to.include('gpu 0 mig 1 pending 1');
  });

  it('counts a node as skipped, and says why, where no layout applies to a GPU of it', async () => {
    await ask('t4', { profiles: { '1g.5gb': 7 } });
    await eventually(
      () => validOf('t4'),
      (message) => /skipped: t4: .*GPU 0 \(Tesla T4\) has no MIG support/.test(message ?? ''),
      { timeoutMs: 30_000, what: 'the reason' },
    );
    await ask('t4', { gpus: { indices: [8] }, profiles: { '1g.5gb': 7 } });
    await eventually(
      () => validOf('t4'),
      (message) => /skipped: t4: .*no GPU 8/.test(message ?? ''),
      { timeoutMs: 30_000, what: 'the reason' },
    );
    const { status } = await rig().waitFor('t4', 'Ready', 'True', 'Ready');
    expect(status?.conditions?.find(({ type }) => type === 'Ready')?.message).to.match(
      /^no layout of the policy applies to a GPU of the 1 selected node: t4: /,
    );
    expect(status?.nodes).to.include({ matched: 1, ready: 0, skipped: 1 });
    expect((await rig().partition('t4')).status?.conditions?.find(({ type }) => type === 'Ready')?.reason).to.equal(
      'NothingToDo',
    );
  });

  it('does not wait for a node that is not labelled as a GPU node, and leaves nothing of it behind @all', async () => {
    await rig().create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'bare', labels: { pool: 'bare' } } });
    await ask('bare', { profiles: { '1g.5gb': 7 } });
    const { status } = await rig().waitFor('bare', 'Ready', 'True', 'Ready');
    expect(status?.nodes).to.include({ matched: 1, ready: 0, skipped: 1 });
    expect(await rig().untilReason('bare', 'NoGpus')).to.include('nvidia.com/gpu.present');
    await rig().kubectl('delete', 'gpp', 'bare');
    await rig().kubectl('wait', 'gpn/bare', '--for=delete', '--timeout=30s');
    const log = async (): Promise<string> => rig().rig.controller.readLog();
    const lines = (text: string): readonly string[] =>
      text.split('\n').filter((line) => /"(?:key|node)":"bare"/.test(line));
    await eventually(log, (text) => lines(text).some((line) => line.includes('"partition deleted"')));
    await rig().kubectl('delete', 'node', 'bare');
    expect(lines(await log()).filter((line) => line.includes('"level":"error"'))).to.deep.equal([]);
  });

  it('accepts no generation that one of the nodes cannot take, which leaves them Ready; one that joins later stands for itself', async () => {
    const profiles = { '1g.5gb': 7 };
    await rig().kubectl('label', 'node', 'a100', 'a30', 'pool=both', '--overwrite');
    await ask('both', { mig: 'Disabled' });
    await untilReady('both');
    const before = await Promise.all(['a100', 'a30'].map(doneTo));
    const accepted = (await rig().policy('both')).status?.acceptedGeneration;
    await ask('both', { profiles });
    const refused = await rig().waitFor('both', 'Valid', 'False', 'UnknownProfile');
    expect(await validOf('both')).to.match(/^node a30: /);
    expect(refused.status?.acceptedGeneration).to.equal(accepted).and.not.equal(refused.metadata.generation);
    expect(refused.status?.summary).to.equal('2/2 ready');
    expect(await Promise.all(['a100', 'a30'].map(doneTo))).to.deep.equal(before);
    for (const node of ['a100', 'a30']) {
      expect((await rig().partition(node)).status?.phase).to.equal('Ready');
      await untilMigState(node, 'success');
    }
    // Without that node there is nothing against it.
    await rig().kubectl('label', 'node', 'a30', 'pool-');
    await untilReady('both');
    expect(await layoutOf('a100')).to.equal('1 GPU: 7×1g.5gb');
    await rig().kubectl('label', 'node', 'a30', 'pool=both');
    await rig().untilReason('a30', 'UnknownProfile');
    const { metadata, status } = await rig().waitFor('both', 'Valid', 'True');
    expect(status?.acceptedGeneration).to.equal(metadata.generation);
    expect((await rig().partition('a100')).status?.phase).to.equal('Ready');
    expect(await doneTo('a30')).to.deep.equal(before[1]);
    await rig().kubectl('label', 'node', 'a100', 'a30', 'pool-');
    await rig().kubectl('delete', 'gpp', 'both');
  });

  it('says of a policy that is being deleted what it waits for, and lets it go when it is told to keep the layouts', async () => {
    await rig().kubectl('label', 'node', 'a30', 'pool=a30', '--overwrite');
    await ask('a30', { profiles: { '2g.12gb': 2 } }, { onDelete: 'DisableMig' });
    await untilReady('a30');
    await applyObjects(rig(), [gpuPod({ name: 'bare-pod', resource: 'nvidia.com/mig-2g.12gb', node: 'a30' })]);
    await rig().kubectl('wait', 'pod/bare-pod', '--for=jsonpath={.status.phase}=Running', '--timeout=120s');
    await rig().kubectl('delete', 'gpp', 'a30', '--wait=false');
    const waits =
      /0 of 1 node done; a30: waiting, with the node open, for 1 pod that no eviction moves: default\/bare-pod: it has no controller.* It goes without the rest at \S+Z; spec\.onDelete: Keep lets it go now$/;
    await eventually(
      async () => (await rig().policy('a30')).status?.conditions?.find(({ type }) => type === 'Ready'),
      (ready) => ready?.status === 'False' && ready.reason === 'Deleting' && waits.test(ready.message),
      { timeoutMs: 30_000, what: 'the condition Ready of policy a30' },
    );
    expect(await rig().kubectl('get', 'gpp', 'a30')).to.match(/ Deleting .* deleting /);
    await rig().kubectl('patch', 'gpp', 'a30', '--type', 'merge', '-p', '{"spec":{"onDelete":"Keep"}}');
    await rig().kubectl('wait', 'gpp/a30', '--for=delete', '--timeout=120s');
    expect(await layoutOf('a30')).to.equal('1 GPU: 2×2g.12gb');
    await rig().kubectl('delete', 'pod', 'bare-pod', '--timeout=120s');
  });

  it('grants nothing to a node that is not Ready, and continues when it is @all', async () => {
    const setReady = async (status: string): Promise<void> => {
      const condition = { type: 'Ready', status, reason: 'Test', message: 'Kubelet stopped posting node status.' };
      const patch = JSON.stringify({ status: { conditions: [condition] } });
      await rig().kubectl('patch', 'node', 'a100', '--subresource=status', '--type=strategic', '-p', patch);
    };
    const before = await doneTo('a100');
    rig().rig.fleet.pauseNode('a100');
    await setReady('Unknown');
    await rig().kubectl('label', 'node', 'a100', 'pool=a100', '--overwrite');
    await ask('a100', { profiles: { '3g.20gb': 1, '2g.10gb': 1 } });
    // Kubernetes soon says of its agent's pod too that it is not Ready.
    await eventually(
      () => rig().partition('a100'),
      ({ status }) => {
        const reason = status?.conditions?.find(({ type }) => type === 'Ready')?.reason ?? '';
        return ['NodeNotReady', 'AgentNotReporting'].includes(reason);
      },
      { timeoutMs: 60_000, what: 'the reason' },
    );
    await stays(
      () => doneTo('a100'),
      (done) => isDeepStrictEqual(done, before),
      { forMs: 5_000, intervalMs: 500 },
    );
    expect(ownTaints(await rig().node('a100'))).to.deep.equal([]);
    await setReady('True');
    rig().rig.fleet.resumeNode('a100');
    await untilReady('a100');
    expect(await layoutOf('a100')).to.equal('1 GPU: 1×2g.10gb + 1×3g.20gb');
  });
});

/** What `kubectl wait --for=condition=Ready` takes for Ready. */
function isReady({ metadata, status }: GpuNodePartition): boolean {
  return (status?.conditions ?? []).some(
    ({ type, status: holds, observedGeneration = 0 }) =>
      type === 'Ready' && holds === 'True' && observedGeneration >= (metadata.generation ?? 0),
  );
}

/** How many slices of each profile each GPU has, as its agent said. */
function slicesOn({ status }: GpuNodePartition): readonly Readonly<Record<string, number>>[] {
  return (status?.device?.gpus ?? []).map(({ instances }) => {
    const counts: Record<string, number> = {};
    for (const { profile } of instances) counts[profile] = (counts[profile] ?? 0) + 1;
    return counts;
  });
}
