import { expect } from 'chai';
import { repartitioningTaint, restartedValue } from '../../../../src/api/names.ts';
import { aDevice, aPartition } from '../../../support/builders.ts';
import {
  advertisesSlice,
  aGrant,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSlot,
  aSituation,
  aSlicingPolicy,
  changeOf,
  checkingHold,
  judge,
  namesOf,
  noMemory,
  noon,
  notInForce,
  refusedHold,
  slicedGpu,
  taints,
  wholeGpu,
} from '../../../support/node-builders.ts';
import type { NodeMemory } from '../../../../src/core/node/memory.ts';
import { agentAway, driverReplaced, notReadSinceBoot, tellWish } from '../../../../src/core/node/rules/wish.ts';
import { NodeWorld } from '../../../support/node-world.ts';

const done = aManagedPartition({ device: slicedGpu });
const ready = aNode({ allocatable: advertisesSlice, labels: { 'gpupartition.dev/state': 'ready' } });
const error = { code: 'DriverUnavailable' as const, message: 'no driver' };

describe('an agent that has not reported', () => {
  it('is named, or what it cannot read', () => {
    const silent = judge({ partition: aPartition() });
    expect(silent.verdict).to.include({ phase: 'Pending', reason: 'AgentNotReporting', transient: true });
    const blind = judge({ partition: aPartition({ device: { step: 'Unknown', error } }) });
    expect(blind.verdict.message).to.include('DriverUnavailable: no driver');
    expect(blind.verdict.transient).not.to.equal(true);
  });

  it('leaves a closed node closed: unreported GPUs are not missing GPUs', () => {
    const node = aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } });
    const { commands } = judge({ node, partition: aPartition() }, { pods: [aPluginPod()] });
    expect(commands).to.deep.equal([]);
  });
});

describe('an agent that is away', () => {
  const away = { state: 'NotReady', why: 'pod agents/a: CrashLoopBackOff' } as const;

  it('is not trusted: a device that it called done is not Ready, and nothing is granted', () => {
    for (const partition of [done, aManagedPartition()]) {
      const { verdict, commands } = judge({ agent: away, partition, node: ready });
      expect(verdict).to.include({ phase: 'Pending', reason: 'AgentNotReporting' });
      expect(verdict.message).to.include('CrashLoopBackOff').and.include('is not trusted');
      expect(commands).to.deep.equal([]);
    }
  });

  it('does not make a node not Ready while its DaemonSet may just replace it', () => {
    const world = new NodeWorld({ partition: done, node: ready });
    expect(world.settle().verdict.phase).to.equal('Ready');
    world.agent = { state: 'NotReady', why: 'pod agents/a: is being terminated' };
    const brief = world.step(1000);
    expect(brief.verdict).to.include({ phase: 'Ready', reason: 'Ready' });
    expect(brief.verdict.requeueAfterMs).to.be.within(29_000, 31_000);
    expect(world.step(31_000).verdict).to.include({ phase: 'Pending', reason: 'AgentNotReporting' });
  });

  it('is a reason at once where anything of the node is to change', () => {
    const world = new NodeWorld({ partition: done, node: ready });
    world.settle();
    world.agent = { state: 'Missing' };
    world.policy = aSlicingPolicy({ generation: 2, layouts: [{ mig: 'Disabled' }] });
    expect(world.step(1000).verdict.phase).to.equal('Pending');
    world.policy = aSlicingPolicy();
    world.report({ gpus: wholeGpu.gpus ?? [] });
    expect(world.step(1000).verdict.phase).to.equal('Pending');
  });

  it('is told of when it lasts, since its DaemonSet may just replace it', () => {
    const { verdict, memory } = judge({ agent: { state: 'Missing' }, partition: done });
    expect(verdict).to.include({ transient: true });
    expect(verdict.message).to.include('no agent pod runs on node n');
    const later = judge({ agent: { state: 'Missing' }, partition: done, now: noon + 31_000 }, {}, memory);
    expect(later.verdict.transient).to.equal(false);
    expect(later.verdict.message).to.equal(verdict.message);
  });

  it('does not keep a node closed forever: the plugin is replaced, and shows what is there', () => {
    const node = aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } });
    const pods = [aPluginPod({ uid: 'old' })];
    const world = new NodeWorld({ node, partition: done, pods, agent: { state: 'Missing' } });
    world.step();
    world.step(20_000);
    expect(world.done).to.deep.equal([]);
    const { verdict } = world.step(20_000);
    expect(verdict.message).to.include('no agent pod runs on node n').and.include('The node stays closed');
    expect(world.done).to.deep.equal(['PatchNode', 'EvictPod old']);
    world.advertise({});
    world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
    world.pods = [aPluginPod({ uid: 'new' })];
    world.advertise(advertisesSlice);
    world.settle();
    world.agent = { state: 'Ready' };
    expect(world.step(1000).verdict.phase).to.equal('Ready');
    expect(world.done.filter((what) => what.startsWith('EvictPod'))).to.have.lengthOf(1);
  });

  it('opens a node that was closed for a grant that is not given', () => {
    const world = new NodeWorld({ pods: [aPluginPod()] });
    world.step();
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    world.agent = { state: 'Missing' };
    world.step();
    world.step(31_000);
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.done).to.deep.equal(['PatchNode', 'PatchNode']);
  });

  it('takes the slot from a node that is open only for a device plugin which never came', () => {
    const node = aNode({ allocatable: {}, labels: { 'gpupartition.dev/state': 'updating' } });
    const world = new NodeWorld({ node, partition: done, pods: [], agent: { state: 'Missing' } });
    world.slot = aSlot;
    expect(world.step().rolloutState.isUnderWay).to.equal(true);
    world.step(31_000);
    world.settle();
    expect(world.node.metadata.labels).to.include({ 'gpupartition.dev/state': 'waiting' });
    expect(world.step(1000).rolloutState.isUnderWay).to.equal(false);
  });

  it('leaves the node as it is, closed or open, at first', () => {
    const closed = aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } });
    expect(judge({ agent: away, partition: done, node: closed }).commands).to.deep.equal([]);
  });

  it('keeps nobody from leaving a policy', () => {
    const { verdict } = judge({ agent: away, partition: done, node: ready, policy: undefined });
    expect(verdict.reason).to.equal('NoPolicy');
  });
});

