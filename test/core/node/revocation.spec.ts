import { expect } from 'chai';
import { confirmedMs, workEndsMs } from '../../../src/core/node/revocation.ts';
import { aGrant } from '../../support/node-builders.ts';

describe('how long a grant stays confirmed', () => {
  it('is a third of the time that it is valid, and never more than half a minute', () => {
    expect(confirmedMs(aGrant({ seconds: 30 }))).to.equal(10_000);
    expect(confirmedMs(aGrant({ seconds: 90 }))).to.equal(30_000);
    expect(confirmedMs(aGrant({ seconds: 3600 }))).to.equal(30_000);
  });

  it('is half a minute for a grant that does not say how long it is valid', () => {
    expect(confirmedMs(aGrant())).to.equal(30_000);
  });

  it('leaves three times as long for what was begun by then to end', () => {
    expect(workEndsMs(aGrant({ seconds: 30 }))).to.equal(30_000);
  });
});
