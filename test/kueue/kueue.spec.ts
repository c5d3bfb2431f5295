import { expect } from 'chai';
import type { GpuPartitionPolicy } from '../../src/api/types.ts';
import type { Component } from '../../src/simulator/control-plane/components.ts';
import { clusterTimeoutMs } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { applyObjects } from '../support/gpu-pods.ts';
import { aQueuedJob, exportQueues, largeSlice, queueNodes, queueSpec } from '../support/kueue.ts';
import { useRig } from '../support/rig.ts';
import { startKueue } from './start-kueue.ts';

describe('a demand from Kueue itself', function () {
  const rig = useRig(queueNodes);
  let kueue: Component | undefined;

  before(async function () {
    this.timeout(clusterTimeoutMs);
    kueue = await startKueue(rig());
  });
  after(async () => kueue?.kill());

  type Slice = NonNullable<NonNullable<GpuPartitionPolicy['status']>['demand']>[number];
  const until = (what: string, holds: (slice: Slice) => boolean): Promise<Slice | undefined> =>
    eventually(
      async () => (await rig().policy('p')).status?.demand?.find(({ name }) => name === 'large'),
      (one) => one !== undefined && holds(one),
      { timeoutMs: 120_000, what },
    );
  const jobs = async (jsonPath: string): Promise<string> => rig().kubectl('get', 'jobs', '-o', `jsonpath=${jsonPath}`);

  it('accepts the exported queues as they are', async () => {
    await rig().apply('p', queueSpec);
    await applyObjects(rig(), await exportQueues());
    await rig().kubectl('wait', '--for=condition=Active', '--timeout=60s', 'clusterqueue/p', 'localqueue/p');
  });

  it('admits a job for which there is no slice yet, and its pods get theirs', async () => {
    await applyObjects(rig(), [aQueuedJob('first')]);
    await until('two large slices in use', ({ used, waiting }) => used === 2 && waiting === 0);
    expect(await jobs('{.items[*].spec.suspend}')).to.equal('false');
  });

  it('counts a job that Kueue holds back for want of quota, which has no pods, and makes its slices in advance', async () => {
    const quota = [{ op: 'replace', path: '/spec/resourceGroups/0/flavors/0/resources/1/nominalQuota', value: '2' }];
    const resource = await rig().kubectl(
      'get',
      'clusterqueue',
      'p',
      '-o',
      'jsonpath={.spec.resourceGroups[0].flavors[0].resources[1].name}',
    );
    expect(resource).to.equal(largeSlice);
    await rig().kubectl('patch', 'clusterqueue', 'p', '--type=json', '-p', JSON.stringify(quota));
    await applyObjects(rig(), [aQueuedJob('second')]);
    const slice = await until('two more', ({ offered, waiting }) => offered === 4 && waiting === 2);
    expect(slice).to.include({ wanted: 4, used: 2, unmet: 0 });
    expect(await jobs('{.items[?(@.metadata.name=="second")].spec.suspend}')).to.equal('true');
    expect(await rig().kubectl('get', 'pods', '-l', 'job-name=second', '-o', 'name')).to.equal('');
  });

  it('counts it by its pods, once, when the first has gone', async () => {
    await rig().kubectl('delete', 'job', 'first', '--wait');
    await rig().kubectl('wait', '--for=jsonpath={.status.ready}=2', 'job/second', '--timeout=90s');
    const slice = await until('only the second job', ({ used, waiting }) => used === 2 && waiting === 0);
    expect(slice?.offered).to.be.at.least(2);
    const evictions = (await rig().writes()).filter((write) => write.includes('eviction'));
    expect(evictions).to.deep.equal([]);
  });
});
