import { expect } from 'chai';
import { aDevice, aGpu } from '../../../support/builders.ts';
import {
  advertisesSlice,
  aGrant,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSituation,
  aSlicingPolicy,
  slicedGpu,
  taints,
  wholeGpu,
} from '../../../support/node-builders.ts';
import { predict } from '../../../../src/core/node/rules/labels.ts';
import { NodeWorld } from '../../../support/node-world.ts';

const sliceCount = 'nvidia.com/mig-7g.40gb.count';
const driver = 'nvidia.com/cuda.driver-version.full';
const done = aManagedPartition({ granted: aGrant(), device: slicedGpu });

/** Ready, open, and labelled by us. */
function aLabelledNode(): NodeWorld {
  const world = new NodeWorld({ partition: done, node: aNode({ allocatable: advertisesSlice }), pods: [aPluginPod()] });
  world.settle();
  expect(world.labels).to.include({ [sliceCount]: '1' });
  return world;
}

describe('what is predicted of a device', () => {
  it('is shared as an administrator’s plugin shares it, and never under backend DRA, which has no such setting', () => {
    const node = aNode({ allocatable: { 'nvidia.com/mig-7g.40gb': '2' } });
    const advertised = { stale: 0, resources: { 'nvidia.com/mig-7g.40gb': 2 } };
    const partition = aManagedPartition({ granted: aGrant(), device: { ...slicedGpu, advertised } });
    const replicas = (backend: 'DevicePlugin' | 'DRA') => {
      const policy = aSlicingPolicy({ backend });
      return predict(aSituation({ policy, partition, node }), policy).labels['nvidia.com/mig-7g.40gb.replicas'];
    };
    expect([replicas('DevicePlugin'), replicas('DRA')]).to.deep.equal(['2', '1']);
    const policy = aSlicingPolicy();
    const settings = { pluginConfigMap: { namespace: 'gpu', name: 'plugin' } };
    const { labels } = predict(aSituation({ policy, partition, node, settings }), policy);
    expect(labels['nvidia.com/mig-7g.40gb.replicas'], 'the plugin has our file').to.equal('1');
  });

  it('is shared beside a GPU that cannot be read only if all that is offered was shared before', () => {
    const [one] = aDevice(aGpu({ slices: ['3g.20gb@4', '1g.5gb@0'] })).gpus ?? [];
    const lost = aGpu({ index: 1, error: 'GpuLost: it fell off the bus' });
    const [small, large] = ['nvidia.com/mig-1g.5gb', 'nvidia.com/mig-3g.20gb'];
    const advertised = { stale: 0, resources: { [small]: 2, [large]: 2 } };
    const device = { ...aDevice(one ?? aGpu(), lost), advertised };
    const policy = aSlicingPolicy();
    const replicas = (before: Readonly<Record<string, string>>) => {
      const node = aNode({ allocatable: { [small]: '2', [large]: '2' }, labels: before });
      const { labels } = predict(aSituation({ policy, partition: aManagedPartition({ device }), node }), policy);
      return [labels[`${small}.replicas`], labels[`${large}.replicas`]];
    };
    expect(replicas({ [`${small}.replicas`]: '2', [`${large}.replicas`]: '2' })).to.deep.equal(['2', '2']);
    expect(replicas({ [`${small}.replicas`]: '2', [`${large}.replicas`]: '1' })).to.deep.equal(['1', '1']);
  });
});

describe('labels of a device, where we write them', () => {
  it('follow a device that changes while nothing is going to be changed back', () => {
    const world = aLabelledNode();
    world.policy = aSlicingPolicy({ rollout: { paused: true } });
    world.slot = undefined;
    world.report({ gpus: wholeGpu.gpus ?? [] });
    expect(world.step().verdict.reason).to.equal('Paused');
    expect(world.labels).not.to.have.property(sliceCount);
    expect(world.labels).to.include({ 'nvidia.com/gpu.count': '1' });
    const before = world.done.length;
    world.step(1000);
    expect(world.node.metadata.annotations).to.have.property('gpupartition.dev/managed-labels');
    expect(world.done).to.have.lengthOf(before);
  });

  it('stay where the device is one of which GPU Feature Discovery itself would say nothing', () => {
    const world = aLabelledNode();
    world.policy = aSlicingPolicy({ rollout: { paused: true } });
    world.slot = undefined;
    world.report({ driverVersion: '550', gpus: wholeGpu.gpus ?? [] });
    expect(world.step().verdict.reason).to.equal('Paused');
    expect(world.labels).to.include({ [sliceCount]: '1', 'nvidia.com/gpu.count': '1' });
  });

  it('are not begun with on a node that we have never labelled', () => {
    const world = new NodeWorld({ policy: aSlicingPolicy({ rollout: { paused: true } }) });
    world.settle();
    expect(world.labels).not.to.have.property('nvidia.com/gpu.count');
  });

  // Seed 1000721 of the model, before leaders were to end with their lease.
  it('of slices go when a node is opened whose agent is away, and come back with it: which exist is unknown', () => {
    const world = aLabelledNode();
    world.node = { ...world.node, spec: { taints: taints.closed } };
    world.agent = { state: 'Missing' };
    world.step();
    expect(world.labels).to.have.property(sliceCount);
    world.step(31_000);
    world.pods = [];
    world.advertise({});
    world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.labels).not.to.have.property(sliceCount);
    expect(world.labels).to.have.property(driver);
    world.pods = [aPluginPod({ uid: 'new' })];
    world.advertise(advertisesSlice);
    world.agent = { state: 'Ready' };
    expect(world.settle().verdict.phase).to.equal('Ready');
    expect(world.labels).to.include({ [sliceCount]: '1' });
  });

  it('of slices go when a node is opened whose grant was not answered', () => {
    const world = aLabelledNode();
    world.node = { ...world.node, spec: { taints: taints.closed } };
    world.partition = aManagedPartition({
      granted: aGrant({ epoch: 4, deadline: '2026-01-01T11:59:00Z' }),
      device: slicedGpu,
    });
    world.report({ observedEpoch: 3 });
    world.step();
    world.step();
    world.step(90_000);
    world.pods = [];
    world.advertise({});
    world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.labels).not.to.have.property(sliceCount);
    expect(world.labels).to.have.property(driver);
  });

  it('of slices stay when such a node is opened where GPU Feature Discovery writes them: it corrects them itself', () => {
    const labels = { 'nvidia.com/gfd.timestamp': '1', [sliceCount]: '1' };
    const node = aNode({ labels, taints: taints.closed, allocatable: {} });
    const world = new NodeWorld({ partition: done, node, agent: { state: 'Missing' } });
    world.step();
    world.step(31_000);
    world.step(1000);
    expect(world.taintKeys).to.deep.equal([]);
    expect(world.labels).to.include(labels);
  });
});
