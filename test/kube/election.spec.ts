import { expect } from 'chai';
import { KubeClient } from '../../src/kube/client.ts';
import {
  LeadershipLostError,
  runElected,
  type ElectionTiming,
  type Term,
  type Lease as LeaseOfLease,
  LeaseLock,
} from '../../src/kube/election.ts';
import { useSharedCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { RecordedLog } from '../process/recorded-log.ts';
import { connect, makeNamespace, aConfigMap, configMapRef, configMaps } from './connection.ts';
import { rejectionOf } from './failure.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import type { KubeObject, Resource, ObjectRef } from '../../src/kube/watch.ts';
import { systemClock } from '../../src/process/clock.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';
import { FakeClock } from '../process/fake-clock.ts';
import { connect as connectTcp, createServer, type AddressInfo } from 'node:net';
import { NotSentError } from '../../src/kube/request.ts';
import { refusal } from '../support/fault.ts';

interface Lease extends KubeObject {
  readonly spec: { readonly holderIdentity: string; readonly leaseTransitions: number; readonly renewTime: string };
}

const leases: Resource = { group: 'coordination.k8s.io', version: 'v1', plural: 'leases', kind: 'Lease' };
/** On a busy machine too, nobody loses this lease who renews it. */
const lasting: ElectionTiming = { leaseMs: 60_000, renewMs: 40_000, retryMs: 100 };
const soonLost: ElectionTiming = { leaseMs: 4_000, renewMs: 3_000, retryMs: 100 };

describe('runElected', () => {
  const cluster = useSharedCluster();
  let client: KubeClient;
  let namespace: string;
  let leading: Set<string>;
  let overlaps: number;
  let stop: AbortController;
  let log: RecordedLog;

  before(() => {
    client = connect(cluster());
  });
  after(() => client.config.close());
  beforeEach(async () => {
    namespace = await makeNamespace(client);
    leading = new Set();
    overlaps = 0;
    stop = new AbortController();
    log = new RecordedLog();
  });
  afterEach(() => stop.abort());

  /** Leads until its term ends, under the eyes of the test. */
  const leadUntilEnd =
    (identity: string) =>
    async ({ signal }: Term): Promise<void> => {
      if (leading.size > 0) overlaps += 1;
      leading.add(identity);
      await new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve());
      });
      leading.delete(identity);
    };
  const stand = (
    identity: string,
    options: {
      client?: KubeClient;
      lead?: (term: Term) => Promise<void>;
      signal?: AbortSignal;
      clock?: typeof systemClock;
      timing?: ElectionTiming;
    } = {},
  ): Promise<void> => {
    const { lead = leadUntilEnd(identity), signal = stop.signal, ...own } = options;
    const common = { client, timing: lasting, clock: systemClock };
    return runElected({ ...common, ...own, logger: log, namespace, name: 'l', identity }, lead, signal);
  };
  const leads = (identity: string): Promise<unknown> =>
    eventually(
      () => [...leading],
      (seen) => seen.includes(identity),
      { what: 'the leaders' },
    );
  const readLease = (): Promise<Lease> => client.get<Lease>({ resource: leases, namespace, name: 'l' });

  it('lets one of two lead, and the other at once when the first stops', async () => {
    const stopFirst = new AbortController();
    const first = stand('first', { signal: stopFirst.signal });
    await leads('first');
    const second = stand('second');
    const before = (await readLease()).spec.renewTime;
    await eventually(
      async () => (await readLease()).spec.renewTime,
      (renewTime) => renewTime !== before,
    );
    expect([...leading]).to.deep.equal(['first']);
    stopFirst.abort();
    await first;
    const releasedAt = performance.now();
    await leads('second');
    expect(performance.now() - releasedAt).to.be.below(lasting.leaseMs / 2);
    expect((await readLease()).spec).to.deep.include({ holderIdentity: 'second', leaseTransitions: 1 });
    stop.abort();
    await second;
    expect((await readLease()).spec.holderIdentity).to.equal('');
    expect(overlaps).to.equal(0);
  });

  it('ends a leader that cannot renew before another takes over', async () => {
    await using proxy = await FaultProxy.open(cluster());
    const cutOff = connect(cluster(), { server: proxy.server });
    const first = rejectionOf(stand('first', { client: cutOff, timing: soonLost }));
    await leads('first');
    const second = stand('second');
    proxy.freeze();
    expect(await first).to.be.instanceOf(LeadershipLostError);
    expect(leading.has('first')).to.equal(false);
    await leads('second');
    expect(overlaps).to.equal(0);
    stop.abort();
    await second;
    await cutOff.config.close();
  });

  it('says so when the work of a lost term does not end: the process must', async () => {
    await using proxy = await FaultProxy.open(cluster());
    const cutOff = connect(cluster(), { server: proxy.server });
    const started = Promise.withResolvers<void>();
    const stubborn = async (): Promise<void> => {
      started.resolve();
      await new Promise(() => undefined);
    };
    const lost = rejectionOf(stand('first', { client: cutOff, lead: stubborn, timing: soonLost }));
    await started.promise;
    proxy.cut();
    expect(await lost)
      .to.be.instanceOf(LeadershipLostError)
      .with.property('message')
      .that.contains('did not end');
    await cutOff.config.close();
  });

  it('fences a leader whose process was stalled, before its timers tell', async () => {
    let stalledMs = 0;
    const clock = {
      ...systemClock,
      monotonicMs: () => systemClock.monotonicMs() + stalledMs,
    };
    let fenced: unknown;
    const lead = async (term: Term): Promise<void> => {
      term.requireLeadership();
      stalledMs = lasting.leaseMs;
      try {
        term.requireLeadership();
      } catch (error) {
        fenced = error;
      }
    };
    await stand('first', { lead, clock });
    expect(fenced).to.be.instanceOf(LeadershipLostError);
  });

  it('keeps the lease while the work winds down after the signal', async () => {
    let holder = '';
    const lead = async ({ signal }: Term): Promise<void> => {
      leading.add('first');
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      const before = (await readLease()).spec.renewTime;
      const after = await eventually(readLease, ({ spec }) => spec.renewTime !== before);
      holder = after.spec.holderIdentity;
    };
    const run = stand('first', { lead });
    await leads('first');
    stop.abort();
    await run;
    expect(holder).to.equal('first');
    expect((await readLease()).spec.holderIdentity).to.equal('');
  });

  const slow = { delay: 'before', ms: 300 } as const;
  for (const [when, method, fault] of [
    ['while it takes the lease', 'POST', slow],
    ['while it renews the lease', 'PUT', slow],
    ['and the answer to its taking the lease is lost', 'POST', { reset: 'after' }],
    ['and the answer to its renewal is lost', 'PUT', { reset: 'after' }],
  ] as const) {
    it(`gives back the lease when it is told to stop ${when}`, async () => {
      await using proxy = await FaultProxy.open(cluster());
      const faulty = connect(cluster(), { server: proxy.server });
      proxy.rule = (request) => {
        if (request.method !== method || stop.signal.aborted) return undefined;
        stop.abort();
        return fault;
      };
      await stand('first', { client: faulty });
      expect((await readLease()).spec.holderIdentity).to.equal('');
      await faulty.config.close();
    });
  }

  const busy = { kind: 'Status', code: 503, reason: 'ServiceUnavailable', message: 'starting' };
  for (const [what, fault] of [
    ['is refused for the moment', { status: 503, body: busy }],
    ['is not answered', { reset: 'after' }],
  ] as const) {
    it(`gives back the lease with another request if the first ${what}`, async () => {
      await using proxy = await FaultProxy.open(cluster());
      const faulty = connect(cluster(), { server: proxy.server });
      let faults = 0;
      const lead = async (): Promise<void> => {
        proxy.rule = ({ method }) => (method === 'PUT' && faults++ === 0 ? fault : undefined);
      };
      await stand('first', { client: faulty, lead });
      expect((await readLease()).spec.holderIdentity).to.equal('');
      expect(faults).to.be.at.least(1);
      expect(log.lines.filter(({ level }) => level === 'warn')).to.deep.equal([]);
      await faulty.config.close();
    });
  }

  it('gives back the lease that somebody has touched since its last renewal', async () => {
    const lead = async (): Promise<void> => {
      await client.merge({ resource: leases, namespace, name: 'l' }, { metadata: { labels: { touched: 'yes' } } });
    };
    await stand('first', { lead });
    expect((await readLease()).spec.holderIdentity).to.equal('');
  });

  it('gives the lease back and passes the error on when the work fails', async () => {
    const failing = async (): Promise<void> => {
      throw new Error('cannot lead');
    };
    expect(await rejectionOf(stand('first', { lead: failing }))).to.have.property('message', 'cannot lead');
    expect((await readLease()).spec.holderIdentity).to.equal('');
  });

  it('takes a lease that has run out, but watches it for its whole duration first', async () => {
    const spec = { holderIdentity: 'dead', leaseDurationSeconds: 1, renewTime: '2020-01-01T00:00:00.000000Z' };
    await client.create<KubeObject & { spec: object }>(leases, { metadata: { namespace, name: 'l' }, spec });
    const startedAt = performance.now();
    const run = stand('first');
    await leads('first');
    expect(performance.now() - startedAt).to.be.at.least(1_000);
    stop.abort();
    await run;
  });

  it('keeps leading when one answer is lost and when others write the lease', async () => {
    await using proxy = await FaultProxy.open(cluster());
    const lossy = connect(cluster(), { server: proxy.server });
    const run = stand('first', { client: lossy });
    await leads('first');
    let lost = 0;
    proxy.rule = ({ method }) => (method === 'PUT' && lost++ === 0 ? { reset: 'after' } : undefined);
    await eventually(
      () => lost,
      (seen) => seen > 0,
    );
    await client.merge({ resource: leases, namespace, name: 'l' }, { metadata: { labels: { touched: 'yes' } } });
    const before = (await readLease()).spec.renewTime;
    await eventually(readLease, ({ spec }) => spec.renewTime !== before);
    expect([...leading]).to.deep.equal(['first']);
    expect((await readLease()).spec.leaseTransitions).to.equal(0);
    stop.abort();
    await run;
    await lossy.config.close();
  });

  it('stops standing when it is told to', async () => {
    const first = stand('first');
    await leads('first');
    const stopSecond = new AbortController();
    const second = stand('second', { signal: stopSecond.signal });
    stopSecond.abort();
    await second;
    expect([...leading]).to.deep.equal(['first']);
    stop.abort();
    await first;
  });

  it('never has two leaders, with five candidates that come and go', async () => {
    let terms = 0;
    const lead = (identity: string) => async (): Promise<void> => {
      if (leading.size > 0) overlaps += 1;
      leading.add(identity);
      terms += 1;
      await new Promise((resolve) => setTimeout(resolve, 30));
      leading.delete(identity);
    };
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map((identity) => stand(identity, { lead: lead(identity) })));
    expect(terms).to.equal(5);
    expect(overlaps).to.equal(0);
  });
});

