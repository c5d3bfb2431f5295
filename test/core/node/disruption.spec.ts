import { expect } from 'chai';
import type { Command } from '../../../src/core/node/commands.ts';
import { needsSlot } from '../../../src/core/node/disruption.ts';
import { closeNode, fenceRestart, markState } from '../../../src/core/node/node-marks.ts';
import type { Situation } from '../../../src/core/node/outcome.ts';
import {
  advertisesSlice,
  aGrant,
  aManagedPartition,
  aNode,
  aPluginPod,
  aSlicingPolicy,
  aSlot,
  aSnapshot,
  aWriteGrant,
  noMemory,
  slicedGpu,
  type SnapshotParts,
  taints,
} from '../../support/node-builders.ts';
import { situations } from '../../support/node-situations.ts';
import { NodeWorld } from '../../support/node-world.ts';

const patch = (change: Extract<Command, { name: 'PatchNode' }>['change']): Command => ({ name: 'PatchNode', change });
const pod = { namespace: 'ns', name: 'a', uid: 'uid-a' };
const evict: Command = { name: 'EvictPod', pod, round: 1 };
const close = patch(closeNode());

function needs(command: Command, parts: SnapshotParts = {}): boolean {
  const partition = parts.partition ?? aManagedPartition();
  const snapshot = aSnapshot({ slot: undefined, partition, ...parts });
  const situation: Situation = { ...snapshot, partition, memory: noMemory };
  return needsSlot(situation, [command]);
}

describe('what may be done to a node', () => {
  it('takes a slot where it closes the node, ends a pod, or changes what others run by', () => {
    const label = patch({ borrow: { 'nvidia.com/device-plugin.config': 'x' } });
    for (const command of [close, evict, label]) {
      expect(needs(command)).to.equal(true);
      expect(needs(command, { slot: aSlot })).to.equal(false);
    }
  });

  it('takes none where it ends what was begun', () => {
    const out = [
      { node: aNode({ taints: taints.closed }) },
      { node: aNode({ taints: taints.startup }) },
      { partition: aManagedPartition({ granted: aGrant(), device: { observedEpoch: 2 } }) },
    ];
    for (const parts of out) expect(needs(evict, parts)).to.equal(false);
    expect(needs({ name: 'EvictPod', pod, round: 1, isHolder: true }), 'an exporter after the change').to.equal(false);
  });

  it('takes a slot also on a closed node where it may destroy what pods use', () => {
    const closed = { node: aNode({ taints: taints.closed }) };
    for (const command of [aWriteGrant(), { name: 'DeletePod', pod } as const]) {
      expect(needs(command, closed)).to.equal(true);
    }
  });

  it('takes none for marks of ours, for the fence of a restarted node, and for what is given back', () => {
    const all = [markState('ready'), fenceRestart(), { giveBack: ['nvidia.com/gpu.deploy.dcgm'] }];
    for (const change of all) expect(needs(patch(change))).to.equal(false);
  });

  it('takes another slot where that was given to a node that was closed then, or records one of a paused policy', () => {
    expect(needs(close, { slot: { ...aSlot, kind: 'Fresh' } })).to.equal(true);
    const policy = aSlicingPolicy({ generation: 2, rollout: { paused: true } });
    expect(needs(close, { policy, slot: { ...aSlot, generation: 2 } })).to.equal(true);
    expect(needs(close, { policy, slot: aSlot }), 'it has started').to.equal(false);
  });
});

describe('a node without a slot', () => {
  for (const [name, start] of Object.entries(situations)) {
    it(`loses nothing, however long it waits: ${name}`, () => {
      const world = new NodeWorld(start());
      world.slot = undefined;
      for (let seconds = 0; seconds < 400; seconds += 20) {
        const { node, partition, policy } = world;
        const { commands } = world.step(20_000);
        const parts = { node, partition, policy, slot: undefined, now: world.now };
        for (const command of commands) expect(needs(command, parts), command.name).to.equal(false);
      }
      expect(world.done).to.not.include('WriteGrant');
    });
  }

  it('keeps its device plugin, however wrong what that offers', () => {
    const world = new NodeWorld({
      partition: aManagedPartition({ device: slicedGpu }),
      node: aNode({ allocatable: {} }),
      pods: [aPluginPod()],
    });
    world.slot = undefined;
    for (let second = 0; second < 60; second += 5) world.step(5000);
    expect(world.done).to.deep.equal([]);
    expect(world.step().verdict).to.include({ phase: 'Pending', reason: 'AwaitingSlot' });
    world.slot = { ...aSlot, deadline: '2100-01-01T00:00:00Z' };
    world.step();
    expect(world.done).to.deep.equal(['PatchNode', 'EvictPod uid-plugin']);
  });

  it('does not turn mig-manager off', () => {
    const label = 'nvidia.com/gpu.deploy.mig-manager';
    const policy = aSlicingPolicy({ allow: { takeOver: ['mig-manager'] } });
    for (const partition of [aManagedPartition(), aManagedPartition({ device: slicedGpu })]) {
      const node = aNode({ labels: { [label]: 'true' }, allocatable: advertisesSlice });
      const world = new NodeWorld({ partition, policy, node, pods: [aPluginPod()] });
      world.slot = undefined;
      world.settle();
      expect(world.labels[label]).to.equal('true');
      world.slot = aSlot;
      world.step();
      expect(world.labels[label]).to.equal('false');
    }
  });
});
