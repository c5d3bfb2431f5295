import { expect } from 'chai';
import { closeNode } from '../../../../src/core/node/node-marks.ts';
import { keyOf, toldOffer } from '../../../../src/core/node/rules/fence-situation.ts';
import { describeReport } from '../../../../src/core/nvidia/labels/describe-report.ts';
import { computeLabels } from '../../../../src/core/nvidia/labels/node-labels.ts';
import {
  advertisesSlice,
  advertisesWhole,
  aGrant,
  aHolderPod,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSituation,
  aSlot,
  aSnapshot,
  changeOf,
  decideWith,
  judge,
  noMemory,
  noon,
  slicedGpu,
  taints,
} from '../../../support/node-builders.ts';
import { NodeWorld } from '../../../support/node-world.ts';

const updating = { 'gpupartition.dev/state': 'updating' };
const none = { 'nvidia.com/gpu': '0' };
const done = aManagedPartition({ granted: aGrant(), device: slicedGpu });
const deploy = 'nvidia.com/gpu.deploy.device-plugin';

/** A node that was closed for grant 3, which the agent has carried out; it advertises what was before. */
function aDoneChange(more: ConstructorParameters<typeof NodeWorld>[0] = {}): NodeWorld {
  return new NodeWorld({
    node: aNode({ taints: taints.closed, labels: updating }),
    partition: done,
    pods: [aPluginPod({ uid: 'old' })],
    ...more,
  });
}

const evictions = (world: NodeWorld) => world.done.filter((what) => what.startsWith('EvictPod'));

