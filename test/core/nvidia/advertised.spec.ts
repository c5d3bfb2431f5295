import { expect } from 'chai';
import { advertisedResources, advertises, offersDevices } from '../../../src/core/nvidia/resources/advertised.ts';

const devices = { 'nvidia.com/mig-1g.5gb': 7 };

describe('what a node advertises', () => {
  it('is counted as Kubernetes counts, which writes a thousand as 1k', () => {
    expect(advertises({ 'nvidia.com/gpu': '1k' }, { 'nvidia.com/gpu': 1000 })).to.equal(true);
    expect(advertises({ 'nvidia.com/gpu': '1k' }, { 'nvidia.com/gpu': 1 })).to.equal(false);
    expect(advertisedResources({ 'nvidia.com/gpu': '2e3', 'nvidia.com/mig-1g.5gb': '1M' })).to.deep.equal({
      'nvidia.com/gpu': 2000,
      'nvidia.com/mig-1g.5gb': 1e6,
    });
  });

  it('has no resource of which there is nothing, however that is written', () => {
    expect(advertisedResources({ 'nvidia.com/gpu': '0k', 'nvidia.com/gpu.shared': '0' })).to.deep.equal({});
  });

  it('is not what is wanted where it cannot be read', () => {
    expect(advertises({ 'nvidia.com/gpu': '' }, {})).to.equal(false);
  });
});

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

  it('looks at GPUs alone: other resources may be of GPUs too, by another plugin', () => {
    expect(offersDevices({ ...devices, 'k8s.amazonaws.com/vgpu': 10 }, devices)).to.equal(true);
  });

  it('is false of fewer, of others, and of others beside them', () => {
    expect(offersDevices({ 'nvidia.com/mig-1g.5gb': 6 }, devices)).to.equal(false);
    expect(offersDevices({ 'nvidia.com/gpu': 7 }, devices)).to.equal(false);
    expect(offersDevices({ ...devices, 'nvidia.com/gpu': 1 }, devices)).to.equal(false);
    expect(offersDevices({}, devices)).to.equal(false);
  });
});
