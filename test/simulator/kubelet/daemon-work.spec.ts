import { expect } from 'chai';
import { featureLabelsAnnotation, patchFeatureLabels } from '../../../src/simulator/kubelet/daemon-work.ts';
import type { KubeletNode } from '../../../src/simulator/kubelet/node.ts';

function aNode(labels: Record<string, string>, owned?: string): KubeletNode {
  const annotations = owned === undefined ? {} : { annotations: { [featureLabelsAnnotation]: owned } };
  return { metadata: { name: 'n', resourceVersion: '7', labels, ...annotations } };
}

describe('the labels that NFD’s master writes for GPU Feature Discovery', () => {
  it('need no write if the node has them all', () => {
    const node = aNode({ 'nvidia.com/gpu.count': '1' }, 'nvidia.com/gpu.count');
    expect(patchFeatureLabels(node, { 'nvidia.com/gpu.count': '1' })).to.deep.equal([]);
  });

  it('replace what differs, remove its own that are missing now, and leave all else', () => {
    const node = aNode(
      {
        'nvidia.com/gpu.count': '7',
        'nvidia.com/mig-1g.5gb.count': '7',
        'nvidia.com/mig-2g.10gb.count': '1',
        pool: 'p',
      },
      'cpu-model,nvidia.com/gpu.count,nvidia.com/mig-1g.5gb.count',
    );
    expect(patchFeatureLabels(node, { 'nvidia.com/gpu.count': '1' })).to.deep.equal([
      { op: 'remove', path: '/metadata/labels/nvidia.com~1mig-1g.5gb.count' },
      { op: 'add', path: '/metadata/labels/nvidia.com~1gpu.count', value: '1' },
      {
        op: 'add',
        path: '/metadata/annotations/nfd.node.kubernetes.io~1feature-labels',
        value: 'cpu-model,nvidia.com/gpu.count',
      },
    ]);
  });

  it('take over a key that somebody else has written', () => {
    const node = aNode({ 'nvidia.com/gpu.count': '1' }, '');
    expect(patchFeatureLabels(node, { 'nvidia.com/gpu.count': '1' })).to.have.length(1);
  });

  it('leave out a value that Kubernetes would refuse, and only that', () => {
    const wanted = { 'nvidia.com/gpu.product': 'x'.repeat(64), 'nvidia.com/gpu.count': '1' };
    const [first, second] = patchFeatureLabels(aNode({}, ''), wanted);
    expect(first).to.include({ path: '/metadata/labels/nvidia.com~1gpu.count' });
    expect(second).to.include({ value: 'nvidia.com/gpu.count' });
  });

  it('make the first annotation of a node only if there is none meanwhile', () => {
    const [, test, add] = patchFeatureLabels(aNode({}), { 'nvidia.com/gpu.count': '1' });
    expect(test).to.deep.equal({ op: 'test', path: '/metadata/resourceVersion', value: '7' });
    expect(add).to.deep.include({ path: '/metadata/annotations' });
  });
});
