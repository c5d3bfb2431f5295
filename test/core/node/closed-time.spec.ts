import { expect } from 'chai';
import type { NodePartitionStatus } from '../../../src/api/types.ts';
import { timeText } from '../../../src/core/text/syntax.ts';
import { recallMemory } from '../../../src/core/node/memory.ts';
import { aManagedPartition, aNode, noon, slicedGpu, taints, advertisesSlice } from '../../support/node-builders.ts';
import { NodeWorld } from '../../support/node-world.ts';

const closedNow = (world: NodeWorld): NodePartitionStatus['closed'] => world.partition.status?.closed;

/** A node that is closed for a change, seen at noon. */
function aClosedWorld(): NodeWorld {
  const world = new NodeWorld();
  world.step();
  expect(world.taintKeys).to.deep.equal(['repartitioning']);
  return world;
}

/** The agent has done what was granted, and the plugin offers it. */
function finish(world: NodeWorld): void {
  const epoch = world.partition.spec.granted?.epoch;
  world.report({ ...slicedGpu, ...(epoch !== undefined && { observedEpoch: epoch }) });
  // The plugin takes a moment.
  world.step(1000);
  world.advertise(advertisesSlice);
  for (let steps = 0; steps < 20 && world.taintKeys.length > 0; steps += 1) world.step(1000);
  expect(world.taintKeys).to.deep.equal([]);
}

describe('the time for which a node is closed', () => {
  it('is in its status: since when, and afterwards for how long and until when, without a write more', () => {
    const world = aClosedWorld();
    for (let steps = 0; steps < 4; steps += 1) world.step(1000);
    expect(closedNow(world)).to.deep.equal({ since: '2026-01-01T12:00:01Z' });
    finish(world);
    // From the first look at the closed node to the decision that opens it.
    const seconds = (world.now - noon) / 1000 - 1;
    // The write that says Ready has it: the next look adds nothing.
    expect(world.partition.status?.phase).to.equal('Ready');
    expect(closedNow(world)).to.deep.equal({
      lastSeconds: seconds,
      deviceDoneTime: timeText(world.now - 1000),
      offeredTime: timeText(world.now),
    });
    const { status } = world.partition;
    world.step(60_000);
    expect(world.partition.status).to.deep.equal(status);
  });

  it('continues under another leader', () => {
    const world = aClosedWorld();
    for (let steps = 0; steps < 4; steps += 1) world.step(1000);
    world.failOver();
    world.step(10_000);
    expect(closedNow(world)).to.deep.equal({ since: '2026-01-01T12:00:01Z' });
    finish(world);
    expect(closedNow(world)?.lastSeconds).to.be.at.least(14);
  });

  it('begins now where the clock of an earlier leader was ahead, or its status cannot be read', () => {
    for (const since of ['2026-01-01T13:00:00Z', 'yesterday']) {
      const partition = aManagedPartition();
      const status = { ...partition.status, closed: { since } };
      const world = new NodeWorld({ node: aNode({ taints: taints.closed }), partition: { ...partition, status } });
      world.failOver();
      world.step();
      expect(world.memory.closed, since).to.deep.equal({ since: noon });
    }
    const offeredTime = timeText(noon);
    expect(recallMemory({ closed: { lastSeconds: 7, offeredTime } }).closed).to.deep.equal({
      lastSeconds: 7,
      offeredAt: noon,
    });
  });
});
