import { expect } from 'chai';
import { offersDevices } from '../../../src/core/nvidia/resources/advertised.ts';

const devices = { 'nvidia.com/mig-1g.5gb': 7 };

describe('offersDevices', () => {
  it('is true of exactly these devices, and of them shared', () => {
    expect(offersDevices(devices, devices)).to.equal(true);
    expect(offersDevices({ 'nvidia.com/mig-1g.5gb': 28 }, devices)).to.equal(true);
    expect(offersDevices({ 'nvidia.com/mig-1g.5gb.shared': 14 }, devices)).to.equal(true);
  });

  it('takes an amount of 0 for none', () => {
    expect(offersDevices({ ...devices, 'nvidia.com/gpu': 0 }, devices)).to.equal(true);
    expect(offersDevices({}, { 'nvidia.com/gpu': 0 })).to.equal(true);
  });

  it('is false of fewer, of others, and of others beside them', () => {
    expect(offersDevices({ 'nvidia.com/mig-1g.5gb': 6 }, devices)).to.equal(false);
    expect(offersDevices({ 'nvidia.com/gpu': 7 }, devices)).to.equal(false);
    expect(offersDevices({ ...devices, 'nvidia.com/gpu': 1 }, devices)).to.equal(false);
    expect(offersDevices({}, devices)).to.equal(false);
  });
});