describe('a device that cannot be read', () => {
  it('is never Ready, whatever was read before', () => {
    const partition = aManagedPartition({ device: { ...slicedGpu, step: 'Unknown', error } });
    const { verdict, commands } = judge({ partition, node: ready });
    expect(verdict).to.include({ phase: 'Failed', reason: 'DeviceUnreadable' });
    expect(verdict.message).to.include('DriverUnavailable: no driver');
    expect(commands.filter(({ name }) => name !== 'PatchNode')).to.deep.equal([]);
  });

  it('keeps a node closed that is closed', () => {
    const node = aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } });
    const partition = aManagedPartition({ granted: aGrant(), device: { ...slicedGpu, step: 'Unknown', error } });
    expect(judge({ node, partition }, { pods: [aPluginPod()] }).commands).to.deep.equal([]);
  });
});

describe('a node that was restarted', () => {
  const partition = aManagedPartition({ granted: aGrant(), device: slicedGpu });
  const restarted = aNode({ nodeInfo: { bootID: 'boot-b' }, allocatable: advertisesSlice });

  it('is closed until its agent has looked at the GPUs', () => {
    const { verdict, commands } = judge({ partition, node: restarted });
    expect(verdict).to.include({ phase: 'Updating', reason: 'NodeRestarted' });
    expect(changeOf({ commands }).addTaints).to.deep.equal([{ ...repartitioningTaint, value: restartedValue }]);
    expect(judge({ partition, node: ready }).verdict.phase).to.equal('Ready');
  });

  it('keeps its slot only as long as its kubelet reports', () => {
    const isUnderWay = (ready: 'True' | 'Unknown', bootID: string): boolean => {
      const node = aNode({ nodeInfo: { bootID }, taints: taints.closed, ready });
      const world = new NodeWorld({ node, partition: done, agent: { state: 'Missing' } });
      world.slot = aSlot;
      // By then it would have begun.
      world.now += 3600_000;
      return world.step().rolloutState.isUnderWay;
    };
    expect(isUnderWay('True', 'boot-b')).to.equal(true);
    expect(isUnderWay('Unknown', 'boot-b')).to.equal(false);
    expect(isUnderWay('Unknown', 'boot-a'), 'in the middle of a change').to.equal(true);
  });

  it('stays closed while the agent’s first readings fail', () => {
    const failing = aManagedPartition({ granted: aGrant(), device: { ...slicedGpu, step: 'Unknown', error } });
    const { verdict, commands } = judge({ partition: failing, node: restarted });
    expect(verdict.reason).to.equal('NodeRestarted');
    expect(verdict.message).to.include('DriverUnavailable: no driver');
    expect(namesOf({ commands })).to.deep.equal(['PatchNode']);
  });

  it('says what is wrong with an agent that does not come back', () => {
    const { verdict } = judge({ partition, node: restarted, agent: { state: 'Missing' } });
    expect(verdict.message).to.include('no agent pod runs on node n');
  });

  it('is closed even if its policy is refused or not accepted: what was granted is being made again', () => {
    for (const claim of [notInForce(refusedHold), { hold: refusedHold }, { hold: checkingHold }]) {
      expect(judge({ partition, node: restarted, claim }).verdict.reason).to.equal('NodeRestarted');
    }
  });

  it('is not closed where there is nothing to make again, or where the boot is not known', () => {
    const of = (bootID: string) => aManagedPartition({ device: { ...slicedGpu, bootID } });
    const unknown = aNode({ nodeInfo: { bootID: '' }, allocatable: advertisesSlice });
    expect(judge({ partition: of('boot-a'), node: unknown }).verdict.phase).to.equal('Ready');
    expect(judge({ partition: of('unknown'), node: restarted }).verdict.phase).to.equal('Ready');
    const plan = judge({ partition: of('boot-a'), node: restarted, policy: aSlicingPolicy({ mode: 'Plan' }) });
    expect(plan.verdict.reason).to.equal('PlanOnly');
    const policy = aSlicingPolicy({ layouts: [{ mig: 'Disabled' }] });
    const whole = aManagedPartition({ wish: { gpus: [] }, device: { ...wholeGpu, bootID: 'boot-a' } });
    expect(judge({ partition: whole, node: restarted, policy }).verdict.reason).to.not.equal('NodeRestarted');
  });

  it('is granted no plan of before, even where no slice was there', () => {
    const granted = { ...aGrant(), gpus: [{ uuid: 'GPU-1', mig: 'Disabled' as const }] };
    const reasonIn = (bootID: string): string => {
      const whole = aManagedPartition({ granted, device: { ...wholeGpu, bootID, observedEpoch: granted.epoch } });
      const node = aNode({ nodeInfo: { bootID: 'boot-b' }, taints: taints.closed });
      return judge({ partition: whole, node }).verdict.reason;
    };
    expect(reasonIn('boot-a')).to.equal('AwaitingPlan');
    expect(reasonIn('boot-b')).to.equal('AwaitingGrant');
  });
});

