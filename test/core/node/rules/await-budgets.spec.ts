import { expect } from 'chai';
import type { BudgetView } from '../../../../src/core/pods/disruption-budget.ts';
import { aDevice, aGpu, withPods } from '../../../support/builders.ts';
import {
  aDrain,
  aPod,
  aSlotFrom,
  close,
  drainOf,
  drainWish,
  evictionsOf,
  stays,
  stepUntil,
} from '../../../support/drain-world.ts';
import { aManagedPartition, aSlicingPolicy, type Answer } from '../../../support/node-builders.ts';
import type { NodeWorld } from '../../../support/node-world.ts';
import { planWish } from '../../../../src/core/wish/plan-wish.ts';
import type { PolicySpec } from '../../../../src/api/types.ts';

const train = { app: 'train' };
const aBudget = (disruptionsAllowed: number, { expectedPods = 4, desiredHealthy = 3 } = {}): BudgetView => ({
  metadata: { name: 'train', namespace: 'ns', generation: 1 },
  spec: { selector: { matchLabels: train } },
  status: { observedGeneration: 1, disruptionsAllowed, currentHealthy: expectedPods, desiredHealthy, expectedPods },
});
const never = aBudget(0, { desiredHealthy: 4 });

/** Two pods of one budget on the slice that goes, and one without a budget. */
const [one, two, free] = [
  aPod('one', { owner: 'set', labels: train }),
  aPod('two', { owner: 'set', labels: train }),
  aPod('free'),
];
const shared = aDevice(
  withPods(aGpu({ slices: ['2g.10gb@0', '3g.20gb@4'] }), {
    '2g.10gb@0': ['ns/one', 'ns/two', 'ns/free'],
    '3g.20gb@4': ['ns/stays'],
  }),
);

function aBudgetedDrain(budget: BudgetView, drain: PolicySpec['drain'] = {}): NodeWorld {
  const world = aDrain(drain, { pods: [one, two, free, stays] });
  world.partition = aManagedPartition({ device: shared, wish: drainWish });
  world.drain = { budgets: [budget] };
  return world;
}

/** The next slot, when the rest is over. */
function restAndAsk(world: NodeWorld, most = 70): void {
  world.slot = undefined;
  for (let minutes = 0; minutes < most; minutes += 1) {
    if (world.step(60_000).verdict.reason !== 'AwaitingSlot') continue;
    world.slot = aSlotFrom(world.now, 600_000);
    return;
  }
  throw new Error('it does not ask for a slot');
}

/** The first pod of the budget goes, the other one is refused until the time is over, and both are back. */
function failOnce(world: NodeWorld): Answer {
  world.refusals = { 'uid-two': 'the disruption budget train needs 3 healthy pods' };
  close(world);
  const answer = stepUntil(world, 'DrainTimeout', 10_000);
  expect(evictionsOf(world)).to.include.members(['EvictPod uid-one', 'EvictPod uid-free']);
  world.pods = [one, two, free, stays];
  return answer;
}

