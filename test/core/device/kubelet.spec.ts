import fc from 'fast-check';
import { expect } from 'chai';
import type { DeviceReport, GpuReport, Strategy } from '../../../src/api/types.ts';
import {
  listHeldDevices,
  type KubeletWord,
  type PodHolding,
  readKubelet,
  Readings,
  uuidOfDeviceId,
} from '../../../src/core/device/kubelet.ts';
import { unidentifiedKey } from '../../../src/core/device/plan.ts';
import { listLosses } from '../../../src/core/device/holders.ts';
import { aDevice, aGpu, uuidOf } from '../../support/builders.ts';
import { aReading, aSlicedGpu, anInstance, holdersOf, withHolders } from './sliced-gpu.ts';

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

describe('who holds what', () => {
  const slice = 'nvidia.com/mig-1g.5gb';

  function aPodOfSliceHolders(name: string, ...devices: PodHolding['devices']): PodHolding {
    return { namespace: 'ml', name, devices };
  }

  const split = anInstance(2, 'MIG-a', 'MIG-b');
  const lone = anInstance(3, 'MIG-c');
  const sliced = aSlicedGpu(0, split, lone);
  const whole = aGpu({ index: 1 });
  const device = aDevice(sliced, whole);

  const podsOf = ({ pods = [] }: Pick<GpuReport, 'pods'> = {}) => pods;
  /** As reported: each GPU, and each instance of the first. */
  const reported = (holders: KubeletWord['holders']) => {
    const [first, second] = withHolders([sliced, whole], holders);
    return { sliced: first, whole: second, split: first?.instances[0], lone: first?.instances[1] };
  };

  it('names the pods on a GPU instance, whichever compute instance they have', () => {
    const holders = holdersOf(device, [
      aPodOfSliceHolders('z', { resource: slice, id: 'MIG-b' }),
      aPodOfSliceHolders('a', { resource: slice, id: 'MIG-a' }),
      aPodOfSliceHolders('none'),
    ]);
    expect(podsOf(reported(holders).split)).to.deep.equal(['ml/a', 'ml/z']);
    expect(podsOf(reported(holders).lone)).to.deep.equal([]);
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
    expect(podsOf(reported(holders).whole)).to.deep.equal(['ml/a', 'ml/b']);
    expect(podsOf(reported(holders).sliced)).to.deep.equal([]);
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
    expect(podsOf(reported(holders).whole)).to.deep.equal(['ml/named']);
    const readings = new Readings();
    readings.complete(aReading(), device, { holders });
    expect(readings.users.get(unidentifiedKey)).to.deep.equal(['pod ml/odd holds nvidia7/gi3 of nvidia.com/gpu']);
    expect([...listHeldDevices(holders, device)])
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
    expect(podsOf(reported(holders).lone)).to.deep.equal(['ml/renamed']);
    expect(podsOf(reported(holders).whole)).to.deep.equal(['ml/another', 'ml/share']);
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
        podsOf(reported(holders).sliced),
        podsOf(reported(holders).whole),
        podsOf(reported(holders).split),
        podsOf(reported(holders).lone),
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
      expect(reported(holders).whole?.claims).to.deep.equal(['ml/c', 'ml/d']);
      expect(podsOf(reported(holders).whole)).to.deep.equal(['ml/a', 'ml/b']);
      expect(reported(holders).lone?.claims).to.equal(undefined);
      const bySlice = { claim: 'ml/e', driver: 'example.com', device: 'mig-b', cdiDevices: [] };
      expect(reported(holdersOf(device, [claimed('a', bySlice)])).split?.claims).to.deep.equal(['ml/e']);
      expect(holdersOf(device, [aPodOfSliceHolders('a', { resource: slice, id: 'MIG-c' })])).not.to.have.property(
        'claimsOf',
      );
    });

    it('holds nothing by a claim that only looks on, which is named', () => {
      const bySlice = { claim: 'ml/e', driver: 'gpu.nvidia.com', device: 'gpu-1', cdiDevices: [] };
      const { monitorsOf, ...holders } = holdersOf(device, [claimed('a', bySlice)], ['ml/e']);
      expect(monitorsOf?.get(uuidOf(1))).to.deep.equal(['ml/a (claim ml/e)']);
      expect(podsOf(reported(holders).whole)).to.deep.equal([]);
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
      const unnamed = { profile: '1g.5gb', gi: 1, start: 0 };
      const byName = { claim: 'ml/c', driver: 'gpu.nvidia.com', device: 'gpu-0', cdiDevices: [] };
      expect(
        podsOf(
          withHolders([{ ...whole, instances: [unnamed] }], holdersOf(device, [claimed('a', byName)]))[0]?.instances[0],
        ),
      ).to.deep.equal(['ml/a']);
    });
  });

  it('loses no holding and invents none', () => {
    const uuids = [uuidOf(0), 'MIG-a', 'MIG-b', 'MIG-c', uuidOf(1)];
    const ids = fc.constantFrom(...uuids, 'MIG-gone', '0:0', '1', 'MIG-a::3');
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
        expect(uuids).to.include.members([...ofDevice.keys()]);
      }),
    );
  });
});

