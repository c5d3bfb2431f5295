import { expect } from 'chai';
import type { ClaimTemplate } from '../../../src/core/explain/claim-request.ts';
import { explainWaiting } from '../../../src/core/view/waiting-pods.ts';
import { aGpu, aPolicy } from '../../support/builders.ts';
import { aClaimCluster, aHeldClaim, attribute, deviceNames } from '../explain/claim-cluster.ts';
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

  it('include those with claims, if what a claim asks for is a GPU', () => {
    const byTemplate = (name: string, template: string) =>
      aPod({ name, spec: { resourceClaims: [{ name: 'gpu', resourceClaimTemplateName: template }] } });
    const requesting = (name: string, expression: string): ClaimTemplate => {
      const exactly = { deviceClassName: 'any', selectors: [{ cel: { expression } }] };
      return {
        metadata: { name, namespace: 'team' },
        spec: { spec: { devices: { requests: [{ name: 'one', exactly }] } } },
      };
    };
    const pods = [
      byTemplate('one', 'small'),
      byTemplate('two', 'small'),
      byTemplate('nic', 'network'),
      aPod({ name: 'held', spec: { resourceClaims: [{ name: 'gpu', resourceClaimName: 'held' }] } }),
      byTemplate('vague', 'none'),
      aPod({ name: 'plain', asks: { 'deviceclass.resource.kubernetes.io/any': '2' } }),
    ];
    const [device = ''] = deviceNames;
    const facts = aClaimCluster([{}], pods, {
      classes: [{ metadata: { name: 'any' } }],
      templates: [
        requesting('small', `${attribute('profile')} == '1g.5gb'`),
        requesting('network', "device.driver == 'dra.net'"),
      ],
      claims: [aHeldClaim([device], { pod: '' })],
    });
    const groups = explainWaiting(facts);
    const words = '1 device of DeviceClass any with selectors of its own by ResourceClaimTemplate small';
    expect(groups?.map(({ pods: names, asks }) => ({ names, asks }))).to.deep.equal([
      { names: ['team/one', 'team/two'], asks: words },
      { names: ['team/held'], asks: `what claim team/held has (${device} of node n)` },
      {
        names: ['team/plain'],
        asks: '2 devices of DeviceClass any by resource deviceclass.resource.kubernetes.io/any',
      },
    ]);
    expect(groups?.[0]?.message).to.equal('node n has its GPUs free; the scheduler reports: 0/1 nodes are available');
  });

  it('are unknown to a user who may not list pods', () => {
    expect(explainWaiting({ ...aCluster(nodes), pods: undefined })).to.equal(undefined);
  });
});