describe('disruption budgets', () => {
  it('are read before a node is closed, and again before the first eviction, and not for each further one', () => {
    const world = aBudgetedDrain(aBudget(2));
    const reads: string[] = [];
    for (let steps = 0; steps < 20; steps += 1) {
      const answer = world.step(1000);
      reads.push(...answer.reads.filter((read) => read === 'Drain'));
      if (answer.verdict.reason === 'Applying') break;
    }
    expect(world.done).to.include('WriteGrant');
    expect(reads).to.have.length(2);
  });

  it('that never allow a disruption end the attempt with the node open and no pod evicted, not even one without a budget', () => {
    for (const onTimeout of ['Skip', 'Wait'] as const) {
      const world = aBudgetedDrain(never, { onTimeout });
      const { verdict } = world.step();
      expect(verdict).to.include({ phase: 'Waiting', reason: 'EvictionBlocked' });
      expect(verdict.message).to.match(
        /^disruption budgets never allow the eviction of pods that must go: ns\/one, ns\/two: PodDisruptionBudget ns\/train never allows a disruption: it needs 4 healthy pods and covers 4\. .*the next attempt is at /,
      );
      expect(world.rolloutState?.isUnderWay, 'the turn is another node’s').to.equal(false);
      expect(world.done).to.deep.equal([]);
      restAndAsk(world);
      world.drain = { budgets: [aBudget(2)] };
      stepUntil(world, 'Applying');
    }
  });

  it('count for a single pod as for several', () => {
    for (const [budget, phase] of [
      [never, 'Waiting'],
      [aBudget(0), 'Updating'],
    ] as const) {
      const world = aBudgetedDrain(budget);
      world.pods = [one, free, stays];
      const { verdict } = world.step();
      expect(verdict).to.include({ phase, reason: 'EvictionBlocked' });
      expect(world.done).to.deep.equal([]);
    }
  });

  it('that allow none now are waited for with the node open, within the time of a drain', () => {
    const world = aBudgetedDrain(aBudget(0));
    for (let steps = 0; steps < 100; steps += 1) {
      const { verdict } = world.step(5000);
      expect(verdict).to.include({ phase: 'Updating', reason: 'EvictionBlocked', requeueAfterMs: 5000 });
      expect(verdict.message).to.include('with the node open');
      expect(world.rolloutState?.isUnderWay, 'it keeps its slot').to.equal(true);
    }
    expect(world.done).to.deep.equal([]);
    const later = stepUntil(world, 'DrainTimeout', 5000, 30);
    expect(later.verdict.phase).to.equal('Waiting');
    expect(world.done).to.deep.equal([]);
    restAndAsk(world);
    world.drain = { budgets: [aBudget(1)] };
    stepUntil(world, 'Applying');
  });

  it('that allow none now are waited for as long as it takes where the policy waits', () => {
    const world = aBudgetedDrain(aBudget(0), { onTimeout: 'Wait' });
    for (let minutes = 0; minutes < 30; minutes += 1)
      expect(world.step(60_000).verdict).to.include({ phase: 'Updating', reason: 'EvictionBlocked' });
    expect(world.taintKeys).to.deep.equal([]);
  });

  it('do not end a drain that is under way, even of one pod', () => {
    const world = aDrain();
    world.refusals = { 'uid-goes': 'not yet' };
    close(world);
    world.step();
    expect(drainOf(world)).to.deep.equal(['uid-goes']);
    world.drain = { budgets: [{ ...never, spec: { selector: {} } }] };
    for (let steps = 0; steps < 20; steps += 1)
      expect(world.step(1000).verdict.reason).to.be.oneOf(['Draining', 'EvictionBlocked']);
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
  });

  it('are read before the first eviction for a plan, whatever was announced for another or to nobody', () => {
    for (const drain of [
      { planHash: 'another', pods: [{ namespace: 'ns', name: 'one', uid: 'uid-one' }] },
      { planHash: planWish(shared, drainWish).report.hash, pods: [] },
    ]) {
      const world = aBudgetedDrain(never);
      world.partition = aManagedPartition({ device: shared, wish: drainWish, drain });
      expect(world.step().verdict).to.include({ phase: 'Waiting', reason: 'EvictionBlocked' });
      expect(world.taintKeys).to.deep.equal([]);
    }
  });

  it('that allow some now are used one after the other at the first attempt', () => {
    const world = aBudgetedDrain(aBudget(1));
    world.refusals = { 'uid-two': 'not yet' };
    close(world);
    for (let steps = 0; steps < 20; steps += 1) world.step(1000);
    expect(evictionsOf(world)).to.include.members(['EvictPod uid-one', 'EvictPod uid-free']);
    world.refusals = {};
    stepUntil(world, 'Applying');
  });

  it('do not cost the same pods their place at each attempt: they have to go all at once, if as many are there again', () => {
    const world = aBudgetedDrain(aBudget(1));
    failOnce(world);
    const before = evictionsOf(world).length;
    for (let attempts = 0; attempts < 4; attempts += 1) {
      restAndAsk(world);
      const { verdict } = world.step();
      expect(verdict).to.include({ phase: 'Waiting', reason: 'EvictionBlocked' });
      expect(verdict.message).to.include('PodDisruptionBudget ns/train allows 1 of the 2 evictions');
      expect(world.taintKeys).to.deep.equal([]);
    }
    expect(evictionsOf(world)).to.have.length(before);
    restAndAsk(world);
    world.refusals = {};
    world.drain = { budgets: [aBudget(2)] };
    stepUntil(world, 'Applying');
  });

  it('are used one after the other again where the attempt before has moved pods, and after an edit', () => {
    const moved = aBudgetedDrain(aBudget(1));
    failOnce(moved);
    moved.pods = [two, free, stays];
    restAndAsk(moved);
    close(moved);
    const fewer = aBudgetedDrain(aBudget(1));
    failOnce(fewer);
    fewer.pods = [one, two, stays];
    restAndAsk(fewer);
    close(fewer);
    const edited = aBudgetedDrain(aBudget(1));
    failOnce(edited);
    restAndAsk(edited);
    edited.policy = aSlicingPolicy({ ...edited.policy?.spec, generation: 2 });
    edited.slot = { ...aSlotFrom(edited.now, 600_000), generation: 2 };
    edited.step();
    edited.step();
    expect(edited.taintKeys).to.deep.equal(['repartitioning']);
  });

  it('are used one after the other again where no pod was evicted before', () => {
    const world = aBudgetedDrain(aBudget(1));
    world.refusals = Object.fromEntries(['one', 'two', 'free'].map((name) => [`uid-${name}`, 'not now']));
    close(world);
    stepUntil(world, 'DrainTimeout', 10_000);
    restAndAsk(world);
    close(world);
  });

  it('count one pod that was evicted for nothing, too: it did not end in time', () => {
    const world = aBudgetedDrain(aBudget(2));
    const ending = aPod('one', { owner: 'set', labels: train });
    world.pods = [ending, stays];
    close(world);
    world.step();
    const { metadata } = ending;
    world.pods = [{ ...ending, metadata: { ...metadata, deletionTimestamp: '2026-01-01T12:00:02Z' } }, stays];
    stepUntil(world, 'DrainTimeout', 10_000);
    world.drain = { budgets: [aBudget(1)] };
    world.pods = [one, two, stays];
    restAndAsk(world);
    expect(world.step().verdict).to.include({ phase: 'Waiting', reason: 'EvictionBlocked' });
    expect(world.taintKeys).to.deep.equal([]);
  });

  it('keep no pod that goes by force', () => {
    const world = aBudgetedDrain(never, { onTimeout: 'Force' });
    close(world);
    stepUntil(world, 'Applying');
    expect(drainOf(world)).to.have.length(3);
  });
});