describe('the device plugin of a node whose device is done', () => {
  it('is evicted, and which pods were is written down before', () => {
    const world = aDoneChange();
    const { commands, verdict } = world.step();
    expect(commands.map(({ name }) => name)).to.deep.equal(['PatchNode', 'EvictPod']);
    expect(world.node.metadata.annotations?.['gpupartition.dev/plugin-refreshed']).to.match(
      /^3-[0-9a-f]{8}@boot-a\/old$/,
    );
    expect(verdict).to.include({ phase: 'Updating', reason: 'AdvertisePending', transient: true });
    expect(verdict.message).to.include('still advertises nvidia.com/gpu 1 instead of nvidia.com/mig-7g.40gb 1');
  });

  it('is not evicted again by another leader, who reads which pods were', () => {
    const world = aDoneChange();
    world.step();
    world.failOver();
    world.pods = [aPluginPod({ uid: 'new' })];
    world.step(1000);
    expect(evictions(world)).to.deep.equal(['EvictPod old']);
  });

  it('is asked to go once in 5 s, and the refusal of a budget is shown', () => {
    const world = aDoneChange();
    world.refusals = { old: 'the disruption budget needs 1 pod' };
    world.step();
    const { verdict } = world.step(1000);
    expect(verdict).to.include({ phase: 'Updating', reason: 'RefreshBlocked' });
    expect(verdict.message).to.include('the disruption budget needs 1 pod');
    world.step(3900);
    expect(evictions(world)).to.have.lengthOf(1);
    world.step(200);
    expect(evictions(world)).to.have.lengthOf(2);
  });

  it('costs no slot on an open node that has failed, until its eviction is due again', () => {
    const world = aDoneChange({ node: aNode({ labels: { 'gpupartition.dev/state': 'ready' } }) });
    world.refusals = { old: 'the disruption budget needs 1 pod' };
    const { slot } = world;
    for (let second = 0; second < 400; second += 5) world.step(5000);
    const asked = evictions(world).length + 1;
    while (evictions(world).length < asked) world.step(1000);
    world.slot = undefined;
    const reasons = [1000, 5000, 5000, 5000].map((ms) => world.step(ms).verdict.reason);
    expect(reasons).to.deep.equal(['RefreshBlocked', 'RefreshBlocked', 'RefreshBlocked', 'AwaitingSlot']);
    expect(evictions(world)).to.have.lengthOf(asked);
    world.slot = slot;
    world.step(200);
    expect(evictions(world)).to.have.lengthOf(asked + 1);
  });

  it('waits for a slot before that, though a budget has refused its eviction, and so does one of two that may be due', () => {
    const ready = { node: aNode({ labels: { 'gpupartition.dev/state': 'ready' } }) };
    const world = aDoneChange(ready);
    world.refusals = { old: 'the disruption budget needs 1 pod' };
    for (let second = 0; second < 100; second += 5) world.step(5000);
    expect(evictions(world).length).to.be.above(1);
    world.slot = undefined;
    expect(world.step(1000).verdict.reason).to.equal('AwaitingSlot');
    const two = aDoneChange({
      ...ready,
      pods: [aPluginPod({ uid: 'old' }), aPluginPod({ uid: 'other', name: 'other' })],
    });
    two.refusals = { old: 'the disruption budget needs 1 pod', other: 'the same' };
    for (let second = 0; second < 400; second += 5) two.step(5000);
    two.slot = undefined;
    const { other: _due, ...evicted } = two.memory.evictions;
    two.memory = { ...two.memory, evictions: evicted };
    expect(two.step(1000).verdict.reason).to.equal('AwaitingSlot');
  });

  it('is asked to go as often as before on a closed node that has waited for too long', () => {
    const world = aDoneChange();
    world.refusals = { old: 'the disruption budget needs 1 pod' };
    for (let second = 0; second < 310; second += 5) world.step(5000);
    const before = evictions(world).length;
    for (let second = 0; second < 60; second += 5) world.step(5000);
    expect(evictions(world).length - before).to.be.above(10);
  });

  it('is not evicted while it ends', () => {
    const world = aDoneChange({ pods: [aPluginPod({ uid: 'old', isLeaving: true })] });
    world.settle();
    expect(evictions(world)).to.deep.equal([]);
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
  });

  it('lets pods come as soon as it advertises the layout, in the write that says Ready', () => {
    const world = aDoneChange({ pods: [aPluginPod({ uid: 'old', tolerates: true })] });
    world.step();
    world.pods = [aPluginPod({ uid: 'new', tolerates: true })];
    world.advertise(none);
    expect(world.step(1000).verdict.phase).to.equal('Updating');
    world.advertise(advertisesSlice);
    const { commands, verdict } = world.step(1000);
    expect(verdict).to.include({ phase: 'Ready', reason: 'Ready' });
    expect(commands.map(({ name }) => name)).to.deep.equal(['PatchNode']);
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.labels).to.include({ 'gpupartition.dev/state': 'ready', 'gpupartition.dev/layout': '1x7g.40gb' });
    expect(world.labels).to.include({ 'nvidia.com/mig-7g.40gb.count': '1' });
  });

  it('that does not tolerate our taint comes when nothing is advertised, and labels are right before it does', () => {
    const world = aDoneChange();
    world.step();
    world.advertise(none);
    world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.labels).to.include({ 'gpupartition.dev/state': 'updating', 'nvidia.com/mig-7g.40gb.count': '1' });
    world.pods = [aPluginPod({ uid: 'new' })];
    world.advertise(advertisesSlice);
    expect(world.step(1000).verdict.phase).to.equal('Ready');
    expect(world.labels).to.include({ 'gpupartition.dev/state': 'ready' });
  });

  it('has what the kubelet still offers of it taken off by the agent, if the kubelet did not notice its end', () => {
    const stale = { resources: { 'nvidia.com/gpu': 1 }, stale: 1 };
    const world = aDoneChange({
      partition: aManagedPartition({ granted: aGrant(), device: { ...slicedGpu, advertised: stale } }),
    });
    world.step();
    world.pods = [];
    for (const wait of [10, 1000, 1000]) world.step(wait);
    expect(world.done.filter((what) => what.startsWith('WriteUnregister'))).to.deep.equal([
      'WriteUnregister nvidia.com/gpu',
    ]);
    expect(world.partition.spec.unregister).to.deep.equal({ epoch: 3, resources: ['nvidia.com/gpu'] });
    expect(world.step(10).verdict.message).to.include('If that does not help, restart the kubelet');
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    world.report({ advertised: { stale: 0 } });
    world.advertise(none);
    world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
    // An agent that starts later must not end what the next plugin registers.
    expect(world.partition.spec.unregister).to.equal(undefined);
  });

  it('has the taint taken off for it only where a fresh look still finds nothing advertised', () => {
    const world = aDoneChange();
    world.step();
    world.advertise(none);
    const { now, node, partition, settings, memory, agent } = world;
    const snapshot = { ...aSnapshot({ node, partition, agent, now: now + 1000 }), settings };
    const late = decideWith(
      snapshot,
      { node: { ...node, status: { ...node.status, allocatable: advertisesWhole } } },
      memory,
    );
    expect(late.reads).to.deep.equal(['All']);
    expect(late.commands).to.deep.equal([]);
    expect(decideWith(snapshot, {}, memory).commands).to.have.lengthOf(1);
  });

  it('takes a start-up taint off with the first layout that is advertised', () => {
    const world = aDoneChange({ node: aNode({ taints: taints.both, labels: updating, allocatable: advertisesSlice }) });
    world.step();
    world.pods = [aPluginPod({ uid: 'new' })];
    for (let second = 0; second < 3; second += 1) world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
  });

  it('is not trusted while the kubelet offers devices that are gone', () => {
    const device = { ...slicedGpu, advertised: { stale: 1, resources: { 'nvidia.com/mig-7g.40gb': 1 } } };
    const world = aDoneChange({
      partition: aManagedPartition({ granted: aGrant(), device }),
      node: aNode({ taints: taints.closed, labels: updating, allocatable: advertisesSlice }),
      pods: [],
    });
    const { verdict } = world.step();
    expect(verdict.message).to.include('1 of the devices that it offers no longer exists');
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
  });

  it('that runs with another strategy is named, and the node is opened with what it makes of the device', () => {
    const single = { strategy: 'single', tolerates: true };
    const world = aDoneChange({ pods: [aPluginPod({ uid: 'old', ...single })] });
    const { verdict } = world.step();
    expect(verdict).to.include({ phase: 'Failed', reason: 'StrategyMismatch' });
    expect(verdict.message).to.include('gpu/plugin').and.include('The node stays closed: ');
    // It advertises one GPU, as it will of the one slice: only a plugin that has read the device since tells which it is.
    expect(world.done).to.deep.equal(['PatchNode', 'EvictPod old']);
    world.pods = [aPluginPod({ uid: 'new', ...single })];
    for (let second = 0; second < 4; second += 1) world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.labels).to.include({ 'nvidia.com/mig.strategy': 'single' });
  });

  it('that does not come back makes the node Failed, and the node stays closed', () => {
    const world = aDoneChange({ pods: [aPluginPod({ uid: 'old', tolerates: true })] });
    world.step();
    world.advertise(none);
    for (let minute = 0; minute < 6; minute += 1) world.step(60_000);
    const { verdict } = world.step(1000);
    expect(verdict).to.include({ phase: 'Failed', reason: 'AdvertisePending' });
    expect(verdict.message).to.match(/^since 2026-01-01T12:00:00Z: /);
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
  });

  it('has its deadline from before a change of leader', () => {
    const world = aDoneChange({ pods: [aPluginPod({ uid: 'old', tolerates: true })] });
    world.step();
    world.advertise(none);
    for (let minute = 0; minute < 4; minute += 1) world.step(60_000);
    world.failOver();
    world.step(1000);
    expect(world.step(90_000).verdict.phase).to.equal('Failed');
  });

  it('is left alone on an open node that advertises nothing for a moment', () => {
    const node = aNode({ labels: { 'gpupartition.dev/state': 'ready' }, allocatable: none });
    const world = aDoneChange({ node });
    expect(world.step().verdict.phase).to.equal('Updating');
    world.step(20_000);
    expect(evictions(world)).to.deep.equal([]);
  });
});

