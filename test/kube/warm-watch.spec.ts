import { expect } from 'chai';
import type { KubeClient } from '../../src/kube/client.ts';
import { WarmWatch } from '../../src/kube/warm-watch.ts';
import { silentLogger } from '../../src/process/logger.ts';
import { useSharedCluster } from '../support/cluster.ts';
import { eventually, stays } from '../support/eventually.ts';
import type { LineFault } from '../support/fault.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { aConfigMap, type ConfigMap, configMapRef, configMaps, connect, makeNamespace } from './connection.ts';
import { rejectionOf } from './failure.ts';
import { quick } from './follower.ts';

/** A warm watch whose reader keeps what it is told. */
class Reader implements AsyncDisposable {
  readonly watch: WarmWatch<ConfigMap>;
  readonly story: string[] = [];

  constructor(client: KubeClient, namespace: string) {
    const fieldSelector = 'metadata.name!=kube-root-ca.crt';
    const options = { client, resource: configMaps, namespace, fieldSelector, logger: silentLogger, timing: quick };
    this.watch = new WarmWatch<ConfigMap>(options).start();
  }

  attach(): () => void {
    return this.watch.attach({
      onChange: ({ type, object }) => this.story.push(`${type} ${object.metadata.name} ${object.data?.['x'] ?? ''}`),
    });
  }

  get(key: string): string | undefined {
    return this.watch.store.get(key)?.data?.['x'];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.watch.stop();
  }
}