describe('a node whose driver has been replaced', () => {
  const partition = aManagedPartition({ granted: aGrant(), device: slicedGpu });
  const at = (state: string, more: Parameters<typeof aNode>[0] = {}) =>
    aNode({ ...more, labels: { 'nvidia.com/gpu-driver-upgrade-state': state }, allocatable: advertisesSlice });

  it('is closed before gpu-operator opens it: its instances went with the modules, whatever was read before', () => {
    const { verdict, commands } = judge({ partition, node: at('uncordon-required') });
    expect(verdict).to.include({ phase: 'Updating', reason: 'DriverUpgrade' });
    expect(changeOf({ commands }).addTaints).to.deep.equal([{ ...repartitioningTaint, value: restartedValue }]);
    const closed = at('uncordon-required', { taints: taints.closed });
    expect(judge({ partition, node: closed }, { pods: [aPluginPod()] }).commands).to.deep.equal([]);
  });

  it('is not closed before: the driver’s own pods and those that validate it do not tolerate our taint', () => {
    for (const state of ['cordon-required', 'pod-restart-required', 'validation-required', 'upgrade-failed'])
      expect(judge({ partition, node: at(state) }).commands, state).to.deep.equal([]);
  });

  it('is not closed where no layout has to be made again', () => {
    const policy = aSlicingPolicy({ layouts: [{ mig: 'Disabled' }] });
    const whole = aManagedPartition({ wish: { gpus: [] }, device: wholeGpu });
    expect(namesOf(judge({ partition: whole, node: at('uncordon-required'), policy }))).to.not.include('PatchNode');
  });

  it('opens once the layout is there and advertised, with the upgrade done', () => {
    const world = new NodeWorld({ partition, node: at('uncordon-required') });
    expect(world.settle().verdict.reason).to.equal('DriverUpgrade');
    world.node = {
      ...world.node,
      metadata: {
        ...world.node.metadata,
        labels: { ...world.node.metadata.labels, 'nvidia.com/gpu-driver-upgrade-state': 'upgrade-done' },
      },
    };
    expect(world.settle().verdict.reason).to.not.equal('DriverUpgrade');
  });
});

