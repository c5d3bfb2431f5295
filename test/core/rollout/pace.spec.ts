import { expect } from 'chai';
import { aSlotOf, aRolloutState, noon, step, type StepParts } from './rollout-builders.ts';

const aMinuteLater = noon + 60_000;
const slot = '2026-01-01T12:00:00Z';

/** A step a minute after slots were given at noon. */
const paceOf = (parts: StepParts) => step({ now: aMinuteLater, ...parts }).pace;

describe('the pace of a rollout', () => {
  it('counts nodes that are verified, from their admission on, when they give their slots back', () => {
    const nodes = [aRolloutState('a', { isVerified: true, slot }), aRolloutState('b', { isVerified: true, slot })];
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
    expect(after(slot, noon + 36_000_000)).to.deep.equal({ generation: 1, nodes: 1, seconds: 36_000 });
    expect(after('', aMinuteLater)).to.equal(undefined);
  });

  it('is not known before one is verified, and stays while nothing happens', () => {
    expect(paceOf({ nodes: [aRolloutState('a', { isUnderWay: true })], inFlight: [aSlotOf('a')] })).to.equal(undefined);
    const pace = { generation: 1, nodes: 1, seconds: 30 };
    expect(paceOf({ nodes: [aRolloutState('a')], pace })).to.deep.equal(pace);
  });

  it('does not count those that were given up, were found changing, or changed for an earlier generation', () => {
    const verified = aRolloutState('a', { isVerified: true, slot });
    expect(paceOf({ nodes: [aRolloutState('a', { slot })], inFlight: [aSlotOf('a')] })).to.equal(undefined);
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
    const verified = aRolloutState('a', { isVerified: true, slot });
    const inFlight = [aSlotOf('a', { generation: 2 })];
    expect(paceOf({ nodes: [verified], generation: 2, inFlight, pace })).to.deep.equal({
      generation: 2,
      nodes: 1,
      seconds: 60,
    });
  });
});
