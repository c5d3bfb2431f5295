import { expect } from 'chai';

import { uuidOfDeviceId } from '../../../src/core/pods/device-id.ts';
import { aDevice, aGpu, uuidOf } from '../../support/builders.ts';
import { aSlicedGpu, anInstance } from './sliced-gpu.ts';

const uuid = 'MIG-5d8d6b8c-6f0c-5f3a-9f0a-1f2e3d4c5b6a';

describe('the UUID of a device id', () => {
  it('is the id itself, without the number of a replica', () => {
    for (const id of [uuid, uuidOf(0), `MIG-${uuidOf(0)}/7/0`]) {
      expect(uuidOfDeviceId(id)).to.equal(id);
      expect(uuidOfDeviceId(`${id}::11`)).to.equal(id);
    }
  });

  it('is looked up for plugins that number GPUs', () => {
    const device = aDevice(aGpu({ index: 0 }), aGpu({ index: 2 }));
    expect(uuidOfDeviceId('2', device)).to.equal(uuidOf(2));
    expect(uuidOfDeviceId('2::1', device)).to.equal(uuidOf(2));
  });

  it('is looked up for plugins that number MIG devices, which follow the ids of the instances, not their places', () => {
    const gpu = aSlicedGpu(1, anInstance(9, 'MIG-c'), anInstance(2, 'MIG-a', 'MIG-b'));
    const ids = ['1:0', '1:1', '1:2'];
    expect(ids.map((id) => uuidOfDeviceId(id, aDevice(gpu)))).to.deep.equal(['MIG-a', 'MIG-b', 'MIG-c']);
  });

  it('is found by the ids of the instance where the plugin knew an older driver', () => {
    const gpu = aSlicedGpu(0, anInstance(2, 'MIG-a'), anInstance(9, 'MIG-b', 'MIG-c'));
    expect(uuidOfDeviceId(`MIG-${uuidOf(0)}/9/1`, aDevice(gpu))).to.equal('MIG-c');
  });

  it('is the id of the older driver where that is the node’s', () => {
    const id = `MIG-${uuidOf(0)}/9/0`;
    expect(uuidOfDeviceId(id, aDevice(aSlicedGpu(0, anInstance(9, id))))).to.equal(id);
  });

  it('is looked up for plugins that name device files, by minor number and by the id of the instance', () => {
    const device = aDevice(
      { ...aGpu({ index: 0 }), minor: 1 },
      { ...aSlicedGpu(1, anInstance(2, 'MIG-a'), anInstance(9, 'MIG-b')), minor: 0 },
      aGpu({ index: 2 }),
    );
    const uuidsOf = (...ids: readonly string[]) => ids.map((id) => uuidOfDeviceId(id, device));
    expect(uuidsOf('nvidia1', 'nvidia1/vgpu3', 'nvidia2')).to.deep.equal([uuidOf(0), uuidOf(0), uuidOf(2)]);
    expect(uuidsOf('nvidia0/gi9', 'nvidia0/gi2/vgpu0')).to.deep.equal(['MIG-b', 'MIG-a']);
    const unknown = ['nvidia3', 'nvidia0/gi7', 'nvidia2/gi2', 'nvidia0/ci2', 'xnvidia0'];
    expect(uuidsOf(...unknown)).to.deep.equal(unknown);
  });

  it('is left as it is where the node has no such device', () => {
    const device = aDevice(aSlicedGpu(0, anInstance(2, 'MIG-a')));
    for (const id of ['7', '0:1', '3:0', `MIG-${uuidOf(0)}/5/0`, uuid]) expect(uuidOfDeviceId(id, device)).to.equal(id);
  });
});
