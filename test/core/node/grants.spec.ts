import { expect } from 'chai';
import { nodeReasons } from '../../../src/api/names.ts';
import { endings } from '../../../src/core/node/grants.ts';
import { planWish } from '../../../src/core/device/plan.ts';
import {
  advertisesSlice,
  advertisesWhole,
  aGrant,
  aHolderPod,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSlicingPolicy,
  aWish,
  slicedGpu,
  taints,
  wholeGpu,
  type Answer,
  namesOf,
  noon,
} from '../../support/node-builders.ts';
import { NodeWorld } from '../../support/node-world.ts';
import type { DeviceReport, GpuReport } from '../../../src/api/types.ts';
import { aDevice, aGpu } from '../../support/builders.ts';

const updating = { 'gpupartition.dev/state': 'updating' };
const dcgm = { 'nvidia.com/gpu.deploy.dcgm': 'true' };
const gfd = { 'nvidia.com/gfd.timestamp': '1', 'nvidia.com/gpu.count': '1' };
const done = aManagedPartition({ granted: aGrant(), device: slicedGpu });
const modeChange = { ...planWish(wholeGpu, aWish).report, modeChanges: 1 };

/** Nodes in the middle of their change, and what becomes of it. */
const changes = {
  ClientsStay: () =>
    new NodeWorld({
      node: aNode({ labels: dcgm }),
      partition: aManagedPartition({ device: { ...wholeGpu, plan: modeChange } }),
      pods: [aHolderPod('dcgm'), aPluginPod({ tolerates: true })],
    }),
  LabelsStale: () =>
    new NodeWorld({
      node: aNode({ taints: taints.closed, labels: { ...updating, ...gfd }, allocatable: advertisesSlice }),
      partition: done,
    }),
  AdvertisePending: () =>
    new NodeWorld({
      node: aNode({ taints: taints.closed, labels: updating, allocatable: advertisesWhole }),
      partition: done,
    }),
  DeviceUnreadable: () =>
    new NodeWorld({
      node: aNode({ taints: taints.closed, labels: updating }),
      partition: aManagedPartition({ granted: aGrant(), device: { ...wholeGpu, step: 'Unknown' } }),
    }),
} as const;

function runUntilFailed(world: NodeWorld): NodeWorld {
  for (let seconds = 0; seconds < 700; seconds += 1) {
    if (world.step(1000).verdict.phase === 'Failed') return world;
  }
  throw new Error(`it never fails: ${JSON.stringify(world.step().verdict)}`);
}

describe('a change that ends', () => {
  for (const [reason, start] of Object.entries(changes)) {
    it(`counts as a failure when it ends with ${reason}, also with another leader and without the slot`, () => {
      const world = runUntilFailed(start());
      expect(world.step().verdict.reason).to.equal(reason);
      expect(world.rolloutState?.hasFailed).to.equal(true);
      world.slot = undefined;
      world.failOver();
      for (let steps = 0; steps < 3; steps += 1) world.step(1000);
      expect(world.rolloutState?.hasFailed).to.equal(true);
    });
  }

  it('does not count for the next generation', () => {
    const world = runUntilFailed(changes.LabelsStale());
    world.slot = undefined;
    world.policy = aSlicingPolicy({ generation: 2 });
    for (let steps = 0; steps < 3; steps += 1) world.step(1000);
    expect(world.rolloutState?.hasFailed).to.equal(false);
  });

  it('is a failure no more once the node is Ready', () => {
    const world = runUntilFailed(changes.AdvertisePending());
    world.advertise(advertisesSlice);
    world.settle();
    expect(world.rolloutState).to.include({ hasFailed: false, isVerified: true });
    world.advertise(advertisesWhole);
    world.slot = undefined;
    world.step(1000);
    expect(world.rolloutState?.hasFailed).to.equal(false);
  });

  it('has not begun on a node without a slot, nor on one that is still open', () => {
    const later = changes.AdvertisePending();
    later.slot = undefined;
    expect(runUntilFailed(later).rolloutState?.hasFailed).to.equal(false);
    const open = new NodeWorld({ pods: [aPluginPod({ strategy: 'single' })] });
    expect(open.step().verdict).to.include({ phase: 'Failed', reason: 'StrategyMismatch' });
    expect(open.rolloutState?.hasFailed).to.equal(false);
  });

  it('is judged by its reason, whatever that is', () => {
    expect(Object.keys(endings)).to.have.members([...nodeReasons]);
  });
});

type Fault = Partial<NonNullable<DeviceReport['error']>>;

