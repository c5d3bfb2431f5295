import { expect } from 'chai';
import type { DeviceReport } from '../../../../src/api/types.ts';
import { aDevice, aGpu, uuidOf } from '../../../support/builders.ts';
import {
  advertisesSlice,
  aGrant,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSlicingPolicy,
  aSituation,
  aSnapshot,
  changeOf,
  namesOf,
  noMemory,
  noon,
  slicedGpu,
  taints,
  wholeGpu,
} from '../../../support/node-builders.ts';
import type { NodeMemory } from '../../../../src/core/node/memory.ts';
import type { Outcome, Ruling } from '../../../../src/core/node/outcome.ts';
import { keyOf } from '../../../../src/core/node/rules/fence-situation.ts';
import { openIdle } from '../../../../src/core/node/rules/open.ts';
import { noteUntouched } from '../../../../src/core/node/rules/untouched.ts';
import { NodeWorld } from '../../../support/node-world.ts';
import type { PodView } from '../../../../src/core/pods/pod-view.ts';

const state = 'gpupartition.dev/state';
const migState = 'nvidia.com/mig.config.state';
const updating = { [state]: 'updating' };

const failed: DeviceReport = {
  ...wholeGpu,
  step: 'Failed',
  error: { code: 'CommandFailed', message: 'it said no' },
};
const failedGrant = aManagedPartition({ granted: aGrant(), device: failed });

describe('a node whose change has failed', () => {
  it('keeps its start-up taint, and loses ours: no layout of it was ever verified', () => {
    const world = new NodeWorld({ node: aNode({ taints: taints.both, labels: updating }), partition: failedGrant });
    expect(world.step().verdict).to.include({ phase: 'Failed', reason: 'Failed' });
    expect(world.taintKeys).to.deep.equal(['uninitialized']);
    world.settle();
    expect(world.taintKeys).to.deep.equal(['uninitialized']);
  });

  it('is opened when its plugin has been replaced and advertises what the device is', () => {
    const node = aNode({ taints: taints.closed, labels: updating });
    const world = new NodeWorld({ node, partition: failedGrant, pods: [aPluginPod({ uid: 'old', tolerates: true })] });
    const { verdict } = world.step();
    expect(verdict.message).to.match(/^CommandFailed: it said no\. The node stays closed: no GPU changes now[:,] /);
    expect(world.done).to.deep.equal(['PatchNode', 'EvictPod old']);
    world.pods = [aPluginPod({ uid: 'new', tolerates: true })];
    world.advertise({});
    world.step(1000);
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    world.advertise({ 'nvidia.com/gpu': '1' });
    world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.labels).to.include({ [state]: 'failed', [migState]: 'failed' });
  });

  it('is looked at again for its plugin, however far away the next try is', () => {
    const node = aNode({ taints: taints.closed, labels: updating });
    const world = new NodeWorld({ node, partition: failedGrant, pods: [aPluginPod({ tolerates: true })] });
    expect(world.step().verdict.requeueAfterMs).to.be.below(30_001);
  });

  it('gets labels that tell of its device as it is', () => {
    const node = aNode({
      taints: taints.closed,
      labels: { ...updating, 'nvidia.com/mig-3g.20gb.count': '2' },
      annotations: { 'gpupartition.dev/managed-labels': 'mig-3g.20gb.count' },
      allocatable: {},
    });
    const world = new NodeWorld({ node, partition: failedGrant });
    world.settle();
    expect(world.labels).not.to.have.property('nvidia.com/mig-3g.20gb.count');
    expect(world.labels).to.include({ 'nvidia.com/gpu.count': '1' });
  });
});

describe('a closed node whose policy goes', () => {
  const closed = aNode({ taints: taints.closed, labels: updating, allocatable: advertisesSlice });
  const granted = aManagedPartition({ granted: aGrant(), device: slicedGpu });

  // Seed 1003315 of the model.
  it('is not opened by what was read before its GPUs became unreadable: a plugin that starts now has to tell', () => {
    for (const pods of [[], [aPluginPod({ uid: 'old' })]]) {
      const world = new NodeWorld({ policy: undefined, node: closed, partition: granted, pods });
      world.report({ step: 'Unknown', error: { code: 'Timeout', message: 'no answer' } });
      for (let second = 0; second < 60; second += 1) world.step(1000);
      expect(world.taintKeys).to.deep.equal(['repartitioning']);
      world.advertise({});
      world.pods = [];
      world.step(1000);
      expect(world.taintKeys).to.deep.equal([]);
    }
  });

  // Seed 1002939.
  it('is judged by the strategy that its plugin runs with, where nothing else tells it', () => {
    const { gpus = [] } = aDevice(aGpu(), aGpu({ index: 1, slices: [] }));
    const world = new NodeWorld({
      policy: undefined,
      node: aNode({ taints: taints.closed, labels: updating, allocatable: {} }),
      partition: aManagedPartition({ granted: aGrant(), device: { ...slicedGpu, gpus } }),
      pods: [aPluginPod({ uid: 'old', strategy: 'single', tolerates: true })],
    });
    world.settle();
    world.pods = [aPluginPod({ uid: 'new', strategy: 'single', tolerates: true })];
    // A plugin with strategy single does not start on such a node, and offers nothing.
    for (let second = 0; second < 30; second += 1) world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
  });
});

