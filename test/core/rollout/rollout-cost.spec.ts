import { expect } from 'chai';
import { stepLedger } from '../../../src/core/rollout/ledger.ts';
import { type RequestQueue, RolloutStates } from '../../../src/core/rollout/states.ts';
import type { NodeRolloutState } from '../../../src/core/rollout/budget.ts';
import { aPolicy } from '../../support/builders.ts';
import { aSlotOf, aRolloutState, manyAsking, noon } from './rollout-builders.ts';

/** Counts every node that is looked at. */
class CountingRolloutStates extends RolloutStates {
  looks = 0;

  override get(node: string): NodeRolloutState | undefined {
    this.looks += 1;
    return super.get(node);
  }

  override *inOrder(queue: RequestQueue): Iterable<NodeRolloutState> {
    for (const one of super.inOrder(queue)) {
      this.looks += 1;
      yield one;
    }
  }

  override get unavailable(): ReadonlySet<string> {
    return this.#count(super.unavailable);
  }

  override get failed(): ReadonlySet<string> {
    return this.#count(super.failed);
  }

  override get failedOpen(): ReadonlySet<string> {
    return this.#count(super.failedOpen);
  }

  override get underWay(): ReadonlySet<string> {
    return this.#count(super.underWay);
  }

  #count(set: ReadonlySet<string>): ReadonlySet<string> {
    const note = (looks: number): void => void (this.looks += looks);
    return new Proxy(set, {
      get(target, key) {
        if (key === Symbol.iterator) note(target.size);
        if (key === 'has') note(1);
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  }
}

/** How many nodes are looked at for one event of a fleet in which three nodes are in flight. */
function countLooks(nodes: readonly NodeRolloutState[], rollout: Parameters<typeof aPolicy>[0]): number {
  const inFlight = ['x0', 'x1', 'x2'].map((node) => aSlotOf(node));
  const rolloutStates = new CountingRolloutStates();
  const all = [...nodes, ...inFlight.map(({ node }) => aRolloutState(node, { isUnderWay: true }))];
  for (const one of all) rolloutStates.put(one);
  const byName = new Map(all.map((one) => [one.node, one]));
  let looks = 0;
  const find = (node: string): NodeRolloutState | undefined => {
    looks += 1;
    return byName.get(node);
  };
  stepLedger({
    now: noon,
    policy: { ...aPolicy(rollout), status: { inFlight } },
    hasAskedSince: (generation) => generation === 1,
    rolloutStates,
    size: all.length,
    rolloutStateOf: find,
    uidOf: (node) => find(node)?.nodeUID,
    admits: 'Everybody',
    cap: { most: 9, others: [] },
    frozen: undefined,
  });
  return looks + rolloutStates.looks;
}

describe('the cost of an event', () => {
  const rollout = { rollout: { maxUnavailable: 4, failureThreshold: 10_000, canary: { nodes: 5 } } };
  const fleets: Readonly<Record<string, (count: number) => readonly NodeRolloutState[]>> = {
    'that ask for a slot': (count) => manyAsking(count),
    'that are closed anyway': (count) => manyAsking(count, 'Fresh'),
    'that have failed': (count) => manyAsking(count, 'Retry'),
    'that are not ready': (count) => manyAsking(count).map((one) => ({ ...one, isReady: false })),
    'that are done': (count) => manyAsking(count).map(({ node }) => aRolloutState(node, { isVerified: true })),
  };
  for (const [what, listNodes] of Object.entries(fleets)) {
    it(`is the same with 100 and with 10,000 nodes ${what}`, () => {
      const few = countLooks(listNodes(100), rollout);
      expect(countLooks(listNodes(10_000), rollout)).to.equal(few);
      expect(few).to.be.below(100);
    });
  }
});
