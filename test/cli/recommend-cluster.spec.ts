import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { withDemand } from '../support/demand-builders.ts';
import { useFreshFolder } from '../device/scratch-folder.ts';
import { parseAllDocuments } from 'yaml';
import type { GpuPartitionPolicy, GpuReport } from '../../src/api/types.ts';
import type { ClusterAdvice } from '../../src/core/demand/recommend.ts';
import type { ClusterState } from '../../src/core/plan/change.ts';
import { aCluster, aFleetNode, aTeamPod, sliced } from '../core/plan/cluster-builder.ts';
import { aGpu } from '../support/builders.ts';
import { jsonRunner, run } from './run.ts';
import { listOf, SpokenApi } from './spoken-api.ts';
import { snapshotYaml } from './snapshot-text.ts';
import type { PodView } from '../../src/core/kubernetes/pod.ts';

const runJson = jsonRunner<ClusterAdvice>();
const halves = ['3g.20gb@0', '3g.20gb@4'];

/** A pod that waits for some of a resource. */
function aWaitingPod(name: string, resource: string, spec: object = {}): PodView {
  const pod = aTeamPod(name);
  const containers = [{ name: 'main', resources: { limits: { [resource]: 1 } } }];
  const { nodeName: _none, ...rest } = pod.spec ?? {};
  return { ...pod, spec: { ...rest, containers, ...spec }, status: { phase: 'Pending' } };
}

const small = 'nvidia.com/mig-1g.5gb';
/** Others of lower priority go for such a pod. */
const inFront = { priority: 100 };

/** Two nodes of two halves, of which one is in use; two pods wait for small slices. */
function aPool(more: Partial<ClusterState> = {}): ClusterState {
  const nodes = [
    aFleetNode({ name: 'n1', slices: halves, pods: { '3g.20gb@0': ['a'] } }),
    aFleetNode({ name: 'n2', slices: halves }),
  ];
  const pods = [aTeamPod('a'), aWaitingPod('s1', small), aWaitingPod('s2', small)];
  return aCluster(nodes, { pods, ...more });
}

