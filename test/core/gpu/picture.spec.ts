import { expect } from 'chai';
import { MODELS } from '../../../src/core/gpu/geometry/models.ts';
import { planGpu } from '../../../src/core/gpu/plan/gpu-plan.ts';
import { enumerateLayouts } from '../../../src/core/gpu/search/layout-enumeration.ts';
import { drawGpu } from '../../../src/core/gpu/plan/picture.ts';
import { expectPlan, modelOf, someInstances } from './builders.ts';

const a100 = modelOf('a100-40gb');

describe('the picture of a GPU', () => {
  it('shows instances at their places, busy ones with a star, and free slices as dots', () => {
    expect(drawGpu(a100, someInstances('3g.20gb@4', '1g.5gb@0*', '2g.10gb@2'))).to.equal(
      '|1g.5gb* |........|2g.10gb          |3g.20gb                            |',
    );
  });

  it('leaves the memory out of a name that does not fit its cell', () => {
    expect(drawGpu(a100, someInstances('1g.5gb+me@6*'))).to.include('|1g+me*  |');
  });

  it('says that MIG is off', () => {
    expect(drawGpu(a100, undefined)).to.match(/^\| +MIG off: whole GPU +\|$/);
  });

  it('draws an instance of an unknown profile in its size', () => {
    expect(drawGpu(a100, [{ profile: '5g.30gb', start: 0, size: 4 }])).to.equal(
      '|5g.30gb                            |........|........|........|........|',
    );
  });

  it('is 73 characters wide for every layout of every model', () => {
    for (const model of MODELS) {
      const drawn = enumerateLayouts(model).map((layout) => {
        const plan = planGpu(model, [], layout);
        return plan.fits ? plan.placements : [];
      });
      for (const instances of [...drawn, [], undefined]) expect(drawGpu(model, instances)).to.have.length(73);
    }
  });

  it('names each instance of a layout in full or in short', () => {
    for (const layout of enumerateLayouts(modelOf('rtx-pro-6000'))) {
      const { placements } = expectPlan(planGpu(modelOf('rtx-pro-6000'), [], layout));
      const picture = drawGpu(modelOf('rtx-pro-6000'), placements);
      for (const { profile } of placements) expect(picture).to.include(profile);
    }
  });
});
