import { expect } from 'chai';
import { deviceText, layoutLabelValue } from '../../../src/core/policy/layout-text.ts';
import { aGpu } from '../../support/builders.ts';

describe('the layout of a node in words', () => {
  it('counts equal GPUs, and tells one without instances from a whole one', () => {
    const gpus = [aGpu({ slices: ['3g.20gb@0'] }), aGpu({ index: 1, slices: [] }), aGpu({ index: 2, slices: [] })];
    expect(deviceText([...gpus, aGpu({ index: 3, mig: 'Disabled' })])).to.equal(
      '1 GPU: 1×3g.20gb; 2 GPUs: empty; 1 GPU: whole',
    );
  });

  it('is `empty` as a label, too', () => {
    expect(layoutLabelValue([aGpu({ slices: [] })])).to.equal('empty');
  });
});
