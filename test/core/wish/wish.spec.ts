import { expect } from 'chai';
import type { Wish } from '../../../src/api/types.ts';
import { wishHash } from '../../../src/core/wish/wish.ts';
import { uuidOf } from '../../support/builders.ts';

const gpus = [{ uuid: uuidOf(0), profiles: { '1g.5gb': 7 } }];

describe('the hash of a wish', () => {
  // A merge patch leaves a key where it was, takes it away for null, or sets it: the same wish in each case.
  for (const value of [undefined, null, false]) {
    it(`is the same without replaceForeignInstances and with ${value}`, () => {
      const wish = { gpus, replaceForeignInstances: value } as unknown as Wish;
      expect(wishHash(wish)).to.equal(wishHash({ gpus }));
    });
  }

  it('changes if foreign instances may go', () => {
    expect(wishHash({ gpus, replaceForeignInstances: true })).to.not.equal(wishHash({ gpus }));
  });

  it('does not depend on the order of the GPUs, nor of the profiles', () => {
    const one = { uuid: uuidOf(0), profiles: { '1g.5gb': 1, '2g.10gb': 3 } };
    const same = { uuid: uuidOf(0), profiles: { '2g.10gb': 3, '1g.5gb': 1 } };
    const other = { uuid: uuidOf(1), mig: 'Disabled' as const };
    expect(wishHash({ gpus: [one, other] })).to.equal(wishHash({ gpus: [other, same] }));
  });
});
