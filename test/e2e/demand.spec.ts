import { expect } from 'chai';
import type { GpuPartitionPolicy, PolicyDemand } from '../../src/api/types.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { PodExplanation } from '../../src/core/explain/pod.ts';
import type { ChangePlan } from '../../src/core/plan/change.ts';
import type { PodDemandOutlook } from '../../src/core/demand/pod-outlook.ts';
import { jsonRunner } from '../cli/run.ts';
import { eventually } from '../support/eventually.ts';
import { applyObjects, gpuPod } from '../support/gpu-pods.ts';
import { useRig } from '../support/rig.ts';

const nodeSelector = { matchLabels: { pool: 'p' } };
const nodes = ['n1', 'n2', 'n3', 'n4'].map((name): RigNode => ({
  name,
  gpus: ['A100-SXM4-40GB'],
  labels: { pool: 'p' },
  strategy: 'mixed',
}));
const names = nodes.map(({ name }) => name);
const small = 'nvidia.com/mig-1g.5gb';
const large = 'nvidia.com/mig-3g.20gb';

describe('a policy with a demand @all', function () {
  const rig = useRig(nodes);

  const demand = (counts: Readonly<Record<string, number>>, more: { readonly cooldown?: string } = {}) =>
    rig().apply('p', {
      nodeSelector,
      rollout: { maxUnavailable: 2 },
      demand: {
        ...more,
        slices: Object.entries(counts).map(([profile, count]) => ({ name: profile, profiles: [profile], count })),
      },
    });
  const offered = async (resource: string): Promise<number> => {
    const all = await Promise.all(names.map((name) => rig().node(name)));
    return all.reduce((sum, { status }) => sum + Number(status.allocatable?.[resource] ?? 0), 0);
  };
  const wishes = () => Promise.all(names.map(async (name) => (await rig().partition(name)).spec.wish));
  const settled = async (): Promise<GpuPartitionPolicy> => {
    await rig().waitFor('p', 'DemandMet', 'True', 'DemandMet', 90_000);
    return rig().waitFor('p', 'Ready', 'True', 'Ready', 90_000);
  };

  it('is met over all nodes together, and the status says how', async () => {
    await demand({ '1g.5gb': 8, '3g.20gb': 2 });
    const { status } = await settled();
    expect(await offered(small)).to.be.at.least(8);
    expect(await offered(large)).to.be.at.least(2);
    expect(status?.demand).to.deep.equal([
      { name: '1g.5gb', wanted: 8, offered: 8, used: 0, unmet: 0 },
      { name: '3g.20gb', wanted: 2, offered: 2, used: 0, unmet: 0 },
    ]);
  });

  it('is followed by a new leader, which changes nothing', async () => {
    const before = await wishes();
    const epochs = () => Promise.all(names.map(async (name) => (await rig().partition(name)).spec.granted?.epoch));
    const granted = await epochs();
    await rig().rig.controller.stop('SIGKILL');
    rig().rig.controller.start();
    // A demand that is edited without another effect shows that the new leader has planned.
    await demand({ '1g.5gb': 7, '3g.20gb': 2 });
    const { status } = await settled();
    expect(status?.demand?.map(({ wanted }) => wanted)).to.deep.equal([7, 2]);
    expect(await wishes()).to.deep.equal(before);
    expect(await epochs()).to.deep.equal(granted);
  });

  it('changes only what the new demand needs, never a slice in use', async () => {
    await applyObjects(
      rig(),
      ['a', 'b', 'c'].map((name) => gpuPod({ name, resource: small })),
    );
    await rig().kubectl('wait', '--for=jsonpath={.status.phase}=Running', 'pod/a', 'pod/b', 'pod/c', '--timeout=60s');
    await eventually(
      async () => (await rig().policy('p')).status?.demand?.[0]?.used,
      (used) => used === 3,
      { timeoutMs: 60_000, what: 'three small slices to be in use' },
    );
    await demand({ '1g.5gb': 3, '3g.20gb': 6 }, { cooldown: '1s' });
    await settled();
    expect(await offered(large)).to.be.at.least(6);
    const pods = await rig().kubectl('get', 'pods', '-o', 'jsonpath={.items[*].metadata.name}');
    expect(pods).to.equal('a b c');
  });

  it('that does not fit says what is lacking and why, and leaves who works alone', async () => {
    await demand({ '1g.5gb': 3, '3g.20gb': 8 }, { cooldown: '1s' });
    const held = await rig().waitFor('p', 'DemandMet', 'False', undefined, 60_000);
    const { message, reason } = held.status?.conditions?.find(({ type }) => type === 'DemandMet') ?? {};
    expect(reason).to.be.oneOf(['NothingIdle', 'NoRoom']);
    expect(message).to.match(/^3g\.20gb: \d of 8 unmet: /);
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    expect((await rig().writes()).filter((write) => write.includes('eviction'))).to.deep.equal([]);
  });
});