const before = ['1g.5gb@0', '1g.5gb@1'];

/** A node whose agent fails each grant and undoes what it did. */
class FailingNode extends NodeWorld {
  gpu: GpuReport = aGpu({ slices: before });
  fault: Fault = {};
  /** Where the agent has not come to any GPU, it names none. */
  gpuOfFault: string | undefined;
  /** As earlier agents write it, by the clock of the node. */
  agentRetryTime: string | undefined;

  constructor() {
    super();
    this.gpuOfFault = this.gpu.uuid;
    this.partition = aManagedPartition({ device: aDevice(this.gpu) });
    this.advertise({ 'nvidia.com/gpu': '0', 'nvidia.com/mig-1g.5gb': '2' });
  }

  /** The agent answers the grant that stands. */
  fail(fault: Fault = this.fault): void {
    const { epoch = 0 } = this.partition.spec.granted ?? {};
    this.report({
      ...aDevice(this.gpu),
      observedEpoch: epoch,
      step: 'Failed',
      error: {
        code: 'CommandFailed',
        message: `try ${epoch}`,
        ...(this.gpuOfFault !== undefined && { gpu: this.gpuOfFault }),
        ...fault,
      },
      ...(this.agentRetryTime !== undefined && { nextRetryTime: this.agentRetryTime }),
    });
  }

  /** Continues until a grant is written. @returns undefined where none is */
  awaitGrant(minutes = 10): number | undefined {
    const known = this.partition.spec.granted?.epoch ?? 0;
    for (let steps = 0; steps < minutes * 12; steps += 1) {
      this.step(5000);
      const { epoch = 0 } = this.partition.spec.granted ?? {};
      if (epoch > known) return epoch;
    }
    return undefined;
  }

  /** Waits for the next grant, and fails it. @returns its epoch; undefined if there was none, and the last one fails again */
  failNext(fault: Fault = this.fault): number | undefined {
    const epoch = this.awaitGrant();
    this.fail(fault);
    return epoch;
  }

  /** Fails two grants in the same way. */
  failTwice(): void {
    for (let tries = 0; tries < 2; tries += 1) expect(this.failNext()).to.be.above(0);
  }

  get last(): Answer {
    return this.step(1000);
  }
}

/** @returns whether the node is tried again within the time of the quick attempts */
const triesAgain = (world: FailingNode): boolean => world.awaitGrant(0.75) !== undefined;

