import { ResourceEventType, type ResourceEvent } from '@dot-i/k8s-operator';
import { expect } from 'chai';
import { whenAborted } from '../../src/process/abort.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { ResilientOperator } from '../../src/kube/operator.ts';
import type { Reflector } from '../../src/kube/reflector.ts';
import { uniqueName, useSharedCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { settle } from '../process/fake-clock.ts';
import { RecordedLog } from '../process/recorded-log.ts';
import { connect } from './connection.ts';
import { failureOf, rejectionOf } from './failure.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { installWidgets, widgets, type Widget } from './widget.ts';

const finalizer = 'test.gpupartition.dev/cleanup';

/** An operator whose `init` and calls are a test's own. */
class TestOperator extends ResilientOperator {
  readonly events: ResourceEvent[] = [];
  readonly log: RecordedLog;
  readonly cleaned: string[] = [];
  setUp: () => Promise<void> = async () => undefined;
  handle: (event: ResourceEvent) => Promise<void> = async () => undefined;

  constructor(client: KubeClient) {
    const log = new RecordedLog();
    super(client, log);
    this.log = log;
  }

  protected override init(): Promise<void> {
    return this.setUp();
  }

  followWidgets(onChange?: (key: string) => void): Reflector<Widget> {
    return this.watch<Widget>({ resource: widgets, onChange: ({ key }) => onChange?.(key) });
  }

  watchWidgets(): Promise<void> {
    return this.watchResource(widgets.group, widgets.version, widgets.plural, async (event) => {
      this.events.push(event);
      await this.handle(event);
    });
  }

  get over(): AbortSignal {
    return this.ending;
  }

  queue(reconcile: (key: string, signal: AbortSignal) => Promise<void>): { add(key: string): void } {
    return this.createQueue({ reconcile });
  }

  report(event: ResourceEvent, status: unknown): Promise<unknown> {
    return this.patchResourceStatus(event.meta, status);
  }

  cleanUp(event: ResourceEvent): Promise<boolean> {
    return this.handleResourceFinalizer(event, finalizer, async ({ meta }) => {
      this.cleaned.push(meta.name);
    });
  }

  register(): Promise<unknown> {
    return this.registerCustomResourceDefinition('crds/widgets.yaml');
  }

  uri(namespace?: string): string {
    return this.getCustomResourceApiUri(widgets.group, widgets.version, widgets.plural, namespace);
  }

  /** What of the objects with this name was reported. */
  story(name: string): readonly string[] {
    return this.events.filter(({ meta }) => meta.name === name).map(({ type }) => type);
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
  const ref = (): { resource: typeof widgets; name: string } => ({ resource: widgets, name });

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

  it('calls the handler of a watch with what is there, what changes and what goes', async () => {
    await create();
    operator.setUp = () => operator.watchWidgets();
    await operator.start();
    await eventually(
      () => operator.story(name),
      (story) => story.length === 1,
    );
    await client.delete(ref());
    await eventually(
      () => operator.story(name),
      (story) => story.length === 2,
    );
    expect(operator.story(name)).to.deep.equal(['MODIFIED', 'DELETED']);
    const [event] = operator.events.filter(({ meta }) => meta.name === name);
    expect(event?.meta).to.deep.include({ id: 'widgets.test.gpupartition.dev/v1', kind: 'Widget' });
  });

  it('calls the handler again when it threw, with the newest state', async () => {
    let failures = 1;
    operator.handle = async ({ meta }) => {
      if (meta.name === name && failures-- > 0) throw new Error('not yet');
    };
    operator.setUp = () => operator.watchWidgets();
    await operator.start();
    await create();
    await eventually(
      () => operator.story(name),
      (story) => story.length === 2,
    );
    expect(operator.log.lines.filter(({ message }) => message === 'reconcile failed')).to.have.length(1);
  });

  it('continues after its connection was cut, where the base class ends the process', async () => {
    await using proxy = await FaultProxy.open(cluster());
    const proxied = connect(cluster(), { server: proxy.server });
    const cutOff = new TestOperator(proxied);
    cutOff.setUp = () => cutOff.watchWidgets();
    await cutOff.start();
    proxy.cut();
    await create();
    proxy.restore();
    await eventually(
      () => cutOff.story(name),
      (story) => story.length === 1,
    );
    await cutOff.stop();
    await proxied.config.close();
  });

  it('writes the status, and only the status, and throws when it cannot', async () => {
    operator.handle = async (event) => {
      if (event.meta.name === name && event.type !== ResourceEventType.Deleted)
        await operator.report(event, { phase: 'Ready' });
    };
    operator.setUp = () => operator.watchWidgets();
    await operator.start();
    await create();
    const written = await eventually(
      () => client.get<Widget>(ref()),
      ({ status }) => status !== undefined,
    );
    expect(written).to.deep.include({ status: { phase: 'Ready' }, spec: { size: 1 } });
    const [event] = operator.events.filter(({ meta }) => meta.name === name);
    await client.delete(ref());
    if (event === undefined) throw new Error('the event was reported before');
    expect((await failureOf(operator.report(event, { phase: 'Gone' }))).code).to.be.oneOf([404, 409]);
  });

  it('adds its finalizer, cleans up once on deletion, and lets the object go', async () => {
    operator.handle = async (event) => {
      if (event.meta.name === name) await operator.cleanUp(event);
    };
    operator.setUp = () => operator.watchWidgets();
    await operator.start();
    await client.create<Widget>(widgets, { metadata: { name, finalizers: ['other.dev/keep'] }, spec: { size: 1 } });
    await eventually(
      () => client.get<Widget>(ref()),
      ({ metadata }) => metadata.finalizers?.includes(finalizer) === true,
    );
    await client.delete(ref());
    const left = await eventually(
      () => client.get<Widget>(ref()),
      ({ metadata }) => metadata.finalizers?.includes(finalizer) === false,
    );
    expect(left.metadata.finalizers).to.deep.equal(['other.dev/keep']);
    await settle();
    expect(operator.cleaned).to.deep.equal([name]);
    await client.merge(ref(), { metadata: { finalizers: null } });
  });

  it('refuses to set finalizers from a version that is no longer the newest: it would drop those of others', async () => {
    operator.setUp = () => operator.watchWidgets();
    await operator.start();
    await create();
    await eventually(
      () => operator.story(name),
      (story) => story.length === 1,
    );
    const [event] = operator.events.filter(({ meta }) => meta.name === name);
    if (event === undefined) throw new Error('the event was reported before');
    await client.merge(ref(), { metadata: { finalizers: ['other.dev/keep'] } });
    expect((await failureOf(operator.cleanUp(event))).code).to.equal(409);
    await client.merge(ref(), { metadata: { finalizers: null } });
  });

  it('does not write CRDs and says what to do instead', async () => {
    const error = await rejectionOf(operator.register());
    expect(error).to.be.instanceOf(Error).with.property('message').that.contains('kubectl apply -f crds/widgets.yaml');
  });

  it('knows the address of its resources', () => {
    expect(operator.uri()).to.equal(`${cluster().server}/apis/test.gpupartition.dev/v1/widgets`);
    expect(operator.uri('a')).to.equal(`${cluster().server}/apis/test.gpupartition.dev/v1/namespaces/a/widgets`);
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
