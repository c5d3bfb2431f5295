import { expect } from 'chai';
import fc from 'fast-check';
import { type RolloutChange, RolloutWorld } from './rollout-world.ts';

const node = fc.nat({ max: 7 });
const change = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('look' as const), node }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('lookAtAll' as const) }) },
  { weight: 10, arbitrary: fc.record({ do: fc.constant('step' as const) }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('finish' as const), node }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fail' as const), node }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('giveUp' as const), node }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('readiness' as const), node, isReady: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('join' as const), node, isFresh: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const), node }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('move' as const), node, policy: fc.constantFrom('p', 'q') }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('edit' as const),
      asksAnew: fc.boolean(),
      rollout: fc.record(
        {
          maxUnavailable: fc.constantFrom(0, 1, 2, 3, '10%', '50%', '100%'),
          failureThreshold: fc.constantFrom(1, 2, 5, '50%'),
          paused: fc.boolean(),
          canary: fc.record({ nodes: fc.integer({ min: 1, max: 3 }), soak: fc.constant('1m') }),
        },
        { requiredKeys: [] },
      ),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 90_000 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('loseStatus' as const) }) },
);
const changes = fc.array(change, { minLength: 20, maxLength: 120, size: 'max' });
const size = fc.integer({ min: 3, max: 8 });
const cap = fc.constantFrom(1, 3, 99);

/** A node is opened that was already closed, and asked for something else, and the ledger is lost before it is looked at. */
const openedUnseen: readonly RolloutChange[] = [
  { do: 'join', node: 4, isFresh: true },
  { do: 'lookAtAll' },
  { do: 'step' },
  { do: 'lookAtAll' },
  { do: 'finish', node: 4 },
  { do: 'edit', asksAnew: true, rollout: {} },
  { do: 'loseStatus' },
  { do: 'edit', asksAnew: false, rollout: { maxUnavailable: '50%' } },
  { do: 'join', node: 0, isFresh: false },
  { do: 'step' },
  { do: 'lookAtAll' },
  { do: 'step' },
];

describe('any rollout @slow', () => {
  it('keeps its budget at every step, and is the same after a second one', function () {
    fc.assert(
      fc.property(size, cap, changes, (nodes, most, all) => {
        const world = new RolloutWorld(nodes, most);
        for (const one of all) world.apply(one);
      }),
      { numRuns: 600 },
    );
  });

  // Seed 35786979 of the test above: its world took the slot of a node that was already closed for one with which it may start.
  it('keeps its budget where the ledger is lost while a node is opened', () => {
    const world = new RolloutWorld(3, 99);
    for (const one of openedUnseen) world.apply(one);
  });

  it('ends with every node ready when nothing fails any more, in as many waves as it needs', function () {
    fc.assert(
      fc.property(size, cap, changes, (nodes, most, all) => {
        const world = new RolloutWorld(nodes, most);
        for (const one of all) world.apply(one);
        expect(world.heal()).to.deep.equal([]);
      }),
      { numRuns: 300 },
    );
  });
});
