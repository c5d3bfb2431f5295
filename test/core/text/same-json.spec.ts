import { expect } from 'chai';
import * as fc from 'fast-check';
import { canonicalJson, sameJson } from '../../../src/core/text/fingerprint.ts';

describe('sameJson', () => {
  it('says of any two values what their canonical texts say', () => {
    const value = fc.jsonValue({ maxDepth: 3 });
    fc.assert(
      fc.property(value, value, (a, b) => {
        expect(sameJson(a, b)).to.equal(canonicalJson(a) === canonicalJson(b));
        expect(sameJson(a, JSON.parse(canonicalJson(a)))).to.equal(true);
      }),
    );
  });

  it('takes a field that is undefined for one that is not there', () => {
    expect(sameJson({ a: 1, b: undefined }, { a: 1 })).to.equal(true);
    expect(sameJson({ a: 1 }, { a: 1, b: undefined })).to.equal(true);
    expect(sameJson({ a: undefined }, { b: 1 })).to.equal(false);
    expect(sameJson([1], { 0: 1 })).to.equal(false);
  });
});
