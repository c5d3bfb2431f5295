import { expect } from 'chai';
import { countLimit, findCap, FleetRollout, hasGpus, type NodeRolloutState } from '../../../src/core/rollout/budget.ts';
import { describeGate } from '../../../src/core/rollout/ledger.ts';
import { aSlotOf, anAsking, aRolloutState, manyAsking, noon, step, type StepParts } from './rollout-builders.ts';
import { aDevice, aGpu, aPartition, aPolicy } from '../../support/builders.ts';

const rollout = { maxUnavailable: 5, failureThreshold: 9, canary: { nodes: 2, soak: '10m' } };
const slot = '2026-01-01T12:00:00Z';
const changing = (node: string): NodeRolloutState => aRolloutState(node, { isUnderWay: true, slot });
const ready = (node: string): NodeRolloutState => aRolloutState(node, { isVerified: true });
const canaries = { generation: 1, nodes: ['c0', 'c1'] };
const soaking = { ...canaries, readySince: slot };
const minutes = (count: number): number => noon + count * 60_000;
const go = (parts: StepParts) => step({ rollout, ...parts });

describe('a canary', () => {
  it('is as many nodes as the policy says, the cheapest first; they start before all others', () => {
    const nodes = [...manyAsking(9), anAsking('cheap', 'New', { request: { destroys: 0 } })];
    const { admitted, canary, gate } = go({ nodes });
    expect(admitted).to.deep.equal(['cheap', 'a0']);
    expect(canary).to.deep.equal({ generation: 1, nodes: ['cheap', 'a0'] });
    expect(gate).to.equal(undefined);
  });

  it('is chosen again for each schedule: what was right by day says nothing about the night', () => {
    const passed = { ...canaries, passedTime: slot };
    expect(go({ nodes: manyAsking(9), canary: passed }).admitted).to.have.lengthOf(5);
    const night = go({ nodes: manyAsking(9), canary: passed, schedule: 'night' });
    expect(night.canary).to.deep.equal({ generation: 1, schedule: 'night', nodes: ['a0', 'a1'] });
    const again = go({ nodes: manyAsking(9), canary: { ...passed, schedule: 'night' }, schedule: 'night' });
    expect(again.admitted).to.have.lengthOf(5);
    expect(go({ nodes: manyAsking(9), canary: { ...passed, schedule: 'night' } }).admitted).to.have.lengthOf(2);
  });

  it('is not chosen again for a pause, a resumption or another pace: it passed, soaks or waits as before', () => {
    const nodes = [ready('c0'), ready('c1'), ...manyAsking(9)];
    const edited = { nodes, generation: 3, since: 1 };
    const passed = { ...canaries, passedTime: slot };
    const resumed = go({ ...edited, canary: passed });
    expect(resumed.canary).to.deep.equal({ ...passed, generation: 3 });
    expect(resumed.admitted).to.have.lengthOf(5);
    const soaks = go({ ...edited, canary: soaking, now: minutes(4) });
    expect([soaks.canary, soaks.admitted]).to.deep.equal([{ ...soaking, generation: 3 }, []]);
    const paused = go({ ...edited, rollout: { ...rollout, paused: true }, canary: passed });
    expect([paused.canary, paused.admitted]).to.deep.equal([{ ...passed, generation: 3 }, []]);
    expect(go({ ...edited, since: 2, canary: passed }).admitted, 'asks for something else').to.have.lengthOf(2);
  });

  it('is kept while the policy only plans: what it looks at is not in force', () => {
    const passed = { ...canaries, passedTime: slot };
    const looks = go({ nodes: manyAsking(9), generation: 2, mode: 'Plan', canary: passed });
    expect([looks.canary, looks.admitted]).to.deep.equal([passed, []]);
  });

  it('is limited by maxUnavailable as well', () => {
    const nodes = manyAsking(9);
    const first = go({ nodes, rollout: { ...rollout, maxUnavailable: 1 } });
    expect(first.canary?.nodes).to.deep.equal(['a0']);
    const [, ...others] = nodes;
    const second = go({
      nodes: [ready('a0'), ...others],
      rollout: { ...rollout, maxUnavailable: 1 },
      canary: { generation: 1, nodes: ['a0'] },
    });
    expect(second.canary?.nodes).to.deep.equal(['a0', 'a1']);
  });

  it('has the rest wait until it is ready', () => {
    const nodes = [changing('c0'), ready('c1'), ...manyAsking(9)];
    const { admitted, gate, canary, requeueAfterMs } = go({ nodes, inFlight: [aSlotOf('c0')], canary: canaries });
    expect(admitted).to.deep.equal([]);
    expect(canary).to.deep.equal(canaries);
    expect(gate && describeGate(gate)).to.equal('waiting for the canary: c0, c1');
    expect(requeueAfterMs).to.equal(undefined);
  });

  it('is watched for the soak, from the moment at which all of it is ready', () => {
    const nodes = [ready('c0'), ready('c1'), ...manyAsking(9)];
    const begun = go({ nodes, canary: canaries, now: minutes(5) });
    expect(begun.canary).to.deep.equal({ ...canaries, readySince: '2026-01-01T12:05:00Z' });
    expect(begun.admitted).to.deep.equal([]);
    expect(begun.requeueAfterMs).to.equal(600_100);
    const { admitted, canary, gate } = go({ nodes, canary: soaking, now: minutes(4) });
    expect(admitted).to.deep.equal([]);
    expect(canary).to.deep.equal(soaking);
    expect(gate && describeGate(gate)).to.equal(
      'the canary is Ready (c0, c1); the rest follows at 2026-01-01T12:10:00Z',
    );
    expect(go({ nodes, canary: soaking, now: minutes(6) }).gate).to.deep.equal(gate);
  });

  it('lets the rest follow when the soak is over', () => {
    const nodes = [ready('c0'), ready('c1'), ...manyAsking(9)];
    const { admitted, canary, gate } = go({ nodes, canary: soaking, now: minutes(10) });
    expect(admitted).to.have.length(5);
    expect(canary).to.deep.equal({ ...soaking, passedTime: '2026-01-01T12:10:00Z' });
    expect(gate).to.equal(undefined);
  });

  it('passes only if all of it is Ready at the end of the soak, its kubelets included', () => {
    for (const gone of [aRolloutState('c1'), aRolloutState('c1', { isVerified: true, isReady: false })]) {
      const { admitted, canary, gate } = go({
        nodes: [ready('c0'), gone, ...manyAsking(9)],
        canary: soaking,
        now: minutes(30),
      });
      expect(admitted).to.deep.equal([]);
      expect(canary, 'it soaks anew once it is back').to.deep.equal(canaries);
      expect(gate && describeGate(gate)).to.equal('waiting for the canary: c0, c1');
    }
  });

  it('does not pass before a new leader has looked at its nodes, however long ago the soak was over', () => {
    const uids = Object.fromEntries(['c0', 'c1', 'a0', 'a1', 'a2'].map((node) => [node, `uid-${node}`]));
    const { canary, admitted } = go({ nodes: manyAsking(3), uids, canary: soaking, now: minutes(30) });
    expect(canary).to.deep.equal(soaking);
    expect(admitted).to.deep.equal([]);
  });

  it('lets the rest follow at once without a soak', () => {
    const nodes = [ready('c0'), ready('c1'), ...manyAsking(9)];
    const { admitted } = go({ nodes, canary: canaries, rollout: { ...rollout, canary: { nodes: 2 } } });
    expect(admitted).to.have.length(5);
  });

  it('starts the soak again if one of its nodes is no longer Ready', () => {
    const nodes = [ready('c0'), aRolloutState('c1'), ...manyAsking(9)];
    expect(go({ nodes, canary: soaking, now: minutes(4) }).canary).to.deep.equal(canaries);
  });

  it('soaks on through a pause and a resumption, whose nodes have not been looked at yet', () => {
    const later = { canary: soaking, now: minutes(4), generation: 2, since: 1 };
    const unseen = go({ nodes: [ready('c0'), aRolloutState('c1'), ...manyAsking(9)], ...later });
    expect(unseen.canary).to.deep.equal(soaking);
    expect(unseen.admitted).to.deep.equal([]);
    const seen = go({ nodes: [ready('c0'), ready('c1'), ...manyAsking(9)], ...later });
    expect(seen.canary).to.deep.equal({ ...soaking, generation: 2 });
    expect(seen.admitted).to.deep.equal([]);
    for (const touched of [anAsking('c1', 'Repair'), aRolloutState('c1', { isReady: false })])
      expect(
        go({ nodes: [ready('c0'), touched, ...manyAsking(9)], ...later }).canary,
        'it is not as it was',
      ).to.deep.equal({
        ...canaries,
        generation: 2,
      });
  });

  it('has passed for good, whatever becomes of its nodes later', () => {
    const passed = { ...soaking, passedTime: '2026-01-01T12:10:00Z' };
    for (const later of [[aRolloutState('c0'), aRolloutState('c1', { hasFailed: true })], []]) {
      const { admitted, canary } = go({ nodes: [...later, ...manyAsking(9)], canary: passed, now: minutes(11) });
      expect(canary).to.deep.equal(passed);
      expect(admitted).to.not.have.length(0);
    }
  });

  it('that fails halts the rollout, whatever the threshold is; it is tried again', () => {
    const failed = anAsking('c0', 'Retry');
    const nodes = [failed, ready('c1'), ...manyAsking(9), anAsking('joined', 'Fresh')];
    const { admitted, gate } = go({ nodes, canary: canaries });
    expect(admitted).to.deep.equal(['c0']);
    expect(gate && describeGate(gate)).to.match(/^1 failed \(c0\), and a canary must not fail: no new node starts/);
  });

  it('is chosen again for another generation', () => {
    const nodes = [ready('c0'), ready('c1'), ...manyAsking(9)];
    const { admitted, canary } = go({ nodes, canary: soaking, now: minutes(30), generation: 2 });
    expect(canary).to.deep.equal({ generation: 2, nodes: ['a0', 'a1'] });
    expect(admitted).to.deep.equal(['a0', 'a1']);
  });

  it('is forgotten where the policy asks for none', () => {
    const { canary, admitted } = go({ nodes: manyAsking(9), canary: canaries, rollout: { maxUnavailable: 5 } });
    expect(canary).to.equal(undefined);
    expect(admitted).to.have.length(5);
  });

  it('takes others in the place of nodes that are gone, or that another policy has won', () => {
    const gone = go({ nodes: [ready('c1'), ...manyAsking(9)], canary: soaking, now: minutes(4) });
    expect(gone.canary).to.deep.equal({ generation: 1, nodes: ['c1', 'a0'] });
    const lost = aRolloutState('c0', { policy: 'q' });
    expect(go({ nodes: [lost, ready('c1'), ...manyAsking(9)], canary: canaries }).canary?.nodes).to.deep.equal([
      'c1',
      'a0',
    ]);
  });

  it('loses a node that is gone before a new leader has looked at the others, and starts its soak again', () => {
    const { canary } = go({ uids: { c1: 'uid-c1' }, canary: soaking, now: minutes(4), admits: 'Nobody' });
    expect(canary).to.deep.equal({ generation: 1, nodes: ['c1'] });
  });

  it('and its soak outlive a change of leader, who has not looked at its nodes yet', () => {
    const uids = { c0: 'uid-c0', c1: 'uid-c1', a0: 'uid-a0' };
    for (const nodes of [[], manyAsking(1), [ready('c0'), ...manyAsking(1)]]) {
      const { canary, admitted } = go({ nodes, uids, canary: soaking, now: minutes(4), admits: 'Nobody' });
      expect(canary).to.deep.equal(soaking);
      expect(admitted).to.deep.equal([]);
    }
  });

  it('whose pods did not go gives its place back, and stops being a canary until it starts again', () => {
    const putOff = anAsking('c0', 'New', { request: { evictions: 1 } });
    const nodes = [putOff, ready('c1'), anAsking('next', 'New', { request: { evictions: 2 } })];
    const again = go({ nodes, canary: canaries });
    expect(again.canary?.nodes).to.deep.equal(['c1', 'c0']);
    expect(again.admitted).to.deep.equal(['c0']);
    const held = go({ nodes, canary: again.canary, inFlight: again.ledger });
    expect(held.canary?.nodes).to.deep.equal(['c1', 'c0']);
    expect(held.admitted).to.deep.equal([]);
  });

  it('lets already closed nodes start beside it: they do not count as canaries', () => {
    const { admitted, canary } = go({ nodes: [...manyAsking(3), anAsking('joined', 'Fresh')] });
    expect(admitted).to.have.members(['joined', 'a0', 'a1']);
    expect(canary?.nodes).to.deep.equal(['a0', 'a1']);
  });

  it('has the controller look again when its soak is over, whatever else keeps nodes waiting', () => {
    const nodes = [ready('c0'), ready('c1'), anAsking('f', 'Retry'), ...manyAsking(3)];
    const { gate, requeueAfterMs } = go({ nodes, canary: soaking, now: minutes(4) });
    expect(gate?.reason).to.equal('Halted');
    expect(requeueAfterMs).to.equal(360_100);
    const windows = [{ schedule: '5 12 * * *', duration: '1h' }];
    const closed = go({ nodes, canary: soaking, now: minutes(4), rollout: { ...rollout, windows } });
    expect(closed.requeueAfterMs, 'unless a window opens before').to.equal(60_100);
  });
});

