import { expect } from 'chai';
import { nodeReasons } from '../../../src/api/names.ts';
import {
  advanceChange,
  type ChangeLook,
  timeUnderWay,
  countFleet,
  poolOf,
} from '../../../src/core/node/status-figures.ts';
import { aDevice, aGpu, aPartition } from '../../support/builders.ts';

const look = (reason: string, more: Partial<ChangeLook> = {}): ChangeLook => ({
  phase: 'Updating',
  reason,
  hasWish: false,
  hasGrant: false,
  ...more,
});

type Looks = readonly (readonly [number, ChangeLook])[];

/** Looks at one node, each at its time in ms. */
function follow(...looks: Looks) {
  return looks.reduce<ReturnType<typeof advanceChange>>((before, [now, one]) => advanceChange(before.clock, one, now), {
    clock: undefined,
  });
}

const begin = look('AwaitingPlan', { hasWish: true });
const granted = look('Applying', { hasGrant: true });
const ready = look('Ready', { phase: 'Ready' });

describe('the steps of a change', () => {
  it('share its time from the wish until the node is Ready', () => {
    const { clock, ended } = follow(
      [1000, begin],
      [1500, look('PodsUseGpus')],
      [4500, granted],
      [6500, look('AdvertisePending')],
      [9500, ready],
    );
    expect(clock).to.equal(undefined);
    expect(ended).to.deep.equal({ totalMs: 8500, spent: { plan: 500, drain: 3000, device: 2000, refresh: 3000 } });
  });

  it('count a step that comes again in one', () => {
    const { ended } = follow(
      [0, begin],
      [10, granted],
      [30, look('Failed', { phase: 'Failed' })],
      [100, granted],
      [150, ready],
    );
    expect(ended?.spent).to.deep.equal({ plan: 10, device: 70, other: 70 });
  });

  it('start over with a new wish', () => {
    const { ended } = follow([0, begin], [100, begin], [110, granted], [120, ready]);
    expect(ended?.totalMs).to.equal(20);
  });

  it('do not exist if the device matches the wish, or no policy decides any more', () => {
    expect(follow([0, begin], [10, ready])).to.deep.equal({ clock: undefined });
    expect(follow([0, begin], [5, granted], [10, look('NoPolicy', { phase: 'Unmanaged' })])).to.deep.equal({
      clock: undefined,
    });
  });

  it('take a reason that they do not know as some other wait', () => {
    const { clock } = follow([0, begin], [10, look('SomethingNew')]);
    expect(clock?.step).to.equal('other');
    for (const reason of nodeReasons) expect(() => follow([0, begin], [1, look(reason)])).not.to.throw();
  });

  const underWay = (looks: Looks, now: number): number | undefined => {
    const { clock } = follow(...looks);
    return clock && timeUnderWay(clock, now);
  };

  for (const [phase, reason] of [
    ['Pending', 'AwaitingSlot'],
    ['Pending', 'Paused'],
    ['Pending', 'PlanOnly'],
    ['Pending', 'PolicyInvalid'],
    ['Invalid', 'DoesNotFit'],
  ] as const) {
    it(`are not under way while nothing may change: ${reason}`, () => {
      const looks = [
        [0, begin],
        [10, look(reason, { phase })],
      ] as const;
      expect(underWay(looks, 1000)).to.equal(undefined);
      expect(underWay([...looks, [2000, granted]], 2500)).to.equal(510);
    });
  }

  it('are under way for a leader that did not see them begin, which does not measure them', () => {
    for (const phase of ['Updating', 'Waiting'] as const) {
      const looks = [[1000, look('PodsUseGpus', { phase })]] as const;
      expect(underWay(looks, 5000), phase).to.equal(4000);
      expect(follow(...looks, [6000, granted], [7000, ready]), phase).to.deep.equal({ clock: undefined });
    }
    expect(underWay([[1000, look('AwaitingSlot', { phase: 'Pending' })]], 5000)).to.equal(undefined);
  });
});

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
    const { nodes } = countFleet([aNodeOf('a', 'Ready', []), aNodeOf('b', 'Ready', []), aPartition()], () => undefined);
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
    const { instances, gpus } = countFleet(fleet, (node) => ({ pool: `pool-${node}` }));
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
    const { stranded } = countFleet([aNodeOf('a', 'Ready', [{ slices: ['3g.20gb@0', '3g.20gb@4'] }])], () => undefined);
    expect(stranded).to.deep.equal([
      { labels: { pool: '', resource: 'compute' }, value: 1 },
      { labels: { pool: '', resource: 'memory' }, value: 0 },
    ]);
  });

  it('count GPUs that are not well by what their driver asks for', () => {
    const health = { action: 'Reboot' as const, message: 'the driver asks for a reboot' };
    const { unhealthy } = countFleet([aNodeOf('a', 'Ready', [{ health }, { index: 1 }])], () => ({ pool: 'p' }));
    expect(unhealthy).to.deep.equal([{ labels: { pool: 'p', action: 'Reboot' }, value: 1 }]);
  });

  it('take the name of a pool from the first label that tells it', () => {
    expect(poolOf({ pool: 'mine', 'karpenter.sh/nodepool': 'theirs' })).to.equal('theirs');
    expect(poolOf({ pool: 'mine' })).to.equal('mine');
    expect(poolOf(undefined)).to.equal('');
  });
});