describe('WarmWatch', () => {
  const cluster = useSharedCluster();
  let admin: KubeClient;
  let namespace: string;
  let proxy: FaultProxy;
  let client: KubeClient;

  before(() => {
    admin = connect(cluster());
  });
  after(() => admin.config.close());
  beforeEach(async () => {
    namespace = await makeNamespace(admin);
    proxy = await FaultProxy.open(cluster());
    client = connect(cluster(), { server: proxy.server });
  });
  afterEach(async () => {
    await client.config.close();
    await proxy[Symbol.asyncDispose]();
  });

  const soon = (): AbortSignal => AbortSignal.timeout(30_000);
  const create = (name: string, x: string): Promise<unknown> =>
    admin.create(configMaps, aConfigMap(namespace, name, { x }));
  const set = (name: string, x: string): Promise<unknown> =>
    admin.merge(configMapRef(namespace, name), { data: { x } });
  const remove = (name: string): Promise<unknown> => admin.delete(configMapRef(namespace, name));
  const listsOfVersions = (): number =>
    proxy.requests.filter(({ verb, query }) => verb === 'list' && query.get('limit') === null).length;
  const key = (name: string): string => `${namespace}/${name}`;

  /** Holds back events of watches until it is opened. */
  function holdEvents(): { readonly held: readonly string[]; open(): void; block(): void } {
    const held: string[] = [];
    let isOpen = true;
    const lines: LineFault = (line) => {
      if (isOpen || line === '') return { send: [...held.splice(0), line] };
      held.push(line);
      return { send: [] };
    };
    proxy.rule = ({ verb }) => (verb === 'watch' ? { lines } : undefined);
    return {
      held,
      open: () => {
        isOpen = true;
      },
      block: () => {
        isOpen = false;
      },
    };
  }

  it('reports everything that it knows to a new reader, then changes, and nothing once the reader has ended', async () => {
    await create('a', '1');
    await using reader = new Reader(client, namespace);
    await reader.watch.catchUp(client, soon());
    expect(reader.story).to.deep.equal([]);
    await set('a', '2');
    await eventually(
      () => reader.get(key('a')),
      (x) => x === '2',
    );
    const detach = reader.attach();
    expect(reader.story).to.deep.equal(['apply a 2']);
    await create('b', '1');
    await eventually(
      () => reader.story,
      (story) => story.length === 2,
    );
    detach();
    await remove('b');
    await eventually(
      () => reader.watch.store.size,
      (size) => size === 1,
    );
    expect(reader.story).to.deep.equal(['apply a 2', 'apply b 1']);
    reader.attach();
    expect(reader.story.slice(2)).to.deep.equal(['apply a 2']);
  });

  it('has caught up without an event if it has everything already, even if nothing is there', async () => {
    await using empty = new Reader(client, namespace);
    await empty.watch.catchUp(client, soon());
    await create('a', '1');
    await using full = new Reader(client, namespace);
    await full.watch.catchUp(client, soon());
    // Events of other resources and namespaces move the version of the list, but no event of this watch.
    await makeNamespace(admin);
    await full.watch.catchUp(client, soon());
    expect(full.watch.counts.lists).to.equal(1);
  });

  for (const [what, write, isSeen] of [
    ['changed', () => set('a', '2'), (reader: Reader) => reader.get(key('a')) === '2'],
    ['created', () => create('b', '2'), (reader: Reader) => reader.get(key('b')) === '2'],
    ['deleted', () => remove('a'), (reader: Reader) => reader.get(key('a')) === undefined],
    [
      'replaced',
      async () => {
        await remove('a');
        await create('a', '2');
      },
      (reader: Reader) => reader.get(key('a')) === '2',
    ],
  ] as const) {
    it(`has not caught up before its watch has brought what was ${what} before it was asked`, async () => {
      const events = holdEvents();
      await create('a', '1');
      await using reader = new Reader(client, namespace);
      await reader.watch.catchUp(client, soon());
      events.block();
      await write();
      let isCurrent = false;
      const seenAtEnd = reader.watch.catchUp(client, soon()).then(() => {
        isCurrent = true;
        return isSeen(reader);
      });
      await eventually(listsOfVersions, (lists) => lists === 1);
      await eventually(
        () => events.held.length,
        (count) => count > 0,
      );
      await stays(
        () => isCurrent,
        (is) => !is,
        { forMs: 300, intervalMs: 20 },
      );
      events.open();
      // What was held back comes with the next line.
      await create('z', '1');
      expect(await seenAtEnd).to.equal(true);
    });
  }

  it('needs no list of versions where an event comes soon', async () => {
    await create('a', '1');
    await using reader = new Reader(client, namespace);
    // An event may be late on a busy machine.
    let at = 1;
    await eventually(
      async () => {
        const before = listsOfVersions();
        at += 1;
        const current = reader.watch.catchUp(client, soon());
        await Promise.all([set('a', String(at)), set('a', `${at} again`), current]);
        return listsOfVersions() - before;
      },
      (lists) => lists === 0,
      { timeoutMs: 30_000, what: 'catching up with events alone' },
    );
  });

  it('begins again with a list when its watch stays behind', async () => {
    const events = holdEvents();
    await create('a', '1');
    await using reader = new Reader(client, namespace);
    await reader.watch.catchUp(client, soon());
    events.block();
    await set('a', '2');
    await eventually(
      () => events.held.length,
      (count) => count > 0,
    );
    const watches = (): number => proxy.requests.filter(({ verb }) => verb === 'watch').length;
    const before = watches();
    const current = reader.watch.catchUp(client, soon());
    await eventually(watches, (count) => count > before, { timeoutMs: 20_000, what: 'another watch' });
    expect(events.held.length).to.be.above(0);
    proxy.rule = () => undefined;
    events.open();
    await current;
    expect(reader.get(key('a'))).to.equal('2');
    expect(reader.watch.counts.lists).to.be.above(1);
  });

  it('gives up when its caller does', async () => {
    const events = holdEvents();
    await using reader = new Reader(client, namespace);
    await reader.watch.catchUp(client, soon());
    events.block();
    await create('a', '1');
    const caller = new AbortController();
    const failure = rejectionOf(reader.watch.catchUp(client, caller.signal));
    await eventually(
      () => events.held.length,
      (count) => count > 0,
    );
    caller.abort(new Error('the term is over'));
    expect(await failure).to.have.property('message', 'the term is over');
  });
});