const lost = { code: 'DriverUnavailable', message: 'gone' };

describe('the cap over all policies', () => {
  it('is shared with the nodes of other policies: each with its policy, and since when it changes', () => {
    const ledgers = [
      ['p', [aSlotOf('a')]],
      ['q', [aSlotOf('b'), aSlotOf('c', { startTime: '2026-01-01T12:05:00Z' })]],
      ['r', []],
    ] as const;
    expect(new FleetRollout().capBeside('p', 7, ledgers)).to.deep.equal({
      most: 7,
      others: [
        { policy: 'q', node: 'b', since: '2026-01-01T12:00:00Z' },
        { policy: 'q', node: 'c', since: '2026-01-01T12:05:00Z' },
      ],
    });
  });

  describe('for who does not lead', () => {
    const partitions = [
      ...Array.from({ length: 30 }, () => aPartition({ device: aDevice(aGpu()) })),
      ...Array.from({ length: 30 }, () => aPartition()),
    ];
    const written = (maxConcurrentNodes: number) => ({
      ...aPolicy(),
      status: { limits: { nodes: 1, maxUnavailable: 1, maxConcurrentNodes } },
    });

    it('is as given, whatever is written', () => {
      expect(findCap([written(9)], partitions, 5)).to.equal(5);
      expect(findCap([written(9)], partitions, '50%')).to.equal(15);
    });

    it('is as the leader has written it in any policy', () => {
      expect(findCap([aPolicy(), written(9)], partitions)).to.equal(9);
      expect(findCap([written(0)], partitions)).to.equal(0);
    });

    it('is a tenth of the nodes with GPUs where nothing is known', () => {
      expect(findCap([aPolicy()], partitions)).to.equal(3);
      expect(findCap([], [])).to.equal(1);
    });
  });
});