type Offer = Parameters<typeof readKubelet>[2];
const unservedOf = (device: DeviceReport, offered: Offer, strategy: Strategy | undefined) =>
  readKubelet(device, [], offered, { ...(strategy && { strategy }) }).unserved;
const advertisedOf = (device: DeviceReport, offered: Offer, strategy?: Strategy) =>
  readKubelet(device, [], offered, { ...(strategy && { strategy }) }).advertised;

const device = aDevice(aSlicedGpu(0, anInstance(2, 'MIG-a'), anInstance(3, 'MIG-b')), aGpu({ index: 1 }));
const slices = 'nvidia.com/mig-1g.5gb';
const gpu = 'nvidia.com/gpu';
const whole = { [gpu]: [uuidOf(1)] };

describe('resources that the kubelet offers', () => {
  const judge = (offered: Readonly<Record<string, readonly string[]>>, strategy: Strategy | undefined = 'mixed') =>
    unservedOf(device, new Map(Object.entries(offered)), strategy);

  it('are served where they are exactly the devices of the node, shared or not', () => {
    expect(judge({ ...whole, [slices]: ['MIG-a', 'MIG-b'] })).to.deep.equal([]);
    const replicas = ['MIG-a::0', 'MIG-a::1', 'MIG-b::0', 'MIG-b::1'];
    expect(judge({ ...whole, [`${slices}.shared`]: replicas })).to.deep.equal([]);
  });

  it('are left of an earlier plugin beside all that a new one registers', () => {
    const earlier = 'nvidia.com/mig-3g.20gb';
    expect(judge({ ...whole, [slices]: ['MIG-a', 'MIG-b'], [earlier]: ['MIG-gone'] })).to.deep.equal([earlier]);
  });

  it('are all unserved where a device is gone, even if the numbers are right', () => {
    expect(judge({ ...whole, [slices]: ['MIG-a', 'MIG-gone'] })).to.deep.equal([gpu, slices]);
  });

  it('are all unserved where a plugin would register one more, though what is offered exists', () => {
    expect(judge(whole)).to.deep.equal([gpu]);
    expect(judge({ ...whole, [slices]: ['MIG-a'] })).to.deep.equal([gpu, slices]);
  });

  it('are all unserved where the plugin does not start on such a device', () => {
    expect(judge(whole, 'single')).to.deep.equal([gpu]);
  });

  it('are judged by the existence of their devices alone where the strategy is not known', () => {
    const offered = new Map([
      [gpu, [uuidOf(1)]],
      [slices, ['MIG-gone']],
    ]);
    expect(unservedOf(device, offered, undefined)).to.deep.equal([slices]);
  });

  it('are left of an earlier plugin where only one strategy explains the others, and none was told', () => {
    const sliced = aDevice(aSlicedGpu(0, anInstance(2, 'MIG-a')));
    const offered = new Map([
      [gpu, [uuidOf(0)]],
      [slices, ['MIG-a']],
    ]);
    expect(unservedOf(sliced, offered, undefined)).to.deep.equal([]);
    const two = aDevice(aSlicedGpu(0, anInstance(2, 'MIG-a')), aSlicedGpu(1, anInstance(3, 'MIG-b')));
    expect(unservedOf(two, new Map([...offered, [slices, ['MIG-a', 'MIG-b']]]), undefined)).to.deep.equal([gpu]);
  });

  it('do not include another vendor’s', () => {
    expect(judge({ 'example.com/fpga': ['0'] })).to.deep.equal([]);
  });
});

