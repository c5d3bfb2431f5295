import { expect } from 'chai';
import type { NodePod } from '../../../../src/core/node/snapshot.ts';
import { checkPlugin } from '../../../../src/core/node/rules/check-plugin.ts';
import type { ConfigFiles } from '../../../../src/core/node/snapshot.ts';
import { aDevice, aGpu } from '../../../support/builders.ts';
import {
  aManagedPartition,
  aNode,
  aPluginPod,
  aSlicingPolicy,
  aSnapshot,
  judge,
  namesOf,
  noMemory,
  taints,
} from '../../../support/node-builders.ts';

describe('a node whose device plugin would not offer the new layout', () => {
  it('is not closed where nothing offers its GPUs: that is said first', () => {
    const { verdict, commands } = judge({ node: aNode({ allocatable: {} }) }, { pods: [] });
    expect(verdict).to.include({ phase: 'Failed', reason: 'NoDevicePlugin' });
    expect(commands).to.deep.equal([]);
  });

  it('is not closed where the plugin has another strategy', () => {
    const { verdict, commands } = judge({}, { pods: [aPluginPod({ strategy: 'single' })] });
    expect(verdict).to.include({ phase: 'Failed', reason: 'StrategyMismatch' });
    expect(verdict.message).to.include('pod gpu/plugin').and.include('Nothing is touched');
    expect(commands).to.deep.equal([]);
  });

  it('is not touched where the plugin keeps failing, nor while it starts', () => {
    const labels = { 'gpupartition.dev/state': 'ready' };
    const waiting = { reason: 'CrashLoopBackOff', message: 'back-off 5m0s' };
    const crashing = [{ name: 'nvidia-device-plugin', restartCount: 9, state: { waiting } }];
    const of = (containerStatuses?: NonNullable<NodePod['status']>['containerStatuses']) => {
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
    const fails: NodePod = {
      ...aPluginPod({ name: 'fails', isReady: false }),
      status: { ...pod.status, containerStatuses: [{ name: 'nvidia-device-plugin', state: { waiting } }] },
    };
    const messageOf = (pods: readonly NodePod[]) => judge({}, { pods }).verdict.message;
    expect(messageOf([pod, fails]))
      .to.include('gpu/fails')
      .and.not.include('gpu/starts');
    expect(messageOf([pod])).to.include('gpu/starts');
  });

  it('is closed although its plugin is not ready where a start-up taint or a change keeps that away, or its file is missing', () => {
    const pods = [aPluginPod({ isReady: false })];
    const check = (node: Parameters<typeof aNode>[0] = {}, configFiles?: ConfigFiles) => {
      const partition = aManagedPartition();
      const files = configFiles && { configFiles };
      return checkPlugin({
        ...aSnapshot({ node: aNode(node), partition }),
        partition,
        memory: noMemory,
        pods,
        ...files,
      });
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

  it('is refused by settings of a plugin of any kind that tells some, and by none that tells nothing', () => {
    const selector = { app: 'mine' };
    const mine = (env: readonly { readonly name: string; readonly value: string }[]): NodePod => ({
      ...aPluginPod(),
      metadata: { ...aPluginPod().metadata, labels: selector },
      spec: { containers: [{ name: 'nvidia-device-plugin', env }] },
    });
    const settings = { pluginSelector: selector };
    const reasonOf = (pod: NodePod) => judge({ settings }, { pods: [pod] }).verdict.reason;
    expect(reasonOf(mine([]))).to.equal('AwaitingGrant');
    expect(reasonOf(mine([{ name: 'MIG_STRATEGY', value: 'single' }]))).to.equal('StrategyMismatch');
    expect(reasonOf({ ...aPluginPod(), spec: { containers: [{ name: 'nvidia-device-plugin', env: [] }] } })).to.equal(
      'StrategyMismatch',
    );
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
