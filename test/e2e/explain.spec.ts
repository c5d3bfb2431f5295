import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { FleetStatusView } from '../../src/core/view/fleet.ts';
import type { PodExplanation } from '../../src/core/explain/pod.ts';
import type { WasteReport } from '../../src/core/explain/waste.ts';
import { findFreePorts } from '../../src/simulator/control-plane/components.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { jsonRunner, run } from '../cli/run.ts';
import { eventually } from '../support/eventually.ts';
import { applyObjects } from '../support/gpu-pods.ts';
import { useRig } from '../support/rig.ts';

const main = new URL('../../src/cli/main.ts', import.meta.url).pathname;
const [healthPort = 0] = await findFreePorts(1);

const a100 = ['A100-SXM4-40GB'];
/** One node each; `late` joins no policy before its test. */
const nodes: readonly RigNode[] = [
  { name: 'sevens', gpus: a100, labels: { pool: 'sevens' }, strategy: 'mixed' },
  { name: 'halves', gpus: a100, labels: { pool: 'halves', team: 'vision' }, strategy: 'mixed' },
  { name: 'single', gpus: a100, labels: { pool: 'single' }, strategy: 'single' },
  {
    name: 'tainted',
    gpus: a100,
    labels: { pool: 'tainted' },
    strategy: 'mixed',
    taints: [{ key: 'team', value: 'other', effect: 'NoSchedule' }],
  },
  { name: 'cordoned', gpus: a100, labels: { pool: 'cordoned' }, strategy: 'mixed' },
];

const slice = 'nvidia.com/mig-1g.5gb';
const half = 'nvidia.com/mig-3g.20gb';
const layouts: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  sevens: { '1g.5gb': 7 },
  halves: { '3g.20gb': 2 },
  single: { '1g.5gb': 7 },
  tainted: { '4g.20gb': 1 },
  cordoned: { '2g.10gb': 3 },
};

interface PodWishes {
  readonly limits?: Readonly<Record<string, number | string>>;
  readonly pool?: string;
  readonly spec?: object;
}

function aPod(name: string, { limits = {}, pool, spec }: PodWishes): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      ...(pool !== undefined && { nodeSelector: { pool } }),
      containers: [{ name: 'main', image: 'example.com/train:1', resources: { limits } }],
      ...spec,
    },
  };
}

interface Situation extends PodWishes {
  readonly code: PodExplanation['code'];
  readonly says: string | RegExp;
  readonly suggests?: RegExp;
}

const affinity = (key: string, operator: string, ...values: string[]): object => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key, operator, ...(values.length > 0 && { values }) }] }],
      },
    },
  },
});

