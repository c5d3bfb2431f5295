import { expect } from 'chai';
import { explainWaiting } from '../../../src/core/view/waiting-pods.ts';
import { aGpu, aPolicy } from '../../support/builders.ts';
import { aCluster, aPod } from '../explain/cluster-builder.ts';

const half = { 'nvidia.com/mig-3g.20gb': '1' };
const nodes = [{ policy: aPolicy(), gpus: [aGpu({ slices: ['1g.5gb@0'] })] }];

describe('pods that wait for GPUs', () => {
  it('are explained, those that ask alike once, the most numerous first', () => {
    const pods = [
      aPod({ name: 'other', asks: { 'nvidia.com/mig-1g.5gb': '9' } }),
      ...[1, 2, 3].map((at) => aPod({ name: `train-${at}`, asks: half })),
      aPod({ name: 'web' }),
      aPod({ name: 'runs', asks: half, node: 'n' }),
    ];
    const groups = explainWaiting(aCluster(nodes, pods));
    expect(groups?.map(({ count, pods: names, asks, code }) => ({ count, names, asks, code }))).to.deep.equal([
      {
        count: 3,
        names: ['team/train-1', 'team/train-2', 'team/train-3'],
        asks: '1 nvidia.com/mig-3g.20gb',
        code: 'NotOffered',
      },
      { count: 1, names: ['team/other'], asks: '9 nvidia.com/mig-1g.5gb', code: 'TooMany' },
    ]);
  });

  it('are told what a demand makes of them', () => {
    const { spec, ...policy } = aPolicy();
    const { layouts: _none, ...rest } = spec;
    const demand = { from: 'Pods' as const, slices: [{ name: 'large', profiles: ['3g.20gb'] }] };
    const demanding = { ...policy, spec: { ...rest, demand } };
    const groups = explainWaiting(
      aCluster([{ policy: demanding, gpus: [aGpu({ slices: ['1g.5gb@0'] })] }], [aPod({ asks: half })]),
    );
    expect(groups?.map(({ demands }) => demands.map(({ code, message }) => `${code} ${message}`))).to.deep.equal([
      ['Planned policy p: the planner will offer a 3g.20gb on node n, GPU 0'],
    ]);
  });

  it('are unknown to a user who may not list pods', () => {
    expect(explainWaiting({ ...aCluster(nodes), pods: undefined })).to.equal(undefined);
  });
});
