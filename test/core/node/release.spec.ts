import { expect } from 'chai';
import { planRelease } from '../../../src/core/node/release.ts';
import { aGrant, aManagedPartition, aNode, noon, taints } from '../../support/node-builders.ts';

const closed = aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } });

describe('a node that no controller looks after any more', () => {
  it('is left alone where nothing of ours is on it', () => {
    expect(planRelease(aNode(), undefined, noon)).to.deep.equal({ state: 'Clean' });
  });

  it('is opened, and loses our labels', () => {
    const release = planRelease(closed, aManagedPartition(), noon);
    expect(release).to.deep.include({ state: 'Marked', wasClosed: true });
    const paths = release.state === 'Marked' ? release.patch.map(({ op, path }) => `${op} ${path}`) : [];
    expect(paths).to.include.members(['remove /spec/taints', 'remove /metadata/labels/gpupartition.dev~1state']);
  });

  it('gets back what was borrowed, and keeps its start-up taint, which is the node pool’s', () => {
    const label = 'nvidia.com/gpu.deploy.dcgm-exporter';
    const annotations = { 'gpupartition.dev/on-loan': JSON.stringify({ [label]: { was: 'true', set: 'paused' } }) };
    const node = aNode({ taints: taints.startup, labels: { [label]: 'paused' }, annotations });
    const release = planRelease(node, undefined, noon);
    const patch = release.state === 'Marked' ? release.patch : [];
    expect(patch).to.deep.include({ op: 'add', path: `/metadata/labels/${label.replace('/', '~1')}`, value: 'true' });
    expect(patch.some(({ path }) => path === '/spec/taints')).to.equal(false);
  });

  it('stays closed as long as its agent may be at work on a grant', () => {
    const granted = aGrant();
    const busy = aManagedPartition({ granted, device: { observedEpoch: granted.epoch - 1 } });
    expect(planRelease(closed, busy, Date.parse(granted.deadline) - 1)).to.deep.equal({
      state: 'Busy',
      until: granted.deadline,
    });
    expect(planRelease(closed, busy, Date.parse(granted.deadline) + 1)).to.include({ state: 'Marked' });
    // It may have seen it at the deadline.
    const late = aManagedPartition({ granted: { ...granted, seconds: 60 }, device: { observedEpoch: 2 } });
    expect(planRelease(closed, late, Date.parse(granted.deadline) + 59_999)).to.deep.equal({
      state: 'Busy',
      until: '2026-01-01T12:11:00Z',
    });
    expect(planRelease(closed, late, Date.parse(granted.deadline) + 60_000)).to.include({ state: 'Marked' });
    const another = { ...busy, spec: { ...busy.spec, nodeUID: 'of an earlier node' } };
    expect(planRelease(closed, another, Date.parse(granted.deadline) - 1)).to.include({ state: 'Marked' });
  });
});
