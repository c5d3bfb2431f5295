import { expect } from 'chai';

import { listMisoffered } from '../../../src/core/pods/misoffered.ts';
import { aDevice, aGpu, uuidOf } from '../../support/builders.ts';
import { aSlicedGpu, anInstance } from './sliced-gpu.ts';

const sliced = aSlicedGpu(0, anInstance(2, 'MIG-a'), anInstance(3, 'MIG-b'));
const device = aDevice(sliced, aGpu({ index: 1 }), aGpu({ index: 2 }));
const slices = 'nvidia.com/mig-1g.5gb';

describe('a resource that the kubelet offers', () => {
  const judge = (name: string, ids: readonly string[]) => listMisoffered(device, new Map([[name, ids]]), 'mixed');

  it('is right with the devices that the node has for it, shared or not', () => {
    expect(judge(slices, ['MIG-a', 'MIG-b'])).to.deep.equal([]);
    expect(judge(`${slices}.shared`, ['MIG-a::0', 'MIG-a::1', 'MIG-b::0', 'MIG-b::1'])).to.deep.equal([]);
  });

  it('is wrong with a device that is gone, also if the number is right', () => {
    expect(judge(slices, ['MIG-a', 'MIG-gone'])).to.deep.equal([slices]);
  });

  it('is wrong if one of its devices is missing', () => {
    expect(judge('nvidia.com/gpu', [uuidOf(1)])).to.deep.equal(['nvidia.com/gpu']);
  });

  it('is wrong beside one that is right', () => {
    const offered = new Map([
      [slices, ['MIG-a', 'MIG-b']],
      ['nvidia.com/mig-3g.20gb', ['MIG-gone']],
    ]);
    expect(listMisoffered(device, offered, 'mixed')).to.deep.equal(['nvidia.com/mig-3g.20gb']);
  });

  it('is not judged by its number where the strategy is not known, nor if it is another vendor’s', () => {
    expect(listMisoffered(device, new Map([['nvidia.com/gpu', [uuidOf(1)]]]), undefined)).to.deep.equal([]);
    expect(judge('example.com/fpga', ['0'])).to.deep.equal([]);
  });
});
