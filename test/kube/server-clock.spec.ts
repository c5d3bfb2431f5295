import { expect } from 'chai';
import { ServerClock } from '../../src/kube/server-clock.ts';

const noon = Date.UTC(2026, 0, 1, 12);
const date = 'Thu, 01 Jan 2026 12:00:00 GMT';

describe('the API server’s clock', () => {
  it('is known from the date of an answer, to about a second', () => {
    const clock = new ServerClock();
    expect(clock.skewMs).to.equal(undefined);
    clock.see(date, noon + 3_600_000, noon + 3_600_200);
    expect(clock.skewMs).to.equal(3_600_000 - 400);
    clock.see(date, noon - 60_000, noon - 60_000);
    expect(clock.skewMs).to.equal(-60_500);
  });

  it('is not learnt from an answer that took long, or has no date', () => {
    const clock = new ServerClock();
    clock.see(date, noon, noon + 2_001);
    clock.see(undefined, noon, noon);
    clock.see('soon', noon, noon);
    // The machine's clock was set back meanwhile.
    clock.see(date, noon, noon - 1);
    expect(clock.skewMs).to.equal(undefined);
  });
});
