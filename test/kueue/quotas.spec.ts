import { expect } from 'chai';
import type { Component } from '../../src/simulator/control-plane/components.ts';
import { renderFolder } from '../api/installation.ts';
import { clusterTimeoutMs } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { applyObjects } from '../support/gpu-pods.ts';
import {
  aQueuedJob,
  exportKueueSettings,
  exportQueues,
  largeSlice,
  queueNodes,
  queueSpec,
  quotasOf,
} from '../support/kueue.ts';
import { useRig } from '../support/rig.ts';
import { startKueue } from './start-kueue.ts';

const small = 'nvidia.com/mig-1g.5gb';

describe('quotas in Kueue itself that follow what is verified', function () {
  const rig = useRig(queueNodes);
  let kueue: Component | undefined;

  const spec = (profiles: Readonly<Record<string, number>>) => ({
    nodeSelector: { matchLabels: { pool: 'p' } },
    rollout: { maxUnavailable: 1 },
    layouts: [{ profiles }],
    kueue: { clusterQueue: 'lent', cohort: 'gpus' },
  });
  const first = spec({ '1g.5gb': 2, '3g.20gb': 1 });
  const until = (what: string, wanted: Readonly<Record<string, string>>) =>
    eventually(
      () => quotasOf(rig(), 'lent'),
      (found) => Object.entries(wanted).every(([name, count]) => found[name] === count),
      { what, timeoutMs: 120_000 },
    );
  const isSuspended = (job: string): Promise<string> =>
    rig().kubectl('get', 'job', job, '-o', 'jsonpath={.spec.suspend}');

  before(async function () {
    this.timeout(clusterTimeoutMs);
    kueue = await startKueue(rig(), await exportKueueSettings(first));
  });
  after(async () => kueue?.kill());

  it('are taken by Kueue, which starts with the exported settings, and lent to a team’s exported queue', async () => {
    await applyObjects(rig(), await renderFolder('config/kueue'));
    await rig().apply('p', first);
    await until('two large slices', { [small]: '4', [largeSlice]: '2' });
    await rig().waitFor('p', 'KueueQuota', 'True', 'QuotaWritten', 60_000);
    await applyObjects(rig(), await exportQueues(first));
    const queues = ['clusterqueue/lent', 'clusterqueue/p-team', 'localqueue/p'];
    await rig().kubectl('wait', '--for=condition=Active', '--timeout=60s', ...queues);
  });

  it('admit a job that fits what is offered, onto the nodes of the policy, and hold the next one back', async () => {
    await applyObjects(rig(), [aQueuedJob('one')]);
    await rig().kubectl('wait', '--for=jsonpath={.status.ready}=2', 'job/one', '--timeout=90s');
    await applyObjects(rig(), [aQueuedJob('two')]);
    const usage = '{.status.flavorsUsage[0].resources[?(@.name=="gpupartition.dev/slice-gb")].total}';
    await eventually(
      () => rig().kubectl('get', 'clusterqueue', 'p-team', '-o', `jsonpath=${usage}`),
      (total) => total === '40',
      { what: 'the GB of two large slices' },
    );
    const selector = '{.spec.template.spec.nodeSelector}';
    expect(await rig().kubectl('get', 'job', 'one', '-o', `jsonpath=${selector}`)).to.include(
      'gpupartition.dev/policy',
    );
    expect(await isSuspended('two')).to.equal('true');
  });

  it('fall before each node changes and rise once it is verified, and the job that waited is admitted then', async () => {
    await rig().apply('p', spec({ '3g.20gb': 2 }));
    await until('four large slices', { [largeSlice]: '4' });
    expect(await quotasOf(rig(), 'lent'), 'of a profile that the policy makes no more').to.not.have.property(small);
    await rig().kubectl('wait', '--for=jsonpath={.status.ready}=2', 'job/two', '--timeout=90s');
    const evictions = (await rig().writes()).filter((write) => write.includes('eviction') && !write.includes('nvidia'));
    expect(evictions).to.deep.equal([]);
    expect(await isSuspended('one')).to.equal('false');
  });

  it('are 0 without the policy, while what was admitted stays', async () => {
    await rig().kubectl('delete', 'gpp', 'p');
    await until('nothing', { [largeSlice]: '0', cpu: '0' });
    expect(await isSuspended('two')).to.equal('false');
    await rig().kubectl('wait', '--for=condition=Active', '--timeout=60s', 'clusterqueue/lent');
  });

  it('rise with a demand that follows what Kueue holds back for want of them', async () => {
    await rig().kubectl('delete', 'job', 'one', 'two', '--wait');
    const whole = 'nvidia.com/mig-7g.40gb';
    await rig().apply('p', spec({ '7g.40gb': 1 }));
    await until('no slice of the job', { [whole]: '2' });
    await rig().apply('p', { ...queueSpec, kueue: first.kueue });
    await applyObjects(rig(), [aQueuedJob('three')]);
    await rig().kubectl('wait', '--for=jsonpath={.status.ready}=2', 'job/three', '--timeout=120s');
    expect(await isSuspended('three')).to.equal('false');
    // Kueue writes its status with every job, and quantities in its own way: nothing is repeated for that.
    const writes = (await rig().writes()).filter((write) => write.includes('clusterqueues'));
    expect(writes.length).to.be.within(4, 20);
  });
});
