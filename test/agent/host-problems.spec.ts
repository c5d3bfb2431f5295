import { expect } from 'chai';
import { HostLoans, LoanNote, PersistenceMode } from '../../src/device/host/loans.ts';
import { AgentScene, useAgentClient } from './agent-scene.ts';

describe('an agent that owes something to its host', () => {
  const client = useAgentClient();

  it('reports it after the change, tries again with each reading, and reports nothing once it is given back', async () => {
    const scene = new AgentScene(client(), ['A30']);
    await scene.create();
    const persistence = new PersistenceMode(scene.node.openDriver(), new LoanNote());
    scene.newAgent('boot-1', {}, new HostLoans({ persistence, retryMs: 0 }));
    const problems = async (): Promise<readonly string[] | undefined> =>
      (await scene.read()).status?.device?.hostProblems;
    const wish = await scene.wish({ profiles: { '2g.12gb': 2 } });
    expect(await problems()).to.equal(undefined);
    scene.node.faults = 'migpending rc=16\nskip DeviceSetPersistenceMode nth=2-3';
    await scene.grant(wish);
    await scene.run();
    const { status } = await scene.read();
    expect(status?.device?.step).to.equal('Idle');
    expect(status?.device?.hostProblems?.join()).to.match(/persistence mode of GPU .* stays off/);
    await scene.run();
    expect(await problems()).to.have.length(1);
    await scene.run();
    expect(await problems()).to.equal(undefined);
    expect(scene.node.state).not.to.contain('persistence');
  });
});
