import { expect } from 'chai';
import fc from 'fast-check';
import { assignRows } from '../../../src/core/gpu/assign/assignment.ts';

describe('assigning rows to columns', () => {
  it('finds the least sum that any permutation has', () => {
    const aMatrix = fc
      .integer({ min: 1, max: 6 })
      .chain((size) =>
        fc.array(fc.array(fc.nat(50), { minLength: size, maxLength: size }), { minLength: size, maxLength: size }),
      );
    fc.assert(
      fc.property(aMatrix, (costs) => {
        const columns = assignRows(costs);
        expect(new Set(columns).size).to.equal(costs.length);
        expect(sumOf(costs, columns)).to.equal(Math.min(...permute(costs.length).map((each) => sumOf(costs, each))));
      }),
      { numRuns: 200 },
    );
  });

  it('has nothing to do for no rows', () => {
    expect(assignRows([])).to.deep.equal([]);
  });
});

function sumOf(costs: readonly (readonly number[])[], columns: readonly number[]): number {
  return columns.reduce((sum, column, row) => sum + (costs[row]?.[column] ?? 0), 0);
}

function permute(size: number): readonly (readonly number[])[] {
  if (size === 0) return [[]];
  return permute(size - 1).flatMap((rest) =>
    Array.from({ length: size }, (_, position) => [...rest.slice(0, position), size - 1, ...rest.slice(position)]),
  );
}
