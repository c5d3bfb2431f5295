import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { RetryAnswer } from '../../src/cli/commands/retry.ts';
import type { PolicySpec } from '../../src/api/types.ts';
import type { ChangePlan } from '../../src/core/plan/change.ts';
import type { PlannedNode } from '../../src/core/plan/node.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { jsonRunner } from '../cli/run.ts';
import { eventually } from '../support/eventually.ts';
import { applyObjects, gpuPod } from '../support/gpu-pods.ts';
import { ownTaints, useRig } from '../support/rig.ts';

const nodes = ['n1', 'n2', 'n3'].map((name): RigNode => ({
  name,
  gpus: ['A100-SXM4-40GB'],
  labels: { pool: 'p', name },
  strategy: 'mixed',
}));
const half = 'nvidia.com/mig-3g.20gb';
const cap = ['--max-concurrent-nodes', '100%'];
const runPlan = jsonRunner<ChangePlan>();
const runRetry = jsonRunner<readonly RetryAnswer[]>();

/** Two pods of a Deployment on n1, which may not be disturbed. */
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'train', namespace: 'default' },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'train' } },
    template: {
      metadata: { labels: { app: 'train' } },
      spec: {
        nodeSelector: { name: 'n1' },
        containers: [{ name: 'main', image: 'example.com/train:1', resources: { limits: { [half]: 1 } } }],
      },
    },
  },
};
const budget = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'train', namespace: 'default' },
  spec: { minAvailable: 2, selector: { matchLabels: { app: 'train' } } },
};

