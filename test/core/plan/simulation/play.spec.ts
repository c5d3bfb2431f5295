import { expect } from 'chai';
import { aDemandPolicy } from '../../../support/demand-builders.ts';
import { Random } from '../../../../src/core/plan/simulation/trace.ts';
import type { GpuPartitionPolicy, PolicySpec } from '../../../../src/api/types.ts';
import { startSides } from '../../../../src/core/plan/simulation/fleet.ts';
import { aPolicy } from '../../../support/builders.ts';
import { aCluster, aFleetNode } from '../cluster-builder.ts';
import { aSide, aSimulatedNode, figuresOf, follows, HOUR, MINUTE, playOne, pods } from './simulation-builder.ts';

const halves = ['3g.20gb@0', '3g.20gb@4'];

describe('a simulated fleet', () => {
  it('serves pods from slices that exist, and lets the others wait for their place', () => {
    const figures = playOne(aSide([aSimulatedNode('n1', halves)]), pods(3, '3g.20gb', 0, HOUR));
    expect(figuresOf(figures, '3g.20gb')).to.deep.include({
      pods: 3,
      started: 3,
      waitSeconds: HOUR,
      longestWaitSeconds: HOUR,
      servedSeconds: 3 * HOUR,
      askedSeconds: 3 * HOUR,
      stillWaiting: 0,
    });
    expect(figures.total).to.deep.include({ servedShare: 1, medianWaitSeconds: 0, evictions: 0, relayouts: 0 });
  });

  it('counts what pods ask for as they come, and their waiting on each of its days', () => {
    const figures = playOne(aSide([aSimulatedNode('n1', halves)]), pods(1, '1g.5gb', 23 * HOUR, 2 * HOUR), { days: 2 });
    expect(figuresOf(figures, '1g.5gb')).to.deep.include({
      started: 0,
      stillWaiting: 1,
      servedSeconds: 0,
      medianWaitSeconds: 25 * HOUR,
      longestWaitSeconds: 25 * HOUR,
    });
    expect(
      figures.days.map(({ day, askedSeconds, waitSeconds }) => [day, askedSeconds / HOUR, waitSeconds / HOUR]),
    ).to.deep.equal([
      [1, 1, 1],
      [2, 1, 24],
    ]);
  });

  it('serves the same share however long it lasts, of pods of which some never get a slice', () => {
    const shares = [1, 7, 28].map((days) => {
      const arrivals = Array.from({ length: days }, (_, day) => [
        ...pods(6, '3g.20gb', day * 24 * HOUR, HOUR),
        ...pods(1, '7g.40gb', day * 24 * HOUR, HOUR),
      ]).flat();
      return playOne(aSide([aSimulatedNode('n1', halves)]), arrivals, { days }).total.servedShare;
    });
    // 24 of 32 memory slices.
    expect(shares).to.deep.equal([0.75, 0.75, 0.75]);
  });

  it('leaves pods that run on their slices for as long as they have to go', () => {
    const side = aSide([aSimulatedNode('n1', ['3g.20gb@0*', '3g.20gb@4'])]);
    const figures = playOne(side, pods(2, '3g.20gb', MINUTE, HOUR), { running: pods(1, '3g.20gb', 0, 2 * HOUR) });
    expect(figuresOf(figures, '3g.20gb')).to.deep.include({ pods: 3, started: 3, longestWaitSeconds: HOUR });
  });

  it('gives the same figures for the same seed', () => {
    const random = new Random(7);
    const arrivals = Array.from({ length: 300 }, () => ({
      start: random.integer(86_000),
      duration: 60 + random.integer(7200),
      profile: random.pick(['1g.5gb', '2g.10gb', '3g.20gb']) ?? '',
    })).toSorted((a, b) => a.start - b.start);
    const side = () =>
      aSide(
        [aSimulatedNode('n1', [], []), aSimulatedNode('n2', halves)],
        aDemandPolicy(follows('1g.5gb', '2g.10gb', '3g.20gb')),
      );
    expect(playOne(side(), arrivals)).to.deep.equal(playOne(side(), arrivals));
  });
});

