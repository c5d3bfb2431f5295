import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalJson, fingerprint } from '../../../src/core/text/fingerprint.ts';

/** As its authors write it: http://www.isthe.com/chongo/tech/comp/fnv */
function fnv1a(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, '0');
}

describe('a fingerprint', () => {
  it('is FNV-1a of 64 bits', () => {
    expect(fingerprint('')).to.equal('cbf29ce484222325');
    expect(fingerprint('a')).to.equal('af63dc4c8601ec8c');
    expect(fingerprint('foobar')).to.equal('85944171f73967e8');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => fingerprint(text) === fnv1a(text)),
      { numRuns: 2000 },
    );
  });
});

describe('canonical JSON', () => {
  it('is the same for the same value, whatever the order of its keys', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: true })).to.equal('{"a":true,"b":[1,{"c":"x","d":null}]}');
  });

  it('is what JSON makes of the value', () => {
    const value = [undefined, { gone: undefined, kept: -0, 'quoted"': '\u2028' }];
    expect(JSON.parse(canonicalJson(value))).to.deep.equal(JSON.parse(JSON.stringify(value)));
    fc.assert(
      fc.property(fc.jsonValue(), (any) => {
        expect(JSON.parse(canonicalJson(any))).to.deep.equal(JSON.parse(JSON.stringify(any)));
      }),
    );
  });
});
