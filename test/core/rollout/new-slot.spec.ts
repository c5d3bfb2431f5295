import { expect } from 'chai';
import { isNewSlot, rolloutStateWith } from '../../../src/core/rollout/slot.ts';
import { aSlotOf, aRolloutState } from './rollout-builders.ts';

describe('a slot that another leader gave', () => {
  const slot = aSlotOf('n');
  const { startTime = '' } = slot;
  const seen = aRolloutState('n', { policy: 'p', seen: [startTime], isUnderWay: false });
  const unseen = { ...seen, seen: [] };

  it('is new until the node is looked at, and not before the first look', () => {
    expect([isNewSlot(slot, unseen), isNewSlot(slot, seen), isNewSlot(slot, undefined)]).to.deep.equal([
      true,
      false,
      false,
    ]);
  });

  it('keeps its node under way until then, as does a policy that has just won the node', () => {
    expect(rolloutStateWith(unseen, slot, 'p').isUnderWay).to.equal(true);
    expect(rolloutStateWith(seen, slot, 'p')).to.equal(seen);
    expect(rolloutStateWith(unseen, undefined, 'p')).to.equal(unseen);
    expect(rolloutStateWith(seen, slot, 'q').isUnderWay).to.equal(true);
    expect(rolloutStateWith(seen, undefined, undefined).isUnderWay).to.equal(true);
  });
});
