import { expect } from 'chai';
import { MissingDevices } from '../../src/core/device/agent.ts';
import { holdersOf } from '../../src/core/device/holders.ts';
import { aDevice } from '../support/builders.ts';
import { aSlicedGpu, anInstance } from '../core/device/sliced-gpu.ts';

const device = aDevice(aSlicedGpu(0, anInstance(2, 'MIG-a')));
const devices = [{ resource: 'nvidia.com/mig-1g.5gb', id: 'MIG-gone' }];
const holders = holdersOf(device, [{ namespace: 'ml', name: 'a', devices }]);
const aReading = () => ({ driverVersion: '550', cudaVersion: undefined, gpus: [], lost: [] });
const lost = [{ id: 'MIG-gone', pods: ['ml/a'] }];

describe('a device that a pod holds and the node does not have', () => {
  it('is lost when two readings in a row did not have it, however often the kubelet is asked about one', () => {
    const missing = new MissingDevices();
    const first = aReading();
    expect(missing.note(first, device, holders)).to.deep.equal([]);
    expect(missing.note(first, device, holders)).to.deep.equal([]);
    expect(missing.isUnsure, 'the GPUs are read again at once').to.equal(true);
    const second = aReading();
    expect(missing.note(second, device, holders)).to.deep.equal(lost);
    expect(missing.isUnsure).to.equal(false);
    expect(missing.note(second, device, holders)).to.deep.equal(lost);
  });

  it('is not lost while a GPU does not answer, or the kubelet', () => {
    const missing = new MissingDevices();
    missing.note(aReading(), device, holders);
    const fault = { code: 'GpuLost', message: 'no answer' } as const;
    const gone = { uuid: undefined, index: 1, pciBusId: '0', product: 'A100', fault, instances: [] };
    expect(missing.note({ ...aReading(), lost: [gone] }, device, holders)).to.deep.equal([]);
    expect(missing.note(aReading(), device, holders)).to.deep.equal([]);
    expect(missing.note(aReading(), device, undefined)).to.deep.equal([]);
  });
});
