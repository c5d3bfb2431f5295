import { expect } from 'chai';
import { nodeReasons } from '../../../src/api/names.ts';
import { endings } from '../../../src/core/node/endings.ts';
import { planWish } from '../../../src/core/wish/plan-wish.ts';
import {
  advertisesSlice,
  advertisesWhole,
  aGrant,
  aHolderPod,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSlicingPolicy,
  aWish,
  slicedGpu,
  taints,
  wholeGpu,
} from '../../support/node-builders.ts';
import { NodeWorld } from '../../support/node-world.ts';

const updating = { 'gpupartition.dev/state': 'updating' };
const dcgm = { 'nvidia.com/gpu.deploy.dcgm': 'true' };
const gfd = { 'nvidia.com/gfd.timestamp': '1', 'nvidia.com/gpu.count': '1' };
const done = aManagedPartition({ granted: aGrant(), device: slicedGpu });
const modeChange = { ...planWish(wholeGpu, aWish).report, modeChanges: 1 };

/** Nodes in the middle of their change, and what becomes of it. */
const changes = {
  ClientsStay: () =>
    new NodeWorld({
      node: aNode({ labels: dcgm }),
      partition: aManagedPartition({ device: { ...wholeGpu, plan: modeChange } }),
      pods: [aHolderPod('dcgm'), aPluginPod({ tolerates: true })],
    }),
  LabelsStale: () =>
    new NodeWorld({
      node: aNode({ taints: taints.closed, labels: { ...updating, ...gfd }, allocatable: advertisesSlice }),
      partition: done,
    }),
  AdvertisePending: () =>
    new NodeWorld({
      node: aNode({ taints: taints.closed, labels: updating, allocatable: advertisesWhole }),
      partition: done,
    }),
  DeviceUnreadable: () =>
    new NodeWorld({
      node: aNode({ taints: taints.closed, labels: updating }),
      partition: aManagedPartition({ granted: aGrant(), device: { ...wholeGpu, step: 'Unknown' } }),
    }),
} as const;

function runUntilFailed(world: NodeWorld): NodeWorld {
  for (let seconds = 0; seconds < 700; seconds += 1) {
    if (world.step(1000).verdict.phase === 'Failed') return world;
  }
  throw new Error(`it never fails: ${JSON.stringify(world.step().verdict)}`);
}

describe('a change that ends', () => {
  for (const [reason, start] of Object.entries(changes)) {
    it(`counts as a failure when it ends with ${reason}, also with another leader and without the slot`, () => {
      const world = runUntilFailed(start());
      expect(world.step().verdict.reason).to.equal(reason);
      expect(world.rolloutState?.hasFailed).to.equal(true);
      world.slot = undefined;
      world.failOver();
      for (let steps = 0; steps < 3; steps += 1) world.step(1000);
      expect(world.rolloutState?.hasFailed).to.equal(true);
    });
  }

  it('does not count for the next generation', () => {
    const world = runUntilFailed(changes.LabelsStale());
    world.slot = undefined;
    world.policy = aSlicingPolicy({ generation: 2 });
    for (let steps = 0; steps < 3; steps += 1) world.step(1000);
    expect(world.rolloutState?.hasFailed).to.equal(false);
  });

  it('is a failure no more once the node is Ready', () => {
    const world = runUntilFailed(changes.AdvertisePending());
    world.advertise(advertisesSlice);
    world.settle();
    expect(world.rolloutState).to.include({ hasFailed: false, isVerified: true });
    world.advertise(advertisesWhole);
    world.slot = undefined;
    world.step(1000);
    expect(world.rolloutState?.hasFailed).to.equal(false);
  });

  it('has not begun on a node without a slot, nor on one that is still open', () => {
    const later = changes.AdvertisePending();
    later.slot = undefined;
    expect(runUntilFailed(later).rolloutState?.hasFailed).to.equal(false);
    const open = new NodeWorld({ pods: [aPluginPod({ strategy: 'single' })] });
    expect(open.step().verdict).to.include({ phase: 'Failed', reason: 'StrategyMismatch' });
    expect(open.rolloutState?.hasFailed).to.equal(false);
  });

  it('is judged by its reason, whatever that is', () => {
    expect(Object.keys(endings)).to.have.members([...nodeReasons]);
  });
});
