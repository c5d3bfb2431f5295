import { expect } from 'chai';
import { applyFolder } from '../../src/simulator/rig/install.ts';
import { clusterTimeoutMs, requireControllers, useOwnCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { findHelm, renderChart } from '../support/helm.ts';
import { readManifests } from './installation.ts';

const system = 'gpu-partition-system';

interface PodView {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly restartPolicy: string };
}

/** What people do to a cluster whose controllers are not well: the tests say in the kubelet's name that they are not. */
describe('a cluster whose controllers are not well', function () {
  const cluster = useOwnCluster();

  before(async function () {
    this.timeout(clusterTimeoutMs);
    await findHelm();
    requireControllers(cluster());
    await applyFolder(cluster(), 'config/default');
    const body = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'worker' } };
    await cluster().client.demand({ method: 'POST', path: '/api/v1/nodes', body });
  });

  const podsOf = async (name: string): Promise<readonly PodView[]> => {
    const selector = `app.kubernetes.io/name=${name}`;
    const { stdout } = await cluster().kubectl(['get', 'pods', '-n', system, '-l', selector, '-o', 'json']);
    return (JSON.parse(stdout) as { readonly items: readonly PodView[] }).items;
  };
  const untilPods = (name: string, count: number): Promise<readonly PodView[]> =>
    eventually(
      () => podsOf(name),
      ({ length }) => length === count,
      { timeoutMs: 30_000, what: `${count} pods of ${name}` },
    );
  /** As the kubelet of their node would. */
  const report = async ({ metadata: { name } }: PodView, status: object): Promise<void> => {
    const path = `/api/v1/namespaces/${system}/pods/${name}`;
    const target = { apiVersion: 'v1', kind: 'Node', name: 'worker' };
    const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target };
    await cluster().client.demand({ method: 'POST', path: `${path}/binding`, body: binding });
    await cluster().client.demand({
      method: 'PATCH',
      path: `${path}/status`,
      body: { status },
      contentType: 'application/merge-patch+json',
    });
  };

  it('drains their machines: pods that are not Ready hold up nobody', async () => {
    const pods = await untilPods('gpu-partition-controller', 2);
    const notReady = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] };
    for (const pod of pods) await report(pod, notReady);
    const budget = ['get', 'pdb', '-n', system, 'gpu-partition-controller', '-o', 'jsonpath={.status.expectedPods}'];
    await eventually(
      async () => (await cluster().kubectl(budget)).stdout,
      (expected) => expected === '2',
      { timeoutMs: 30_000, what: 'the disruption budget to know its pods' },
    );
    for (const { metadata } of pods) {
      const answer = await cluster().client.send({
        method: 'POST',
        path: `/api/v1/namespaces/${system}/pods/${metadata.name}/eviction`,
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: metadata.name, namespace: system } },
      });
      expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
    }
  });

  it('keeps the log of a helm uninstall that failed: docs/install.md has people read it', async () => {
    const { stdout } = await renderChart('--show-only', 'templates/uninstall-hook.yaml');
    const job = readManifests(stdout).find(
      ({ kind, metadata }) => kind === 'Job' && metadata.name === 'gpu-partition-uninstall',
    );
    // The last of its attempts.
    const input = JSON.stringify({ ...job, spec: { ...job?.spec, backoffLimit: 0 } });
    const applied = await cluster().kubectl(['apply', '-f', '-'], { input });
    expect(applied.code, applied.stderr).to.equal(0);
    const [pod] = await untilPods('gpu-partition-uninstall', 1);
    if (pod === undefined) throw new Error('no pod of the Job');
    const terminated = { exitCode: 1, reason: 'Error' };
    const isRestarted = pod.spec.restartPolicy === 'OnFailure';
    const container = { name: 'release', image: 'x', imageID: 'x', ready: false, restartCount: isRestarted ? 1 : 0 };
    await report(pod, {
      phase: isRestarted ? 'Running' : 'Failed',
      containerStatuses: [{ ...container, state: { terminated } }],
    });
    const conditions = [
      'get',
      'job',
      '-n',
      system,
      'gpu-partition-uninstall',
      '-o',
      'jsonpath={.status.conditions[*].type}',
    ];
    await eventually(
      async () => (await cluster().kubectl(conditions)).stdout,
      (types) => types.includes('Fail'),
      { timeoutMs: 30_000, what: 'the Job to have failed' },
    );
    const left = await podsOf('gpu-partition-uninstall');
    expect(left.map(({ metadata: { name, deletionTimestamp } }) => [name, deletionTimestamp])).to.deep.equal([
      [pod.metadata.name, undefined],
    ]);
  });
});
