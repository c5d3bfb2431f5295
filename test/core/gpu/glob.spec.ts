import { expect } from 'chai';
import fc from 'fast-check';
import { matchesGlob } from '../../../src/core/gpu/geometry/glob.ts';

describe('globs', () => {
  it('match what a regular expression of the same meaning matches', () => {
    const aText = fc.string({ unit: fc.constantFrom('a', 'B', '-', '.'), maxLength: 6 });
    const aGlob = fc.string({ unit: fc.constantFrom('a', 'b', '-', '.', '*', '?'), maxLength: 6 });
    fc.assert(
      fc.property(aGlob, aText, (glob, text) => {
        const pattern = glob.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.');
        expect(matchesGlob(glob, text)).to.equal(new RegExp(`^${pattern}$`, 'i').test(text));
      }),
      { numRuns: 2000 },
    );
  });

  it('answer a glob of many stars at once', function () {
    this.timeout(1000);
    expect(matchesGlob(`${'*a'.repeat(30)}b`, 'a'.repeat(200))).to.equal(false);
  });
});
