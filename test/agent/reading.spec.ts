import { expect } from 'chai';
import type { DeviceReport } from '../../src/api/types.ts';
import { FakeClock } from '../process/fake-clock.ts';
import { AgentScene, useAgentClient } from './agent-scene.ts';

describe('what the agent says of a device that it cannot read', () => {
  const client = useAgentClient();
  const profiles = { '3g.20gb': 2 };
  let scene: AgentScene;

  beforeEach(async () => {
    scene = new AgentScene(client());
    await scene.create();
  });

  const device = async (): Promise<DeviceReport | undefined> => (await scene.read()).status?.device;

  /** What a reboot leaves of the GPU. */
  function reboot(): void {
    scene.node.state = 'gpu 0 mig 1 pending 1\n';
    scene.newAgent('boot-2');
  }

  /** How often all GPUs have been read since the last call. */
  function takeReads(): number {
    const reads = scene.node.commands.filter((args) => args.join(' ') === '-q -x').length;
    scene.node.takeChanges();
    return reads;
  }

  it('is the reading of before with its boot, until the GPUs have been read in this one', async () => {
    await scene.grant(await scene.wish({ profiles }));
    await scene.run();
    const before = await device();
    reboot();
    scene.node.faults = 'nodriver';
    await scene.run();
    const after = await device();
    expect(after).to.deep.include({ bootID: 'boot-1', step: 'Unknown', gpus: before?.gpus });
    expect(after?.error?.code).to.equal('DriverUnavailable');
    expect(after).to.not.have.property('plan');
    scene.node.faults = '';
    await scene.run();
    expect(await device()).to.deep.include({ bootID: 'boot-2', step: 'Idle' });
    expect(await scene.node.layout(0), 'made again').to.have.lengthOf(2);
  });

  it('is the same where a grant waits for it after the reboot', async () => {
    await scene.grant(await scene.wish({ profiles }));
    await scene.run();
    await scene.grant(await scene.wish({ profiles: { '7g.40gb': 1 } }));
    reboot();
    scene.node.faults = 'nodriver';
    await scene.run();
    expect(await device()).to.deep.include({ bootID: 'boot-1', step: 'Unknown', observedEpoch: 2 });
    expect((await device())?.lastGood?.bootID, 'what was there is not forgotten').to.equal('boot-1');
  });

  it('names no boot where the GPUs have never been read', async () => {
    scene.node.faults = 'nodriver';
    await scene.run();
    expect(await device()).to.include({ step: 'Unknown' });
    expect(await device()).to.not.have.any.keys('bootID', 'gpus');
  });

  it('leaves ours what it made, where it cannot read the GPUs after a grant', async () => {
    await scene.grant(await scene.wish({ profiles: { '1g.5gb': 7 } }), { rollback: 'Never' });
    scene.node.intercept = (args, run) => {
      const execution = run();
      if (args.includes('-cgi')) scene.node.faults = 'nodriver';
      return execution;
    };
    await scene.run();
    expect(await device()).to.deep.include({ step: 'Unknown', observedEpoch: 1 });
    scene.node.intercept = (_args, run) => run();
    scene.node.faults = '';
    expect(await scene.node.layout(0)).to.have.lengthOf.at.least(1);
    await scene.wish({ profiles: { '7g.40gb': 1 } });
    expect((await device())?.plan).to.not.have.property('refusalCode');
    expect((await device())?.lastGood?.gpus?.[0]?.placements).to.deep.equal(await scene.node.layout(0));
  });

  it('leaves ours what it had made again after a reboot before it failed', async () => {
    await scene.grant(await scene.wish({ profiles: { '1g.5gb': 7 } }), { rollback: 'Never' });
    await scene.run();
    reboot();
    scene.node.intercept = (args, run) => {
      scene.node.faults = args.includes('-cgi') ? 'fail DeviceCreateGpuInstance rc=999 nth=4-' : '';
      return run();
    };
    await scene.run();
    expect(await device()).to.deep.include({ bootID: 'boot-2', step: 'Failed' });
    scene.node.intercept = (_args, run) => run();
    scene.node.faults = '';
    const left = await scene.node.layout(0);
    expect(left).to.have.lengthOf.at.least(1);
    await scene.wish({ profiles: { '7g.40gb': 1 } });
    expect((await device())?.plan).to.not.have.property('refusalCode');
  });

  it('is looked at again after a while, not at every event', async () => {
    const clock = new FakeClock();
    scene.newAgent('boot-1', { clock, readIntervalMs: 60_000 });
    scene.node.faults = 'nodriver';
    await scene.run();
    expect(takeReads()).to.be.at.least(1);
    await scene.set({ strategy: 'mixed' });
    expect(await scene.run()).to.deep.equal({ requeueAfterMs: 5_000 });
    expect(scene.node.commands).to.deep.equal([]);
    await clock.advance(5_000);
    scene.node.faults = '';
    await scene.run();
    expect(await device()).to.include({ step: 'Idle' });
  });

  it('is read at the pace that was asked for, whatever happens in between', async () => {
    const clock = new FakeClock();
    scene.newAgent('boot-1', { clock, readIntervalMs: 60_000 });
    expect(await scene.run()).to.deep.equal({ requeueAfterMs: 60_000 });
    scene.node.takeChanges();
    scene.createByHand('9:0');
    scene.node.takeChanges();
    for (const leftMs of [40_000, 20_000]) {
      await clock.advance(20_000);
      expect(await scene.run(), 'an event').to.deep.equal({ requeueAfterMs: leftMs });
      expect(scene.node.commands, 'no reading').to.deep.equal([]);
    }
    await clock.advance(20_000);
    await scene.run();
    expect((await device())?.gpus?.[0]?.instances).to.have.lengthOf(1);
  });

  it('is read once for a wish and the grant that follows at once, and again for a grant that comes later', async () => {
    const clock = new FakeClock();
    scene.newAgent('boot-1', { clock, readIntervalMs: 60_000 });
    await scene.run();
    for (const { seconds, reads, count } of [
      { seconds: 1, reads: 2, count: 7 },
      { seconds: 10, reads: 3, count: 6 },
    ]) {
      takeReads();
      const wish = await scene.wish({ profiles: { '1g.5gb': count } });
      await clock.advance(seconds * 1_000);
      await scene.grant(wish);
      await scene.run();
      // The last of them proves the work.
      expect(takeReads(), `${seconds} s later`).to.equal(reads);
      expect(await device()).to.include({ step: 'Idle' });
      expect(await scene.node.layout(0)).to.have.lengthOf(count);
    }
  });

  it('is read again for a grant if what is in its way has gone after the plan was made', async () => {
    scene.newAgent('boot-1', { clock: new FakeClock(), readIntervalMs: 60_000 });
    await scene.grant(await scene.wish({ profiles }));
    await scene.run();
    const place = await scene.uuidAt('3g.20gb@0');
    scene.holdings = new Map([['team/train-0', [place]]]);
    const wish = await scene.wish({ profiles: { '1g.5gb': 7 } });
    await scene.drain();
    scene.holdings = new Map();
    await scene.grant(wish);
    await scene.run();
    expect(await device()).to.include({ step: 'Idle' });
    expect(await scene.node.layout(0)).to.have.lengthOf(7);
  });

  it('is read again for a grant if the driver was loaded again after the plan was made', async () => {
    let load = '1';
    scene.newAgent('boot-1', { clock: new FakeClock(), readIntervalMs: 60_000, driverLoad: () => load });
    await scene.grant(await scene.wish({ profiles: { '3g.20gb': 2 } }));
    await scene.run();
    await scene.grant(await scene.wish({ profiles: { '3g.20gb': 1 } }));
    scene.node.state = 'gpu 0 mig 1 pending 1\n';
    load = '2';
    scene.node.takeChanges();
    await scene.run();
    expect((await device())?.error?.code).to.equal('PlanChanged');
    expect(scene.node.takeChanges()).to.deep.equal([]);
  });

  it('stops an update if the previous agent could read it, and not if that one could not either', async () => {
    scene.node.faults = 'nodriver';
    const first = scene.newAgent('boot-1');
    expect(first.unready).to.include('not been read yet');
    await scene.run();
    expect(first.unready, 'nobody could').to.equal(undefined);
    scene.node.faults = '';
    await scene.run();
    scene.node.faults = 'nodriver';
    const broken = scene.newAgent('boot-1');
    await scene.run();
    await scene.run();
    expect(broken.unready).to.include('could be read before this agent started');
    scene.node.faults = '';
    await scene.run();
    expect(broken.unready).to.equal(undefined);
  });
});
