import { expect } from 'chai';
import { stringify } from 'yaml';
import type { KubeObject } from '../../../src/kube/watch.ts';
import { pods as podsResource } from '../../../src/api/resources.ts';
import { driverDaemonSet } from '../../../src/simulator/rig/workloads.ts';
import { DaemonBench } from '../../simulator/kubelet/daemon-bench.ts';
import { clusterTimeoutMs, uniqueName, useClusterAlone } from '../../support/cluster.ts';
import { eventually } from '../../support/eventually.ts';
import { GpuNodes, states } from '../../support/gpu-nodes.ts';
import { jsonRunner, run } from '../run.ts';

function policyOf(strategy: string, layouts: readonly object[]): string {
  return stringify({
    apiVersion: 'gpupartition.dev/v1alpha1',
    kind: 'GpuPartitionPolicy',
    metadata: { name: 'inference' },
    spec: { nodeSelector: { matchLabels: { pool: 'inference' } }, strategy, layouts },
  });
}

const mixed = policyOf('mixed', [
  { gpus: { models: ['A100-SXM4-40GB'] }, profiles: { '1g.5gb': 1, '3g.20gb': 1 } },
  { gpus: { models: ['A100-SXM4-80GB', 'H100-80GB-HBM3'] }, profiles: { '1g.10gb': 7 } },
]);

describe('gpu-partition export kueue', () => {
  const demanding = (
    slices: readonly object[],
    nodeSelector: object = { matchLabels: { pool: 'shared' } },
    schedules?: readonly object[],
  ): string =>
    stringify({
      apiVersion: 'gpupartition.dev/v1alpha1',
      kind: 'GpuPartitionPolicy',
      metadata: { name: 'shared' },
      spec: { nodeSelector, strategy: 'mixed', demand: { from: 'Kueue', slices }, ...(schedules && { schedules }) },
    });
  const small = { name: 'small', profiles: ['1g.5gb', '1g.10gb'], max: 40 };
  const refused = async (stdin: string) => {
    const { code, stdout, stderr } = await run(['export', 'kueue', '-f', '-'], { stdin });
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    return stderr;
  };

  it('writes queues with the numbers of the demand as quotas, all resources in one group and order', async () => {
    const slices = [small, { profiles: ['1g.10gb'], count: 2 }, { name: 'whole', mig: 'Disabled', max: 3 }];
    const { answer } = await jsonRunner<{ readonly items: readonly (KubeObject & { readonly spec: object })[] }>()(
      ['export', 'kueue', '-f', '-'],
      { stdin: demanding(slices) },
    );
    const resources = [
      { name: 'nvidia.com/gpu', nominalQuota: 3 },
      { name: 'nvidia.com/mig-1g.10gb', nominalQuota: 42 },
      { name: 'nvidia.com/mig-1g.5gb', nominalQuota: 40 },
      { name: 'cpu', nominalQuota: '1M' },
      { name: 'memory', nominalQuota: '1Pi' },
      { name: 'gpupartition.dev/slice-gb', nominalQuota: '1M' },
    ];
    const group = { coveredResources: resources.map(({ name }) => name), flavors: [{ name: 'shared', resources }] };
    expect(answer.items.map(({ kind, spec }) => ({ kind, spec }))).to.deep.equal([
      { kind: 'ResourceFlavor', spec: { nodeLabels: { pool: 'shared' } } },
      { kind: 'ClusterQueue', spec: { namespaceSelector: {}, resourceGroups: [group] } },
      { kind: 'LocalQueue', spec: { clusterQueue: 'shared' } },
    ]);
  });

  it('counts of a demand and of its schedules’ the largest number, and refuses a schedule of layouts', async () => {
    const schedule = { name: 'night', schedule: '0 20 * * *', duration: '10h' };
    const slices = [
      { ...small, max: 50 },
      { profiles: ['7g.40gb'], count: 1 },
    ];
    const night = { ...schedule, demand: { from: 'Kueue', slices } };
    const { answer } = await jsonRunner<{ readonly items: readonly KubeObject[] }>()(['export', 'kueue', '-f', '-'], {
      stdin: demanding([small], undefined, [night]),
    });
    expect(JSON.stringify(answer)).to.contain('{"name":"nvidia.com/mig-1g.5gb","nominalQuota":50}');
    expect(JSON.stringify(answer)).to.contain('{"name":"nvidia.com/mig-7g.40gb","nominalQuota":1}');
    const layouts = [{ ...schedule, layouts: [{ profiles: { '7g.40gb': 1 } }] }];
    expect(await refused(demanding([small], undefined, layouts))).to.match(/it has layouts/);
  });

  it('refuses what has no number, other selectors, and layouts', async () => {
    expect(await refused(demanding([{ ...small, max: undefined }]))).to.match(/slice small has neither count nor max/);
    const nodeSelector = { matchExpressions: [{ key: 'pool', operator: 'Exists' }] };
    expect(await refused(demanding([small], nodeSelector))).to.match(/use matchLabels alone in spec\.nodeSelector/);
    expect(await refused(mixed)).to.match(/policy inference: it has layouts/);
  });

  it('refuses more resources than Kueue allows a queue', async () => {
    const slices = ['1g.*', '2g.*', '3g.*', '4g.*', '7g.*'].map((glob) => ({ profiles: [glob], max: 4 }));
    expect(await refused(demanding(slices))).to.match(/all GPU models have \d+ profiles for its slices.* at most 64/);
  });
});