describe('gpu-partition recommend for a cluster', () => {
  const folder = useFreshFolder();

  const save = (cluster: ClusterState) => writeFile(folder.path('cluster.yaml'), snapshotYaml(cluster));
  const argv = ['recommend', '--snapshot', 'cluster.yaml'];
  const ask = async (cluster: ClusterState, ...options: readonly string[]) => {
    await save(cluster);
    return runJson([...argv, ...options], { cwd: folder.path() });
  };
  const only = ({ pools: [pool, ...others] }: ClusterAdvice) => {
    if (pool === undefined || others.length > 0) throw new Error(`${others.length + 1} pools instead of one`);
    return pool;
  };

  it('counts what runs, is in use and waits, what the layouts offer of it, and what the best ones would', async () => {
    const { code, answer } = await ask(aPool());
    expect(code).to.equal(0);
    const { slices, bill, optimal, policy, gpus } = only(answer);
    expect(slices).to.deep.equal([
      { name: '1g.5gb', running: 0, inUse: 0, waiting: 2, wanted: 2, now: 0, best: 2 },
      { name: '3g.20gb', running: 1, inUse: 1, waiting: 0, wanted: 1, now: 1, best: 1 },
    ]);
    expect(bill).to.deep.equal({ evictions: 0, gpusChanged: 1, instancesDestroyed: 1, nodes: ['n1'] });
    expect({ optimal, policy, gpus }).to.deep.equal({ optimal: true, policy: 'p', gpus: { 'A100-SXM4-40GB': 2 } });
  });

  it('prints it so that it is read at a glance, with how to apply it', async () => {
    await save(aPool());
    const { code, stdout } = await run(argv, { cwd: folder.path() });
    expect(code).to.equal(0);
    expect(stdout.split('\n')).to.deep.equal([
      'p (its policy decides): 2 nodes, 2×A100-SXM4-40GB',
      '  SLICE    RUNNING  IN USE  WAITING  WANTED  NOW  BEST',
      '  1g.5gb   0        0       2        2       0    2',
      '  3g.20gb  1        1       0        1       1    1',
      'the layouts offer 1 of 3 now, at best 3: 1 GPU on 1 node changes, no eviction, 1',
      '  idle slice goes (proven)',
      '',
      'to apply it, append to this command: -o yaml | kubectl apply -f -',
      'mode Plan changes nothing: status.demand and status.plan show what it would do',
      '',
    ]);
  });

  it('writes a policy that only plans, has a name of its own, and outranks the one that decides', async () => {
    await save(aPool({ policies: [sliced({ priority: 5, rollout: { maxUnavailable: 2 } })] }));
    const { code, stdout } = await run([...argv, '-o', 'yaml'], { cwd: folder.path() });
    expect(code).to.equal(0);
    const [document] = parseAllDocuments(stdout);
    expect(document?.toJS()).to.deep.equal({
      apiVersion: 'gpupartition.dev/v1alpha1',
      kind: 'GpuPartitionPolicy',
      metadata: { name: 'p-demand' },
      spec: {
        nodeSelector: { matchLabels: { pool: 'p' } },
        strategy: 'mixed',
        priority: 6,
        rollout: { maxUnavailable: 2 },
        mode: 'Plan',
        demand: { from: 'Pods', slices: [{ profiles: ['1g.5gb'] }, { profiles: ['3g.20gb'] }], evict: 'Never' },
      },
    });
    const checked = await run(['validate', '-f', '-'], { stdin: stdout });
    expect(checked).to.include({ code: 0 });
  });

  it('evicts nothing unless told to, and says what evictions would serve', async () => {
    const nodes = [aFleetNode({ name: 'n1', slices: ['1g.5gb@0', '3g.20gb@4'], pods: { '1g.5gb@0': ['a'] } })];
    const { spec, ...running } = aWaitingPod('a', small);
    const pods = [{ ...running, spec: { ...spec, nodeName: 'n1' } }];
    const large = ['l1', 'l2'].map((name) => aWaitingPod(name, 'nvidia.com/mig-3g.20gb', inFront));
    const cluster = aCluster(nodes, { pods: [...pods, ...large] });
    const gentle = await ask(cluster);
    expect(gentle.code).to.equal(1);
    const { slices, bill, withEvictions } = only(gentle.answer);
    expect(slices.map(({ name, best }) => [name, best])).to.deep.equal([
      ['1g.5gb', 1],
      ['3g.20gb', 1],
    ]);
    expect(bill).to.include({ evictions: 0, gpusChanged: 0 });
    const cost = { evictions: 1, gpusChanged: 1, instancesDestroyed: 0, nodes: ['n1'] };
    expect(withEvictions).to.deep.equal({ best: { '1g.5gb': 0, '3g.20gb': 2 }, ...cost });
    const free = only((await ask(cluster, '--evict', 'if-needed')).answer);
    expect(free.bill).to.include({ evictions: 1 });
    expect(free.advised?.spec.demand?.evict).to.equal('IfNeeded');
  });

  it('evicts for pods that wait, under --evict if-needed, as the controller does, and weighs these evictions', async () => {
    const crowd = ['n1', 'n2'].map((name) =>
      aFleetNode({
        name,
        slices: ['4g.20gb@0', '2g.10gb@4'],
        pods: { '4g.20gb@0': ['keeper'], '2g.10gb@4': [`on-${name}`] },
      }),
    );
    const { spec, ...first } = aTeamPod('on-n1');
    const dear = { ...first, spec: { ...spec, nodeName: 'n1', priority: 1000 } };
    const waiting = aWaitingPod('l1', 'nvidia.com/mig-3g.20gb', inFront);
    const { answer } = await ask(aCluster(crowd, { pods: [dear, aTeamPod('on-n2'), waiting] }), '--evict', 'if-needed');
    expect(only(answer).bill).to.include({ evictions: 1, gpusChanged: 1 });
    expect(only(answer).bill?.nodes).to.deep.equal(['n2']);
    const bare = ['n1', 'n2'].map((node) => aTeamPod(`on-${node}`, { node, owner: '' }));
    const held = await ask(aCluster(crowd, { pods: [...bare, waiting] }), '--evict', 'if-needed');
    expect(only(held.answer).bill, 'no eviction moves a pod without an owner').to.include({
      evictions: 0,
      gpusChanged: 0,
    });
  });

  it('evicts nobody for pods that rank no higher, and says so', async () => {
    const nodes = [aFleetNode({ name: 'n1', slices: ['3g.20gb@0'], pods: { '3g.20gb@0': ['a'] } })];
    const pods = [aTeamPod('a'), aWaitingPod('l1', 'nvidia.com/mig-7g.40gb')];
    for (const options of [[], ['--evict', 'if-needed']]) {
      const { slices, bill, withEvictions } = only((await ask(aCluster(nodes, { pods }), ...options)).answer);
      expect(bill).to.include({ evictions: 0, gpusChanged: 0 });
      expect(withEvictions).to.equal(undefined);
      expect(slices[1]).to.include({ name: '7g.40gb', best: 0 });
      expect(slices[1]?.why).to.match(/^1 could be made only /);
    }
  });

  it('counts pods by labels of their namespaces, and warns of a snapshot that does not have them', async () => {
    const following = (label: string): GpuPartitionPolicy => {
      const [key = '', value = ''] = label.split('=');
      const slices = [{ profiles: ['1g.5gb'] }];
      return withDemand(sliced(), { from: 'Pods', namespaceSelector: { matchLabels: { [key]: value } }, slices });
    };
    const waitingOf = async (label: string, more: Partial<ClusterState> = {}) => {
      await save(aPool({ policies: [following(label)], ...more }));
      const { stdout, stderr } = await run([...argv, '-o', 'json'], { cwd: folder.path() });
      const [slice] = only(JSON.parse(stdout) as ClusterAdvice).slices;
      return [slice?.waiting, stderr];
    };
    const namespaces = new Map([['team', { team: 'vision' }]]);
    expect(await waitingOf('team=vision', { namespaces })).to.deep.equal([2, '']);
    expect(await waitingOf('kubernetes.io/metadata.name=team')).to.deep.equal([2, '']);
    expect(await waitingOf('team=vision')).to.deep.equal([
      0,
      'warning: policy p: demand.namespaceSelector goes by labels, and the snapshot has no Namespaces; make it with: kubectl get nodes,gpn,gpp,pods,pdb,namespaces -A -o yaml. Pods that wait may be missing from the answer\n',
    ]);
  });

  it('tells how long the changes take by the pace of the last ones and the budget', async () => {
    const policy = {
      ...sliced({ rollout: { maxUnavailable: 1 } }),
      status: { acceptedGeneration: 1, pace: { generation: 1, nodes: 4, seconds: 720 } },
    };
    const waiting = Array.from({ length: 9 }, (_, index) => aWaitingPod(`s${index}`, small));
    const { answer } = await ask(aPool({ policies: [policy], pods: [aTeamPod('a'), ...waiting] }));
    expect(only(answer).bill).to.deep.include({ nodes: ['n1', 'n2'], minutes: 6 });
  });

  it('makes a pool of each model whose nodes no policy selects, with a selector for these nodes alone', async () => {
    const bare = (name: string, labels: Record<string, string>, ...gpus: readonly GpuReport[]) => {
      const { node, partition } = aFleetNode({ name, ...(gpus.length > 0 ? { gpus } : { slices: halves }) });
      const { policy: _none, wish: _neither, ...spec } = partition.spec;
      return { node: { ...node, metadata: { ...node.metadata, labels } }, partition: { ...partition, spec } };
    };
    const host = (name: string) => ({ 'kubernetes.io/hostname': name });
    const nodes = [bare('n1', { rack: 'r1', ...host('n1') }), bare('n2', { rack: 'r1', ...host('n2') })];
    const cluster = (others: readonly ReturnType<typeof bare>[]) =>
      aCluster([...nodes, ...others], { policies: [], pods: [aWaitingPod('s', small)] });
    const named = only((await ask(cluster([]))).answer);
    expect(named.name).to.equal('a100-40gb');
    expect(named.advised?.metadata.name).to.equal('a100-40gb-demand');
    expect(named.advised?.spec.nodeSelector).to.deep.equal({ matchLabels: { rack: 'r1' } });
    const pciBusId = '00000000:0F:00.0';
    const lost = { uuid: pciBusId, index: 1, pciBusId, product: 'unknown', error: 'GpuLost: gone', instances: [] };
    const sick = await ask(cluster([bare('n3', { rack: 'r1', ...host('n3') }, aGpu({ slices: halves }), lost)]));
    expect(only(sick.answer), 'a lost GPU that has never told what it is').to.deep.include({
      name: 'a100-40gb',
      nodes: 3,
    });
    const mixed = await ask(
      aCluster([...nodes, bare('n3', { rack: 'r1', pool: 'p', ...host('n3') })], { pods: [aWaitingPod('s', small)] }),
    );
    expect(mixed.answer.pools.map(({ name, nodes: count }) => [name, count])).to.deep.equal([
      ['a100-40gb', 2],
      ['p', 1],
    ]);
    expect(mixed.answer.pools[0]?.advised?.spec.nodeSelector).to.deep.equal({
      matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['n1', 'n2'] }],
    });
  });

  it('gives a policy the name of no other that enforces, however long the names are', async () => {
    const long = `${'x'.repeat(55)}.`;
    for (const [name, others, advised] of [
      [`${'y'.repeat(56)}-demand`, [], `${'y'.repeat(54)}-demand-2`],
      ['p', ['p-demand', 'p-demand-2'], 'p-demand-3'],
      [`${long}tail`, [], `${'x'.repeat(55)}-demand`],
    ] as const) {
      const policy = sliced({ name });
      const none = { nodeSelector: { matchLabels: { pool: 'none' } } };
      const policies = [policy, ...others.map((other) => sliced({ name: other, ...none }))];
      const nodes = [aFleetNode({ name: 'n1', slices: halves }, policy)];
      const { answer } = await ask(aCluster(nodes, { policies, pods: [aWaitingPod('s', small)] }));
      expect(only(answer).advised?.metadata.name).to.equal(advised);
    }
  });

  it('gives two policies two names where long ones differ at their ends', async () => {
    const policies = ['a', 'b'].map((end) => {
      const name = `${'z'.repeat(60)}-${end}`;
      return sliced({ name, nodeSelector: { matchLabels: { pool: end } } });
    });
    const nodes = policies.map((policy) =>
      aFleetNode(
        {
          name: policy.metadata.name,
          slices: halves,
          pods: { '3g.20gb@0': ['a'] },
          node: { labels: policy.spec.nodeSelector.matchLabels ?? {} },
        },
        policy,
      ),
    );
    const { answer } = await ask(aCluster(nodes, { policies }));
    const names = answer.pools.map(({ advised }) => advised?.metadata.name);
    expect(names).to.deep.equal([`${'z'.repeat(56)}-demand`, `${'z'.repeat(54)}-demand-2`]);
  });

  it('makes the name of a policy of the labels of --selector, whatever their values are', async () => {
    const labels = { 'nvidia.com/gpu.product': 'NVIDIA-A100_SXM4.40GB', zone: '' };
    const { node, partition } = aFleetNode({ name: 'n1', slices: halves, node: { labels } });
    const { policy: _none, wish: _neither, ...spec } = partition.spec;
    const cluster = aCluster([{ node, partition: { ...partition, spec } }], {
      policies: [],
      pods: [aWaitingPod('s', small)],
    });
    const selector = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
    const { answer } = await ask(cluster, '--selector', selector.join(','));
    expect(only(answer).advised?.metadata.name).to.equal('nvidia-a100-sxm4-40gb-demand');
  });

  it('cannot tell what is wanted where the user may not list pods, or which evictions are allowed without budgets', async () => {
    const { nodes, partitions, policies, pods } = aPool();
    const lists: Readonly<Record<string, readonly object[]>> = {
      nodes,
      gpunodepartitions: partitions,
      gpupartitionpolicies: policies,
      pods,
    };
    for (const [refused, options, code] of [
      ['pods', [], 3],
      ['poddisruptionbudgets', [], 0],
      ['poddisruptionbudgets', ['--evict', 'if-needed'], 3],
    ] as const) {
      await using api = await SpokenApi.start((_, { pathname }) => {
        const plural = pathname.split('/').at(-1) ?? '';
        return plural === refused ? 403 : listOf(...(lists[plural] ?? []));
      });
      const config = api.writeKubeconfig(folder.path('config'));
      const answer = await run(['recommend', ...options, '--kubeconfig', config], { cwd: folder.path() });
      expect(answer.code, answer.stdout).to.equal(code);
      if (code === 3)
        expect(answer.stderr).to.match(new RegExp(`^error: cannot read ${refused}: you may not list them`));
    }
  });

  it('takes the nodes of --selector for one pool', async () => {
    const { answer } = await ask(aPool(), '--selector', 'pool=p');
    expect(only(answer).advised?.spec.nodeSelector).to.deep.equal({ matchLabels: { pool: 'p' } });
    await save(aPool());
    const none = await run([...argv, '--selector', 'pool=q'], { cwd: folder.path() });
    expect(none).to.include({ code: 3 });
    expect(none.stderr).to.contain('no node with GPUs has the labels of --selector');
  });

  it('counts a waiting pod for one pool only, and names pods that no pool can serve', async () => {
    const policy = sliced({ name: 'q', nodeSelector: { matchLabels: { pool: 'q' } } });
    const other = aFleetNode({ name: 'n3', slices: halves, node: { labels: { pool: 'q' } } }, policy);
    const { nodes, partitions, pods } = aPool();
    const cluster = {
      ...aPool(),
      nodes: [...nodes, other.node],
      partitions: [...partitions, other.partition],
      policies: [sliced(), policy],
      pods: [
        ...pods,
        aWaitingPod('large', 'nvidia.com/mig-3g.40gb'),
        aWaitingPod('far', small, { nodeSelector: { zone: 'z' } }),
      ],
    };
    const { code, answer } = await ask(cluster);
    expect(code).to.equal(1);
    expect(
      answer.pools.map(({ name, slices }) => [name, slices.reduce((sum, { waiting }) => sum + waiting, 0)]),
    ).to.deep.equal([
      ['p', 2],
      ['q', 0],
    ]);
    expect(answer.homeless).to.deep.equal([
      { resource: 'nvidia.com/mig-3g.40gb', pods: ['team/large'] },
      { resource: small, pods: ['team/far'] },
    ]);
  });

  it('keeps the demand that a policy has, and adds what it lacks', async () => {
    const slices = [{ name: 'large', profiles: ['3g.20gb'], min: 1 }];
    const policy = withDemand(sliced(), { from: 'Pods', slices });
    const lacking = only((await ask(aPool({ policies: [policy] }))).answer);
    expect(lacking.advised?.spec.demand?.slices).to.deep.equal([...slices, { profiles: ['1g.5gb'] }]);
    const served = only((await ask(aPool({ policies: [policy], pods: [aTeamPod('a')] }))).answer);
    expect(served.advised).to.equal(undefined);
    expect(served.why).to.equal('policy p has this demand already');
  });

  const refused = [
    ['strategy single', { strategy: 'single' } as const, 'strategy single'],
    [
      'time-slicing',
      { sharing: { timeSlicing: [{ resource: 'nvidia.com/mig-3g.20gb', replicas: 2 }] } },
      'time-slicing',
    ],
  ] as const;
  for (const [what, spec, words] of refused)
    it(`advises no demand for a pool with ${what}, and says why`, async () => {
      const pool = only((await ask(aPool({ policies: [sliced(spec)], pods: [aTeamPod('a')] }))).answer);
      expect(pool.advised).to.equal(undefined);
      expect(pool.why).to.contain(words);
    });

  it('plans whole GPUs that pods ask for, and its policy wants them', async () => {
    const { answer } = await ask(aPool({ pods: [aTeamPod('a'), aWaitingPod('w', 'nvidia.com/gpu')] }));
    const { slices, bill, advised } = only(answer);
    expect(slices).to.deep.equal([
      { name: '3g.20gb', running: 1, inUse: 1, waiting: 0, wanted: 1, now: 1, best: 1 },
      { name: 'whole', running: 0, inUse: 0, waiting: 1, wanted: 1, now: 0, best: 1 },
    ]);
    expect(bill).to.deep.include({ evictions: 0, gpusChanged: 1, nodes: ['n2'] });
    expect(advised?.spec.demand?.slices).to.deep.equal([{ profiles: ['3g.20gb'] }, { mig: 'Disabled' }]);
  });

  it('keeps whole GPUs that pods hold', async () => {
    const [, second] = aPool().nodes.map(({ metadata }) => metadata.name);
    const nodes = [aFleetNode({ name: second ?? '', gpus: [aGpu({ busy: true, pods: ['team/g'] })] })];
    const holder = { ...aWaitingPod('g', 'nvidia.com/gpu', { nodeName: second }), status: { phase: 'Running' } };
    const { answer } = await ask(aCluster(nodes, { pods: [holder, aWaitingPod('w', small)] }));
    const { slices, bill } = only(answer);
    expect(slices.map(({ name, inUse, wanted, best }) => [name, inUse, wanted, best])).to.deep.equal([
      ['1g.5gb', 0, 1, 0],
      ['whole', 1, 1, 1],
    ]);
    expect(bill).to.deep.include({ evictions: 0, gpusChanged: 0 });
  });
});
