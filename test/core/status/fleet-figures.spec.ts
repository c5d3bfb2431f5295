import { expect } from 'chai';
import { countFleet, poolOf } from '../../../src/core/status/fleet-figures.ts';
import { aDevice, aGpu, aPartition } from '../../support/builders.ts';

const lastTransitionTime = '2026-01-01T00:00:00Z';

/** A node of policy `p` in a phase. */
function aNodeOf(name: string, reason: string, gpus: readonly Parameters<typeof aGpu>[0][]) {
  const partition = aPartition({
    device: aDevice(...gpus.map(aGpu)),
    phase: 'Ready',
    policy: { name: 'p', generation: 1 },
  });
  const ready = { type: 'Ready', status: 'True' as const, reason, message: '', lastTransitionTime };
  return {
    ...partition,
    metadata: { ...partition.metadata, name },
    status: { ...partition.status, conditions: [ready] },
  };
}

describe('the figures of a fleet', () => {
  it('count nodes by policy, phase and reason, also those of which nothing is known', () => {
    const { nodes } = countFleet([aNodeOf('a', 'Ready', []), aNodeOf('b', 'Ready', []), aPartition()], () => '');
    expect(nodes).to.deep.equal([
      { labels: { policy: 'p', phase: 'Ready', reason: 'Ready' }, value: 2 },
      { labels: { policy: '', phase: 'Pending', reason: 'AgentNotReporting' }, value: 1 },
    ]);
  });

  it('count instances by pool, profile and use, 0 where none is free or used, and GPUs by state', () => {
    const slices = ['1g.5gb@0*', '1g.5gb@1', '3g.20gb@4*'];
    const fleet = [
      aNodeOf('a', 'Ready', [{ slices }, { index: 1, slices }]),
      aNodeOf('b', 'Ready', [{}, { index: 1, error: 'GpuLost' }]),
    ];
    const { instances, gpus } = countFleet(fleet, (node) => `pool-${node}`);
    expect(instances).to.deep.equal([
      { labels: { pool: 'pool-a', profile: '1g.5gb', state: 'used' }, value: 2 },
      { labels: { pool: 'pool-a', profile: '1g.5gb', state: 'free' }, value: 2 },
      { labels: { pool: 'pool-a', profile: '3g.20gb', state: 'used' }, value: 2 },
      { labels: { pool: 'pool-a', profile: '3g.20gb', state: 'free' }, value: 0 },
    ]);
    expect(gpus.map(({ labels, value }) => `${labels.pool} ${labels.state} ${value}`)).to.deep.equal([
      'pool-a mig 2',
      'pool-b whole 1',
      'pool-b unreadable 1',
    ]);
  });

  it('count what cannot be allocated in a layout', () => {
    const { stranded } = countFleet([aNodeOf('a', 'Ready', [{ slices: ['3g.20gb@0', '3g.20gb@4'] }])], () => '');
    expect(stranded).to.deep.equal([
      { labels: { pool: '', resource: 'compute' }, value: 1 },
      { labels: { pool: '', resource: 'memory' }, value: 0 },
    ]);
  });

  it('count GPUs that are not well by what their driver asks for', () => {
    const health = { action: 'Reboot' as const, message: 'the driver asks for a reboot' };
    const { unhealthy } = countFleet([aNodeOf('a', 'Ready', [{ health }, { index: 1 }])], () => 'p');
    expect(unhealthy).to.deep.equal([{ labels: { pool: 'p', action: 'Reboot' }, value: 1 }]);
  });

  it('take the name of a pool from the first label that tells it', () => {
    expect(poolOf({ pool: 'mine', 'karpenter.sh/nodepool': 'theirs' })).to.equal('theirs');
    expect(poolOf({ pool: 'mine' })).to.equal('mine');
    expect(poolOf(undefined)).to.equal('');
  });
});
