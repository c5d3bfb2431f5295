import { expect } from 'chai';
import { faultOf, describeFault } from '../../../src/core/device/grants.ts';
import { DeviceError } from '../../../src/core/gpu/device-state.ts';
import { aGpu, uuidOf } from '../../support/builders.ts';

const details = { tried: 'nvidia-smi mig -cgi 9', found: 'exit code 4', gpu: '00000000:07:00.0' };

describe('a fault as people read it', () => {
  it('has its code once, and the GPU by its index', () => {
    const fault = faultOf(new DeviceError('DriverFailed', details), uuidOf(1));
    const text = describeFault({ error: { ...fault }, gpus: [aGpu({ index: 0 }), aGpu({ index: 1 })] });
    expect(text).to.match(/^GPU 1: DriverFailed: tried nvidia-smi mig -cgi 9; found exit code 4; check the kernel log/);
    expect(text?.match(/DriverFailed/g)).to.have.length(1);
  });

  it('does not name a GPU again whose refusal does', () => {
    const error = { code: 'InUse', message: 'GPU 1 (A100-SXM4-40GB): pod team/a holds it', gpu: uuidOf(1) };
    expect(describeFault({ error, gpus: [aGpu({ index: 1 })] })).to.equal(`InUse: ${error.message}`);
  });

  it('names a GPU that has no index yet by its address, and the instance', () => {
    const { message } = faultOf(new DeviceError('InUse', { ...details, instance: '1g.5gb at 0' }));
    expect(message).to.match(/^GPU 00000000:07:00\.0: 1g\.5gb at 0: tried /);
  });

  it('says why the previous layout of a GPU is not back', () => {
    const error = new DeviceError('DriverFailed', { tried: 'one', found: 'exit code 255' });
    const undoError = new DeviceError('GpuLost', { tried: 'another', found: 'nothing' });
    expect(faultOf(error, 'GPU-1', undoError)).to.deep.equal({
      code: 'DriverFailed',
      message: `${error.explanation}; its previous layout could not be restored: GpuLost: tried another; found nothing`,
      gpu: 'GPU-1',
    });
  });
});