describe('devices that the kubelet offers before it has told the API server', () => {
  const settings = { nodeStatus: 'Write' } as const;
  const wanted = { 'nvidia.com/mig-7g.40gb': 1 };
  const stale = { stale: 1, resources: wanted };
  const followed = { stale: 0, resources: wanted };
  const written = (world: NodeWorld) => world.done.filter((what) => what.startsWith('AdvertiseDevices'));
  const device = { ...slicedGpu, observedEpoch: 3, signalled: { epoch: 3, uids: ['old'] }, advertised: stale };
  const partition = aManagedPartition({ granted: aGrant(), device });

  it('are advertised by the controller, old ones at 0, and the node opens when that has stood for a moment', () => {
    const world = aDoneChange({ settings, partition });
    world.step();
    expect(written(world)).to.deep.equal([]);
    world.report({ advertised: followed });
    const { commands, verdict, reads } = world.step(100);
    expect(commands.map(({ name }) => name)).to.deep.equal(['AdvertiseDevices']);
    expect(verdict.message).to.include('the kubelet offers it already');
    expect(reads).to.include('All');
    expect(written(world)).to.deep.equal(['AdvertiseDevices nvidia.com/mig-7g.40gb=1 nvidia.com/gpu=0']);
    expect(world.node.status?.capacity).to.include({ 'nvidia.com/mig-7g.40gb': '1' });
    expect(world.step(10).verdict).to.include({ reason: 'AdvertisePending', requeueAfterMs: 250 });
    expect(world.step(250).verdict.phase).to.equal('Ready');
    expect(world.taintKeys).to.deep.equal([]);
    expect(evictions(world)).to.deep.equal([]);
  });

  it('are advertised no longer than the kubelet offers them, however long the plugin has been awaited', () => {
    const exact = { ...slicedGpu, advertised: followed };
    const parts = {
      partition: aManagedPartition({ granted: aGrant(), device: exact }),
      node: aNode({
        labels: { 'gpupartition.dev/state': 'ready' },
        allocatable: { 'nvidia.com/gpu': '1', 'nvidia.com/mig-7g.40gb': '1' },
      }),
      slot: undefined,
    };
    const of = keyOf(aSituation(parts));
    const waits = { Advertised: { since: noon - 400_000, of }, AdvertisedEarly: { since: noon - 5000, of } };
    const memory = { ...noMemory, waits };
    expect(judge(parts, { pods: [aPluginPod()] }, memory).verdict.reason).to.equal('AwaitingSlot');
    const closed = changeOf(judge({ ...parts, slot: aSlot }, { pods: [aPluginPod()] }, memory));
    expect(closed.addTaints).to.deep.equal(closeNode().addTaints);
  });

  it('are told by the agent under no strategy of a policy, too', () => {
    const told = aManagedPartition({ device: { ...slicedGpu, advertised: followed } });
    const { strategy: _none, ...spec } = told.spec;
    expect(toldOffer({ partition: { ...told, spec } }, 'mixed')).to.deep.equal(followed);
    expect(toldOffer({ partition: told }, 'single')).to.equal(undefined);
  });

  it('are waited for without another look at the plugin’s pods: what the controller wrote is what the kubelet offers', () => {
    const world = aDoneChange({ settings, partition });
    world.step();
    world.report({ advertised: followed });
    world.step(100);
    const { verdict, reads } = world.step(10);
    expect(verdict.reason).to.equal('AdvertisePending');
    expect(reads).to.deep.equal([]);
  });

  it('are not advertised while a device among them no longer exists, or where the kubelet cannot be asked', () => {
    for (const advertised of [stale, undefined]) {
      const { advertised: _, ...rest } = device;
      const silent = aManagedPartition({ granted: aGrant(), device: { ...rest, ...(advertised && { advertised }) } });
      const world = aDoneChange({ settings, partition: silent });
      world.step();
      world.step(1000);
      expect(written(world)).to.deep.equal([]);
      expect(world.taintKeys).to.deep.equal(['repartitioning']);
    }
  });

  it('are not advertised on a node that is in use: only the kubelet knows when its plugin restarts', () => {
    const world = anOpenedNode();
    world.advertise({ 'nvidia.com/mig-7g.40gb': '0' });
    world.step(1000);
    expect(written(world)).to.have.lengthOf(1);
  });

  /** A node that was opened early. */
  function anOpenedNode(): NodeWorld {
    const world = aDoneChange({ settings, partition });
    world.step();
    world.report({ advertised: followed });
    for (const wait of [100, 10, 250]) world.step(wait);
    expect(world.taintKeys).to.deep.equal([]);
    return world;
  }

  it('close the node again where the kubelet brings back what it offered before, until that is corrected', () => {
    const world = anOpenedNode();
    world.advertise({ 'nvidia.com/gpu': '1', 'nvidia.com/mig-7g.40gb': '0' });
    const { verdict } = world.step(1000);
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    expect(verdict.message).to.include('closed until the kubelet’s status no longer claims what is gone');
    world.step(100);
    expect(written(world)).to.have.lengthOf(2);
    for (const wait of [10, 250]) world.step(wait);
    expect(world.taintKeys).to.deep.equal([]);
    expect(evictions(world)).to.deep.equal([]);
  });

  it('close the node only with a slot, and only as long as the status may be from before the change', () => {
    const late = anOpenedNode();
    late.step(31_000);
    const noSlot = anOpenedNode();
    noSlot.slot = undefined;
    for (const world of [late, noSlot]) {
      world.advertise({ 'nvidia.com/gpu': '1', 'nvidia.com/mig-7g.40gb': '1' });
      world.step(100);
      expect(world.taintKeys).to.deep.equal([]);
    }
    expect(noSlot.rolloutState?.request).to.include({ kind: 'Repair' });
  });

  it('are waited for where the API server forbids the write, which is tried once for each change and reported', () => {
    const world = aDoneChange({ settings, partition });
    world.refusesStatus = true;
    world.step();
    world.report({ advertised: followed });
    world.step(100);
    const { verdict } = world.step(1000);
    expect(verdict.message).to.include('may not write nodes/status');
    world.step(5000);
    expect(written(world)).to.have.lengthOf(1);
    world.advertise({ 'nvidia.com/gpu': '0', 'nvidia.com/mig-7g.40gb': '1' });
    expect(world.step(1000).verdict.phase).to.equal('Ready');
  });

  it('fall to 0 for a plugin that does not tolerate the taint, as soon as its old pod is gone', () => {
    const { signalled: _, ...unsignalled } = device;
    const world = aDoneChange({ settings, partition: aManagedPartition({ granted: aGrant(), device: unsignalled }) });
    world.step();
    expect(evictions(world)).to.deep.equal(['EvictPod old']);
    world.step(100);
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    world.report({ advertised: { stale: 0, resources: {} } });
    world.step(100);
    expect(written(world)).to.deep.equal(['AdvertiseDevices nvidia.com/gpu=0']);
    world.step(100);
    expect(world.taintKeys).to.deep.equal([]);
    world.pods = [aPluginPod({ uid: 'new' })];
    world.report({ advertised: followed });
    world.step(100);
    expect(written(world)).to.have.lengthOf(2);
    expect(world.step(100).verdict.phase).to.equal('Ready');
  });

  it('are not believed to be those of the new plugin while the old pod ends', () => {
    const { signalled: _, ...unsignalled } = device;
    const world = aDoneChange({ settings, partition: aManagedPartition({ granted: aGrant(), device: unsignalled }) });
    world.step();
    world.pods = [aPluginPod({ uid: 'old', isLeaving: true })];
    world.report({ advertised: followed });
    world.step(100);
    world.pods = [];
    world.step(100);
    expect(written(world)).to.deep.equal([]);
  });
});

