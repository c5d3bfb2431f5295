import { expect } from 'chai';
import { watchLock, openDevice, tellOfLock } from '../../src/agent/open-device.ts';
import { lockNode } from '../../src/device/host/node-lock.ts';
import { silentLogger } from '../../src/process/log.ts';
import { useScratchFolder } from '../device/scratch-folder.ts';
import { eventually } from '../support/eventually.ts';
import { AgentScene, useAgentClient } from './agent-scene.ts';

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

describe('an agent that waits for the lock of its node', () => {
  const client = useAgentClient();
  let scene: AgentScene;

  beforeEach(async () => {
    scene = new AgentScene(client());
    await scene.create();
  });

  it('says so after a while, leaves all else as it is told, and stops when it has it', async () => {
    await scene.wish({ profiles: { '3g.20gb': 2 } });
    const before = (await scene.read()).status?.device;
    const had = new AbortController();
    const parts = {
      client: client(),
      nodeName: scene.name,
      logger: silentLogger,
      message: 'another process holds it',
      silentMs: 20,
    };
    const told = tellOfLock(parts, had.signal);
    const device = await eventually(async () => {
      const seen = (await scene.read()).status?.device;
      expect(seen?.error?.code).to.equal('WaitingForLock');
      return seen;
    });
    const error = { code: 'WaitingForLock', message: 'another process holds it' };
    expect(device).to.deep.equal({ ...before, step: 'Unknown', error });
    had.abort();
    await told;
    await scene.run();
    expect((await scene.read()).status?.device?.error).to.equal(undefined);
  });
});
