import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { withDemand } from '../../support/demand-builders.ts';
import { useFreshFolder } from '../../device/scratch-folder.ts';
import { stringify } from 'yaml';
import type { ChangePlan, ClusterState } from '../../../src/core/plan/change.ts';
import { aCluster, aFleetNode, aTeamPod, inFile } from '../../core/plan/cluster-builder.ts';
import { jsonRunner, run } from '../run.ts';
import { listOf, snapshotYaml } from '../snapshot-text.ts';

const runJson = jsonRunner<ChangePlan>();
const halves = ['3g.20gb@0', '3g.20gb@4'];

/** Three nodes of two halves: two pods on n1, none on n2, one on n3. */
function aBusyCluster(more: Partial<ClusterState> = {}): ClusterState {
  const nodes = [
    aFleetNode({ name: 'n1', slices: halves, pods: { '3g.20gb@0': ['a'], '3g.20gb@4': ['b'] } }),
    aFleetNode({ name: 'n2', slices: halves }),
    aFleetNode({ name: 'n3', slices: halves, pods: { '3g.20gb@4': ['c'] } }),
  ];
  return aCluster(nodes, { pods: [aTeamPod('a'), aTeamPod('b'), aTeamPod('c', { node: 'n3' })], ...more });
}

const sevenths = inFile({ layouts: [{ profiles: { '1g.5gb': 7 } }], rollout: { maxUnavailable: 2 } });
const atTwo = inFile({ rollout: { maxUnavailable: 2 } });
const options = ['--snapshot', 'cluster.yaml', '--max-concurrent-nodes', '100%'];