describe('a closed node whose plugin runs with another strategy than its policy says, and whose rollout is paused', () => {
  // By the policy's strategy no whole GPU should be offered: two of them would not exist.
  it('is opened by what its plugin makes of the device, whatever its agent takes for stale', () => {
    const resources = { 'nvidia.com/gpu': 1 };
    const profiles = { '1g.5gb': 7 };
    const world = new NodeWorld({
      policy: aSlicingPolicy({ layouts: [{ profiles }], rollout: { paused: true } }),
      node: aNode({ taints: taints.closed, labels: updating, allocatable: {} }),
      partition: aManagedPartition({
        granted: aGrant(),
        wish: { gpus: [{ uuid: uuidOf(0), profiles }] },
        device: { ...slicedGpu, advertised: { resources, stale: 1 } },
      }),
      pods: [aPluginPod({ uid: 'old', strategy: 'none', tolerates: true })],
    });
    world.slot = undefined;
    world.advertise({ 'nvidia.com/gpu': '1' });
    for (let second = 0; second < 30; second += 1) world.step(1000);
    expect(world.done).to.include('EvictPod old');
    world.pods = [aPluginPod({ uid: 'new', strategy: 'none', tolerates: true })];
    for (let second = 0; second < 30; second += 1) world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
  });
});

describe('a node that is closed for a change and opened again', () => {
  it('is not taken for untouched when a grant failed in between, whatever the device looks like', () => {
    const world = new NodeWorld({ partition: failedGrant, pods: [aPluginPod({ uid: 'old', tolerates: true })] });
    for (let second = 0; second < 10; second += 1) world.step(1000);
    expect(world.done.at(-1)).to.equal('WriteGrant');
    const { epoch = 0 } = world.partition.spec.granted ?? {};
    world.report({ ...failed, observedEpoch: epoch });
    expect(world.step(1000).verdict.message).to.include('The node stays closed: ');
    expect(world.done).to.include('EvictPod old');
  });

  it('has the labels of its device, even if nothing was granted', () => {
    const annotations = { 'gpupartition.dev/managed-labels': 'mig-3g.20gb.count' };
    const node = aNode({ labels: { 'nvidia.com/mig-3g.20gb.count': '2' }, annotations });
    const world = new NodeWorld({ node });
    world.step();
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    world.policy = aSlicingPolicy({ mode: 'Plan' });
    world.step();
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.labels).not.to.have.property('nvidia.com/mig-3g.20gb.count');
  });
});

