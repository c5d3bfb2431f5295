import { expect } from 'chai';
import { cleanupFinalizer } from '../../src/api/names.ts';
import { applyFolder } from '../../src/simulator/rig/install.ts';
import { run } from '../cli/run.ts';
import { clusterTimeoutMs, useOwnCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { findHelm, renderChart } from '../support/helm.ts';
import { awaitKueueKinds, kueueDefinitions } from '../support/kueue.ts';
import { attempt } from './attempt.ts';

const system = 'gpu-partition-system';
const deployment = `/apis/apps/v1/namespaces/${system}/deployments/gpu-partition-controller`;
const nodePath = '/api/v1/nodes/marked';
const policyPath = '/apis/gpupartition.dev/v1alpha1/gpupartitionpolicies/held';

describe('the release of a cluster that still has its controllers', function () {
  const cluster = useOwnCluster();

  before(async function () {
    this.timeout(clusterTimeoutMs);
    await findHelm();
    await applyFolder(cluster(), 'config/default');
  });

  const kubectl = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await cluster().kubectl(args);
    expect(code, stderr).to.equal(0);
    return stdout;
  };
  const apply = async (object: object, ...more: readonly string[]): Promise<void> => {
    const input = JSON.stringify(object);
    const { code, stderr } = await cluster().kubectl(['apply', ...more, '-f', '-'], { input });
    expect(code, stderr).to.equal(0);
  };

  /** What a controller leaves that was stopped during a change: two pods, a node with marks, a policy that waits for it. */
  beforeEach(async () => {
    await kubectl('scale', '-n', system, 'deployment/gpu-partition-controller', '--replicas=2');
    const pods = ['get', 'pods', '-n', system, '-o', 'name'];
    await eventually(
      async () => (await kubectl(...pods)).trim().split('\n'),
      (names) => names.filter(Boolean).length === 2,
      { timeoutMs: 30_000, what: 'the pods of the controllers' },
    );
    const labels = {
      'nvidia.com/gpu.present': 'true',
      'gpupartition.dev/policy': 'held',
      'nvidia.com/gpu.deploy.dcgm': 'paused-for-mig-change',
    };
    const annotations = {
      'gpupartition.dev/on-loan': JSON.stringify({
        'nvidia.com/gpu.deploy.dcgm': { was: 'true', set: 'paused-for-mig-change' },
      }),
    };
    const taints = [{ key: 'gpupartition.dev/repartitioning', effect: 'NoSchedule' }];
    await apply({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'marked', labels, annotations },
      spec: { taints },
    });
    const condition = { type: 'GpuPartitionReady', status: 'False', reason: 'Applying', message: 'GPU 0 changes' };
    const patch = JSON.stringify({ status: { conditions: [condition] } });
    await kubectl('patch', 'node', 'marked', '--subresource=status', '--type=strategic', '-p', patch);
    await apply({
      apiVersion: 'gpupartition.dev/v1alpha1',
      kind: 'GpuPartitionPolicy',
      metadata: { name: 'held', finalizers: [cleanupFinalizer] },
      spec: { nodeSelector: { matchLabels: { pool: 'p' } }, strategy: 'mixed', layouts: [{ mig: 'Disabled' }] },
    });
  });

  /** Runs the command as this account. */
  async function release(namespace: string, account: string, stop = '--stop-controller') {
    const token = await cluster().serviceAccountToken(namespace, account);
    return run(['release', stop, '--kubeconfig', await cluster().kubeconfigFile({ token })]);
  }

  async function expectReleased(): Promise<void> {
    expect(await kubectl('get', 'pods', '-n', system, '-o', 'name')).to.equal('');
    const node = (await cluster().client.demand({ path: nodePath })) as {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: { readonly taints?: readonly { readonly key: string }[] };
      readonly status: { readonly conditions?: readonly { readonly type: string }[] };
    };
    expect(node.status.conditions?.map(({ type }) => type) ?? []).to.not.include('GpuPartitionReady');
    expect(node.metadata.labels).to.include({ 'nvidia.com/gpu.deploy.dcgm': 'true' });
    expect(node.metadata.labels).to.not.have.property('gpupartition.dev/policy');
    expect(node.spec.taints?.map(({ key }) => key) ?? []).to.not.include('gpupartition.dev/repartitioning');
    const policy = (await cluster().client.demand({ path: policyPath })) as { readonly metadata: object };
    expect(policy.metadata).to.not.have.property('finalizers');
  }

  it('stops them first, with the rights of gpu-partition-releaser alone', async () => {
    const name = 'gpu-partition-releaser';
    await kubectl('create', 'serviceaccount', name, '-n', 'default');
    await kubectl('create', 'clusterrolebinding', name, `--clusterrole=${name}`, `--serviceaccount=default:${name}`);
    const { code, stdout, stderr } = await release('default', name);
    expect(code, stderr).to.equal(0);
    expect(stdout).to.include('node marked: open again');
    expect(stdout).to.include('policy held: it can be deleted without a controller');
    await expectReleased();
  });

  it('stops the Deployment that it is told, which the chart may have named otherwise', async () => {
    const stop = '--stop-controller=own-controller';
    const { code, stderr } = await release('default', 'gpu-partition-releaser', stop);
    expect(code, stderr).to.not.equal(0);
    expect(stderr).to.include(`cannot stop Deployment ${system}/own-controller`);
    expect(await kubectl('get', '-n', system, 'deploy', '-o', 'jsonpath={.items[*].spec.replicas}')).to.equal('2');
  });

  it('is what the chart’s hook does with the controller’s account, which may scale that Deployment and no more', async () => {
    const { stdout, stderr } = await renderChart('--show-only', 'templates/uninstall-hook.yaml');
    const { code } = await cluster().kubectl(['apply', '-l', 'app.kubernetes.io/component=rights', '-f', '-'], {
      input: stdout,
    });
    expect(code, stderr).to.equal(0);
    const account = 'gpu-partition-controller';
    const released = await release(system, account);
    expect(released.code, released.stderr).to.equal(0);
    await expectReleased();
    const token = await cluster().serviceAccountToken(system, account);
    const patch = { metadata: { labels: { taken: 'over' } } };
    expect(await attempt(cluster(), token, { method: 'PATCH', path: deployment, body: patch })).to.match(
      /cannot patch/,
    );
    const scale = { method: 'PATCH', path: `${deployment}-other/scale`, body: { spec: { replicas: 0 } } } as const;
    expect(await attempt(cluster(), token, scale)).to.match(/cannot patch/);
  });

  it('takes the quotas from queues of Kueue that the controller kept, as a deleted policy does, and names those that it may not', async () => {
    for (const one of kueueDefinitions()) await apply(one);
    await kubectl(...awaitKueueKinds);
    const resources = [{ name: 'nvidia.com/mig-1g.5gb', nominalQuota: '4' }];
    const resourceGroups = [{ coveredResources: ['nvidia.com/mig-1g.5gb'], flavors: [{ name: 'lent', resources }] }];
    const aQueue = (name: string, labels: object) => ({
      apiVersion: 'kueue.x-k8s.io/v1beta2',
      kind: 'ClusterQueue',
      metadata: { name, labels },
      spec: { namespaceSelector: {}, resourceGroups },
    });
    const labels = { 'app.kubernetes.io/managed-by': 'gpu-partition-controller', 'gpupartition.dev/policy': 'held' };
    await apply(aQueue('lent', labels), '--server-side', '--field-manager=gpu-partition-controller');
    await apply(aQueue('theirs', {}));
    const quota = '{.spec.resourceGroups[0].flavors[0].resources[0].nominalQuota}';
    const quotas = async (): Promise<readonly string[]> =>
      Promise.all(['lent', 'theirs'].map((name) => kubectl('get', 'clusterqueue', name, '-o', `jsonpath=${quota}`)));
    const condition = { type: 'KueueQuota', status: 'True', reason: 'QuotaWritten', message: 'lent' };
    const conditions = [{ ...condition, lastTransitionTime: '2026-01-01T00:00:00Z' }];
    const told = JSON.stringify({ spec: { kueue: { clusterQueue: 'lent' } }, status: { conditions } });
    await kubectl('patch', 'gpp', 'held', '--type=merge', '-p', told);
    await kubectl('patch', 'gpp', 'held', '--subresource=status', '--type=merge', '-p', told);

    const refused = await release(system, 'gpu-partition-controller');
    expect(refused.code, refused.stderr).to.equal(1);
    expect(refused.stdout).to.match(
      /ClusterQueue lent: its quotas stay: .*kubectl delete clusterqueue,resourceflavor lent/,
    );
    expect(await quotas()).to.deep.equal(['4', '4']);
    const { code, stdout, stderr } = await release('default', 'gpu-partition-releaser');
    expect(code, stderr).to.equal(0);
    expect(stdout).to.include('ClusterQueue lent: its quotas are 0');
    expect(await quotas()).to.deep.equal(['0', '4']);
    const again = await release('default', 'gpu-partition-releaser');
    expect(again.stdout).to.not.include('ClusterQueue');
  });

  it('cleans up as well where Deployment and CRDs are gone already', async () => {
    await kubectl('patch', 'gpp', 'held', '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
    await kubectl('delete', '-k', 'config/crd', '--timeout=30s');
    await kubectl(
      'delete',
      '-n',
      system,
      'deployment/gpu-partition-controller',
      '--cascade=foreground',
      '--timeout=30s',
    );
    const { code, stdout, stderr } = await release('default', 'gpu-partition-releaser');
    expect(code, stderr).to.equal(0);
    expect(stdout).to.include('node marked: open again');
  });
});