describe('gpu-partition plan --snapshot', () => {
  const folder = useFreshFolder();
  const write = (name: string, text: string) => writeFile(folder.path(name), text);
  const plan = (...argv: readonly string[]) => run(['plan', ...argv], { cwd: folder.path() });
  beforeEach(async () => {
    await write('policy.yaml', stringify(sevenths));
    await write('cluster.yaml', snapshotYaml(aBusyCluster()));
  });

  it('chooses layouts for a demand, with what pods of the snapshot request', async () => {
    const slices = [{ name: 'small', profiles: ['1g.5gb'] }, { profiles: ['3g.20gb'] }];
    await write('policy.yaml', stringify(withDemand(atTwo, { from: 'Pods', slices })));
    const containers = [{ name: 'main', resources: { limits: { 'nvidia.com/mig-1g.5gb': 2 } } }];
    const waiting = { metadata: { name: 'w', namespace: 'team' }, spec: { containers }, status: { phase: 'Pending' } };
    const { pods } = aBusyCluster();
    await write('cluster.yaml', snapshotYaml({ ...aBusyCluster(), pods: [...pods, waiting] }));
    const { code, stdout, stderr } = await plan('-f', 'policy.yaml', ...options);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout.split('\n')).to.deep.equal([
      'policy p: changed',
      '',
      'Demand of policy p',
      '  small: 2 wanted, 0 in use and 2 requested by waiting pods; 0 offered now; 2 to',
      '    be made',
      '  3g.20gb: 3 wanted, 3 in use; 3 offered now',
      '',
      'Wave 1 of 1: 1 node, no pod evicted',
      '  n3 (policy p): keep 1, destroy 1, create 2',
      'GPU 0 (A100-SXM4-40GB)',
      'now   |3g.20gb                            |3g.20gb*                           |',
      'after |1g.5gb  |1g.5gb  |........|........|3g.20gb*                           |',
      '',
      'Already matches the policy: n1 and n2',
      '',
      'this change evicts no pod and changes 1 of 3 nodes in 1 wave',
      '',
    ]);
  });

  it('counts what Kueue holds back, if the snapshot has it, and says what is lacking if not', async () => {
    const small = 'nvidia.com/mig-1g.5gb';
    const demand = { from: 'Kueue', slices: [{ profiles: ['1g.5gb'] }] } as const;
    await write('policy.yaml', stringify(withDemand(atTwo, demand)));
    const apiVersion = 'kueue.x-k8s.io/v1beta2';
    const template = { spec: { containers: [{ resources: { requests: { [small]: '1' } } }] } };
    const groups = [{ coveredResources: [small], flavors: [{ name: 'p' }] }];
    const items = [
      { apiVersion, kind: 'ResourceFlavor', metadata: { name: 'p' }, spec: { nodeLabels: { pool: 'p' } } },
      { apiVersion, kind: 'ClusterQueue', metadata: { name: 'gpus' }, spec: { resourceGroups: groups } },
      { apiVersion, kind: 'LocalQueue', metadata: { name: 'q', namespace: 'team' }, spec: { clusterQueue: 'gpus' } },
      {
        apiVersion,
        kind: 'Workload',
        metadata: { name: 'job', namespace: 'team' },
        spec: { queueName: 'q', podSets: [{ name: 'main', count: 4, template }] },
      },
    ];
    await write('queues.yaml', stringify({ apiVersion: 'v1', kind: 'List', items }));
    const planJson = async (...files: readonly string[]) =>
      (
        await runJson(['plan', '-f', 'policy.yaml', '--snapshot', ...files, '--max-concurrent-nodes', '100%'], {
          cwd: folder.path(),
        })
      ).answer;
    expect((await planJson('cluster.yaml', 'queues.yaml')).demands[0]?.slices).to.deep.equal([
      { name: '1g.5gb', wanted: 4, offered: 0, used: 0, waiting: 4, unmet: 0 },
    ]);
    const { demands, findings } = await planJson('cluster.yaml');
    const [without] = demands;
    expect(findings.map(({ code }) => code)).to.deep.equal(['DemandUnread']);
    expect(without?.reason).to.equal('KueueUnavailable');
    expect(without?.message).to.match(
      /^the snapshot has no queues of Kueue, which these add to it: kubectl get workloads\.kueue\.x-k8s\.io,/,
    );
  });

  it('draws each wave in 80 columns: pictures, pods, and a sentence at the end', async () => {
    const { code, stdout, stderr } = await plan('-f', 'policy.yaml', ...options);
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout.split('\n')).to.deep.equal([
      'policy p: changed',
      '',
      'Wave 1 of 2: 2 nodes, 1 pod evicted',
      '  n2 (policy p): keep 0, destroy 2, create 7',
      'GPU 0 (A100-SXM4-40GB)',
      'now   |3g.20gb                            |3g.20gb                            |',
      'after |1g.5gb  |1g.5gb  |1g.5gb  |1g.5gb  |1g.5gb  |1g.5gb  |1g.5gb  |........|',
      '',
      '  n3 (policy p): keep 0, destroy 2, create 7',
      'GPU 0 (A100-SXM4-40GB)',
      'now   |3g.20gb                            |3g.20gb*                           |',
      'after |1g.5gb  |1g.5gb  |1g.5gb  |1g.5gb  |1g.5gb  |1g.5gb  |1g.5gb  |........|',
      '  n3 evicts pod team/c (GPU 0: 3g.20gb at 4)',
      '',
      'Wave 2 of 2: 1 node, 2 pods evicted',
      '  n1 (policy p): keep 0, destroy 2, create 7',
      'GPU 0 (A100-SXM4-40GB)',
      'now   |3g.20gb*                           |3g.20gb*                           |',
      'after |1g.5gb  |1g.5gb  |1g.5gb  |1g.5gb  |1g.5gb  |1g.5gb  |1g.5gb  |........|',
      '  n1 evicts pod team/a (GPU 0: 3g.20gb at 0)',
      '  n1 evicts pod team/b (GPU 0: 3g.20gb at 4)',
      '',
      'this change evicts 3 pods and changes 3 of 3 nodes in 2 waves',
      '',
    ]);
  });

  it('shows what a schedule will do, with --at, of a policy in a file or of those in the cluster', async () => {
    const night = { name: 'night', schedule: '0 22 * * *', duration: '8h', layouts: sevenths.spec.layouts ?? [] };
    const scheduled = inFile({ layouts: [{ profiles: { '3g.20gb': 2 } }], schedules: [night] });
    await write('policy.yaml', stringify(scheduled));
    const at = (time: string, ...more: readonly string[]) => plan('--at', time, ...more, ...options);
    expect((await at('2031-01-05T12:00:00Z', '-f', 'policy.yaml')).stdout).to.match(/affects no nodes\n$/);
    const file = await at('2031-01-05T22:00:00Z', '-f', 'policy.yaml');
    expect(file.stderr).to.equal('');
    expect(file.stdout).to.match(/evicts 3 pods and changes 3 of 3 nodes/);
    const cluster = aBusyCluster();
    const [policy] = cluster.policies;
    if (!policy) throw new Error('the cluster has no policy');
    const policies = [{ ...policy, spec: { ...policy.spec, ...scheduled.spec } }];
    await write('cluster.yaml', snapshotYaml({ ...cluster, policies }));
    expect((await at('2031-01-05T22:00:00Z')).stdout).to.match(/evicts 3 pods and changes 3 of 3 nodes/);
    expect((await at('2031-01-06T06:00:00Z')).stdout).to.match(/affects no nodes/);
  });

  it('asks for policies or a time, and chooses layouts for the demand of a schedule', async () => {
    const nothing = await plan(...options);
    expect(nothing.code).to.equal(2);
    expect(nothing.stderr).to.include('give policies with -f, or a time with --at');
    for (const time of [
      'tonight',
      '5',
      '2031',
      '2031-01-05',
      '2031-01-05T22:00:00',
      '2031-13-05T22:00:00Z',
      '2031-02-29T22:00:00Z',
    ])
      expect((await plan('--at', time, ...options)).stderr, time).to.include('must be a time with its zone, such as');
    expect((await plan('--at', '2031-01-05T23:00+01:00', ...options)).stderr).to.include('has schedules');
    expect((await plan('--at', '2031-01-05T22:00:00Z', ...options)).stderr).to.include(
      'no policy of the cluster has schedules',
    );
    const demand = { slices: [{ profiles: ['1g.5gb'], count: 7 }], evict: 'IfNeeded' as const };
    const night = { name: 'night', schedule: '0 22 * * *', duration: '8h', demand };
    await write('policy.yaml', stringify(inFile({ layouts: [{ profiles: { '3g.20gb': 2 } }], schedules: [night] })));
    const { stdout } = await plan('-f', 'policy.yaml', '--at', '2031-01-05T22:00:00Z', ...options);
    expect(stdout).to.match(/n2 \(policy p\): keep 0, destroy 2, create 7/);
    expect(stdout).to.include('changes 1 of 3 nodes');
  });

  it('tells nodes that become the same once, in lines of at most 80 characters', async () => {
    const names = Array.from({ length: 12 }, (_, index) => `rack-1-machine-${index}.gpu.example.com`);
    await write('cluster.yaml', snapshotYaml(aCluster(names.map((name) => aFleetNode({ name, slices: halves })))));
    await write('policy.yaml', stringify(inFile({ ...sevenths.spec, rollout: { maxUnavailable: '100%' } })));
    const { stdout } = await plan('-f', 'policy.yaml', ...options);
    const lines = stdout.split('\n');
    expect(lines.filter((line) => line.startsWith('now'))).to.have.length(1);
    expect(stdout).to.match(/ and\s+4\s+more/);
    expect(Math.max(...lines.map(({ length }) => length))).to.be.at.most(80);
  });

  it('ends with 1 and the findings where a budget blocks', async () => {
    const budget = {
      metadata: { name: 'train', namespace: 'team', generation: 1 },
      spec: { selector: { matchLabels: { app: 'train' } } },
      status: { observedGeneration: 1, disruptionsAllowed: 0, currentHealthy: 3, desiredHealthy: 3 },
    };
    await write('cluster.yaml', snapshotYaml(aBusyCluster({ budgets: [budget] })));
    const { code, stdout } = await plan('-f', 'policy.yaml', ...options);
    expect(code).to.equal(1);
    expect(stdout.replaceAll(/\s+/g, ' ')).to.match(
      /finding: pod team\/c is not evicted now: PodDisruptionBudget team\/train allows 0 disruptions \(3 healthy, 3 needed\)/,
    );
    expect(stdout).to.match(/3 pods blocked by/);
  });

  it('gives programs all of it', async () => {
    const { code, answer } = await runJson(['plan', '-f', 'policy.yaml', ...options], { cwd: folder.path() });
    expect(code).to.equal(0);
    expect(answer.policies).to.deep.equal([{ policy: 'p', change: 'Changed' }]);
    expect(answer.nodes.map(({ node, fate, wave }) => [node, fate, wave])).to.deep.equal([
      ['n1', 'Changes', 2],
      ['n2', 'Changes', 1],
      ['n3', 'Changes', 1],
    ]);
    expect(answer.nodes[2]?.evictions).to.deep.equal([
      { pod: 'team/c', fate: 'Evicted', holds: ['GPU 0: 3g.20gb at 4'] },
    ]);
    expect(answer.waves).to.deep.equal([{ nodes: ['n2', 'n3'] }, { nodes: ['n1'] }]);
  });

  it('reads JSON, several files, and standard input', async () => {
    const { items } = listOf(aBusyCluster()) as { readonly items: readonly object[] };
    await write('some.json', JSON.stringify({ apiVersion: 'v1', kind: 'List', items: items.slice(0, 5) }));
    await write(
      'others.yaml',
      items
        .slice(5)
        .map((item) => stringify(item))
        .join('---\n'),
    );
    const argv = ['plan', '-f', '-', '--snapshot', 'some.json', 'others.yaml', '--max-concurrent-nodes', '100%'];
    const { code, stdout } = await run(argv, { cwd: folder.path(), stdin: stringify(sevenths) });
    expect(code).to.equal(0);
    expect(stdout).to.match(/changes 3 of 3 nodes in 2 waves\n$/);
  });

  it('counts an object that two files have once, and refuses two moments of it', async () => {
    const { pods, ...cluster } = aBusyCluster();
    await write('pods.yaml', snapshotYaml({ ...cluster, pods, nodes: [], partitions: [], policies: [], budgets: [] }));
    const { stdout } = await plan('-f', 'policy.yaml', '--snapshot', 'pods.yaml', ...options);
    expect(stdout).to.contain('this change evicts 3 pods');
    const moved = pods.map((pod) => ({ ...pod, status: { ...pod.status, phase: 'Succeeded' } }));
    await write('pods.yaml', snapshotYaml({ ...aBusyCluster(), pods: moved }));
    const { code, stderr } = await plan('-f', 'policy.yaml', '--snapshot', 'pods.yaml', ...options);
    expect(code).to.equal(2);
    expect(stderr).to.contain('cluster.yaml: Pod plugin-n1 differs from that in pods.yaml');
  });

  it('plans what is as the policy says already as nothing', async () => {
    await write('policy.yaml', stringify(inFile({ layouts: [{ profiles: { '3g.20gb': 2 } }] })));
    const { code, stdout } = await plan('-f', 'policy.yaml', ...options);
    expect(code).to.equal(0);
    expect(stdout).to.equal(
      'policy p: unchanged\n\nAlready matches the policy: n1, n2 and n3\n\nthis change affects no nodes\n',
    );
  });

  it('says of nodes to which no layout applies what they have, and not that they match', async () => {
    const layouts = [{ gpus: { models: ['h100-80gb'] }, profiles: { '3g.40gb': 2 } }];
    await write('policy.yaml', stringify(inFile({ layouts })));
    const { code, stdout } = await plan('-f', 'policy.yaml', ...options);
    expect(code).to.equal(0);
    expect(stdout).not.to.contain('Already matches');
    expect(stdout.replaceAll(/\n +/g, ' ')).to.contain(
      'No layout applies n1, n2 and n3: no layout of the policy applies to a GPU of this node; its GPUs are left alone: ' +
        'no GPU of this node is of models h100-80gb; it has 1 × A100-SXM4-40GB\n',
    );
  });

  it('refuses a snapshot that cannot be read, or that says too little', async () => {
    await write('broken.yaml', 'a: [');
    expect(await plan('-f', 'policy.yaml', '--snapshot', 'broken.yaml')).to.include({ code: 2 });
    expect((await plan('-f', 'policy.yaml', '--snapshot', 'none.yaml')).stderr).to.match(/there is no such file/);
    for (const [kind, more] of [
      ['Node', { nodes: [] }],
      ['GpuNodePartition', { partitions: [] }],
      ['Pod', { pods: [] }],
    ] as const) {
      await write('poor.yaml', snapshotYaml({ ...aBusyCluster(), ...more }));
      const { code, stderr } = await plan('-f', 'policy.yaml', '--snapshot', 'poor.yaml');
      expect(code).to.equal(2);
      expect(stderr).to.equal(
        `error: the snapshot has no ${kind}; make it with: kubectl get nodes,gpn,gpp,pods,pdb -A -o yaml\n`,
      );
    }
  });

  it('refuses objects of ours without a spec: kubectl writes none', async () => {
    for (const kind of ['GpuNodePartition', 'GpuPartitionPolicy']) {
      const items = [
        { kind: 'Node', metadata: { name: 'n1' } },
        { kind, metadata: { name: 'x' } },
      ];
      await write('bare.json', JSON.stringify({ kind: 'List', items }));
      const { code, stderr } = await plan('-f', 'policy.yaml', '--snapshot', 'bare.json');
      expect(code).to.equal(2);
      expect(stderr).to.equal(
        `error: bare.json: ${kind} x has no spec; make the snapshot with: kubectl get nodes,gpn,gpp,pods,pdb -A -o yaml\n`,
      );
    }
  });

  it('names the object and the field of another shape than an API server gives', async () => {
    const [node, ...others] = (listOf(aBusyCluster()) as { items: { metadata: object; kind: string }[] }).items;
    for (const [change, message] of [
      [{ metadata: { name: 'n1', labels: ['a'] } }, 'Node n1: metadata.labels must be object'],
      [{ metadata: undefined }, 'a Node without a name has no metadata'],
      [
        { metadata: { name: 'n1\nn9' } },
        'Node n1\\nn9: metadata.name must not contain white space or control characters',
      ],
      [{ spec: { taints: {} } }, 'Node n1: spec.taints must be array'],
      [{ status: { conditions: [{ type: 'Ready' }] } }, 'Node n1: status.conditions.0 has no status'],
      [{ kind: 7 }, 'an item is not an object with a kind'],
    ] as const) {
      await write('odd.json', JSON.stringify({ kind: 'List', items: [{ ...node, ...change }, ...others] }));
      const { code, stderr } = await plan('-f', 'policy.yaml', '--snapshot', 'odd.json');
      expect({ code, stderr }).to.deep.equal({
        code: 2,
        stderr: `error: odd.json: ${message}; make the snapshot with: kubectl get nodes,gpn,gpp,pods,pdb -A -o yaml\n`,
      });
    }
  });

  it('has no internal error, whatever is in a place of a snapshot', async () => {
    const whole = listOf(aBusyCluster());
    const places = listPlaces(whole).filter((_, index) => index % 4 === 0);
    for (const [index, place] of places.entries()) {
      const wrong = [null, 7, 'x', [], {}, [null], true][index % 7];
      await write('odd.json', JSON.stringify(replaceAt(whole, place, wrong)));
      const { code, stderr } = await plan('-f', 'policy.yaml', '--snapshot', 'odd.json');
      expect([0, 1, 2], `${place.join('.')} = ${JSON.stringify(wrong)}: ${stderr}`).to.include(code);
      expect(stderr).not.to.include('internal error');
    }
  });

  it('refuses a snapshot without other namespaces or policies: it would call pods gone that run', async () => {
    const cluster = aBusyCluster();
    const z = { ...aTeamPod('z'), metadata: { name: 'z', namespace: 'default', uid: 'uid-z' } };
    await write('poor.yaml', snapshotYaml({ ...cluster, pods: [z] }));
    const narrow = await plan('-f', 'policy.yaml', '--snapshot', 'poor.yaml');
    expect(narrow).to.include({ code: 2, stdout: '' });
    expect(narrow.stderr).to.equal(
      'error: all pods of the snapshot are of namespace default, but the agent of node n1 reports pod team/a; ' +
        'make it with: kubectl get nodes,gpn,gpp,pods,pdb -A -o yaml\n',
    );
    // Another namespace is there: the pods of this one have ended since.
    const others = cluster.pods.filter(({ metadata }) => metadata.namespace !== 'team');
    await write('poor.yaml', snapshotYaml({ ...cluster, pods: [...others, z] }));
    expect(await plan('-f', 'policy.yaml', '--snapshot', 'poor.yaml')).to.include({ code: 0 });
    await write('poor.yaml', snapshotYaml(aBusyCluster({ policies: [] })));
    expect(await plan('-f', 'policy.yaml', '--snapshot', 'poor.yaml')).to.include({ code: 0 });
    await write('other.yaml', stringify(inFile({ layouts: [{ profiles: { '1g.5gb': 7 } }] }, 'q')));
    const unknown = await plan('-f', 'other.yaml', '--snapshot', 'poor.yaml');
    expect(unknown).to.include({ code: 2, stdout: '' });
    expect(unknown.stderr).to.equal(
      'error: node n1 serves policy p, which is neither in the snapshot nor given with -f; ' +
        'make the snapshot with: kubectl get nodes,gpn,gpp,pods,pdb -A -o yaml\n',
    );
  });

  it('refuses policies that are not valid, are none, or are there twice', async () => {
    await write('bad.yaml', stringify(inFile({ layouts: [{ profiles: { '9g.5gb': 1 } }] })));
    const bad = await plan('-f', 'bad.yaml', ...options);
    expect(bad.code).to.equal(1);
    expect(bad.stderr).to.match(/^bad\.yaml:\d+:\d+: error: spec\.layouts\[0\]/);
    expect(await plan('-f', 'none.yaml', ...options)).to.include({ code: 2 });
    await write('other.yaml', 'kind: ConfigMap\napiVersion: v1\nmetadata: {name: x}\n');
    const none = await plan('-f', 'other.yaml', ...options);
    expect(none).to.include({ code: 2, stderr: 'error: there is no GpuPartitionPolicy in other.yaml\n' });
    await write('again.yaml', stringify(sevenths));
    const twice = await plan('-f', 'policy.yaml', 'again.yaml', ...options);
    expect(twice.code).to.equal(2);
    expect(twice.stderr).to.match(/policy p is in policy\.yaml:1 and in again\.yaml:1/);
  });

  it('refuses a cluster and a snapshot at once, and standard input for both', async () => {
    const both = await plan('-f', 'policy.yaml', '--snapshot', 'cluster.yaml', '--context', 'x');
    expect(both).to.include({ code: 2 });
    expect(await plan('-f', '-', '--snapshot', '-')).to.include({ code: 2 });
  });

  it('says with 3 that there is no cluster to ask', async () => {
    const { code, stderr } = await plan('-f', 'policy.yaml', '--kubeconfig', folder.path('nowhere'));
    expect(code).to.equal(3);
    expect(stderr).to.match(/no cluster to ask: the kubeconfig .* does not exist/);
  });
});

/** Paths of all values in a document. */
function listPlaces(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, child]) => listPlaces(child, [...path, key]))];
}

function replaceAt(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((child, index) => (String(index) === key ? replaceAt(child, rest, by) : child));
  return { ...(value as object), [key]: replaceAt((value as Record<string, unknown>)[key], rest, by) };
}