describe('the device plugin that gpu-operator deploys', () => {
  const gfd = { 'nvidia.com/gfd.timestamp': '1', 'nvidia.com/gpu.count': '1' };
  const paused = JSON.stringify({ [deploy]: { was: 'true', set: 'paused-for-mig-change' } });

  it('is kept away while GPU Feature Discovery’s labels are of before, and comes when they are right', () => {
    const world = aDoneChange({
      node: aNode({
        taints: taints.closed,
        labels: { ...updating, ...gfd, [deploy]: 'true' },
        allocatable: advertisesWhole,
      }),
    });
    world.step();
    world.advertise(none);
    world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.labels[deploy]).to.equal('paused-for-mig-change');
    world.step(10_000);
    expect(world.labels[deploy]).to.equal('paused-for-mig-change');
    world.label(computeLabels(describeReport(slicedGpu), 'mixed').labels);
    for (let second = 0; second < 3 && world.labels[deploy] !== 'true'; second += 1) world.step(1000);
    expect(world.labels[deploy]).to.equal('true');
  });

  it('comes at once where we write the labels: none is of before', () => {
    const labels = { ...updating, [deploy]: 'true' };
    const world = aDoneChange({ node: aNode({ taints: taints.closed, labels, allocatable: advertisesWhole }) });
    world.step();
    world.advertise(none);
    world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.labels[deploy]).to.equal('true');
  });

  it('is not told to stay away where no label deploys it', () => {
    for (const own of [{}, { [deploy]: 'false' }]) {
      const labels = { ...updating, ...gfd, ...own };
      const world = aDoneChange({ node: aNode({ taints: taints.closed, labels, allocatable: advertisesWhole }) });
      world.step();
      world.advertise(none);
      world.step(1000);
      expect(world.taintKeys).to.deep.equal([]);
      expect(world.labels[deploy]).to.equal(own[deploy]);
    }
  });

  it('is the only one to wait for these labels: other pods come back at once', () => {
    const dcgm = 'nvidia.com/gpu.deploy.dcgm';
    const loans = JSON.stringify({ [dcgm]: { was: 'true', set: 'paused-for-mig-change' } });
    const world = aDoneChange({
      node: aNode({
        labels: { ...updating, ...gfd, [dcgm]: 'paused-for-mig-change' },
        annotations: { 'gpupartition.dev/on-loan': loans },
        allocatable: none,
      }),
      pods: [],
    });
    world.step();
    expect(world.labels[dcgm]).to.equal('true');
  });

  it('is not kept away longer than a layout may take to be advertised', () => {
    const world = aDoneChange({
      node: aNode({
        labels: { ...updating, ...gfd, [deploy]: 'paused-for-mig-change' },
        annotations: { 'gpupartition.dev/on-loan': paused },
        allocatable: none,
      }),
      pods: [],
    });
    world.step();
    expect(world.labels[deploy]).to.equal('paused-for-mig-change');
    for (let minute = 0; minute < 6; minute += 1) world.step(60_000);
    expect(world.labels[deploy]).to.equal('true');
  });

  it('that was away while the devices changed is not replaced once more', () => {
    const world = aDoneChange({
      node: aNode({
        taints: taints.closed,
        labels: { ...updating, [deploy]: 'paused-for-mig-change' },
        annotations: { 'gpupartition.dev/on-loan': paused },
        allocatable: none,
      }),
      pods: [],
    });
    world.step();
    expect(world.labels[deploy]).to.equal('true');
    world.pods = [aPluginPod({ uid: 'back', tolerates: true })];
    world.advertise(advertisesSlice);
    world.settle();
    expect(evictions(world)).to.deep.equal([]);
    expect(world.taintKeys).to.deep.equal([]);
  });
});

