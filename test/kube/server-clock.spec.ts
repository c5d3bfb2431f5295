import { expect } from 'chai';
import { ServerClock } from '../../src/kube/server-clock.ts';

const noon = Date.UTC(2026, 0, 1, 12);
const date = 'Thu, 01 Jan 2026 12:00:00 GMT';
const hourMs = 3_600_000;

describe('the API server’s clock', () => {
  let machine: { steadyMs: number; wallMs: number };
  let clock: ServerClock;

  beforeEach(() => {
    machine = { steadyMs: noon, wallMs: noon };
    clock = new ServerClock(
      () => machine.steadyMs,
      () => machine.wallMs,
    );
  });

  it('is known from the date of an answer, to about a second', () => {
    expect(clock.skewMs).to.equal(undefined);
    clock.see(date, noon + hourMs, noon + hourMs + 200);
    expect(clock.skewMs).to.equal(hourMs - 400);
    clock.see(date, noon - 60_000, noon - 60_000);
    expect(clock.skewMs).to.equal(-60_500);
  });

  it('is not learnt from an answer that took long, or has no date', () => {
    clock.see(date, noon, noon + 2_001);
    clock.see(undefined, noon, noon);
    clock.see('soon', noon, noon);
    clock.see(date, noon, noon - 1);
    expect(clock.skewMs).to.equal(undefined);
  });

  it('is still known at once when somebody sets the machine’s clock', () => {
    clock.see(date, noon, noon);
    machine.wallMs += hourMs;
    expect(clock.skewMs).to.equal(hourMs - 500);
    expect(clock.nowMs()).to.equal(noon);
  });

  it('is followed by a process that has the time wrong by seconds', () => {
    machine.steadyMs = noon + hourMs;
    expect(clock.nowMs()).to.equal(noon + hourMs);
    clock.see(date, noon + hourMs, noon + hourMs);
    expect(clock.nowMs()).to.equal(noon + 500);
    machine.steadyMs += 1000;
    expect(clock.nowMs()).to.equal(noon + 1500);
  });

  it('moves no process that has it about right: the dates of answers would make its time jump', () => {
    for (const aheadMs of [-4_000, 0, 900, 4_000]) {
      machine.steadyMs = noon + aheadMs;
      clock.see(date, machine.steadyMs, machine.steadyMs);
      expect(clock.nowMs()).to.equal(noon + aheadMs);
    }
  });
});
