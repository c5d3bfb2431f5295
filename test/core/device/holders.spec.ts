import { expect } from 'chai';
import { usesGpu, findNamedDevice, publishDevices } from '../../../src/core/device/holders.ts';
import { mayClaimGpus } from '../../../src/core/node/rules/users.ts';
import { aGpu } from '../../support/builders.ts';
import { type PodView, attributeOf, type ResourceSliceView } from '../../../src/core/kubernetes/pod.ts';
import type { DeviceReport, InstanceReport } from '../../../src/api/types.ts';
import { compareSlices, listSliceDevices } from '../../../src/core/node/offer.ts';
import { aGoldenDevice, readGoldenSlices } from '../../support/golden-slice.ts';

type Amounts = Readonly<Record<string, string | number>>;

function aPod(spec: PodView['spec'], phase = 'Running'): PodView {
  return { metadata: { name: 'p', namespace: 'ml' }, spec: { ...spec }, status: { phase } };
}

const aPodWith = (limits: Amounts, phase?: string): PodView => aPod({ containers: [{ resources: { limits } }] }, phase);

describe('a pod that uses a GPU', () => {
  for (const name of [
    'nvidia.com/gpu',
    'nvidia.com/gpu.shared',
    'nvidia.com/mig-1g.5gb',
    'nvidia.com/mig-1g.10gb.me',
    'nvidia.com/mig-2g.48gb-me.shared',
    'k8s.amazonaws.com/vgpu',
  ]) {
    it(`asks for ${name}`, () => expect(usesGpu(aPodWith({ [name]: 1 }))).to.equal(true));
  }

  for (const name of [
    'nvidia.com/hostdev',
    'nvidia.com/mlnxnics',
    'nvidia.com/rdma_shared_device_a',
    'nvidia.com/GA102GL_A10',
    'nvidia.com/gpumem',
    'cpu',
    'example.com/nvidia.com/gpu',
  ]) {
    it(`does not ask for ${name} alone`, () => expect(usesGpu(aPodWith({ [name]: 1 }))).to.equal(false));
  }

  it('asks for a resource that the kubelet hands GPUs of this node out by, whatever its name', () => {
    const pod = aPodWith({ 'nvidia.com/a100-slice': 1 });
    expect(usesGpu(pod)).to.equal(false);
    expect(usesGpu(pod, { offered: { 'nvidia.com/a100-slice': 7 } })).to.equal(true);
  });

  it('asks in any container: of the start, beside the others, of a debugger', () => {
    const containers = [{ resources: { requests: { 'nvidia.com/gpu': '1' } } }];
    expect(usesGpu(aPod({ containers }))).to.equal(true);
    expect(usesGpu(aPod({ initContainers: containers }))).to.equal(true);
    expect(usesGpu(aPod({ ephemeralContainers: containers }))).to.equal(true);
    expect(usesGpu(aPod({ containers: [{}, { resources: {} }] }))).to.equal(false);
  });

  it('asks for more than nothing, however nothing is written', () => {
    expect(['0', '0k', '0.0', 0].filter((amount) => usesGpu(aPodWith({ 'nvidia.com/gpu': amount })))).to.deep.equal([]);
    expect(usesGpu(aPodWith({ 'nvidia.com/gpu': '1k' }))).to.equal(true);
  });

  it('has not ended', () => {
    expect(usesGpu(aPodWith({ 'nvidia.com/gpu': 1 }, 'Pending'))).to.equal(true);
    expect(usesGpu(aPodWith({ 'nvidia.com/gpu': 1 }, 'Unknown'))).to.equal(true);
    expect(usesGpu(aPodWith({ 'nvidia.com/gpu': 1 }, 'Succeeded'))).to.equal(false);
    expect(usesGpu(aPodWith({ 'nvidia.com/gpu': 1 }, 'Failed'))).to.equal(false);
  });

  describe('by a claim', () => {
    const claiming = aPod({ containers: [{}], resourceClaims: [{ name: 'gpu' }] });
    const claimed: readonly (readonly [what: string, pod: PodView])[] = [
      ['a claim', claiming],
      ['a resource that stands for a device class', aPodWith({ 'deviceclass.resource.kubernetes.io/any': 1 })],
      [
        'a claim that the scheduler made for a resource',
        { ...aPodWith({ 'example.com/fast': 1 }), status: { extendedResourceClaimStatus: {} } },
      ],
    ];

    for (const [what, pod] of claimed) {
      it(`has ${what}, as long as its kind is unknown`, () => {
        expect(usesGpu(pod)).to.equal(true);
        expect(usesGpu(pod, { mayClaim: true })).to.equal(true);
        expect(usesGpu(pod, { mayClaim: false })).to.equal(false);
      });
    }

    it('has not ended either', () => {
      expect(usesGpu({ ...claiming, status: { phase: 'Succeeded' } })).to.equal(false);
    });

    it('is on a node that offers GPUs by claim', () => {
      const slicesOf = (...drivers: readonly string[]) => drivers.map((driver) => ({ spec: { driver } }));
      expect(mayClaimGpus(undefined)).to.equal(true);
      expect(mayClaimGpus(slicesOf('gpu.nvidia.com', 'dra.net'))).to.equal(true);
      expect(mayClaimGpus(slicesOf('hami-core-gpu.project-hami.io'))).to.equal(true);
      expect(mayClaimGpus(slicesOf('compute-domain.nvidia.com', 'dra.net'))).to.equal(false);
      expect(mayClaimGpus([])).to.equal(false);
    });
  });
});

