import { expect } from 'chai';

import { toProductLabel } from '../../../src/core/gpu/geometry/model-lookup.ts';
import { dropInvalidLabels, invalidLabels } from '../../../src/core/nvidia/labels/label-value.ts';
import { computeLabels } from '../../../src/core/nvidia/labels/node-labels.ts';
import { aMigDevice, aMigGpu, aNode } from './node-builder.ts';

describe('values of labels', () => {
  it('drops what a label may not hold and joins words with one dash', () => {
    expect(toProductLabel('NVIDIA H100 80GB HBM3')).to.equal('NVIDIA-H100-80GB-HBM3');
    expect(toProductLabel(' GeForce (TM)  RTX/2080\tTi ')).to.equal('GeForce-TM-RTX2080Ti');
  });

  it('takes the longest known product, and predicts that NFD drops it once it is shared', () => {
    const sharing = {
      strategy: 'time-slicing',
      renameByDefault: false,
      failRequestsGreaterThanOne: false,
      resources: [{ name: 'nvidia.com/gpu', replicas: 2 }],
    } as const;
    const device = aMigDevice('1g.24gb+me.all', 24064, 47, [1, 4, 4, 4, 1]);
    const node = aNode([aMigGpu([device], { name: 'NVIDIA RTX PRO 6000 Blackwell Server Edition' })]);
    const alone = computeLabels(node, 'single').labels;
    expect(alone['nvidia.com/gpu.product']).to.have.length(63);
    expect(invalidLabels(alone)).to.deep.equal([]);
    const shared = computeLabels(node, 'single', { sharing }).labels;
    const kept = dropInvalidLabels(shared);
    expect(invalidLabels(shared)).to.deep.equal([
      {
        key: 'nvidia.com/gpu.product',
        value: 'NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition-MIG-1g.24gb.me.all-SHARED',
        reason: 'the value has 70 characters, Kubernetes allows 63',
      },
    ]);
    expect(kept).not.to.have.property('nvidia.com/gpu.product');
    expect(kept).to.have.property('nvidia.com/gpu.count', '1');
  });

  it('reports values and keys of wrong form', () => {
    const labels = { 'nvidia.com/gpu.machine': 'PowerEdge-', 'nvidia.com/mig-1g.5gb+me.count': '1', good: '' };
    expect(invalidLabels(labels).map(({ key }) => key)).to.deep.equal([
      'nvidia.com/gpu.machine',
      'nvidia.com/mig-1g.5gb+me.count',
    ]);
  });
});
