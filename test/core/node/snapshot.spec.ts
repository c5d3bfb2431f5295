import { expect } from 'chai';
import type { DeviceReport, PlanReport } from '../../../src/api/types.ts';
import { repartitioningTaint } from '../../../src/api/names.ts';
import { asksForClaims, backendOf, sliceOfferOf } from '../../../src/core/node/snapshot.ts';
import {
  aClaim,
  aGrant,
  aManagedPartition,
  aNode,
  aSlicingPolicy,
  slicesOf,
  wholeGpu,
} from '../../support/node-builders.ts';

function asks(plan: Partial<PlanReport>, drain?: 'Node'): boolean {
  const policy = aSlicingPolicy({ backend: 'DRA', ...(drain && { drain: { scope: drain } }) });
  const nothing = { hash: 'h', wishHash: 'w', keep: 1, destroy: 0, create: 0 };
  const device = { ...wholeGpu, plan: { ...nothing, ...plan } };
  const partition = aManagedPartition({ backend: 'DRA', device });
  return asksForClaims({ node: aNode(), claim: aClaim(policy, partition), partition });
}

describe('the claims of the cluster', () => {
  it('are listed for a plan that takes something away, or that has pods go', () => {
    expect(asks({})).to.equal(false);
    expect(asks({ destroy: 1 })).to.equal(true);
    expect(asks({ modeChanges: 1 })).to.equal(true);
    expect(asks({ affectedPods: ['team/train'] })).to.equal(true);
    expect(asks({}, 'Node')).to.equal(true);
  });

  it('are not listed without a plan', () => {
    const partition = { ...aManagedPartition({ backend: 'DRA' }), status: {} };
    const claim = aClaim(aSlicingPolicy({ backend: 'DRA' }), partition);
    expect(asksForClaims({ node: aNode(), claim, partition })).to.equal(false);
  });

  it('are listed where a device plugin has come in the place of a driver that was found out', () => {
    const device = { ...wholeGpu, plan: { hash: 'h', wishHash: 'w', keep: 1, destroy: 0, create: 0 } };
    const partition = aManagedPartition({ backend: 'DRA', device });
    const asksOn = (backend: 'Auto' | 'DRA', node = aNode()): boolean =>
      asksForClaims({ node, claim: aClaim(aSlicingPolicy({ backend }), partition), partition });
    expect(asksOn('Auto')).to.equal(true);
    expect(asksOn('DRA')).to.equal(false);
    expect(asksOn('Auto', aNode({ allocatable: { 'nvidia.com/gpu': '0' } }))).to.equal(false);
  });

  it('are listed for a plan that only creates: without them a pod that looks on would be waited for', () => {
    expect(asks({ create: 1 })).to.equal(true);
  });
});

describe('what a DRA driver offers of a node', () => {
  const partition = aManagedPartition({ device: wholeGpu });
  const known = { node: aNode(), partition, slices: slicesOf(wholeGpu) };

  it('counts only where it hands the GPUs out, and once its slices have been read', () => {
    const asksDra = aClaim(aSlicingPolicy({ backend: 'DRA' }), partition);
    expect(sliceOfferOf({ ...known, claim: asksDra })?.isExact).to.equal(true);
    expect(sliceOfferOf({ ...known, claim: asksDra, slices: undefined })).to.equal(undefined);
    expect(sliceOfferOf({ ...known, claim: aClaim(aSlicingPolicy(), partition) })).to.equal(undefined);
  });
});

describe('the backend of a node whose policy is edited', () => {
  const granted = aGrant();
  const closed = aNode({ taints: [repartitioningTaint] });
  const wasDra = aManagedPartition({ backend: 'DRA', device: wholeGpu, granted });
  const asksPlugin = aClaim(aSlicingPolicy({ backend: 'DevicePlugin' }), wasDra);

  it('stays DRA until the driver offers nothing any more: its slices may name what is gone', () => {
    const known = { node: closed, partition: wasDra, claim: asksPlugin };
    expect(backendOf(known)).to.equal('DRA');
    expect(backendOf({ ...known, slices: slicesOf(wholeGpu) })).to.equal('DRA');
    expect(backendOf({ ...known, slices: [] })).to.equal('DevicePlugin');
    expect(backendOf({ ...known, node: aNode(), slices: slicesOf(wholeGpu) })).to.equal('DRA');
  });

  it('stays the device plugin’s in the middle of a change until that offers nothing any more', () => {
    const partition = aManagedPartition({ device: wholeGpu, granted });
    const known = { partition, claim: aClaim(aSlicingPolicy({ backend: 'DRA' }), partition) };
    const offering = aNode({ taints: [repartitioningTaint], allocatable: { 'nvidia.com/gpu': '1' } });
    expect(backendOf({ ...known, node: offering })).to.equal('DevicePlugin');
    const empty = aNode({ taints: [repartitioningTaint], allocatable: { 'nvidia.com/gpu': '0' } });
    expect(backendOf({ ...known, node: empty })).to.equal('DRA');
  });

  it('is the device plugin’s once no policy is left, the DRA driver’s slices are gone, and a device plugin is there', () => {
    const left = { ...asksPlugin, winner: undefined };
    const known = { node: closed, partition: wasDra, claim: left };
    expect(backendOf(known)).to.equal('DRA');
    expect(backendOf({ ...known, slices: slicesOf(wholeGpu) })).to.equal('DRA');
    expect(backendOf({ ...known, slices: [] })).to.equal('DevicePlugin');
    expect(backendOf({ ...known, slices: [], node: aNode({ allocatable: {} }) })).to.equal('DRA');
  });

  it('is DRA once no policy is left, the kubelet offers nothing, and a DRA driver publishes slices', () => {
    const left = { ...asksPlugin, winner: undefined };
    const having = (advertised?: DeviceReport['advertised']) =>
      aManagedPartition({ device: { ...wholeGpu, ...(advertised && { advertised }) }, granted });
    const empty = aNode({ taints: [repartitioningTaint], allocatable: { 'nvidia.com/gpu': '0' } });
    const known = { node: empty, partition: having({ stale: 0 }), claim: left, hasSlices: true };
    expect(backendOf(known)).to.equal('DRA');
    const withZeros = having({ resources: { 'nvidia.com/gpu': 0 }, stale: 0 });
    expect(backendOf({ ...known, partition: withZeros })).to.equal('DRA');
    expect(backendOf({ ...known, hasSlices: false })).to.equal('DevicePlugin');
    expect(backendOf({ ...known, node: closed })).to.equal('DevicePlugin');
    for (const advertised of [undefined, { stale: 1 }, { resources: { 'nvidia.com/gpu': 1 }, stale: 0 }])
      expect(backendOf({ ...known, partition: having(advertised) })).to.equal('DevicePlugin');
  });
});
