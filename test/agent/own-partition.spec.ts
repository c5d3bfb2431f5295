import { expect } from 'chai';
import type { DeviceReport } from '../../src/api/types.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { AgentScene, useAgentClient } from './agent-scene.ts';

/** Can write, and gets no answer to what it asks. */
class SilentReader extends KubeClient {
  override get(): Promise<never> {
    return Promise.reject(new Error('no answer'));
  }
}

describe('the agent and the object of its node', () => {
  const client = useAgentClient();
  const profiles = { '3g.20gb': 2 };
  let scene: AgentScene;

  beforeEach(async () => {
    scene = new AgentScene(client());
    await scene.create();
  });

  const device = async (): Promise<DeviceReport | undefined> => (await scene.read()).status?.device;

  it('never lowers observedEpoch when it starts on a list that is out of date', async () => {
    const wish = await scene.wish({ profiles });
    const stale = await scene.read();
    await scene.grant(wish);
    await scene.run();
    scene.newAgent('boot-1');
    await scene.reconcile(stale);
    expect(await device()).to.include({ observedEpoch: 1, step: 'Idle' });
    expect((await device())?.lastGood?.gpus?.[0]?.placements).to.have.lengthOf(2);
  });

  it('does not act on a grant of a list that is out of date', async () => {
    // MIG mode is on: nothing has to go, so nothing would be confirmed.
    scene.createByHand();
    await scene.grant(await scene.wish({ profiles }));
    const stale = await scene.read();
    await scene.set({ granted: { epoch: 2, planHash: '' } });
    scene.newAgent('boot-1');
    await scene.reconcile(stale);
    expect(scene.node.takeChanges()).to.deep.equal([]);
  });

  it('does and reports nothing before the API server has told it what its object is', async () => {
    scene.createByHand();
    await scene.grant(await scene.wish({ profiles }));
    const stale = await scene.read();
    scene.newAgent('boot-1', { client: new SilentReader(client().config, 'gpu-partition-agent') });
    const outcome = await scene.reconcile(stale).catch(String);
    expect(outcome).to.equal('Error: no answer');
    expect(scene.node.takeChanges()).to.deep.equal([]);
    expect((await scene.read()).metadata.resourceVersion).to.equal(stale.metadata.resourceVersion);
  });

  it('adds its report to what was written since it last looked, and mixes it with no report of another agent', async () => {
    const wish = await scene.wish({ profiles });
    await scene.set({ wish: { gpus: [{ ...wish, profiles: { '1g.5gb': 7 } }] } });
    const seen = await scene.read();
    const status = { ...scene.ref, subresource: 'status' };
    const other = { agentVersion: 'other', step: 'Failed', error: { code: 'Failed', message: 'of the other' } };
    await client().merge(status, { status: { phase: 'Pending', device: other } });
    await scene.reconcile(seen);
    const { status: now } = await scene.read();
    expect(now?.phase).to.equal('Pending');
    expect(now?.device).to.include({ agentVersion: 'test', step: 'Idle' });
    expect(now?.device?.error).to.equal(undefined);
    expect(now?.device?.plan?.hash).to.match(/^[0-9a-f]{16}$/);
  });

  it('ignores objects of other nodes', async () => {
    const other = new AgentScene(client());
    await other.create();
    await scene.reconcile(await other.read());
    expect((await other.read()).status).to.equal(undefined);
    expect(await device()).to.equal(undefined);
  });

  const foreign = [
    { observedEpoch: 2 ** 53, next: 1 },
    // As far ahead as an object that has lost its grants may be.
    { observedEpoch: 1000, next: 1001 },
  ];
  for (const { observedEpoch, next } of foreign) {
    it(`carries out the grant that follows an observedEpoch of ${observedEpoch}, which was never granted`, async () => {
      const wish = await scene.wish({ profiles });
      await client().merge({ ...scene.ref, subresource: 'status' }, { status: { device: { observedEpoch } } });
      await scene.grant(wish);
      await scene.run();
      const seen = await device();
      expect(seen, JSON.stringify(seen?.error)).to.include({ observedEpoch: next, step: 'Idle' });
      expect(await scene.node.layout(0)).to.have.lengthOf(2);
    });
  }
});
