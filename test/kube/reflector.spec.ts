import { expect } from 'chai';
import type { KubeClient } from '../../src/kube/client.ts';
import { useSharedCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { aConfigMap, configMapRef, configMaps, connect, makeNamespace } from './connection.ts';
import { rejectionOf } from './failure.ts';
import { Follower } from './follower.ts';

describe('Reflector', () => {
  const cluster = useSharedCluster();
  let client: KubeClient;
  let namespace: string;

  before(() => {
    client = connect(cluster());
  });
  after(() => client.config.close());
  beforeEach(async () => {
    namespace = await makeNamespace(client);
  });

  const create = (name: string, data = {}): Promise<unknown> =>
    client.create(configMaps, aConfigMap(namespace, name, data));
  const remove = (name: string): Promise<unknown> => client.delete(configMapRef(namespace, name));

  it('has what was there when it says that it is in sync, and follows from then on', async () => {
    await create('a');
    await using follower = new Follower(client, namespace);
    expect(follower.reflector.synced).to.equal(false);
    await follower.reflector.waitForSync();
    expect(follower.names).to.deep.equal(['a']);
    await create('b');
    await client.merge(configMapRef(namespace, 'a'), { data: { x: '1' } });
    await remove('b');
    await follower.holds('a');
    await eventually(
      () => follower.story,
      (story) => story.length === 4,
    );
    expect(follower.story).to.deep.equal(['apply a', 'apply b', 'apply a', 'delete b']);
    expect(follower.reflector.store.get(`${namespace}/a`)?.data).to.deep.equal({ x: '1' });
    expect(follower.reflector.counts).to.deep.include({ lists: 1, reconnects: 0, failures: 0, handlerErrors: 0 });
  });

  it('is in sync with nothing where there is nothing', async () => {
    await using follower = new Follower(client, namespace);
    await follower.reflector.waitForSync(AbortSignal.timeout(5_000));
    expect(follower.names).to.deep.equal([]);
  });

  it('gives up waiting for the sync when its caller does', async () => {
    await using follower = new Follower(connect(cluster(), { server: 'https://127.0.0.1:1' }), namespace);
    const reason = await rejectionOf(follower.reflector.waitForSync(AbortSignal.timeout(50)));
    expect(reason).to.have.property('name', 'TimeoutError');
    expect(follower.reflector.synced).to.equal(false);
  });

  it('continues when a handler throws, and says so', async () => {
    await using follower = new Follower(client, namespace, {
      onChange: ({ object }) => {
        if (object.metadata.name === 'bad') throw new Error('cannot stand it');
      },
    });
    await follower.reflector.waitForSync();
    await create('bad');
    await create('good');
    await follower.holds('bad', 'good');
    expect(follower.reflector.counts.handlerErrors).to.equal(1);
    expect(follower.log.lines.find(({ level }) => level === 'error')?.fields).to.deep.include({
      key: `${namespace}/bad`,
    });
  });

  it('keeps only what is left after stripping, from lists and events alike', async () => {
    await create('listed', { x: '1' });
    await using follower = new Follower(client, namespace, {
      trim: ({ metadata: { name, uid, resourceVersion } }) => ({
        metadata: { name, namespace, ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) },
      }),
    });
    await follower.reflector.waitForSync();
    await create('watched', { x: '1' });
    await follower.holds('listed', 'watched');
    for (const object of follower.reflector.store.list()) expect(object).to.have.all.keys('metadata');
  });

  it('keeps an object whole when stripping it fails: a store must not lose objects', async () => {
    await using follower = new Follower(client, namespace, {
      trim: () => {
        throw new Error('cannot trim');
      },
    });
    await follower.reflector.waitForSync();
    await create('a', { x: '1' });
    await follower.holds('a');
    expect(follower.reflector.store.get(`${namespace}/a`)?.data).to.deep.equal({ x: '1' });
    expect(follower.reflector.counts.handlerErrors).to.be.at.least(1);
  });

  it('takes an object that no longer matches the selector as deleted', async () => {
    await using follower = new Follower(client, namespace, { labelSelector: 'wanted=yes' });
    await follower.reflector.waitForSync();
    await client.create(configMaps, { metadata: { namespace, name: 'a', labels: { wanted: 'yes' } } });
    await follower.holds('a');
    await client.merge(configMapRef(namespace, 'a'), { metadata: { labels: { wanted: 'no' } } });
    await follower.holds();
    expect(follower.story).to.deep.equal(['apply a', 'delete a']);
  });

  it('lists again from time to time, and reports nothing when nothing was missed', async () => {
    await create('a');
    await using follower = new Follower(client, namespace, { timing: { relistMs: 60, idleMs: 100 } });
    await eventually(
      () => follower.reflector.counts.lists,
      (lists) => lists >= 4,
    );
    expect(follower.names).to.deep.equal(['a']);
    expect(follower.story).to.deep.equal(['apply a']);
  });

  it('reports nothing after it has stopped', async () => {
    await using follower = new Follower(client, namespace);
    await follower.reflector.waitForSync();
    await follower.reflector.stop();
    await create('a');
    await using witness = new Follower(client, namespace);
    await witness.holds('a');
    expect(follower.story).to.deep.equal([]);
  });
});