const sliced = aSlicedGpu(0, anInstance(2, 'MIG-a'), anInstance(3, 'MIG-b'));
const deviceOfAdvertisedDevices = aDevice(sliced, aGpu({ index: 1 }));

describe('what the kubelet offers', () => {
  it('is counted by resource, replicas too', () => {
    const allocatable = new Map([
      ['nvidia.com/mig-1g.5gb.shared', ['MIG-a::0', 'MIG-a::1', 'MIG-b::0', 'MIG-b::1']],
      ['nvidia.com/gpu', [uuidOf(1)]],
      ['nvidia.com/mig-2g.10gb', []],
    ]);
    expect(advertisedOf(deviceOfAdvertisedDevices, allocatable)).to.deep.equal({
      resources: { 'nvidia.com/gpu': 1, 'nvidia.com/mig-1g.5gb.shared': 4 },
      stale: 0,
    });
  });

  it('is stale as far as the node does not have the devices any more', () => {
    const allocatable = new Map([['nvidia.com/mig-1g.5gb', ['MIG-a', 'MIG-gone', 'MIG-gone-too']]]);
    expect(advertisedOf(deviceOfAdvertisedDevices, allocatable)?.stale).to.equal(2);
  });

  it('is stale where a GPU is offered that is in MIG mode, unless the strategy is none', () => {
    const allocatable = new Map([['nvidia.com/gpu', [uuidOf(0), uuidOf(1)]]]);
    expect(advertisedOf(deviceOfAdvertisedDevices, allocatable, 'single')?.stale).to.equal(1);
    expect(advertisedOf(deviceOfAdvertisedDevices, allocatable, 'mixed')?.stale).to.equal(1);
    expect(advertisedOf(deviceOfAdvertisedDevices, allocatable, 'none')?.stale).to.equal(0);
    expect(advertisedOf(deviceOfAdvertisedDevices, allocatable)?.stale).to.equal(0);
  });

  it('is not stale where the device may be on a GPU that cannot be read', () => {
    const lost = aGpu({ index: 1, error: 'GpuLost: it does not answer' });
    const allocatable = new Map([['nvidia.com/mig-1g.5gb', ['MIG-a', 'MIG-of-the-lost']]]);
    expect(advertisedOf(aDevice(sliced, lost), allocatable)?.stale).to.equal(0);
  });

  it('has nothing of other plugins under the same prefix', () => {
    const allocatable = new Map([['nvidia.com/hostdev', ['0000:03:00.2']]]);
    expect(advertisedOf(deviceOfAdvertisedDevices, allocatable)).to.deep.equal({ stale: 0 });
  });

  it('has what another name stands for that is a device of this node, and no number, which any plugin may mean', () => {
    const allocatable = new Map([
      ['nvidia.com/a100-slice', ['MIG-a', 'MIG-gone']],
      ['k8s.amazonaws.com/vgpu', [`${uuidOf(1)}-0`, `${uuidOf(1)}-1`]],
      ['nvidia.com/rdma_shared_device_a', ['0', '1']],
    ]);
    expect(advertisedOf(deviceOfAdvertisedDevices, allocatable)).to.deep.equal({
      resources: { 'k8s.amazonaws.com/vgpu': 2, 'nvidia.com/a100-slice': 2 },
      stale: 0,
    });
    // Only NVIDIA's plugin is asked to follow a change, so only its ids can be late.
    expect(
      advertisedOf(deviceOfAdvertisedDevices, new Map([['k8s.amazonaws.com/vgpu', [`${uuidOf(0)}-0`]]]), 'mixed')
        ?.stale,
    ).to.equal(0);
  });
});

