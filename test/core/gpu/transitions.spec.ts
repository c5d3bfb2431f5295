import { expect } from 'chai';
import { planGpu } from '../../../src/core/gpu/plan.ts';
import { expectPlan, modelOf, someInstances } from './builders.ts';
import { keepMaximalStates, listPlacedStates, multisetOf, parseMultiset, type PlacedState } from './placed-states.ts';

const PROFILES = ['1g.5gb', '1g.10gb', '2g.10gb', '3g.20gb', '4g.20gb', '7g.40gb'];

describe('all transitions between maximal layouts of an A100-40GB', () => {
  const model = modelOf('a100-40gb');
  const states = listPlacedStates(model, PROFILES);
  const maximal = keepMaximalStates(states);
  const anywhere = groupByMultiset(states);
  const anywhereMaximal = groupByMultiset(maximal);
  const transitions = maximal.flatMap((from) =>
    [...anywhereMaximal.keys()].filter((to) => to !== multisetOf(from)).map((to) => ({ from, to })),
  );
  const destroyed = transitions.map(
    ({ from, to }) => expectPlan(planGpu(model, someInstances(...from), parseMultiset(to))).destroy.length,
  );

  it('are 2,886, from 78 layouts to the other 37 multisets', () => {
    expect([states.length, maximal.length, anywhereMaximal.size]).to.deep.equal([723, 78, 38]);
    expect(transitions).to.have.length(2886);
  });

  it('each destroy as few instances as any placement of the wanted layout allows', () => {
    const least = transitions.map(({ from, to }) => countDestroyed(from, anywhere.get(to) ?? []));
    expect(destroyed).to.deep.equal(least);
  });

  it('destroy 2.856 instances on average: 2.998 if results had to be maximal, 4.462 if GPUs were cleared', () => {
    expect(mean(destroyed)).to.be.closeTo(2.856, 0.0005);
    const toMaximal = transitions.map(({ from, to }) => countDestroyed(from, anywhereMaximal.get(to) ?? []));
    expect(mean(toMaximal)).to.be.closeTo(2.998, 0.0005);
    expect(mean(transitions.map(({ from }) => from.length))).to.be.closeTo(4.462, 0.0005);
  });

  it('destroy exactly one instance wherever one is enough to reach a maximal layout (452 of them)', () => {
    const single = transitions.flatMap(({ from, to }, index) =>
      countDestroyed(from, anywhereMaximal.get(to) ?? []) === 1 ? [destroyed[index]] : [],
    );
    expect(single).to.have.length(452);
    expect(new Set(single)).to.deep.equal(new Set([1]));
  });
});

function groupByMultiset(states: readonly PlacedState[]): ReadonlyMap<string, readonly PlacedState[]> {
  return Map.groupBy(states, multisetOf);
}

/** Instances of `from` that are gone in the most similar of the results. */
function countDestroyed(from: PlacedState, results: readonly PlacedState[]): number {
  return Math.min(...results.map((result) => from.filter((placed) => !result.includes(placed)).length));
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
