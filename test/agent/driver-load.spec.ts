import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { mkdirSync, rmdirSync } from 'node:fs';
import { followDriverLoad, watchDriverLoad } from '../../src/agent/driver-load.ts';
import { useScratchFolder } from '../device/scratch-folder.ts';

describe('a load of the driver', () => {
  const scratch = useScratchFolder();

  it('is told from the next by the folder of its module, and stays while the module is away', () => {
    const [folder, keep] = [scratch.path('nvidia'), scratch.path('other')];
    const load = watchDriverLoad(folder);
    expect(load()).to.equal(undefined);
    mkdirSync(folder);
    const first = load();
    expect(first).to.match(/^\d+$/);
    rmdirSync(folder);
    expect(load()).to.equal(first);
    // Takes the inode that has become free.
    mkdirSync(keep);
    mkdirSync(folder);
    expect(load()).not.to.equal(first);
  });

  it('is told of soon, and only where it is another one', async () => {
    const stop = new AbortController();
    const loads: (string | undefined)[] = [undefined, undefined, '17', '17', '18'];
    let told = 0;
    let looks = 0;
    const load = (): string | undefined => loads[Math.min(looks++, loads.length - 1)];
    const followed = followDriverLoad(load, { onLoad: () => (told += 1), everyMs: 1 }, stop.signal);
    await eventually(() => expect(looks).to.be.greaterThan(loads.length));
    stop.abort();
    await followed;
    expect(told).to.equal(2);
  });
});