describe('a grant that fails', () => {
  it('is tried once more, and rests after the same failure', () => {
    const world = new FailingNode();
    world.failTwice();
    expect(world.last.verdict).to.include({ phase: 'Failed', reason: 'Resting' });
    expect(world.last.verdict.message).to.equal(
      'GPU 0: CommandFailed: try 2. The same failure occurred 2 times; the next attempt is at 2026-01-01T12:01:36Z, ' +
        'or as soon as the device, the driver or the policy changes, or you ask for it: gpu-partition retry n',
    );
    expect(triesAgain(world)).to.equal(false);
    expect(world.done.filter((one) => one === 'WriteGrant')).to.have.length(2);
  });

  it('is tried again after a rest by the controller’s clock, whatever the clock of the node is', () => {
    for (const agentRetryTime of [undefined, '1970-01-01T00:00:00Z', '2027-01-01T12:00:00Z']) {
      const world = new FailingNode();
      world.agentRetryTime = agentRetryTime;
      world.failNext();
      const failedAt = world.now;
      world.awaitGrant();
      expect(world.now - failedAt, agentRetryTime).to.be.within(5_000, 20_000);
    }
  });

  it('is tried again after each rest, which grows from a minute to an hour, and has no last attempt', () => {
    const world = new FailingNode();
    world.failTwice();
    const failedDrains = Array.from({ length: 9 }, () => {
      const failedAt = world.now;
      expect(world.awaitGrant(70)).to.be.above(0);
      const minutes = Math.round((world.now - failedAt) / 60_000);
      world.fail();
      return minutes;
    });
    expect(failedDrains).to.deep.equal([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('counts as one failed node however often it fails, and no more once an attempt succeeds', () => {
    const world = new FailingNode();
    world.failTwice();
    expect(world.rolloutState?.hasFailed).to.equal(true);
    world.awaitGrant(70);
    expect(world.rolloutState?.hasFailed).to.equal(true);
    world.report({ ...slicedGpu, observedEpoch: world.partition.spec.granted?.epoch ?? 0, step: 'Idle' });
    world.advertise({ 'nvidia.com/gpu': '0', 'nvidia.com/mig-7g.40gb': '1' });
    for (let steps = 0; steps < 5; steps += 1) world.step(1000);
    expect(world.rolloutState).to.include({ hasFailed: false, isVerified: true });
  });

  it('rests longer with each failure, also with another leader whose clock is behind', () => {
    const world = new FailingNode();
    for (const [index, code] of ['Timeout', 'DriverFailed', 'NoRoom', 'CommandFailed', 'Unstable'].entries()) {
      world.failNext({ code });
      world.step();
      world.failOver();
      world.now -= 3_600_000;
      const failedAt = world.now;
      world.awaitGrant();
      const restMs = 5_000 * 2 ** index;
      expect(world.now - failedAt, code).to.be.within(restMs, restMs + 20_000);
    }
  });

  it('rests as well with another leader, who counts on', () => {
    const world = new FailingNode();
    world.failNext();
    world.step(1000);
    world.failOver();
    world.failNext();
    world.step(1000);
    world.failOver();
    expect(triesAgain(world)).to.equal(false);
    expect(world.last.verdict.reason).to.equal('Resting');
  });

  it('rests although what was made again got other ids', () => {
    const world = new FailingNode();
    world.failNext();
    const [first, second] = world.gpu.instances;
    if (!first || !second) throw new Error('two instances');
    world.gpu = {
      ...world.gpu,
      instances: [
        { ...second, gi: 7 },
        { ...first, gi: 9 },
      ],
    };
    world.failNext();
    expect(triesAgain(world)).to.equal(false);
  });

  it('does not rest where it fails in another way, or at another GPU', () => {
    for (const fault of [{ code: 'Timeout' }, { gpu: 'GPU-of-another' }] as const) {
      const world = new FailingNode();
      world.failNext();
      world.failNext(fault);
      expect(triesAgain(world), JSON.stringify(fault)).to.equal(true);
    }
  });

  it('never rests because of users that a reading shows, who are waited for', () => {
    const world = new FailingNode();
    world.gpuOfFault = undefined;
    for (let tries = 0; tries < 5; tries += 1) {
      expect(triesAgain(world)).to.equal(true);
      world.fail({ code: 'InUse' });
    }
  });

  describe('because somebody that no reading shows has the device open', () => {
    const inUse = { code: 'InUse' } as const;
    const openTwice = (): FailingNode => {
      const world = new FailingNode();
      world.failNext(inUse);
      // A client of the GPU that can be sent away is, at once.
      expect(world.awaitGrant(0.5)).to.equal(2);
      world.fail(inUse);
      return world;
    };

    it('rests longer each time, on an open node, and counts as a failure', () => {
      const world = openTwice();
      expect(world.last.verdict).to.include({ phase: 'Failed', reason: 'Resting' });
      expect(world.last.verdict.message).to.match(/InUse.*The same failure occurred 2 times; the next attempt is at/);
      expect(world.rolloutState?.hasFailed).to.equal(true);
      expect(world.step(100).commands).to.deep.equal([]);
      const rests = Array.from({ length: 5 }, () => {
        const failedAt = world.now;
        world.awaitGrant(70);
        world.fail(inUse);
        return Math.round((world.now - failedAt) / 60_000);
      });
      expect(rests).to.deep.equal([1, 2, 4, 8, 16]);
    });

    it('is tried at once when a process on the GPU has come or gone, or other pods would have to go', () => {
      const come = openTwice();
      expect(triesAgain(come)).to.equal(false);
      come.report({ gpus: [{ ...come.gpu, instances: come.gpu.instances.map((one) => ({ ...one, busy: true })) }] });
      expect(triesAgain(come)).to.equal(true);
      const pods = openTwice();
      const { plan } = pods.device;
      if (!plan) throw new Error('a plan');
      pods.report({ plan: { ...plan, hash: 'another' } });
      expect(triesAgain(pods)).to.equal(true);
    });

    it('rests whatever other pods do on the GPU', () => {
      const world = openTwice();
      const instances = world.gpu.instances.map((one) => ({ ...one, busy: true as const, pods: ['team/train'] }));
      world.report({ gpus: [{ ...world.gpu, instances }] });
      expect(triesAgain(world)).to.equal(false);
    });
  });

  it('of a plan that has changed counts for nothing', () => {
    for (const code of ['PlanChanged', 'Stale', 'Stopped'] as const) {
      const world = new FailingNode();
      world.failNext();
      world.failNext({ code });
      expect(triesAgain(world), code).to.equal(true);
      expect(world.memory.waits.GrantFailed?.count, code).to.equal(1);
      world.fail();
      expect(triesAgain(world), code).to.equal(false);
    }
  });

  it('does not make a node Failed if nothing of it counts', () => {
    const world = new FailingNode();
    world.failNext({ code: 'PlanChanged' });
    world.step(1000);
    expect(world.memory.waits.GrantFailed).to.equal(undefined);
  });

  it('counts against the generation that it was granted for, however late it is told', () => {
    const inFlight = new FailingNode();
    inFlight.awaitGrant();
    inFlight.policy = aSlicingPolicy({ generation: 2 });
    inFlight.fail();
    expect(inFlight.step(1000).rolloutState.hasFailed).to.equal(false);
    // A stolen token of an agent says after the next edit that the grant before it has failed.
    const forged = new FailingNode();
    forged.awaitGrant();
    forged.policy = aSlicingPolicy({ generation: 2, layouts: [{ profiles: { '2g.10gb': 3 } }] });
    forged.report({ ...aDevice(forged.gpu), observedEpoch: forged.partition.spec.granted?.epoch ?? 0 });
    forged.step(1000);
    const { policy, wish = { gpus: [] } } = forged.partition.spec;
    expect(policy?.generation).to.equal(2);
    forged.report({ plan: planWish(forged.device, wish).report });
    forged.fail();
    // It has stayed closed: no late pod is waited for a second time.
    const again = forged.step(1000);
    expect(again.rolloutState.hasFailed).to.equal(false);
    expect(namesOf(again)).to.include('WriteGrant');
    forged.fail();
    expect(forged.step(1000).rolloutState.hasFailed).to.equal(true);
  });

  it('does not count once where the kubelet may be restarting: the node stays closed for one more attempt', () => {
    for (const code of ['KubeletUnavailable', 'KubeletSocketMissing', 'KubeletTimeout'] as const) {
      const world = new FailingNode();
      world.pods = [aPluginPod({ tolerates: true })];
      world.failNext({ code });
      for (let seconds = 0; seconds < 4; seconds += 1) {
        expect(world.step(1000).verdict, code).to.include({ phase: 'Updating', transient: true });
        expect(world.rolloutState, code).to.include({ hasFailed: false, isUnderWay: true });
        expect(world.taintKeys, code).to.deep.equal(['repartitioning']);
      }
      world.failOver();
      expect(world.awaitGrant(0.2), code).to.equal(2);
      expect(
        world.done.filter((one) => one.startsWith('EvictPod')),
        code,
      ).to.deep.equal([]);
      world.fail({ code: 'KubeletTimeout' });
      expect(world.step(1000).verdict, code).to.include({ phase: 'Failed' });
      expect(world.rolloutState?.hasFailed, code).to.equal(true);
    }
  });

  it('does not count once where somebody has a GPU open: the node stays closed, and clients go before the next attempt', () => {
    for (const gpu of ['GPU-0', undefined]) {
      const world = new FailingNode();
      world.label(dcgm);
      world.pods = [aPluginPod({ tolerates: true }), aHolderPod('dcgm', { tolerates: true })];
      world.gpuOfFault = gpu;
      world.failNext({ code: 'InUse' });
      expect(world.step(100).verdict, gpu).to.include({ phase: 'Updating', transient: true });
      expect(world.rolloutState, gpu).to.include({ hasFailed: false, isUnderWay: true });
      expect(world.taintKeys, gpu).to.deep.equal(['repartitioning']);
      world.failOver();
      for (let seconds = 0; seconds < 3; seconds += 1) world.step(1000);
      expect(world.labels, gpu).to.include({ 'nvidia.com/gpu.deploy.dcgm': 'paused-for-mig-change' });
      world.pods = [aPluginPod({ tolerates: true })];
      expect(world.awaitGrant(0.2), gpu).to.equal(2);
      world.fail({ code: 'InUse' });
      expect(world.step(1000).rolloutState.hasFailed, gpu).to.equal(true);
    }
  });

  it('leaves clients away that it has paused, until the attempt that follows one in which somebody had a GPU open', () => {
    const world = new FailingNode();
    world.label(dcgm);
    world.report({ plan: { ...planWish(world.device, aWish).report, modeChanges: 1 } });
    world.failNext({ code: 'InUse' });
    for (let seconds = 0; seconds < 8; seconds += 1) {
      world.step(1000);
      expect(world.labels).to.include({ 'nvidia.com/gpu.deploy.dcgm': 'paused-for-mig-change' });
    }
    expect(world.partition.spec.granted?.epoch).to.equal(2);
  });

  it('does not count if the plan has changed, the grant was replaced or the agent was stopped', () => {
    for (const code of ['PlanChanged', 'Stale', 'Stopped'] as const) {
      const world = new FailingNode();
      world.failNext({ code });
      for (let steps = 0; steps < 5 && world.partition.spec.granted?.epoch === 1; steps += 1) {
        expect(world.step(100).verdict.phase, code).to.equal('Updating');
        expect(world.taintKeys, code).to.deep.equal(['repartitioning']);
      }
      expect(world.partition.spec.granted?.epoch, code).to.equal(2);
      expect(world.rolloutState?.hasFailed, code).to.equal(false);
    }
  });

  describe('and rests', () => {
    const resting = (): FailingNode => {
      const world = new FailingNode();
      world.failTwice();
      expect(triesAgain(world)).to.equal(false);
      return world;
    };

    it('is tried again at another generation of the policy', () => {
      const world = resting();
      world.policy = aSlicingPolicy({ generation: 2 });
      expect(triesAgain(world)).to.equal(true);
    });

    it('is tried again when another schedule, or another choice of a demand, makes something else of the node', () => {
      const world = resting();
      world.awaitGrant(2);
      world.fail();
      expect(triesAgain(world), 'two minutes').to.equal(false);
      world.policy = aSlicingPolicy({ layouts: [{ profiles: { '3g.20gb': 2 } }] });
      world.step();
      const { wish } = world.partition.spec;
      if (!wish) throw new Error('no wish');
      world.report({ plan: planWish(world.device, wish).report });
      expect(triesAgain(world)).to.equal(true);
      expect(world.rolloutState?.hasFailed, 'the rollout still knows of it').to.equal(true);
    });

    it('is tried again when the device has changed', () => {
      const world = resting();
      world.gpu = aGpu({ slices: ['1g.5gb@0'] });
      world.report({ gpus: [world.gpu] });
      world.advertise({ 'nvidia.com/gpu': '0', 'nvidia.com/mig-1g.5gb': '1' });
      expect(triesAgain(world)).to.equal(true);
    });

    it('is tried again with another driver, and after a restart', () => {
      const driver = resting();
      driver.report({ driverVersion: '560.1' });
      expect(triesAgain(driver)).to.equal(true);
      const restarted = resting();
      restarted.report({ bootID: 'boot-b' });
      restarted.node = { ...restarted.node, status: { ...restarted.node.status, nodeInfo: { bootID: 'boot-b' } } };
      expect(triesAgain(restarted)).to.equal(true);
    });

    it('is tried again when somebody asks for it, and rests again after two more', () => {
      const world = resting();
      const { metadata } = world.node;
      world.node = { ...world.node, metadata: { ...metadata, annotations: { 'gpupartition.dev/retry': 'now' } } };
      world.failTwice();
      expect(triesAgain(world)).to.equal(false);
    });

    it('is forgotten when the node is ready', () => {
      const world = resting();
      world.gpu = aGpu({ slices: ['7g.40gb@0'] });
      world.report({ ...slicedGpu, step: 'Idle' });
      world.advertise({ 'nvidia.com/gpu': '0', 'nvidia.com/mig-7g.40gb': '1' });
      for (let steps = 0; steps < 5; steps += 1) world.step(1000);
      expect(world.last.verdict.phase).to.equal('Ready');
      expect(world.memory.waits.GrantFailed).to.equal(undefined);
    });
  });

  it('counts where the agent has not answered in time, once', () => {
    const world = new FailingNode();
    world.partition = aManagedPartition({
      granted: aGrant({ deadline: new Date(noon + 1000).toISOString() }),
      device: { ...aDevice(world.gpu), observedEpoch: 2 },
    });
    for (let steps = 0; steps < 5; steps += 1) world.step(1000);
    expect(world.memory.waits.GrantFailed?.count).to.equal(1);
    world.fail({ code: 'Expired' });
    world.step(1000);
    expect(world.memory.waits.GrantFailed?.count).to.equal(1);
  });

  it('counts failures of this generation, and of no other', () => {
    const world = new FailingNode();
    world.failNext();
    world.failNext({ code: 'Timeout' });
    world.step(1000);
    expect(world.memory.waits.GrantFailed?.count).to.equal(2);
    world.policy = aSlicingPolicy({ generation: 2 });
    world.failNext();
    world.step(1000);
    expect(world.memory.waits.GrantFailed?.count).to.equal(1);
  });
});
