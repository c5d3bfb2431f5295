import { writeFile } from 'node:fs/promises';
import { expect } from 'chai';
import { useFreshFolder } from '../../device/scratch-folder.ts';
import type { DefragAnswer } from '../../../src/cli/commands/defrag.ts';
import type { ClusterState } from '../../../src/core/plan/change.ts';
import { aCluster, aFleetNode, aTeamPod, sliced } from '../../core/plan/cluster-builder.ts';
import { aDemandPolicy } from '../../core/demand/defrag-builders.ts';
import { jsonRunner, run } from '../run.ts';
import { snapshotYaml } from '../snapshot-text.ts';

const runJson = jsonRunner<DefragAnswer>();
const three = { '1g.5gb@0': ['a'], '1g.5gb@2': ['b'], '1g.5gb@4': ['c'] };

/** Two nodes of one GPU: three small slices in use on one, one on the other. */
function aScatteredCluster(policy = aDemandPolicy(), more: Partial<ClusterState> = {}): ClusterState {
  const nodes = [
    aFleetNode({ name: 'n1', slices: ['1g.5gb@0', '1g.5gb@2', '1g.5gb@4'], pods: three }, policy),
    aFleetNode({ name: 'n2', slices: ['1g.5gb@0'], pods: { '1g.5gb@0': ['d'] } }, policy),
  ];
  const pods = [aTeamPod('a'), aTeamPod('b'), aTeamPod('c'), aTeamPod('d', { node: 'n2' })];
  return aCluster(nodes, { policies: [policy], pods, ...more });
}

