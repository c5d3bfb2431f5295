import { planWish } from '../../src/core/device/plan.ts';
import { aDevice, aGpu, aPartition } from './builders.ts';
import {
  advertisesSlice,
  aGpuPod,
  aGrant,
  aHolderPod,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSlicingPolicy,
  aWish,
  checkingHold,
  notInForce,
  refusedHold,
  slicedGpu,
  taints,
  wholeGpu,
} from './node-builders.ts';
import type { NodeWorld } from './node-world.ts';

type Start = NonNullable<ConstructorParameters<typeof NodeWorld>[0]>;

const updating = { 'gpupartition.dev/state': 'updating' };
const ready = { 'gpupartition.dev/state': 'ready' };
const closed = aNode({ taints: taints.closed, labels: updating });
const error = { code: 'CommandFailed' as const, message: 'it said no' };
const dcgm = 'nvidia.com/gpu.deploy.dcgm';
const modeChange = { ...planWish(wholeGpu, aWish).report, modeChanges: 1 };
const done = aManagedPartition({ granted: aGrant(), device: slicedGpu });
const repairs = ['2026-01-01T11:57:00Z', '2026-01-01T11:58:00Z', '2026-01-01T11:59:00Z'];
const refusal = { reason: 'DoesNotFit' as const, message: 'needs 9 of 8' };
const gfd = { 'nvidia.com/gfd.timestamp': '1', 'nvidia.com/gpu.count': '1' };

