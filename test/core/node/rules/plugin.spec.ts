import { computeLabels } from '../../../../src/core/nvidia/labels.ts';
import { expect } from 'chai';
import type { DeviceReport } from '../../../../src/api/types.ts';
import { checkOffer, checkPlugin, keyOf, toldOffer, awaitSignalled } from '../../../../src/core/node/rules/plugin.ts';
import { listPodsToSignal } from '../../../../src/core/node/rules/grant.ts';
import { lookAgainMs } from '../../../../src/core/node/commands.ts';
import type { ConfigFiles } from '../../../../src/core/node/snapshot.ts';
import { aDevice, aGpu, uuidOf } from '../../../support/builders.ts';
import {
  aManagedPartition,
  aNode,
  aPluginPod,
  aSlicingPolicy,
  aSituation,
  judge,
  namesOf,
  someSettings,
  type SnapshotParts,
  taints,
  advertisesSlice,
  advertisesWhole,
  aGrant,
  aHolderPod,
  aSlot,
  aSnapshot,
  changeOf,
  decideWith,
  noMemory,
  noon,
  slicedGpu,
  aClaim,
  aDriverPod,
} from '../../../support/node-builders.ts';
import type { PodView } from '../../../../src/core/kubernetes/pod.ts';
import { closeNode } from '../../../../src/core/node/marks.ts';
import { describeReport } from '../../../../src/core/nvidia/predict.ts';
import { NodeWorld } from '../../../support/node-world.ts';

