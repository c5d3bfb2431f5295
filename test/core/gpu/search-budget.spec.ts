import { expect } from 'chai';
import type { Geometry, Layout } from '../../../src/core/gpu/geometry/geometry.ts';
import { MODELS } from '../../../src/core/gpu/geometry/models.ts';
import { planGpu } from '../../../src/core/gpu/plan/gpu-plan.ts';
import { gridOf } from '../../../src/core/gpu/search/grid.ts';
import { enumerateLayouts } from '../../../src/core/gpu/search/layout-enumeration.ts';
import {
  MOST_CHOICES,
  withinBudget,
  SearchBudget,
  BudgetExceeded,
} from '../../../src/core/gpu/search/search-budget.ts';
import { expectRefusal, someInstances } from './builders.ts';

/** A table that no driver prints: every profile may start anywhere. */
function aTable(slices: number, profiles: number, maxInstances: number): Geometry {
  return {
    computeSlices: slices,
    memorySlices: slices,
    profiles: Array.from({ length: profiles }, (_, index) => ({
      name: `${index + 1}g.${index + 1}gb`,
      id: index,
      computeSlices: 1,
      memorySlices: index + 1,
      starts: Array.from({ length: slices - index }, (_unit, start) => start),
      maxInstances,
      engines: { copy: 0, decoder: 0, encoder: 0, jpeg: 0, ofa: 0 },
    })),
  };
}

describe('the work of a search', () => {
  // Without a bound these take from seconds to hours.
  for (const [what, table, want] of [
    ['more combinations than a number can tell apart', aTable(30, 8, 30), { '1g.1gb': 3, '2g.2gb': 3, '3g.3gb': 3 }],
    ['more layouts than can be listed', aTable(16, 8, 7), { '1g.1gb': 1, '8g.8gb': 2 }],
    ['more arrangements than can be tried', aTable(30, 3, 9), { '1g.1gb': 9, '2g.2gb': 9, '3g.3gb': 2 }],
  ] as const satisfies readonly (readonly [string, Geometry, Layout])[]) {
    it(`ends in a refusal, or without alternatives, for a table with ${what}`, () => {
      const refusal = expectRefusal(planGpu(table, someInstances(), want));
      expect(refusal.code).to.be.oneOf(['TooManyCombinations', 'NotEnoughMemorySlices']);
      expect(refusal.alternatives).to.deep.equal([]);
    }).timeout(5000);
  }

  it('is done once for a layout, whatever the number of GPUs that are to have it', () => {
    const table = aTable(30, 3, 9);
    for (let gpu = 0; gpu < 10_000; gpu += 1) {
      const refusal = expectRefusal(planGpu(table, someInstances(), { '1g.1gb': 9, '2g.2gb': 9, '3g.3gb': 1 }));
      expect(refusal.code).to.equal('TooManyCombinations');
    }
  }).timeout(5000);

  it('is bounded for compute instances too', () => {
    const [model] = MODELS;
    if (model === undefined) throw new Error('the table is empty');
    const want = { '1c.7g.40gb': 16, '2c.7g.40gb': 16, '3c.7g.40gb': 16 };
    const wide = { ...model, profiles: model.profiles.map((profile) => ({ ...profile, maxInstances: 16 })) };
    expect(expectRefusal(planGpu(wide, someInstances(), want)).code).to.be.oneOf([
      'TooManyCombinations',
      'NotEnoughMemorySlices',
    ]);
  }).timeout(5000);

  it('is enough for every model of the table', () => {
    for (const model of MODELS) {
      expect(gridOf(model).countable, model.id).to.equal(true);
      const layouts = enumerateLayouts(model);
      expect(layouts.length, model.id).to.be.greaterThan(0);
    }
  });

  it('is counted, and goes over once', () => {
    const budget = new SearchBudget(2);
    budget.spend();
    budget.spend();
    expect(() => budget.spend()).to.throw(BudgetExceeded);
    expect(withinBudget(() => 1)).to.deep.equal({ result: 1 });
    expect(
      withinBudget((counted) => {
        for (let spent = 0; spent <= MOST_CHOICES; spent += 1) counted.spend();
      }),
    ).to.equal(undefined);
  });
});