const deviceOfLostDevices = aDevice(aSlicedGpu(0, anInstance(2, 'MIG-a')), aGpu({ index: 1 }));
const pod = (name: string, id: string, resource = 'nvidia.com/mig-1g.5gb') => ({
  namespace: 'ml',
  name,
  devices: [{ resource, id }],
});
const holders = holdersOf(deviceOfLostDevices, [pod('b', 'MIG-gone'), pod('a', 'MIG-gone'), pod('c', 'MIG-a')]);

/** What two readings in a row report as lost, and the GPUs that they show. */
const report = (device: DeviceReport, word: KubeletWord) => {
  const readings = new Readings();
  const first = readings.complete(aReading(), device, word);
  return { first, second: readings.complete(aReading(), device, word) };
};
const lostOf = (device: DeviceReport, of = holders) => report(device, { holders: of }).second.lostDevices ?? [];

describe('devices that were destroyed under their pods', () => {
  it('are named with the pods that hold them', () => {
    expect(lostOf(deviceOfLostDevices)).to.deep.equal([{ id: 'MIG-gone', pods: ['ml/a', 'ml/b'] }]);
  });

  it('are not found while a GPU cannot be read, or a UUID is missing', () => {
    const [sliced = aGpu(), whole = aGpu()] = deviceOfLostDevices.gpus ?? [];
    expect(lostOf(aDevice(sliced, { ...whole, error: 'Lost: no answer' }))).to.deep.equal([]);
    const unnamed = aSlicedGpu(1, { profile: '1g.5gb', gi: 1, start: 0 });
    expect(lostOf(aDevice(sliced, unnamed))).to.deep.equal([]);
    expect(lostOf(aDevice())).to.deep.equal([]);
  });

  it('do not include whole GPUs, or devices of other plugins', () => {
    const others = holdersOf(deviceOfLostDevices, [
      pod('a', 'GPU-gone', 'nvidia.com/gpu'),
      pod('b', 'MIG-x', 'example.com/fpga'),
    ]);
    expect(lostOf(deviceOfLostDevices, others)).to.deep.equal([]);
  });

  it('keep no instance that exists from being destroyed', () => {
    const { first, second } = report(deviceOfLostDevices, { holders });
    expect(first.gpus?.[0]?.instances[0]?.pods).to.have.members(['ml/a', 'ml/b', 'ml/c']);
    expect(second.gpus?.[0]?.instances[0]?.pods).to.deep.equal(['ml/c']);
  });

  it('are reported as far as the report has room', () => {
    const ids = Array.from({ length: 70 }, (_, at) => `MIG-${at}`);
    const pods = Array.from({ length: 20 }, (_, at) => ids.map((id) => pod(`p${at}`, id)));
    const cut = lostOf(deviceOfLostDevices, holdersOf(deviceOfLostDevices, pods.flat()));
    expect([cut.length, cut[0]?.pods.length]).to.deep.equal([64, 16]);
  });

  it('are counted where a pod has lost several', () => {
    const lostDevices = ['MIG-1', 'MIG-2', 'MIG-3'].map((id) => ({ id, pods: ['ml/a'] }));
    const [loss] = listLosses({ lostDevices }, [{ metadata: { namespace: 'ml', name: 'a' } }]);
    expect(loss?.why).to.equal('it holds MIG-1 and 2 more, which no longer exist, and cannot work');
  });
});
