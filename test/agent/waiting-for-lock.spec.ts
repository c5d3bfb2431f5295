import { expect } from 'chai';
import { tellOfLock } from '../../src/agent/waiting-for-lock.ts';
import { silentLogger } from '../../src/process/logger.ts';
import { eventually } from '../support/eventually.ts';
import { AgentScene, useAgentClient } from './agent-scene.ts';

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