describe('a node with GPUs', () => {
  it('is one that has or had some, and none whose agent has not reported', () => {
    const device = { ...aDevice(), error: lost };
    expect(hasGpus(aPartition({ device: aDevice(aGpu()) }))).to.equal(true);
    expect(hasGpus(aPartition({ device: { ...device, lastGood: { gpus: [{ uuid: 'GPU-1' }] } } }))).to.equal(true);
    expect(hasGpus(aPartition({ device }))).to.equal(false);
    expect(hasGpus(aPartition())).to.equal(false);
    expect(hasGpus(undefined)).to.equal(false);
  });
});

describe('a limit of nodes', () => {
  const fleets = [0, 1, 3, 10, 101];
  const table: readonly (readonly [number | string, ...number[]])[] = [
    [0, 0, 0, 0, 0, 0],
    ['0%', 0, 0, 0, 0, 0],
    [1, 1, 1, 1, 1, 1],
    [25, 25, 25, 25, 25, 25],
    ['1%', 1, 1, 1, 1, 1],
    ['10%', 1, 1, 1, 1, 10],
    ['33%', 1, 1, 1, 3, 33],
    ['100%', 1, 1, 3, 10, 101],
  ];
  for (const [limit, ...most] of table) {
    it(`${limit} of ${fleets.join(', ')} nodes is ${most.join(', ')}: rounded down, at least 1 unless it is 0`, () => {
      expect(fleets.map((of) => countLimit(limit, of))).to.deep.equal(most);
    });
  }

  it('never rounds a whole share down', () => {
    for (let percent = 1; percent <= 100; percent += 1) {
      expect(countLimit(`${percent}%`, 100), `${percent}%`).to.equal(percent);
    }
  });

  it('holds if it cannot be parsed', () => {
    for (const limit of ['many', '', '%', '10 %', '1e3%', -1, '-5%', NaN, Infinity]) {
      expect(countLimit(limit, 100), String(limit)).to.equal(0);
    }
  });
});

