import { expect } from 'chai';
import { watchLock } from '../../src/agent/lock-watch.ts';
import { openDevice } from '../../src/agent/open-device.ts';
import { lockNode } from '../../src/device/host/node-lock.ts';
import { silentLogger } from '../../src/process/logger.ts';
import { useScratchFolder } from '../device/scratch-folder.ts';
import { eventually } from '../support/eventually.ts';

describe('the watch over the lock of a node', () => {
  it('says why the lock is lost', async () => {
    const losses: string[] = [];
    const stop = new AbortController();
    const lost = watchLock(() => losses[0], stop.signal, 1);
    expect(lost.aborted).to.equal(false);
    losses.push('the lock is gone');
    await eventually(
      () => lost.aborted,
      (isLost) => isLost,
    );
    expect(() => lost.throwIfAborted()).to.throw('the lock is gone. The agent ends');
  });

  it('ends with the agent, and is then lost to nobody', async () => {
    let asked = 0;
    const stop = new AbortController();
    const lost = watchLock(() => (asked++, undefined), stop.signal, 1);
    await eventually(
      () => asked,
      (times) => times > 2,
    );
    stop.abort();
    const last = asked;
    await new Promise((resolve) => setImmediate(resolve));
    expect([asked, lost.aborted]).to.deep.equal([last, false]);
  });
});

describe('an agent that is told to stop while another holds the lock of its node', () => {
  const scratch = useScratchFolder();

  it('ends without an error', async () => {
    const stateDir = scratch.path('state');
    const holder = await lockNode({ folder: stateDir, waitMs: 0 });
    const stop = new AbortController();
    const tellOfLock = (): Promise<void> => Promise.resolve(stop.abort());
    const options = { nodeName: 'n', gpusAtOnce: 1, timeouts: {}, stateDir, bootIdFile: '/nonexistent', tellOfLock };
    expect(await openDevice(options, silentLogger, stop.signal)).to.equal(undefined);
    await holder.release();
  });
});
