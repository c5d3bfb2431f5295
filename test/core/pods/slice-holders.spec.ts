import { expect } from 'chai';
import fc from 'fast-check';

import { listUuids } from '../../../src/core/pods/device-id.ts';
import {
  holdersOf,
  listGpuHolders,
  listInstanceClaims,
  listHeldDevices,
  listHeldIds,
  listInstanceHolders,
  listUnidentified,
  listWholeClaims,
} from '../../../src/core/pods/slice-holders.ts';
import type { ClaimedDevice, HeldDevice, PodHolding } from '../../../src/core/pods/holding.ts';
import { aDevice, aGpu, uuidOf } from '../../support/builders.ts';
import { aSlicedGpu, anInstance } from './sliced-gpu.ts';

const slice = 'nvidia.com/mig-1g.5gb';

function aPod(name: string, ...devices: readonly HeldDevice[]): PodHolding {
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
      aPod('z', { resource: slice, id: 'MIG-b' }),
      aPod('a', { resource: slice, id: 'MIG-a' }),
      aPod('none'),
    ]);
    expect(listInstanceHolders(holders, split)).to.deep.equal(['ml/a', 'ml/z']);
    expect(listInstanceHolders(holders, lone)).to.deep.equal([]);
    expect(holders.ofDevice.get('MIG-a')).to.deep.equal(['ml/a']);
  });

  it('names the pods that have a whole GPU, each once', () => {
    const id = uuidOf(1);
    const holders = holdersOf(device, [
      aPod(
        'b',
        { resource: 'nvidia.com/gpu.shared', id: `${id}::0` },
        { resource: 'nvidia.com/gpu.shared', id: `${id}::1` },
      ),
      aPod('a', { resource: 'nvidia.com/gpu.shared', id: `${id}::2` }),
    ]);
    expect(listGpuHolders(holders, whole)).to.deep.equal(['ml/a', 'ml/b']);
    expect(listGpuHolders(holders, sliced)).to.deep.equal([]);
  });

  it('knows pods that hold a device that was destroyed', () => {
    const { ofDevice, stale } = holdersOf(device, [aPod('a', { resource: slice, id: 'MIG-gone' })]);
    expect(ofDevice.size).to.equal(0);
    expect(stale).to.deep.equal([{ pod: 'ml/a', resource: slice, id: 'MIG-gone' }]);
  });

  it('tells ids of GPU resources that the node does not have from devices that are gone', () => {
    const holders = holdersOf(device, [
      aPod('named', { resource: 'nvidia.com/gpu', id: 'nvidia1' }),
      aPod('odd', { resource: 'nvidia.com/gpu', id: 'nvidia7/gi3' }, { resource: 'example.com/nic', id: 'odd' }),
      aPod('gone', { resource: slice, id: 'MIG-gone' }, { resource: 'nvidia.com/gpu', id: uuidOf(7) }),
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
      aPod(
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
      aPod('renamed', { resource: 'nvidia.com/a100-slice', id: 'MIG-c' }),
      aPod('share', { resource: 'k8s.amazonaws.com/vgpu', id: `${uuidOf(1)}-3` }),
      aPod('another', { resource: 'example.com/accelerator', id: `${uuidOf(1)}::2` }),
    ]);
    expect(listInstanceHolders(holders, lone)).to.deep.equal(['ml/renamed']);
    expect(listGpuHolders(holders, whole)).to.deep.equal(['ml/another', 'ml/share']);
    expect(holders.stale).to.deep.equal([]);
  });

  describe('by claims', () => {
    const claimed = (name: string, ...devices: readonly ClaimedDevice[]): PodHolding => ({
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
      const name = (claim: string): ClaimedDevice => ({
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
      expect(holdersOf(device, [aPod('a', { resource: slice, id: 'MIG-c' })])).not.to.have.property('claimsOf');
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
    const ids = fc.constantFrom(...listUuids(device), 'MIG-gone', '0:0', '1', 'MIG-a::3');
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
        expect(listUuids(device)).to.include.members([...ofDevice.keys()]);
      }),
    );
  });
});