describe('a demand that follows pods', function () {
  const rig = useRig(nodes);

  const create = (resource: string, ...pods: readonly string[]) =>
    applyObjects(
      rig(),
      pods.map((name) => gpuPod({ name, resource })),
    );
  const remove = (...pods: readonly string[]) => rig().kubectl('delete', 'pod', '--wait=true', ...pods);
  const running = async (): Promise<readonly string[]> => {
    const text = await rig().kubectl(
      'get',
      'pods',
      '--field-selector=status.phase=Running',
      '-o',
      'jsonpath={.items[*].metadata.name}',
    );
    return text.split(' ').filter((name) => name !== '');
  };
  const untilRunning = (...pods: readonly string[]) =>
    eventually(running, (found) => pods.every((name) => found.includes(name)), {
      timeoutMs: 120_000,
      what: `${pods.join(', ')} to run`,
    });
  const epochs = () => Promise.all(names.map(async (name) => (await rig().partition(name)).spec.granted?.epoch));
  const evictions = async () => (await rig().writes()).filter((write) => write.includes('eviction'));

  it('makes slices for pods that wait, of the profiles that they request', async () => {
    await rig().apply('p', {
      nodeSelector,
      rollout: { maxUnavailable: 4 },
      demand: {
        from: 'Pods',
        stabilization: '2s',
        cooldown: '1s',
        slices: [
          { name: 'small', profiles: ['1g.5gb'], spare: 2 },
          { name: 'large', profiles: ['3g.20gb'] },
        ],
      },
    });
    await create(small, 's1', 's2', 's3', 's4', 's5', 's6');
    await untilRunning('s1', 's2', 's3', 's4', 's5', 's6');
  });

  it('serves them beside pods that no node can ever hold, which it names, and whatever else is absurd', async () => {
    const absurd = { huge: '3000000000', most: '9223372036854775807', wide: '20' };
    const pods = Object.entries(absurd).map(([name, amount]) => gpuPod({ name, resource: small, amount }));
    await applyObjects(rig(), pods);
    await rig().kubectl('annotate', 'gpp', 'p', `gpupartition.dev/defrag=${'x'.repeat(1500)}`);
    await create(small, 'u1', 'u2', 'u3');
    await untilRunning('u1', 'u2', 'u3');
    const { status } = await eventually(
      () => rig().policy('p'),
      ({ status: now }) => now?.demand?.[0]?.used === 9 && now.defrag?.state === 'Refused',
      { timeoutMs: 60_000, what: 'nine small slices to be in use, and the request to be refused' },
    );
    expect(status?.demand?.[0]).to.include({ waiting: 0, unmet: 0 });
    const met = await rig().waitFor('p', 'DemandMet', 'True', 'DemandMet', 60_000);
    const { message = '' } = met.status?.conditions?.find(({ type }) => type === 'DemandMet') ?? {};
    for (const name of Object.keys(absurd))
      expect(message).to.include(`pod default/${name}, which requests more than a node can hold`);
    expect(await running()).to.have.members(['s1', 's2', 's3', 's4', 's5', 's6', 'u1', 'u2', 'u3']);
    await rig().kubectl('annotate', 'gpp', 'p', 'gpupartition.dev/defrag-');
    await remove('u1', 'u2', 'u3', ...Object.keys(absurd));
  });

  it('moves nothing for a pod more or less, which the spare slices take', async () => {
    await rig().waitFor('p', 'DemandMet', 'True', 'DemandMet', 60_000);
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    const before = await epochs();
    for (const turn of [1, 2, 3]) {
      await create(small, `t${turn}`);
      await untilRunning(`t${turn}`);
      await remove(`t${turn}`);
    }
    // At most the one slice more that keeps two spare.
    const [first, then] = [before, await epochs()].map((all) => all.reduce<number>((sum, one) => sum + (one ?? 0), 0));
    expect((then ?? 0) - (first ?? 0)).to.be.at.most(1);
  });

  it('makes room for larger ones of what fell idle, and evicts nobody', async () => {
    await remove('s1', 's2', 's3', 's4');
    await create(large, 'l1', 'l2', 'l3', 'l4', 'l5', 'l6');
    await untilRunning('l1', 'l2', 'l3', 'l4', 'l5', 'l6', 's5', 's6');
    expect(await evictions()).to.deep.equal([]);
    const { status } = await rig().policy('p');
    expect(status?.demand?.map(({ name }) => name)).to.deep.equal(['small', 'large']);
  });

  it('explains of a pod that waits what it comes next to, or which pods hold the room', async () => {
    const explain = async (pod: string) => {
      const config = await rig().controlPlane.kubeconfigFile();
      return (
        await jsonRunner<{ readonly demands: readonly PodDemandOutlook[] }>()([
          'explain',
          'pod',
          `default/${pod}`,
          '--kubeconfig',
          config,
        ])
      ).answer.demands;
    };
    await create(large, 'x1', 'x2', 'x3');
    const [found] = await eventually(
      () => explain('x3'),
      ([one]) => one?.code === 'NothingIdle',
      { timeoutMs: 60_000, what: 'a pod that nothing idle serves' },
    );
    expect(found?.message).to.match(
      /^policy p: no room is idle, and demand\.evict Never spares what runs: node n\d, GPU 0 has room for a 3g\.20gb once default\/\w+.* ended/,
    );
  });

  it('is planned in advance as the controller then does it', async () => {
    await remove('x1', 'x2', 'x3', 'l1', 'l2', 'l3', 'l4', 'l5', 'l6', 's5', 's6');
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    await eventually(
      async () => (await rig().policy('p')).status?.demand?.map(({ used }) => used).join(),
      (used) => used === '0,0',
      { timeoutMs: 60_000, what: 'all slices to be idle' },
    );
    const demand = {
      slices: [
        { name: 'whole', profiles: ['7g.40gb'], count: 2 },
        { name: 'small', profiles: ['1g.5gb'], count: 9 },
      ],
      // GPUs that were re-laid twice a short while ago would rest, and the demand be met after that.
      cooldown: '1s',
    };
    const folder = await mkdtemp(join(tmpdir(), 'demand-'));
    const file = join(folder, 'policy.yaml');
    const policy = { apiVersion: 'gpupartition.dev/v1alpha1', kind: 'GpuPartitionPolicy', metadata: { name: 'p' } };
    await writeFile(
      file,
      stringify({ ...policy, spec: { nodeSelector, strategy: 'mixed', rollout: { maxUnavailable: 4 }, demand } }),
    );
    const config = await rig().controlPlane.kubeconfigFile();
    const { code, answer } = await jsonRunner<ChangePlan>()(['plan', '-f', file, '--kubeconfig', config]);
    await rm(folder, { recursive: true });
    expect(code).to.equal(0);
    const planned = answer.nodes.flatMap(({ node, plan }) => (plan && plan.create + plan.destroy > 0 ? [node] : []));
    expect(planned).to.not.deep.equal([]);
    const before = await epochs();
    await rig().apply('p', { nodeSelector, rollout: { maxUnavailable: 4 }, demand });
    await rig().waitFor('p', 'DemandMet', 'True', 'DemandMet', 90_000);
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 90_000);
    const after = await epochs();
    expect(names.filter((_, index) => after[index] !== before[index])).to.deep.equal(planned);
  });
});

