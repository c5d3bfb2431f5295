import { expect } from 'chai';
import fc from 'fast-check';
import { compareVersions, isOlder } from '../../src/kube/resource-version.ts';

describe('compareVersions', () => {
  it('orders versions as the numbers that they are, however long', () => {
    const version = fc.bigInt({ min: 0n, max: 2n ** 128n });
    fc.assert(
      fc.property(version, version, (a, b) => {
        const compared = compareVersions(String(a), String(b)) ?? Number.NaN;
        expect(Math.sign(compared)).to.equal(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });

  it('does not guess about what is not a number', () => {
    for (const odd of ['', 'abc', '1x', '01', undefined]) {
      expect(compareVersions(odd, '5')).to.equal(undefined);
      expect(isOlder('5', odd)).to.equal(false);
      expect(isOlder(odd, '5')).to.equal(false);
    }
  });
});