describe('gpu-partition plan and retry, on a cluster @all', function () {
  const rig = useRig(nodes, { controllerArguments: [...cap, '--lease-seconds', '15'] });
  const nodeSelector = { matchLabels: { pool: 'p' } };
  const spec = (profiles: Record<string, number>) => ({ nodeSelector, layouts: [{ profiles }] });
  let folder = '';
  let found: ChangePlan;

  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'plan-'));
    await rig().apply('p', { ...spec({ '3g.20gb': 2 }), rollout: { maxUnavailable: 3 } });
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 150_000);
    await applyObjects(rig(), [
      deployment,
      budget,
      gpuPod({ name: 'bare', resource: half, nodeSelector: { name: 'n2' } }),
    ]);
    await eventually(
      () => podsOn('n1'),
      (pods) => pods.length === 2,
      { timeoutMs: 90_000, what: 'pods on n1' },
    );
    await eventually(
      () => podsOn('n2'),
      (pods) => pods.length === 1,
      { timeoutMs: 90_000, what: 'a pod on n2' },
    );
    await rig().kubectl('wait', 'pdb/train', '--for=jsonpath={.status.currentHealthy}=2', '--timeout=90s');
  });
  after(async () => rm(folder, { recursive: true, force: true }));

  /** A kubeconfig of an account that has this role and no other. */
  async function accountWith(role: string): Promise<string> {
    const { controlPlane } = rig();
    await rig().kubectl('create', 'serviceaccount', role, '-n', 'default');
    await rig().kubectl(
      'create',
      'clusterrolebinding',
      role,
      `--clusterrole=${role}`,
      `--serviceaccount=default:${role}`,
    );
    return controlPlane.kubeconfigFile({ token: await controlPlane.serviceAccountToken('default', role) });
  }

  async function writePolicy(more: object): Promise<string> {
    const file = join(folder, 'policy.yaml');
    const apiVersion = 'gpupartition.dev/v1alpha1';
    const policy = {
      apiVersion,
      kind: 'GpuPartitionPolicy',
      metadata: { name: 'p' },
      spec: { strategy: 'mixed', ...more },
    };
    await writeFile(file, stringify(policy));
    return file;
  }

  const podsOn = async (node: string): Promise<readonly string[]> =>
    ((await rig().partition(node)).status?.device?.gpus ?? []).flatMap(({ instances }) =>
      instances.flatMap(({ pods = [] }) => pods),
    );

  it('says with the right to read alone who goes, who is in the way, and in which order', async () => {
    const file = await writePolicy({ ...spec({ '1g.5gb': 7 }), rollout: { maxUnavailable: 2 } });
    const kubeconfig = await accountWith('gpu-partition-planner');
    const { code, answer } = await runPlan(['plan', '-f', file, '--kubeconfig', kubeconfig, ...cap]);
    found = answer;
    expect(code).to.equal(1);
    expect(answer.waves.map((wave) => wave.nodes)).to.deep.equal([['n3', 'n1']]);
    expect(answer.findings.map((one) => `${one.node} ${one.code} ${one.pod?.replace(/-.*/, '')}`)).to.deep.equal([
      'n1 PodStays default/train',
      'n1 PodStays default/train',
      'n2 PodStays default/bare',
    ]);
    expect(answer.findings[0]?.message).to.match(
      /PodDisruptionBudget default\/train never allows a disruption: it needs 2 healthy pods and covers 2$/,
    );
  });

  it('says the same of what kubectl wrote to a file', async () => {
    const snapshot = join(folder, 'snapshot.yaml');
    await writeFile(snapshot, await rig().kubectl('get', 'nodes,gpn,gpp,pods,pdb', '-A', '-o', 'yaml'));
    const argv = ['plan', '-f', join(folder, 'policy.yaml'), '--snapshot', snapshot, ...cap];
    const { code, answer } = await runPlan(argv);
    expect(code).to.equal(1);
    expect(answer).to.deep.equal(found);
  });

  it('says of each node what its agent plans when the policy is there', async () => {
    await rig().apply('p', { ...spec({ '1g.5gb': 7 }), mode: 'Plan', rollout: { maxUnavailable: 2 } });
    for (const planned of found.nodes) {
      const plan = await eventually(
        async () => (await rig().partition(planned.node)).status?.device?.plan,
        (one) => one?.create === 7,
        { timeoutMs: 30_000, what: `the plan of ${planned.node}` },
      );
      expect({ hash: plan?.hash, pods: plan?.affectedPods ?? [] }).to.deep.equal({
        hash: planned.plan?.hash,
        pods: podsOf(planned),
      });
    }
  });

  it('is what happens then: budgets are named and hold, also two that exclude each other, and force deletes', async () => {
    const drained = (drain: NonNullable<PolicySpec['drain']>) =>
      rig().apply('p', { ...spec({ '1g.5gb': 7 }), drain, rollout: { maxUnavailable: 3 } });
    const saidOf = (node: string, pattern: RegExp) =>
      eventually(
        async () =>
          (await rig().partition(node)).status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '',
        (message) => pattern.test(message),
        { timeoutMs: 60_000, what: `${node} to say ${pattern}` },
      );
    const writesOfPods = async () =>
      (await rig().controlPlane.auditedWrites()).filter(
        ({ user, resource }) => user.endsWith(':gpu-partition-controller') && resource === 'pods',
      );
    // 1. What can never end is refused: no pod is evicted, and the nodes stay open.
    await drained({ timeout: '1s', onTimeout: 'Wait' });
    await saidOf('n1', /default\/train-\S+: PodDisruptionBudget default\/train never allows a disruption/);
    await saidOf('n2', /with the node open, .*default\/bare: it has no controller/);
    for (const node of ['n1', 'n2']) expect(ownTaints(await rig().node(node)), node).to.deep.equal([]);
    expect(await writesOfPods()).to.deep.equal([]);
    await eventually(
      async () => (await rig().policy('p')).status?.inFlight ?? [],
      (slots) => !slots.some(({ node }) => node === 'n1' || node === 'n2'),
      { timeoutMs: 20_000, what: 'the turn of n1 to be over' },
    );
    // 2. A budget that allows one is used.
    await applyObjects(rig(), [{ ...budget, spec: { ...budget.spec, minAvailable: 1 } }]);
    await rig().kubectl('wait', 'pdb/train', '--for=jsonpath={.status.disruptionsAllowed}=1', '--timeout=30s');
    await rig().kubectl('annotate', 'node', 'n1', 'gpupartition.dev/retry=now');
    await saidOf(
      'n1',
      /default\/train-\S+: Cannot evict .* The disruption budget train needs 1 healthy pods and has 1 currently/,
    );
    await applyObjects(rig(), [{ ...budget, metadata: { name: 'too-many', namespace: 'default' } }]);
    await saidOf('n1', /default\/train-\S+: This pod has more than one PodDisruptionBudget/);
    await eventually(
      async () => (await rig().policy('p')).status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '',
      (message) => message.startsWith('n2: waiting, with the node open'),
      { timeoutMs: 30_000, what: 'policy p to say what waits' },
    );
    const events = await rig().kubectl('get', 'events', '-A', '-o', 'custom-columns=A:.reason,B:.type,C:.message');
    expect(events).to.match(
      /Draining +Normal +policy p will evict 2 pods: default\/train-\S+, default\/train-\S+ \(GPU 0: /,
    );
    // Its first answer, which may come before the budget's controller has counted the pod that went.
    const blocked = events.split('\n').filter((line) => line.startsWith('EvictionBlocked'));
    expect(blocked.join('\n'), blocked.join('\n')).to.match(
      / Warning +.*The disruption budget train (needs|does not allow)/,
    );
    const refused = await writesOfPods();
    expect(new Set(refused.map(({ subresource, code }) => `${subresource} ${code}`))).to.deep.equal(
      new Set(['eviction 201', 'eviction 429', 'eviction 500']),
    );
    expect(refused.filter(({ name }) => name === 'bare')).to.deep.equal([]);
    await drained({ timeout: '1s', onTimeout: 'Force' });
    for (const node of ['n1', 'n2', 'n3']) await rig().untilReason(node, 'Ready', 60_000);
    const deleted = (await writesOfPods()).filter(({ verb, code }) => verb === 'delete' && code === 200);
    expect(deleted.map(({ name }) => name.replace(/-.*/, '')).sort()).to.deep.equal(['bare', 'train']);
  });

  it('requests a retry of what rests, and of nothing else', async () => {
    const kubeconfig = await accountWith('gpu-partition-retrier');
    const retry = (...of: readonly string[]) => runRetry(['retry', ...of, '--kubeconfig', kubeconfig]);
    const idle = await retry('n3');
    expect({ code: idle.code, isAsked: idle.answer[0]?.isAsked }).to.deep.equal({ code: 1, isAsked: false });
    const nodeSelectorOfOne = { matchLabels: { name: 'n3' } };
    await writeFile(rig().rig.faultsFile('n3'), 'fail DeviceCreateGpuInstance rc=999\n');
    await rig().apply('q', { priority: 1, nodeSelector: nodeSelectorOfOne, layouts: [{ profiles: { '2g.10gb': 3 } }] });
    await rig().untilReason('n3', 'Resting', 90_000);
    await writeFile(rig().rig.faultsFile('n3'), '');
    const asked = await retry('--policy', 'q');
    expect(asked.code).to.equal(0);
    expect(asked.answer.map(({ node }) => node)).to.deep.equal(['n3']);
    expect(asked.answer[0]?.message).to.match(/^retry requested; it was resting after 2 failed attempts: /);
    await rig().untilReason('n3', 'Ready', 60_000);
    expect(await retry('--policy', 'q')).to.deep.include({ code: 1, answer: [] });
  });
});

function podsOf({ evictions }: PlannedNode): readonly string[] {
  return evictions.map(({ pod }) => pod);
}
