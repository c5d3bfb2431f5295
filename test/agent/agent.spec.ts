import { expect } from 'chai';
import { adoptAnnotation } from '../../src/api/names.ts';
import { wishHash } from '../../src/core/device/plan.ts';
import type { OwnRecord } from '../../src/agent/own-partition.ts';
import { KubeletError } from '../../src/core/device/grants.ts';
import { FakeClock } from '../process/fake-clock.ts';
import { isChange } from '../device/simulated-node.ts';
import { AgentScene, CutClient, later, signal, useAgentClient } from './agent-scene.ts';

const away = new KubeletError('KubeletUnavailable', { tried: 'List', found: 'connection refused' });

describe('the agent on the real API server', () => {
  const client = useAgentClient();
  let scene: AgentScene;

  beforeEach(async () => {
    scene = new AgentScene(client());
    await scene.create();
  });

  const profiles = { '3g.20gb': 2 };

  it('reports the device and plans a wish, and changes nothing because of it', async () => {
    await scene.wish({ profiles });
    const { status } = await scene.read();
    expect(status?.device).to.deep.include({ step: 'Idle', driverVersion: '550.163.01', bootID: 'boot-1' });
    expect(status?.device?.plan).to.include({ create: 2, destroy: 0, gpusChanging: 1 });
    expect(status?.device?.models?.[0]?.profiles.map(({ name }) => name)).to.include('1g.5gb+me');
    expect(scene.node.takeChanges()).to.deep.equal([]);
  });

  it('does what is granted, reads it back and says so', async () => {
    await scene.grant(await scene.wish({ profiles }));
    await scene.run();
    const { status } = await scene.read();
    expect(await scene.node.layout(0)).to.deep.equal(['3g.20gb@0', '3g.20gb@4']);
    expect(status?.device).to.deep.include({ observedEpoch: 1, step: 'Idle' });
    expect(status?.device?.lastGood?.gpus?.[0]?.placements).to.deep.equal(['3g.20gb@0', '3g.20gb@4']);
  });

  it('still reports a GPU that was lost before it was restarted, as the one that it was', async () => {
    const two = new AgentScene(client(), ['A100-SXM4-40GB', 'A100-SXM4-40GB']);
    await two.create();
    two.node.state = 'gpu 1 mig 1 pending 1\n';
    two.node.run(['mig', '-i', '1', '-cgi', '9:4', '-C']);
    await two.run();
    const [, before] = (await two.read()).status?.device?.gpus ?? [];
    two.node.faults = 'lost gpu=1';
    for (const _restart of [1, 2]) {
      two.newAgent('boot-1');
      await two.run();
      const { gpus = [] } = (await two.read()).status?.device ?? {};
      expect(gpus.map(({ error }) => error?.split(':')[0])).to.deep.equal([undefined, 'GpuLost']);
      const { uuid, index, pciBusId, product, instances } = before ?? {};
      expect(gpus[1]).to.deep.include({ uuid, index, pciBusId, product, instances });
    }
    two.node.faults = '';
    two.newAgent('boot-1');
    await two.run();
    expect((await two.read()).status?.device?.gpus?.[1]).to.deep.equal(before);
  });

  it('reports a GPU that was lost before any agent has seen it, by its address', async () => {
    const three = new AgentScene(client(), ['A100-SXM4-40GB', 'A100-SXM4-40GB', 'A100-SXM4-40GB']);
    await three.create();
    three.node.faults = 'lost gpu=1';
    for (const _restart of [1, 2]) {
      await three.run();
      const { gpus = [] } = (await three.read()).status?.device ?? {};
      expect(gpus.map(({ index, product }) => `${index} ${product}`)).to.deep.equal([
        '0 NVIDIA A100-SXM4-40GB',
        '1 unknown',
        '2 NVIDIA A100-SXM4-40GB',
      ]);
      const pciBusId = three.node.busId(1);
      expect(gpus[1]).to.deep.include({ uuid: pciBusId, pciBusId, instances: [] });
      expect(gpus[1]?.error).to.match(/^GpuLost: /);
      three.newAgent('boot-1');
    }
    three.node.faults = '';
    await three.run();
    const found = (await three.read()).status?.device?.gpus?.[1];
    expect(found)
      .to.include({ uuid: three.node.uuid(1), product: 'NVIDIA A100-SXM4-40GB' })
      .and.not.have.property('error');
  });

  it('writes nothing and touches nothing when it is called again', async () => {
    await scene.grant(await scene.wish({ profiles }));
    await scene.run();
    const before = (await scene.read()).metadata.resourceVersion;
    scene.node.takeChanges();
    await scene.run();
    await scene.run();
    expect((await scene.read()).metadata.resourceVersion).to.equal(before);
    expect(scene.node.takeChanges()).to.deep.equal([]);
  });

  it('carries out only the plan that was granted', async () => {
    const wish = await scene.wish({ profiles });
    await scene.grant(wish, { planHash: 'of-another-plan' });
    scene.node.takeChanges();
    await scene.run();
    const { status } = await scene.read();
    expect(status?.device?.error?.code).to.equal('PlanChanged');
    expect(status?.device).to.include({ observedEpoch: 1, step: 'Failed' });
    expect(scene.node.takeChanges()).to.deep.equal([]);
    // The plan is there to be granted.
    await scene.grant(wish);
    await scene.run();
    expect(await scene.node.layout(0)).to.have.lengthOf(2);
  });

  it('starts nothing after the deadline', async () => {
    await scene.grant(await scene.wish({ profiles }), { deadline: '2026-01-01T00:00:00Z' });
    scene.node.takeChanges();
    await scene.run();
    expect((await scene.read()).status?.device?.error?.code).to.equal('Expired');
    expect(scene.node.takeChanges()).to.deep.equal([]);
  });

  it('counts the seconds of a grant itself', async () => {
    const clock = new FakeClock();
    scene.newAgent('boot-1', { clock });
    const justOver = new Date(clock.wallMs() - 30_000).toISOString();
    await scene.grant(await scene.wish({ profiles }), { deadline: justOver, seconds: 60 });
    await scene.run();
    expect(await scene.node.layout(0)).to.have.lengthOf(2);
    await scene.grant(await scene.wish({ profiles: { '1g.5gb': 7 } }), { deadline: later(), seconds: 60 });
    scene.node.intercept = async (args, run) => {
      if (isChange(args)) await clock.advance(35_000);
      return run();
    };
    scene.node.takeChanges();
    await scene.run();
    scene.node.intercept = (_args, run) => run();
    const begun = scene.node
      .takeChanges()
      .map((command) => / -\w+i /.exec(command.replace(/^mig -i \S+/, ''))?.[0].trim());
    expect(begun, 'begun within 60 s').to.deep.equal(['-dci', '-dgi']);
    expect((await scene.read()).status?.device).to.deep.include({ observedEpoch: 2, step: 'Failed' });
  });

  it('never acts on an epoch that it is done with', async () => {
    const wish = await scene.wish({ profiles });
    await scene.grant(wish);
    await scene.run();
    await scene.set({
      granted: { gpus: [{ ...wish, profiles: { '7g.40gb': 1 } }], epoch: 1, planHash: 'x', deadline: later() },
    });
    scene.node.takeChanges();
    await scene.run();
    expect(scene.node.takeChanges()).to.deep.equal([]);
  });

  it('asks the API server before the first destroy, and destroys nothing when the grant was replaced', async () => {
    await scene.grant(await scene.wish({ profiles }));
    await scene.run();
    await scene.grant(await scene.wish({ profiles: { '7g.40gb': 1 } }));
    const stale = await scene.read();
    await scene.set({ granted: { epoch: 9 } });
    scene.node.takeChanges();
    await scene.reconcile(stale);
    expect(scene.node.takeChanges()).to.deep.equal([]);
    expect(await scene.node.layout(0)).to.deep.equal(['3g.20gb@0', '3g.20gb@4']);
  });

  it('does nothing for a grant that was taken back, even if it would only create', async () => {
    const wish = await scene.wish({ profiles: {} });
    await scene.grant(wish);
    await scene.run();
    await scene.grant(await scene.wish({ profiles }), { seconds: 60 });
    const stale = await scene.read();
    scene.node.takeChanges();
    // What the controller writes before it opens the node of an agent that was asleep.
    await scene.set({ granted: { epoch: 3, planHash: '' } });
    await scene.reconcile(stale);
    expect(scene.node.takeChanges()).to.deep.equal([]);
    await scene.run();
    expect(scene.node.takeChanges()).to.deep.equal([]);
    const { device } = (await scene.read()).status ?? {};
    expect(device).to.deep.include({ observedEpoch: 3, step: 'Failed' });
    expect(device?.error?.code).to.equal('Stale');
    expect(device?.plan, 'the next grant may name it').to.include({ create: 2 });
  });

  it('says that a grant that was taken back is done where the device is as granted', async () => {
    await scene.grant(await scene.wish({ profiles }));
    await scene.run();
    await scene.set({ granted: { epoch: 2, planHash: '' } });
    await scene.run();
    expect((await scene.read()).status?.device).to.deep.include({ observedEpoch: 2, step: 'Idle' });
  });

  for (const [driver, left] of [
    // Three operations on the first GPU; by then the confirmation is 36 s old.
    ['555', [2, 7]],
    // Each has ids of its own, so the fourth would be the second destroy; what is gone is made again, which needs no confirmation.
    ['550', [7, 7]],
  ] as const) {
    it(`destroys nothing more once the API server has not confirmed the grant for half a minute: driver ${driver}`, async () => {
      const clock = new FakeClock();
      const link = new CutClient(client());
      const twoGpus = new AgentScene(client(), ['A100-SXM4-40GB', 'A100-SXM4-40GB']);
      twoGpus.node.driver = driver;
      await twoGpus.create();
      twoGpus.newAgent('boot-1', { client: link.client, clock });
      const grant = async (layout: Readonly<Record<string, number>>): Promise<void> => {
        const gpus = [0, 1].map((index) => ({ uuid: twoGpus.node.uuid(index), profiles: layout }));
        await twoGpus.set({ wish: { gpus } });
        await twoGpus.run();
        const [first] = gpus;
        if (first) await twoGpus.grant(first, { gpus, seconds: 600 });
      };
      await grant({ '1g.5gb': 7 });
      await twoGpus.run();
      await grant({ '3g.20gb': 2 });
      const began = clock.monotonicMs();
      let lastDestroy = 0;
      twoGpus.node.intercept = async (args, run) => {
        if (!isChange(args)) return run();
        link.isCut = true;
        if (args.includes('-dci') || args.includes('-dgi')) lastDestroy = clock.monotonicMs() - began;
        await clock.advance(12_000);
        return run();
      };
      await twoGpus.run();
      expect(lastDestroy).to.be.within(12_000, 30_000);
      for (const [index, count] of left.entries()) expect(await twoGpus.node.layout(index)).to.have.lengthOf(count);
      expect((await twoGpus.read()).status?.device?.error?.code).to.equal('Stopped');
    });
  }

  it('never destroys what a process uses, and plans again when it has ended', async () => {
    await scene.grant(await scene.wish({ profiles }));
    await scene.run();
    await scene.node.startProcess(0, 4);
    const wish = await scene.wish({ profiles: { '7g.40gb': 1 } });
    const { status } = await scene.read();
    expect(status?.device?.plan).to.include({ refusalCode: 'InUse' });
    expect(status?.device?.plan?.refusal).to.match(/^GPU 0 .*3g\.20gb.*pid 4200 \(python3 train\.py\)/);
    await scene.grant(wish);
    await scene.run();
    expect(await scene.node.layout(0)).to.deep.equal(['3g.20gb@0', '3g.20gb@4']);
    expect((await scene.read()).status?.device).to.deep.include({ observedEpoch: 2, step: 'Failed' });
    scene.node.state = scene.node.state.replace(/^proc .*\n/m, '');
    await scene.run();
    expect((await scene.read()).status?.device?.plan).to.not.have.property('refusalCode');
  });

  it('names the monitors of an instance that is in use, by their claims, and undoes what it began', async () => {
    await scene.grant(await scene.wish({ profiles }));
    await scene.run();
    const instances = (await scene.read()).status?.device?.gpus?.[0]?.instances ?? [];
    const monitorsOf = new Map(
      instances.map(({ uuid = '', start }) => [uuid, [`ns/watch-${start} (claim ns/c-${start})`]]),
    );
    scene.word = { holders: { ofDevice: new Map(), ofAny: [], stale: [], monitorsOf }, advertised: { stale: 0 } };
    // Nothing but the driver knows of a handle.
    scene.node.state += `handle gpu 0 gi ${instances[1]?.gi} name nv-hostengine\n`;
    await scene.grant(await scene.wish({ profiles: { '7g.40gb': 1 } }));
    await scene.run();
    expect(await scene.node.layout(0)).to.deep.equal(['3g.20gb@0', '3g.20gb@4']);
    const { error } = (await scene.read()).status?.device ?? {};
    expect(error).to.include({ code: 'InUse', gpu: scene.node.uuid(0) });
    expect(error?.message).to.match(
      /^3g\.20gb at 4 .*Pod ns\/watch-4 \(claim ns\/c-4\) looks on with admin access.*stop this monitor/,
    );
    expect(error?.message).not.to.include('watch-0');
    await scene.node.startProcess(0, 4);
    await scene.run();
    expect((await scene.plan()).monitors).to.deep.equal(['ns/watch-4 (claim ns/c-4)']);
  });

  it('says why when nvidia-smi talks nonsense, and keeps what it knew: unknown is not empty', async () => {
    await scene.grant(await scene.wish({ profiles }));
    await scene.run();
    scene.node.faults = 'output garbage=64 with=-x';
    await scene.run();
    const { status } = await scene.read();
    expect(status?.device?.error?.code).to.equal('ParseError');
    expect(status?.device?.step).to.equal('Unknown');
    expect(status?.device?.gpus?.[0]?.instances).to.have.lengthOf(2);
    scene.node.faults = '';
    await scene.run();
    expect((await scene.read()).status?.device).to.not.have.property('error');
  });

  it('takes back what it did when a grant fails half way', async () => {
    await scene.grant(await scene.wish({ profiles }));
    await scene.run();
    await scene.grant(await scene.wish({ profiles: { '1g.5gb': 7 } }));
    // Some 1g.5gb can be made, the third and those after it cannot; what was there before can.
    const made: number[] = [];
    scene.node.intercept = (args, run) => {
      const isSmall = args.includes('-cgi') && args.some((arg) => arg.startsWith('19:'));
      scene.node.faults = isSmall ? 'fail DeviceCreateGpuInstance rc=999 nth=3-' : '';
      const execution = run();
      if (isSmall) made.push(execution.stdout.split('Successfully created GPU instance').length - 1);
      return execution;
    };
    await scene.run();
    scene.node.intercept = (_args, run) => run();
    scene.node.faults = '';
    expect(made).to.deep.equal([2]);
    expect(await scene.node.layout(0)).to.deep.equal(['3g.20gb@0', '3g.20gb@4']);
    const { status } = await scene.read();
    expect(status?.device).to.deep.include({ observedEpoch: 2, step: 'Failed' });
  });

  it('makes the granted layout again after a reboot, and only then', async () => {
    await scene.grant(await scene.wish({ profiles }));
    await scene.run();
    scene.node.state = 'gpu 0 mig 1 pending 1\n';
    await scene.run();
    expect(await scene.node.layout(0), 'same boot: a new grant is needed').to.deep.equal([]);
    scene.newAgent('boot-2');
    await scene.run();
    expect(await scene.node.layout(0)).to.deep.equal(['3g.20gb@0', '3g.20gb@4']);
    expect((await scene.read()).status?.device?.lastGood?.bootID).to.equal('boot-2');
  });

  it('tries once after a reboot; then the controller’s grants, which send holders away, are the way', async () => {
    await scene.grant(await scene.wish({ profiles }));
    await scene.run();
    scene.node.state = 'gpu 0 mig 1 pending 1\n';
    scene.node.faults = 'fail DeviceCreateGpuInstance rc=999';
    scene.newAgent('boot-2');
    await scene.run();
    expect((await scene.read()).status?.device).to.deep.include({ step: 'Failed' });
    scene.node.faults = '';
    scene.node.takeChanges();
    await scene.run();
    expect(scene.node.takeChanges()).to.deep.equal([]);
    // Seed 1002908 of the model: the node may be open by now, and a pod have got the whole GPU.
    scene.newAgent('boot-2');
    await scene.run();
    expect(scene.node.takeChanges(), 'another process in the same boot').to.deep.equal([]);
    await scene.grant(await scene.wish({ profiles }));
    await scene.run();
    expect(await scene.node.layout(0)).to.deep.equal(['3g.20gb@0', '3g.20gb@4']);
  });

  it('does nothing for an object that is gone: a missing wish never means destroy', async () => {
    await scene.grant(await scene.wish({ profiles }));
    await scene.run();
    const agent = scene.newAgent('boot-1');
    scene.node.takeChanges();
    await agent.reconcile(undefined, signal);
    await scene.set({ wish: null, policy: null });
    await scene.run();
    expect(scene.node.takeChanges()).to.deep.equal([]);
    expect(await scene.node.layout(0)).to.have.lengthOf(2);
  });

  it('adopts a device that matches the wish, without any operation', async () => {
    scene.createByHand('9:0', '9:4');
    await scene.wish({ profiles });
    const { status } = await scene.read();
    expect(scene.node.takeChanges()).to.deep.equal([]);
    expect(status?.device?.lastGood?.gpus?.[0]?.placements).to.deep.equal(['3g.20gb@0', '3g.20gb@4']);
    // From now on it may be changed as what it made itself.
    await scene.grant(await scene.wish({ profiles: { '7g.40gb': 1 } }));
    await scene.run();
    expect(await scene.node.layout(0)).to.deep.equal(['7g.40gb@0']);
  });

  it('never destroys instances that somebody else made, unless it is allowed to', async () => {
    scene.createByHand('9:0', '9:4');
    const wish = await scene.wish({ profiles: { '7g.40gb': 1 } });
    expect((await scene.read()).status?.device?.plan).to.include({ refusalCode: 'Foreign' });
    // Not even where a grant that should not be there says so.
    await scene.grant(wish);
    await scene.run();
    expect(scene.node.takeChanges()).to.deep.equal([]);
    expect((await scene.read()).status?.device?.error?.code).to.equal('Refused');
    await scene.set({ wish: { replaceForeignInstances: true } });
    await scene.run();
    await scene.grant(wish, { replaceForeignInstances: true });
    await scene.run();
    expect(await scene.node.layout(0)).to.deep.equal(['7g.40gb@0']);
  });

  it('adopts what somebody else made when its object says so for this boot, and for no other', async () => {
    scene.createByHand('9:0', '9:4');
    await scene.wish({ profiles: { '7g.40gb': 1 } });
    await scene.annotate({ [adoptAnnotation]: 'another-boot' });
    await scene.run();
    expect((await scene.read()).status?.device?.plan).to.include({ refusalCode: 'Foreign' });
    await scene.annotate({ [adoptAnnotation]: 'boot-1' });
    await scene.run();
    await scene.run();
    expect(scene.node.takeChanges()).to.deep.equal([]);
    expect((await scene.read()).status?.device?.plan).to.include({ destroy: 2, create: 1 });
  });

  it('plans a wish as it is now where a key of it was taken away', async () => {
    scene.createByHand('9:0', '9:4');
    const wish = await scene.wish({ profiles: { '7g.40gb': 1 } });
    await scene.set({ wish: { replaceForeignInstances: true } });
    await scene.run();
    expect((await scene.read()).status?.device?.plan).to.include({ destroy: 2 });
    await scene.set({ wish: { replaceForeignInstances: null } });
    await scene.run();
    const plan = (await scene.read()).status?.device?.plan;
    expect(plan).to.include({ refusalCode: 'Foreign', wishHash: wishHash({ gpus: [wish] }) });
  });

  it('knows after a crash in the middle of a grant what it made', async () => {
    await scene.grant(await scene.wish({ profiles: { '1g.5gb': 7 } }));
    // Three were made when the agent was killed; its successor finds the policy changed.
    scene.createByHand('19:0', '19:1', '19:2');
    await scene.set({ granted: { deadline: '2026-01-01T00:00:00Z' } });
    scene.newAgent('boot-1');
    await scene.run();
    await scene.grant(await scene.wish({ profiles: { '7g.40gb': 1 } }));
    await scene.run();
    expect(await scene.node.layout(0)).to.deep.equal(['7g.40gb@0']);
  });

  it('never destroys what a pod holds, with or without a process, and names the pod', async () => {
    await scene.grant(await scene.wish({ profiles }));
    await scene.run();
    const uuid = (await scene.read()).status?.device?.gpus?.[0]?.instances[1]?.uuid ?? '';
    scene.word = {
      holders: { ofDevice: new Map([[uuid, ['team/notebook']]]), ofAny: [], stale: [] },
      advertised: { stale: 0 },
    };
    const wish = await scene.wish({ profiles: { '7g.40gb': 1 } });
    const { status } = await scene.read();
    expect(status?.device?.gpus?.[0]?.instances[1]).to.deep.include({ busy: true, pods: ['team/notebook'] });
    expect(status?.device?.plan).to.deep.include({ affectedPods: ['team/notebook'], destroy: 2 });
    scene.node.takeChanges();
    await scene.grant(wish);
    await scene.run();
    expect(scene.node.takeChanges()).to.deep.equal([]);
    const { error } = (await scene.read()).status?.device ?? {};
    expect(error?.code).to.equal('InUse');
    expect(error?.message).to.match(/^GPU 0 .*: pod team\/notebook holds 3g\.20gb at 4\. Nothing was touched/);
    // Around it, what is free may change.
    await scene.grant(await scene.wish({ profiles: { '3g.20gb': 1, '1g.5gb': 4 } }));
    await scene.run();
    expect(await scene.node.layout(0))
      .to.include('3g.20gb@4')
      .and.to.have.lengthOf(5);
  });

  it('makes the granted layout again after the driver was reloaded in the same boot, MIG mode included', async () => {
    let load = '1001';
    scene.newAgent('boot-1', { driverLoad: () => load });
    await scene.grant(await scene.wish({ profiles }));
    await scene.run();
    expect((await scene.read()).status?.device).to.deep.include({ bootID: 'boot-1', driverLoad: '1001' });
    const layout = await scene.node.layout(0);
    // As a Hopper comes back from it: no instance, no MIG mode.
    scene.node.state = '';
    load = '1002';
    await scene.run();
    expect(await scene.node.layout(0)).to.deep.equal(layout);
    const { device } = (await scene.read()).status ?? {};
    expect(device).to.deep.include({ bootID: 'boot-1', driverLoad: '1002', step: 'Idle' });
    expect(device?.lastGood?.bootID).to.equal('boot-1+1002');
    // Without a reload somebody did it, and only a grant repairs it.
    scene.node.state = '';
    await scene.run();
    expect(await scene.node.layout(0)).to.deep.equal([]);
  });

  it('signals the plugin’s pods that the grant names when the device is done, and tells which it reached', async () => {
    const layouts: (readonly string[])[] = [];
    scene.newAgent('boot-1', {
      signalPods: async (uids) => {
        layouts.push(await scene.node.layout(0));
        return uids.filter((uid) => uid !== 'gone');
      },
    });
    await scene.grant(await scene.wish({ profiles }), { signalPods: ['plugin', 'gone'] });
    await scene.run();
    expect(layouts.map(({ length }) => length)).to.deep.equal([2]);
    expect((await scene.read()).status?.device?.signalled).to.deep.equal({ epoch: 1, uids: ['plugin'] });
    // It stays told, until the process that was reached is no more.
    await scene.run();
    expect((await scene.read()).status?.device?.signalled?.epoch).to.equal(1);
    scene.newAgent('boot-2');
    await scene.run();
    expect((await scene.read()).status?.device?.signalled).to.equal(undefined);
  });

  it('reports a device that a pod holds and no GPU has with the first reading that lacks it: the next plan must know', async () => {
    const held = { resource: 'nvidia.com/mig-1g.5gb', id: 'MIG-gone', pod: 'ml/a' };
    scene.word = { holders: { ofDevice: new Map(), ofAny: [], stale: [held] } };
    await scene.run();
    expect((await scene.read()).status?.device?.lostDevices).to.deep.equal([{ id: 'MIG-gone', pods: ['ml/a'] }]);
  });

  describe('told that the kubelet offers resources of a plugin that is gone', () => {
    const dead = 'nvidia.com/mig-3g.20gb';
    const holders = { ofDevice: new Map(), ofAny: [], stale: [] };
    const offers = (stale: number, unserved: readonly string[] = []) => ({
      holders,
      advertised: { stale, resources: { [dead]: 2 } },
      unserved,
    });
    const ended: string[] = [];
    const served = new Set<string>();
    let clock: FakeClock;

    beforeEach(async () => {
      ended.length = 0;
      served.clear();
      clock = new FakeClock();
      scene.newAgent('boot-1', {
        clock,
        endRegistration: async (resource) => {
          if (resource.endsWith('refused')) throw new Error('the kubelet still offers it');
          if (served.has(resource)) return false;
          ended.push(resource);
          return true;
        },
      });
      scene.word = offers(2, [dead]);
      await scene.grant(await scene.wish({ profiles }));
      await scene.run();
    });

    const unregister = (resources: readonly string[], epoch = 1) => scene.set({ unregister: { epoch, resources } });

    it('ends none that a plugin serves, until that is gone', async () => {
      served.add(dead);
      await unregister([dead]);
      await scene.run();
      served.clear();
      await scene.run();
      expect(ended).to.deep.equal([]);
      await clock.advance(5_000);
      await scene.run();
      expect(ended).to.deep.equal([dead]);
    });

    it('ends those that it offers, once', async () => {
      await unregister([dead, 'nvidia.com/mig-1g.5gb']);
      await scene.run();
      await scene.run();
      expect(ended).to.deep.equal([dead]);
    });

    it('ends those that it offers once more, where the node was open in between', async () => {
      await unregister([dead]);
      await scene.run();
      await scene.set({ unregister: null });
      await scene.run();
      await unregister([dead]);
      await scene.run();
      expect(ended).to.deep.equal([dead, dead]);
    });

    it('ends none where all that it offers exists: the plugin is back', async () => {
      scene.word = offers(0);
      await unregister([dead]);
      await scene.run();
      expect(ended).to.deep.equal([]);
    });

    it('leaves one alone that a plugin serves again, beside another that is stale', async () => {
      scene.word = offers(2, ['nvidia.com/gpu']);
      await unregister([dead, 'nvidia.com/gpu']);
      await scene.run();
      expect(ended).to.deep.equal(['nvidia.com/gpu']);
    });

    it('ends one whose devices exist, where no plugin serves it', async () => {
      scene.word = offers(0, [dead]);
      await unregister([dead]);
      await scene.run();
      expect(ended).to.deep.equal([dead]);
    });

    it('ends what a plugin has left behind, though its devices exist, and nothing that is not offered', async () => {
      scene.word = { ...offers(0), advertised: { stale: 0, resources: { [dead]: 7 } } };
      await scene.set({ unregister: { epoch: 1, resources: [dead, 'nvidia.com/gpu'], leftBehind: true } });
      await scene.run();
      expect(ended).to.deep.equal([dead]);
    });

    it('ends none of what was seen after another grant', async () => {
      await unregister([dead], 2);
      await scene.run();
      expect(ended).to.deep.equal([]);
    });

    it('tries again some seconds later where the kubelet does not let go of one', async () => {
      const refused = `${dead}.refused`;
      scene.word = { ...offers(2, [dead, refused]) };
      await unregister([dead, refused]);
      await scene.run();
      await clock.advance(4_999);
      await scene.run();
      expect(ended).to.deep.equal([dead]);
      await clock.advance(1);
      await scene.run();
      expect(ended).to.deep.equal([dead, dead]);
    });
  });

  it('tells in one report that it is done, and what a plugin offers that has followed its signal', async () => {
    const holders = { ofDevice: new Map(), ofAny: [], stale: [] };
    const before = { holders, advertised: { stale: 1, resources: { 'nvidia.com/gpu': 1 } } };
    const after = { holders, advertised: { stale: 0, resources: { 'nvidia.com/mig-3g.20gb': 2 } } };
    scene.word = before;
    const signalPods = async (uids: readonly string[]) => {
      let asked = 0;
      scene.word = () => ((asked += 1) > 2 ? after : before);
      return uids;
    };
    scene.newAgent('boot-1', { signalPods });
    await scene.grant(await scene.wish({ profiles }), { signalPods: ['plugin'] });
    await scene.run();
    expect((await scene.read()).status?.device).to.deep.include({ observedEpoch: 1, advertised: after.advertised });
  });

  it('destroys nothing while the kubelet does not answer: who holds what is not known then', async () => {
    scene.word = { holders: { ofDevice: new Map(), ofAny: [], stale: [] }, advertised: { stale: 0 } };
    await scene.grant(await scene.wish({ profiles }));
    await scene.run();
    await scene.grant(await scene.wish({ profiles: { '7g.40gb': 1 } }));
    scene.node.takeChanges();
    scene.word = away;
    await scene.run();
    expect(scene.node.takeChanges()).to.deep.equal([]);
    // It may be restarting: the grant stands, and is answered when its time is over.
    expect((await scene.read()).status?.device).to.include({ observedEpoch: 1, step: 'Idle' });
    await scene.set({ granted: { deadline: '2026-01-01T00:00:00Z' } });
    await scene.run();
    expect(scene.node.takeChanges()).to.deep.equal([]);
    const { status } = await scene.read();
    expect(status?.device?.error?.code).to.equal('KubeletUnavailable');
    expect(status?.device?.observedEpoch).to.equal(2);
    expect(status?.device?.gpus?.[0]?.instances, 'as it was known').to.have.lengthOf(2);
  });

  describe('whose kubelet restarts', () => {
    const word = { holders: { ofDevice: new Map(), ofAny: [], stale: [] }, advertised: { stale: 0 } };
    /** Does not answer the first questions of those for which this holds. */
    const failing = (times: number, when: () => boolean) => {
      let left = times;
      return () => {
        if (!when() || left === 0) return word;
        left -= 1;
        throw away;
      };
    };

    it('waits with a grant that it has not begun, and carries it out once the kubelet is back', async () => {
      scene.word = word;
      await scene.grant(await scene.wish({ profiles }));
      scene.word = away;
      for (let tries = 0; tries < 8; tries += 1) {
        const { requeueAfterMs } = (await scene.run()) ?? {};
        expect(requeueAfterMs).to.be.within(1, 5000);
        const { device } = (await scene.read()).status ?? {};
        expect(device?.observedEpoch, `after ${tries} tries`).to.equal(undefined);
        expect(device?.step).to.equal('Idle');
      }
      expect(scene.node.takeChanges()).to.deep.equal([]);
      scene.word = word;
      await scene.run();
      expect((await scene.read()).status?.device).to.include({ observedEpoch: 1, step: 'Idle' });
      expect(await scene.node.layout(0)).to.deep.equal(['3g.20gb@0', '3g.20gb@4']);
    });

    it('does not wait with a grant that takes one back: its node is to be opened', async () => {
      scene.word = word;
      const wish = await scene.wish({ profiles });
      scene.word = away;
      await scene.grant(wish, { planHash: '' });
      await scene.run();
      expect((await scene.read()).status?.device).to.include({ observedEpoch: 1 });
    });

    it('waits in the middle of the work, between two destroys', async () => {
      scene.word = word;
      await scene.grant(await scene.wish({ profiles }));
      await scene.run();
      await scene.grant(await scene.wish({ profiles: { '7g.40gb': 1 } }));
      let asked = 0;
      scene.word = failing(2, () => (asked += 1) > 2);
      await scene.run();
      expect(asked).to.be.greaterThan(4);
      expect((await scene.read()).status?.device).to.include({ observedEpoch: 2, step: 'Idle' });
      expect(await scene.node.layout(0)).to.deep.equal(['7g.40gb@0']);
    });

    it('waits after the work: what it has done is not unknown', async () => {
      scene.word = word;
      await scene.grant(await scene.wish({ profiles }));
      const signalPods = async (uids: readonly string[]) => {
        scene.word = failing(2, () => true);
        return uids;
      };
      scene.newAgent('boot-1', { signalPods });
      await scene.run();
      const { device } = (await scene.read()).status ?? {};
      expect(device).to.include({ observedEpoch: 1, step: 'Idle' });
      expect(device?.gpus?.[0]?.instances).to.have.length(2);
    });

    it('does not say that the GPUs are unreadable before it has asked for some seconds', async () => {
      scene.word = word;
      await scene.wish({ profiles });
      scene.word = away;
      let waited = 0;
      for (;;) {
        const { requeueAfterMs = 0 } = (await scene.run()) ?? {};
        if ((await scene.read()).status?.device?.step !== 'Idle') break;
        waited += 1;
        expect(requeueAfterMs).to.be.at.least(0);
        expect(waited).to.be.at.most(10);
      }
      expect(waited).to.be.at.least(3);
      expect((await scene.read()).status?.device?.error?.code).to.equal('KubeletUnavailable');
    });
  });

  it('reports that the kubelet still offers previous devices, and when it no longer does', async () => {
    scene.word = {
      holders: { ofDevice: new Map(), ofAny: [], stale: [] },
      advertised: { stale: 1, resources: { 'nvidia.com/gpu': 1 } },
    };
    await scene.grant(await scene.wish({ profiles }));
    await scene.run();
    expect((await scene.read()).status?.device?.advertised).to.deep.include({ stale: 1 });
    const advertised = { stale: 0, resources: { 'nvidia.com/mig-3g.20gb': 2 } };
    scene.word = { holders: { ofDevice: new Map(), ofAny: [], stale: [] }, advertised };
    await scene.run();
    expect((await scene.read()).status?.device?.advertised).to.deep.equal(advertised);
  });

  it('asks for a reboot where a MIG mode change needs one and the policy allows it, and continues after it', async () => {
    const wish = await scene.wish({ profiles });
    scene.node.faults = 'migpending rc=16 gpu=0\nskip GpuReset gpu=0';
    await scene.grant(wish);
    await scene.run();
    expect((await scene.read()).status?.device?.error?.code).to.equal('RebootRequired');
    expect(scene.rebootsAsked, 'not allowed').to.equal(0);
    await scene.grant(wish, { allowReboot: true });
    await scene.run();
    expect(scene.rebootsAsked).to.equal(1);
    scene.node.reboot();
    scene.newAgent('boot-2');
    await scene.run();
    await scene.grant(wish, { allowReboot: true });
    await scene.run();
    expect(await scene.node.layout(0)).to.deep.equal(['3g.20gb@0', '3g.20gb@4']);
    expect(scene.rebootsAsked).to.equal(1);
  });

  it('asks for one reboot for a wish, even if that does not help', async () => {
    let kept: OwnRecord | undefined;
    const record = {
      read: () => kept,
      write: async (one: OwnRecord) => {
        kept = one;
      },
    };
    scene.newAgent('boot-1', { record });
    const wish = await scene.wish({ profiles });
    for (const boot of ['boot-1', 'boot-2', 'boot-3']) {
      scene.node.faults = 'migpending rc=16 gpu=0\nskip GpuReset gpu=0';
      scene.newAgent(boot, { record });
      await scene.run();
      await scene.grant(wish, { allowReboot: true });
      await scene.run();
      // A board that loses its mode.
      scene.node.state = 'gpu 0 mig 0 pending 0\n';
    }
    const { error } = (await scene.read()).status?.device ?? {};
    expect(error).to.include({ code: 'RebootRequired' });
    expect(error?.message).to.contain('none is asked for again');
    expect(scene.rebootsAsked).to.equal(1);
    scene.node.faults = '';
    await scene.grant(wish, { allowReboot: true });
    await scene.run();
    expect(kept).to.not.have.property('rebootAsked');
  });

  it('leaves what it made where it is when a grant fails and the policy says never to roll back', async () => {
    await scene.grant(await scene.wish({ profiles: { '1g.5gb': 7 } }), { rollback: 'Never' });
    scene.node.intercept = (args, run) => {
      scene.node.faults = args.includes('-cgi') && args.includes('19:3') ? 'fail DeviceCreateGpuInstance rc=999' : '';
      return run();
    };
    await scene.run();
    scene.node.intercept = (_args, run) => run();
    scene.node.faults = '';
    expect(await scene.node.layout(0)).to.not.deep.equal([]);
    const { status } = await scene.read();
    expect(status?.device?.lastGood?.gpus?.[0]?.placements).to.deep.equal(await scene.node.layout(0));
  });
});
