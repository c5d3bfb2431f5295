import { expect } from 'chai';
import { attempt } from '../api/attempt.ts';
import { renderFolder } from '../api/installation.ts';
import { eventually } from '../support/eventually.ts';
import { applyObjects } from '../support/gpu-pods.ts';
import { installKueueKinds, largeSlice, queueNodes, quotasOf } from '../support/kueue.ts';
import { useRig } from '../support/rig.ts';

const small = 'nvidia.com/mig-1g.5gb';
const base = '/apis/kueue.x-k8s.io/v1beta2';

describe('quotas in Kueue that follow what is verified', function () {
  const rig = useRig(queueNodes);

  const spec = (profiles: Readonly<Record<string, number>>) => ({
    nodeSelector: { matchLabels: { pool: 'p' } },
    layouts: [{ profiles }],
    kueue: { clusterQueue: 'lent', cohort: 'gpus' },
  });
  const until = (what: string, wanted: Readonly<Record<string, string>>) =>
    eventually(
      () => quotasOf(rig(), 'lent'),
      (found) => Object.entries(wanted).every(([name, count]) => found[name] === count),
      { what, timeoutMs: 60_000 },
    );

  it('say without Kueue, and without the rights, what to do, and keep no layout from a node', async () => {
    await rig().apply('p', spec({ '1g.5gb': 2 }));
    await rig().waitFor('p', 'KueueQuota', 'False', 'KueueUnavailable', 60_000);
    await installKueueKinds(rig());
    const told = await rig().waitFor('p', 'KueueQuota', 'False', 'QuotaRefused', 60_000);
    const { message } = told.status?.conditions?.find(({ type }) => type === 'KueueQuota') ?? {};
    expect(message).to.match(/cannot get .*The rights are in config\/kueue \(chart: kueue\.enabled\)/);
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
  });

  it('are what all nodes offer once the rights are there', async () => {
    await applyObjects(rig(), await renderFolder('config/kueue'));
    await rig().waitFor('p', 'KueueQuota', 'True', 'QuotaWritten', 60_000);
    expect(await quotasOf(rig(), 'lent')).to.include({ [small]: '4', cpu: '1M' });
  });

  it('are lower before a node is admitted, and rise when it is verified', async () => {
    const before = (await rig().writes()).length;
    await rig().apply('p', spec({ '1g.5gb': 2, '3g.20gb': 1 }));
    await until('what is new', { [small]: '4', [largeSlice]: '2' });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    const writes = (await rig().writes()).slice(before);
    const at = (part: string): number => writes.findIndex((write) => write.includes(part));
    const quota = at('patch clusterqueues.kueue.x-k8s.io lent');
    expect(quota, writes.join('\n')).to.be.within(0, at('patch nodes n') - 1);
    // Once for each of two waves down, and up.
    expect(writes.filter((write) => write.includes('clusterqueues')).length).to.be.within(2, 6);
  });

  it('are 0 when the policy goes, and the queue stays for whom it serves', async () => {
    await rig().kubectl('delete', 'gpp', 'p');
    await until('no quota', { [small]: '0', [largeSlice]: '0', cpu: '0' });
  });

  it('are all that the controller’s token can write of Kueue, and of its own queues alone', async () => {
    const { controlPlane } = rig();
    const token = await controlPlane.serviceAccountToken('gpu-partition-system', 'gpu-partition-controller');
    const asController = 'fieldManager=gpu-partition-controller';
    const attack = (path: string, body: object): Promise<string> =>
      attempt(controlPlane, token, { path: `${base}/${path}?${asController}`, body });
    const quota = [
      { coveredResources: ['cpu'], flavors: [{ name: 'x', resources: [{ name: 'cpu', nominalQuota: '1' }] }] },
    ];
    const theirs = { apiVersion: 'kueue.x-k8s.io/v1beta2', kind: 'ClusterQueue', metadata: { name: 'theirs' } };
    await applyObjects(rig(), [{ ...theirs, spec: { resourceGroups: quota } }]);
    expect(await attack('clusterqueues/theirs', { spec: { resourceGroups: [] } })).to.include('that it keeps');
    const labels = { 'app.kubernetes.io/managed-by': 'gpu-partition-controller' };
    expect(await attack('clusterqueues/theirs', { metadata: { labels }, spec: {} })).to.include('that it keeps');
    expect(await attack('clusterqueues/lent', { spec: { namespaceSelector: {} } })).to.include('only resourceGroups');
    expect(await attack('clusterqueues/lent', { metadata: { labels: { own: 'x' } } })).to.equal('');
    expect(await attack('resourceflavors/lent', { spec: { nodeLabels: { pool: 'x' } } })).to.include(
      'selects the nodes',
    );
    const open = { ...theirs, metadata: { name: 'open', labels }, spec: { namespaceSelector: {} } };
    const path = `${base}/clusterqueues?${asController}`;
    expect(await attempt(controlPlane, token, { method: 'POST', path, body: open })).to.include('only resourceGroups');
    expect(await attempt(controlPlane, token, { method: 'DELETE', path: `${base}/clusterqueues/lent` })).to.include(
      '403',
    );
    const manager = `${base}/clusterqueues/lent?fieldManager=kueue`;
    expect(await attempt(controlPlane, token, { path: manager, body: { spec: { resourceGroups: [] } } })).to.include(
      'own field manager',
    );
  });
});
