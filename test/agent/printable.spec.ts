import { expect } from 'chai';
import { printable } from '../../src/agent/own-partition.ts';

describe('printable', () => {
  it('marks line ends, controls, and what turns the direction of a text, at any depth and in any length', () => {
    const hostile = 'a\nb\tc\u001b[31md\u202ee\u2028f\u0000';
    const { error, gpus } = printable({
      error: { message: hostile },
      gpus: [{ product: hostile, index: 1, busy: true }],
    });
    expect(error.message).to.equal('a\ufffdb\ufffdc\ufffd[31md\ufffde\ufffdf\ufffd');
    expect(error.message).to.have.length(hostile.length);
    expect(gpus).to.deep.equal([{ product: error.message, index: 1, busy: true }]);
  });

  it('leaves other texts of any language as they are', () => {
    expect(printable('GPU 0: „läuft“ – 使用中 2×1g.5gb')).to.equal('GPU 0: „läuft“ – 使用中 2×1g.5gb');
  });
});
