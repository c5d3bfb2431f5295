import { expect } from 'chai';
import { whenAborted } from '../../src/process/abort.ts';
import type { KubeClient } from '../../src/kube/client.ts';
import { ResilientOperator } from '../../src/kube/operator.ts';
import { Reflector } from '../../src/kube/reflector.ts';
import { uniqueName, useSharedCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { settle } from '../process/fake-clock.ts';
import { RecordedLog } from '../process/recorded-log.ts';
import { connect } from './connection.ts';
import { rejectionOf } from './failure.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { installWidgets, widgets, type Widget } from './widget.ts';

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