/** An API server with a Lease of a leader that has died. */
class Server extends KubeClient {
  lease: LeaseOfLease = {
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

/** A term that a test ends; its signal stays silent, as with a process whose timers have not fired yet. */
class TestTerm implements Term {
  readonly signal = new AbortController().signal;
  isOver = false;

  requireLeadership(): void {
    if (this.isOver) throw new LeadershipLostError('the lease was not renewed');
  }
}

describe('a client of a term', () => {
  const cluster = useSharedCluster();
  let admin: KubeClient;
  let namespace: string;
  let proxy: FaultProxy;
  let client: KubeClient;
  let term: TestTerm;

  before(async () => {
    admin = connect(cluster());
    namespace = await makeNamespace(admin);
  });
  after(() => admin.config.close());
  beforeEach(async () => {
    term = new TestTerm();
    proxy = await FaultProxy.open(cluster());
    client = connect(cluster(), { server: proxy.server, term });
  });
  afterEach(async () => {
    await client.config.close();
    await proxy[Symbol.asyncDispose]();
  });

  it('writes and reads while it lasts, and sends nothing after it', async () => {
    await client.create(configMaps, aConfigMap(namespace, 'a'));
    expect((await client.list(configMaps, { namespace })).items).not.to.have.length(0);
    term.isOver = true;
    const sent = proxy.requests.length;
    const calls = {
      create: () => client.create(configMaps, aConfigMap(namespace, 'b')),
      apply: () => client.applyStatus(configMapRef(namespace, 'a'), {}),
      merge: () => client.merge(configMapRef(namespace, 'a'), {}),
      delete: () => client.delete(configMapRef(namespace, 'a')),
      get: () => client.get(configMapRef(namespace, 'a')),
      list: () => client.list(configMaps, { namespace }),
    };
    for (const [name, call] of Object.entries(calls)) {
      const error = await rejectionOf(call());
      expect(error, name).to.be.instanceOf(NotSentError);
      expect(error, name).to.have.property('cause').that.is.instanceOf(LeadershipLostError);
      expect(error, name).to.have.property('message').that.contains('not sent: the lease was not renewed');
    }
    expect(proxy.requests).to.have.length(sent);
  });

  it('does not repeat what was refused when the term ended meanwhile', async () => {
    proxy.rule = () => {
      term.isOver = true;
      return refusal(503, 'ServiceUnavailable');
    };
    expect(await rejectionOf(client.merge(configMapRef(namespace, 'a'), {}))).to.be.instanceOf(NotSentError);
    expect(proxy.requests).to.have.length(1);
  });

  it('holds a request back that was still waiting for its connection when the term ended', async () => {
    const isAllowed = Promise.withResolvers<void>();
    const { port } = new URL(proxy.server);
    let waiting = 0;
    const slow = createServer((socket) => {
      waiting += 1;
      void isAllowed.promise.then(() => socket.pipe(connectTcp(Number(port), '127.0.0.1')).pipe(socket));
    });
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    const server = `https://127.0.0.1:${(slow.address() as AddressInfo).port}`;
    const late = connect(cluster(), { server, term });
    const failure = rejectionOf(late.merge(configMapRef(namespace, 'a'), {}));
    await eventually(
      () => waiting,
      (count) => count === 1,
    );
    term.isOver = true;
    isAllowed.resolve();
    expect(await failure).to.be.instanceOf(NotSentError);
    expect(proxy.requests).to.have.length(0);
    await late.config.close();
    slow.close();
  });
});
