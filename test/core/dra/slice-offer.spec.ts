import { expect } from 'chai';
import { publishDevices } from '../../../src/core/dra/published-devices.ts';
import type { ResourceSliceView } from '../../../src/core/dra/resource-slice.ts';
import { compareSlices } from '../../../src/core/dra/slice-offer.ts';
import { aGoldenDevice, readGoldenSlices } from '../../support/golden-slice.ts';

const expected = publishDevices(aGoldenDevice()).devices;

type Device = NonNullable<ResourceSliceView['spec']['devices']>[number];

/** The real slice with one device changed, or left out. */
function golden(name: string, change: (device: Device) => readonly Device[]): readonly ResourceSliceView[] {
  return readGoldenSlices().map(({ spec }) => ({
    spec: { ...spec, devices: (spec.devices ?? []).flatMap((one) => (one.name === name ? change(one) : [one])) },
  }));
}

const slice = 'gpu-0-mig-2g10gb-14-4';
const another = (attribute: string, string: string) => (device: Device) => [
  { ...device, attributes: { ...device.attributes, [attribute]: { string } } },
];

describe('What a node’s ResourceSlices offer', () => {
  it('is exact if every device is there with its UUID, and no other', () => {
    expect(compareSlices(readGoldenSlices(), expected)).to.deep.equal({ isExact: true, isNothing: false, gap: '' });
  });

  it('lacks a device that the driver has not published', () => {
    const { isExact, gap } = compareSlices(
      golden(slice, () => []),
      expected,
    );
    expect(isExact).to.equal(false);
    expect(gap).to.equal(`lack ${slice} (MIG-8960824f-a597-533a-ae70-1598e2e74616)`);
  });

  it('has a stray if a device is gone, or there twice', () => {
    const gone = compareSlices(readGoldenSlices(), expected.slice(1));
    expect(gone.gap).to.equal('have gpu-0-mig-3g20gb-9-0 (MIG-8d091acb-09fb-5abe-868f-9b7dd9e7dfe0), which is gone');
    expect(
      compareSlices(
        golden(slice, (one) => [one, one]),
        expected,
      ).isExact,
    ).to.equal(false);
  });

  it('is exact beside devices of other types, which are not told of GPUs and slices by their UUIDs', () => {
    const vfio = { name: 'gpu-vfio-1', attributes: { type: { string: 'vfio' }, uuid: { string: 'GPU-unknown' } } };
    const slices = [...readGoldenSlices(), { spec: { driver: 'gpu.nvidia.com', devices: [vfio] } }];
    expect(compareSlices(slices, expected)).to.deep.equal({ isExact: true, isNothing: false, gap: '' });
    expect(compareSlices(slices.slice(-1), []), 'something is offered').to.include({ isExact: true, isNothing: false });
  });

  it('is not proved by a name: the same place made again has another UUID', () => {
    const { gap } = compareSlices(golden(slice, another('uuid', 'MIG-of-before')), expected);
    expect(gap).to.include('lack').and.to.include(`${slice} (MIG-of-before)`);
  });

  for (const [attribute, value] of [
    ['profile', '1g.5gb'],
    ['parentUUID', 'GPU-other'],
    ['type', 'gpu'],
  ] as const) {
    it(`differs by another ${attribute}`, () => {
      expect(compareSlices(golden(slice, another(attribute, value)), expected).isExact).to.equal(false);
    });
  }

  it('differs by another name: the minor number, the profile or the start is another', () => {
    const renamed = golden(slice, (one) => [{ ...one, name: 'gpu-0-mig-2g10gb-14-2' }]);
    expect(compareSlices(renamed, expected).isExact).to.equal(false);
  });

  it('counts devices of NVIDIA’s driver alone', () => {
    const nic = { spec: { driver: 'dra.net', devices: [{ name: 'eth1' }] } };
    expect(compareSlices([...readGoldenSlices(), nic], expected).isExact).to.equal(true);
    expect(compareSlices([nic], [])).to.deep.equal({ isExact: true, isNothing: true, gap: '' });
  });

  it('names three devices of each kind', () => {
    expect(compareSlices([], expected).gap).to.match(/^lack (\S+ \(\S+\), ){2}\S+ \(\S+\) and 8 more$/);
  });
});
