import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalJson, deepEqual } from '../../../src/core/text/json.ts';

describe('sameJson', () => {
  it('says of any two values what their canonical texts say', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(deepEqual(a, b)).to.equal(canonicalJson(a) === canonicalJson(b));
        expect(deepEqual(a, JSON.parse(canonicalJson(a)))).to.equal(true);
      }),
    );
  });

  it('takes a field that is undefined for one that is not there', () => {
    expect(deepEqual({ a: 1, b: undefined }, { a: 1 })).to.equal(true);
    expect(deepEqual({ a: 1 }, { a: 1, b: undefined })).to.equal(true);
    expect(deepEqual({ a: undefined }, { b: 1 })).to.equal(false);
    expect(deepEqual([1], { 0: 1 })).to.equal(false);
  });
});
