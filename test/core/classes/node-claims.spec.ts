import { expect } from 'chai';
import { listNodeClaims } from '../../../src/core/classes/node-claims.ts';
import type { GpuDescription, NodeDescription } from '../../../src/core/nvidia/labels/node-description.ts';

const attributes = {
  memory: 4864,
  multiprocessors: 14,
  'slices.gi': 1,
  'slices.ci': 1,
  'engines.copy': 1,
  'engines.decoder': 0,
  'engines.encoder': 0,
  'engines.jpeg': 0,
  'engines.ofa': 0,
};

function aGpuWith(profiles: readonly string[] | undefined, name = 'NVIDIA A100-SXM4-40GB'): GpuDescription {
  return {
    name,
    memoryMiB: 40960,
    computeCapability: [8, 0],
    migCapable: true,
    migEnabled: profiles !== undefined,
    migDevices: (profiles ?? []).map((profile) => ({ profile, attributes })),
  };
}

const aNode = (...gpus: readonly GpuDescription[]): NodeDescription => ({
  driverVersion: '570.1',
  cudaDriverVersion: [12, 8],
  gpus,
});

describe('what workloads write to get the devices of a DRA node', () => {
  it('is a DeviceClass, the resource of the device plugin and a template for each kind of slice', () => {
    const { devices, errors } = listNodeClaims(aNode(aGpuWith(['1g.5gb', '3g.20gb', '1g.5gb']), aGpuWith(['1g.5gb'])));
    expect(errors).to.deep.equal([]);
    expect(devices.map(({ template: _template, ...one }) => one)).to.deep.equal([
      {
        device: '1g.5gb',
        count: 3,
        deviceClass: 'mig-1g-5gb.gpu.nvidia.com',
        extendedResourceName: 'nvidia.com/mig-1g.5gb',
      },
      {
        device: '3g.20gb',
        count: 1,
        deviceClass: 'mig-3g-20gb.gpu.nvidia.com',
        extendedResourceName: 'nvidia.com/mig-3g.20gb',
      },
    ]);
    expect(devices[0]?.template).to.deep.equal({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaimTemplate',
      metadata: { name: 'mig-1g-5gb' },
      spec: {
        spec: {
          devices: {
            requests: [
              {
                name: 'gpu',
                exactly: { deviceClassName: 'mig-1g-5gb.gpu.nvidia.com', allocationMode: 'ExactCount', count: 1 },
              },
            ],
          },
        },
      },
    });
  });

  it('is the class of the driver for a whole GPU, which no resource stands for, and nothing for a GPU in MIG mode without slices', () => {
    const { devices } = listNodeClaims(aNode(aGpuWith(undefined), aGpuWith([])));
    expect(devices.map(({ device, count, deviceClass }) => ({ device, count, deviceClass }))).to.deep.equal([
      { device: 'whole GPU', count: 1, deviceClass: 'gpu.nvidia.com' },
    ]);
    expect(devices[0]).not.to.have.property('extendedResourceName');
  });

  it('names a slice as its class does, whatever an older driver calls it', () => {
    const { devices } = listNodeClaims(aNode(aGpuWith(['1g.5gb+me'])));
    expect(devices[0]).to.include({
      deviceClass: 'mig-1g-5gb-me.gpu.nvidia.com',
      extendedResourceName: 'nvidia.com/mig-1g.5gb.me',
    });
    const nameOf = (product: string, profile: string): string | undefined =>
      listNodeClaims(aNode(aGpuWith([profile], product))).devices[0]?.deviceClass;
    expect(nameOf('NVIDIA GB200', '1g.24gb')).to.equal('mig-1g-23gb.gpu.nvidia.com');
    // Two driver branches have two tables for this board: a class selects by the name that the driver has.
    expect(nameOf('NVIDIA GB300', '1g.31gb')).to.equal('mig-1g-31gb.gpu.nvidia.com');
    expect(nameOf('NVIDIA GB300', '1g.35gb')).to.equal('mig-1g-35gb.gpu.nvidia.com');
  });

  it('is nothing at all where a compute instance is smaller than its GPU instance: the driver exits', () => {
    const { devices, errors } = listNodeClaims(aNode(aGpuWith(['1g.5gb', '1c.3g.20gb'])));
    expect(devices).to.deep.equal([]);
    expect(errors).to.deep.equal([
      'GPU 0: 1c.3g.20gb: NVIDIA’s DRA driver exits on a compute instance that is smaller than its GPU instance, and then offers nothing new on the whole node',
    ]);
  });
});
