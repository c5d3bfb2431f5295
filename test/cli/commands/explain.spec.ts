import { expect } from 'chai';
import { withDemand } from '../../support/demand-builders.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClaimExplanation } from '../../../src/core/explain/pod.ts';
import type { ClusterFacts } from '../../../src/core/cluster/facts.ts';
import { aClaimCluster, aHeldClaim, attribute, deviceNames } from '../../core/cluster/claim-cluster.ts';
import { aPod } from '../../core/kubernetes/cluster-builder.ts';
import { type CliRun, jsonRunner, run } from '../run.ts';
import { useScratchFolder } from '../../device/scratch-folder.ts';
import { aCluster, aFleetNode, sliced } from '../../core/plan/cluster-builder.ts';
import { snapshotYaml } from '../snapshot-text.ts';

const [device = ''] = deviceNames;

/** As `kubectl get ... -o json` prints it. */
function snapshotJson({
  nodes,
  partitions,
  policies,
  pods = [],
  claims = [],
  classes = [],
  slices = [],
}: ClusterFacts) {
  const kinds = {
    Node: nodes,
    GpuNodePartition: partitions,
    GpuPartitionPolicy: policies,
    Pod: pods,
    ResourceClaim: claims,
    DeviceClass: classes,
    ResourceSlice: slices.map((one, at) => ({ metadata: { name: `slice-${at}` }, ...one })),
  };
  const items = Object.entries(kinds).flatMap(([kind, found]) => found.map((one) => ({ kind, ...one })));
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
}

describe('gpu-partition explain claim', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'claim-'));
    const user = aPod({
      name: 'other',
      node: 'n',
      spec: { resourceClaims: [{ name: 'gpu', resourceClaimName: 'held' }] },
    });
    const exactly = {
      deviceClassName: 'mig.nvidia.com',
      selectors: [{ cel: { expression: `${attribute('profile')} == '7g.40gb'` } }],
    };
    const wanted = {
      metadata: { name: 'wanted', namespace: 'team' },
      spec: { devices: { requests: [{ name: 'one', exactly }] } },
    };
    const facts = aClaimCluster([{}], [user], { claims: [aHeldClaim([device]), wanted] });
    await writeFile(join(folder, 'cluster.json'), snapshotJson(facts));
    await writeFile(join(folder, 'bare.json'), snapshotJson({ ...facts, claims: [] }));
  });
  after(() => rm(folder, { recursive: true }));

  const explain = (...argv: readonly string[]): Promise<CliRun> =>
    run(['explain', 'claim', ...argv, '--snapshot', 'cluster.json'], { cwd: folder });

  it('says where a claim of a snapshot has its slice and who uses it, with code 0', async () => {
    const { code, stdout, stderr } = await explain('team/held');
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout).to.equal(
      `claim team/held is not pending: it has ${device} of node n (GPU 0: 1g.5gb at 0); used by team/other (Running)\n`,
    );
    expect((await explain('held', '-n', 'team')).stdout).to.equal(stdout);
  });

  it('says why one has none, with code 1, and the same as data', async () => {
    const { code, stdout } = await explain('team/wanted');
    expect(code).to.equal(1);
    expect(stdout).to.match(
      /^claim team\/wanted is pending: no pod asks for it, .* the nearest is node n: none of its devices meets /,
    );
    const argv = ['explain', 'claim', 'team/wanted', '--snapshot', 'cluster.json'];
    const { answer } = await jsonRunner<ClaimExplanation>()(argv, { cwd: folder });
    expect(answer).to.include({ claim: 'team/wanted', code: 'Unused', isPending: true });
    expect(answer.nodes).to.have.length(1);
  });

  it('names a claim that is not there, a snapshot without claims, and half a name', async () => {
    expect(await explain('team/none')).to.deep.include({
      code: 2,
      stderr: 'error: the snapshot has no ResourceClaim team/none\n',
    });
    const bare = await run(['explain', 'claim', 'team/held', '--snapshot', 'bare.json'], { cwd: folder });
    expect(bare.code).to.equal(2);
    expect(bare.stderr).to.match(
      /^error: the snapshot has no ResourceClaim; make it with: kubectl get nodes,gpn,gpp,pods,pdb,deviceclasses,resourceclaims,\S+ -A -o yaml$/m,
    );
    expect((await explain('team/held', '-n', 'other')).stderr).to.equal(
      'error: the claim is in team or in other: name one namespace\n',
    );
  });
});

