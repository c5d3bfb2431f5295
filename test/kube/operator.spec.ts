import { expect } from 'chai';
import { whenAborted } from '../../src/process/clock.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { ResilientOperator, WarmWatch } from '../../src/kube/operator.ts';
import { Reflector } from '../../src/kube/reflector.ts';
import { uniqueName, useSharedCluster } from '../support/cluster.ts';
import { eventually, stays } from '../support/eventually.ts';
import { settle } from '../process/fake-clock.ts';
import { RecordedLog } from '../process/recorded-log.ts';
import { connect, aConfigMap, type ConfigMap, configMapRef, configMaps, makeNamespace } from './connection.ts';
import { rejectionOf } from './failure.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { installWidgets, widgets, type Widget } from './widget.ts';
import { silentLogger } from '../../src/process/log.ts';
import type { LineFault } from '../support/fault.ts';
import { quick } from './follower.ts';

/** An operator whose `init` and calls are a test's own. */
class TestOperator extends ResilientOperator {
  readonly client: KubeClient;
  readonly log: RecordedLog;
  setUp: () => Promise<void> = async () => undefined;

  constructor(client: KubeClient) {
    const log = new RecordedLog();
    super(log);
    this.client = client;
    this.log = log;
  }

  protected override init(): Promise<void> {
    return this.setUp();
  }

  followWidgets(onChange?: (key: string) => void): Reflector<Widget> {
    const parts = { client: this.client, logger: this.log, resource: widgets };
    return this.own(new Reflector<Widget>({ ...parts, onChange: ({ key }) => onChange?.(key) }).start());
  }

  watchByBase(): Promise<unknown> {
    return this.watchResource();
  }

  get over(): AbortSignal {
    return this.ending;
  }

  queue(reconcile: (key: string, signal: AbortSignal) => Promise<void>): { add(key: string): void } {
    return this.createQueue({ reconcile });
  }

  register(): Promise<unknown> {
    return this.registerCustomResourceDefinition('crds/widgets.yaml');
  }
}

describe('ResilientOperator', () => {
  const cluster = useSharedCluster();
  let client: KubeClient;
  let operator: TestOperator;
  let name: string;

  before(async () => {
    client = connect(cluster());
    await installWidgets(client);
  });
  after(() => client.config.close());
  beforeEach(() => {
    operator = new TestOperator(client);
    name = uniqueName('widget');
  });
  afterEach(() => operator.stop());

  const create = (): Promise<Widget> => client.create<Widget>(widgets, { metadata: { name }, spec: { size: 1 } });

  it('can be made although the environment names a kubeconfig that does not exist, and leaves the environment alone', () => {
    const before = process.env['KUBECONFIG'];
    process.env['KUBECONFIG'] = '/does/not/exist';
    const home = process.env['HOME'];
    try {
      expect(new TestOperator(client)).to.be.instanceOf(ResilientOperator);
      expect(process.env['KUBECONFIG']).to.equal('/does/not/exist');
      expect(process.env['HOME']).to.equal(home);
    } finally {
      if (before === undefined) delete process.env['KUBECONFIG'];
      else process.env['KUBECONFIG'] = before;
    }
  });

  it('fills the stores of its watches, tells of changes, and says when it is in sync', async () => {
    await create();
    const keys: string[] = [];
    let reflector: Reflector<Widget> | undefined;
    operator.setUp = async () => {
      reflector = operator.followWidgets((key) => keys.push(key));
    };
    await operator.start();
    await reflector?.waitForSync();
    expect(reflector?.store.get(name)?.spec).to.deep.equal({ size: 1 });
    expect(keys).to.include(name);
  });

  it('does not write CRDs and says what to do instead', async () => {
    const error = await rejectionOf(operator.register());
    expect(error).to.be.instanceOf(Error).with.property('message').that.contains('kubectl apply -f crds/widgets.yaml');
  });

  it('does not watch by its base class, whose watch may end the process, and says what to do instead', async () => {
    const error = await rejectionOf(operator.watchByBase());
    expect(error).to.be.instanceOf(Error).with.property('message').that.contains('own a Reflector');
  });

  it('stops what it had started when its set-up fails, and passes the error on', async () => {
    let reflector: Reflector<Widget> | undefined;
    operator.setUp = async () => {
      reflector = operator.followWidgets();
      await reflector.waitForSync();
      throw new Error('no permission');
    };
    expect(await rejectionOf(operator.start())).to.have.property('message', 'no permission');
    const eventsBefore = reflector?.counts.events;
    await create();
    expect(reflector?.counts.events).to.equal(eventsBefore);
    expect(reflector?.store.get(name)).to.equal(undefined);
  });

  it('waits for what is at work when it stops', async () => {
    let ended = false;
    const started = Promise.withResolvers<void>();
    const queue = operator.queue(async (_key, signal) => {
      started.resolve();
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      await settle();
      ended = true;
    });
    await operator.start();
    queue.add('a');
    await started.promise;
    await operator.stop();
    expect(ended).to.equal(true);
  });

  it('begins nothing more while it waits for what is at work', async () => {
    const worked: string[] = [];
    const first = operator.queue(async (key) => void worked.push(key));
    const started = Promise.withResolvers<void>();
    const second = operator.queue(async (_key, signal) => {
      started.resolve();
      await whenAborted(signal);
      first.add('late');
      await settle();
    });
    await operator.start();
    second.add('a');
    await started.promise;
    await operator.stop();
    expect(worked).to.deep.equal([]);
  });

  it('begins to work when its set-up is complete', async () => {
    const worked: string[] = [];
    operator.setUp = async () => {
      operator.queue(async (key) => void worked.push(key)).add('a');
      await settle();
      expect(worked).to.deep.equal([]);
    };
    await operator.start();
    await eventually(
      () => worked,
      (keys) => keys.length === 1,
    );
  });

  it('ends its set-up when it is stopped before the first list, and does none of the work that waits for it', async () => {
    await using proxy = await FaultProxy.open(cluster());
    proxy.rule = () => ({ drop: 'before' });
    const proxied = connect(cluster(), { server: proxy.server });
    const unanswered = new TestOperator(proxied);
    let worked = 0;
    unanswered.setUp = async () => {
      const watch = unanswered.followWidgets();
      unanswered.queue(async () => void (worked += 1)).add('a');
      await watch.waitForSync(unanswered.over);
    };
    const failure = rejectionOf(unanswered.start());
    await eventually(
      () => proxy.requests.length,
      (count) => count > 0,
    );
    await unanswered.stop();
    expect(await failure).to.have.property('message', 'the operator was stopped');
    expect(worked).to.equal(0);
    await proxied.config.close();
  });
});

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

  it('does not list versions if an event comes soon', async () => {
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
