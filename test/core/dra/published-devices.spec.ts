import { expect } from 'chai';
import type { DeviceReport, InstanceReport } from '../../../src/api/types.ts';
import { findNamedUuid, publishDevices } from '../../../src/core/dra/published-devices.ts';
import { attributeOf, listSliceDevices } from '../../../src/core/dra/resource-slice.ts';
import { aGpu } from '../../support/builders.ts';
import { aGoldenDevice, readGoldenSlices } from '../../support/golden-slice.ts';

function split(instance: Partial<InstanceReport>): DeviceReport {
  const { gpus = [], models = [] } = aGoldenDevice();
  const [first, ...others] = gpus;
  if (first === undefined) throw new Error('the golden device has no GPU');
  const instances = first.instances.map((one, at) => (at === 0 ? { ...one, ...instance } : one));
  return { models, gpus: [{ ...first, instances }, ...others] };
}

describe('The devices that NVIDIA’s DRA driver publishes', () => {
  it('are those of the real driver for the same GPUs, name by name and attribute by attribute', () => {
    const seen = listSliceDevices(readGoldenSlices()).map((device) => ({
      name: device.name,
      type: attributeOf(device, 'type'),
      uuid: attributeOf(device, 'uuid'),
      parentUUID: attributeOf(device, 'parentUUID'),
      profile: attributeOf(device, 'profile'),
      productName: attributeOf(device, 'productName'),
    }));
    const { devices, problem } = publishDevices(aGoldenDevice());
    const predicted = devices.map(({ place: _place, ...device }) => ({
      parentUUID: undefined,
      profile: undefined,
      ...device,
    }));
    expect(problem).to.equal(undefined);
    expect(predicted).to.have.deep.members(seen);
  });

  it('do not exist on a node where a compute instance is smaller than its GPU instance, since the driver exits', () => {
    const { devices, problem } = publishDevices(
      split({ computeInstances: [{ profile: '1c.3g.20gb', uuid: 'MIG-1' }] }),
    );
    expect(devices).to.deep.equal([]);
    expect(problem).to.equal('GPU 0: 3g.20gb at 0 has compute instances 1c.3g.20gb');
  });

  it('leave out a GPU instance without a compute instance, and a GPU in MIG mode without instances', () => {
    const { devices } = publishDevices(split({ computeInstances: [] }));
    expect(devices.filter(({ name }) => name?.startsWith('gpu-0-'))).to.have.lengthOf(2);
    expect(publishDevices({ gpus: [aGpu({ index: 0, mig: 'Enabled' })] }).devices).to.deep.equal([]);
  });

  it('are named after the number of the device file, which need not be the index', () => {
    const { devices } = publishDevices({ gpus: [{ ...aGpu({ index: 0, mig: 'Disabled' }), minor: 3 }] });
    expect(devices.map(({ name }) => name)).to.deep.equal(['gpu-3']);
  });

  it('are found by their names', () => {
    const device = aGoldenDevice();
    for (const { name, uuid } of publishDevices(device).devices) {
      expect(findNamedUuid(name ?? '', device), name).to.equal(uuid);
    }
  });

  it('are not found by the name of another place, profile or GPU, nor of a whole GPU in MIG mode', () => {
    const device = aGoldenDevice();
    for (const name of ['gpu-0-mig-3g20gb-9-4', 'gpu-0-mig-1g5gb-19-6', 'gpu-3-mig-3g20gb-9-0', 'gpu-0', 'gpu-9', '']) {
      expect(findNamedUuid(name, device), name).to.equal(undefined);
    }
  });
});
