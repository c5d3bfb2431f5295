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
      { op: 'add', path: '/metadata/labels', value: {} },
      { op: 'add', path: '/metadata/labels/nvidia.com~1a~0b', value: 'x' },
    ]);
  });
});

describe('gpuLabels', () => {
  it('takes away the labels that it wrote before and no others', () => {
    const before = {
      labels: {
        'nvidia.com/gpu.count': '1',
        'nvidia.com/mig-1g.5gb.count': '7',
        'nvidia.com/mig-2g.10gb.count': '1',
        'nvidia.com/gpu.present': 'true',
      },
      annotations: { [managedLabelsAnnotation]: 'gpu.count,mig-1g.5gb.count' },
      taints: [],
    };
    const change = gpuLabels(before, { 'nvidia.com/gpu.count': '2' });
    expect(change.labels).to.deep.equal({ 'nvidia.com/gpu.count': '2', 'nvidia.com/mig-1g.5gb.count': undefined });
    expect(change.annotations).to.deep.equal({ [managedLabelsAnnotation]: 'gpu.count' });
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