describe('a simulated demand policy', () => {
  it('makes slices for pods that wait for a minute, after the node has changed', () => {
    const figures = playOne(
      aSide([aSimulatedNode('n1', halves)], aDemandPolicy(follows('1g.5gb', '3g.20gb'))),
      pods(2, '1g.5gb', 10, HOUR),
    );
    const { started, longestWaitSeconds, evictions } = figuresOf(figures, '1g.5gb');
    expect({ started, evictions, relayouts: figures.total.relayouts }).to.deep.equal({
      started: 2,
      evictions: 0,
      relayouts: 1,
    });
    expect(longestWaitSeconds).to.be.within(2 * MINUTE, 4 * MINUTE);
  });

  it('evicts nothing under Never, and waits until a slice falls idle', () => {
    const running = pods(2, '3g.20gb', 0, 2 * HOUR);
    const start = () => [aSimulatedNode('n1', ['3g.20gb@0*', '3g.20gb@4*'])];
    const play = (evict: 'Never' | 'IfNeeded', priority = 1) => {
      const slices = [{ profiles: ['1g.5gb'], weight: 100 }, { profiles: ['3g.20gb'] }];
      return playOne(
        aSide(start(), aDemandPolicy({ from: 'Pods', slices, evict, stabilization: '1m' })),
        pods(2, '1g.5gb', 10, HOUR, priority),
        { running },
      );
    };
    const gentle = play('Never');
    expect(figuresOf(gentle, '3g.20gb')).to.deep.include({ evictions: 0, started: 2 });
    expect(figuresOf(gentle, '1g.5gb').longestWaitSeconds).to.be.within(2 * HOUR, 2 * HOUR + 5 * MINUTE);
    const eager = play('IfNeeded');
    expect(figuresOf(eager, '3g.20gb')).to.deep.include({ evictions: 1, started: 3 });
    expect(figuresOf(eager, '1g.5gb').longestWaitSeconds).to.be.below(5 * MINUTE);
    expect(play('IfNeeded', 0).profiles, 'for equals nobody goes').to.deep.equal(gentle.profiles);
  });

  it('lets an evicted pod wait again and start over', () => {
    const slices = [{ profiles: ['1g.5gb'], weight: 100 }, { profiles: ['3g.20gb'] }];
    const side = aSide(
      [aSimulatedNode('n1', ['3g.20gb@0*', '3g.20gb@4*'])],
      aDemandPolicy({ from: 'Pods', slices, evict: 'IfNeeded', stabilization: '1m' }),
    );
    const figures = playOne(side, pods(1, '1g.5gb', 10 * MINUTE, HOUR, 1), {
      running: pods(2, '3g.20gb', 0, 3 * HOUR),
    });
    const { servedSeconds, lostSeconds, started, stillWaiting } = figuresOf(figures, '3g.20gb');
    expect({ started, stillWaiting, servedSeconds }).to.deep.equal({
      started: 3,
      stillWaiting: 0,
      servedSeconds: 6 * HOUR,
    });
    expect(lostSeconds).to.be.within(10 * MINUTE, 14 * MINUTE);
    expect(figures.total.lostShare).to.be.closeTo((lostSeconds * 4) / (6 * HOUR * 4 + HOUR), 1e-9);
  });

  it('does not re-lay a GPU for a pod that comes and goes within the minute', () => {
    const side = aSide([aSimulatedNode('n1', halves)], aDemandPolicy(follows('1g.5gb', '3g.20gb')));
    expect(playOne(side, pods(1, '3g.20gb', 10, 30)).total.relayouts).to.equal(0);
  });

  it('counts a pod that waits for the policy that follows its slices, of several for that of the higher priority', () => {
    const named = (name: string, priority: number, ...profiles: readonly string[]): GpuPartitionPolicy => {
      const policy = aDemandPolicy(follows(...profiles), { priority });
      return { ...policy, metadata: { ...policy.metadata, name } };
    };
    const play = (first: GpuPartitionPolicy, second: GpuPartitionPolicy) => {
      const nodes = [aSimulatedNode('n1', halves), aSimulatedNode('n2', halves)];
      const policyOf = new Map([
        ['n1', first],
        ['n2', second],
      ]);
      const side = { ...aSide(nodes), phases: [{ at: 0, policyOf, layouts: new Map() }] };
      return playOne(side, pods(4, '1g.5gb', 10, HOUR)).total;
    };
    expect(play(named('a', 0, '3g.20gb'), named('b', 0, '1g.5gb'))).to.deep.include({ started: 4, relayouts: 1 });
    const isPaused = { rollout: { paused: true } };
    const second = named('b', 5, '1g.5gb');
    const first = named('a', 0, '1g.5gb');
    expect(play({ ...first, spec: { ...first.spec, ...isPaused } }, second).started).to.equal(4);
  });

  it('counts what the first policy has no room for, or that is beyond its max, for the next one', () => {
    const named = (name: string, max?: number): GpuPartitionPolicy => {
      const slices = [{ profiles: ['1g.5gb'], ...(max !== undefined && { max }) }];
      const policy = aDemandPolicy({ from: 'Pods', slices });
      return { ...policy, metadata: { ...policy.metadata, name } };
    };
    const play = (max: number | undefined, many: number) => {
      const nodes = [aSimulatedNode('n1', halves), aSimulatedNode('n2', halves)];
      const policyOf = new Map([
        ['n1', named('a', max)],
        ['n2', named('b')],
      ]);
      const side = { ...aSide(nodes), phases: [{ at: 0, policyOf, layouts: new Map() }] };
      return playOne(side, pods(many, '1g.5gb', 10, 40 * HOUR)).total;
    };
    expect(play(undefined, 7)).to.deep.include({ started: 7, relayouts: 1 });
    expect(play(undefined, 10)).to.deep.include({ started: 10, relayouts: 2 });
    expect(play(2, 4)).to.deep.include({ started: 4, relayouts: 2 });
  });

  it('lets a GPU rest for the cooldown where another one serves as many', () => {
    const nodes = () => [aSimulatedNode('n1', []), aSimulatedNode('n2', ['3g.20gb@0'])];
    const arrivals = [...pods(1, '2g.10gb', 10, 20 * MINUTE), ...pods(1, '1g.5gb', 10 * MINUTE, HOUR)];
    const demand = follows('1g.5gb', '2g.10gb', '3g.20gb');
    const figures = playOne(aSide(nodes(), aDemandPolicy({ ...demand, cooldown: '10h' })), arrivals);
    expect(figures.total).to.deep.include({ relayouts: 2, stillWaiting: 0 });
  });
});