describe('pods that look at the devices only when they start', () => {
  const note = { 'gpupartition.dev/clients': 'uid-dcgm,uid-gpu-feature-discovery' };

  it('are written down when the node is closed', () => {
    const world = new NodeWorld({ pods: [aHolderPod('dcgm'), aPluginPod()] });
    world.step();
    expect(world.node.metadata.annotations).to.include({ 'gpupartition.dev/clients': 'uid-dcgm' });
    expect(closeNode().addTaints).to.have.lengthOf(1);
  });

  it('are evicted once the device is done, but for GPU Feature Discovery where it would not come back', () => {
    const node = aNode({ taints: taints.closed, labels: updating, annotations: note });
    const pods = [aHolderPod('dcgm'), aHolderPod('gpu-feature-discovery'), aPluginPod({ uid: 'old' })];
    const world = aDoneChange({ node, pods });
    world.step();
    expect(evictions(world)).to.have.members(['EvictPod old', 'EvictPod uid-dcgm']);
    world.advertise(none);
    world.settle();
    world.settle();
    expect(evictions(world)).to.include('EvictPod uid-gpu-feature-discovery');
  });

  it('are forgotten when the node is open', () => {
    const node = aNode({ labels: updating, annotations: note, allocatable: advertisesSlice });
    const world = aDoneChange({ node, pods: [] });
    world.settle();
    expect(world.node.metadata.annotations).not.to.have.property('gpupartition.dev/clients');
  });
});
