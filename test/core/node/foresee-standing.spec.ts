import { expect } from 'chai';
import { expectRolloutState, forecastRolloutState } from '../../../src/core/node/decide.ts';
import { aDevice, aGpu } from '../../support/builders.ts';
import { aManagedPartition, aNode, aSlicingPolicy, aSnapshot } from '../../support/node-builders.ts';
import { anAsking, aRolloutState } from '../rollout/rollout-builders.ts';

describe('how a node will stand, before its agent has planned the new wish', () => {
  type Parts = Parameters<typeof aSnapshot>[0];
  const sliced = aGpu({ slices: ['3g.20gb@4'] });
  const lastGood = {
    bootID: 'boot-a',
    gpus: [{ uuid: sliced.uuid, mig: 'Enabled' as const, placements: ['3g.20gb@4'] }],
  };
  const idle = { ...aDevice(sliced), bootID: 'boot-a', lastGood };
  const allocatable = { 'nvidia.com/gpu': '0', 'nvidia.com/mig-3g.20gb': '1' };
  const request = (parts: Parts) => {
    const snapshot = aSnapshot({ policy: aSlicingPolicy(), node: aNode({ allocatable }), ...parts });
    return forecastRolloutState(aRolloutState('n', { nodeUID: 'uid-n' }), snapshot)?.request;
  };

  it('requests a slot with what the plan would destroy', () => {
    const parts = { partition: aManagedPartition({ device: idle }) };
    expect(request(parts)).to.include({ kind: 'New', evictions: 0, destroys: 1 });
  });

  it('requests nothing if it is done, or cannot change now', () => {
    const done = aManagedPartition({ device: aDevice(aGpu({ slices: ['7g.40gb@0'] })) });
    expect(request({ partition: done })).to.equal(undefined);
    const partition = aManagedPartition({ device: idle });
    expect(request({ partition, node: aNode({ allocatable, unschedulable: true }) })).to.equal(undefined);
    expect(request({ partition, policy: aSlicingPolicy({ mode: 'Plan' }) })).to.equal(undefined);
  });

  it('requests a slot of a paused policy too: its ledger says why none is given', () => {
    const partition = aManagedPartition({ device: idle });
    const policy = aSlicingPolicy({ rollout: { paused: true } });
    expect(request({ partition, policy })).to.include({ kind: 'New', destroys: 1 });
  });

  it('is unknown of a new node, of one over which another policy decided, and where any pod of the node has to go', () => {
    const snapshot = aSnapshot({ policy: aSlicingPolicy(), partition: aManagedPartition({ device: idle }) });
    expect(forecastRolloutState(undefined, snapshot)).to.equal(undefined);
    expect(forecastRolloutState(aRolloutState('n', { nodeUID: 'uid-before' }), snapshot)).to.equal(undefined);
    expect(forecastRolloutState(aRolloutState('n', { nodeUID: 'uid-n', policy: 'q' }), snapshot)).to.equal(undefined);
    const policy = aSlicingPolicy({ drain: { scope: 'Node' } });
    expect(request({ partition: aManagedPartition({ device: idle }), policy })).to.equal(undefined);
  });

  it('requests nothing if pods would have to go: which ones only a look tells', () => {
    const instances = sliced.instances.map((one) => ({ ...one, busy: true }));
    const device = { ...idle, gpus: [{ ...sliced, instances }] };
    expect(request({ partition: aManagedPartition({ device }) })).to.equal(undefined);
  });
});

describe('what is expected of a node at a new generation', () => {
  const { request } = anAsking('a');

  it('counts no failure and no success of the generation before', () => {
    const before = aRolloutState('a', { hasFailed: true, isVerified: true });
    expect(expectRolloutState(before, request)).to.deep.equal(aRolloutState('a', { request }));
  });

  it('takes back what the node requested before', () => {
    expect(expectRolloutState(anAsking('a', 'Retry'), undefined)).to.deep.equal(aRolloutState('a'));
  });

  it('lets a node that is under way finish before it requests anything', () => {
    const before = aRolloutState('a', { isUnderWay: true });
    expect(expectRolloutState(before, request)).to.deep.equal(before);
  });
});