describe('a node whose device plugin would not offer the new layout', () => {
  it('is not closed where nothing offers its GPUs: that is said first', () => {
    const { verdict, commands } = judge({ node: aNode({ allocatable: {} }) }, { pods: [] });
    expect(verdict).to.include({ phase: 'Failed', reason: 'NoDevicePlugin' });
    expect(commands).to.deep.equal([]);
  });

  it('is not closed for a plugin without a pod, which would not be restarted, unless somebody else does that', () => {
    const settings = { ...someSettings, refusesUnknownPlugin: true };
    const { verdict, commands } = judge({ settings }, { pods: [] });
    expect(verdict).to.include({ phase: 'Failed', reason: 'NoDevicePlugin' });
    expect(verdict.message).to.contain('advertises nvidia.com/gpu 1').and.to.contain('--unknown-device-plugin Await');
    expect(commands).to.deep.equal([]);
    expect(judge({ settings }, { pods: [aPluginPod()] }).verdict.reason).to.equal('AwaitingGrant');
    expect(judge({}, { pods: [] }).verdict.reason).to.equal('AwaitingGrant');
  });

  it('is not closed where the plugin has another strategy', () => {
    const { verdict, commands } = judge({}, { pods: [aPluginPod({ strategy: 'single' })] });
    expect(verdict).to.include({ phase: 'Failed', reason: 'StrategyMismatch' });
    expect(verdict.message).to.include('pod gpu/plugin').and.include('Nothing is touched');
    expect(verdict.requeueAfterMs, 'a plugin is replaced without a word').to.equal(lookAgainMs);
    expect(commands).to.deep.equal([]);
  });

  it('is not touched where the plugin keeps failing, nor while it starts', () => {
    const labels = { 'gpupartition.dev/state': 'ready' };
    const waiting = { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' };
    const crashing = [{ name: 'nvidia-device-plugin', restartCount: 9, state: { waiting } }];
    const of = (containerStatuses?: NonNullable<PodView['status']>['containerStatuses']) => {
      const pod = aPluginPod({ isReady: false });
      const status = { ...pod.status, ...(containerStatuses && { containerStatuses }) };
      return judge({ node: aNode({ labels }) }, { pods: [{ ...pod, status }] });
    };
    const failing = of(crashing);
    expect(failing.verdict).to.include({ phase: 'Failed', reason: 'PluginNotReady' });
    expect(failing.verdict.message).to.match(
      /^the device plugin is not ready: pod gpu\/plugin: .*CrashLoopBackOff.*\. Nothing is/,
    );
    expect(failing.commands).to.deep.equal([]);
    const starting = of();
    expect(starting.verdict).to.include({ phase: 'Pending', reason: 'PluginNotReady', transient: true });
    expect(starting.commands).to.deep.equal([]);
  });

  it('is closed where the plugin cannot start on the present layout: the change is the cure', () => {
    const device = aDevice(aGpu({ slices: ['3g.20gb@4', '1g.5gb@0'] }));
    const strategy = 'single' as const;
    const parts = { policy: aSlicingPolicy({ strategy }), partition: aManagedPartition({ device, strategy }) };
    const pods = [aPluginPod({ strategy, isReady: false })];
    expect(namesOf(judge({ ...parts, node: aNode({ allocatable: {} }) }, { pods }))).to.deep.equal(['PatchNode']);
  });

  it('is told by the pods that fail, if any does, and else by those that start', () => {
    const waiting = { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' };
    const pod = aPluginPod({ name: 'starts', isReady: false });
    const fails: PodView = {
      ...aPluginPod({ name: 'fails', isReady: false }),
      status: { ...pod.status, containerStatuses: [{ name: 'nvidia-device-plugin', state: { waiting } }] },
    };
    const messageOf = (pods: readonly PodView[]) => judge({}, { pods }).verdict.message;
    expect(messageOf([pod, fails]))
      .to.include('gpu/fails')
      .and.not.include('gpu/starts');
    expect(messageOf([pod])).to.include('gpu/starts');
  });

  it('is closed although its plugin is not ready where a start-up taint or a change keeps that away, or its file is missing', () => {
    const pods = [aPluginPod({ isReady: false })];
    const check = (node: Parameters<typeof aNode>[0] = {}, configFiles?: ConfigFiles) => {
      return checkPlugin(aSituation({ node: aNode(node) }, { pods, ...(configFiles && { configFiles }) }));
    };
    expect(check()?.verdict.reason).to.equal('PluginNotReady');
    expect(check({ taints: taints.startup })).to.equal(undefined);
    expect(check({ labels: { 'gpupartition.dev/state': 'updating' } })).to.equal(undefined);
    const labels = { 'nvidia.com/device-plugin.config': 'ours' };
    expect(check({ labels }, { state: 'Read', files: {} })).to.equal(undefined);
    expect(check({ labels }, { state: 'Read', files: { ours: 'x' } })?.verdict.reason).to.equal('PluginNotReady');
    expect(check({ labels }, { state: 'Unreadable', why: 'no' })?.verdict.reason).to.equal('PluginNotReady');
    expect(check({}, { state: 'Read', files: {} })?.verdict.reason).to.equal('PluginNotReady');
  });

  it('is not closed while a GPU is lost: NVIDIA’s plugin would not start again, and offer the others no longer', () => {
    const lost = aGpu({ index: 1, error: 'GpuLost: it fell off the bus' });
    const partition = aManagedPartition({ device: aDevice(aGpu(), lost) });
    const check = (pods: readonly PodView[], node: Parameters<typeof aNode>[0] = {}) =>
      checkPlugin(aSituation({ partition, node: aNode(node) }, { pods }));
    const refused = check([aPluginPod()]);
    expect(refused?.verdict).to.include({ phase: 'Failed', reason: 'PluginNotReady' });
    expect(refused?.verdict.message).to.match(/^GPU 1 \(.*\) is lost, .* reboot the node\. Nothing is touched/);
    expect(check([aPluginPod()], { taints: taints.closed }), 'it is closed already').to.equal(undefined);
    expect(check([]), 'what other plugins do is not known').to.equal(undefined);
  });

  it('is refused by settings of a plugin of any kind that tells some, and by none that tells nothing', () => {
    const selector = { app: 'mine' };
    const withEnv = (pod: PodView, env: readonly { readonly name: string; readonly value: string }[]): PodView => {
      const containers = [{ name: 'nvidia-device-plugin', env }];
      return { ...pod, spec: { containers } };
    };
    const other = { ...aPluginPod(), metadata: { ...aPluginPod().metadata, labels: selector } };
    const settings = { pluginSelector: selector };
    const reasonOf = (pod: PodView) => judge({ settings }, { pods: [pod] }).verdict.reason;
    expect(reasonOf(withEnv(other, []))).to.equal('AwaitingGrant');
    expect(reasonOf(withEnv(other, [{ name: 'MIG_STRATEGY', value: 'single' }]))).to.equal('StrategyMismatch');
    expect(reasonOf(withEnv(aPluginPod(), []))).to.equal('StrategyMismatch');
  });

  it('is told by what the node offers now: nothing, or another strategy’s devices, unless the plugin gets our file', () => {
    const device = aDevice(aGpu({ slices: ['7g.40gb@0'] }));
    const two = aDevice(aGpu({ slices: ['7g.40gb@0'] }), aGpu({ index: 1, slices: ['7g.40gb@0'] }));
    const becomes = (...gpus: readonly ('Disabled' | 'Sliced')[]) => ({
      wish: {
        skipped: [],
        wish: {
          gpus: gpus.map((one, at) => ({
            uuid: uuidOf(at),
            ...(one === 'Disabled' ? { mig: one } : { profiles: { '1g.5gb': 7 } }),
          })),
        },
      },
    });
    const reasonOf = (parts: SnapshotParts, pods: readonly PodView[] = []) =>
      checkOffer(aSituation({ partition: aManagedPartition({ device }), claim: becomes('Sliced'), ...parts }, { pods }))
        ?.verdict.reason;
    const single = aNode({ allocatable: { 'nvidia.com/gpu': '1' } });
    const nothing = aNode({ allocatable: {} });
    expect(reasonOf({ node: nothing })).to.equal('NoDevicePlugin');
    const unoffered = checkOffer(aSituation({ node: nothing }, { pods: [] }));
    expect(unoffered?.verdict.requeueAfterMs, 'a plugin comes without a word').to.equal(lookAgainMs);
    expect(reasonOf({ node: nothing }, [aPluginPod()])).to.equal(undefined);
    expect(reasonOf({ node: single })).to.equal('StrategyMismatch');
    expect(reasonOf({ node: single }, [aPluginPod()])).to.equal(undefined);
    const settings = { pluginConfigMap: { namespace: 'gpu', name: 'plugin' } };
    expect(reasonOf({ node: single, settings })).to.equal(undefined);
    for (const node of [{ taints: taints.startup }, { labels: { 'gpupartition.dev/state': 'updating' } }])
      expect(reasonOf({ node: aNode({ ...node, allocatable: { 'nvidia.com/gpu': '1' } }) })).to.equal(undefined);
    // Whole GPUs are advertised alike under each strategy: those that become whole, and those that are and stay it.
    expect(reasonOf({ node: single, claim: becomes('Disabled') })).to.equal(undefined);
    const both = {
      partition: aManagedPartition({ device: two }),
      node: aNode({ allocatable: { 'nvidia.com/gpu': '2' } }),
    };
    expect(reasonOf({ ...both, claim: becomes('Disabled', 'Disabled') })).to.equal(undefined);
    expect(reasonOf({ ...both, claim: becomes('Disabled', 'Sliced') })).to.equal('StrategyMismatch');
    expect(reasonOf({ ...both, claim: becomes('Disabled') })).to.equal('StrategyMismatch');
    expect(reasonOf({ ...both, claim: becomes() })).to.equal('StrategyMismatch');
  });

  it('is closed where every GPU is whole afterwards, those of no layout too: any strategy offers those alike', () => {
    const device = aDevice(aGpu({ slices: ['7g.40gb@0'] }), aGpu({ index: 1 }));
    const wish = { gpus: [{ uuid: uuidOf(0), mig: 'Disabled' as const }] };
    const policy = aSlicingPolicy({ strategy: 'single', layouts: [{ gpus: { indices: [0] }, mig: 'Disabled' }] });
    const partition = aManagedPartition({ device, wish, strategy: 'single' });
    const node = aNode({ allocatable: { 'nvidia.com/gpu': '1', 'nvidia.com/mig-7g.40gb': '1' } });
    const gapOf = (more: SnapshotParts) => checkOffer(aSituation({ policy, partition, node, ...more }));
    expect(gapOf({})).to.equal(undefined);
    const sliced = aDevice(aGpu({ slices: ['7g.40gb@0'] }), aGpu({ index: 1, mig: 'Enabled' }));
    const other = aManagedPartition({ device: sliced, wish, strategy: 'single' });
    expect(gapOf({ partition: other })?.verdict.reason).to.equal('StrategyMismatch');
  });

  it('is told by the label that keeps the plugin away, and by what the kubelet says of devices that are shared', () => {
    const deploy = 'nvidia.com/gpu.deploy.device-plugin';
    const gapOf = (node: Parameters<typeof aNode>[0], device: DeviceReport = aDevice(aGpu())) =>
      checkOffer(aSituation({ node: aNode(node), partition: aManagedPartition({ device }) }))?.verdict;
    const away = gapOf({ allocatable: {}, labels: { [deploy]: 'false' } });
    expect(away?.message).to.include(`The label ${deploy}=false keeps gpu-operator’s away`);
    const shared = { allocatable: { 'nvidia.com/gpu': '2' } };
    expect(gapOf(shared)?.reason).to.equal('SharingRefused');
    const advertised = { stale: 0, resources: { 'nvidia.com/gpu': 2 } };
    expect(gapOf(shared, { ...aDevice(aGpu()), advertised })).to.equal(undefined);
  });

  it('names the labels of a plugin that the administrator has told us of', () => {
    const settings = { pluginSelector: { app: 'mine' } };
    const ruling = checkOffer(aSituation({ node: aNode({ allocatable: {} }), settings }, { pods: [] }));
    expect(ruling?.verdict.message).to.include('app=mine');
  });

  it('leaves everything on the node alone, its state too', () => {
    const labels = { 'gpupartition.dev/state': 'ready' };
    const { verdict, commands } = judge({ node: aNode({ allocatable: {}, labels }) }, { pods: [] });
    expect(verdict.reason).to.equal('NoDevicePlugin');
    expect(commands).to.deep.equal([]);
  });

  it('is closed where it would', () => {
    expect(namesOf(judge({}, { pods: [aPluginPod()] }))).to.deep.equal(['PatchNode']);
  });
});

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

  it('is evicted whatever is written down of a change before', () => {
    const annotations = { 'gpupartition.dev/plugin-refreshed': '2-0123abcd@boot-a/older' };
    const world = aDoneChange({ node: aNode({ taints: taints.closed, labels: updating, annotations }) });
    world.step();
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
    // It stands from the API server's answer on; the lists that the write rested on are not read again.
    expect(world.step(10).verdict).to.include({ reason: 'AdvertisePending', requeueAfterMs: 240 });
    const opened = world.step(240);
    expect([opened.verdict.phase, opened.reads]).to.deep.equal(['Ready', ['Node']]);
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

  /** A node from which its plugin is kept away, and that offers nothing. */
  const aPausedNode = (parts: NonNullable<Parameters<typeof aNode>[0]> = {}): NodeWorld => {
    const labels = { ...updating, ...parts.labels, [deploy]: 'paused-for-mig-change' };
    const annotations = { 'gpupartition.dev/on-loan': paused };
    return aDoneChange({ node: aNode({ ...parts, labels, annotations, allocatable: none }), pods: [] });
  };

  /** A closed node with these labels that has ended its offer. */
  const anEmptiedNode = (labels: Readonly<Record<string, string>>): NodeWorld => {
    const node = aNode({ taints: taints.closed, labels: { ...updating, ...labels }, allocatable: advertisesWhole });
    const world = aDoneChange({ node });
    world.step();
    world.advertise(none);
    world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
    return world;
  };

  it('is kept away while GPU Feature Discovery’s labels are of before, and comes when they are right', () => {
    const world = anEmptiedNode({ ...gfd, [deploy]: 'true' });
    expect(world.labels[deploy]).to.equal('paused-for-mig-change');
    world.step(10_000);
    expect(world.labels[deploy]).to.equal('paused-for-mig-change');
    world.label(computeLabels(describeReport(slicedGpu), 'mixed').labels);
    for (let second = 0; second < 3 && world.labels[deploy] !== 'true'; second += 1) world.step(1000);
    expect(world.labels[deploy]).to.equal('true');
  });

  it('comes at once where we write the labels: none is of before', () => {
    const world = anEmptiedNode({ [deploy]: 'true' });
    expect(world.labels[deploy]).to.equal('true');
  });

  it('is not told to stay away where no label deploys it', () => {
    for (const own of [{}, { [deploy]: 'false' }]) {
      expect(anEmptiedNode({ ...gfd, ...own }).labels[deploy]).to.equal(own[deploy]);
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
    const world = aPausedNode({ labels: gfd });
    world.step();
    expect(world.labels[deploy]).to.equal('paused-for-mig-change');
    for (let minute = 0; minute < 6; minute += 1) world.step(60_000);
    expect(world.labels[deploy]).to.equal('true');
  });

  it('that was away while the devices changed is not replaced once more', () => {
    const world = aPausedNode({ taints: taints.closed });
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

const updatingOfSignalPlugin = { 'gpupartition.dev/state': 'updating' };
const wanted = { 'nvidia.com/mig-7g.40gb': 1 };

/** A node whose agent is done with grant 3, and has signalled these pods. */
function aSignalledNode(uids: string[], device: Partial<DeviceReport> = {}): NodeWorld {
  const signalled = { epoch: 3, uids };
  const report = { ...slicedGpu, observedEpoch: 3, signalled, advertised: { stale: 1, resources: wanted }, ...device };
  return new NodeWorld({
    node: aNode({ taints: taints.closed, labels: updatingOfSignalPlugin }),
    partition: aManagedPartition({ granted: aGrant({ signalPods: ['old'] }), device: report }),
    pods: [aPluginPod({ uid: 'old' })],
  });
}

function follow(world: NodeWorld): void {
  world.report({ advertised: { stale: 0, resources: wanted } });
}

describe('a device plugin that the agent has signalled', () => {
  it('keeps its pod: the node stays closed until the kubelet and the API server tell of the layout', () => {
    const world = aSignalledNode(['old']);
    const first = world.step();
    expect(first.verdict.message).to.include('was signalled to read the devices again');
    expect(world.done).to.deep.equal([]);
    follow(world);
    world.step(500);
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    world.advertise(advertisesSlice);
    expect(world.step(9_000).verdict.phase).to.equal('Ready');
    expect(world.done.filter((what) => what.startsWith('EvictPod'))).to.deep.equal([]);
    expect(world.taintKeys).to.deep.equal([]);
  });

  it('is believed by the devices that the kubelet offers, not by counts that are as they were', () => {
    const world = aSignalledNode(['old']);
    world.advertise(advertisesSlice);
    world.step();
    expect(world.taintKeys).to.deep.equal(['repartitioning']);
    follow(world);
    expect(world.step(500).verdict.phase).to.equal('Ready');
    expect(world.done.filter((what) => what.startsWith('EvictPod'))).to.deep.equal([]);
  });

  it('is replaced where it does not follow in 20 s', () => {
    const world = aSignalledNode(['old']);
    world.step();
    world.step(19_000);
    expect(world.done).to.deep.equal([]);
    world.step(2_000);
    expect(world.done).to.include('EvictPod old');
  });

  it('is replaced at once where it has another pod that was not signalled', () => {
    const world = aSignalledNode(['old']);
    world.pods = [...world.pods, aPluginPod({ name: 'other', uid: 'other' })];
    world.step();
    expect(world.done).to.include('EvictPod old').and.include('EvictPod other');
  });

  it('is not taken for signalled by an answer to another grant, or without a pod', () => {
    const of = (device: Partial<DeviceReport>, pods: readonly PodView[] = [aPluginPod({ uid: 'old' })]) => {
      const signalled = { epoch: 3, uids: ['old'] };
      const partition = aManagedPartition({
        granted: aGrant(),
        device: { ...slicedGpu, observedEpoch: 3, signalled, ...device },
      });
      return awaitSignalled(aSituation({ partition }), pods, 'x');
    };
    expect(of({})).to.have.property('lastsMs', 0);
    expect(of({ observedEpoch: 2 })).to.equal(undefined);
    expect(of({ observedEpoch: 2, signalled: { epoch: 2, uids: ['old'] } })).to.equal(undefined);
    expect(of({}, [])).to.equal(undefined);
  });

  it('is replaced at once where one of its pods was not reached, or for another grant', () => {
    for (const world of [
      aSignalledNode([]),
      aSignalledNode(['another']),
      aSignalledNode(['old'], { signalled: { epoch: 2, uids: ['old'] } }),
    ]) {
      world.step();
      expect(world.done).to.include('EvictPod old');
    }
  });
});

describe('the pods that an agent is asked to signal', () => {
  const pods = [aPluginPod({ uid: 'one' })];
  const partition = aManagedPartition();
  const situation = {
    settings: someSettings,
    node: aNode(),
    partition,
    claim: aClaim(aSlicingPolicy(), partition),
    now: noon,
  };

  it('is what the grant names: the plugin’s on the node', () => {
    expect(listPodsToSignal(situation, pods)).to.deep.equal(['one']);
    expect(listPodsToSignal(situation, [])).to.equal(null);
    const many = Array.from({ length: 9 }, (_, at) => aPluginPod({ name: `p${at}`, uid: `${at}` }));
    expect(listPodsToSignal(situation, many), 'as many as the API takes').to.have.length(8);
  });

  it('do not exist if the pods are to be replaced', () => {
    const settings = { ...someSettings, pluginRefresh: 'Evict' as const };
    expect(listPodsToSignal({ ...situation, settings }, pods)).to.equal(null);
  });

  describe('of the DRA driver, which ends at a signal', () => {
    const byClaims = { ...situation, claim: aClaim(aSlicingPolicy({ backend: 'DRA' }), partition) };

    /** A driver whose container has run for so long since its restart. */
    function aRestartedDriver(minutes: number, tolerates = true): PodView {
      const startedAt = new Date(noon - minutes * 60_000).toISOString();
      const containerStatuses = [{ name: 'gpus', restartCount: 1, state: { running: { startedAt } } }];
      const pod = aDriverPod({ uid: 'driver', tolerates });
      return { ...pod, status: { ...pod.status, containerStatuses } };
    }

    it('are signalled once in ten minutes: the kubelet would delay another restart, so the pod is replaced', () => {
      expect(listPodsToSignal(byClaims, [aDriverPod({ uid: 'driver', tolerates: true })])).to.deep.equal(['driver']);
      expect(listPodsToSignal(byClaims, [aRestartedDriver(11)])).to.deep.equal(['driver']);
      expect(listPodsToSignal(byClaims, [aRestartedDriver(9)])).to.equal(null);
      expect(listPodsToSignal(byClaims, [aRestartedDriver(9), aRestartedDriver(11)])).to.equal(null);
    });

    it('are still signalled where a new pod could not come back to the closed node', () => {
      expect(listPodsToSignal(byClaims, [aRestartedDriver(9, false)])).to.deep.equal(['driver']);
    });
  });
});
