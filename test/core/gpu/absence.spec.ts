import { expect } from 'chai';
import { demandGpu } from '../../../src/core/gpu/state/absence.ts';
import { DeviceError } from '../../../src/core/gpu/state/device-error.ts';
import type { DeviceState, LostGpu } from '../../../src/core/gpu/state/device-state.ts';

const uuid = 'GPU-wanted';
const lost: LostGpu = {
  pciBusId: '00000000:07:00.0',
  uuid,
  index: 0,
  product: undefined,
  instances: [],
  fault: { code: 'GpuLost', message: 'GPU is lost. Reboot the system to recover this GPU' },
};

function refusal(...gone: readonly LostGpu[]): DeviceError {
  const device: DeviceState = { driverVersion: '580.95.05', cudaVersion: undefined, gpus: [], lost: gone };
  try {
    demandGpu(device, uuid);
  } catch (error) {
    if (error instanceof DeviceError) return error;
  }
  throw new Error('it was found');
}

describe('a GPU that a reading does not have', () => {
  it('is named by its own fault if the driver lists it and cannot open it', () => {
    expect(refusal(lost)).to.include({ code: 'GpuLost', found: lost.fault.message, gpu: lost.pciBusId });
  });

  it('may be a GPU that does not answer, as long as it is unknown which one that is', () => {
    const error = refusal({ ...lost, uuid: undefined });
    expect(error).to.include({ code: 'GpuLost', gpu: uuid });
    expect(error.found).to.contain(lost.pciBusId);
  });

  it('is missing if every GPU answers', () => {
    expect(refusal()).to.include({ code: 'GpuMissing', gpu: uuid });
  });
});