describe('a node without GPUs', () => {
  const none = aDevice();

  it('is Ready and says so, where its agent finds none', () => {
    const { verdict, commands } = judge({ partition: aPartition({ device: none }) });
    expect(verdict).to.include({ phase: 'Ready', reason: 'NoGpus' });
    expect(commands).to.deep.equal([]);
  });

  it('is Ready where nothing says that it has any, so that no agent runs on it', () => {
    const parts = { partition: aPartition(), agent: { state: 'Missing' as const } };
    const unmarked = aNode({ labels: { 'nvidia.com/gpu.present': 'false' } });
    expect(judge({ ...parts, node: unmarked }).verdict).to.include({ phase: 'Ready', reason: 'NoGpus' });
    expect(judge(parts).verdict).to.include({ phase: 'Pending', reason: 'AgentNotReporting' });
  });

  it('is not meant where GPUs were there and are gone: that is a fault', () => {
    const device = { ...none, lastGood: { bootID: 'boot-a', gpus: [{ uuid: 'GPU-1', placements: [] }] } };
    expect(judge({ partition: aPartition({ device }) }).verdict.reason).not.to.equal('NoGpus');
  });

  it('is not kept closed: it had GPUs when it was closed for its first change', () => {
    const world = new NodeWorld({
      node: aNode({ allocatable: {}, taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } }),
      partition: aManagedPartition({ granted: aGrant(), device: none }),
      pods: [aPluginPod()],
    });
    expect(world.step().verdict.phase).to.equal('Updating');
    world.settle();
    world.settle();
    expect(world.taintKeys).to.deep.equal([]);
  });
});

describe('a node whose devices are not as they were read', () => {
  it('is closed once: by our taint of whatever value', () => {
    const node = aNode({
      taints: taints.closed,
      nodeInfo: { bootID: 'boot-b' },
      labels: { 'nvidia.com/gpu-driver-upgrade-state': 'uncordon-required' },
    });
    const situation = aSituation({ node, partition: aManagedPartition({ granted: aGrant() }) });
    for (const rule of [notReadSinceBoot, driverReplaced])
      expect(rule(situation)).to.include({ ifClosed: 'Stays' }).and.not.have.property('commands');
  });

  it('says so where the agent gives no reason', () => {
    const device = { ...wholeGpu, step: 'Unknown' } as const;
    expect(tellWish(aSituation({ partition: aManagedPartition({ device }) })))
      .to.have.nested.property('verdict.message')
      .that.equals('the agent cannot read the GPUs: it gives no reason');
  });
});