describe('a simulated rollout', () => {
  const small = aPolicy({ rollout: { maxUnavailable: 1 } });

  it('changes as many nodes at a time as the budget allows, each for as long as a change takes', () => {
    const nodes = ['n1', 'n2', 'n3'].map((name) => aSimulatedNode(name, halves));
    const ask = (maxUnavailable: number) => {
      const side = aSide(nodes, { ...small, spec: { ...small.spec, rollout: { maxUnavailable } } }, { '1g.5gb': 7 });
      return figuresOf(playOne(side, pods(21, '1g.5gb', 0, HOUR)), '1g.5gb');
    };
    expect(ask(3)).to.deep.include({ longestWaitSeconds: MINUTE, started: 21 });
    const { longestWaitSeconds, waitSeconds } = ask(1);
    expect(longestWaitSeconds).to.be.at.least(3 * MINUTE);
    expect(waitSeconds).to.be.above(21 * MINUTE);
  });

  it('waits for the window of the policy, and does nothing while it is paused', () => {
    const windows = [{ schedule: '0 6 * * *', duration: '1h', timeZone: 'UTC' }];
    const play = (rollout: object) => {
      const policy = { ...small, spec: { ...small.spec, rollout } };
      return playOne(aSide([aSimulatedNode('n1', halves)], policy, { '1g.5gb': 7 }), pods(1, '1g.5gb', 0, HOUR));
    };
    expect(figuresOf(play({ windows }), '1g.5gb').longestWaitSeconds).to.be.within(6 * HOUR, 6 * HOUR + 5 * MINUTE);
    expect(play({ paused: true }).total).to.deep.include({ stillWaiting: 1, relayouts: 0 });
  });

  it('evicts the pods that layouts leave no room for', () => {
    const side = aSide([aSimulatedNode('n1', ['3g.20gb@0*'])], small, { '1g.5gb': 7 });
    const figures = playOne(side, [], { running: pods(1, '3g.20gb', 0, HOUR) });
    expect(figuresOf(figures, '3g.20gb')).to.deep.include({ evictions: 1, stillWaiting: 1 });
  });

  it('starts no pod on a node that changes, though other slices of it stay', () => {
    const side = aSide([aSimulatedNode('n1', ['3g.20gb@0'], ['1g.5gb@0'])], small, { '1g.5gb': 7 });
    expect(figuresOf(playOne(side, pods(1, '1g.5gb', 1, HOUR)), '1g.5gb').longestWaitSeconds).to.equal(MINUTE - 1);
  });
});

