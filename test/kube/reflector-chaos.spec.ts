import { expect } from 'chai';
import fc from 'fast-check';
import type { KubeClient } from '../../src/kube/client.ts';
import { useSharedCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { settle } from '../process/fake-clock.ts';
import { aConfigMap, configMapRef, configMaps, connect, makeNamespace, type ConfigMap } from './connection.ts';
import { aStatus, errorLine, refusal, type RequestFault } from '../support/fault.ts';
import { FaultProxy } from '../support/fault-proxy.ts';
import { Follower } from './follower.ts';

const names = ['a', 'b', 'c', 'd'];

const step = fc.record({
  /** What happens to an object of the cluster. */
  write: fc.constantFrom('create', 'touch', 'delete', 'replace'),
  name: fc.constantFrom(...names),
  /** What happens to the connections. */
  fault: fc.constantFrom('none', 'none', 'cut', 'gone', 'error', 'half', 'twice', 'throttled', 'broken'),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** The next answers under a fault. */
function faultOf(kind: Step['fault']): RequestFault | undefined {
  switch (kind) {
    case 'gone':
      return refusal(410, 'Expired');
    case 'throttled':
      return refusal(429, 'TooManyRequests');
    case 'broken':
      return refusal(500, 'InternalError');
    case 'error':
      return { lines: () => ({ send: [errorLine(aStatus(500, 'InternalError'))] }) };
    case 'half':
      return { lines: (line) => ({ send: [line, line.slice(0, 20)], end: true }) };
    case 'twice':
      return { lines: (line) => ({ send: [line, line] }) };
    default:
      return undefined;
  }
}

describe('Reflector under random faults @all', () => {
  const cluster = useSharedCluster();
  let admin: KubeClient;

  before(() => {
    admin = connect(cluster());
  });
  after(() => admin.config.close());

  const change = async (namespace: string, { write, name }: Step, version: number): Promise<void> => {
    const ref = configMapRef(namespace, name);
    if (write === 'delete' || write === 'replace') await admin.delete(ref);
    if (write === 'touch') await admin.merge(ref, { data: { version: String(version) } }).catch(() => undefined);
    if (write === 'create' || write === 'replace') {
      await admin.create(configMaps, aConfigMap(namespace, name)).catch(() => undefined);
    }
  };

  it('ends as the server is, never reports what did not happen, and its changes tell the whole story', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 25 }), async (steps) => {
        await using proxy = await FaultProxy.open(cluster());
        const client = connect(cluster(), { server: proxy.server });
        const namespace = await makeNamespace(admin);
        const pinned = await admin.create<ConfigMap>(configMaps, aConfigMap(namespace, 'pinned'));
        await using follower = new Follower(client, namespace, {
          timing: { floorMs: 2, backoffBaseMs: 2, backoffMaxMs: 10 },
        });
        await follower.reflector.waitForSync();
        for (const [index, one] of steps.entries()) {
          const fault = faultOf(one.fault);
          let answers = one.fault === 'none' || one.fault === 'cut' ? 0 : 2;
          proxy.rule = () => (answers-- > 0 ? fault : undefined);
          if (one.fault !== 'none') proxy.reset();
          await change(namespace, one, index);
          await settle();
        }
        proxy.rule = () => undefined;
        const { items } = await admin.list<ConfigMap>(configMaps, {
          namespace,
          fieldSelector: 'metadata.name!=kube-root-ca.crt',
        });
        const wanted = versionsOf(items);
        await eventually(
          () => versionsOf(follower.reflector.store.list()),
          (seen) => JSON.stringify(seen) === JSON.stringify(wanted),
          { timeoutMs: 10_000 },
        );
        expect(versionsOf(replay(follower))).to.deep.equal(wanted);
        const ofPinned = follower.changes.filter(({ object }) => object.metadata.uid === pinned.metadata.uid);
        expect(ofPinned.map(({ type }) => type)).to.deep.equal(['apply']);
        await client.config.close();
      }),
      { numRuns: 6 },
    );
  }).timeout(60_000);
});

/** Names with uid and version, in order. */
function versionsOf(objects: Iterable<ConfigMap>): readonly string[] {
  return [...objects]
    .map(({ metadata: { name, uid, resourceVersion } }) => `${name} ${uid} ${resourceVersion}`)
    .toSorted();
}

/** What someone has who knows nothing but the changes. Fails on a change that does not follow from those before. */
function replay({ changes }: Follower): Iterable<ConfigMap> {
  const objects = new Map<string, ConfigMap>();
  for (const { type, key, object } of changes) {
    const before = objects.get(key);
    if (type === 'delete') {
      expect(before?.metadata.uid, `the deletion of ${key}`).to.equal(object.metadata.uid);
      objects.delete(key);
    } else {
      if (before !== undefined) expect(before.metadata.uid, `the change of ${key}`).to.equal(object.metadata.uid);
      objects.set(key, object);
    }
  }
  return objects.values();
}