describe('gpu-partition defrag --snapshot', () => {
  const folder = useFreshFolder();
  const given = (cluster: ClusterState) => writeFile(folder.path('cluster.yaml'), snapshotYaml(cluster));
  const argv = (...more: readonly string[]) => ['defrag', '--snapshot', 'cluster.yaml', ...more];
  const defrag = (...more: readonly string[]) => run(argv(...more), { cwd: folder.path() });
  const answer = (...more: readonly string[]) => runJson(argv(...more), { cwd: folder.path() });
  beforeEach(async () => {
    await given(aScatteredCluster());
  });

  it('moves the fewest pods, shows where each finds room, and proves it', async () => {
    const { code, stdout, stderr } = await defrag('--free', '7g.40gb=1');
    expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
    expect(stdout.split('\n')).to.deep.equal([
      'n1 GPU 0 (A100-SXM4-40GB): 4×1g.5gb',
      '  now   |1g.5gb* |........|1g.5gb* |........|1g.5gb* |........|........|........|',
      '  then  |1g.5gb* |1g.5gb  |1g.5gb* |........|1g.5gb* |........|........|........|',
      'n2 GPU 0 (A100-SXM4-40GB): 1×7g.40gb',
      '  now   |1g.5gb* |........|........|........|........|........|........|........|',
      '  then  |7g.40gb                                                                |',
      'pod team/d goes from n2 GPU 0: 1g.5gb at 0; room for it: n1 GPU 0: 1g.5gb at 1',
      '1×7g.40gb idle: 1 pod moves, 2 GPUs of 2 nodes change, 0 idle instances go;',
      '  proven: nothing cheaper does',
      '',
    ]);
  });

  it('tells programs what becomes of each GPU, and nothing of how it is drawn', async () => {
    const { answer: found } = await answer('--free', '7g.40gb=1');
    const fields = ['create', 'destroy', 'index', 'node', 'product', 'profiles', 'uuid'];
    expect(found.gpus.map((gpu) => Object.keys(gpu).toSorted())).to.deep.equal([fields, fields]);
  });

  it('changes nothing where they are idle already', async () => {
    const policy = aDemandPolicy();
    await given(aCluster([aFleetNode({ name: 'n1', slices: ['3g.20gb@0'] }, policy)], { policies: [policy] }));
    const { code, stdout } = await defrag('--free', '3g.20gb=1');
    expect(code).to.equal(0);
    expect(stdout).to.equal('1×3g.20gb idle already: nothing has to change\n');
  });

  it('spares pods of high priority, and those that nothing can evict', async () => {
    const cluster = aScatteredCluster();
    const dear = cluster.pods.map((pod) =>
      pod.metadata.name === 'd' ? { ...pod, spec: { ...pod.spec, priority: 1_000_000_000 } } : pod,
    );
    await given({ ...cluster, pods: dear });
    expect((await answer('--free', '7g.40gb=1')).answer.moves.map(({ pod }) => pod)).to.deep.equal([
      'team/a',
      'team/b',
      'team/c',
    ]);
    const fixed = [
      aTeamPod('a'),
      aTeamPod('b', { owner: 'DaemonSet' }),
      aTeamPod('c'),
      aTeamPod('d', { node: 'n2', owner: '' }),
    ];
    await given({
      ...cluster,
      pods: [...cluster.pods.filter(({ metadata }) => metadata.namespace !== 'team'), ...fixed],
    });
    const stuck = await answer('--free', '7g.40gb=1');
    expect(stuck.code).to.equal(1);
    expect(stuck.answer.isPossible).to.equal(false);
    expect(stuck.answer.findings.join()).to.match(/pod team\/d would have to go: it has no controller/);
  });

  it('says where there is no room, or a policy forbids evictions', async () => {
    const full = await answer('--free', '7g.40gb=2');
    expect(full.code).to.equal(1);
    expect(full.answer.findings).to.deep.equal([
      'there is no room for 1 of 7g.40gb beside what runs: add GPUs, or free fewer',
    ]);
    await given(aScatteredCluster(aDemandPolicy({ evict: 'Never' })));
    const never = await answer('--free', '7g.40gb=1');
    expect(never.answer.findings).to.deep.equal([
      '1 of 7g.40gb could be freed only by evicting pods, which demand.evict Never of the policy forbids: set it to IfNeeded',
    ]);
  });

  it('speaks of no nearest plan where nothing would change', async () => {
    await given(aScatteredCluster(aDemandPolicy({ evict: 'Never' })));
    const { stdout } = await defrag('--free', '7g.40gb=1');
    expect(stdout.trimEnd().split('\n').at(-1)).to.equal('1×7g.40gb cannot be freed');
  });

  it('says where it is the demand of the policy that has no room', async () => {
    await given(aScatteredCluster(aDemandPolicy({ slices: [{ name: 'large', profiles: ['7g.40gb'], count: 2 }] })));
    expect((await answer('--free', '1g.5gb=1')).answer.findings).to.deep.equal([
      'there is no room for 1 of large (of the demand) beside what runs: add GPUs, or have the demand want less',
    ]);
  });

  it('says where a pod would find no node that it may use', async () => {
    const cluster = aScatteredCluster();
    const pinned = cluster.pods.map((pod) =>
      pod.metadata.name === 'd'
        ? { ...pod, spec: { ...pod.spec, nodeSelector: { 'kubernetes.io/hostname': 'n2' } } }
        : pod,
    );
    await given({ ...cluster, pods: pinned });
    const { code, answer: found } = await answer('--free', '7g.40gb=1');
    expect(code).to.equal(1);
    expect(found.findings).to.deep.equal([
      'pod team/d would find no idle slice on a node that its selectors and tolerations allow',
    ]);
  });

  it('prints for a policy with layouts the entries that would do it', async () => {
    await given(aScatteredCluster(sliced({ layouts: [{ profiles: { '1g.5gb': 3 } }] })));
    const { code, stdout } = await defrag('--free', '7g.40gb=1');
    expect(code).to.equal(0);
    expect(stdout).to.match(/policy p has layouts, and would take this back/);
    expect(stdout).to.match(/ {2}- gpus: \{uuids: \[GPU-[0-9a-f-]+\]\}\n {4}profiles: \{7g\.40gb: 1\}\n/);
  });

  it('is refused for what it does not do', async () => {
    expect((await defrag('--free', '3g.20gb')).stderr).to.include('"3g.20gb" is not PROFILE=COUNT');
    const foreign = await defrag('--free', '9g.1gb=1,1g.5gb=1');
    expect(foreign.code).to.equal(2);
    expect(foreign.stderr).to.match(/--free: no GPU of the policy has profile 9g\.1gb; they have .*1g\.5gb/);
    expect((await defrag('--free', '3g.20gb=1', '--apply')).stderr).to.include(
      'a saved cluster, in which nothing can be applied',
    );
    expect((await defrag('--free', '3g.20gb=1', '--policy', 'q')).stderr).to.include('no policy "q"; there are: p');
    await given(aScatteredCluster(sliced({ strategy: 'single', layouts: [{ profiles: { '1g.5gb': 3 } }] })));
    expect((await defrag('--free', '3g.20gb=1')).stderr).to.include('policy p has strategy single');
    const [one, other] = [
      aDemandPolicy(),
      { ...aDemandPolicy(), metadata: { name: 'q', uid: 'uid-q', generation: 1 } },
    ];
    const nodes = [aFleetNode({ name: 'n1', slices: [] }, one), aFleetNode({ name: 'n2', slices: [] }, other)];
    await given(aCluster(nodes, { policies: [one, other] }));
    expect((await defrag('--free', '3g.20gb=1')).stderr).to.include(
      'several policies decide over nodes: name one with --policy: p, q',
    );
  });
});