describe('gpu-partition export dra', () => {
  it('refuses a compute instance that is smaller than its GPU instance by name, and says what to use', async () => {
    const stdin = policyOf('single', [{ gpus: { models: ['A100-SXM4-40GB'] }, profiles: { '1c.3g.20gb': 6 } }]);
    const { code, stdout, stderr } = await run(['export', 'dra', '-f', '-'], { stdin });
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(stderr).to.contain('spec.layouts[0].profiles: 1c.3g.20gb').and.contain('use 3g.20gb');
  });

  it('does nothing with what is not valid, or cannot be read, and speaks of no plan', async () => {
    const refuse = async (stdin: string) => {
      const { code, stderr } = await run(['export', 'dra', '-f', '-'], { stdin });
      return [code, stderr.trim().split('\n').at(-1)];
    };
    const last = 'error: nothing done; fix these errors first';
    expect(await refuse(policyOf('mixed', []))).to.deep.equal([1, last]);
    expect(await refuse('a: [')).to.deep.equal([2, last]);
  });

  it('says that whole GPUs need no class of ours', async () => {
    const { code, stderr } = await run(['export', 'dra', '-f', '-'], {
      stdin: policyOf('none', [{ mig: 'Disabled' }]),
    });
    expect(code).to.equal(1);
    expect(stderr).to.contain('create no slices').and.contain('gpu.nvidia.com');
  });

  it('writes the same as one List of JSON', async () => {
    const { answer } = await jsonRunner<{ readonly kind: string; readonly items: readonly KubeObject[] }>()(
      ['export', 'dra', '-f', '-'],
      { stdin: mixed },
    );
    const { stdout } = await run(['export', 'dra', '-f', '-'], { stdin: mixed });
    expect(answer.kind).to.equal('List');
    expect(stdout.split('---\n').slice(1)).to.have.length(answer.items.length);
  });
});

describe('what gpu-partition export dra writes', function () {
  // The names of extended resources would take the pods of other suites.
  const cluster = useClusterAlone();
  let bench: DaemonBench;
  let node: string;

  before(async function () {
    this.timeout(clusterTimeoutMs);
    bench = new DaemonBench(await GpuNodes.start(cluster(), { restartMs: 100 }));
    node = (await bench.nodes.boot(states.twoSlices, { plugin: 'pod' })).name;
    await bench.deploy(driverDaemonSet, node);
    const { stdout } = await run(['export', 'dra', '-f', '-'], { stdin: mixed });
    const applied = await cluster().kubectl(['apply', '-n', bench.nodes.namespace, '-f', '-'], { input: stdout });
    expect(applied.code, applied.stderr).to.equal(0);
  });

  after(async () => {
    await bench.nodes.stop();
  });

  /** Creates a pod, waits until it runs, and says which device it has. */
  async function deviceOf(spec: object, resources: object): Promise<string | undefined> {
    const name = uniqueName('pod');
    await bench.nodes.client.create(podsResource, {
      metadata: { name, namespace: bench.nodes.namespace },
      spec: { ...spec, containers: [{ name: 'main', image: 'example.com/train:1', resources }] },
    } as KubeObject);
    await bench.nodes.waitForPhase(name, 'Running');
    const holding = bench.nodes.fleet.listHoldings(node).find((one) => one.name === name);
    await bench.nodes.deletePod(name, 1);
    await bench.nodes.waitForNoPod(name);
    return holding?.containers[0]?.claims?.[0]?.devices[0]?.device;
  }

  it('is taken by the API server as it is, a second time too', async () => {
    const { stdout } = await run(['export', 'dra', '-f', '-'], { stdin: mixed });
    const { code, stdout: said } = await cluster().kubectl(['apply', '-n', bench.nodes.namespace, '-f', '-'], {
      input: stdout,
    });
    expect(code).to.equal(0);
    expect(
      said
        .trimEnd()
        .split('\n')
        .filter((line) => !line.endsWith(' unchanged')),
    ).to.deep.equal([]);
  });

  it('lets a pod that was written for the device plugin run by claim', async () => {
    expect(await deviceOf({}, { limits: { 'nvidia.com/mig-3g.20gb': 1 } })).to.equal('gpu-0-mig-3g20gb-9-0');
  });

  it('gives a pod the smallest slice of a template’s choice, and any that is large enough by a class of a size', async () => {
    const byTemplate = { resourceClaims: [{ name: 'slice', resourceClaimTemplateName: 'mig-at-least-5gb' }] };
    const resources = { claims: [{ name: 'slice', request: 'slice' }] };
    expect(await deviceOf(byTemplate, resources)).to.equal('gpu-0-mig-1g5gb-19-6');
    const limits = { 'deviceclass.resource.kubernetes.io/mig-at-least-20gb.gpu.nvidia.com': 1 };
    expect(await deviceOf({}, { limits })).to.equal('gpu-0-mig-3g20gb-9-0');
  });

  it('has a sample that runs with replicas', async () => {
    const { namespace } = bench.nodes;
    await cluster().kubectl(['scale', '-n', namespace, 'deployment/slice-sample', '--replicas=1']);
    await eventually(
      async () =>
        (
          await cluster().kubectl([
            'get',
            'pods',
            '-n',
            namespace,
            '-l',
            'app=slice-sample',
            '-o',
            'jsonpath={.items[*].status.phase}',
          ])
        ).stdout,
      (phases) => phases === 'Running',
      { what: 'the sample to run' },
    );
  });
});
