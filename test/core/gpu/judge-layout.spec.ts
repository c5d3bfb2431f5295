import { expect } from 'chai';
import { type Layout, MODELS } from '../../../src/core/gpu/geometry.ts';
import { enumerateLayouts, fitLayout } from '../../../src/core/gpu/layouts.ts';
import { listBaseProfiles } from '../../../src/core/gpu/profiles.ts';
import { modelOf } from './builders.ts';
import { keepMaximalStates, listPlacedStates, multisetOf, writeMultiset } from './placed-states.ts';

const BASE = ['1g.5gb', '2g.10gb', '3g.20gb', '4g.20gb', '7g.40gb'];

describe('enumerating the layouts of a GPU', () => {
  for (const [name, placed, maximalPlaced, valid, maximal] of [
    ['a100-40gb', 2318, 239, 127, 44],
    ['a30', 75, 17, 19, 8],
    ['rtx-pro-6000', 716, 302, 114, 64],
    ['rtx-pro-5000-48gb', 29, 19, 17, 12],
    ['rtx-pro-4500', 21, 13, 13, 9],
  ] as const) {
    it(`finds for ${name} what trying every combination of places finds`, () => {
      const model = modelOf(name);
      const states = listPlacedStates(model).filter((state) => state.length > 0);
      expect(states).to.have.length(placed);
      expect(keepMaximalStates(states)).to.have.length(maximalPlaced);
      const expected = new Set(states.map(multisetOf));
      expect(expected.size).to.equal(valid);
      expect(enumerateLayouts(model).map(writeMultiset)).to.have.members([...expected]);
      expect(enumerateLayouts(model, { maximal: true })).to.have.length(maximal);
    });
  }

  it('finds the same number of layouts for all models of the 7-slice geometry', () => {
    const models = MODELS.filter(({ computeSlices }) => computeSlices === 7);
    expect(models).to.have.length(18);
    for (const model of models) {
      expect(enumerateLayouts(model), model.id).to.have.length(127);
      expect(enumerateLayouts(model, { maximal: true }), model.id).to.have.length(44);
      expect(enumerateLayouts(model, { base: true }), model.id).to.have.length(37);
      expect(enumerateLayouts(model, { base: true, maximal: true }), model.id).to.have.length(12);
    }
  });

  it('finds the 19 configurations of the guide for the plain profiles of an A100', () => {
    expect(keepMaximalStates(listPlacedStates(modelOf('a100-40gb'), BASE))).to.have.length(19);
  });

  it('lists the twelve maximal layouts of plain profiles', () => {
    const layouts = enumerateLayouts(modelOf('a100-40gb'), { base: true, maximal: true });
    expect(layouts).to.have.deep.members([
      { '7g.40gb': 1 },
      { '4g.20gb': 1, '3g.20gb': 1 },
      { '4g.20gb': 1, '2g.10gb': 1, '1g.5gb': 1 },
      { '4g.20gb': 1, '1g.5gb': 3 },
      { '3g.20gb': 1, '2g.10gb': 1, '1g.5gb': 2 },
      { '3g.20gb': 1, '2g.10gb': 2 },
      { '3g.20gb': 1, '1g.5gb': 4 },
      { '2g.10gb': 1, '1g.5gb': 5 },
      { '2g.10gb': 2, '1g.5gb': 3 },
      { '2g.10gb': 3, '1g.5gb': 1 },
      { '1g.5gb': 7 },
      { '3g.20gb': 2 },
    ] satisfies Layout[]);
  });

  it('takes the plain profile for base, not its variants', () => {
    expect(listBaseProfiles(modelOf('a100-40gb')).map(({ name }) => name)).to.deep.equal(BASE);
    expect(listBaseProfiles(modelOf('rtx-pro-6000')).map(({ name }) => name)).to.deep.equal([
      '1g.24gb',
      '2g.48gb',
      '4g.96gb',
    ]);
  });

  it('judges Thor, which has no placements, by its counters', () => {
    const thor = modelOf('thor');
    expect(enumerateLayouts(thor)).to.have.length(12);
    expect(enumerateLayouts(thor, { maximal: true })).to.have.length(7);
    expect(fitLayout(thor, { '2g.0gb': 1, '1g.0gb+gfx': 1 })).to.deep.equal({ fits: true, placements: undefined });
    expect(fitLayout(thor, { '2g.0gb': 1, '1g.0gb': 1 })).to.have.property('fits', false);
  });

  it('agrees with the fit of every layout that it lists, and of none beside', () => {
    for (const name of ['h100-94gb', 'a30', 'rtx-pro-6000']) {
      const model = modelOf(name);
      const valid = new Set(enumerateLayouts(model).map(writeMultiset));
      for (const layout of listAllCounts(model.profiles.slice(0, 6)))
        expect(fitLayout(model, layout).fits, writeMultiset(layout)).to.equal(valid.has(writeMultiset(layout)));
    }
  });
});

/** Every layout of up to three instances of each profile, the empty one left out. */
function listAllCounts(profiles: readonly { readonly name: string }[]): readonly Layout[] {
  return profiles
    .reduce<readonly Layout[]>(
      (layouts, { name }) =>
        layouts.flatMap((layout) => [layout, ...[1, 2, 3].map((count) => ({ ...layout, [name]: count }))]),
      [{}],
    )
    .filter((layout) => Object.keys(layout).length > 0);
}
