import fc from 'fast-check';
import { expect } from 'chai';
import {
  uuidOfDeviceId,
  usesGpu,
  listDeviceUuids,
  holdersOf,
  listGpuHolders,
  listInstanceClaims,
  listHeldDevices,
  listHeldIds,
  listInstanceHolders,
  listUnidentified,
  listWholeClaims,
  type PodHolding,
  findNamedDevice,
  publishDevices,
} from '../../../src/core/device/holders.ts';
import { mayClaimGpus } from '../../../src/core/node/rules/users.ts';
import { aDevice, aGpu, uuidOf } from '../../support/builders.ts';
import { aSlicedGpu, anInstance } from './sliced-gpu.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';
import type { DeviceReport, InstanceReport } from '../../../src/api/types.ts';
import { compareSlices, listSliceDevices } from '../../../src/core/node/offer.ts';
import { attributeOf, type ResourceSliceView } from '../../../src/core/kubernetes/claims.ts';
import { aGoldenDevice, readGoldenSlices } from '../../support/golden-slice.ts';

const uuid = 'MIG-5d8d6b8c-6f0c-5f3a-9f0a-1f2e3d4c5b6a';

describe('the UUID of a device id', () => {
  it('is the id itself, without the number of a replica', () => {
    for (const id of [uuid, uuidOf(0), `MIG-${uuidOf(0)}/7/0`]) {
      expect(uuidOfDeviceId(id)).to.equal(id);
      expect(uuidOfDeviceId(`${id}::11`)).to.equal(id);
    }
  });

  it('is looked up for plugins that number GPUs', () => {
    const device = aDevice(aGpu({ index: 0 }), aGpu({ index: 2 }));
    expect(uuidOfDeviceId('2', device)).to.equal(uuidOf(2));
    expect(uuidOfDeviceId('2::1', device)).to.equal(uuidOf(2));
  });

  it('is looked up for plugins that number MIG devices, which follow the ids of the instances, not their places', () => {
    const gpu = aSlicedGpu(1, anInstance(9, 'MIG-c'), anInstance(2, 'MIG-a', 'MIG-b'));
    const ids = ['1:0', '1:1', '1:2'];
    expect(ids.map((id) => uuidOfDeviceId(id, aDevice(gpu)))).to.deep.equal(['MIG-a', 'MIG-b', 'MIG-c']);
  });

  it('is found by the ids of the instance where the plugin knew an older driver', () => {
    const gpu = aSlicedGpu(0, anInstance(2, 'MIG-a'), anInstance(9, 'MIG-b', 'MIG-c'));
    expect(uuidOfDeviceId(`MIG-${uuidOf(0)}/9/1`, aDevice(gpu))).to.equal('MIG-c');
  });

  it('is the id of the older driver where that is the node’s', () => {
    const id = `MIG-${uuidOf(0)}/9/0`;
    expect(uuidOfDeviceId(id, aDevice(aSlicedGpu(0, anInstance(9, id))))).to.equal(id);
  });

  it('is looked up for plugins that name device files, by minor number and by the id of the instance', () => {
    const device = aDevice(
      { ...aGpu({ index: 0 }), minor: 1 },
      { ...aSlicedGpu(1, anInstance(2, 'MIG-a'), anInstance(9, 'MIG-b')), minor: 0 },
      aGpu({ index: 2 }),
    );
    const uuidsOf = (...ids: readonly string[]) => ids.map((id) => uuidOfDeviceId(id, device));
    expect(uuidsOf('nvidia1', 'nvidia1/vgpu3', 'nvidia2')).to.deep.equal([uuidOf(0), uuidOf(0), uuidOf(2)]);
    expect(uuidsOf('nvidia0/gi9', 'nvidia0/gi2/vgpu0')).to.deep.equal(['MIG-b', 'MIG-a']);
    const unknown = ['nvidia3', 'nvidia0/gi7', 'nvidia2/gi2', 'nvidia0/ci2', 'xnvidia0'];
    expect(uuidsOf(...unknown)).to.deep.equal(unknown);
  });

  it('is left as it is where the node has no such device', () => {
    const device = aDevice(aSlicedGpu(0, anInstance(2, 'MIG-a')));
    for (const id of ['7', '0:1', '3:0', `MIG-${uuidOf(0)}/5/0`, uuid]) expect(uuidOfDeviceId(id, device)).to.equal(id);
  });
});

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

const slice = 'nvidia.com/mig-1g.5gb';

function aPodOfSliceHolders(name: string, ...devices: PodHolding['devices']): PodHolding {
  return { namespace: 'ml', name, devices };
}

const split = anInstance(2, 'MIG-a', 'MIG-b');
const lone = anInstance(3, 'MIG-c');
const sliced = aSlicedGpu(0, split, lone);
const whole = aGpu({ index: 1 });
const device = aDevice(sliced, whole);

