import { expect } from 'chai';
import type { DeviceReport } from '../../../../src/api/types.ts';
import { checkOffer, checkPlugin } from '../../../../src/core/node/rules/check-plugin.ts';
import { lookAgainMs } from '../../../../src/core/node/outcome.ts';
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
} from '../../../support/node-builders.ts';
import type { PodView } from '../../../../src/core/pods/pod-view.ts';

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
