import { expect } from 'chai';
import { connect as connectTcp, createServer, type AddressInfo } from 'node:net';
import type { KubeClient } from '../../src/kube/client.ts';
import { LeadershipLostError } from '../../src/kube/election.ts';
import { NotSentError } from '../../src/kube/send-guard.ts';
import type { Term } from '../../src/kube/term.ts';
import { useSharedCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { refusal } from '../support/fault.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { aConfigMap, configMapRef, configMaps, connect, makeNamespace } from './connection.ts';
import { rejectionOf } from './failure.ts';

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