describe('a node whose agent has been away for long', () => {
  const away = { ...noMemory, waits: { AgentAway: { since: noon - 60_000 } } };
  const closed = { taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } };
  const rule = (node: Parameters<typeof aNode>[0], memory: NodeMemory = away, epoch = 3) => {
    const partition = aManagedPartition({ granted: aGrant({ epoch }) });
    const parts = { node: aNode(node), partition, agent: { state: 'Missing' } } as const;
    const outcome = agentAway(aSituation(parts, { memory, pods: [aPluginPod({ uid: 'old', tolerates: true })] }));
    return outcome && 'verdict' in outcome ? outcome : undefined;
  };
  const markOf = (outcome: ReturnType<typeof rule>) =>
    Object.values(changeOf({ commands: outcome?.commands ?? [] }).annotations ?? {});

  it('has its plugin replaced, once for each grant, before it is opened', () => {
    const outcome = rule(closed);
    expect(namesOf({ commands: outcome?.commands ?? [] })).to.deep.equal(['PatchNode', 'EvictPod']);
    expect(outcome?.verdict).to.include({ transient: false, requeueAfterMs: 500 });
    expect(outcome?.waits).to.include.keys('AgentAway', 'Advertised');
    expect(markOf(outcome))
      .to.have.length(1)
      .and.not.deep.equal(markOf(rule(closed, away, 4)));
  });

  it('is left alone for the first moments, and looked at again when they are over', () => {
    const early = rule(closed, { ...noMemory, waits: { AgentAway: { since: noon - 10_000 } } });
    expect(early?.verdict).to.include({ transient: true, requeueAfterMs: 20_010 });
    expect(early).to.not.have.property('commands');
  });

  it('is opened without one where it has a start-up taint: that keeps pods away', () => {
    const outcome = rule({ ...closed, taints: taints.both });
    expect(namesOf({ commands: outcome?.commands ?? [] })).to.deep.equal(['PatchNode']);
    expect(outcome?.verdict).to.not.have.property('requeueAfterMs');
  });

  it('keeps its labels then, and loses those of a layout where its devices may have changed', () => {
    const managed = {
      labels: { ...closed.labels, 'nvidia.com/mig-3g.20gb.count': '2' },
      annotations: { 'gpupartition.dev/managed-labels': 'mig-3g.20gb.count' },
    };
    const labelsOf = (outcome: ReturnType<typeof rule>) => changeOf({ commands: outcome?.commands ?? [] }).labels ?? {};
    expect(labelsOf(rule({ ...managed, taints: taints.both }))).to.not.have.property('nvidia.com/mig-3g.20gb.count');
    const annotations = { ...managed.annotations, 'gpupartition.dev/plugin-refreshed': 'unanswered-3/gone' };
    const opened = rule({ ...managed, annotations, taints: taints.closed, allocatable: {} });
    expect(labelsOf(opened)).to.have.property('nvidia.com/mig-3g.20gb.count', undefined);
    expect(opened?.waits).to.include.keys('AgentAway', 'Advertised');
  });

  it('is Ready for the first moments as it was, but not in mode Plan, nor while it changes', () => {
    const partition = aManagedPartition({ device: slicedGpu });
    const Ready = {
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: 'as it was',
      lastTransitionTime: '',
    } as const;
    const known = { ...partition, status: { ...partition.status, conditions: [Ready] } };
    const phaseOf = (node: Parameters<typeof aNode>[0] = {}, policy = aSlicingPolicy()) => {
      const parts = {
        node: aNode({ allocatable: advertisesSlice, ...node }),
        partition: known,
        policy,
        agent: { state: 'Missing' },
      } as const;
      const outcome = agentAway(aSituation(parts));
      return outcome && 'verdict' in outcome ? outcome.verdict.phase : undefined;
    };
    expect(phaseOf()).to.equal('Ready');
    expect(phaseOf({}, aSlicingPolicy({ mode: 'Plan' }))).to.equal('Pending');
    expect(phaseOf({ labels: { 'gpupartition.dev/state': 'updating' } })).to.equal('Pending');
  });

  it('is looked at with its pods first', () => {
    const parts = {
      node: aNode(closed),
      partition: aManagedPartition({ granted: aGrant() }),
      agent: { state: 'Missing' },
    } as const;
    expect(agentAway(aSituation(parts, { memory: away }))).to.deep.equal({ needs: 'Pods' });
  });

  it('that is open is not written to', () => {
    expect(rule({})).to.not.have.property('commands');
  });
});
