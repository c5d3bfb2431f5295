import { expect } from 'chai';
import { managedLabelsAnnotation } from '../../../src/core/nvidia/feature-discovery/managed-labels.ts';
import { combine } from '../../../src/core/metadata/node-change.ts';
import { gpuLabels, readyNode, releaseNode } from '../../../src/core/node/node-marks.ts';
import { patchNode } from '../../../src/core/metadata/node-patch.ts';
import { aGpu } from '../../support/builders.ts';

const foreign = { key: 'team', effect: 'NoSchedule', value: 'a' };
const ours = { key: 'gpupartition.dev/repartitioning', effect: 'NoSchedule' };
const node = { labels: { a: '1' }, annotations: {}, taints: [foreign] };

describe('patchNode', () => {
  it('is empty where nothing has to change', () => {
    expect(patchNode(node, { labels: { a: '1', b: undefined }, removeTaints: ['x'] })).to.deep.equal([]);
  });

  it('keeps foreign taints, and fails rather than lose one that came meanwhile', () => {
    expect(patchNode(node, { addTaints: [ours] })).to.deep.equal([
      { op: 'test', path: '/spec/taints', value: [foreign] },
      { op: 'replace', path: '/spec/taints', value: [foreign, ours] },
    ]);
    expect(patchNode({ ...node, taints: [ours] }, { removeTaints: [ours.key] })).to.deep.equal([
      { op: 'test', path: '/spec/taints', value: [ours] },
      { op: 'remove', path: '/spec/taints' },
    ]);
  });

  it('escapes keys and makes a map that is not there', () => {
    expect(patchNode({ ...node, labels: {} }, { labels: { 'nvidia.com/a~b': 'x' } })).to.deep.equal([
      { op: 'test', path: '/metadata/labels', value: null },
      { op: 'add', path: '/metadata/labels', value: {} },
      { op: 'add', path: '/metadata/labels/nvidia.com~1a~0b', value: 'x' },
    ]);
  });

  it('fails rather than empty a map whose first entry somebody else has made meanwhile', () => {
    const [first] = patchNode(node, { annotations: { 'gpupartition.dev/x': '1' } });
    expect(first).to.deep.equal({ op: 'test', path: '/metadata/annotations', value: null });
  });

  it('fails rather than overwrite a label to be borrowed that somebody else has set meanwhile', () => {
    const key = 'nvidia.com/gpu.deploy.dcgm';
    const path = '/metadata/labels/nvidia.com~1gpu.deploy.dcgm';
    const patch = patchNode(node, { borrow: { [key]: 'paused' } });
    expect(patch).to.deep.include({ op: 'test', path, value: null });
    const other = 'example.com/driver';
    expect(patchNode(node, { borrow: { [other]: 'off' } })).to.deep.include({
      op: 'test',
      path: '/metadata/labels/example.com~1driver',
      value: null,
    });
  });
});

describe('gpuLabels', () => {
  const labelled = (labels: Readonly<Record<string, string>>, managed = '') => ({
    labels,
    annotations: { [managedLabelsAnnotation]: managed },
    taints: [],
  });

  it('takes away the labels that it wrote before and are not wanted any more', () => {
    const before = labelled(
      { 'nvidia.com/gpu.count': '1', 'nvidia.com/mig-1g.5gb.count': '7', 'nvidia.com/gpu.present': 'true' },
      'gpu.count,mig-1g.5gb.count,gpu.mode',
    );
    const change = gpuLabels(before, { 'nvidia.com/gpu.count': '2' });
    expect(change.labels).to.deep.equal({ 'nvidia.com/gpu.count': '2', 'nvidia.com/mig-1g.5gb.count': undefined });
    expect(change.annotations).to.deep.equal({ [managedLabelsAnnotation]: 'gpu.count' });
  });

  it('takes away what tells of slices that are not there, whoever wrote it', () => {
    const left = {
      'nvidia.com/mig-2g.10gb.count': '3',
      'nvidia.com/mig-1g.10gb.me.product': 'x',
      'nvidia.com/mig-3g.21gb.engines.copy': '3',
      'nvidia.com/gpu.slices.gi': '1',
      'nvidia.com/mig.strategy': 'single',
    };
    const change = gpuLabels(labelled({ ...left, 'nvidia.com/gpu.count': '2' }), { 'nvidia.com/gpu.count': '2' });
    expect(change.labels).to.deep.equal(Object.fromEntries(Object.keys(left).map((key) => [key, undefined])));
  });

  it('leaves alone what is others’, and what no layout decides', () => {
    const others = {
      'nvidia.com/mig.config': 'all-1g.5gb',
      'nvidia.com/mig.config.state': 'success',
      'nvidia.com/mig-mine.count': '2',
      'nvidia.com/gpu.present': 'true',
      'nvidia.com/gpu.deploy.dcgm': 'true',
      'nvidia.com/gpu.family': 'ampere',
      'nvidia.com/gfd.timestamp': '1',
      'example.com/mig-1g.5gb.count': '7',
      team: 'a',
    };
    expect(gpuLabels(labelled(others), { 'nvidia.com/gpu.count': '2' }).labels).to.deep.equal({
      'nvidia.com/gpu.count': '2',
    });
  });

  it('keeps the recorded memory of a GPU that could not be read', () => {
    const found = { 'nvidia.com/gpu.memory': '40960' };
    expect(gpuLabels(labelled(found), {}).labels).to.deep.equal({});
  });
});

describe('marks of a node', () => {
  it('open it for pods, the start-up taint too, when it is ready', () => {
    const closed = {
      ...node,
      taints: [foreign, ours, { key: 'gpupartition.dev/uninitialized', effect: 'NoSchedule' }],
    };
    const patch = patchNode(closed, combine(readyNode('p', [aGpu({ slices: ['3g.20gb@0', '1g.5gb@4', '1g.5gb@5'] })])));
    expect(patch).to.deep.include({ op: 'replace', path: '/spec/taints', value: [foreign] });
    expect(patch).to.deep.include({
      op: 'add',
      path: '/metadata/labels/gpupartition.dev~1layout',
      value: '2x1g.5gb_1x3g.20gb',
    });
  });

  it('leave nothing of ours behind on a node that leaves its policy', () => {
    const { labels } = readyNode('p', []);
    const marked = { ...node, labels: { ...node.labels, ...(labels as Record<string, string>) }, taints: [ours] };
    const paths = patchNode(marked, releaseNode()).map(({ op, path }) => `${op} ${path}`);
    expect(paths).to.include.members(['remove /spec/taints', 'remove /metadata/labels/gpupartition.dev~1policy']);
  });
});
