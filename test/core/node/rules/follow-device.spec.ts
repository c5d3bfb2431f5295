import { expect } from 'chai';
import { aDevice, aGpu, uuidOf } from '../../../support/builders.ts';
import {
  advertisesWhole,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSlicingPolicy,
  slicedGpu,
  wholeGpu,
} from '../../../support/node-builders.ts';
import { NodeWorld } from '../../../support/node-world.ts';

const product = 'nvidia.com/gpu.product';
const slice = 'NVIDIA-A100-SXM4-40GB-MIG-7g.40gb';
const single = { strategy: 'single' } as const;

/** Ready under strategy single, as its plugin runs: its one slice is offered, and labelled, as a GPU. */
function aSingleNode(): NodeWorld {
  const world = new NodeWorld({
    policy: aSlicingPolicy(single),
    partition: aManagedPartition({ device: slicedGpu, ...single }),
    node: aNode({ allocatable: advertisesWhole }),
    pods: [aPluginPod({ ...single, tolerates: true })],
  });
  expect(world.settle().verdict.phase).to.equal('Ready');
  expect(world.labels).to.include({ [product]: slice, 'nvidia.com/mig.strategy': 'single' });
  return world;
}

/** Minute by minute. */
function wait(world: NodeWorld, minutes: number): void {
  for (let minute = 0; minute < minutes; minute += 1) world.step(60_000);
}

describe('a policy in mode Plan', () => {
  const plan = aSlicingPolicy({ generation: 2, mode: 'Plan', strategy: 'mixed' });

  it('writes nothing on a node, whatever it plans and whatever happens there', () => {
    const happenings: Readonly<Record<string, (world: NodeWorld) => void>> = {
      nothing: () => {},
      'the device changes': (world) => world.report({ gpus: wholeGpu.gpus ?? [] }),
      'the device cannot be read': (world) =>
        world.report({ step: 'Unknown', error: { code: 'Timeout', message: '' } }),
      'the agent goes': (world) => void (world.agent = { state: 'Missing' }),
      'the node restarts': (world) => {
        world.node = { ...world.node, status: { ...world.node.status, nodeInfo: { bootID: 'boot-b' } } };
      },
      'the driver is replaced': (world) =>
        world.label({ 'nvidia.com/gpu-driver-upgrade-state': 'validation-required' }),
    };
    for (const [what, happens] of Object.entries(happenings)) {
      const world = aSingleNode();
      world.slot = undefined;
      world.policy = plan;
      happens(world);
      const before = structuredClone(world.node);
      wait(world, 90);
      expect(world.node, what).to.deep.equal(before);
      expect(world.done.filter((one) => one.startsWith('Evict'))).to.deep.equal([]);
    }
  });
});

describe('a policy with another strategy than the device plugin', () => {
  it('changes nothing on the node: its labels are those of what the plugin offers', () => {
    const layouts = [[{ profiles: { '7g.40gb': 1 } }], [{ profiles: { '1g.5gb': 7 } }]];
    for (const layout of layouts) {
      const world = aSingleNode();
      world.policy = aSlicingPolicy({ generation: 2, strategy: 'mixed', layouts: layout });
      const wish = { gpus: [{ uuid: uuidOf(0), ...layout[0] }] };
      world.partition = aManagedPartition({ device: slicedGpu, strategy: 'mixed', wish });
      const before = structuredClone(world.node);
      wait(world, 90);
      expect(world.step().verdict.reason).to.equal('StrategyMismatch');
      expect(world.node).to.deep.equal(before);
    }
  });

  it('is named at once, not when a plugin that may follow has had its time', () => {
    const world = aSingleNode();
    world.policy = aSlicingPolicy({ generation: 2, strategy: 'mixed' });
    world.partition = aManagedPartition({ device: slicedGpu, strategy: 'mixed' });
    expect(world.step().verdict).to.include({ phase: 'Failed', reason: 'StrategyMismatch' });
  });

  it('does not keep labels from following the device by the strategy of the plugin', () => {
    const world = aSingleNode();
    world.policy = aSlicingPolicy({ generation: 2, strategy: 'mixed' });
    world.partition = aManagedPartition({ device: aDevice(aGpu({ slices: ['3g.20gb@4'] })), strategy: 'mixed' });
    wait(world, 3);
    expect(world.labels).to.include({
      [product]: 'NVIDIA-A100-SXM4-40GB-MIG-3g.20gb',
      'nvidia.com/mig.strategy': 'single',
    });
  });

  it('labels the node by a reconfigured plugin until the policy agrees', () => {
    const world = aSingleNode();
    world.pods = [aPluginPod({ strategy: 'mixed', uid: 'other' })];
    world.advertise({ 'nvidia.com/gpu': '0', 'nvidia.com/mig-7g.40gb': '1' });
    world.step();
    expect(world.labels).to.include({ 'nvidia.com/mig.strategy': 'mixed', 'nvidia.com/mig-7g.40gb.count': '1' });
  });
});
