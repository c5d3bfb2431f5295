import { expect } from 'chai';
import type { GpuReport } from '../../../src/api/types.ts';
import { reportWaste } from '../../../src/core/explain/waste.ts';
import { aGpu, aPolicy } from '../../support/builders.ts';
import { aCluster, aPod } from '../kubernetes/cluster-builder.ts';
import { aMoment, splitPolicy, wastefulDay } from './waste-stories.ts';

const half = 'nvidia.com/mig-3g.20gb';

describe('the report of waste', () => {
  it('counts what was never used in any sample, by policy and profile, with the nodes that have most of it', () => {
    const [use] = reportWaste(wastefulDay).gpus;
    expect(use?.profiles).to.deep.equal([
      {
        profile: '1g.5gb',
        instances: 6,
        neverUsed: 4,
        nodes: [
          { node: 'n0', neverUsed: 2 },
          { node: 'n1', neverUsed: 2 },
        ],
      },
      { profile: '3g.20gb', instances: 2, neverUsed: 0, nodes: [] },
    ]);
  });

  it('counts slices that belong to no instance', () => {
    const [use, ...others] = reportWaste(wastefulDay).gpus;
    expect(others).to.deep.equal([]);
    const { profiles: _profiles, ...rest } = use ?? { profiles: [] };
    expect(rest).to.deep.equal({
      policy: 'split',
      product: 'A100-SXM4-40GB',
      gpus: 2,
      slices: { compute: 14, memory: 16 },
      stranded: { compute: 2, memory: 2 },
    });
  });

  it('names the ten nodes with most that was never used, equal ones by name', () => {
    const idle = (at: number) => (at === 11 ? ['1g.5gb@0', '1g.5gb@1'] : ['1g.5gb@0']);
    const nodes = Array.from({ length: 12 }, (_, at) => ({
      name: `n${String(11 - at).padStart(2, '0')}`,
      gpus: [{ ...aGpu({ slices: idle(11 - at) }), uuid: `GPU-${at}` }],
    }));
    // All but n11, which has two, have one.
    const others = nodes.slice(1).toReversed();
    const [use] = reportWaste([aCluster([...others, ...nodes.slice(0, 1)])]).gpus;
    const [profile] = use?.profiles ?? [];
    expect(profile).to.include({ instances: 13, neverUsed: 13 });
    expect(profile?.nodes.map(({ node, neverUsed }) => [node, neverUsed])).to.deep.equal([
      ['n11', 2],
      ...['n00', 'n01', 'n02', 'n03', 'n04', 'n05', 'n06', 'n07', 'n08'].map((node) => [node, 1]),
    ]);
    const swapped = reportWaste([aCluster(others.toReversed())]).gpus[0]?.profiles[0]?.nodes;
    expect(swapped?.map(({ node }) => node).at(0)).to.equal('n00');
  });

  it('takes what exists from the last sample', () => {
    const before = aCluster([{ gpus: [aGpu({ slices: ['7g.40gb@0'] })] }]);
    const now = aCluster([{ gpus: [aGpu({ slices: ['3g.20gb@0'] })] }]);
    const { gpus, resources } = reportWaste([before, now]);
    expect(gpus.flatMap(({ profiles }) => profiles.map(({ profile }) => profile))).to.deep.equal(['3g.20gb']);
    expect(resources.map(({ resource, offered }) => [resource, offered])).to.deep.equal([
      [half, 1],
      ['nvidia.com/mig-7g.40gb', 0],
    ]);
  });

  it('leaves out GPUs that are whole, and those that cannot be read', () => {
    const gpus: readonly GpuReport[] = [aGpu(), aGpu({ index: 1, slices: ['1g.5gb@0'], error: 'GpuLost' })];
    expect(reportWaste([aCluster([{ gpus }])]).gpus).to.deep.equal([]);
  });

  it('keeps policies and products apart', () => {
    const a100 = aGpu({ slices: ['7g.40gb@0'] });
    const a30 = aGpu({ index: 1, product: 'NVIDIA A30', slices: ['4g.24gb@0'] });
    const { gpus } = reportWaste([
      aCluster([
        { name: 'a', policy: splitPolicy, gpus: [a30, a100] },
        { name: 'b', gpus: [a100] },
      ]),
    ]);
    expect(gpus.map(({ policy, product, stranded }) => [policy, product, stranded])).to.deep.equal([
      [undefined, 'A100-SXM4-40GB', { compute: 0, memory: 0 }],
      ['split', 'A100-SXM4-40GB', { compute: 0, memory: 0 }],
      ['split', 'A30', { compute: 0, memory: 0 }],
    ]);
  });

  it('sets what pods ask for against what is offered and held, over all samples', () => {
    expect(reportWaste(wastefulDay).resources).to.deep.equal([
      { resource: 'nvidia.com/mig-1g.5gb', offered: 6, held: 0.7, mostHeld: 1, mostWaiting: 0 },
      { resource: half, offered: 2, held: 2, mostHeld: 2, mostWaiting: 2 },
    ]);
  });

  it('says of a resource that nobody offers how many wait for it, and of pods that have ended or are going nothing', () => {
    const going = aPod({ name: 'd', asks: { 'nvidia.com/mig-7g.40gb': '1' } });
    const pods = [
      // A pod of a Job stays for a moment, by its finalizer.
      { ...going, metadata: { ...going.metadata, deletionTimestamp: '2026-01-01T12:00:00Z' } },
      aPod({ name: 'a', asks: { 'nvidia.com/mig-7g.40gb': '1' } }),
      aPod({ name: 'b', asks: { 'nvidia.com/mig-7g.40gb': '1' }, status: { phase: 'Failed' } }),
      aPod({ name: 'c', asks: { cpu: '1' } }),
    ];
    expect(reportWaste([aCluster([], pods)]).resources).to.deep.equal([
      { resource: 'nvidia.com/mig-7g.40gb', offered: 0, held: 0, mostHeld: 0, mostWaiting: 1 },
    ]);
  });

  it('counts a resource as not held and not asked for in samples in which nothing has or asks for it', () => {
    const large = 'nvidia.com/mig-7g.40gb';
    const pods = [aPod({ name: 'a', node: 'n', asks: { [large]: '1' } }), aPod({ name: 'b', asks: { [large]: '1' } })];
    const busy = aCluster([{ gpus: [aGpu({ slices: ['7g.40gb@0'] })] }], pods);
    expect(reportWaste([busy, aCluster([])]).resources).to.deep.equal([
      { resource: large, offered: 0, held: 0.5, mostHeld: 1, mostWaiting: 1 },
    ]);
    expect(reportWaste([{ ...busy, pods: undefined }, aCluster([])]).resources[0]?.mostWaiting).to.equal(0);
  });

  it('believes the agents where nobody may list pods', () => {
    const { pods: _unknown, ...facts } = aMoment({ used: [['1g.5gb@0'], []] });
    expect(reportWaste([facts]).resources[0]).to.deep.equal({
      resource: 'nvidia.com/mig-1g.5gb',
      offered: 6,
      held: 1,
      mostHeld: 1,
      mostWaiting: undefined,
    });
  });

  it('finds the layout of the same policy that would have served most, the nearest of several', () => {
    const [better, ...others] = reportWaste(wastefulDay).layouts;
    expect(others).to.deep.equal([]);
    // Of each sample: 1 + 3, 1 + 4 and 4 slices; two halves a GPU serve all but the small ones.
    expect(better).to.deep.equal({
      policy: 'split',
      entry: 0,
      gpus: 2,
      now: { '1g.5gb': 3, '3g.20gb': 1 },
      better: { '3g.20gb': 2 },
      asked: 13,
      servedNow: 8,
      servedBetter: 11,
      message:
        'policy split, spec.layouts[0]: 3×1g.5gb + 1×3g.20gb served 8 of 13 slices that pods asked for; 2×3g.20gb would have served 11',
    });
  });

  it('prefers what serves more to what is nearer, and of what serves as much the nearest', () => {
    const policy = aPolicy({ layouts: [{ profiles: { '7g.40gb': 1 } }] });
    const better = (...asked: readonly Readonly<Record<string, string>>[]) => {
      const pods = asked.map((asks, at) => aPod({ name: `w${at}`, asks }));
      const [first] = reportWaste([aCluster([{ policy, gpus: [aGpu({ slices: ['7g.40gb@0'] })] }], pods)]).layouts;
      return [first?.better, first?.servedBetter];
    };
    expect(better({ [half]: '1' })).to.deep.equal([{ '3g.20gb': 1 }, 1]);
    expect(better({ [half]: '1' }, { 'nvidia.com/mig-1g.5gb': '4' })).to.deep.equal([{ '1g.5gb': 4, '3g.20gb': 1 }, 5]);
  });

  it('judges the policies and nodes of the last sample by what was asked for in all', () => {
    const moment = (name: string) => {
      const policy = aPolicy({ name, layouts: [{ profiles: { '7g.40gb': 1 } }] });
      return aCluster([{ policy, gpus: [aGpu({ slices: ['7g.40gb@0'] })] }], [aPod({ asks: { [half]: '1' } })]);
    };
    const { layouts } = reportWaste([moment('old'), moment('new')]);
    expect(layouts.map(({ policy, asked }) => [policy, asked])).to.deep.equal([['new', 2]]);
  });

  it('counts for an entry the GPUs that it matches and that can be read', () => {
    const policy = aPolicy({ layouts: [{ gpus: { models: ['A100-SXM4-40GB'] }, profiles: { '7g.40gb': 1 } }] });
    const slices = ['7g.40gb@0'];
    const gpus = [
      aGpu({ slices }),
      aGpu({ index: 1, slices, error: 'GpuLost' }),
      aGpu({ index: 2, product: 'NVIDIA A30', slices: ['4g.24gb@0'] }),
    ];
    const pods = [aPod({ asks: { [half]: '1' } })];
    const { layouts } = reportWaste([aCluster([{ policy, gpus }], pods)]);
    expect(layouts.map(({ entry, gpus: count }) => [entry, count])).to.deep.equal([[0, 1]]);
  });

  it('counts pods that at least one node of the policy could take', () => {
    const policy = aPolicy({ layouts: [{ profiles: { '7g.40gb': 1 } }] });
    const nodes = ['a', 'b'].map((zone, index) => ({
      name: zone,
      labels: { zone },
      policy,
      gpus: [aGpu({ index, slices: ['7g.40gb@0'] })],
    }));
    const asks = { resources: { limits: { [half]: 1 } } };
    const pods = [aPod({ spec: { nodeSelector: { zone: 'b' }, containers: [asks] } })];
    expect(reportWaste([aCluster(nodes, pods)]).layouts).to.have.length(1);
  });

  it('names no other layout where the policy serves all that is asked for, or no other serves more', () => {
    expect(reportWaste([aMoment({ used: [['1g.5gb@0'], []] })]).layouts).to.deep.equal([]);
    const pods = [aPod({ asks: { 'nvidia.com/mig-1g.10gb.me': '1' } })];
    const whole = aPolicy({ layouts: [{ profiles: { '7g.40gb': 1 } }] });
    const gpus = [aGpu({ product: 'NVIDIA A30', slices: [] })];
    expect(reportWaste([aCluster([{ policy: whole, gpus }], pods)]).layouts).to.deep.equal([]);
  });

  it('counts only pods that the nodes of the policy could take, whatever the labels of the layout', () => {
    const gpus = [aGpu({ slices: ['7g.40gb@0'] })];
    const policy = aPolicy({ layouts: [{ profiles: { '7g.40gb': 1 } }] });
    const ask = (nodeSelector: Readonly<Record<string, string>>) =>
      reportWaste([
        aCluster(
          [{ policy, gpus }],
          [aPod({ spec: { nodeSelector, containers: [{ resources: { limits: { [half]: 1 } } }] } })],
        ),
      ]).layouts.length;
    expect(ask({ pool: 'p' })).to.equal(1);
    expect(ask({ 'nvidia.com/mig-3g.20gb.count': '2' })).to.equal(1);
    expect(ask({ pool: 'other' })).to.equal(0);
  });

  it('judges once whether the nodes of a policy could take pods that require the same, however many wait', () => {
    const policy = aPolicy({ layouts: [{ profiles: { '7g.40gb': 1 } }] });
    const countLooks = (waiting: number): number => {
      const pods = Array.from({ length: waiting }, (_, at) => aPod({ name: `w${at}`, asks: { [half]: '1' } }));
      const facts = aCluster([{ policy, gpus: [aGpu({ slices: ['7g.40gb@0'] })] }], pods);
      let looks = 0;
      const { spec = {}, ...node } = facts.nodes[0] ?? { metadata: { name: 'n' } };
      const watched = {
        ...node,
        get spec() {
          looks += 1;
          return spec;
        },
      };
      expect(reportWaste([{ ...facts, nodes: [watched] }]).layouts).to.have.length(1);
      return looks;
    };
    expect(countLooks(1)).to.be.above(0);
    expect(countLooks(20)).to.equal(countLooks(1));
  });

  it('leaves pods out that no node of the policy takes because of its taints, ours aside', () => {
    const policy = aPolicy({ layouts: [{ profiles: { '7g.40gb': 1 } }] });
    const pods = [aPod({ asks: { [half]: '1' } })];
    const judge = (key: string) => {
      const taints = [{ key, effect: 'NoSchedule' as const }];
      return reportWaste([aCluster([{ policy, gpus: [aGpu({ slices: ['7g.40gb@0'] })], taints }], pods)]).layouts
        .length;
    };
    expect(judge('team')).to.equal(0);
    expect(judge('gpupartition.dev/repartitioning')).to.equal(1);
  });

  it('does not judge shared slices, GPUs by count, entries for several products, schedules, and other strategies', () => {
    const gpus = [aGpu({ slices: ['7g.40gb@0'] })];
    const pods = [aPod({ asks: { [half]: '1' } })];
    const profiles = { '7g.40gb': 1 };
    const judge = (policy: ReturnType<typeof aPolicy>, more: readonly GpuReport[] = []) =>
      reportWaste([aCluster([{ policy, gpus: [...gpus, ...more] }], pods)]).layouts.length;
    expect(judge(aPolicy({ layouts: [{ profiles }] }))).to.equal(1);
    const timeSlicing = [{ resource: 'nvidia.com/mig-7g.40gb', replicas: 2 }];
    expect(judge(aPolicy({ layouts: [{ profiles }], sharing: { timeSlicing } }))).to.equal(0);
    const small = { replicas: 2, resource: 'nvidia.com/mig-1g.5gb' };
    const cut = { '1g.5gb': 1, '4g.20gb': 1 };
    expect(judge(aPolicy({ layouts: [{ profiles: cut }] }))).to.equal(1);
    expect(judge(aPolicy({ layouts: [{ profiles: cut }], sharing: { timeSlicing: [small] } }))).to.equal(0);
    expect(judge(aPolicy({ layouts: [{ gpus: { count: 1 }, profiles }] }))).to.equal(0);
    expect(judge(aPolicy({ layouts: [{ gpus: { count: 1 }, profiles }, { profiles }] }))).to.equal(0);
    expect(judge(aPolicy({ layouts: [{ profiles }], strategy: 'single' }))).to.equal(0);
    const night = { name: 'night', schedule: '0 22 * * *', duration: '8h', layouts: [{ profiles }] };
    expect(judge(aPolicy({ layouts: [{ profiles }], schedules: [night] }))).to.equal(0);
    expect(judge(aPolicy({ layouts: [{ profiles }] }), [aGpu({ index: 1, product: 'NVIDIA A30' })])).to.equal(0);
  });
});
