import { expect } from 'chai';
import fc from 'fast-check';
import { backoffMs } from '../../src/kube/backoff.ts';

const options = { baseMs: 500, maxMs: 30_000 };

describe('backoffMs', () => {
  it('doubles its limit with each failure until the longest wait', () => {
    const limits = [1, 2, 3, 7, 8, 1_000].map((failures) => backoffMs(options, failures, () => 1));
    expect(limits).to.deep.equal([500, 1_000, 2_000, 30_000, 30_000, 30_000]);
  });

  it('takes anything between nothing and the limit, so that clients spread out', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 2_000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (failures, random) => {
          const wait = backoffMs(options, failures, () => random);
          expect(wait).to.be.within(0, Math.min(30_000, 500 * 2 ** Math.max(0, failures - 1)));
          expect(wait).to.be.closeTo(random * backoffMs(options, failures, () => 1), 1e-6);
        },
      ),
    );
  });
});