/** Pods that stay pending on this cluster, each with what must be said of it. */
const situations: Readonly<Record<string, Situation>> = {
  'no-slice-left': {
    limits: { [half]: 1 },
    pool: 'halves',
    code: 'Full',
    says: `2 of 2 ${half} are in use, held by default/holder-1, default/holder-2`,
  },
  'too-many': {
    limits: { [slice]: 8 },
    code: 'TooMany',
    says: `the pod requests 8 ${slice}, and the node has 7 in total`,
  },
  'wrong-pool': {
    limits: { [slice]: 1 },
    pool: 'halves',
    code: 'Selector',
    says: 'pool is sevens, and the pod wants halves',
    suggests: /^select pool: sevens; node sevens has room$/,
  },
  'no-such-pool': {
    limits: { [slice]: 1 },
    pool: 'sevns',
    code: 'Selector',
    says: 'pool is sevens, and the pod wants sevns',
    suggests: /^select pool: sevens/,
  },
  'count-too-low': {
    limits: { [slice]: 1 },
    spec: affinity(`${slice}.count`, 'Gt', '7'),
    code: 'Selector',
    says: `${slice}.count is 7, and the pod wants more than 7`,
  },
  'one-of-pools': {
    limits: { [half]: 1 },
    spec: affinity('team', 'In', 'speech', 'text'),
    code: 'Selector',
    says: 'team is vision, and the pod wants one of speech, text',
  },
  'no-label': {
    limits: { [slice]: 1 },
    spec: affinity('team', 'Exists'),
    code: 'Selector',
    says: 'team is absent, and the pod wants any value',
  },
  'unwanted-label': {
    limits: { [half]: 1 },
    spec: affinity('team', 'NotIn', 'vision'),
    code: 'Selector',
    says: 'team is vision, and the pod wants not vision',
  },
  'no-such-profile': {
    limits: { 'nvidia.com/mig-1g.5g': 1 },
    code: 'UnknownResource',
    says: /no GPU has such a slice; did the pod mean nvidia\.com\/mig-1g\.5gb/,
  },
  misspelt: { limits: { 'nvidia.com/gpus': 1 }, code: 'UnknownResource', says: 'did the pod mean nvidia.com/gpu?' },
  'other-model': {
    limits: { 'nvidia.com/mig-1g.12gb': 1 },
    code: 'NotOffered',
    says: /^no node offers nvidia\.com\/mig-1g\.12gb; what is offered: nvidia\.com\/gpu, /,
  },
  'other-layout': {
    limits: { 'nvidia.com/mig-7g.40gb': 1 },
    code: 'NotOffered',
    says: 'no node offers nvidia.com/mig-7g.40gb',
    suggests:
      /^set spec\.layouts\[0\]\.profiles of policy sevens to 1×7g\.40gb; this changes 1 node, and evicts no pod$/,
  },
  'foreign-taint': {
    limits: { 'nvidia.com/mig-4g.20gb': 1 },
    code: 'Tainted',
    says: 'it has the taint team=other:NoSchedule, which the pod does not tolerate',
  },
  cordoned: {
    limits: { 'nvidia.com/mig-2g.10gb': 1 },
    code: 'Cordoned',
    says: 'nearest is node cordoned: it is cordoned; kubectl uncordon opens it',
  },
  gated: {
    limits: { [slice]: 1 },
    spec: { schedulingGates: [{ name: 'example.com/queue' }] },
    code: 'Gated',
    says: 'held back by its scheduling gate example.com/queue',
  },
  'no-gpu': {
    limits: { cpu: '1000' },
    code: 'NoGpuAsked',
    says: /requests no GPU resource.*the scheduler reports: 0\/5 nodes are available/,
  },
  'by-claim': {
    spec: { resourceClaims: [{ name: 'gpu', resourceClaimName: 'none' }] },
    code: 'AsksByClaim',
    says: 'it requests devices by claim: claim gpu: there is no ResourceClaim none',
  },
  'too-much-cpu': { limits: { [slice]: 1, cpu: '1000' }, code: 'OtherResource', says: 'not enough cpu' },
  'no-scheduler': {
    limits: { [slice]: 1 },
    spec: { schedulerName: 'nobody' },
    code: 'NoScheduler',
    says: 'scheduler nobody has not processed it',
  },
  'no-volume': {
    limits: { [slice]: 1 },
    spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'none' } }] },
    code: 'SchedulerSays',
    says: /the scheduler reports: .*persistentvolumeclaim "none" not found/,
  },
};

