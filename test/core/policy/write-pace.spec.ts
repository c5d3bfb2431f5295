import { expect } from 'chai';
import { noteWrite, noWrites, type WritePace, writeDueInMs } from '../../../src/core/policy/write-pace.ts';

/** The times of the first writes of news that is there all the time, from this moment on. */
function newsTimes(count: number, from: number, pace: WritePace = noWrites): readonly number[] {
  const times: number[] = [];
  let known = pace;
  for (let now = from; times.length < count; now += writeDueInMs(known, true, now)) {
    times.push(now);
    known = noteWrite(known, now);
  }
  return times;
}

describe('writes of a status', () => {
  it('are made at once for a little news, and once a second for much of it', () => {
    expect(newsTimes(8, 100)).to.deep.equal([100, 100, 100, 100, 100, 1100, 2100, 3100]);
  });

  it('may be made in a row again after as long a rest', () => {
    const busy = newsTimes(5, 0).reduce(noteWrite, noWrites);
    expect(writeDueInMs(busy, true, 0)).to.equal(1000);
    expect(newsTimes(4, 3000, busy)).to.deep.equal([3000, 3000, 3000, 4000]);
    expect(newsTimes(6, 60_000, busy)).to.deep.equal([60_000, 60_000, 60_000, 60_000, 60_000, 61_000]);
  });

  it('are made once a second for anything else', () => {
    const pace = noteWrite(noWrites, 100);
    expect(writeDueInMs(noWrites, false, 100)).to.equal(0);
    expect(writeDueInMs(pace, false, 100)).to.equal(1000);
    expect(writeDueInMs(pace, false, 1099)).to.equal(1);
    expect(writeDueInMs(pace, true, 1099)).to.equal(0);
    expect(writeDueInMs(pace, false, 1100)).to.equal(0);
  });
});