const aMinuteLater = noon + 60_000;
const slotOfPace = '2026-01-01T12:00:00Z';

/** A step a minute after slots were given at noon. */
const paceOf = (parts: StepParts) => step({ now: aMinuteLater, ...parts }).pace;

describe('the pace of a rollout', () => {
  it('counts nodes that are verified, from their admission on, when they give their slots back', () => {
    const nodes = [
      aRolloutState('a', { isVerified: true, slot: slotOfPace }),
      aRolloutState('b', { isVerified: true, slot: slotOfPace }),
    ];
    const inFlight = [aSlotOf('a'), aSlotOf('b', { startTime: '2026-01-01T12:00:20Z' })];
    const known = [nodes[0], aRolloutState('b', { isVerified: true, slot: '2026-01-01T12:00:20Z' })].filter(
      (one) => one !== undefined,
    );
    expect(paceOf({ nodes: known, inFlight })).to.deep.equal({ generation: 1, nodes: 2, seconds: 100 });
    const pace = { generation: 1, nodes: 2, seconds: 100 };
    expect(paceOf({ nodes: nodes.slice(0, 1), inFlight: [aSlotOf('a')], pace })).to.deep.equal({
      generation: 1,
      nodes: 3,
      seconds: 160,
    });
  });

  it('counts nothing for a node whose admission is later than now, and not one of an unknown admission', () => {
    const late = '2026-01-01T12:02:00Z';
    const verified = (slot: string) => aRolloutState('a', { isVerified: true, slot });
    const after = (startTime: string, now: number) =>
      paceOf({ nodes: [verified(startTime)], inFlight: [aSlotOf('a', { startTime })], now });
    expect(after(late, aMinuteLater)).to.deep.equal({ generation: 1, nodes: 1, seconds: 0 });
    expect(after(slotOfPace, noon + 36_000_000)).to.deep.equal({ generation: 1, nodes: 1, seconds: 36_000 });
    expect(after('', aMinuteLater)).to.equal(undefined);
  });

  it('is not known before one is verified, and stays while nothing happens', () => {
    expect(paceOf({ nodes: [aRolloutState('a', { isUnderWay: true })], inFlight: [aSlotOf('a')] })).to.equal(undefined);
    const pace = { generation: 1, nodes: 1, seconds: 30 };
    expect(paceOf({ nodes: [aRolloutState('a')], pace })).to.deep.equal(pace);
  });

  it('does not count those that were given up, were found changing, or changed for an earlier generation', () => {
    const verified = aRolloutState('a', { isVerified: true, slot: slotOfPace });
    expect(paceOf({ nodes: [aRolloutState('a', { slot: slotOfPace })], inFlight: [aSlotOf('a')] })).to.equal(undefined);
    expect(paceOf({ nodes: [verified], inFlight: [aSlotOf('a', { kind: 'Found' })] })).to.equal(undefined);
    expect(paceOf({ nodes: [verified], generation: 2, inFlight: [aSlotOf('a')] })).to.equal(undefined);
    expect(paceOf({ nodes: [], inFlight: [aSlotOf('a')] })).to.equal(undefined);
    const elsewhere = { ...verified, policy: 'q' };
    expect(paceOf({ nodes: [elsewhere], inFlight: [aSlotOf('a')] }), 'another policy').to.equal(undefined);
    const later = { ...verified, wishGeneration: 2 };
    expect(paceOf({ nodes: [later], inFlight: [aSlotOf('a')] }), 'another wish').to.equal(undefined);
  });

  it('starts over when the first node of another generation is verified, and is not written before', () => {
    const pace = { generation: 1, nodes: 5, seconds: 500 };
    expect(paceOf({ nodes: [], generation: 2, pace })).to.deep.equal(pace);
    const verified = aRolloutState('a', { isVerified: true, slot: slotOfPace });
    const inFlight = [aSlotOf('a', { generation: 2 })];
    expect(paceOf({ nodes: [verified], generation: 2, inFlight, pace })).to.deep.equal({
      generation: 2,
      nodes: 1,
      seconds: 60,
    });
  });
});
