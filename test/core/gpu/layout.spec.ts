import { expect } from 'chai';
import fc from 'fast-check';
import { packComputeInstances } from '../../../src/core/gpu/layout.ts';
import { SearchBudget } from '../../../src/core/gpu/grid.ts';

describe('spreading compute instances over GPU instances', () => {
  it('needs the fewest GPU instances, and finds every way to fill them', () => {
    const aWish = fc
      .constantFrom(2, 3, 4, 7)
      .chain((capacity) =>
        fc.tuple(
          fc.constant(capacity),
          fc.array(fc.integer({ min: 1, max: capacity }), { minLength: 1, maxLength: 5 }),
        ),
      );
    fc.assert(
      fc.property(aWish, ([capacity, sizes]) => {
        const all = partition(sizes).filter((groups) => groups.every((group) => sum(group) <= capacity));
        const fewest = Math.min(...all.map((groups) => groups.length));
        const expected = new Set(all.filter((groups) => groups.length === fewest).map(write));
        const { bins, ways } = packComputeInstances(sizes, capacity, 7, new SearchBudget());
        expect(bins).to.equal(fewest);
        expect(ways.map(write)).to.have.members([...expected]);
      }),
      { numRuns: 200 },
    );
  });

  it('fills GPU instances up before it opens the next, if all ways are equal', () => {
    expect(packComputeInstances([1, 1, 1, 1], 3, 2, new SearchBudget()).ways[0]).to.deep.equal([[1, 1, 1], [1]]);
  });

  it('only says that a wish is too large, however large it is', () => {
    expect(packComputeInstances(Array<number>(1000).fill(1), 3, 2, new SearchBudget())).to.deep.equal({
      bins: 334,
      ways: [],
    });
    expect(packComputeInstances([2, 2, 2], 3, 2, new SearchBudget())).to.deep.equal({ bins: 3, ways: [] });
  });
});

/** Every way to sort items into groups. */
function partition(items: readonly number[]): readonly (readonly (readonly number[])[])[] {
  const [first, ...rest] = items;
  if (first === undefined) return [[]];
  return partition(rest).flatMap((groups) => [
    [[first], ...groups],
    ...groups.map((group, index) => groups.with(index, [first, ...group])),
  ]);
}

function write(groups: readonly (readonly number[])[]): string {
  return groups
    .map((group) => group.toSorted((a, b) => a - b).join('+'))
    .toSorted()
    .join(' ');
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
