import { expect } from 'chai';
import { PacedReading } from '../../src/controller/paced-reading.ts';

describe('a paced reading', () => {
  const aReading = (tookMs: number) => {
    const world = { nowMs: 0, reads: 0 };
    const read = async (): Promise<number> => {
      world.nowMs += tookMs;
      world.reads += 1;
      return world.reads;
    };
    return { world, reading: new PacedReading(read, () => world.nowMs) };
  };

  it('is taken again when it is older than asked for', async () => {
    const { world, reading } = aReading(0);
    expect(await reading.get(10_000)).to.equal(1);
    world.nowMs = 9_999;
    expect(await reading.get(10_000)).to.equal(1);
    world.nowMs = 10_000;
    expect(await reading.get(10_000)).to.equal(2);
  });

  it('is as old as its beginning: what it shows may be', async () => {
    const { world, reading } = aReading(100);
    expect(await reading.get(10_000)).to.equal(1);
    world.nowMs = 9_999;
    expect(await reading.get(10_000)).to.equal(1);
    world.nowMs = 10_000;
    expect(await reading.get(10_000)).to.equal(2);
  });

  it('takes at most a tenth of the time, however often it is asked for', async () => {
    const { world, reading } = aReading(2_000);
    expect(await reading.get()).to.equal(1);
    world.nowMs += 19_999;
    expect(await reading.get()).to.equal(1);
    world.nowMs += 1;
    expect(await reading.get()).to.equal(2);
  });
});
