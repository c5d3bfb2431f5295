import { expect } from 'chai';
import { borrowedAnnotation } from '../../../src/core/node/node-patch.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';
import {
  advertisesSlice,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSlicingPolicy,
  slicedGpu,
} from '../../support/node-builders.ts';
import { NodeWorld } from '../../support/node-world.ts';

const manager = 'nvidia.com/gpu.deploy.mig-manager';
const plugin = 'nvidia.com/gpu.deploy.device-plugin';
const dcgm = 'nvidia.com/gpu.deploy.dcgm';
const state = 'nvidia.com/mig.config.state';
const paused = 'paused-for-mig-change';
const takeOver = { takeOver: ['mig-manager' as const] };
const policy = aSlicingPolicy({ allow: takeOver });

const debris = { [plugin]: paused, [dcgm]: paused, 'nvidia.com/gpu.deploy.nvsm': 'false', [state]: 'pending' };
const managerPod: PodView = {
  ...aPluginPod({ name: 'mig-manager' }),
  metadata: { ...aPluginPod({ name: 'mig-manager' }).metadata, labels: { app: 'nvidia-mig-manager' } },
  spec: { nodeSelector: { [manager]: 'true' } },
};
const nothing = { 'nvidia.com/gpu': '0' };

/** A node on which mig-manager died in the middle of a change: the plugin is away, and the kubelet offers nothing. */
function aNodeWithDebris(labels: Readonly<Record<string, string>> = {}, by = policy): NodeWorld {
  return new NodeWorld({ policy: by, node: aNode({ allocatable: nothing, labels: { ...debris, ...labels } }) });
}

describe('what mig-manager has left on a node whose policy replaces it', () => {
  it('is announced, and then repaired in one write', () => {
    const world = aNodeWithDebris();
    const before = world.step().verdict;
    expect(before).to.include({ phase: 'Updating', reason: 'TakingOver' });
    expect(before.message).to.equal(
      `mig-manager is off this node and has left ${dcgm}=${paused}, ${plugin}=${paused} and ${state}=pending: these labels will be repaired in 5 s`,
    );
    expect(world.done).to.deep.equal([]);
    const after = world.step(5100).verdict;
    expect(after.message).to.equal(
      `what mig-manager had left was repaired: ${dcgm} is true again, ${plugin} is true again and ` +
        `${state} no longer says that a change is under way`,
    );
    expect(world.labels).to.include({ [plugin]: 'true', [dcgm]: 'true', 'nvidia.com/gpu.deploy.nvsm': 'false' });
    expect(world.labels).to.not.have.property(state);
  });

  it('is repaired without a slot, and a moment passes for the device plugin to come back', () => {
    const world = aNodeWithDebris();
    world.slot = undefined;
    world.step();
    world.step(5100);
    expect(world.step(1000).verdict.message).to.include('the device plugin is coming back');
    world.pods = [aPluginPod()];
    expect(world.step(1000).verdict.reason).to.equal('AwaitingSlot');
    world.pods = [];
    world.step(1000);
    expect(world.step(60_000).verdict.reason, 'it does not come back').to.equal('NoDevicePlugin');
  });

  it('is repaired after mig-manager was turned off, whose pause no check of the plugin stands in the way of', () => {
    const world = aNodeWithDebris({ [manager]: 'true' });
    world.pods = [managerPod];
    const { verdict } = world.step();
    expect(verdict.message).to.include(`What it leaves is repaired once its pod has ended: ${dcgm}=${paused}`);
    expect(world.labels).to.include({ [manager]: 'false', [plugin]: paused });
    expect(world.step(5100).verdict.message, 'its pod is there').to.include('being turned off');
    world.pods = [];
    world.step(500);
    world.step(5100);
    expect(world.labels).to.include({ [manager]: 'false', [plugin]: 'true' });
  });

  it('is never restored when the policy goes', () => {
    const node = aNode({ allocatable: advertisesSlice, labels: { [state]: 'pending' } });
    const partition = aManagedPartition({ device: slicedGpu });
    const world = new NodeWorld({ node, partition, policy: aSlicingPolicy() });
    world.settle();
    expect(world.labels[state]).to.equal('success');
    // The takeover is allowed only now, and the state of before is on loan.
    world.policy = aSlicingPolicy({ generation: 2, allow: takeOver });
    world.step();
    world.step(5100);
    world.settle();
    expect(world.labels[state]).to.equal('success');
    world.policy = undefined;
    world.settle();
    expect(world.labels).to.not.have.property(state);
  });

  it('is not a pause of ours', () => {
    const loan = { [plugin]: { was: 'true', set: paused }, [dcgm]: { was: 'true', set: paused } };
    const annotations = { [borrowedAnnotation]: JSON.stringify(loan) };
    const world = new NodeWorld({ policy, node: aNode({ labels: { [plugin]: paused, [dcgm]: paused }, annotations }) });
    world.pods = [aPluginPod()];
    expect(world.step().verdict.reason).to.not.equal('TakingOver');
  });

  it('waits for whoever else is there, and for a person who holds the node or the policy', () => {
    const rollout = { paused: true };
    const held: readonly (readonly [what: string, world: NodeWorld])[] = [
      ['another owner', aNodeWithDebris({ 'nos.nebuly.com/gpu-partitioning': 'mig' })],
      ['a driver upgrade', aNodeWithDebris({ 'nvidia.com/gpu-driver-upgrade-state': 'drain-required' })],
      ['a pause', aNodeWithDebris({}, aSlicingPolicy({ allow: takeOver, rollout }))],
      ['a cordon', new NodeWorld({ policy, node: aNode({ labels: debris, unschedulable: true }) })],
      ['mode Plan', aNodeWithDebris({}, aSlicingPolicy({ allow: takeOver, mode: 'Plan' }))],
    ];
    for (const [what, world] of held) {
      for (let second = 0; second < 10; second += 1) world.step(1000);
      expect(world.labels, what).to.include({ [plugin]: paused, [state]: 'pending' });
    }
  });
});

describe('what mig-manager has left on a node whose policy does not replace it', () => {
  it('is not touched, and the message says what ends it', () => {
    const world = aNodeWithDebris();
    world.policy = aSlicingPolicy();
    const { verdict } = world.step();
    expect(verdict.reason).to.equal('NoDevicePlugin');
    expect(verdict.message).to.include('spec.allow.takeOver: [mig-manager] of the policy repairs it');
    world.step(60_000);
    expect(world.labels).to.include({ [plugin]: paused, [dcgm]: paused, [state]: 'pending' });
  });

  it('is told on a node that is Ready, whose monitoring is away', () => {
    const node = aNode({ allocatable: advertisesSlice, labels: { [dcgm]: paused } });
    const world = new NodeWorld({ node, partition: aManagedPartition({ device: slicedGpu }) });
    const { verdict } = world.settle();
    expect(verdict.phase).to.equal('Ready');
    expect(verdict.message).to.include(
      `. mig-manager has left ${dcgm}=${paused}, which keeps these programs off the node until somebody ends it: set ` +
        `spec.allow.takeOver: [mig-manager] in the policy, or run "kubectl label node n ${dcgm}=true --overwrite"`,
    );
    expect(world.labels[dcgm]).to.equal(paused);
  });

  it('is told in mode Plan', () => {
    const world = aNodeWithDebris();
    world.policy = aSlicingPolicy({ mode: 'Plan', allow: takeOver });
    expect(world.step().verdict.message).to.include('would repair what mig-manager has left');
  });
});
