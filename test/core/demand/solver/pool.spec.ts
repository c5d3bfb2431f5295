import { expect } from 'chai';
import {
  ChoiceCosts,
  compareCosts,
  coverDemand,
  readDemand,
  type DemandSlice,
} from '../../../../src/core/demand/solver/pool.ts';
import { Random } from '../../../model/random.ts';
import { compareNumbers } from './brute-force.ts';
import { asking } from './column-builders.ts';

const sizes: Readonly<Record<string, number>> = { a: 1, b: 2, c: 4, d: 7 };
const names = Object.keys(sizes);
const sizeOf = (name: string): number => sizes[name] ?? 0;

/** `a+b` is one that either of the two serves. */
function slice(profiles: string, more: Partial<DemandSlice> = {}): DemandSlice {
  return { name: profiles, profiles: profiles.split('+'), count: 1, weight: 1, ...more };
}

/** The least weight that goes short, and the least room of that, by trying every way to hand out the slices. */
function tryEveryWay(
  slices: readonly DemandSlice[],
  offered: Readonly<Record<string, number>>,
  present: Readonly<Record<string, number>>,
): readonly number[] {
  const free = { ...offered };
  const taken: Record<string, number> = {};
  let best: readonly number[] = [Infinity, Infinity];

  function give(slice: number, from: number, left: number, lacking: number): void {
    const one = slices[slice];
    if (one === undefined) {
      const room = names.reduce(
        (sum, name) => sum + Math.max(0, (taken[name] ?? 0) - (present[name] ?? 0)) * (sizes[name] ?? 0),
        0,
      );
      if (compareNumbers([lacking, room], best) < 0) best = [lacking, room];
      return;
    }
    const name = one.profiles[from];
    if (name === undefined) return give(slice + 1, 0, slices[slice + 1]?.count ?? 0, lacking + left * one.weight);
    const most = Math.min(left, free[name] ?? 0);
    for (let count = 0; count <= most; count += 1) {
      free[name] = (free[name] ?? 0) - count;
      taken[name] = (taken[name] ?? 0) + count;
      give(slice, from + 1, left - count, lacking);
      free[name] = (free[name] ?? 0) + count;
      taken[name] = (taken[name] ?? 0) - count;
    }
  }

  give(0, 0, slices[0]?.count ?? 0, 0);
  return best;
}

describe('of two plans', () => {
  it('the cheaper one serves more, then evicts less, loses less work, breaks fewer rests, changes fewer GPUs and MIG modes, destroys fewer instances', () => {
    const table = asking(1, 'a');
    const cost = (
      ...[
        unserved = 0,
        evictions = 0,
        minutesLost = 0,
        restsBroken = 0,
        gpusChanged = 0,
        modesChanged = 0,
        instancesDestroyed = 0,
      ]: number[]
    ) =>
      new ChoiceCosts(table, []).price([unserved, 0], {
        evictions: [evictions, 0],
        minutesLost,
        restsBroken,
        gpusChanged,
        modesChanged,
        instancesDestroyed,
      });
    const falling = [
      cost(2, 0),
      cost(1, 2, 0),
      cost(1, 1, 2, 0),
      cost(1, 1, 1, 2, 0),
      cost(1, 1, 1, 1, 2),
      cost(1, 1, 1, 1, 1, 2),
      cost(1, 1, 1, 1, 1, 1, 2),
      cost(1, 1, 1, 1, 1, 1, 1),
    ];
    expect(falling.toReversed().toSorted((a, b) => compareCosts(b, a))).to.deep.equal(falling);
    for (const one of falling) expect(compareCosts(one, [...one])).to.equal(0);
  });
});

describe('a demand in numbers', () => {
  it('has use for as many of a profile as all slices want that it serves', () => {
    const slices = [slice('a+b', { count: 2 }), slice('b', { count: 3 }), slice('c', { count: 0 })];
    const { profiles, caps } = readDemand(slices, () => true, sizeOf);
    expect(Object.fromEntries(profiles.map((name, index) => [name, caps[index]]))).to.deep.equal({ a: 2, b: 5, c: 0 });
  });

  it('leaves a choice where some slice can be served by profiles of different sizes', () => {
    const hasChoice = (...slices: readonly DemandSlice[]) => readDemand(slices, () => true, sizeOf).hasChoice;
    expect(hasChoice(slice('a'), slice('b'))).to.equal(false);
    expect(hasChoice(slice('a'), slice('a+b'))).to.equal(true);
    expect(readDemand([slice('a+b')], () => true).hasChoice, 'without sizes').to.equal(false);
  });
});

describe('what slices serve of a demand', () => {
  it('goes first to the heavier slice, and of equal ones to the first by name', () => {
    const lacking = (...slices: readonly DemandSlice[]) =>
      coverDemand(
        readDemand(slices, () => true),
        [1],
      ).unserved;
    expect(lacking(slice('a', { name: 'y' }), slice('a', { name: 'x' }), slice('a', { name: 'z' }))).to.deep.equal([
      0, 1, 1,
    ]);
    expect(
      lacking(slice('a', { name: 'x' }), slice('a', { name: 'y', weight: 2 }), slice('a', { name: 'z' })),
    ).to.deep.equal([1, 0, 1]);
  });

  it('is handed on as often as that serves one more', () => {
    // The first gets a and leaves it to the second for b, which leaves it to the third for c.
    const slices = [slice('a+b', { name: '1' }), slice('a+c', { name: '2' }), slice('a', { name: '3' })];
    const table = readDemand(slices, () => true, sizeOf);
    expect(coverDemand(table, [1, 1, 1]).unserved).to.deep.equal([0, 0, 0]);
  });

  it('is the most that any way of handing them out serves, in the least room that it takes beside what is there', () => {
    for (let seed = 1; seed <= 400; seed += 1) {
      const random = new Random(seed);
      const slices = Array.from({ length: 1 + random.integer(3) }, (_, index): DemandSlice => {
        const profiles = names.filter(() => random.chance(0.5));
        return { name: `s${index}`, profiles, count: random.integer(5), weight: 1 + random.integer(3) };
      });
      const offered = Object.fromEntries(names.map((name) => [name, random.integer(4)]));
      const present = Object.fromEntries(names.map((name) => [name, random.integer((offered[name] ?? 0) + 1)]));
      const table = readDemand(slices, () => true, sizeOf);
      const listed = (counts: Readonly<Record<string, number>>) => table.profiles.map((name) => counts[name] ?? 0);
      const { cost, used } = coverDemand(table, listed(offered), listed(present));
      const room = used.reduce(
        (sum, count, profile) =>
          sum + Math.max(0, count - (listed(present)[profile] ?? 0)) * (table.sizes[profile] ?? 0),
        0,
      );
      expect([cost, room], `seed ${seed}`).to.deep.equal(tryEveryWay(slices, offered, present));
      const plain = coverDemand(table, listed(offered));
      expect([plain.cost, plain.room], `seed ${seed}`).to.deep.equal(tryEveryWay(slices, offered, {}));
    }
  });
});
