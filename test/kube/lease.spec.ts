import { expect } from 'chai';
import { ApiError } from '../../src/kube/api-error.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';
import { type Lease, LeaseLock } from '../../src/kube/lease.ts';
import type { KubeObject, ObjectRef } from '../../src/kube/resource.ts';
import { FakeClock } from '../process/fake-clock.ts';

/** An API server with a Lease of a leader that has died. */
class Server extends KubeClient {
  lease: Lease = {
    metadata: { name: 'l', namespace: 'n', uid: 'u', resourceVersion: '1' },
    spec: { holderIdentity: 'dead', leaseDurationSeconds: 15 },
  };
  isBusy = false;

  override async find<T extends KubeObject>(): Promise<T> {
    return this.lease as unknown as T;
  }

  override async replace<T extends KubeObject>(_ref: ObjectRef, object: T): Promise<T> {
    if (this.isBusy) throw new ApiError({ request: 'PUT it', code: 503, reason: 'ServiceUnavailable', text: 'busy' });
    this.lease = { ...object, metadata: { ...object.metadata, resourceVersion: '2' } };
    return this.lease as unknown as T;
  }
}

describe('a lease that has run out', () => {
  it('is taken with the next attempt when the first one failed: it is not waited for a second time', async () => {
    const clock = new FakeClock();
    const client = new Server(new PooledKubeConfig(), 'test');
    const place = { namespace: 'n', name: 'l', identity: 'next' };
    const lock = new LeaseLock({ client, clock, ...place, leaseMs: 15_000, timeoutMs: 5_000 });
    const { signal } = new AbortController();
    expect(await lock.acquire(signal)).to.equal(false);
    await clock.advance(15_001);
    client.isBusy = true;
    expect(await lock.acquire(signal).catch(String)).to.include('busy');
    client.isBusy = false;
    expect(await lock.acquire(signal)).to.equal(true);
  });
});