function aSplitDevice(instance: Partial<InstanceReport>): DeviceReport {
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
      aSplitDevice({ computeInstances: [{ profile: '1c.3g.20gb', uuid: 'MIG-1' }] }),
    );
    expect(devices).to.deep.equal([]);
    expect(problem).to.equal('GPU 0: 3g.20gb at 0 has compute instances 1c.3g.20gb');
  });

  it('leave out a GPU instance without a compute instance, and a GPU in MIG mode without instances', () => {
    const { devices } = publishDevices(aSplitDevice({ computeInstances: [] }));
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
      expect(findNamedDevice(name ?? '', device)?.uuid, name).to.equal(uuid);
    }
  });

  it('are not found by the name of another place, profile or GPU, nor of a whole GPU in MIG mode', () => {
    const device = aGoldenDevice();
    for (const name of ['gpu-0-mig-3g20gb-9-4', 'gpu-0-mig-1g5gb-19-6', 'gpu-3-mig-3g20gb-9-0', 'gpu-0', 'gpu-9', '']) {
      expect(findNamedDevice(name, device)?.uuid, name).to.equal(undefined);
    }
  });
});

const expected = publishDevices(aGoldenDevice()).devices;

type Device = NonNullable<ResourceSliceView['spec']['devices']>[number];

/** The real slice with one device changed, or left out. */
function golden(name: string, change: (device: Device) => readonly Device[]): readonly ResourceSliceView[] {
  return readGoldenSlices().map(({ spec }) => ({
    spec: { ...spec, devices: (spec.devices ?? []).flatMap((one) => (one.name === name ? change(one) : [one])) },
  }));
}

const goldenName = 'gpu-0-mig-2g10gb-14-4';
const another = (attribute: string, string: string) => (device: Device) => [
  { ...device, attributes: { ...device.attributes, [attribute]: { string } } },
];

describe('What a node’s ResourceSlices offer', () => {
  it('is exact if every device is there with its UUID, and no other', () => {
    expect(compareSlices(readGoldenSlices(), expected)).to.deep.equal({ isExact: true, isNothing: false, gap: '' });
  });

  it('lacks a device that the driver has not published', () => {
    const { isExact, gap } = compareSlices(
      golden(goldenName, () => []),
      expected,
    );
    expect(isExact).to.equal(false);
    expect(gap).to.equal(`lack ${goldenName} (MIG-8960824f-a597-533a-ae70-1598e2e74616)`);
  });

  it('has a stray if a device is gone, or there twice', () => {
    const gone = compareSlices(readGoldenSlices(), expected.slice(1));
    expect(gone.gap).to.equal('have gpu-0-mig-3g20gb-9-0 (MIG-8d091acb-09fb-5abe-868f-9b7dd9e7dfe0), which is gone');
    expect(
      compareSlices(
        golden(goldenName, (one) => [one, one]),
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
    const { gap } = compareSlices(golden(goldenName, another('uuid', 'MIG-of-before')), expected);
    expect(gap).to.include('lack').and.to.include(`${goldenName} (MIG-of-before)`);
  });

  for (const [attribute, value] of [
    ['profile', '1g.5gb'],
    ['parentUUID', 'GPU-other'],
    ['type', 'gpu'],
  ] as const) {
    it(`differs by another ${attribute}`, () => {
      expect(compareSlices(golden(goldenName, another(attribute, value)), expected).isExact).to.equal(false);
    });
  }

  it('differs by another name: the minor number, the profile or the start is another', () => {
    const renamed = golden(goldenName, (one) => [{ ...one, name: 'gpu-0-mig-2g10gb-14-2' }]);
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