/** Nodes in a passive world: no agent acts, no plugin or pod comes back, nobody sets labels. */
export const situations: Readonly<Record<string, () => Start>> = {
  'nothing is in the way': () => ({ pods: [aPluginPod()] }),
  'the wish is not written': () => ({ partition: aPartition({ device: { ...wholeGpu, bootID: 'boot-a' } }) }),
  'the agent has not planned': () => ({
    partition: aManagedPartition({ device: { ...wholeGpu, plan: planWish(wholeGpu, { gpus: [] }).report } }),
  }),
  'the agent has not reported': () => ({ partition: aPartition() }),
  'the agent is away': () => ({ agent: { state: 'Missing' }, partition: done }),
  'the agent is away, and the node closed': () => ({ agent: { state: 'Missing' }, partition: done, node: closed }),
  'the device cannot be read': () => ({
    partition: aManagedPartition({ device: { ...slicedGpu, step: 'Unknown', error } }),
  }),
  'the node was restarted': () => ({ partition: done, node: aNode({ nodeInfo: { bootID: 'boot-b' } }) }),
  'a grant is in flight': () => ({
    node: closed,
    partition: aManagedPartition({ granted: aGrant(), device: { ...wholeGpu, observedEpoch: 2 } }),
  }),
  'a grant is not answered': () => ({
    node: closed,
    agent: { state: 'Missing' },
    pods: [aPluginPod()],
    partition: aManagedPartition({
      granted: aGrant({ deadline: '2026-01-01T11:50:00Z' }),
      device: { ...wholeGpu, observedEpoch: 2 },
    }),
  }),
  'a grant has failed': () => ({
    node: closed,
    pods: [aPluginPod()],
    partition: aManagedPartition({
      granted: aGrant(),
      device: { ...wholeGpu, step: 'Failed', error },
    }),
  }),
  'a first layout has failed': () => ({
    node: aNode({ taints: taints.both, labels: updating }),
    partition: aManagedPartition({
      granted: aGrant(),
      device: { ...wholeGpu, step: 'Failed', error },
    }),
  }),
  'a pod uses the GPU': () => ({ pods: [aGpuPod(), aPluginPod()] }),
  'a pod uses the GPU of a closed node': () => ({ node: closed, pods: [aGpuPod(), aPluginPod()] }),
  'a process uses the GPU': () => ({
    partition: aManagedPartition({ device: aDevice(aGpu({ slices: ['1g.5gb@0*'] })) }),
  }),
  'holders have to go': () => ({
    node: aNode({ labels: { [dcgm]: 'true' } }),
    partition: aManagedPartition({ device: { ...wholeGpu, plan: modeChange } }),
    pods: [aHolderPod('dcgm'), aPluginPod({ tolerates: true })],
  }),
  'the plugin has to be replaced': () => ({ node: closed, partition: done, pods: [aPluginPod()] }),
  'the plugin tolerates the taint': () => ({ node: closed, partition: done, pods: [aPluginPod({ tolerates: true })] }),
  'there is no plugin': () => ({ node: closed, partition: done }),
  'the plugin has another strategy': () => ({
    node: closed,
    partition: done,
    pods: [aPluginPod({ strategy: 'single' })],
  }),
  'the device is done and advertised': () => ({
    partition: done,
    node: aNode({ labels: ready, allocatable: advertisesSlice }),
  }),
  'the open node advertises nothing': () => ({ partition: done, node: aNode({ labels: ready, allocatable: {} }) }),
  'nobody labels the node': () => ({
    partition: done,
    node: aNode({ taints: taints.closed, labels: { ...updating, ...gfd }, allocatable: advertisesSlice }),
  }),
  'the plugin is held for the labels': () => ({
    partition: done,
    node: aNode({
      labels: { ...updating, ...gfd, 'nvidia.com/gpu.deploy.device-plugin': 'paused-for-mig-change' },
      annotations: {
        'gpupartition.dev/on-loan': JSON.stringify({
          'nvidia.com/gpu.deploy.device-plugin': { was: 'true', set: 'paused-for-mig-change' },
        }),
      },
      allocatable: {},
    }),
  }),
  'the driver is upgraded': () => ({
    node: aNode({ labels: { 'nvidia.com/gpu-driver-upgrade-state': 'drain-required' } }),
  }),
  'mig-manager owns the GPUs': () => ({
    node: aNode({ labels: { 'nvidia.com/gpu.deploy.mig-manager': 'paused-for-driver-upgrade' } }),
  }),
  'mig-manager is taken over': () => ({
    policy: aSlicingPolicy({ allow: { takeOver: ['mig-manager'] } }),
    node: aNode({ labels: { 'nvidia.com/gpu.deploy.mig-manager': 'true' } }),
    pods: [aPluginPod()],
  }),
  'something else changes the GPUs': () => ({
    partition: aManagedPartition({
      granted: aGrant(),
      repairs,
      device: { ...wholeGpu, lastGood: { bootID: 'boot-a' } },
    }),
    policy: aSlicingPolicy({ rollout: { paused: true } }),
  }),
  'the rollout is paused': () => ({ policy: aSlicingPolicy({ rollout: { paused: true } }) }),
  'the policy only plans': () => ({ policy: aSlicingPolicy({ mode: 'Plan' }) }),
  'no generation of the policy is accepted': () => ({ claim: notInForce(refusedHold) }),
  'the policy’s first generation is being checked': () => ({ claim: notInForce(checkingHold) }),
  'the newest generation is not accepted': () => ({ claim: { hold: refusedHold } }),
  'the newest generation is being checked': () => ({ claim: { hold: checkingHold } }),
  'the node cannot take the policy': () => ({
    claim: { wish: { refusal, told: refusal } },
    node: closed,
    pods: [aPluginPod()],
  }),
  'the node serves a generation that a restore has undone': () => ({
    partition: aManagedPartition({ policy: { name: 'p', uid: 'uid-p', generation: 9 } }),
  }),
  'no policy selects the node': () => ({
    policy: undefined,
    partition: done,
    node: aNode({ labels: ready, allocatable: advertisesSlice }),
  }),
  'no policy selects the closed node': () => ({
    policy: undefined,
    partition: done,
    node: closed,
    pods: [aPluginPod()],
  }),
  'the node has no GPU': () => ({ partition: aPartition({ device: aDevice() }), node: closed, pods: [aPluginPod()] }),
  'the node is cordoned': () => ({ node: aNode({ unschedulable: true }) }),
  'the node is not Ready': () => ({ node: aNode({ ready: 'Unknown' }) }),
  'the ConfigMap cannot be read': () => ({
    settings: { pluginConfigMap: { namespace: 'gpu', name: 'plugin' } },
    pods: [aPluginPod()],
    files: { state: 'Unreadable', why: 'forbidden' },
  }),
  'the plugin’s settings are ours': () => ({
    settings: { pluginConfigMap: { namespace: 'gpu', name: 'plugin' } },
    pods: [aPluginPod()],
    partition: done,
    node: aNode({ labels: ready, allocatable: advertisesSlice }),
    files: { state: 'Read', files: {} },
  }),
};
