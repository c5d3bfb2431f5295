import { expect } from 'chai';
import { FleetRollout, type NodeRolloutState, type Slot, slotOf } from '../../../src/core/rollout/budget.ts';
import { aSlotOf, aRolloutState } from './rollout-builders.ts';

describe('a slot that another leader gave', () => {
  const slot = aSlotOf('n');
  const { startTime = '' } = slot;
  const seen = aRolloutState('n', { policy: 'p', seen: [startTime], isUnderWay: false });
  const unseen = { ...seen, seen: [] };

  const rolloutOf = (state: NodeRolloutState | undefined): FleetRollout => {
    const rollout = new FleetRollout();
    if (state) rollout.put(state);
    return rollout;
  };
  const isNew = (state: NodeRolloutState | undefined) => rolloutOf(state).newIn([slot]).includes('n');
  const standing = (state: NodeRolloutState, ledger: readonly Slot[], winner: string | undefined) =>
    rolloutOf(state).standingFor(ledger, () => winner)('n');

  it('is new until the node is looked at, and not before the first look', () => {
    expect([isNew(unseen), isNew(seen), isNew(undefined)]).to.deep.equal([true, false, false]);
  });

  it('keeps its node under way until then, as does a policy that has just won the node', () => {
    expect(standing(unseen, [slot], 'p')?.isUnderWay).to.equal(true);
    expect(standing(seen, [slot], 'p')).to.equal(seen);
    expect(standing(unseen, [], 'p')).to.equal(unseen);
    expect(standing(seen, [slot], 'q')?.isUnderWay).to.equal(true);
    expect(standing(seen, [], undefined)?.isUnderWay).to.equal(true);
  });
});

describe('the slot of a node', () => {
  const node = { node: 'n', nodeUID: 'uid-n', wishGeneration: 2 };
  const slot = aSlotOf('n', { generation: 2 });

  it('is that of its name and uid, for the wish that it has or a later one', () => {
    expect(slotOf([aSlotOf('m', { generation: 2 }), slot], node)).to.equal(slot);
    expect(slotOf([aSlotOf('n', { generation: 3 })], node)?.generation).to.equal(3);
  });

  it('is not one for an earlier wish, of an earlier node of the name, or of another node', () => {
    expect(slotOf([aSlotOf('n', { generation: 1 })], node)).to.equal(undefined);
    expect(slotOf([{ ...slot, nodeUID: 'another' }], node)).to.equal(undefined);
    expect(slotOf([aSlotOf('m', { nodeUID: 'uid-n', generation: 2 })], node)).to.equal(undefined);
    const { generation: _none, ...undated } = slot;
    expect(slotOf([undated], { ...node, wishGeneration: 1 })).to.equal(undefined);
    expect(slotOf(undefined, node)).to.equal(undefined);
  });
});