describe('the GPUs of a snapshot', () => {
  const time = { startMs: Date.UTC(2026, 0, 5), days: 1 };
  const whole = { ...aCluster([aFleetNode({ name: 'n1' })]), policies: [aDemandPolicy(follows('1g.5gb'))] };
  const gpuOf = (facts: typeof whole, given: GpuPartitionPolicy) =>
    startSides(facts, [[given]], time).sides[0]?.nodes[0]?.gpus[0];

  it('change MIG mode as the policy that is played allows, whatever the one in the cluster says', () => {
    const strict = aDemandPolicy(follows('1g.5gb'), { allow: { gpuReset: false } });
    expect(gpuOf(whole, strict)?.keepsMode).to.equal(true);
    expect(gpuOf({ ...whole, policies: [strict] }, aDemandPolicy(follows('1g.5gb')))?.keepsMode).to.equal(false);
  });

  it('with slices that are not ours change only if the policy that is played allows it', () => {
    const own = aFleetNode({ name: 'n1', slices: halves });
    const { lastGood: _lost, ...device } = own.partition.status?.device ?? {};
    const facts = { ...whole, partitions: [{ ...own.partition, status: { device } }] };
    expect(gpuOf(facts, aDemandPolicy(follows('1g.5gb')))?.isFixed).to.equal(true);
    const replacing = aDemandPolicy(follows('1g.5gb'), { allow: { replaceForeignInstances: true } });
    expect(gpuOf(facts, replacing)?.isFixed).to.equal(false);
  });
});

describe('a simulated schedule', () => {
  const startMs = Date.UTC(2026, 0, 5);
  const night = { name: 'night', schedule: '0 22 * * *', duration: '8h', timeZone: 'UTC' };
  const pool = (...schedules: NonNullable<PolicySpec['schedules']>) =>
    aPolicy({
      layouts: [{ profiles: { '3g.20gb': 2 } }],
      rollout: { maxUnavailable: 1 },
      ...(schedules.length > 0 && { schedules }),
    });
  const fleet = (policy: GpuPartitionPolicy, days: number) => {
    const node = aFleetNode({ name: 'n1', slices: halves });
    const facts = { ...aCluster([node]), policies: [policy] };
    const [side] = startSides(facts, [[]], { startMs, days }).sides;
    if (side === undefined) throw new Error('no side begins');
    return side;
  };

  it('begins and ends when the clock says so, and the policy without schedules has one phase', () => {
    const twice = fleet(pool({ ...night, layouts: [{ preset: 'all-1g.5gb' }] }), 2);
    expect(twice.phases.map(({ at }) => at / HOUR)).to.deep.equal([0, 6, 22, 30, 46]);
    expect(twice.phases.map(({ layouts }) => [...layouts.values()])).to.deep.equal(
      ['1g.5gb', '3g.20gb', '1g.5gb', '3g.20gb', '1g.5gb'].map((name) => [{ [name]: name === '1g.5gb' ? 7 : 2 }]),
    );
    expect(fleet(pool(), 2).phases.map(({ at }) => at)).to.deep.equal([0]);
  });

  it('changes the layouts of its nodes, and back', () => {
    const arrivals = [...pods(1, '1g.5gb', 12 * HOUR, HOUR), ...pods(1, '3g.20gb', 23 * HOUR, HOUR)];
    const side = fleet(pool({ ...night, layouts: [{ preset: 'all-1g.5gb' }] }), 2);
    const figures = playOne(side, arrivals, { days: 2, startMs });
    expect(figuresOf(figures, '1g.5gb').longestWaitSeconds).to.be.within(10 * HOUR, 10 * HOUR + 3 * MINUTE);
    expect(figuresOf(figures, '3g.20gb').longestWaitSeconds).to.be.within(7 * HOUR, 7 * HOUR + 3 * MINUTE);
    // To the night's at the start, which is in it, and four times more.
    expect(figures.total).to.deep.include({ relayouts: 5, stillWaiting: 0 });
  });

  it('may have a demand instead', () => {
    const side = fleet(pool({ ...night, demand: follows('1g.5gb', '2g.10gb') }), 1);
    const figures = playOne(side, pods(1, '2g.10gb', 12 * HOUR, HOUR), { startMs });
    expect(figuresOf(figures, '2g.10gb').longestWaitSeconds).to.be.within(10 * HOUR, 10 * HOUR + 5 * MINUTE);
  });

  it('begins while a node changes, which then changes once more', () => {
    const side = fleet(pool({ ...night, layouts: [{ preset: 'all-1g.5gb' }] }), 1);
    const slow = { ...side, changeSeconds: new Map([['p', 7 * HOUR]]) };
    const figures = playOne(slow, pods(1, '3g.20gb', 13 * HOUR, HOUR), { startMs });
    expect(figuresOf(figures, '3g.20gb').longestWaitSeconds).to.be.within(HOUR, HOUR + 3 * MINUTE);
  });
});
