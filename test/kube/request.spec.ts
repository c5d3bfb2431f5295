import { expect } from 'chai';
import { isDefinite } from '../../src/kube/api-error.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import type { KubeObject } from '../../src/kube/resource.ts';
import { useSharedCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { aConfigMap, configMapRef, configMaps, connect, makeNamespace, type ConfigMap } from './connection.ts';
import { failureOf, rejectionOf } from './failure.ts';
import { aStatus, type RequestFault } from '../support/fault.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import type { SeenRequest } from '../support/seen-request.ts';

/** Faults for the first requests with this method, in order; then none. */
function firstTime(
  method: string,
  ...faults: readonly RequestFault[]
): (request: SeenRequest) => RequestFault | undefined {
  const rest = [...faults];
  return (request) => (request.method === method ? rest.shift() : undefined);
}

function refusal(code: number, fields: object = {}): Extract<RequestFault, { readonly status: number }> {
  return { status: code, body: aStatus(code, 'Any', fields) };
}

describe('requests under faults', () => {
  const cluster = useSharedCluster();
  let admin: KubeClient;
  let proxy: FaultProxy;
  let client: KubeClient;
  let namespace: string;

  before(async () => {
    admin = connect(cluster());
    namespace = await makeNamespace(admin);
  });
  after(() => admin.config.close());
  beforeEach(async () => {
    proxy = await FaultProxy.open(cluster());
    client = connect(cluster(), { server: proxy.server });
  });
  afterEach(async () => {
    await client.config.close();
    await proxy[Symbol.asyncDispose]();
  });

  it('repeats what was refused for overload, and never sooner than the server asks', async () => {
    proxy.rule = firstTime('POST', { ...refusal(429), headers: { 'retry-after': '1' } });
    await client.create(configMaps, aConfigMap(namespace, 'overload'));
    const [first, second] = proxy.requests;
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).to.be.at.least(1_000);
    expect(proxy.requests).to.have.length(2);
  });

  it('takes the time from the API server, and not from what stands before it and refuses in its name', async () => {
    proxy.rule = firstTime('GET', { ...refusal(503), headers: { date: 'Thu, 01 Jan 1970 00:00:00 GMT' } });
    await failureOf(client.get(configMapRef(namespace, 'time'), { attempts: 1 }));
    expect(client.config.serverClock.skewMs).to.equal(undefined);
    await admin.create(configMaps, aConfigMap(namespace, 'time'));
    await client.get(configMapRef(namespace, 'time'), { attempts: 1 });
    expect(client.config.serverClock.skewMs).to.be.within(-5_000, 5_000);
  });

  it('takes a time limit with a fraction, as a third of a lease of 10 s', async () => {
    const { metadata } = await client.create(configMaps, aConfigMap(namespace, 'fraction'));
    const found = await client.get<ConfigMap>(configMapRef(namespace, 'fraction'), { timeoutMs: 10_000 / 3 });
    expect(found.metadata.uid).to.equal(metadata.uid);
  });

  it('gives up at once when the server asks for a wait that is longer than a caller should be held', async () => {
    proxy.rule = () => ({ ...refusal(429), headers: { 'retry-after': '60' } });
    const error = await failureOf(client.get(configMapRef(namespace, 'a')));
    expect(error).to.deep.include({ code: 429, retryAfterMs: 60_000 });
    expect(proxy.requests).to.have.length(1);
  });

  it('takes the refusal of an eviction by a disruption budget as an answer', async () => {
    proxy.rule = () => refusal(429, { details: { causes: [{ reason: 'DisruptionBudget' }], retryAfterSeconds: 1 } });
    const pods = { group: '', version: 'v1', plural: 'pods', kind: 'Pod' };
    const ref = { resource: pods, namespace, name: 'p', subresource: 'eviction' };
    const error = await failureOf(client.createSubresource(ref, { apiVersion: 'policy/v1', kind: 'Eviction' }));
    expect(error.hasCause('DisruptionBudget')).to.equal(true);
    expect(proxy.requests).to.have.length(1);
  });

  it('repeats a read after errors of the server and broken answers', async () => {
    await admin.create(configMaps, aConfigMap(namespace, 'read', { x: '1' }));
    proxy.rule = firstTime('GET', refusal(503), { reset: 'before' }, { reset: 'body' });
    expect((await client.get<ConfigMap>(configMapRef(namespace, 'read'))).data).to.deep.equal({ x: '1' });
    expect(proxy.requests).to.have.length(4);
  });

  it('gives up after four tries and says what was tried and why it failed', async () => {
    proxy.rule = () => ({ reset: 'before' });
    const error = await failureOf(client.get(configMapRef(namespace, 'a')));
    expect(error).to.deep.include({ code: 0, reason: 'Unreachable' });
    expect(error.message).to.contain(`GET /api/v1/namespaces/${namespace}/configmaps/a`);
    expect(error.cause).to.be.instanceOf(Error);
    expect(proxy.requests).to.have.length(4);
  });

  it('does not repeat what the server understood and refused', async () => {
    proxy.rule = () => refusal(403, { reason: 'Forbidden' });
    expect((await failureOf(client.get(configMapRef(namespace, 'a')))).code).to.equal(403);
    expect(proxy.requests).to.have.length(1);
  });

  it('repeats an apply whose answer was lost, with the same result', async () => {
    proxy.rule = firstTime('PATCH', { reset: 'after' });
    const applied = await client.apply<ConfigMap>(configMapRef(namespace, 'lost'), { data: { x: '1' } });
    expect(applied.data).to.deep.equal({ x: '1' });
    expect(proxy.requests).to.have.length(2);
  });

  it('does not take the refusal of a repeated write for a definite one: the first may have taken effect', async () => {
    const { metadata } = await admin.create(configMaps, aConfigMap(namespace, 'unsure'));
    proxy.rule = firstTime('PATCH', { reset: 'after' });
    const { resourceVersion } = metadata;
    const write = { metadata: { resourceVersion }, data: { x: '1' } };
    const error = await failureOf(client.merge(configMapRef(namespace, 'unsure'), write));
    expect(error.code).to.equal(409);
    expect(isDefinite(error)).to.equal(false);
    expect((await admin.get<ConfigMap>(configMapRef(namespace, 'unsure'))).data).to.deep.equal({ x: '1' });
    expect(isDefinite(await failureOf(client.merge(configMapRef(namespace, 'unsure'), write)))).to.equal(true);
  });

  it('does not repeat a creation or a JSON patch whose answer was lost: it may have happened', async () => {
    proxy.rule = () => ({ reset: 'after' });
    expect((await failureOf(client.create(configMaps, aConfigMap(namespace, 'once')))).code).to.equal(0);
    const operations = [{ op: 'add', path: '/data', value: { x: '1' } }] as const;
    expect((await failureOf(client.patch(configMapRef(namespace, 'once'), operations))).code).to.equal(0);
    expect(proxy.requests).to.have.length(2);
    expect((await admin.get<ConfigMap>(configMapRef(namespace, 'once'))).data).to.deep.equal({ x: '1' });
  });

  for (const [what, body] of [
    ['a portal that wants a login', { login: 'required' }],
    ['a Status of success', { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' }],
    ['a text', 'hello'],
  ] as const) {
    it(`does not take ${what} with code 200 for an object or a list`, async () => {
      proxy.rule = () => ({ status: 200, body });
      const ref = configMapRef(namespace, 'portal');
      const project = (object: KubeObject): KubeObject => object;
      for (const tried of [
        client.find(ref),
        client.merge(ref, {}),
        client.create(configMaps, aConfigMap(namespace, 'portal')),
        client.list(configMaps, { namespace }),
        client.list(configMaps, { namespace }, { paged: false, project }),
      ]) {
        const error = await failureOf(tried);
        expect(error).to.deep.include({ code: 0, reason: 'InvalidAnswer' });
        expect(error.message).to.contain('something else than the API server');
      }
    });
  }

  it('ends when its caller gives up, with the caller’s reason', async () => {
    const controller = new AbortController();
    proxy.rule = () => {
      controller.abort(new Error('no longer wanted'));
      return refusal(503);
    };
    const error = await rejectionOf(client.get(configMapRef(namespace, 'a'), { signal: controller.signal }));
    expect(error).to.be.instanceOf(Error).with.property('message', 'no longer wanted');
  });

  it('ends in the wait before a repetition in the same way', async () => {
    const controller = new AbortController();
    proxy.rule = () => ({ ...refusal(429), headers: { 'retry-after': '5' } });
    const failure = rejectionOf(client.get(configMapRef(namespace, 'a'), { signal: controller.signal }));
    await eventually(
      () => proxy.requests.length,
      (count) => count === 1,
    );
    // The answer has come by then.
    await client.request({ method: 'GET', path: '/version', attempts: 1 }).catch(() => undefined);
    controller.abort(new Error('no longer wanted'));
    expect(await failure)
      .to.be.instanceOf(Error)
      .with.property('message', 'no longer wanted');
  });

  describe('and their connections', () => {
    it('makes many requests on the same connections', async () => {
      await using tcp = await FaultProxy.open(cluster());
      const pooled = connect(cluster(), { server: tcp.server });
      for (let count = 0; count < 30; count += 1) await pooled.find(configMapRef(namespace, 'a'));
      // A second one is opened when the first is not yet free for the next request.
      expect(tcp.connections).to.be.at.most(2);
      await pooled.config.close();
    });

    it('ends after its limit on a connection that went silent, and works again on a new one', async () => {
      await using tcp = await FaultProxy.open(cluster());
      const frozen = connect(cluster(), { server: tcp.server });
      await frozen.find(configMapRef(namespace, 'a'));
      tcp.freeze();
      const startedAt = performance.now();
      const options = { timeoutMs: 200, attempts: 1 };
      const error = await failureOf(frozen.get(configMapRef(namespace, 'a'), options));
      expect(error).to.deep.include({ code: 0, reason: 'Timeout' });
      expect(performance.now() - startedAt).to.be.within(150, 1_500);
      tcp.restore();
      expect(await frozen.find(configMapRef(namespace, 'none'))).to.equal(undefined);
      await frozen.config.close();
    });
  });
});
