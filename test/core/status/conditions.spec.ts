import { expect } from 'chai';
import fc from 'fast-check';
import {
  setCondition,
  setConditions,
  type ConditionDraft,
  type StatusCondition,
} from '../../../src/core/status/conditions.ts';

const monday = '2026-01-05T00:00:00Z';
const tuesday = '2026-01-06T00:00:00Z';

function aDraft(change: Partial<ConditionDraft> = {}): ConditionDraft {
  return { type: 'Ready', status: 'False', reason: 'Waiting', message: 'waits', observedGeneration: 1, ...change };
}

function aCondition(change: Partial<StatusCondition> = {}): StatusCondition {
  return { ...aDraft(), lastTransitionTime: monday, ...change };
}

describe('setCondition', () => {
  it('adds a condition that is not there at the end, since now', () => {
    const valid = aCondition({ type: 'Valid' });
    expect(setCondition([valid], aDraft(), tuesday)).to.deep.equal([
      valid,
      { ...aDraft(), lastTransitionTime: tuesday },
    ]);
  });

  it('keeps the transition time while the status stays, whatever is said about it', () => {
    const after = setCondition([aCondition()], aDraft({ reason: 'Paused', observedGeneration: 2 }), tuesday);
    expect(after).to.deep.equal([aCondition({ reason: 'Paused', observedGeneration: 2 })]);
  });

  it('moves the transition time when the status changes', () => {
    const after = setCondition([aCondition()], aDraft({ status: 'True' }), tuesday);
    expect(after).to.deep.equal([aCondition({ status: 'True', lastTransitionTime: tuesday })]);
  });

  it('returns the same array when nothing changes, so that the write can be left out', () => {
    const before = [aCondition(), aCondition({ type: 'Valid' })];
    expect(setCondition(before, aDraft(), tuesday)).to.equal(before);
    expect(setConditions(before, [aDraft(), aDraft({ type: 'Valid' })], tuesday)).to.equal(before);
  });

  it('drops the observed generation when the draft has none', () => {
    const { observedGeneration, ...draft } = aDraft();
    expect(observedGeneration).to.equal(1);
    expect(setCondition([aCondition()], draft, tuesday)[0]).not.to.have.property('observedGeneration');
  });

  it('leaves one condition of each type, in the order of their first appearance, and changes nothing the second time', () => {
    const draft = fc.record({
      type: fc.constantFrom('Ready', 'Stalled', 'Valid'),
      status: fc.constantFrom('True' as const, 'False' as const, 'Unknown' as const),
      reason: fc.constantFrom('A', 'B'),
      message: fc.constantFrom('x', 'y'),
    });
    fc.assert(
      fc.property(fc.array(draft), (drafts) => {
        const after = setConditions([], drafts, monday);
        const types = after.map(({ type }) => type);
        expect(types).to.deep.equal([...new Set(drafts.map(({ type }) => type))]);
        const last = [...new Map(drafts.map((one) => [one.type, one])).values()];
        expect(setConditions(after, last, tuesday)).to.equal(after);
      }),
    );
  });
});
