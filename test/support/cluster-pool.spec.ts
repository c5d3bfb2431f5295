import { expect } from 'chai';
import type { ControlPlane } from '../../src/simulator/control-plane/start.ts';
import { pick } from '../../src/simulator/control-plane/access.ts';
import { borrowCluster, spoilLent, stopIdle } from './cluster-pool.ts';
import { clusterTimeoutMs, createNamespace } from './cluster.ts';
import { askEtcd } from './etcd.ts';
import { eventually } from './eventually.ts';

const policies = '/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies';
const role = '/apis/rbac.authorization.k8s.io/v1/clusterroles/gpu-partition-controller';
const crd = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/gpupartitionpolicies.gpupartition.dev';
const merge = 'application/merge-patch+json';

/** All that is stored but what the API server writes about itself. */
async function keysOf(cluster: ControlPlane): Promise<readonly string[]> {
  const { kvs = [] } = await askEtcd(cluster, 'range', {
    key: btoa('/registry/'),
    range_end: btoa('/registry0'),
    keys_only: true,
  });
  return kvs
    .map(({ key }) => atob(key))
    .filter((key) => !/^\/registry\/(masterleases|leases\/kube-system|events)\//.test(key));
}

async function litter(cluster: ControlPlane): Promise<void> {
  const post = (path: string, body: object) => cluster.client.demand({ method: 'POST', path, body });
  await post('/api/v1/nodes', { metadata: { name: 'left', finalizers: ['test.example/never'] } });
  await post(policies, {
    apiVersion: 'gpupartition.dev/v1alpha1',
    kind: 'GpuPartitionPolicy',
    metadata: { name: 'left', finalizers: ['test.example/never'] },
    spec: { nodeSelector: { matchLabels: { pool: 'p' } }, strategy: 'mixed', layouts: [{ mig: 'Disabled' }] },
  });
  const template = { metadata: { labels: { app: 'left' } }, spec: { containers: [{ name: 'main', image: 'none' }] } };
  const selector = { matchLabels: { app: 'left' } };
  for (const namespace of ['default', await createNamespace(cluster)]) {
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    await post(path, { metadata: { name: 'left' }, spec: { replicas: 3, selector, template } });
    await eventually(
      async () => pick(await cluster.client.demand({ path: `/api/v1/namespaces/${namespace}/pods` }), 'items'),
      (pods) => Array.isArray(pods) && pods.length === 3,
      { timeoutMs: 20_000 },
    );
  }
  await cluster.client.demand({ method: 'PATCH', path: role, body: { rules: [] }, contentType: merge });
}

describe('a control plane that suites use one after the other @all', function () {
  this.timeout(clusterTimeoutMs);

  const borrowed: ControlPlane[] = [];
  const borrow = async (use: 'alone' | 'shared'): Promise<ControlPlane> => {
    const cluster = await borrowCluster(use);
    borrowed.push(cluster);
    return cluster;
  };

  before(stopIdle);
  afterEach(async () => {
    await Promise.all(borrowed.splice(0).map((cluster) => cluster.stop()));
    await stopIdle();
  });

  it('has all that the first found and nothing of what it left, even if finalizers and controllers would keep it', async () => {
    const first = await borrow('alone');
    const keys = await keysOf(first);
    const { rules } = (await first.client.demand({ path: role })) as { readonly rules: readonly unknown[] };
    await litter(first);
    await first.stop();
    const second = await borrow('alone');
    expect(second.pids(), 'the same one').to.deep.equal(first.pids());
    expect(await keysOf(second)).to.deep.equal(keys);
    expect(pick(await second.client.demand({ path: role }), 'rules')).to.deep.equal(rules);
    expect(pick(await second.client.demand({ path: policies }), 'items')).to.deep.equal([]);
    const node = { method: 'POST', path: '/api/v1/nodes', body: { metadata: { name: 'left' } } } as const;
    await second.client.demand(node);
    const writes = (await second.auditedWrites()).filter(({ user }) => user === 'admin');
    expect(writes.map(({ verb, resource, name }) => [verb, resource, name])).to.deep.equal([
      ['create', 'nodes', 'left'],
    ]);
  });

  it('is left as it is from one suite to the next while suites have names of their own', async () => {
    const first = await borrow('shared');
    await litter(first);
    await first.stop();
    const second = await borrow('shared');
    expect(second.pids()).to.deep.equal(first.pids());
    expect((await second.client.send({ path: '/api/v1/nodes/left' })).status).to.equal(200);
  });

  it('makes way for a new one after its API server was killed', async () => {
    const first = await borrow('alone');
    await first.killApiServer();
    await first.stop();
    expect(first.pids(), 'stopped').to.deep.equal({});
    const second = await borrow('alone');
    expect((await second.client.send({ path: '/readyz' })).status).to.equal(200);
  });

  it('makes way for a new one after a failed test', async () => {
    const first = await borrow('alone');
    spoilLent();
    await first.stop();
    expect(first.pids()).to.deep.equal({});
  });

  it('makes way for a new one if the schema of our kinds was changed', async () => {
    const first = await borrow('alone');
    const body = { spec: { names: { shortNames: ['other'] } } };
    await first.client.demand({ method: 'PATCH', path: crd, body, contentType: merge });
    await first.stop();
    const second = await borrow('alone');
    expect(second.server).to.not.equal(first.server);
    expect(first.pids()).to.deep.equal({});
    expect(pick(await second.client.demand({ path: crd }), 'spec', 'names', 'shortNames')).to.deep.equal(['gpp']);
  });

  it('is not given to a second suite while the first has it', async () => {
    const first = await borrow('alone');
    const second = await borrow('alone');
    expect(second.server).to.not.equal(first.server);
  });
});
