import { expect } from 'chai';
import { statusBounds as ofNode } from '../../../src/api/generated/gpu-node-partition.bounds.ts';
import { statusBounds as ofPolicy } from '../../../src/api/generated/gpu-partition-policy.bounds.ts';
import { cutText, fitWithin, joinWithin, findNearestWords, wrapHanging } from '../../../src/core/text/words.ts';

describe('a text that is too long', () => {
  it('ends after a whole word, and says that it was cut', () => {
    const text = 'the PodDisruptionBudget team/train allows none';
    expect(cutText(text, text.length)).to.equal(text);
    expect(cutText(text, 34)).to.equal('the PodDisruptionBudget…');
    expect(cutText(text, 35)).to.equal('the PodDisruptionBudget team/train…');
    expect(cutText('one, two', 5)).to.equal('one…');
  });

  it('is never longer than it may be, and never ends with half a character', () => {
    const texts = ['x'.repeat(40), 'wörter mit 🙂🙂🙂🙂🙂🙂🙂🙂', `a ${'🙂'.repeat(20)}`, 'a; b; c: d, e. f'];
    for (const text of texts) {
      for (let most = 1; most < text.length + 2; most += 1) {
        const cut = cutText(text, most);
        expect(cut.length, `${text} at ${most}`).to.be.at.most(most);
        expect(cut.isWellFormed(), cut).to.equal(true);
        expect(cut.endsWith('…')).to.equal(most < text.length);
      }
    }
  });

  it('keeps the beginning of a name that is longer than half of the room', () => {
    expect(cutText(`pod ${'x'.repeat(40)}`, 20)).to.equal(`pod ${'x'.repeat(15)}…`);
  });
});

describe('what the API does not take', () => {
  it('is cut and limited wherever it stands, and nothing else changes', () => {
    const status = {
      demand: [{ name: 'small', wanted: 3_000_000_000, offered: 1, used: 0, unmet: 2 ** 63 }],
      defrag: { request: 'x'.repeat(2000), state: 'Refused', message: '' },
      inForce: { generation: 3_000_000_000, spec: { priority: 3_000_000_000, strategy: 'y'.repeat(9000) } },
    };
    expect(fitWithin(status, ofPolicy)).to.deep.equal({
      ...status,
      demand: [{ name: 'small', wanted: 2 ** 31 - 1, offered: 1, used: 0, unmet: 2 ** 31 - 1 }],
      defrag: { request: `${'x'.repeat(1023)}…`, state: 'Refused', message: '' },
    });
  });

  it('is limited in maps and lists of a device too, from below as well', () => {
    const device = {
      clockSkewSeconds: -3e9,
      advertised: { stale: 0, resources: { 'nvidia.com/gpu': 2e6 } },
      gpus: [{ product: 'z'.repeat(129), index: 3, instances: [] }],
    };
    expect(fitWithin({ device }, ofNode).device).to.deep.equal({
      clockSkewSeconds: -2e9,
      advertised: { stale: 0, resources: { 'nvidia.com/gpu': 1e6 } },
      gpus: [{ product: `${'z'.repeat(127)}…`, index: 3, instances: [] }],
    });
  });
});

describe('parts that are too long together', () => {
  it('are shown whole, as many as there is room for', () => {
    const parts = ['first cause', 'second cause', 'third cause'];
    expect(joinWithin(parts, 100)).to.equal('first cause; second cause; third cause');
    expect(joinWithin(parts, 37)).to.equal('first cause; second cause; and 1 more');
    expect(joinWithin(parts, 36)).to.equal('first cause; and 2 more');
    expect(joinWithin(parts, 20)).to.equal('first…; and 2 more');
    expect(joinWithin([], 20)).to.equal('');
  });
});

describe('findNearestWords', () => {
  it('finds what a word is a part of before what it may be a misspelling of', () => {
    expect(findNearestWords('a30', ['a100-40gb', 'a30-24gb', 'a31'])).to.deep.equal(['a30-24gb', 'a31']);
  });

  it('finds a word with a letter wrong, missing or too many, in any case', () => {
    for (const word of ['layots', 'layuots', 'layoutss', 'LAYOUTS'])
      expect(findNearestWords(word, ['fit', 'layouts']), word).to.deep.equal(['layouts']);
  });

  it('finds nothing where nothing is near', () => {
    expect(findNearestWords('zzzz', ['fit', 'layouts'])).to.deep.equal([]);
  });

  it('gives no more than is asked for', () => {
    expect(findNearestWords('a100', ['a100-40gb', 'a100-80gb', 'a100-64gb'], 2)).to.have.length(2);
  });
});

describe('wrapped text', () => {
  it('breaks at spaces, keeps the indentation of the first line, and indents the others', () => {
    expect(wrapHanging('  one two three', 9, '    ')).to.deep.equal(['  one two', '    three']);
  });

  it('leaves a word whole that is longer than a line', () => {
    expect(wrapHanging('a nvidia.com/mig-3g.20gb b', 8)).to.deep.equal(['a', 'nvidia.com/mig-3g.20gb', 'b']);
  });
});
