import { expect } from 'chai';
import { MODELS } from '../../../src/core/gpu/geometry.ts';
import { planGpu } from '../../../src/core/gpu/plan.ts';
import { enumerateLayouts } from '../../../src/core/gpu/search.ts';
import { drawCells, drawGpu } from '../../../src/core/gpu/grid.ts';
import { anInstance, expectPlan, modelOf, someInstances } from './builders.ts';

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

  it('keeps a name that just fits, its star included', () => {
    expect(drawGpu(modelOf('a100-80gb'), someInstances('1g.10gb@0*'))).to.match(/^\|1g\.10gb\*\|\.{8}\|/);
  });

  it('says in the middle that MIG is off', () => {
    expect(drawGpu(a100, undefined)).to.equal(
      '|                          MIG off: whole GPU                           |',
    );
  });

  it('takes compute slices for units where placements are not published', () => {
    const thor = modelOf('thor');
    expect(drawGpu(thor, someInstances('2g.0gb@1'))).to.equal(
      '|.......................|2g.0gb                                         |',
    );
    expect(drawGpu(thor, [])).to.equal('|.......................|.......................|.......................|');
    expect(drawGpu({ ...thor, computeSlices: 1 }, [])).to.equal(`|${'.'.repeat(71)}|`);
    expect(drawGpu({ ...thor, computeSlices: 0 }, [])).to.match(/^\| +MIG on: no instances +\|$/);
  });

  it('has cells of any width, which know their instance and carry the mark that they are given', () => {
    const [first, second] = [anInstance('1g.5gb@0'), anInstance('3g.20gb@4')];
    const cells = drawCells(a100, [second, first], 39, ({ start }) => (start === 0 ? '!' : ''));
    expect(cells).to.deep.equal([
      { instance: first, text: '1g! ' },
      ...[1, 2, 3].map(() => ({ instance: undefined, text: '....' })),
      { instance: second, text: '3g.20gb            ' },
    ]);
  });

  it('draws an instance of an unknown profile in its size', () => {
    expect(drawGpu(a100, [{ profile: '5g.30gb', start: 0, size: 4 }])).to.equal(
      '|5g.30gb                            |........|........|........|........|',
    );
    expect(drawGpu(modelOf('rtx-pro-6000'), [{ profile: '5g.30gb', start: 0 }]), 'one unit if not known').to.match(
      /^\|5g {3}\|\./,
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
