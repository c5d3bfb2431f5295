import { expect } from 'chai';
import type { Ruling } from '../../../../src/core/node/outcome.ts';
import { tidyStatus } from '../../../../src/core/node/rules/tidy-status.ts';
import {
  aManagedPartition,
  aGrant,
  aNode,
  aSituation,
  namesOf,
  noMemory,
  noon,
  slicedGpu,
} from '../../../support/node-builders.ts';
import { NodeWorld } from '../../../support/node-world.ts';

const tenMinutes = 10 * 60_000;
const amounts = { 'nvidia.com/gpu': '0', 'nvidia.com/mig-7g.40gb': '1', 'nvidia.com/hostdev': '0', cpu: '0' };

/** A node that is Ready with one slice, and still shows the whole GPU that it was. */
function aReadyNode(capacity: Readonly<Record<string, string>> = amounts, tidyNodeStatus = true): NodeWorld {
  const device = { ...slicedGpu, advertised: { stale: 0, resources: { 'nvidia.com/mig-7g.40gb': 1 } } };
  const node = aNode({ labels: { 'gpupartition.dev/state': 'updating' } });
  const world = new NodeWorld({
    node: { ...node, status: { ...node.status, allocatable: amounts, capacity } },
    partition: aManagedPartition({ granted: aGrant(), device }),
    settings: { tidyNodeStatus },
  });
  expect(world.settle().verdict.phase).to.equal('Ready');
  world.done.length = 0;
  // As every node that is Ready, it has given its slot back.
  world.slot = undefined;
  return world;
}

describe('resources of earlier layouts on a node that is Ready', () => {
  it('are removed after ten minutes, once', () => {
    const world = aReadyNode();
    const { verdict } = world.step(1000);
    expect(verdict.requeueAfterMs).to.be.within(tenMinutes - 20_000, tenMinutes);
    expect(world.done).to.deep.equal([]);
    expect(world.step(tenMinutes).verdict.phase).to.equal('Ready');
    expect(world.node.status?.allocatable).to.have.all.keys('nvidia.com/mig-7g.40gb', 'nvidia.com/hostdev', 'cpu');
    expect(world.node.status?.capacity).to.have.all.keys('nvidia.com/mig-7g.40gb', 'nvidia.com/hostdev', 'cpu');
    expect(world.done).to.have.lengthOf(1);
    world.advertise(amounts);
    world.step(tenMinutes);
    expect(world.done).to.have.lengthOf(1);
  });

  it('are removed beside what else is done, and looked at when the earlier of both is due', () => {
    const world = aReadyNode();
    const situation = (waitedMs: number) =>
      aSituation(
        { node: world.node, partition: world.partition, settings: { tidyNodeStatus: true }, slot: undefined },
        { memory: { ...noMemory, waits: { Reason: { since: noon - waitedMs, of: 'Ready' } } } },
      );
    const verdict = { phase: 'Ready', reason: 'Ready', message: '' } as const;
    const ruling: Ruling = { ifClosed: 'Opens', verdict, commands: [{ name: 'WriteMonitors', claims: [] }] };
    expect(namesOf({ commands: tidyStatus(situation(tenMinutes), ruling).commands ?? [] })).to.deep.equal([
      'WriteMonitors',
      'AdvertiseDevices',
    ]);
    const bare = { ifClosed: ruling.ifClosed, verdict };
    expect(namesOf({ commands: tidyStatus(situation(tenMinutes), bare).commands ?? [] })).to.deep.equal([
      'AdvertiseDevices',
    ]);
    const requeueOf = (requeueAfterMs: number) =>
      tidyStatus(situation(0), { ...ruling, verdict: { ...verdict, requeueAfterMs } }).verdict.requeueAfterMs;
    expect(requeueOf(1000)).to.equal(1000);
    expect(requeueOf(3600_000)).to.equal(tenMinutes);
    const waiting = { ...ruling, verdict: { ...verdict, phase: 'Waiting' } } as const;
    expect(tidyStatus(situation(tenMinutes), waiting)).to.equal(waiting);
  });

  it('stay while the kubelet still counts them, or knows such a device', () => {
    const counted = aReadyNode({ ...amounts, 'nvidia.com/gpu': '1' });
    counted.step(tenMinutes);
    expect(counted.done).to.deep.equal([]);
    const known = aReadyNode();
    known.report({ advertised: { stale: 0, resources: { 'nvidia.com/mig-7g.40gb': 1, 'nvidia.com/gpu': 0 } } });
    known.step(tenMinutes);
    expect(known.done).to.deep.equal([]);
  });

  it('stay unless the administrator wants them removed', () => {
    const world = aReadyNode(amounts, false);
    expect(world.step(tenMinutes).verdict).not.to.have.property('requeueAfterMs');
    expect(world.done).to.deep.equal([]);
  });
});