describe('a demand with whole GPUs @all', function () {
  const rig = useRig(nodes);

  const whole = 'nvidia.com/gpu';
  const medium = 'nvidia.com/mig-1g.10gb';
  const demand = (slices: PolicyDemand['slices'], more: Omit<PolicyDemand, 'slices'> = {}) =>
    rig().apply('p', { nodeSelector, rollout: { maxUnavailable: 4 }, demand: { slices, cooldown: '1s', ...more } });
  const counts = (wholes: number, mediums: number): PolicyDemand['slices'] => [
    { mig: 'Disabled', count: wholes },
    { name: 'medium', memory: '5Gi', count: mediums },
  ];
  const offered = async (resource: string): Promise<number> => {
    const all = await Promise.all(names.map((name) => rig().node(name)));
    return all.reduce((sum, { status }) => sum + Number(status.allocatable?.[resource] ?? 0), 0);
  };
  const untilOffered = (wanted: Readonly<Record<string, number>>) =>
    eventually(
      () => Promise.all(Object.keys(wanted).map(offered)),
      (found) => Object.values(wanted).every((count, index) => found[index] === count),
      { timeoutMs: 120_000, what: `the nodes to offer ${JSON.stringify(wanted)}` },
    );
  const evictions = async () => (await rig().writes()).filter((write) => write.includes('eviction'));

  it('keeps them beside the smallest slices with the memory that is wanted', async () => {
    await demand(counts(2, 8));
    await rig().waitFor('p', 'DemandMet', 'True', 'DemandMet', 90_000);
    await untilOffered({ [whole]: 2, [medium]: 8 });
    expect((await rig().policy('p')).status?.demand).to.deep.equal([
      { name: 'whole', wanted: 2, offered: 2, used: 0, unmet: 0 },
      { name: 'medium', wanted: 8, offered: 8, used: 0, unmet: 0 },
    ]);
  });

  it('partitions one that is idle, and never one that a pod holds', async () => {
    await applyObjects(rig(), [gpuPod({ name: 'train', resource: whole })]);
    await eventually(
      async () => (await rig().policy('p')).status?.demand?.[0]?.used,
      (used) => used === 1,
      { timeoutMs: 60_000, what: 'a whole GPU to be in use' },
    );
    await demand(counts(0, 16));
    await untilOffered({ [whole]: 1, [medium]: 12 });
    const held = await rig().waitFor('p', 'DemandMet', 'False', 'NothingIdle', 60_000);
    expect(held.status?.demand?.[1]?.unmet).to.equal(4);
    const running = await rig().kubectl('get', 'pod', 'train', '-o', 'jsonpath={.status.phase}');
    expect([running, await evictions()]).to.deep.equal(['Running', []]);
  });

  it('turns idle GPUs that the demand does not need into whole ones, and into balanced ones', async () => {
    await demand(counts(1, 4), { rest: 'Whole' });
    await untilOffered({ [whole]: 3, [medium]: 4 });
    await demand(counts(1, 4), { rest: 'Balanced' });
    await untilOffered({ [whole]: 1, [medium]: 4, [large]: 2, [small]: 4 });
    await rig().waitFor('p', 'DemandMet', 'True', 'DemandMet', 60_000);
    expect(await evictions()).to.deep.equal([]);
  });

  it('makes one for a pod that waits for nvidia.com/gpu', async () => {
    await demand([{ mig: 'Disabled' }, { name: 'medium', memory: '5Gi', min: 4 }], {
      from: 'Pods',
      stabilization: '2s',
    });
    await applyObjects(rig(), [gpuPod({ name: 'more', resource: whole })]);
    await rig().kubectl('wait', '--for=jsonpath={.status.phase}=Running', 'pod/more', '--timeout=120s');
    // The pod may run before the status, which is written once a second, is that of the new demand.
    await eventually(
      async () => (await rig().policy('p')).status?.demand?.map(({ name, waiting }) => [name, waiting]),
      (found) => JSON.stringify(found) === '[["whole",0],["medium",0]]',
      { timeoutMs: 60_000, what: 'no pod to wait for a slice' },
    );
    expect(await evictions()).to.deep.equal([]);
  });
});

