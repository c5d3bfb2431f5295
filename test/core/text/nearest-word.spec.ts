import { expect } from 'chai';

import { findNearestWords } from '../../../src/core/text/nearest-word.ts';

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
