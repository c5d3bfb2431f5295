import { expect } from 'chai';
import { timeText } from '../../src/core/text/syntax.ts';
import { FakeClock } from '../process/fake-clock.ts';
import { eventually } from '../support/eventually.ts';
import { AgentScene, useAgentClient } from './agent-scene.ts';

describe('the agent while pods are told to go', () => {
  const client = useAgentClient();
  const halves = { profiles: { '3g.20gb': 2 } };
  const whole = { profiles: { '7g.40gb': 1 } };
  let scene: AgentScene;

  beforeEach(async () => {
    scene = new AgentScene(client());
    await scene.create();
  });

  /** Two slices of ours, a pod on each. */
  async function takeHalves(): Promise<void> {
    scene.holdings = new Map();
    await scene.grant(await scene.wish(halves));
    await scene.run();
    scene.holdings = new Map([
      ['team/a', [await scene.uuidAt('3g.20gb@0')]],
      ['team/b', [await scene.uuidAt('3g.20gb@4')]],
    ]);
    scene.node.takeChanges();
  }

  function leave(...pods: readonly string[]): void {
    scene.holdings = new Map([...(scene.holdings ?? [])].filter(([pod]) => !pods.includes(pod)));
  }

  async function readOutcome(): Promise<unknown> {
    const { error, observedEpoch } = (await scene.read()).status?.device ?? {};
    return [observedEpoch, error?.code, scene.node.takeChanges()];
  }

  it('keeps its plan while they leave one by one, and carries it out when the last has gone', async () => {
    await takeHalves();
    const wish = await scene.wish(whole);
    const plan = await scene.plan();
    expect(plan).to.deep.include({ affectedPods: ['team/a', 'team/b'], destroy: 2, create: 1 });
    await scene.drain();
    for (const pod of ['team/a', 'team/b']) {
      leave(pod);
      await scene.run();
      expect(await scene.plan(), `without ${pod}`).to.deep.equal(plan);
    }
    await scene.grant(wish);
    await scene.run();
    expect(await scene.node.layout(0)).to.deep.equal(['7g.40gb@0']);
    expect(await scene.plan(), 'nobody is in the way of what is done').to.include({ gpusChanging: 0 });
    expect(await scene.plan()).to.not.have.any.keys('affectedPods', 'drains');
  });

  it('destroys nothing as long as one of them is there, and names it', async () => {
    await takeHalves();
    const wish = await scene.wish(whole);
    await scene.drain();
    leave('team/a');
    await scene.grant(wish);
    await scene.run();
    expect(await readOutcome()).to.deep.equal([2, 'InUse', []]);
    const { error } = (await scene.read()).status?.device ?? {};
    expect(error?.message).to.match(/^GPU 0 \(A100-SXM4-40GB\): pod team\/b holds 3g\.20gb at 4\. /);
    leave('team/b');
    await scene.grant(wish);
    await scene.run();
    expect(await scene.node.layout(0)).to.deep.equal(['7g.40gb@0']);
  });

  it('destroys nothing where a process of theirs is left that no pod holds any more, and names it', async () => {
    await takeHalves();
    const wish = await scene.wish(whole);
    await scene.drain();
    const { hash } = await scene.plan();
    leave('team/a', 'team/b');
    await scene.node.startProcess(0, 4);
    scene.node.takeChanges();
    await scene.run();
    expect(await scene.plan()).to.include({ hash });
    await scene.grant(wish);
    await scene.run();
    expect(await readOutcome()).to.deep.equal([2, 'InUse', []]);
    expect((await scene.read()).status?.device?.error?.message).to.include(
      'pid 4200 (python3 train.py) runs on 3g.20gb at 4',
    );
  });

  it('plans again when another pod comes to what goes, and does not act on the previous plan', async () => {
    await takeHalves();
    const wish = await scene.wish(whole);
    await scene.drain();
    const { hash } = await scene.plan();
    scene.holdings = new Map([['team/new', [await scene.uuidAt('3g.20gb@0')]]]);
    await scene.grant(wish);
    await scene.run();
    expect(await readOutcome()).to.deep.equal([2, 'PlanChanged', []]);
    expect(await scene.plan()).to.deep.include({ affectedPods: ['team/new'] });
    expect(await scene.plan()).to.not.include({ hash });
  });

  it('never acts on a plan whose pods were not told to go', async () => {
    await takeHalves();
    await scene.grant(await scene.wish(whole));
    await scene.run();
    expect(await readOutcome()).to.deep.equal([2, 'InUse', []]);
  });

  it('leaves the pod on an instance that stays alone', async () => {
    await takeHalves();
    const wish = await scene.wish({ profiles: { '3g.20gb': 1, '4g.20gb': 1 } });
    expect(await scene.plan()).to.deep.include({ affectedPods: ['team/a'], keep: 1 });
    const kept = await scene.uuidAt('3g.20gb@4');
    await scene.node.startProcess(0, 4);
    await scene.drain();
    leave('team/a');
    await scene.grant(wish);
    await scene.run();
    expect(await scene.node.layout(0)).to.deep.equal(['4g.20gb@0', '3g.20gb@4']);
    expect(await scene.uuidAt('3g.20gb@4')).to.equal(kept);
    expect(scene.node.state, 'its process').to.match(/^proc gpu 0 gi \d+ ci 0 pid 4200/m);
  });

  it('changes MIG mode of a GPU when the pod that has it whole is gone, and touches no other GPU', async () => {
    scene = new AgentScene(client(), ['A100-SXM4-40GB', 'A100-SXM4-40GB']);
    await scene.create();
    scene.node.state = 'gpu 1 mig 1 pending 1\n';
    for (const place of ['9:0', '9:4']) scene.node.run(['mig', '-i', '1', '-cgi', place, '-C']);
    await scene.run();
    const busy = await scene.uuidAt('3g.20gb@4', 1);
    scene.holdings = new Map([
      ['team/whole', [scene.node.uuid(0)]],
      ['team/slice', [busy]],
    ]);
    const wish = await scene.wish(halves);
    expect(await scene.plan()).to.deep.include({
      affectedPods: ['team/whole'],
      drains: [scene.node.uuid(0)],
      modeChanges: 1,
    });
    await scene.drain();
    leave('team/whole');
    scene.node.takeChanges();
    await scene.grant(wish);
    await scene.run();
    const changes = scene.node.takeChanges();
    expect(changes).to.not.be.empty;
    for (const change of changes) expect(change).to.include(`-i ${scene.node.busId(0)}`);
    expect(await scene.node.layout(0)).to.deep.equal(['3g.20gb@0', '3g.20gb@4']);
    expect(await scene.uuidAt('3g.20gb@4', 1)).to.equal(busy);
  });

  it('comes back to what was when the grant fails, and forgets the drain with the controller', async () => {
    await takeHalves();
    const wish = await scene.wish(whole);
    await scene.drain();
    const plan = await scene.plan();
    leave('team/a', 'team/b');
    await scene.grant(wish);
    scene.node.intercept = (args, run) => {
      scene.node.faults = args.includes('-cgi') && args.includes('0:0') ? 'fail DeviceCreateGpuInstance rc=999' : '';
      return run();
    };
    await scene.run();
    scene.node.intercept = (_args, run) => run();
    scene.node.faults = '';
    expect(await scene.node.layout(0)).to.deep.equal(['3g.20gb@0', '3g.20gb@4']);
    expect((await scene.read()).status?.device).to.deep.include({ step: 'Failed', observedEpoch: 2 });
    expect(await scene.plan(), 'as long as it lasts').to.deep.equal(plan);
    await scene.set({ drain: null });
    await scene.run();
    expect(await scene.plan())
      .to.include({ destroy: 2 })
      .and.to.not.have.any.keys('affectedPods', 'drains');
  });

  it('looks every second as long as pods are told to go, since another may have arrived, and then at its own pace', async () => {
    await takeHalves();
    const clock = new FakeClock();
    scene.newAgent('boot-1', { clock, readIntervalMs: 60_000 });
    await scene.wish(whole);
    expect(await scene.run(), 'nobody has told them').to.deep.equal({ requeueAfterMs: 5_000 });
    await scene.drain();
    expect(await scene.run()).to.deep.equal({ requeueAfterMs: 1_000 });
    leave('team/a');
    await clock.advance(1_000);
    expect(await scene.run()).to.deep.equal({ requeueAfterMs: 1_000 });
    leave('team/b');
    await clock.advance(1_000);
    expect(await scene.run(), 'all that are known have gone').to.deep.equal({ requeueAfterMs: 1_000 });
    await scene.set({ drain: null });
    await clock.advance(1_000);
    expect(await scene.run()).to.deep.equal({ requeueAfterMs: 60_000 });
  });

  it('says when it has read, as soon as a reading is later than what the controller asks for, and then says nothing new', async () => {
    await takeHalves();
    await scene.wish(whole);
    const timeOf = async (): Promise<string> => (await scene.read()).status?.device?.readTime ?? '';
    const before = await timeOf();
    expect(Date.parse(before)).to.be.closeTo(Date.now(), 60_000);
    await scene.drain();
    await scene.run();
    expect(await timeOf(), 'the same reading as before').to.equal(before);
    const readAfter = timeText(Date.now() + 3_000);
    await scene.set({ drain: { readAfter } });
    await scene.run();
    expect(await timeOf(), 'this reading was too early').to.equal(before);
    await eventually(async () => {
      await scene.run();
      expect(Date.parse(await timeOf())).to.be.at.least(Date.parse(readAfter));
    });
    const { resourceVersion } = (await scene.read()).metadata;
    await scene.run();
    expect((await scene.read()).metadata.resourceVersion).to.equal(resourceVersion);
  });

  it('names every pod in the plan, and of each device as many as the report takes', async () => {
    await takeHalves();
    const uuid = await scene.uuidAt('3g.20gb@0');
    const names = Array.from({ length: 40 }, (_, index) => `team/shared-${index + 10}`);
    scene.holdings = new Map(names.map((name) => [name, [uuid]]));
    await scene.wish(whole);
    expect(await scene.plan()).to.deep.include({ affectedPods: names });
    const { gpus } = (await scene.read()).status?.device ?? {};
    expect(gpus?.[0]?.instances[0]?.pods).to.deep.equal(names.slice(0, 16));
  });

  it('treats a pod whose device is unknown as one on every device', async () => {
    await takeHalves();
    scene.holdings = undefined;
    scene.word = { holders: { ofDevice: new Map(), ofAny: ['team/claim'], stale: [] }, advertised: { stale: 0 } };
    const wish = await scene.wish(whole);
    const gpu = scene.node.uuid(0);
    expect(await scene.plan()).to.deep.include({
      affectedPods: ['team/claim'],
      drains: [gpu, `${gpu} 3g.20gb@0`, `${gpu} 3g.20gb@4`],
    });
    await scene.drain();
    await scene.grant(wish);
    await scene.run();
    expect(await readOutcome()).to.deep.equal([2, 'InUse', []]);
  });

  it('names a pod whose device somebody has destroyed, and takes no instance that exists for its', async () => {
    await takeHalves();
    const id = await scene.uuidAt('3g.20gb@4');
    await scene.node.destroyByHand(0, 4);
    await scene.wish(halves);
    const read = async () => (await scene.read()).status?.device;
    const { lostDevices, gpus } = (await read()) ?? {};
    expect(lostDevices).to.deep.equal([{ id, pods: ['team/b'] }]);
    expect(gpus?.[0]?.instances.map(({ pods }) => pods)).to.deep.equal([['team/a']]);
    expect(await scene.plan())
      .to.include({ keep: 1, create: 1 })
      .and.not.have.any.keys('affectedPods', 'drains');
    leave('team/b');
    await scene.run();
    expect((await read())?.lostDevices).to.equal(undefined);
  });

  it('destroys nothing where such a pod comes after the plan was looked at', async () => {
    await takeHalves();
    leave('team/a', 'team/b');
    await scene.grant(await scene.wish(whole));
    scene.node.takeChanges();
    scene.holdings = undefined;
    let asked = 0;
    scene.word = () => {
      asked += 1;
      const ofAny = asked > 1 ? ['team/claim'] : [];
      return { holders: { ofDevice: new Map(), ofAny, stale: [] }, advertised: { stale: 0 } };
    };
    await scene.run();
    expect(await readOutcome()).to.deep.equal([2, 'InUse', []]);
  });

  it('does not make a layout again after a reboot on a GPU that a pod has whole by then', async () => {
    await takeHalves();
    scene.node.state = '';
    scene.newAgent('boot-2');
    scene.holdings = new Map([['team/whole', [scene.node.uuid(0)]]]);
    await scene.run();
    expect(await readOutcome(), 'not tried, and nothing failed').to.deep.equal([1, undefined, []]);
    expect(await scene.plan()).to.deep.include({ affectedPods: ['team/whole'] });
  });
});