describe('a ruling that opens a node', () => {
  const ruling: Ruling = {
    ifClosed: 'Opens',
    verdict: { phase: 'Failed', reason: 'Failed', message: 'it said no' },
    commands: [{ name: 'WriteMonitors', claims: ['a'] }],
    waits: { Budgets: { since: noon } },
    leavesAlone: true,
  };
  const closed = { taints: taints.closed, labels: updating };
  const old = aPluginPod({ uid: 'old', tolerates: true });
  const openWith = (
    said: Ruling,
    {
      node = closed,
      partition = failedGrant,
      memory = noMemory,
      isUnread = false,
      pods = [old],
      ...more
    }: OpenParts = {},
  ) =>
    openIdle(
      { ...aSnapshot({ node: aNode(node), partition, ...more }), partition, memory, ...(!isUnread && { pods }) },
      said,
    );
  interface OpenParts {
    readonly node?: Parameters<typeof aNode>[0];
    readonly partition?: typeof failedGrant;
    readonly pods?: readonly PodView[];
    /** Its pods have not been listed. */
    readonly isUnread?: boolean;
    readonly memory?: NodeMemory;
    readonly policy?: undefined;
  }
  const rulingOf = (outcome: Outcome): Ruling => {
    if ('needs' in outcome) throw new Error(`it needs ${outcome.needs}`);
    return outcome;
  };
  const requeueOf = (requeueAfterMs?: number): number | undefined =>
    rulingOf(
      openWith({ ...ruling, verdict: { ...ruling.verdict, ...(requeueAfterMs !== undefined && { requeueAfterMs }) } }),
    ).verdict.requeueAfterMs;

  it('is carried out while the node waits for its plugin, and looked at for both', () => {
    const outcome = rulingOf(openWith(ruling));
    expect(outcome).to.include({ ifClosed: 'Stays', leavesAlone: true });
    expect(outcome.verdict.message).to.match(/^it said no\. The node stays closed: /);
    expect(outcome.commands?.map(({ name }) => name)).to.deep.equal(['WriteMonitors', 'PatchNode', 'EvictPod']);
    expect(outcome.waits).to.include.keys('Budgets', 'Advertised');
    const own = requeueOf();
    expect(requeueOf(10)).to.equal(10);
    expect(requeueOf(3600_000)).to.equal(own);
  });

  it('without a policy says what the node waits for, and gives the wish up at once', () => {
    const released: Ruling = { ...ruling, verdict: { phase: 'Unmanaged', reason: 'NoPolicy', message: 'no policy' } };
    const outcome = rulingOf(openWith(released, { policy: undefined }));
    expect(outcome.verdict.phase).to.equal('Updating');
    expect(outcome.verdict.message).to.not.include('no policy');
    expect(outcome.commands?.map(({ name }) => name)).to.deep.equal(['WriteMonitors', 'PatchNode', 'EvictPod']);
    expect(outcome.waits).to.include.keys('Budgets', 'Advertised');
    const bare = { ifClosed: released.ifClosed, verdict: released.verdict };
    expect(namesOf({ commands: rulingOf(openWith(bare)).commands ?? [] })).to.deep.equal(['PatchNode', 'EvictPod']);
  });

  it('leaves a node with a start-up taint as it is, unless our taint is there or its policy has gone', () => {
    const node = { taints: taints.startup, labels: updating };
    const released: Ruling = { ...ruling, verdict: { phase: 'Unmanaged', reason: 'NoPolicy', message: 'no policy' } };
    expect(openWith(ruling, { node })).to.equal(ruling);
    expect(rulingOf(openWith(ruling, { node: { ...node, taints: taints.both } })).commands).to.have.length(2);
    expect(rulingOf(openWith(released, { node })).commands).to.have.length(2);
  });

  it('reads the plugin’s pods first: they tell with which strategy it runs, and which of them are old', () => {
    expect(openWith(ruling, { isUnread: true })).to.deep.equal({ needs: 'Pods' });
    const advertised = { stale: 0, resources: { 'nvidia.com/gpu': 1 } };
    const told = aManagedPartition({ granted: aGrant(), device: { ...wholeGpu, advertised } });
    const of = keyOf(aSituation({ node: aNode(closed), partition: told }));
    const memory = { ...noMemory, waits: { AdvertisedEarly: { since: noon - 1000, of } } };
    expect(openWith(ruling, { isUnread: true, partition: told, memory })).to.deep.equal({ needs: 'Pods' });
    const silent = aManagedPartition({ granted: aGrant(), device: { ...wholeGpu, step: 'Unknown' } });
    expect(openWith(ruling, { isUnread: true, partition: silent })).to.deep.equal({ needs: 'Pods' });
  });

  it('replaces the plugin of a silent device once for each grant', () => {
    const silentAt = (epoch: number) =>
      aManagedPartition({ granted: aGrant({ epoch }), device: { ...wholeGpu, step: 'Unknown' } });
    const markAt = (epoch: number) => {
      const outcome = rulingOf(openWith(ruling, { partition: silentAt(epoch) }));
      return outcome.commands?.flatMap((one) =>
        one.name === 'PatchNode' ? Object.values(one.change.annotations ?? {}) : [],
      );
    };
    const released: Ruling = { ...ruling, verdict: { phase: 'Unmanaged', reason: 'NoPolicy', message: 'no policy' } };
    expect(openWith(released, { partition: silentAt(3), policy: undefined })).to.not.have.property('marks');
    expect(markAt(3)).to.have.length(1).and.not.deep.equal(markAt(4));
  });

  it('labels a node that nothing has touched in the write that opens it, where its labels are ours', () => {
    const allocatable = { 'nvidia.com/gpu': '1' };
    const open = aSnapshot({ node: aNode({ allocatable }), partition: aManagedPartition() });
    const partition = aManagedPartition();
    const waits = noteUntouched({ ...open, partition, memory: noMemory }, []) ?? {};
    const memory = { ...noMemory, waits };
    const labelsOf = (node: Parameters<typeof aNode>[0]) =>
      changeOf({
        commands:
          rulingOf(openWith({ ...ruling, commands: [] }, { node: { ...closed, ...node }, partition, pods: [], memory }))
            .commands ?? [],
      }).labels ?? {};
    expect(labelsOf({})).to.not.have.property('nvidia.com/gpu.count');
    const labels = { ...updating, 'nvidia.com/mig-3g.20gb.count': '2' };
    const ours = { labels, annotations: { 'gpupartition.dev/managed-labels': 'mig-3g.20gb.count' } };
    expect(labelsOf(ours)).to.include({ 'nvidia.com/gpu.count': '1', 'nvidia.com/mig-3g.20gb.count': undefined });
  });
});

