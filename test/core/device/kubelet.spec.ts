import { expect } from 'chai';
import type { Strategy } from '../../../src/api/types.ts';
import {
  listUnserved,
  judgeAdvertised,
  cutLostDevices,
  findLostDevices,
  listLosses,
  withoutLost,
} from '../../../src/core/device/kubelet.ts';
import { aDevice, aGpu, uuidOf } from '../../support/builders.ts';
import { aSlicedGpu, anInstance } from './sliced-gpu.ts';
import { holdersOf } from '../../../src/core/device/holders.ts';

const device = aDevice(aSlicedGpu(0, anInstance(2, 'MIG-a'), anInstance(3, 'MIG-b')), aGpu({ index: 1 }));
const slices = 'nvidia.com/mig-1g.5gb';
const gpu = 'nvidia.com/gpu';
const whole = { [gpu]: [uuidOf(1)] };

describe('resources that the kubelet offers', () => {
  const judge = (offered: Readonly<Record<string, readonly string[]>>, strategy: Strategy | undefined = 'mixed') =>
    listUnserved(device, new Map(Object.entries(offered)), strategy);

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
    expect(listUnserved(device, offered, undefined)).to.deep.equal([slices]);
  });

  it('are left of an earlier plugin where only one strategy explains the others, and none was told', () => {
    const sliced = aDevice(aSlicedGpu(0, anInstance(2, 'MIG-a')));
    const offered = new Map([
      [gpu, [uuidOf(0)]],
      [slices, ['MIG-a']],
    ]);
    expect(listUnserved(sliced, offered, undefined)).to.deep.equal([]);
    const two = aDevice(aSlicedGpu(0, anInstance(2, 'MIG-a')), aSlicedGpu(1, anInstance(3, 'MIG-b')));
    expect(listUnserved(two, new Map([...offered, [slices, ['MIG-a', 'MIG-b']]]), undefined)).to.deep.equal([gpu]);
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
    expect(judgeAdvertised(deviceOfAdvertisedDevices, allocatable)).to.deep.equal({
      resources: { 'nvidia.com/gpu': 1, 'nvidia.com/mig-1g.5gb.shared': 4 },
      stale: 0,
    });
  });

  it('is stale as far as the node does not have the devices any more', () => {
    const allocatable = new Map([['nvidia.com/mig-1g.5gb', ['MIG-a', 'MIG-gone', 'MIG-gone-too']]]);
    expect(judgeAdvertised(deviceOfAdvertisedDevices, allocatable).stale).to.equal(2);
  });

  it('is stale where a GPU is offered that is in MIG mode, unless the strategy is none', () => {
    const allocatable = new Map([['nvidia.com/gpu', [uuidOf(0), uuidOf(1)]]]);
    expect(judgeAdvertised(deviceOfAdvertisedDevices, allocatable, 'single').stale).to.equal(1);
    expect(judgeAdvertised(deviceOfAdvertisedDevices, allocatable, 'mixed').stale).to.equal(1);
    expect(judgeAdvertised(deviceOfAdvertisedDevices, allocatable, 'none').stale).to.equal(0);
    expect(judgeAdvertised(deviceOfAdvertisedDevices, allocatable).stale).to.equal(0);
  });

  it('is not stale where the device may be on a GPU that cannot be read', () => {
    const lost = aGpu({ index: 1, error: 'GpuLost: it does not answer' });
    const allocatable = new Map([['nvidia.com/mig-1g.5gb', ['MIG-a', 'MIG-of-the-lost']]]);
    expect(judgeAdvertised(aDevice(sliced, lost), allocatable).stale).to.equal(0);
  });

  it('has nothing of other plugins under the same prefix', () => {
    const allocatable = new Map([['nvidia.com/hostdev', ['0000:03:00.2']]]);
    expect(judgeAdvertised(deviceOfAdvertisedDevices, allocatable)).to.deep.equal({ resources: {}, stale: 0 });
  });

  it('has what another name stands for that is a device of this node, and no number, which any plugin may mean', () => {
    const allocatable = new Map([
      ['nvidia.com/a100-slice', ['MIG-a', 'MIG-gone']],
      ['k8s.amazonaws.com/vgpu', [`${uuidOf(1)}-0`, `${uuidOf(1)}-1`]],
      ['nvidia.com/rdma_shared_device_a', ['0', '1']],
    ]);
    expect(judgeAdvertised(deviceOfAdvertisedDevices, allocatable)).to.deep.equal({
      resources: { 'k8s.amazonaws.com/vgpu': 2, 'nvidia.com/a100-slice': 2 },
      stale: 0,
    });
    // Only NVIDIA's plugin is asked to follow a change, so only its ids can be late.
    expect(
      judgeAdvertised(deviceOfAdvertisedDevices, new Map([['k8s.amazonaws.com/vgpu', [`${uuidOf(0)}-0`]]]), 'mixed')
        .stale,
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

describe('devices that were destroyed under their pods', () => {
  it('are named with the pods that hold them', () => {
    expect(findLostDevices(deviceOfLostDevices, holders)).to.deep.equal([{ id: 'MIG-gone', pods: ['ml/a', 'ml/b'] }]);
  });

  it('are not found while a GPU cannot be read, or a UUID is missing', () => {
    const [sliced = aGpu(), whole = aGpu()] = deviceOfLostDevices.gpus ?? [];
    expect(findLostDevices(aDevice(sliced, { ...whole, error: 'Lost: no answer' }), holders)).to.deep.equal([]);
    const unnamed = aSlicedGpu(1, { profile: '1g.5gb', gi: 1, start: 0 });
    expect(findLostDevices(aDevice(sliced, unnamed), holders)).to.deep.equal([]);
    expect(findLostDevices(aDevice(), holders)).to.deep.equal([]);
  });

  it('do not include whole GPUs, or devices of other plugins', () => {
    const others = holdersOf(deviceOfLostDevices, [
      pod('a', 'GPU-gone', 'nvidia.com/gpu'),
      pod('b', 'MIG-x', 'example.com/fpga'),
    ]);
    expect(findLostDevices(deviceOfLostDevices, others)).to.deep.equal([]);
  });

  it('keep no instance that exists from being destroyed', () => {
    const lost = findLostDevices(deviceOfLostDevices, holders);
    expect(withoutLost(holders, lost).stale).to.deep.equal([]);
    expect(withoutLost(holders, []).stale).to.have.length(2);
  });

  it('are reported as far as the report has room', () => {
    const pods = Array.from({ length: 20 }, (_, at) => `ml/p${at}`);
    const many = Array.from({ length: 70 }, (_, at) => ({ id: `MIG-${at}`, pods }));
    const cut = cutLostDevices(many);
    expect([cut.length, cut[0]?.pods.length]).to.deep.equal([64, 16]);
  });

  it('are counted where a pod has lost several', () => {
    const lostDevices = ['MIG-1', 'MIG-2', 'MIG-3'].map((id) => ({ id, pods: ['ml/a'] }));
    const [loss] = listLosses({ lostDevices }, [{ metadata: { namespace: 'ml', name: 'a' } }]);
    expect(loss?.why).to.equal('it holds MIG-1 and 2 more, which no longer exist, and cannot work');
  });
});