describe('who holds what', () => {
  it('names the pods on a GPU instance, whichever compute instance they have', () => {
    const holders = holdersOf(device, [
      aPodOfSliceHolders('z', { resource: slice, id: 'MIG-b' }),
      aPodOfSliceHolders('a', { resource: slice, id: 'MIG-a' }),
      aPodOfSliceHolders('none'),
    ]);
    expect(listInstanceHolders(holders, split)).to.deep.equal(['ml/a', 'ml/z']);
    expect(listInstanceHolders(holders, lone)).to.deep.equal([]);
    expect(holders.ofDevice.get('MIG-a')).to.deep.equal(['ml/a']);
  });

  it('names the pods that have a whole GPU, each once', () => {
    const id = uuidOf(1);
    const holders = holdersOf(device, [
      aPodOfSliceHolders(
        'b',
        { resource: 'nvidia.com/gpu.shared', id: `${id}::0` },
        { resource: 'nvidia.com/gpu.shared', id: `${id}::1` },
      ),
      aPodOfSliceHolders('a', { resource: 'nvidia.com/gpu.shared', id: `${id}::2` }),
    ]);
    expect(listGpuHolders(holders, whole)).to.deep.equal(['ml/a', 'ml/b']);
    expect(listGpuHolders(holders, sliced)).to.deep.equal([]);
  });

  it('knows pods that hold a device that was destroyed', () => {
    const { ofDevice, stale } = holdersOf(device, [aPodOfSliceHolders('a', { resource: slice, id: 'MIG-gone' })]);
    expect(ofDevice.size).to.equal(0);
    expect(stale).to.deep.equal([{ pod: 'ml/a', resource: slice, id: 'MIG-gone' }]);
  });

  it('tells ids of GPU resources that the node does not have from devices that are gone', () => {
    const holders = holdersOf(device, [
      aPodOfSliceHolders('named', { resource: 'nvidia.com/gpu', id: 'nvidia1' }),
      aPodOfSliceHolders(
        'odd',
        { resource: 'nvidia.com/gpu', id: 'nvidia7/gi3' },
        { resource: 'example.com/nic', id: 'odd' },
      ),
      aPodOfSliceHolders('gone', { resource: slice, id: 'MIG-gone' }, { resource: 'nvidia.com/gpu', id: uuidOf(7) }),
    ]);
    expect(listGpuHolders(holders, whole)).to.deep.equal(['ml/named']);
    expect(listUnidentified(holders)).to.deep.equal(['pod ml/odd holds nvidia7/gi3 of nvidia.com/gpu']);
    expect([...listHeldIds(holders)])
      .to.include('ml/odd (nvidia7/gi3)')
      .and.to.not.include('nvidia7/gi3');
    expect([...listHeldDevices(holders, device)]).to.include.members([uuidOf(0), uuidOf(1)]);
  });

  it('leaves out what other plugins hand out under the same prefix', () => {
    const pods = [
      aPodOfSliceHolders(
        'a',
        { resource: 'nvidia.com/hostdev', id: '0000:03:00.2' },
        { resource: 'nvidia.com/GA102GL_A10', id: '1' },
      ),
    ];
    const { ofDevice, stale } = holdersOf(device, pods);
    expect([ofDevice.size, stale]).to.deep.equal([0, []]);
  });

  it('names the pods that have a device of the node, whatever its resource is called', () => {
    const holders = holdersOf(device, [
      aPodOfSliceHolders('renamed', { resource: 'nvidia.com/a100-slice', id: 'MIG-c' }),
      aPodOfSliceHolders('share', { resource: 'k8s.amazonaws.com/vgpu', id: `${uuidOf(1)}-3` }),
      aPodOfSliceHolders('another', { resource: 'example.com/accelerator', id: `${uuidOf(1)}::2` }),
    ]);
    expect(listInstanceHolders(holders, lone)).to.deep.equal(['ml/renamed']);
    expect(listGpuHolders(holders, whole)).to.deep.equal(['ml/another', 'ml/share']);
    expect(holders.stale).to.deep.equal([]);
  });

  describe('by claims', () => {
    const claimed = (name: string, ...devices: NonNullable<PodHolding['claimed']>): PodHolding => ({
      namespace: 'ml',
      name,
      devices: [],
      claimed: devices,
    });
    const holdersOfEach = (pod: PodHolding): readonly (readonly string[])[] => {
      const holders = holdersOf(device, [pod]);
      return [
        listGpuHolders(holders, sliced),
        listGpuHolders(holders, whole),
        listInstanceHolders(holders, split),
        listInstanceHolders(holders, lone),
      ];
    };
    const everywhere = [['ml/a'], ['ml/a'], ['ml/a'], ['ml/a']];
    const nowhere = [[], [], [], []];

    it('is named with its device: of each claim once, however many pods share it', () => {
      const name = (claim: string): NonNullable<PodHolding['claimed']>[number] => ({
        claim,
        driver: 'gpu.nvidia.com',
        device: 'gpu-1',
        cdiDevices: [],
      });
      const holders = holdersOf(device, [claimed('a', name('ml/d')), claimed('b', name('ml/c'), name('ml/d'))]);
      expect(listWholeClaims(holders, whole)).to.deep.equal(['ml/c', 'ml/d']);
      expect(listGpuHolders(holders, whole)).to.deep.equal(['ml/a', 'ml/b']);
      expect(listInstanceClaims(holders, lone)).to.deep.equal([]);
      const bySlice = { claim: 'ml/e', driver: 'example.com', device: 'mig-b', cdiDevices: [] };
      expect(listInstanceClaims(holdersOf(device, [claimed('a', bySlice)]), split)).to.deep.equal(['ml/e']);
      expect(holdersOf(device, [aPodOfSliceHolders('a', { resource: slice, id: 'MIG-c' })])).not.to.have.property(
        'claimsOf',
      );
    });

    it('holds nothing by a claim that only looks on, which is named', () => {
      const bySlice = { claim: 'ml/e', driver: 'gpu.nvidia.com', device: 'gpu-1', cdiDevices: [] };
      const { monitorsOf, ...holders } = holdersOf(device, [claimed('a', bySlice)], ['ml/e']);
      expect(monitorsOf?.get(uuidOf(1))).to.deep.equal(['ml/a (claim ml/e)']);
      expect(listGpuHolders(holders, whole)).to.deep.equal([]);
      expect(holdersOf(device, [claimed('a', bySlice)])).not.to.have.property('monitorsOf');
    });

    it('holds the very slice that NVIDIA’s driver names by GPU, profile and start', () => {
      const byName = { claim: 'ml/c', driver: 'gpu.nvidia.com', device: 'gpu-0-mig-1g5gb-19-0', cdiDevices: [] };
      const [gpu] = device.gpus ?? [];
      if (gpu === undefined) throw new Error('the device has no GPU');
      const own = { ...gpu, instances: [{ profile: '1g.5gb', gi: 7, start: 0, uuid: 'MIG-own' }] };
      expect([...holdersOf({ gpus: [own] }, [claimed('a', byName)]).ofDevice]).to.deep.equal([['MIG-own', ['ml/a']]]);
    });

    it('holds every GPU by a device of NVIDIA’s driver that the node does not have', () => {
      const byName = { claim: 'ml/c', driver: 'gpu.nvidia.com', device: 'gpu-1-mig-1g5gb-19-0', cdiDevices: [] };
      expect(holdersOfEach(claimed('a', byName))).to.deep.equal(everywhere);
    });

    it('holds every GPU by what an older kubelet says, which names no driver', () => {
      const byKind = { claim: 'ml/c', driver: '', device: '', cdiDevices: ['k8s.gpu.nvidia.com/claim=4711-gpu-0'] };
      expect(holdersOfEach(claimed('a', byKind))).to.deep.equal(everywhere);
    });

    it('holds the very device whose UUID the driver names, be it whose it may', () => {
      const bySlice = { claim: 'ml/c', driver: 'example.com', device: 'mig-c', cdiDevices: [] };
      expect(holdersOfEach(claimed('a', bySlice))).to.deep.equal([[], [], [], ['ml/a']]);
      const byCdi = {
        claim: 'ml/c',
        driver: 'gpu.nvidia.com',
        device: 'gpu-1',
        cdiDevices: [`k8s.gpu.nvidia.com/device=${uuidOf(1)}`],
      };
      expect(holdersOfEach(claimed('a', byCdi))).to.deep.equal([[], ['ml/a'], [], []]);
    });

    it('holds nothing by devices of other drivers', () => {
      const channel = { driver: 'compute-domain.nvidia.com', device: 'channel-0', cdiDevices: [] };
      const nic = { driver: 'dra.net', device: 'eth1', cdiDevices: ['dra.net/claim=4711-eth1'] };
      const pod = claimed('a', { claim: 'ml/c', ...channel }, { claim: 'ml/d', ...nic });
      expect(holdersOfEach(pod)).to.deep.equal(nowhere);
    });

    it('holds an instance too of which the driver named no device', () => {
      const unnamed = { profile: '1g.5gb' };
      const byName = { claim: 'ml/c', driver: 'gpu.nvidia.com', device: 'gpu-0', cdiDevices: [] };
      expect(listInstanceHolders(holdersOf(device, [claimed('a', byName)]), unnamed)).to.deep.equal(['ml/a']);
    });
  });

  it('loses no holding and invents none', () => {
    const ids = fc.constantFrom(...listDeviceUuids(device), 'MIG-gone', '0:0', '1', 'MIG-a::3');
    const pod = fc.record({
      namespace: fc.constantFrom('n', 'm'),
      name: fc.constantFrom('p', 'q', 'r'),
      devices: fc.array(fc.record({ resource: fc.constant(slice), id: ids }), { maxLength: 4 }),
    });
    fc.assert(
      fc.property(fc.array(pod, { maxLength: 6 }), (pods) => {
        const { ofDevice, stale } = holdersOf(device, pods);
        const named = new Set([...ofDevice.values()].flat().concat(stale.map((one) => one.pod)));
        const holding = pods.filter(({ devices }) => devices.length > 0);
        expect([...named]).to.have.members([...new Set(holding.map(({ namespace, name }) => `${namespace}/${name}`))]);
        expect(listDeviceUuids(device)).to.include.members([...ofDevice.keys()]);
      }),
    );
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
