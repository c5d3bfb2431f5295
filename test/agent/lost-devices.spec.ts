import { expect } from 'chai';
import { type KubeletWord, Readings } from '../../src/core/device/kubelet.ts';
import { aDevice } from '../support/builders.ts';
import { aReading, aSlicedGpu, anInstance, holdersOf } from '../core/device/sliced-gpu.ts';

const device = aDevice(aSlicedGpu(0, anInstance(2, 'MIG-a')));
const devices = [{ resource: 'nvidia.com/mig-1g.5gb', id: 'MIG-gone' }];
const holders = holdersOf(device, [{ namespace: 'ml', name: 'a', devices }]);
const lostOf = (
  readings: Readings,
  reading: ReturnType<typeof aReading>,
  word: KubeletWord | undefined = { holders },
) => readings.complete(reading, device, word).lostDevices ?? [];
const lost = [{ id: 'MIG-gone', pods: ['ml/a'] }];

describe('a device that a pod holds and the node does not have', () => {
  it('is lost when two readings in a row did not have it, however often the kubelet is asked about one', () => {
    const readings = new Readings();
    const first = aReading();
    expect(lostOf(readings, first)).to.deep.equal([]);
    expect(lostOf(readings, first)).to.deep.equal([]);
    expect(readings.isUnsure, 'the GPUs are read again at once').to.equal(true);
    const second = aReading();
    expect(lostOf(readings, second)).to.deep.equal(lost);
    expect(readings.isUnsure).to.equal(false);
    expect(lostOf(readings, second)).to.deep.equal(lost);
  });

  it('is not lost while a GPU does not answer, or the kubelet', () => {
    const readings = new Readings();
    lostOf(readings, aReading());
    const fault = { code: 'GpuLost', message: 'no answer' } as const;
    const gone = { uuid: undefined, index: 1, pciBusId: '0', product: 'A100', fault, instances: [] };
    expect(lostOf(readings, { ...aReading(), lost: [gone] })).to.deep.equal([]);
    expect(lostOf(readings, aReading())).to.deep.equal([]);
    expect(readings.complete(aReading(), device, undefined).lostDevices ?? []).to.deep.equal([]);
  });
});
