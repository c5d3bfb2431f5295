import { expect } from 'chai';
import { kubeletOf } from '../../src/agent/open-kubelet.ts';
import { KubeletError } from '../../src/kubelet/errors.ts';
import { silentLogger } from '../../src/process/logger.ts';

const missing = new KubeletError('KubeletSocketMissing', { tried: 'List', found: 'no such file' });
const unsupported = new KubeletError('KubeletUnsupported', {
  tried: 'GetAllocatableResources',
  found: 'unimplemented',
});

describe('who holds GPUs, by the kubelet', () => {
  it('is unknown without its socket: that is not nobody', async () => {
    const client = { list: () => Promise.reject(missing), listAllocatable: () => Promise.reject(missing) };
    const asked: unknown = await kubeletOf({ client, ignorePods: false, logger: silentLogger })
      .ask({ gpus: [] }, 'mixed')
      .catch((error: unknown) => error);
    expect(asked).to.equal(missing);
  });

  it('is not asked for where the agent is told to go by processes alone', async () => {
    const client = { list: () => Promise.reject(missing), listAllocatable: () => Promise.reject(missing) };
    const kubelet = kubeletOf({ client, ignorePods: true, logger: silentLogger });
    expect(await kubelet.ask({ gpus: [] }, 'mixed')).to.equal(undefined);
  });

  it('is known from a kubelet that does not tell what it offers', async () => {
    const client = { list: () => Promise.resolve([]), listAllocatable: () => Promise.reject(unsupported) };
    const word = await kubeletOf({ client, ignorePods: false, logger: silentLogger }).ask({ gpus: [] }, 'mixed');
    expect(word?.holders.ofAny).to.deep.equal([]);
    expect(word).not.to.have.property('advertised');
  });
});
