import { expect } from 'chai';
import { systemClock, waitFor } from '../../src/process/clock.ts';
import { FakeClock, settle } from './fake-clock.ts';

describe('waitFor', () => {
  it('resolves after its time', async () => {
    const clock = new FakeClock();
    let done = false;
    void waitFor(clock, 1_000).then(() => (done = true));
    await clock.advance(999);
    expect(done).to.equal(false);
    await clock.advance(1);
    expect(done).to.equal(true);
  });

  it('resolves at once when the signal aborts, or has, and leaves no timer', async () => {
    const clock = new FakeClock();
    const controller = new AbortController();
    const wait = waitFor(clock, 1_000, controller.signal);
    controller.abort();
    await wait;
    await waitFor(clock, 1_000, controller.signal);
    expect(clock.pending).to.equal(0);
  });
});

describe('systemClock', () => {
  it('fires a timer once, and not at all when it was called off', async () => {
    let fired = 0;
    systemClock.startTimer(0, () => (fired += 1));
    systemClock.startTimer(0, () => (fired += 10))();
    await waitFor(systemClock, 5);
    expect(fired).to.equal(1);
  });

  it('does not take a wait of months for none', async () => {
    let fired = false;
    const cancel = systemClock.startTimer(2 ** 40, () => (fired = true));
    await settle();
    await waitFor(systemClock, 5);
    cancel();
    expect(fired).to.equal(false);
  });
});
