import { expect } from 'chai';
import {
  advertisesSlice,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSituation,
  aSlicingPolicy,
  judge,
  namesOf,
  type SnapshotParts,
  slicedGpu,
  taints,
} from '../../../support/node-builders.ts';
import { takeOver as turnOff } from '../../../../src/core/node/rules/foreign-owner.ts';
import { NodeWorld } from '../../../support/node-world.ts';

const manager = 'nvidia.com/gpu.deploy.mig-manager';
const managerPod = {
  ...aPluginPod({ name: 'mig-manager' }),
  metadata: { ...aPluginPod({ name: 'mig-manager' }).metadata, labels: { app: 'nvidia-mig-manager' } },
  spec: { nodeSelector: { [manager]: 'true' } },
};
const takeOver = aSlicingPolicy({ allow: { takeOver: ['mig-manager'] } });

describe('GPUs that are not ours', () => {
  it('are left alone while their driver is being replaced, before a change and after', () => {
    const labels = { 'nvidia.com/gpu-driver-upgrade-state': 'drain-required' };
    const before = judge({ node: aNode({ labels }) });
    expect(before.verdict).to.include({ phase: 'Waiting', reason: 'DriverUpgrade' });
    expect(before.commands).to.deep.equal([]);
    const partition = aManagedPartition({ device: slicedGpu });
    const after = judge({ partition, node: aNode({ labels, allocatable: advertisesSlice }) });
    expect(after.verdict.reason).to.equal('DriverUpgrade');
    expect(after.reads).to.deep.equal([]);
  });

  it('are left alone while mig-manager runs, and the message says how to hand them over', () => {
    const { verdict, commands, reads } = judge(
      { node: aNode({ labels: { [manager]: 'true' } }) },
      { pods: [managerPod] },
    );
    expect(verdict).to.include({ phase: 'Failed', reason: 'ForeignManager', requeueAfterMs: 15_000 });
    expect(verdict.message).to.include('To hand over the GPUs');
    expect(commands).to.deep.equal([]);
    expect(reads).to.deep.equal(['Pods']);
  });

  it('are ours where the label alone speaks of mig-manager', () => {
    const { verdict } = judge({ node: aNode({ labels: { [manager]: 'true' } }) }, { pods: [aPluginPod()] });
    expect(verdict.reason).to.equal('AwaitingGrant');
  });

  it('are left to another device plugin while it restarts, and the kubelet offers nothing of it', () => {
    const vgpu = 'k8s.amazonaws.com/vgpu';
    const node = aNode({ allocatable: { [vgpu]: '0' } });
    const capacity = { [vgpu]: '10' };
    const user = {
      metadata: { name: 'user', namespace: 'team', uid: 'uid-user' },
      spec: { containers: [{ resources: { limits: { [vgpu]: '1' } } }] },
    };
    const { verdict } = judge(
      { node: { ...node, status: { ...node.status, capacity } } },
      { pods: [aPluginPod(), user] },
    );
    expect(verdict.reason).to.equal('ForeignManager');
  });

  it('are left to a DRA driver that makes slices, which only a fresh look shows', () => {
    const slices = [{ spec: { driver: 'gpu.nvidia.com', sharedCounters: [{}] } }];
    const { verdict, commands, reads } = judge({}, { pods: [aPluginPod()], fresh: { resourceSlices: slices } });
    expect(reads).to.deep.equal(['All']);
    expect(verdict.reason).to.equal('ForeignManager');
    expect(commands).to.deep.equal([]);
  });

  it('are taken over where the policy says so, and given back when it does not any more', () => {
    const world = new NodeWorld({
      policy: takeOver,
      node: aNode({ labels: { [manager]: 'true' } }),
      pods: [managerPod],
    });
    expect(world.step().verdict).to.include({ phase: 'Updating', reason: 'TakingOver' });
    expect(world.labels[manager]).to.equal('false');
    expect(world.step(500).verdict.reason).to.equal('TakingOver');
    world.pods = [aPluginPod()];
    expect(world.step(500).verdict.reason).to.equal('AwaitingGrant');
    world.policy = aSlicingPolicy({ generation: 2 });
    for (let second = 0; second < 3; second += 1) world.step(1000);
    expect(world.labels[manager]).to.equal('true');
  });

  it('keep a closed node closed no longer than it takes to open it', () => {
    const node = aNode({
      taints: taints.closed,
      labels: { 'gpupartition.dev/state': 'updating', 'nvidia.com/gpu-driver-upgrade-state': 'drain-required' },
    });
    const world = new NodeWorld({ node });
    for (let second = 0; second < 3; second += 1) world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
  });
});

describe('a takeover from mig-manager', () => {
  const labelled = (value: string) => aNode({ labels: { [manager]: value } });
  const step = (parts: SnapshotParts) => {
    const outcome = turnOff(aSituation({ policy: takeOver, ...parts }, { pods: [managerPod] }), 'Settings');
    return outcome && 'verdict' in outcome ? outcome : undefined;
  };

  it('takes a slot to turn it off', () => {
    const waiting = step({ node: labelled('true'), slot: undefined });
    expect(waiting?.verdict.reason).to.equal('AwaitingSlot');
    expect(waiting).to.have.property('request');
    expect(namesOf({ commands: step({ node: labelled('true') })?.commands ?? [] })).to.deep.equal(['PatchNode']);
  });

  it('writes nothing while its pod ends, and asks for no slot', () => {
    for (const value of ['false', 'paused-for-driver-upgrade']) {
      const ending = step({ node: labelled(value), slot: undefined });
      expect(ending?.verdict.reason).to.equal('TakingOver');
      expect(ending).to.not.have.property('commands');
    }
  });
});
