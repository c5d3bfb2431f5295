import { expect } from 'chai';
import type { GpuReport } from '../../../src/api/types.ts';
import { reportWaste } from '../../../src/core/waste/waste-report.ts';
import { aGpu, aPolicy } from '../../support/builders.ts';
import { aCluster, aPod } from '../explain/cluster-builder.ts';
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

  it('leaves out GPUs that are whole, and those that cannot be read', () => {
    const gpus: readonly GpuReport[] = [aGpu(), aGpu({ index: 1, slices: ['1g.5gb@0'], error: 'GpuLost' })];
    expect(reportWaste([aCluster([{ gpus }])]).gpus).to.deep.equal([]);
  });

  it('keeps policies and products apart', () => {
    const a100 = aGpu({ slices: ['7g.40gb@0'] });
    const a30 = aGpu({ index: 1, product: 'NVIDIA A30', slices: ['4g.24gb@0'] });
    const { gpus } = reportWaste([
      aCluster([
        { name: 'a', policy: splitPolicy, gpus: [a100, a30] },
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

  it('says of a resource that nobody offers how many wait for it, and of pods that have ended nothing', () => {
    const pods = [
      aPod({ name: 'a', asks: { 'nvidia.com/mig-7g.40gb': '1' } }),
      aPod({ name: 'b', asks: { 'nvidia.com/mig-7g.40gb': '1' }, status: { phase: 'Failed' } }),
      aPod({ name: 'c', asks: { cpu: '1' } }),
    ];
    expect(reportWaste([aCluster([], pods)]).resources).to.deep.equal([
      { resource: 'nvidia.com/mig-7g.40gb', offered: 0, held: 0, mostHeld: 0, mostWaiting: 1 },
    ]);
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
    expect(judge(aPolicy({ layouts: [{ gpus: { count: 1 }, profiles }] }))).to.equal(0);
    expect(judge(aPolicy({ layouts: [{ profiles }], strategy: 'single' }))).to.equal(0);
    const night = { name: 'night', schedule: '0 22 * * *', duration: '8h', layouts: [{ profiles }] };
    expect(judge(aPolicy({ layouts: [{ profiles }], schedules: [night] }))).to.equal(0);
    expect(judge(aPolicy({ layouts: [{ profiles }] }), [aGpu({ index: 1, product: 'NVIDIA A30' })])).to.equal(0);
  });
});
