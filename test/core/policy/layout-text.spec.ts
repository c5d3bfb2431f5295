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

  it('says of a GPU that does not respond why', () => {
    expect(deviceText([aGpu({ error: 'GPU is lost', slices: ['3g.20gb@0'] })])).to.equal('1 GPU: GPU is lost');
  });

  it('is a label that says various where GPUs differ, or the value would be too long', () => {
    const valueOf = (...lengths: readonly number[]): string =>
      layoutLabelValue(lengths.map((length, index) => aGpu({ index, slices: [`${'x'.repeat(length - 2)}@0`] })));
    expect(valueOf(63, 63)).to.match(/^1xx{61}$/);
    expect([valueOf(64), valueOf(9, 8)]).to.deep.equal(['various', 'various']);
    expect([layoutLabelValue([aGpu()]), layoutLabelValue([aGpu(), aGpu({ slices: [] })])]).to.deep.equal([
      'whole',
      'various',
    ]);
  });

  it('is a label of the GPUs that work, for pods that select their nodes by it', () => {
    const broken = aGpu({ index: 1, error: 'GpuLost: gone' });
    expect(layoutLabelValue([aGpu({ slices: ['3g.20gb@0'] }), broken])).to.equal('1x3g.20gb');
  });

  it('is `empty` as a label, too', () => {
    expect(layoutLabelValue([aGpu({ slices: [] })])).to.equal('empty');
  });
});
