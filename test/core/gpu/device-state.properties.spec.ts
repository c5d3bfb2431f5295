import { expect } from 'chai';
import fc from 'fast-check';
import type { Layout } from '../../../src/core/gpu/geometry.ts';
import { planGpu } from '../../../src/core/gpu/plan.ts';
import type { Instance } from '../../../src/core/gpu/grid.ts';
import { anInstance, expectPlan, modelOf, writePlaces } from './builders.ts';
import { listPlacedStates, multisetOf, type PlacedState } from './placed-states.ts';

const a100 = modelOf('a100-40gb');
const SLICES: Readonly<Record<string, number>> = { '2g.10gb': 2, '3g.20gb': 3, '4g.20gb': 4 };
const SIZES: Readonly<Record<string, readonly number[]>> = {
  '2g.10gb': [1, 2],
  '3g.20gb': [1, 2, 3],
  '4g.20gb': [1, 2, 4],
};
const states = listPlacedStates(a100, Object.keys(SLICES));

/** Draws compute instances for a GPU instance: sizes are added as long as they fit. */
function fill(profile: string, numbers: readonly number[]): readonly number[] {
  const sizes = SIZES[profile] ?? [];
  let room = SLICES[profile] ?? 0;
  return numbers.flatMap((number) => {
    const size = sizes[number % sizes.length] ?? 1;
    if (size > room) return [];
    room -= size;
    return [size];
  });
}

function nameOf(profile: string, size: number): string {
  return size === SLICES[profile] ? profile : `${size}c.${profile}`;
}

const aFilling = fc.array(fc.nat(5), { maxLength: 4 });
const aScene = fc
  .tuple(
    fc.constantFrom(...states),
    fc.constantFrom(...states),
    fc.array(aFilling, { minLength: 8, maxLength: 8 }),
    fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
  )
  .map(([state, goal, fillings, busy]) => ({
    have: state.map((placed, index): Instance => {
      const profile = placed.slice(0, placed.indexOf('@'));
      const sizes = fill(profile, fillings[index] ?? []);
      return anInstance(
        busy[index] === true ? `${placed}*` : placed,
        sizes.map((size) => nameOf(profile, size)),
      );
    }),
    want: countNames(
      goal.flatMap((placed, index) => {
        const profile = placed.slice(0, placed.indexOf('@'));
        const sizes = fill(profile, fillings[index + 4] ?? []);
        return (sizes.length === 0 ? [1] : sizes).map((size) => nameOf(profile, size));
      }),
    ),
  }));

describe('any plan with compute instances', () => {
  it('needs the fewest GPU instances and costs no more than the cheapest of all ways', () => {
    fc.assert(
      fc.property(aScene, ({ have, want }) => {
        const plan = expectPlan(planGpu(a100, have, want));
        const { busyDisturbed, destroyed, computeInstancesDestroyed, computeInstancesCreated } = plan.cost;
        expect(plan.placements).to.have.length(sum(Object.keys(SLICES).map((profile) => fewest(profile, want))));
        expect([busyDisturbed, destroyed, computeInstancesDestroyed, computeInstancesCreated]).to.deep.equal(
          cheapest(have, want, multisetOf(writePlaces(plan.placements))),
        );
      }),
      { numRuns: 150 },
    );
  });
});

/** GPU instances of a profile that the wanted compute instances need at least, by trying. */
function fewest(profile: string, want: Layout): number {
  const items = listItems(profile, want);
  for (let bins = 0; ; bins += 1) if (distribute(profile, items, bins).length > 0) return bins;
}

/** The least cost over every placed state of the multiset and every distribution of the compute instances on it. */
function cheapest(have: readonly Instance[], want: Layout, multiset: string): readonly number[] {
  const costs = states.filter((state) => multisetOf(state) === multiset).map((state) => costOfState(have, want, state));
  return costs.toSorted(compareNumbers)[0] ?? [];
}

function costOfState(have: readonly Instance[], want: Layout, state: PlacedState): readonly number[] {
  const gone = have.filter(({ profile, start }) => !state.includes(`${profile}@${start}`));
  const destroyed = [gone.filter(({ busy }) => busy).length, gone.length, 0, 0];
  return Object.keys(SLICES)
    .map((profile) => {
      const places = state.filter((placed) => placed.startsWith(`${profile}@`));
      const options = distribute(profile, listItems(profile, want), places.length).map((bins) =>
        addAll(places.map((placed, index) => costOfBin(have, profile, placed, bins[index] ?? []))),
      );
      return options.toSorted(compareNumbers)[0] ?? [Infinity, 0, 0, 0];
    })
    .reduce((total, cost) => total.map((number, index) => number + (cost[index] ?? 0)), destroyed);
}

function costOfBin(
  have: readonly Instance[],
  profile: string,
  placed: string,
  bin: readonly number[],
): readonly number[] {
  const kept = have.find((instance) => `${instance.profile}@${instance.start}` === placed);
  if (kept === undefined) return [0, 0, 0, 0];
  const there = kept.computeInstances ?? [];
  const wanted = bin.map((size) => nameOf(profile, size));
  const lost = countNames(there);
  const shared = sum(Object.entries(countNames(wanted)).map(([name, count]) => Math.min(count, lost[name] ?? 0)));
  const destroyed = there.length - shared;
  return [kept.busy && destroyed > 0 ? 1 : 0, 0, destroyed, wanted.length - shared];
}

/** Every way to put items into labelled bins of a profile, none of them empty or overfull. */
function distribute(
  profile: string,
  items: readonly number[],
  bins: number,
): readonly (readonly (readonly number[])[])[] {
  const capacity = SLICES[profile] ?? 0;
  const all = items.reduce<readonly (readonly (readonly number[])[])[]>(
    (ways, item) =>
      ways.flatMap((way) =>
        way.flatMap((bin, index) => (sum(bin) + item <= capacity ? [way.with(index, [...bin, item])] : [])),
      ),
    [Array.from({ length: bins }, () => [])],
  );
  return all.filter((way) => way.every((bin) => bin.length > 0));
}

function listItems(profile: string, want: Layout): readonly number[] {
  return (SIZES[profile] ?? []).flatMap((size) => Array<number>(want[nameOf(profile, size)] ?? 0).fill(size));
}

function countNames(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function addAll(costs: readonly (readonly number[])[]): readonly number[] {
  return [0, 1, 2, 3].map((index) => sum(costs.map((cost) => cost[index] ?? 0)));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function compareNumbers(left: readonly number[], right: readonly number[]): number {
  const index = left.findIndex((number, position) => number !== right[position]);
  return index === -1 ? 0 : (left[index] ?? 0) - (right[index] ?? 0);
}
