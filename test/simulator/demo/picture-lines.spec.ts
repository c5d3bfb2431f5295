import { expect } from 'chai';
import { drawPicture, groupPictures } from '../../../src/simulator/demo/picture-lines.ts';
import { modelOf, someInstances } from '../../core/gpu/builders.ts';

describe('the pictures of the demo', () => {
  it('fit 80 columns with the names of the GPUs before them', () => {
    const picture = drawPicture(modelOf('a100-40gb'), someInstances('1g.5gb@0', '3g.20gb@4'));
    const lines = groupPictures([0, 1, 2].map((index) => ({ index, picture }))).map((line) => `  ${line}`);
    expect(lines).to.have.length(1);
    expect(lines[0]).to.match(/^ {2}GPU 0-2 {2}\|/);
    expect(lines[0]?.length).to.equal(80);
  });
});
