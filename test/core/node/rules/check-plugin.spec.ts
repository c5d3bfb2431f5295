import { expect } from 'chai';
import type { NodePod } from '../../../../src/core/node/snapshot.ts';
import { aDevice, aGpu } from '../../../support/builders.ts';
import {
  aManagedPartition,
  aNode,
  aPluginPod,
  aSlicingPolicy,
  judge,
  namesOf,
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

  it('is closed where it would', () => {
    expect(namesOf(judge({}, { pods: [aPluginPod()] }))).to.deep.equal(['PatchNode']);
  });
});
