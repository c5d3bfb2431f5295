import { expect } from 'chai';
import fc from 'fast-check';
import { pods } from '../../src/api/resources.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';
import { ListTooLarge, readList, ServerClock } from '../../src/kube/request.ts';
import { rejectionOf, failureOf } from './failure.ts';
import { readKeptMemory } from '../support/kept-memory.ts';
import { isDefinite } from '../../src/kube/api-error.ts';
import type { KubeObject } from '../../src/kube/watch.ts';
import { useSharedCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { aConfigMap, configMapRef, configMaps, connect, makeNamespace, type ConfigMap } from './connection.ts';
import { aStatus, type RequestFault } from '../support/fault.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import type { SeenRequest } from '../support/seen-request.ts';

const same = (item: unknown): unknown => item;
const most = 1 << 30;

/** The text in pieces of so many bytes. */
async function* cut(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Bytes of objects and of buffers that are still in use. */
function keptBytes(): number {
  const { heapUsed, external } = readKeptMemory();
  return heapUsed + external;
}

describe('a list that is read item by item', () => {
  it('is the list, however it is cut', async () => {
    const item = fc.object({ maxDepth: 3 });
    const list = fc.record({ kind: fc.string(), metadata: fc.dictionary(fc.string(), fc.string()) });
    await fc.assert(
      fc.asyncProperty(list, fc.array(item), fc.integer({ min: 1, max: 40 }), async (head, items, size) => {
        const text = JSON.stringify({ ...head, items, after: ['x', { items: [1] }] });
        const whole: unknown = JSON.parse(text);
        expect(await readList(cut(text, size), same, most)).to.deep.equal(whole);
      }),
      { numRuns: 200 },
    );
  });

  it('is empty where the server writes null, and finds items behind spaces', async () => {
    expect(await readList(cut('{"items":null}', 3), same, most)).to.deep.equal({ items: [] });
    expect(await readList(cut('{ "items" : [ {"a" : "]}\\"{"} , {} ] }', 5), same, most)).to.deep.equal({
      items: [{ a: ']}"{' }, {}],
    });
  });

  it('stays without items where something else than a list was sent', async () => {
    for (const other of ['{"kind":"Status","metadata":{}}', '{"login":"required"}', 'null', '"text"'])
      expect(await readList(cut(other, 4), same, most)).to.deep.equal(JSON.parse(other));
  });

  it('keeps no item that was read: 200 items of 1 MB are kept as their names @all', async () => {
    const filler = 'x'.repeat(1 << 20);
    let alive = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('{"items":[');
      for (let index = 0; index < 200; index += 1) {
        // Each item was taken before the next one is made.
        expect(alive).to.equal(index);
        yield Buffer.from(`${index > 0 ? ',' : ''}${JSON.stringify({ name: `p${index}`, filler })}`);
      }
      yield Buffer.from(']}');
    }
    const trim = (item: unknown): unknown => {
      alive += 1;
      return (item as { readonly name: string }).name;
    };
    const before = keptBytes();
    const read = (await readList(endless(), trim, most * 4)) as { readonly items: readonly string[] };
    expect(read.items).to.have.length(200);
    // All of them would be 200 MB.
    expect((keptBytes() - before) / (1 << 20)).to.be.below(100);
  }).timeout(60_000);

  it('ends where it is longer than anybody may make it, cut or no JSON', async () => {
    const text = JSON.stringify({ items: [{ a: 1 }, { a: 2 }] });
    expect(await rejectionOf(readList(cut(text, 4), same, 10))).to.be.instanceOf(ListTooLarge);
    for (const wrong of [text.slice(0, -1), text.slice(0, -5), text.replace('1', '1,,'), '', 'nothing']) {
      expect(await rejectionOf(readList(cut(wrong, 4), same, most)), wrong).to.be.instanceOf(SyntaxError);
    }
  });

  it('may have more items than a call may have arguments', async () => {
    const items = Array.from({ length: 200_000 }, (_, index) => ({ metadata: { name: `p${index}` } }));
    class LongList extends KubeClient {
      override async request(): Promise<unknown> {
        return { metadata: { resourceVersion: '1' }, items };
      }
    }
    const client = new LongList(new PooledKubeConfig(), 'test');
    expect((await client.list(pods, {}, { paged: false })).items).to.have.length(items.length);
  });
});

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
      const trim = (object: KubeObject): KubeObject => object;
      for (const tried of [
        client.find(ref),
        client.merge(ref, {}),
        client.create(configMaps, aConfigMap(namespace, 'portal')),
        client.list(configMaps, { namespace }),
        client.list(configMaps, { namespace }, { paged: false, trim }),
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

const noon = Date.UTC(2026, 0, 1, 12);
const date = 'Thu, 01 Jan 2026 12:00:00 GMT';
const hourMs = 3_600_000;

describe('the API server’s clock', () => {
  let machine: { steadyMs: number; wallMs: number };
  let clock: ServerClock;

  beforeEach(() => {
    machine = { steadyMs: noon, wallMs: noon };
    clock = new ServerClock(
      () => machine.steadyMs,
      () => machine.wallMs,
    );
  });

  it('is known from the date of an answer, to about a second', () => {
    expect(clock.skewMs).to.equal(undefined);
    clock.see(date, noon + hourMs, noon + hourMs + 200);
    expect(clock.skewMs).to.equal(hourMs - 400);
    clock.see(date, noon - 60_000, noon - 60_000);
    expect(clock.skewMs).to.equal(-60_500);
  });

  it('is not learnt from an answer that took long, or has no date', () => {
    clock.see(date, noon, noon + 2_001);
    clock.see(undefined, noon, noon);
    clock.see('soon', noon, noon);
    clock.see(date, noon, noon - 1);
    expect(clock.skewMs).to.equal(undefined);
  });

  it('is still known at once when somebody sets the machine’s clock', () => {
    clock.see(date, noon, noon);
    machine.wallMs += hourMs;
    expect(clock.skewMs).to.equal(hourMs - 500);
    expect(clock.nowMs()).to.equal(noon);
  });

  it('is followed by a process that has the time wrong by seconds', () => {
    machine.steadyMs = noon + hourMs;
    expect(clock.nowMs()).to.equal(noon + hourMs);
    clock.see(date, noon + hourMs, noon + hourMs);
    expect(clock.nowMs()).to.equal(noon + 500);
    machine.steadyMs += 1000;
    expect(clock.nowMs()).to.equal(noon + 1500);
  });

  it('moves no process that has it about right: the dates of answers would make its time jump', () => {
    for (const aheadMs of [-4_000, 0, 900, 4_000]) {
      machine.steadyMs = noon + aheadMs;
      clock.see(date, machine.steadyMs, machine.steadyMs);
      expect(clock.nowMs()).to.equal(noon + aheadMs);
    }
  });
});
