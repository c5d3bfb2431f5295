import { expect } from 'chai';
import { untilAborted, systemClock, waitFor, EventLoopYield, Semaphore } from '../../src/process/clock.ts';
import { FakeClock, settle } from './fake-clock.ts';

describe('untilAborted', () => {
  it('leaves no failure unhandled that comes after an abort: it would end the process', async () => {
    const unhandled: unknown[] = [];
    const listeners = process.listeners('unhandledRejection');
    process.removeAllListeners('unhandledRejection');
    process.on('unhandledRejection', (error) => unhandled.push(error));
    try {
      const work = Promise.withResolvers<void>();
      const error = await untilAborted(work.promise, AbortSignal.abort('stopped')).catch((reason: unknown) => reason);
      expect(error).to.equal('stopped');
      work.reject(new Error('the operator was stopped'));
      await new Promise((done) => setImmediate(done));
      expect(unhandled).to.deep.equal([]);
    } finally {
      process.removeAllListeners('unhandledRejection');
      for (const listener of listeners) process.on('unhandledRejection', listener);
    }
  });
});

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

describe('Turn', () => {
  it('lets others run once it has lasted for 10 ms: leases are renewed, probes answered', async () => {
    const turn = new EventLoopYield();
    let others = 0;
    setImmediate(() => (others += 1));
    const end = performance.now() + 10;
    while (performance.now() < end);
    expect(others).to.equal(0);
    await turn.pause();
    expect(others).to.equal(1);
  });
});

describe('Turnstile', () => {
  it('lets so many through at a time, in order, also past one that fails', async () => {
    const turnstile = new Semaphore(2);
    const begun: number[] = [];
    let inside = 0;
    const one = async (index: number): Promise<void> => {
      begun.push(index);
      inside += 1;
      expect(inside).to.be.at.most(2);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      if (index === 1) throw new Error('1 fails');
    };
    const all = [0, 1, 2, 3, 4, 5].map((index) => turnstile.pass(() => one(index)));
    const results = await Promise.allSettled(all);
    expect(begun).to.deep.equal([0, 1, 2, 3, 4, 5]);
    expect(results.filter(({ status }) => status === 'rejected')).to.have.length(1);
  });
});
