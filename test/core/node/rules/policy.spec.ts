import { expect } from 'chai';
import {
  advertisesSlice,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSlicingPolicy,
  judge,
  slicedGpu,
  taints,
} from '../../../support/node-builders.ts';
import { NodeWorld } from '../../../support/node-world.ts';

const refusal = { reason: 'DoesNotFit' as const, message: 'needs 9 of 8' };
const done = aManagedPartition({ device: slicedGpu });

describe('a policy that is refused', () => {
  it('touches nothing, and says why', () => {
    const { verdict, commands } = judge({ claim: { refusal, wish: undefined } });
    expect(verdict).to.include({ phase: 'Invalid', reason: 'PolicyInvalid' });
    expect(verdict.message).to.include('policy p is invalid').and.include('needs 9 of 8');
    expect(commands).to.deep.equal([]);
  });

  it('of a node alone makes that node Invalid', () => {
    const { verdict, commands } = judge({ claim: { wish: { refusal } } });
    expect(verdict).to.include({ phase: 'Invalid', reason: 'DoesNotFit' });
    expect(verdict.message).to.include('needs 9 of 8').and.include('Nothing on this node is touched');
    expect(commands).to.deep.equal([]);
  });
});

describe('a generation', () => {
  it('that is being checked against its nodes starts nothing', () => {
    const { verdict, commands } = judge({ claim: { isAccepted: false } });
    expect(verdict).to.include({ phase: 'Pending', reason: 'AwaitingPlan', transient: true });
    expect(verdict.message).to.include('generation 1 of policy p is being checked');
    expect(commands).to.deep.equal([]);
  });

  it('that is being checked leaves a closed node as it is: in a moment its change goes on', () => {
    const node = aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } });
    const parts = { node, partition: done, policy: aSlicingPolicy({ generation: 2 }) };
    const { commands } = judge({ ...parts, claim: { isAccepted: false } }, { pods: [aPluginPod()] });
    expect(commands).to.deep.equal([]);
  });

  it('that a node cannot take starts nothing on any other, and names the node', () => {
    const claim = { isAccepted: false, refusedBy: 'node bad: needs 9 of 8' };
    const { verdict, commands } = judge({ claim });
    expect(verdict).to.include({ phase: 'Invalid', reason: 'PolicyInvalid' });
    expect(verdict.message).to.include('generation 1').and.include('node bad: needs 9 of 8');
    expect(commands).to.deep.equal([]);
  });
});

describe('a node without a policy', () => {
  const marks = {
    'gpupartition.dev/policy': 'p',
    'gpupartition.dev/state': 'ready',
    'gpupartition.dev/layout': '1x7g.40gb',
  };

  it('is released: marks go, what was borrowed is given back, and the layout and its labels stay', () => {
    const world = new NodeWorld({
      policy: undefined,
      partition: done,
      node: aNode({
        allocatable: advertisesSlice,
        labels: {
          ...marks,
          'nvidia.com/mig.config.state': 'success',
          'nvidia.com/mig-7g.40gb.count': '1',
          'nvidia.com/gpu.deploy.mig-manager': 'false',
        },
        annotations: {
          'gpupartition.dev/on-loan': JSON.stringify({
            'nvidia.com/mig.config.state': { was: null, set: 'success' },
            'nvidia.com/gpu.deploy.mig-manager': { was: 'true', set: 'false' },
          }),
        },
      }),
    });
    world.settle();
    expect(world.labels).not.to.have.any.keys(...Object.keys(marks), 'nvidia.com/mig.config.state');
    expect(world.labels).to.include({
      'nvidia.com/gpu.deploy.mig-manager': 'true',
      'nvidia.com/mig-7g.40gb.count': '1',
    });
    expect(world.step().verdict).to.include({ phase: 'Unmanaged', reason: 'NoPolicy' });
  });

  it('keeps the plugin’s settings that there was nothing before: without, it might run with a strategy that does not fit', () => {
    const config = 'nvidia.com/device-plugin.config';
    const released = (was: string | null): NodeWorld => {
      const loans = { [config]: { was, set: 'gpu-partition-mixed-0' } };
      const annotations = { 'gpupartition.dev/on-loan': JSON.stringify(loans) };
      const labels = { ...marks, [config]: 'gpu-partition-mixed-0' };
      const world = new NodeWorld({ policy: undefined, partition: done, node: aNode({ labels, annotations }) });
      world.settle();
      return world;
    };
    expect(released(null).labels[config]).to.equal('gpu-partition-mixed-0');
    expect(released('theirs').labels[config]).to.equal('theirs');
  });

  // 4
  it('keeps its start-up taint when it is released in the middle of its first change', () => {
    const labels = { ...marks, 'gpupartition.dev/state': 'updating' };
    const world = new NodeWorld({
      policy: undefined,
      node: aNode({ taints: taints.both, labels, allocatable: { 'nvidia.com/gpu': '0' } }),
    });
    world.settle();
    expect(world.taintKeys).to.deep.equal(['uninitialized']);
    expect(world.labels).not.to.have.any.keys(...Object.keys(marks));
  });

  // 33
  it('takes its partition along where it has no GPUs, and keeps one that has, or may have', () => {
    const claim = { winner: undefined, isAccepted: false, wish: undefined };
    const unmarked = aNode({ labels: { 'nvidia.com/gpu.present': 'false' } });
    const without = judge({ claim, node: unmarked, partition: aManagedPartition({ device: { gpus: [] } }) });
    expect(without.commands.map(({ name }) => name)).to.include('DeletePartition');
    const marked = aNode();
    for (const kept of [
      { node: unmarked, partition: done },
      { node: marked, partition: aManagedPartition({ device: { gpus: [] } }) },
    ]) {
      expect(judge({ claim, ...kept }).commands.map(({ name }) => name)).to.not.include('DeletePartition');
    }
  });
});
