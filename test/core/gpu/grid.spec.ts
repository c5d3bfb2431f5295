import { expect } from 'chai';
import { planGpu } from '../../../src/core/gpu/plan/gpu-plan.ts';
import { gridOf } from '../../../src/core/gpu/search/grid.ts';
import { enumerateLayouts } from '../../../src/core/gpu/search/layout-enumeration.ts';
import { modelOf, someInstances } from './builders.ts';

describe('the grid of a geometry', () => {
  it('is shared by equal tables, of which every node of a fleet brings its own', () => {
    const { id: _id, ...live } = modelOf('a100-40gb');
    const copy = structuredClone(live);
    expect(gridOf(copy)).to.equal(gridOf(modelOf('a100-40gb')));
    expect(planGpu(copy, someInstances('1g.5gb@0'), { '3g.20gb': 2 })).to.deep.equal(
      planGpu(modelOf('a100-40gb'), someInstances('1g.5gb@0'), { '3g.20gb': 2 }),
    );
    expect(enumerateLayouts(copy, { base: true })).to.have.length(37);
  });

  it('changes if anything changes that a layout depends on', () => {
    const model = modelOf('a100-40gb');
    const fewer = { ...model, profiles: model.profiles.map((profile) => ({ ...profile, maxInstances: 1 })) };
    expect(gridOf(fewer)).not.to.equal(gridOf(model));
    expect(gridOf(modelOf('a100-80gb'))).not.to.equal(gridOf(model));
  });

  it('does not plan on a table with more units than it can hold, and says so', () => {
    const model = modelOf('a100-40gb');
    const result = planGpu({ ...model, memorySlices: 64 }, [], { '1g.5gb': 1 });
    expect(result).to.have.nested.property('refusal.code', 'PlacementsUnknown');
  });
});
