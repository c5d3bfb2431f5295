import { expect } from 'chai';
import { KubeletError } from '../../src/core/device/grants.ts';
import { holdersOf, withHolders } from '../core/device/sliced-gpu.ts';
import { kubeletOf } from '../../src/agent/open-kubelet.ts';
import { silentLogger } from '../../src/process/log.ts';

const missing = new KubeletError('KubeletSocketMissing', { tried: 'List', found: 'no such file' });
const unsupported = new KubeletError('KubeletUnsupported', {
  tried: 'GetAllocatableResources',
  found: 'unimplemented',
});

describe('who holds GPUs, by the kubelet', () => {
  it('is unknown without its socket: that is not nobody', async () => {
    const client = { list: () => Promise.reject(missing), listAllocatable: () => Promise.reject(missing) };
    const asked: unknown = await kubeletOf({ client, ignorePods: false, logger: silentLogger })
      .ask({ gpus: [] }, { strategy: 'mixed' })
      .catch((error: unknown) => error);
    expect(asked).to.equal(missing);
  });

  it('is not asked for where the agent is told to go by processes alone', async () => {
    const client = { list: () => Promise.reject(missing), listAllocatable: () => Promise.reject(missing) };
    const kubelet = kubeletOf({ client, ignorePods: true, logger: silentLogger });
    expect(await kubelet.ask({ gpus: [] }, { strategy: 'mixed' })).to.equal(undefined);
  });

  it('leaves out the claims of monitors, of which only the controller knows', async () => {
    const gpu = { uuid: 'GPU-0', index: 0, pciBusId: '00000000:07:00.0', product: 'NVIDIA A100-SXM4-40GB' };
    const device = { gpus: [{ ...gpu, instances: [] }] };
    const claimed = [{ claim: 'ns/watch', driver: 'gpu.nvidia.com', device: 'gpu-0', cdiDevices: [] }];
    const holding = { namespace: 'ns', name: 'monitor', devices: [], claimed };
    const client = { list: () => Promise.resolve([holding]), listAllocatable: () => Promise.reject(unsupported) };
    const kubelet = kubeletOf({ client, ignorePods: false, logger: silentLogger });
    const held = async (monitors?: readonly string[]): Promise<unknown> =>
      (await kubelet.ask(device, { ...(monitors && { monitors }) }))?.holders.ofDevice.get('GPU-0');
    expect(await held()).to.deep.equal(['ns/monitor']);
    expect(await held(['ns/other'])).to.deep.equal(['ns/monitor']);
    expect(await held(['ns/watch'])).to.equal(undefined);
  });

  it('is known from a kubelet that does not tell what it offers', async () => {
    const client = { list: () => Promise.resolve([]), listAllocatable: () => Promise.reject(unsupported) };
    const word = await kubeletOf({ client, ignorePods: false, logger: silentLogger }).ask(
      { gpus: [] },
      { strategy: 'mixed' },
    );
    expect(word?.holders.ofAny).to.deep.equal([]);
    expect(word).not.to.have.property('advertised');
  });
});

describe('a slice that a pod holds and no GPU has', () => {
  it('counts every instance of the node as held, because it is unknown which one is', () => {
    const gpu = { uuid: 'GPU-0', index: 0, pciBusId: '00000000:07:00.0', product: 'NVIDIA A100-SXM4-40GB' };
    const instance = { profile: '3g.20gb', gi: 1, start: 0, computeInstances: [{ profile: '3g.20gb', uuid: 'MIG-1' }] };
    const device = { gpus: [{ ...gpu, instances: [instance] }] };
    const holdings = [
      { namespace: 'team', name: 'old', devices: [{ resource: 'nvidia.com/mig-3g.20gb', id: 'MIG-2' }] },
      { namespace: 'team', name: 'whole', devices: [{ resource: 'nvidia.com/gpu', id: 'GPU-of-before' }] },
    ];
    const [seen] = withHolders(device.gpus, holdersOf(device, holdings));
    expect([seen?.pods, seen?.instances[0]?.busy, seen?.instances[0]?.pods]).to.deep.equal([
      undefined,
      true,
      ['team/old'],
    ]);
  });
});