describe('gpu-partition explain pod', () => {
  const scratch = useScratchFolder();
  const config = scratch.path('config');
  before(async () => writeFile(config, JSON.stringify(unreachable)));

  it('cannot find out where there is no cluster', async () => {
    const { code, stderr } = await run(['explain', 'pod', 'team/train', '--kubeconfig', '/nonexistent/config']);
    expect(code).to.equal(3);
    expect(stderr).to.match(/^error: no cluster to ask: .*\/nonexistent\/config/);
  });

  it('cannot find out where the API server does not answer', async function () {
    const { code, stderr } = await run(['explain', 'pod', 'team/train', '--kubeconfig', config]);
    expect(code).to.equal(3);
    expect(stderr).to.match(/^error: cannot read pod team\/train: /);
  });

  it('takes an empty namespace of a context for default, as kubectl does', async () => {
    const [{ name, context }] = unreachable.contexts;
    const file = scratch.path('without-namespace');
    await writeFile(
      file,
      JSON.stringify({ ...unreachable, contexts: [{ name, context: { ...context, namespace: '' } }] }),
    );
    const { stderr } = await run(['explain', 'pod', 'train', '--kubeconfig', file]);
    expect(stderr).to.match(/^error: cannot read pod default\/train: /);
  });

  it('is used wrongly with half a name, or with two namespaces', async () => {
    for (const argv of [['team/'], ['a/b/c'], ['team/train', '-n', 'other']]) {
      const { code, stderr } = await run(['explain', 'pod', ...argv, '--kubeconfig', config]);
      expect({ code, lines: stderr.trim().split('\n').length }, argv.join(' ')).to.deep.equal({ code: 2, lines: 1 });
    }
  });

  it('is used wrongly with what cannot be a name, and asks for it nowhere', async () => {
    for (const kind of ['pod', 'claim'])
      for (const argv of [[''], ['..'], ['team/..'], ['../train'], ['a b'], ['train', '-n', '']]) {
        const { code, stderr } = await run(['explain', kind, ...argv, '--kubeconfig', config]);
        expect(code, argv.join(' ')).to.equal(2);
        expect(stderr).to.match(
          /^error: "[^"]*" is not (?:the name of a (?:pod|claim|namespace)|of the form NAMESPACE\/NAME)\n$/,
        );
      }
  });

  it('says what a demand makes of a pod of a snapshot, with the solver where the pool is large', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'explain-'));
    try {
      const slices = [
        { name: 'small', profiles: ['1g.5gb'] },
        { name: 'large', profiles: ['3g.20gb'], max: 30 },
      ];
      const shared = withDemand(sliced(), { from: 'Pods', slices });
      // Each node differs from the others, and half of one GPU alone is free.
      const nodes = [...Array(24).keys()].map((index) => {
        const busy = [0, 1, 2, 3, 4, 5, 6].filter((at) =>
          index === 0 ? at < 4 : ((index * 37) >> at) % 2 === 1 || at === 5,
        );
        const pods = Object.fromEntries(busy.map((at) => [`1g.5gb@${at}`, [`p${index}-${at}`]]));
        const places = [0, 1, 2, 3, 4, 5, 6].map((at) => `1g.5gb@${at}`);
        return aFleetNode({ name: `n${index}`, slices: places, pods }, shared);
      });
      const containers = [{ name: 'main', resources: { limits: { 'nvidia.com/mig-3g.20gb': 1 } } }];
      const metadata = { name: 'train', namespace: 'team' };
      const waiting = { metadata, spec: { containers }, status: { phase: 'Pending' } };
      await writeFile(
        join(folder, 'cluster.yaml'),
        snapshotYaml(aCluster(nodes, { policies: [shared], pods: [waiting] })),
      );
      const argv = ['explain', 'pod', 'team/train', '--snapshot', 'cluster.yaml'];
      const { code, stdout, stderr } = await run(argv, { cwd: folder });
      expect({ code, stderr }).to.deep.equal({ code: 1, stderr: '' });
      const [, line] = stdout.split('\n');
      expect(line).to.match(
        /^policy p: the planner will offer a 3g\.20gb on node n\d+, GPU 0 in place of \d idle 1g\.5gb$/,
      );
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

const unreachable = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'c',
  contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }] as const,
  clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'u', user: { token: 't' } }],
};
