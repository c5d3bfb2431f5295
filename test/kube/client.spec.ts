import { expect } from 'chai';
import type { KubeClient } from '../../src/kube/client.ts';
import type { KubeObject, Resource } from '../../src/kube/watch.ts';
import { type ControlPlane, createNamespace, uniqueName, useSharedCluster } from '../support/cluster.ts';
import { aConfigMap, configMapRef, configMaps, connect, makeNamespace, type ConfigMap } from './connection.ts';
import { failureOf } from './failure.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { installWidgets, widgets, type Widget } from './widget.ts';

const nodes: Resource = { group: '', version: 'v1', plural: 'nodes', kind: 'Node' };

describe('KubeClient', () => {
  const cluster = useSharedCluster();
  let client: KubeClient;
  let namespace: string;

  before(async () => {
    client = connect(cluster());
    namespace = await makeNamespace(client);
    await installWidgets(client);
  });
  after(() => client.config.close());

  it('creates, reads and deletes an object', async () => {
    const ref = configMapRef(namespace, 'a');
    const created = await client.create(configMaps, aConfigMap(namespace, 'a', { x: '1' }));
    expect(await client.get<ConfigMap>(ref)).to.deep.equal(created);
    expect(await client.delete(ref)).to.equal(true);
    expect(await client.delete(ref)).to.equal(false);
    expect(await client.find(ref)).to.equal(undefined);
    expect(await failureOf(client.get(ref))).to.deep.include({ code: 404, reason: 'NotFound' });
  });

  it('says AlreadyExists for a name that is taken', async () => {
    await client.create(configMaps, aConfigMap(namespace, 'taken'));
    const error = await failureOf(client.create(configMaps, aConfigMap(namespace, 'taken')));
    expect(error).to.deep.include({ code: 409, reason: 'AlreadyExists' });
  });

  it('merges a patch and refuses one for a version that is no longer the newest', async () => {
    const ref = configMapRef(namespace, 'merged');
    const { metadata } = await client.create(configMaps, aConfigMap(namespace, 'merged', { x: '1', y: '1' }));
    const merged = await client.merge<ConfigMap>(ref, { data: { x: '2', y: null } });
    expect(merged.data).to.deep.equal({ x: '2' });
    const stale = { metadata: { resourceVersion: metadata.resourceVersion }, data: { x: '3' } };
    expect(await failureOf(client.merge(ref, stale))).to.deep.include({ code: 409, reason: 'Conflict' });
  });

  it('does all operations of a JSON patch or none', async () => {
    const ref = configMapRef(namespace, 'patched');
    await client.create(configMaps, aConfigMap(namespace, 'patched', { x: '1' }));
    const error = await failureOf(
      client.patch(ref, [
        { op: 'add', path: '/data/y', value: '1' },
        { op: 'test', path: '/data/x', value: 'other' },
      ]),
    );
    expect(error.code).to.equal(422);
    const patched = await client.patch<ConfigMap>(ref, [{ op: 'replace', path: '/data/x', value: '2' }]);
    expect(patched.data).to.deep.equal({ x: '2' });
  });

  it('applies exactly its own fields: what it leaves out goes, what others own stays', async () => {
    const ref = configMapRef(namespace, 'applied');
    await client.apply(ref, { data: { mine: '1', also: '1' } });
    await client.apply(ref, { data: { theirs: '1' } }, { fieldManager: 'other' });
    const after = await client.apply<ConfigMap>(ref, { data: { mine: '2' } });
    expect(after.data).to.deep.equal({ mine: '2', theirs: '1' });
  });

  it('names the field and its owner when an apply meets another manager, and takes the field by force', async () => {
    const ref = configMapRef(namespace, 'contested');
    await client.apply(ref, { data: { x: '1' } }, { fieldManager: 'other' });
    const error = await failureOf(client.apply(ref, { data: { x: '2' } }));
    expect(error).to.deep.include({ code: 409, reason: 'Conflict' });
    expect(error.hasCause('FieldManagerConflict')).to.equal(true);
    expect(error.message).to.match(/"other".*\.data\.x/);
    expect((await client.apply<ConfigMap>(ref, { data: { x: '2' } }, { force: true })).data).to.deep.equal({ x: '2' });
  });

  it('writes the status apart from the rest, and each manager its own part of it', async () => {
    const name = uniqueName('widget');
    const ref = { resource: widgets, name };
    await client.create<Widget>(widgets, { metadata: { name }, spec: { size: 1 }, status: { phase: 'Ignored' } });
    expect(await client.get<Widget>(ref)).not.to.have.property('status');
    await client.applyStatus<Widget>(ref, { phase: 'Ready' });
    const both = await client.applyStatus<Widget>(ref, { note: 'n' }, { fieldManager: 'other' });
    expect(both.status).to.deep.equal({ phase: 'Ready', note: 'n' });
    expect(both.spec).to.deep.equal({ size: 1 });
  });

  it('writes no status of an object to another one that has its name by now', async () => {
    const name = uniqueName('widget');
    const ref = { resource: widgets, name };
    const create = async (size: number): Promise<string | undefined> =>
      (await client.create<Widget>(widgets, { metadata: { name }, spec: { size } })).metadata.resourceVersion;
    const resourceVersion = await create(1);
    await client.delete(ref);
    await create(2);
    const error = await failureOf(client.applyStatus(ref, { phase: 'Ready' }, { resourceVersion }));
    expect(error).to.deep.include({ code: 409, reason: 'Conflict' });
    expect(await client.get<Widget>(ref)).not.to.have.property('status');
  });

  it('keeps fields of newer API versions, which a typed model would drop', async () => {
    const name = uniqueName('widget');
    const future = { size: 1, future: { deep: ['x'] } };
    await client.create<Widget>(widgets, { metadata: { name }, spec: future });
    const read = await client.get<Widget>({ resource: widgets, name });
    expect(read.spec).to.deep.equal(future);
    const written = await client.replace({ resource: widgets, name }, read);
    expect(written.spec).to.deep.equal(future);
  });

  it('gets no more than metadata back from a patch of a Node when it requests no more', async () => {
    const name = uniqueName('node');
    await client.create(nodes, { metadata: { name } });
    const patch = { metadata: { labels: { a: 'b' } } };
    const answer = await client.merge({ resource: nodes, name }, patch, { metadataOnly: true });
    expect(answer.kind).to.equal('PartialObjectMetadata');
    expect(answer.metadata.labels).to.deep.include({ a: 'b' });
    expect(answer).not.to.have.any.keys('spec', 'status');
    await client.delete({ resource: nodes, name });
  });

  it('changes nothing in a dry run', async () => {
    await client.create(configMaps, aConfigMap(namespace, 'dry'), { dryRun: true });
    expect(await client.find(configMapRef(namespace, 'dry'))).to.equal(undefined);
  });

  it('deletes only the object that was meant', async () => {
    await client.create(configMaps, aConfigMap(namespace, 'meant'));
    const ref = configMapRef(namespace, 'meant');
    const error = await failureOf(client.delete(ref, { preconditions: { uid: 'another' } }));
    expect(error.code).to.equal(409);
    expect(await client.find(ref)).not.to.equal(undefined);
  });

  describe('lists', () => {
    let listed: string;

    before(async () => {
      listed = await makeNamespace(client);
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        const metadata = { namespace: listed, name, labels: { part: name < 'c' ? 'first' : 'rest' } };
        await client.create<KubeObject>(configMaps, { metadata });
      }
    });

    it('puts the pages together, with apiVersion and kind on each object', async () => {
      const selection = { namespace: listed, labelSelector: 'part' };
      const { items, resourceVersion } = await client.list<ConfigMap>(configMaps, selection, { pageSize: 2 });
      expect(items.map(({ metadata }) => metadata.name)).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
      expect(items.every(({ kind, apiVersion }) => kind === 'ConfigMap' && apiVersion === 'v1')).to.equal(true);
      expect(resourceVersion).to.match(/^\d+$/);
    });

    it('is empty where the server has no object, also as a list of metadata, whose items are then null', async () => {
      const nothing = { namespace, labelSelector: 'set=none' };
      for (const metadataOnly of [false, true])
        expect((await client.list(configMaps, nothing, { metadataOnly })).items).to.deep.equal([]);
    });

    it('selects by labels and fields', async () => {
      const byLabel = await client.list(configMaps, { namespace: listed, labelSelector: 'part=first' });
      const byField = await client.list(configMaps, { namespace: listed, fieldSelector: 'metadata.name=d' });
      expect(byLabel.items.map(({ metadata }) => metadata.name)).to.deep.equal(['a', 'b']);
      expect(byField.items.map(({ metadata }) => metadata.name)).to.deep.equal(['d']);
    });

    it('reads the pods of a node in one answer that is up to date: neither a limit nor a version is asked for', async () => {
      const pods: Resource = { group: '', version: 'v1', plural: 'pods', kind: 'Pod' };
      const spec = { containers: [{ name: 'c', image: 'none' }], nodeName: uniqueName('node') };
      const names = ['a', 'b', 'c'].map((name) => uniqueName(name));
      const home = await createNamespace(cluster());
      for (const name of names) {
        await client.create<KubeObject & { readonly spec: object }>(pods, {
          metadata: { namespace: home, name },
          spec,
        });
      }
      await using proxy = await FaultProxy.open(cluster());
      const proxied = connect(cluster(), { server: proxy.server });
      const selection = { fieldSelector: `spec.nodeName=${spec.nodeName}` };
      const options = { paged: false, pageSize: 2 };
      const consistentReads = await countConsistentReads(cluster());
      const { items } = await proxied.list(pods, selection, options);
      expect(items.map(({ metadata }) => metadata.name).toSorted()).to.deep.equal(names.toSorted());
      expect(proxy.requests.map(({ path, query }) => [path, [...query.keys()]])).to.deep.equal([
        ['/api/v1/pods', ['fieldSelector']],
      ]);
      expect(await countConsistentReads(cluster()), 'answered by the watch cache').to.be.above(consistentReads);
      await client.delete({ resource: pods, namespace: home, name: names[0] ?? '' }, { gracePeriodSeconds: 0 });
      const left = await proxied.list(pods, selection, options);
      expect(left.items.map(({ metadata }) => metadata.name).toSorted()).to.deep.equal(names.slice(1).toSorted());
      await proxied.config.close();
    });

    it('starts again when the server has forgotten the list half way', async () => {
      await using proxy = await FaultProxy.open(cluster());
      let expired = 0;
      proxy.rule = ({ query }) => {
        if (!query.has('continue') || expired > 0) return undefined;
        expired += 1;
        return {
          status: 410,
          body: { kind: 'Status', code: 410, reason: 'Expired', message: 'continue token expired' },
        };
      };
      const proxied = connect(cluster(), { server: proxy.server });
      const selection = { namespace: listed, labelSelector: 'part' };
      const { items } = await proxied.list(configMaps, selection, { pageSize: 2 });
      expect(items.map(({ metadata }) => metadata.name)).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
      expect(expired).to.equal(1);
      await proxied.config.close();
    });
  });
});

/** Consistent lists of pods that the API server has answered from its watch cache. */
async function countConsistentReads(cluster: ControlPlane): Promise<number> {
  const { body } = await cluster.client.send({ path: '/metrics' });
  const [, count] =
    /^apiserver_watch_cache_consistent_read_total\{fallback="false",.*resource="pods",success="true"\} (\d+)$/m.exec(
      String(body),
    ) ?? [];
  return Number(count ?? 0);
}