describe('a demand for pods that cannot use every node', function () {
  const two = nodes.slice(0, 2);
  const rig = useRig(two);
  const all = two.map(({ name }) => name);

  const placeOf = (pod: string) => rig().kubectl('get', 'pod', pod, '-o', 'jsonpath={.spec.nodeName}');
  const untilPlaced = (pod: string) =>
    eventually(
      () => placeOf(pod),
      (node) => node !== '',
      { timeoutMs: 90_000, what: `${pod} to have a node` },
    );
  const waiting = async () => (await rig().policy('p')).status?.demand?.map((one) => one.waiting).join();
  const explain = async (pod: string) => {
    const config = await rig().controlPlane.kubeconfigFile();
    return (await jsonRunner<PodExplanation>()(['explain', 'pod', `default/${pod}`, '--kubeconfig', config])).answer;
  };
  const otherThan = (node: string): string => all.find((name) => name !== node) ?? '';
  let home = '';

  before(async () => {
    await rig().apply('p', {
      nodeSelector,
      rollout: { maxUnavailable: 2 },
      demand: {
        from: 'Pods',
        stabilization: '5s',
        cooldown: '1s',
        slices: [
          { name: 'small', profiles: ['1g.5gb'], spare: 1 },
          { name: 'large', profiles: ['3g.20gb'] },
        ],
      },
    });
    await applyObjects(rig(), [gpuPod({ name: 'a', resource: small })]);
    home = await untilPlaced('a');
    await rig().waitFor('p', 'DemandMet', 'True', 'DemandMet', 60_000);
  });

  it('makes a slice elsewhere where the idle one is on a cordoned node, and says what is out of reach', async () => {
    await rig().kubectl('cordon', home);
    await applyObjects(rig(), [gpuPod({ name: 'b', resource: small })]);
    await rig().waitFor('p', 'DemandMet', 'False', undefined, 30_000);
    expect(await untilPlaced('b')).to.equal(otherThan(home));
    expect((await rig().writes()).filter((write) => write.includes('eviction'))).to.deep.equal([]);
  });

  it('chooses nothing for a node that is being removed', async () => {
    await rig().kubectl('uncordon', home);
    const leaving = otherThan(home);
    await rig().waitFor('p', 'Ready', 'True', 'Ready', 60_000);
    const epoch = async () => (await rig().partition(leaving)).spec.granted?.epoch;
    await rig().kubectl('taint', 'node', leaving, 'karpenter.sh/disrupted=:NoSchedule');
    const before = await epoch();
    await applyObjects(rig(), [gpuPod({ name: 'l', resource: large })]);
    expect(await untilPlaced('l')).to.equal(home);
    expect(await epoch()).to.equal(before);
    await rig().kubectl('taint', 'node', leaving, 'karpenter.sh/disrupted-');
  });

  it('makes no slice for pods that no node would take, or whose volume is not there', async () => {
    const pod = gpuPod({ name: 'huge', resource: large }) as {
      readonly spec: { readonly containers: readonly object[] };
    };
    const limits = { [large]: 1, cpu: 1000 };
    const huge = { ...pod, spec: { ...pod.spec, containers: [{ ...pod.spec.containers[0], resources: { limits } }] } };
    const unbound = gpuPod({ name: 'unbound', resource: large }) as typeof pod;
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'nowhere' } }];
    await applyObjects(rig(), [huge, { ...unbound, spec: { ...unbound.spec, volumes } }]);
    for (const name of ['huge', 'unbound'])
      await rig().kubectl('wait', '--for=condition=PodScheduled=False', `pod/${name}`, '--timeout=60s');
    await eventually(waiting, (found) => found === '0,0', { timeoutMs: 30_000, what: 'nobody to be waited for' });
    expect((await explain('huge')).suggestions.map(({ kind }) => kind)).not.to.include('EditPolicy');
  });
});
