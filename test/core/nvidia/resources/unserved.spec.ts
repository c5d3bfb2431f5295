import { expect } from 'chai';

import type { Strategy } from '../../../../src/api/types.ts';
import { listUnserved } from '../../../../src/core/nvidia/resources/unserved.ts';
import { aDevice, aGpu, uuidOf } from '../../../support/builders.ts';
import { aSlicedGpu, anInstance } from '../../pods/sliced-gpu.ts';

const device = aDevice(aSlicedGpu(0, anInstance(2, 'MIG-a'), anInstance(3, 'MIG-b')), aGpu({ index: 1 }));
const slices = 'nvidia.com/mig-1g.5gb';
const gpu = 'nvidia.com/gpu';
const whole = { [gpu]: [uuidOf(1)] };

describe('resources that the kubelet offers', () => {
  const judge = (offered: Readonly<Record<string, readonly string[]>>, strategy: Strategy | undefined = 'mixed') =>
    listUnserved(device, new Map(Object.entries(offered)), strategy);

  it('are served where they are exactly the devices of the node, shared or not', () => {
    expect(judge({ ...whole, [slices]: ['MIG-a', 'MIG-b'] })).to.deep.equal([]);
    const replicas = ['MIG-a::0', 'MIG-a::1', 'MIG-b::0', 'MIG-b::1'];
    expect(judge({ ...whole, [`${slices}.shared`]: replicas })).to.deep.equal([]);
  });

  it('are left of an earlier plugin beside all that a new one registers', () => {
    const earlier = 'nvidia.com/mig-3g.20gb';
    expect(judge({ ...whole, [slices]: ['MIG-a', 'MIG-b'], [earlier]: ['MIG-gone'] })).to.deep.equal([earlier]);
  });

  it('are all unserved where a device is gone, even if the numbers are right', () => {
    expect(judge({ ...whole, [slices]: ['MIG-a', 'MIG-gone'] })).to.deep.equal([gpu, slices]);
  });

  it('are all unserved where a plugin would register one more, though what is offered exists', () => {
    expect(judge(whole)).to.deep.equal([gpu]);
    expect(judge({ ...whole, [slices]: ['MIG-a'] })).to.deep.equal([gpu, slices]);
  });

  it('are all unserved where the plugin does not start on such a device', () => {
    expect(judge(whole, 'single')).to.deep.equal([gpu]);
  });

  it('are judged by the existence of their devices alone where the strategy is not known', () => {
    const offered = new Map([
      [gpu, [uuidOf(1)]],
      [slices, ['MIG-gone']],
    ]);
    expect(listUnserved(device, offered, undefined)).to.deep.equal([slices]);
  });

  it('are left of an earlier plugin where only one strategy explains the others, and none was told', () => {
    const sliced = aDevice(aSlicedGpu(0, anInstance(2, 'MIG-a')));
    const offered = new Map([
      [gpu, [uuidOf(0)]],
      [slices, ['MIG-a']],
    ]);
    expect(listUnserved(sliced, offered, undefined)).to.deep.equal([]);
    const two = aDevice(aSlicedGpu(0, anInstance(2, 'MIG-a')), aSlicedGpu(1, anInstance(3, 'MIG-b')));
    expect(listUnserved(two, new Map([...offered, [slices, ['MIG-a', 'MIG-b']]]), undefined)).to.deep.equal([gpu]);
  });

  it('do not include another vendor’s', () => {
    expect(judge({ 'example.com/fpga': ['0'] })).to.deep.equal([]);
  });
});
