import { expect } from 'chai';
import { isSameLoad, isToMakeAgain, driverEpochOf } from '../../../src/core/device/ownership.ts';

describe('a load of the driver', () => {
  it('ends what a boot ends, as far as both are known', () => {
    expect(driverEpochOf({ bootID: 'a' })).to.equal('a');
    expect(driverEpochOf({ bootID: 'a', driverLoad: '7' })).to.equal('a+7');
    expect(isSameLoad('a+7', 'a+7')).to.equal(true);
    expect(isSameLoad('a+7', 'a+8')).to.equal(false);
    expect(isSameLoad('a', 'a+8')).to.equal(true);
    expect(isSameLoad('b+7', 'a+7')).to.equal(false);
  });

  it('lets what was done before be made again once: not if nothing was, nor if a process has failed in this load', () => {
    const lastGood = { bootID: 'a', gpus: [] };
    expect(isToMakeAgain({}, 'b')).to.equal(false);
    expect(isToMakeAgain({ lastGood }, 'a')).to.equal(false);
    expect(isToMakeAgain({ lastGood, bootID: 'a', step: 'Failed' }, 'b')).to.equal(true);
    expect(isToMakeAgain({ lastGood, bootID: 'b', step: 'Failed' }, 'b')).to.equal(false);
    expect(isToMakeAgain({ lastGood, bootID: 'b', step: 'Idle' }, 'b')).to.equal(true);
  });
});
