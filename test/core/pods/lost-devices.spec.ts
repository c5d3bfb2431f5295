import { expect } from 'chai';
import { cutLostDevices, findLostDevices, listLosses, withoutLost } from '../../../src/core/pods/lost-devices.ts';
import { holdersOf } from '../../../src/core/pods/slice-holders.ts';
import { aDevice, aGpu } from '../../support/builders.ts';
import { aSlicedGpu, anInstance } from './sliced-gpu.ts';

const device = aDevice(aSlicedGpu(0, anInstance(2, 'MIG-a')), aGpu({ index: 1 }));
const pod = (name: string, id: string, resource = 'nvidia.com/mig-1g.5gb') => ({
  namespace: 'ml',
  name,
  devices: [{ resource, id }],
});
const holders = holdersOf(device, [pod('b', 'MIG-gone'), pod('a', 'MIG-gone'), pod('c', 'MIG-a')]);

describe('devices that were destroyed under their pods', () => {
  it('are named with the pods that hold them', () => {
    expect(findLostDevices(device, holders)).to.deep.equal([{ id: 'MIG-gone', pods: ['ml/a', 'ml/b'] }]);
  });

  it('are not found while a GPU cannot be read, or a UUID is missing', () => {
    const [sliced = aGpu(), whole = aGpu()] = device.gpus ?? [];
    expect(findLostDevices(aDevice(sliced, { ...whole, error: 'Lost: no answer' }), holders)).to.deep.equal([]);
    const unnamed = aSlicedGpu(1, { profile: '1g.5gb', gi: 1, start: 0 });
    expect(findLostDevices(aDevice(sliced, unnamed), holders)).to.deep.equal([]);
    expect(findLostDevices(aDevice(), holders)).to.deep.equal([]);
  });

  it('do not include whole GPUs, or devices of other plugins', () => {
    const others = holdersOf(device, [pod('a', 'GPU-gone', 'nvidia.com/gpu'), pod('b', 'MIG-x', 'example.com/fpga')]);
    expect(findLostDevices(device, others)).to.deep.equal([]);
  });

  it('keep no instance that exists from being destroyed', () => {
    const lost = findLostDevices(device, holders);
    expect(withoutLost(holders, lost).stale).to.deep.equal([]);
    expect(withoutLost(holders, []).stale).to.have.length(2);
  });

  it('are reported as far as the report has room', () => {
    const pods = Array.from({ length: 20 }, (_, at) => `ml/p${at}`);
    const many = Array.from({ length: 70 }, (_, at) => ({ id: `MIG-${at}`, pods }));
    const cut = cutLostDevices(many);
    expect([cut.length, cut[0]?.pods.length]).to.deep.equal([64, 16]);
  });

  it('are counted where a pod has lost several', () => {
    const lostDevices = ['MIG-1', 'MIG-2', 'MIG-3'].map((id) => ({ id, pods: ['ml/a'] }));
    const [loss] = listLosses({ lostDevices }, [{ metadata: { namespace: 'ml', name: 'a' } }]);
    expect(loss?.why).to.equal('it holds MIG-1 and 2 more, which no longer exist, and cannot work');
  });
});
