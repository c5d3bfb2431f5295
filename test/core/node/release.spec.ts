import { expect } from 'chai';
import { planRelease } from '../../../src/core/node/release.ts';
import type { GpuNodePartition } from '../../../src/api/types.ts';
import { predictDevice } from '../../../src/core/node/rules/prediction.ts';
import type { DevicePluginConfig } from '../../../src/core/nvidia/plugin-config/sharing.ts';
import { aDevice, aGpu } from '../../support/builders.ts';
import { aGrant, aManagedPartition, aNode, noon, slicedGpu, taints } from '../../support/node-builders.ts';

const closed = aNode({ taints: taints.closed, labels: { 'gpupartition.dev/state': 'updating' } });

const halves = aDevice(aGpu({ slices: ['3g.20gb@0', '3g.20gb@4'] }));
const ofHalves = /mig-3g\.20gb/;

/** Labels that we wrote of such a device, with the record of them. */
function labelledAs(device: typeof halves, config?: DevicePluginConfig) {
  const { labels } = predictDevice(device, 'mixed', config);
  const keys = Object.keys(labels).map((key) => key.replace('nvidia.com/', ''));
  return { labels, annotations: { 'gpupartition.dev/managed-labels': keys.join(',') } };
}

/** The labels of NVIDIA's that a closed node keeps. */
function keptLabels(partition: GpuNodePartition | undefined, { labels, annotations } = labelledAs(halves)): string[] {
  const node = aNode({ taints: taints.closed, labels, annotations });
  const release = planRelease(node, partition, noon);
  const removed = release.state === 'Marked' ? release.patch.filter(({ op }) => op === 'remove') : [];
  const paths = new Set(removed.map(({ path }) => path));
  return Object.keys(labels).filter((key) => !paths.has(`/metadata/labels/${key.replace('/', '~1')}`));
}

describe('a node that no controller looks after any more', () => {
  it('is left alone where nothing of ours is on it', () => {
    expect(planRelease(aNode(), undefined, noon)).to.deep.equal({ state: 'Clean' });
  });

  it('is opened, and loses our labels', () => {
    const release = planRelease(closed, aManagedPartition(), noon);
    expect(release).to.deep.include({ state: 'Marked', wasChanging: true });
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

  it('loses every annotation of ours, and none of others', () => {
    const others = { 'example.com/gpupartition.dev': '1', 'mygpupartition.dev/x': '1' };
    const ours = ['plugin-refreshed', 'managed-labels', 'clients', 'retry'].map((name) => `gpupartition.dev/${name}`);
    const config = 'nvidia.com/device-plugin.config';
    const plugin = 'nvidia.com/gpu.deploy.device-plugin';
    const loans = { [config]: { was: null, set: 'ours' }, [plugin]: { was: 'true', set: 'paused' } };
    const loan = { 'gpupartition.dev/on-loan': JSON.stringify(loans) };
    const annotations = { ...others, ...loan, ...Object.fromEntries(ours.map((key) => [key, 'x'])) };
    const release = planRelease(
      aNode({ labels: { [config]: 'ours', [plugin]: 'paused' }, annotations }),
      undefined,
      noon,
    );
    const changed = release.state === 'Marked' ? release.patch.filter(({ op }) => op !== 'test') : [];
    // Without its settings the plugin might run with a strategy that does not fit the layout.
    expect(changed.map(({ op, path }) => `${op} ${path}`)).to.have.members([
      'add /metadata/labels/nvidia.com~1gpu.deploy.device-plugin',
      ...[...ours, 'gpupartition.dev/on-loan'].map((key) => `remove /metadata/annotations/${key.replace('/', '~1')}`),
    ]);
  });

  describe('and that was closed for a change', () => {
    it('keeps the labels of its layout if the device has not changed', () => {
      expect(keptLabels(aManagedPartition({ device: halves }))).to.deep.equal(Object.keys(labelledAs(halves).labels));
    });

    it('keeps them if its slices are shared', () => {
      for (const renameByDefault of [false, true]) {
        const resources = [{ name: 'nvidia.com/mig-3g.20gb', replicas: 4 }];
        const strategy = 'time-slicing' as const;
        const shared = labelledAs(halves, {
          sharing: { strategy, renameByDefault, failRequestsGreaterThanOne: false, resources },
        });
        expect(keptLabels(aManagedPartition({ device: halves }), shared)).to.deep.equal(Object.keys(shared.labels));
      }
    });

    it('loses those that the device no longer has', () => {
      const kept = keptLabels(aManagedPartition({ device: slicedGpu }));
      expect(kept.filter((key) => ofHalves.test(key))).to.deep.equal([]);
      expect(kept).to.include.members(['nvidia.com/gpu.product', 'nvidia.com/mig.strategy', 'nvidia.com/gpu.family']);
    });

    it('loses all labels that a layout changes if the state of its device is unknown', () => {
      const unknown: Readonly<Record<string, GpuNodePartition | undefined>> = {
        'no object': undefined,
        'an unreadable device': aManagedPartition({ device: { ...halves, step: 'Unknown' } }),
        'an agent killed at work': aManagedPartition({ device: { ...halves, step: 'Applying' } }),
        'a grant without an answer': aManagedPartition({
          device: { ...halves, observedEpoch: 2 },
          granted: aGrant({ deadline: '2026-01-01T11:50:00Z' }),
        }),
        'another boot': aManagedPartition({ device: { ...halves, bootID: 'boot-before' } }),
      };
      for (const [why, partition] of Object.entries(unknown)) {
        const kept = keptLabels(partition);
        expect(
          kept.filter((key) => ofHalves.test(key) || key === 'nvidia.com/gpu.count'),
          why,
        ).to.deep.equal([]);
        expect(kept, why).to.include('nvidia.com/gpu.family');
      }
    });

    it('keeps labels that GPU Feature Discovery writes: it removes them itself', () => {
      const { labels } = labelledAs(halves);
      const found = { labels: { ...labels, 'nvidia.com/gfd.timestamp': '1' }, annotations: {} as never };
      expect(keptLabels(aManagedPartition({ device: slicedGpu }), found)).to.deep.equal(Object.keys(found.labels));
    });
  });
});