describe('explain pod, on a cluster with the real scheduler @all', function () {
  const rig = useRig(nodes, {
    controllerArguments: ['--health-port', String(healthPort)],
    agentArguments: ['--health-port', '0', '--slice-metrics'],
  });
  const explain = async (pod: string): Promise<PodExplanation> => {
    const config = await rig().controlPlane.kubeconfigFile();
    return (await jsonRunner<PodExplanation>()(['explain', 'pod', `default/${pod}`, '--kubeconfig', config])).answer;
  };
  const create = async (name: string, wishes: PodWishes): Promise<void> => applyObjects(rig(), [aPod(name, wishes)]);
  const placeOf = async (name: string): Promise<string> =>
    rig().kubectl('get', 'pod', name, '-o', 'jsonpath={.spec.nodeName}');

  before(async function () {
    for (const [pool, profiles] of Object.entries(layouts)) {
      const strategy = pool === 'single' ? 'single' : 'mixed';
      await rig().apply(pool, { nodeSelector: { matchLabels: { pool } }, strategy, layouts: [{ profiles }] });
    }
    for (const pool of Object.keys(layouts)) await rig().waitFor(pool, 'Ready', 'True', 'Ready');
    await rig().kubectl('cordon', 'cordoned');
    await create('holder-1', { limits: { [half]: 1 } });
    await create('holder-2', { limits: { [half]: 1 } });
    for (const name of ['holder-1', 'holder-2']) {
      await eventually(
        () => placeOf(name),
        (node) => node === 'halves',
        { timeoutMs: 20_000, what: name },
      );
    }
    const pods = Object.entries(situations).map(([name, wishes]) => aPod(name, wishes));
    await applyObjects(rig(), pods);
  });

  for (const [name, { code, says, suggests }] of Object.entries(situations)) {
    it(`says why ${name} is pending`, async () => {
      // The scheduler needs a moment to say its word.
      const found = await eventually(
        () => explain(name),
        (one) => one.code === code,
        { timeoutMs: 20_000, what: name },
      );
      if (typeof says === 'string') expect(found.message).to.contain(says);
      else expect(found.message).to.match(says);
      if (suggests)
        expect(found.suggestions.map(({ message }) => message).some((one) => suggests.test(one))).to.equal(true);
      expect(await placeOf(name)).to.equal('');
    });
  }

  it('says where a pod is that runs, with code 0, and 1 for one that waits', async () => {
    const config = await rig().controlPlane.kubeconfigFile();
    const bound = await run(['explain', 'pod', 'default/holder-1', '--kubeconfig', config]);
    expect(bound).to.deep.include({ code: 0, stderr: '' });
    expect(bound.stdout).to.match(/^pod default\/holder-1 is not pending: it is on node halves \(\w+\)\n$/);
    expect((await run(['explain', 'pod', 'no-slice-left', '--kubeconfig', config])).code).to.equal(1);
  });

  it('shows who holds what, slice by slice, and the same as data', async () => {
    const config = await rig().controlPlane.kubeconfigFile();
    // The agent reads every few seconds who uses what.
    const { code, stdout } = await eventually(
      async () => run(['status', 'halves', '--kubeconfig', config]),
      (found) => /now +\|3g\.20gb\* +\|3g\.20gb\* +\|/.test(found.stdout),
      { timeoutMs: 20_000, what: 'the picture of the node' },
    );
    expect(code).to.equal(0);
    expect(stdout).to.match(/^halves\n {2}phase +Ready\b/);
    for (const pod of ['holder-1', 'holder-2']) expect(stdout).to.match(new RegExp(`3g\\.20gb at \\d: default/${pod}`));
    const { answer } = await jsonRunner<FleetStatusView>()(['status', '--kubeconfig', config]);
    expect(answer.nodes.map(({ node }) => node).toSorted()).to.deep.equal(nodes.map(({ name }) => name).toSorted());
    expect(answer.policies.every(({ reason }) => reason === 'Ready')).to.equal(true);
    const wrong = await run(['status', 'halfs', '--kubeconfig', config]);
    expect(wrong).to.deep.include({ code: 2, stderr: 'error: no GPU node "halfs"; did you mean halves?\n' });
  });

  it('keeps how long changes took, so that the rest of a rollout can be told', async () => {
    const { status } = await rig().policy('halves');
    expect(status?.pace).to.deep.include({ generation: 1, nodes: 1 });
    expect(status?.pace?.seconds).to.be.within(0, 60);
  });

  it('reports what serves nobody while pods wait', async () => {
    const config = await rig().controlPlane.kubeconfigFile();
    const { code, answer } = await jsonRunner<WasteReport>()(['report', '--kubeconfig', config]);
    expect(code).to.equal(0);
    const halves = answer.gpus.find(({ policy }) => policy === 'halves');
    expect(halves?.stranded).to.deep.equal({ compute: 1, memory: 0 });
    expect(halves?.profiles).to.deep.equal([{ profile: '3g.20gb', instances: 2, neverUsed: 0, nodes: [] }]);
    const wanted = answer.resources.find(({ resource }) => resource === half);
    expect(wanted).to.deep.include({ offered: 2, held: 2 });
    expect(wanted?.mostWaiting).to.be.at.least(1);
    expect((await run(['report', '--kubeconfig', config])).stdout).to.match(
      /\npolicy halves, spec\.layouts\[0\]: 2×3g\.20gb served 2 of \d+ slices/,
    );
  });

  it('serves the figures of the fleet, and is ready', async () => {
    const ask = async (path: string): Promise<string> => (await fetch(`http://127.0.0.1:${healthPort}${path}`)).text();
    expect(await ask('/readyz')).to.equal('[+]watches ok\nok\n');
    expect(await ask('/healthz')).to.equal('[+]loops ok\nok\n');
    const served = [
      'gpu_partition_leader{program="controller"} 1',
      'gpu_partition_nodes{policy="halves",phase="Ready",reason="Ready",program="controller"} 1',
      'gpu_partition_instances{pool="halves",profile="3g.20gb",state="used",program="controller"} 2',
      'gpu_partition_stranded_slices{pool="halves",resource="compute",program="controller"} 1',
      'gpu_partition_policy_max_unavailable{policy="halves",program="controller"} 1',
      'gpu_partition_change_duration_seconds_count{program="controller"} 5',
    ];
    const isServed = (text: string): boolean => served.every((line) => text.split('\n').includes(line));
    await eventually(() => ask('/metrics'), isServed, { timeoutMs: 30_000, what: 'the figures of the fleet' });
  });

  it('serves what an agent does at its device, and whose its slices are, where it is asked to', async () => {
    const portOf = async (node: string): Promise<string> => {
      const agent = rig().rig.agents.find(({ name }) => name.includes(node));
      return /probes and metrics are served.*"port":(\d+)/.exec((await agent?.readLog()) ?? '')?.[1] ?? '';
    };
    const ask = async (node: string, path: string): Promise<string> =>
      (await fetch(`http://127.0.0.1:${await portOf(node)}${path}`)).text();
    expect(await ask('sevens', '/readyz')).to.equal('[+]lock ok\n[+]device ok\nok\n');
    // Seven slices are one operation.
    const served = [
      'gpu_partition_device_operations_total{operation="create",program="agent"} 1',
      'gpu_partition_device_work_duration_seconds_count{program="agent",result="success"} 1',
    ];
    const isServed = (text: string): boolean => served.every((line) => text.split('\n').includes(line));
    await eventually(() => ask('sevens', '/metrics'), isServed, { timeoutMs: 30_000, what: 'what the agent did' });
    const slice = /^gpu_partition_slice_info\{.*profile="1g\.5gb".*policy="sevens".*\} 1$/gm;
    expect((await ask('sevens', '/metrics')).match(slice)).to.have.length(7);
    const readPods = async () => (await ask('halves', '/metrics')).match(/^gpu_partition_slice_pod\{.*$/gm) ?? [];
    const [line] = await eventually(readPods, ({ length }) => length === 2, { what: 'the pods on both slices' });
    expect(line).to.match(/\{mig_uuid="MIG-[^"]+",namespace="default",pod="[^"]+",program="agent"\} 1$/);
  });

  it('says which quota keeps a controller from making the pod', async () => {
    await rig().kubectl('create', 'namespace', 'small');
    const hard = { [`requests.${slice}`]: '0' };
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'gpus', namespace: 'small' },
      spec: { hard },
    };
    const labels = { app: 'train' };
    const containers = [{ name: 'main', image: 'example.com/train:1', resources: { limits: { [slice]: 1 } } }];
    const spec = { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } };
    await applyObjects(rig(), [quota]);
    await eventually(
      () => rig().kubectl('get', 'resourcequota', 'gpus', '-n', 'small', '-o', 'jsonpath={.status.hard}'),
      (text) => text !== '',
      { timeoutMs: 20_000, what: 'the quota' },
    );
    await applyObjects(rig(), [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name: 'train', namespace: 'small' }, spec },
    ]);
    const config = await rig().controlPlane.kubeconfigFile();
    const ask = () => run(['explain', 'pod', 'small/train', '--kubeconfig', config]);
    const isRefused = (one: { readonly stderr: string }): boolean => one.stderr.includes('cannot create it');
    const { code, stderr } = await eventually(ask, isRefused, { timeoutMs: 20_000, what: 'the refusal' });
    expect(code).to.equal(1);
    expect(stderr)
      .to.contain('there is no pod small/train; ReplicaSet train cannot create it: ')
      .and.to.contain('exceeded quota: gpus');
    expect(stderr).to.contain(`quota gpus is used up: 0 of 0 requests.${slice}`);
  });

  it('says for what a node waits that is to become what the pod asks for, and that it runs there then', async () => {
    await rig().apply('halves', {
      nodeSelector: { matchLabels: { pool: 'halves' } },
      layouts: [{ profiles: { '1g.10gb': 4 } }],
      drain: { onTimeout: 'Force' },
    });
    await create('for-later', { limits: { 'nvidia.com/mig-1g.10gb': 1 } });
    await rig().untilReason('halves', 'Draining');
    const found = await eventually(
      () => explain('for-later'),
      ({ code }) => code === 'Changing',
      { timeoutMs: 20_000, what: 'the reason' },
    );
    expect(found.message).to.contain(
      'nearest is node halves: it is closed while its GPUs change: Draining: waiting for 2 pods to go',
    );
    await rig().kubectl('delete', 'pod', 'holder-1', 'holder-2', '--wait', '--grace-period=1');
    await eventually(
      () => placeOf('for-later'),
      (node) => node === 'halves',
      { timeoutMs: 30_000, what: 'for-later' },
    );
  });

  it('suggests an edit with which the pod runs, and follows the node as it changes', async () => {
    const config = await rig().controlPlane.kubeconfigFile();
    const watch = spawn(process.execPath, [main, 'status', 'sevens', '--watch', '--kubeconfig', config]);
    let seen = '';
    watch.stdout.setEncoding('utf8').on('data', (text: string) => (seen += text));
    await eventually(
      () => seen,
      (text) => /now +\|1g\.5gb/.test(text),
      { timeoutMs: 20_000, what: 'the picture of the layout of before' },
    );
    const { suggestions } = await explain('other-layout');
    const edit = suggestions.find((one) => one.kind === 'EditPolicy' && one.policy === 'sevens');
    if (edit?.kind !== 'EditPolicy') throw new Error('no edit is suggested');
    await rig().apply('sevens', {
      nodeSelector: { matchLabels: { pool: 'sevens' } },
      layouts: [{ profiles: { ...edit.profiles } }],
    });
    await eventually(
      () => placeOf('other-layout'),
      (node) => node === 'sevens',
      { timeoutMs: 30_000, what: 'other-layout' },
    );
    await eventually(
      () => seen,
      (text) => /now +\|7g\.40gb/.test(text),
      { timeoutMs: 20_000, what: 'the picture of the new layout' },
    );
    watch.kill('SIGINT');
    const [code] = (await once(watch, 'close')) as [number | null];
    expect(code).to.equal(0);
  });
});
