import { expect } from 'chai';

import { judgeAdvertised } from '../../../src/core/pods/advertised-devices.ts';
import { aDevice, aGpu, uuidOf } from '../../support/builders.ts';
import { aSlicedGpu, anInstance } from './sliced-gpu.ts';

const sliced = aSlicedGpu(0, anInstance(2, 'MIG-a'), anInstance(3, 'MIG-b'));
const device = aDevice(sliced, aGpu({ index: 1 }));

describe('what the kubelet offers', () => {
  it('is counted by resource, replicas too', () => {
    const allocatable = new Map([
      ['nvidia.com/mig-1g.5gb.shared', ['MIG-a::0', 'MIG-a::1', 'MIG-b::0', 'MIG-b::1']],
      ['nvidia.com/gpu', [uuidOf(1)]],
      ['nvidia.com/mig-2g.10gb', []],
    ]);
    expect(judgeAdvertised(device, allocatable)).to.deep.equal({
      resources: { 'nvidia.com/gpu': 1, 'nvidia.com/mig-1g.5gb.shared': 4 },
      stale: 0,
    });
  });

  it('is stale as far as the node does not have the devices any more', () => {
    const allocatable = new Map([['nvidia.com/mig-1g.5gb', ['MIG-a', 'MIG-gone', 'MIG-gone-too']]]);
    expect(judgeAdvertised(device, allocatable).stale).to.equal(2);
  });

  it('is stale where a GPU is offered that is in MIG mode, unless the strategy is none', () => {
    const allocatable = new Map([['nvidia.com/gpu', [uuidOf(0), uuidOf(1)]]]);
    expect(judgeAdvertised(device, allocatable, 'single').stale).to.equal(1);
    expect(judgeAdvertised(device, allocatable, 'mixed').stale).to.equal(1);
    expect(judgeAdvertised(device, allocatable, 'none').stale).to.equal(0);
    expect(judgeAdvertised(device, allocatable).stale).to.equal(0);
  });

  it('is not stale where the device may be on a GPU that cannot be read', () => {
    const lost = aGpu({ index: 1, error: 'GpuLost: it does not answer' });
    const allocatable = new Map([['nvidia.com/mig-1g.5gb', ['MIG-a', 'MIG-of-the-lost']]]);
    expect(judgeAdvertised(aDevice(sliced, lost), allocatable).stale).to.equal(0);
  });

  it('has nothing of other plugins under the same prefix', () => {
    const allocatable = new Map([['nvidia.com/hostdev', ['0000:03:00.2']]]);
    expect(judgeAdvertised(device, allocatable)).to.deep.equal({ resources: {}, stale: 0 });
  });

  it('has what another name stands for that is a device of this node, and no number, which any plugin may mean', () => {
    const allocatable = new Map([
      ['nvidia.com/a100-slice', ['MIG-a', 'MIG-gone']],
      ['k8s.amazonaws.com/vgpu', [`${uuidOf(1)}-0`, `${uuidOf(1)}-1`]],
      ['nvidia.com/rdma_shared_device_a', ['0', '1']],
    ]);
    expect(judgeAdvertised(device, allocatable)).to.deep.equal({
      resources: { 'k8s.amazonaws.com/vgpu': 2, 'nvidia.com/a100-slice': 2 },
      stale: 0,
    });
    // Only NVIDIA's plugin is asked to follow a change, so only its ids can be late.
    expect(judgeAdvertised(device, new Map([['k8s.amazonaws.com/vgpu', [`${uuidOf(0)}-0`]]]), 'mixed').stale).to.equal(
      0,
    );
  });
});