describe('a node that is open and waits', () => {
  it('has labels that tell of its device when that has changed', () => {
    const annotations = { 'gpupartition.dev/managed-labels': 'mig-3g.20gb.count' };
    const node = aNode({ labels: { 'nvidia.com/mig-3g.20gb.count': '2' }, annotations });
    const policy = aSlicingPolicy({ rollout: { paused: true } });
    const world = new NodeWorld({ node, policy });
    world.slot = undefined;
    expect(world.step().verdict.reason).to.equal('Paused');
    expect(world.labels).not.to.have.property('nvidia.com/mig-3g.20gb.count');
    expect(world.labels).to.include({ 'nvidia.com/gpu.count': '1' });
    world.settle();
    expect(world.done).to.deep.equal(['PatchNode']);
  });

  it('has none written where they were never ours', () => {
    const world = new NodeWorld({ policy: aSlicingPolicy({ rollout: { paused: true } }) });
    world.slot = undefined;
    world.settle();
    expect(world.done).to.deep.equal([]);
  });
});

describe('mig-manager’s state label', () => {
  const done = aManagedPartition({ device: slicedGpu });

  function aReadyNode(value?: string): NodeWorld {
    const labels = value === undefined ? {} : { [migState]: value };
    const world = new NodeWorld({ node: aNode({ allocatable: advertisesSlice, labels }), partition: done });
    world.settle();
    expect(world.labels).to.include({ [state]: 'ready', [migState]: 'success' });
    return world;
  }

  it('is borrowed, and given back with the policy', () => {
    const world = aReadyNode('rebooting');
    world.policy = undefined;
    world.settle();
    expect(world.labels[migState]).to.equal('rebooting');
    const fresh = aReadyNode();
    fresh.policy = undefined;
    fresh.settle();
    expect(fresh.labels).not.to.have.property(migState);
  });

  it('does not say success while something is waited for, refused or failed', () => {
    const change = aSlicingPolicy({ generation: 2, layouts: [{ profiles: { '1g.5gb': 7 } }] });
    const of = (more: object): NodeWorld => {
      const world = aReadyNode();
      Object.assign(world, { policy: change }, more);
      world.settle();
      // The agent plans the wish that was just written.
      world.partition = aManagedPartition({ ...world.partition.spec, device: slicedGpu });
      Object.assign(world, more);
      world.settle();
      return world;
    };
    const pods = [{ ...aPluginPod(), metadata: { name: 'x' } }];
    const paused = aSlicingPolicy({ generation: 2, layouts: change.spec.layouts ?? [], rollout: { paused: true } });
    expect(of({ policy: paused, pods, slot: undefined }).labels).to.include({
      [state]: 'waiting',
      [migState]: 'pending',
    });
    const refusal = { reason: 'DoesNotFit' as const, message: 'needs 9 of 8' };
    expect(of({ claim: { wish: { refusal } } }).labels).to.include({ [state]: 'failed', [migState]: 'failed' });
    const hold = { kind: 'Refused', message: 'needs 9 of 8' } as const;
    expect(of({ claim: { isInForce: false, hold, wish: undefined } }).labels[migState]).to.equal('failed');
  });

  it('is not touched on a node that was never changed', () => {
    const refusal = { reason: 'DoesNotFit' as const, message: 'needs 9 of 8' };
    const world = new NodeWorld({ claim: { wish: { refusal } } });
    world.settle();
    expect(world.labels).not.to.have.any.keys(state, migState);
  });

  it('says pending while the node is closed', () => {
    const world = new NodeWorld({ pods: [aPluginPod()] });
    world.step();
    expect(world.labels).to.include({ [state]: 'updating', [migState]: 'pending' });
  });
});
