import { expect } from 'chai';
import fc from 'fast-check';
import {
  compareVersions,
  isOlder,
  apiVersionOf,
  collectionPath,
  keyOf,
  objectPath,
  refOf,
  type Resource,
  RetryPace,
  type KubeObject,
  ObjectStore,
  type Change,
  TimeTravelError,
  WatchCursor,
  WatchHandlers,
} from '../../src/kube/watch.ts';
import { ApiError } from '../../src/kube/api-error.ts';
import { usualTiming, type ReflectorOptions } from '../../src/kube/reflector.ts';
import { KubeClient } from '../../src/kube/client.ts';
import { PooledKubeConfig } from '../../src/kube/kubeconfig.ts';
import { silentLogger } from '../../src/process/log.ts';
import { RecordedLog } from '../process/recorded-log.ts';
import { widgets } from './widget.ts';

describe('compareVersions', () => {
  it('orders versions as the numbers that they are, however long', () => {
    const version = fc.bigInt({ min: 0n, max: 2n ** 128n });
    fc.assert(
      fc.property(version, version, (a, b) => {
        const compared = compareVersions(String(a), String(b)) ?? Number.NaN;
        expect(Math.sign(compared)).to.equal(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });

  it('does not guess about what is not a number', () => {
    for (const odd of ['', 'abc', '1x', '01', undefined]) {
      expect(compareVersions(odd, '5')).to.equal(undefined);
      expect(isOlder('5', odd)).to.equal(false);
      expect(isOlder(odd, '5')).to.equal(false);
    }
  });
});

const nodes: Resource = { group: '', version: 'v1', plural: 'nodes', kind: 'Node' };
const deployments: Resource = { group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment' };

describe('paths of the API', () => {
  it('puts the core group under /api and all others under /apis', () => {
    expect(collectionPath(nodes)).to.equal('/api/v1/nodes');
    expect(collectionPath(deployments, 'a')).to.equal('/apis/apps/v1/namespaces/a/deployments');
    expect([apiVersionOf(nodes), apiVersionOf(deployments)]).to.deep.equal(['v1', 'apps/v1']);
  });

  it('names an object and its subresource', () => {
    const ref = { resource: deployments, namespace: 'a', name: 'b', subresource: 'status' };
    expect(objectPath(ref)).to.equal('/apis/apps/v1/namespaces/a/deployments/b/status');
  });

  it('cannot be led astray by a name with a slash', () => {
    expect(objectPath({ resource: nodes, name: '../pods' })).to.equal('/api/v1/nodes/..%2Fpods');
  });

  it('takes no name that would make the path one of all objects', () => {
    for (const name of ['', '.', '..'])
      expect(() => objectPath({ resource: nodes, name })).to.throw(`"${name}" is not the name of a Node`);
  });

  it('knows an object by namespace and name', () => {
    expect(keyOf({ metadata: { name: 'n' } })).to.equal('n');
    expect(keyOf({ metadata: { name: 'n', namespace: 'a' } })).to.equal('a/n');
    expect(refOf(nodes, { metadata: { name: 'n' } }, 'status')).to.deep.equal({
      resource: nodes,
      name: 'n',
      subresource: 'status',
    });
  });
});

describe('the pace at which a watch is opened again', () => {
  const busy = (retryAfterMs: number): ApiError =>
    new ApiError({ request: 'GET /x', code: 503, reason: 'ServiceUnavailable', text: 'busy', retryAfterMs });
  const waitAfter = (error: unknown): number =>
    new RetryPace(usualTiming).delayAfter(error, { isExpected: false, doubts: 0 });

  it('waits as long as the server asks', () => {
    expect(waitAfter(busy(5_000))).to.be.within(5_000, 5_500);
  });

  it('waits 30 s at most, even if something in front of the server asks for an hour', () => {
    expect(waitAfter(busy(3_600_000))).to.be.within(30_000, 30_500);
  });
});

function anObject(name: string, uid: string, version: number): KubeObject {
  return { metadata: { name, uid, resourceVersion: String(version) } };
}

function describeChanges(changes: readonly Change<KubeObject>[]): readonly string[] {
  return changes.map(
    ({ type, key, object }) => `${type} ${key} ${object.metadata.uid}@${object.metadata.resourceVersion}`,
  );
}

describe('ObjectStore', () => {
  it('reports what it took, with the state before', () => {
    const store = new ObjectStore<KubeObject>();
    expect(describeChanges(store.upsert(anObject('a', 'u1', 1)))).to.deep.equal(['apply a u1@1']);
    const [change] = store.upsert(anObject('a', 'u1', 2));
    expect(change).to.deep.include({ type: 'apply', previous: anObject('a', 'u1', 1) });
    expect(store.get('a')).to.deep.equal(anObject('a', 'u1', 2));
  });

  it('takes nothing twice and nothing that is older than what it has', () => {
    const store = new ObjectStore<KubeObject>();
    store.upsert(anObject('a', 'u1', 5));
    expect(store.upsert(anObject('a', 'u1', 5))).to.deep.equal([]);
    expect(store.upsert(anObject('a', 'u1', 4))).to.deep.equal([]);
    expect(store.remove(anObject('a', 'u0', 3))).to.deep.equal([]);
    expect(store.list()).to.deep.equal([anObject('a', 'u1', 5)]);
  });

  it('reports an object that was deleted and made again as a delete and an apply', () => {
    const store = new ObjectStore<KubeObject>();
    store.upsert(anObject('a', 'u1', 1));
    expect(describeChanges(store.upsert(anObject('a', 'u2', 3)))).to.deep.equal(['delete a u1@1', 'apply a u2@3']);
    const list = new Map([['a', anObject('a', 'u3', 5)]]);
    expect(describeChanges(store.replace(list))).to.deep.equal(['delete a u2@3', 'apply a u3@5']);
  });

  it('removes what a complete list does not hold and keeps what has not changed as it is', () => {
    const store = new ObjectStore<KubeObject>();
    const kept = anObject('b', 'u2', 2);
    store.upsert(anObject('a', 'u1', 1));
    store.upsert(kept);
    const changes = store.replace(new Map([['b', anObject('b', 'u2', 2)]]));
    expect(describeChanges(changes)).to.deep.equal(['delete a u1@1']);
    expect(store.get('b')).to.equal(kept);
  });

  it('ends as the server is, and so does whoever follows its changes, in spite of repeated events', () => {
    const step = fc.record({
      name: fc.constantFrom('a', 'b', 'c'),
      action: fc.constantFrom('write' as const, 'delete' as const, 'list' as const),
      repeat: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const server = new Map<string, KubeObject>();
        const store = new ObjectStore<KubeObject>();
        const follower = new Map<string, KubeObject>();
        const follow = (changes: readonly Change<KubeObject>[]): void => {
          for (const { type, key, object } of changes) {
            if (type === 'delete') expect(follower.delete(key)).to.equal(true);
            else follower.set(key, object);
          }
        };
        steps.forEach(({ name, action, repeat }, index) => {
          const before = server.get(name);
          const uid = before?.metadata.uid ?? `u${index}`;
          const object = anObject(name, uid, index + 1);
          for (let times = repeat ? 2 : 1; times > 0; times -= 1) {
            if (action === 'list') {
              follow(store.replace(new Map(server)));
            } else if (action === 'write') {
              server.set(name, object);
              follow(store.upsert(object));
            } else if (before !== undefined) {
              server.delete(name);
              follow(store.remove(object));
            }
          }
        });
        const byName = (objects: Iterable<KubeObject>): readonly KubeObject[] =>
          [...objects].toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
        expect(byName(store.list())).to.deep.equal(byName(server.values()));
        expect(byName(follower.values())).to.deep.equal(byName(server.values()));
        expect(store.size).to.equal(server.size);
      }),
    );
  });
});

function anError(code: number, fields: { reason?: string; cause?: string } = {}): ApiError {
  const details = fields.cause === undefined ? undefined : { causes: [{ reason: fields.cause }] };
  return new ApiError({ request: 'GET /', code, reason: fields.reason ?? 'Any', text: 'by the test', details });
}

function aCursorAt(version: string): WatchCursor {
  const cursor = new WatchCursor();
  cursor.takeList(version);
  return cursor;
}

describe('WatchCursor', () => {
  it('begins with a streamed list and resumes from what it saw last', () => {
    const cursor = new WatchCursor();
    expect(cursor).to.deep.include({ resumeAt: '', needsPages: false });
    cursor.takeList('10');
    expect(cursor.resumeAt).to.equal('10');
    expect(cursor.takeEvent('12')).to.equal(true);
    cursor.takeBookmark('20');
    expect(cursor).to.deep.include({ resumeAt: '20', newest: '20' });
  });

  it('ignores events from before, and takes a bookmark from before for a server that lags', () => {
    const cursor = aCursorAt('10');
    expect(cursor.takeEvent('9')).to.equal(false);
    expect(cursor.takeEvent('10')).to.equal(true);
    expect(() => cursor.takeBookmark('9')).to.throw(TimeTravelError);
    expect(cursor.newest).to.equal('10');
  });

  it('refuses an older list three times, then believes it', () => {
    const cursor = aCursorAt('10');
    for (let time = 0; time < 3; time += 1) expect(() => cursor.takeList('5')).to.throw(TimeTravelError, 'version 5');
    cursor.takeList('5');
    expect(cursor).to.deep.include({ resumeAt: '5', newest: '5' });
    expect(() => cursor.takeList('4')).to.throw(TimeTravelError);
  });

  it('lists again when the server is behind us or what changed last is not as we know it, else resumes', () => {
    const cursor = aCursorAt('10');
    cursor.takeStock('12', true);
    expect(cursor).to.deep.include({ resumeAt: '10', doubts: 0 });
    cursor.takeStock('12', false);
    expect(cursor).to.deep.include({ resumeAt: '', needsPages: false, doubts: 0 });
    const restored = aCursorAt('10');
    expect(() => restored.takeStock('9', true)).to.throw(TimeTravelError);
    expect(restored.doubts).to.equal(1);
  });

  it('lists again when its version is too old or ahead of the server, or the events make no sense', () => {
    const failures = [
      anError(410),
      anError(504, { cause: 'ResourceVersionTooLarge' }),
      anError(0, { reason: 'InvalidAnswer' }),
      new TypeError('an event without an object'),
    ];
    for (const failure of failures) {
      const cursor = aCursorAt('10');
      expect(cursor.learn(failure)).to.equal(failure === failures[0]);
      expect(cursor).to.deep.include({ resumeAt: '', needsPages: false, newest: '10' });
    }
  });

  it('resumes where it was after any other failure', () => {
    for (const failure of [anError(0, { reason: 'Unreachable' }), anError(500), anError(403), anError(422)]) {
      const cursor = aCursorAt('10');
      expect(cursor.learn(failure)).to.equal(false);
      expect(cursor.resumeAt).to.equal('10');
    }
  });

  it('reads pages forever when the server has no WatchList', () => {
    const cursor = new WatchCursor();
    expect(cursor.learn(anError(422))).to.equal(true);
    expect(cursor.needsPages).to.equal(true);
    cursor.takeList('10');
    cursor.demandList();
    expect(cursor.needsPages).to.equal(true);
    expect(cursor.learn(anError(422)), 'a second time it is no help').to.equal(false);
  });

  it('reads pages once when a streamed list failed half way', () => {
    for (const failure of [anError(500), anError(0, { reason: 'Timeout' }), new Error('ended early')]) {
      const cursor = new WatchCursor();
      cursor.learn(failure);
      expect(cursor.needsPages).to.equal(true);
      cursor.takeList('10');
      cursor.demandList();
      expect(cursor.needsPages).to.equal(false);
    }
  });

  it('keeps streaming lists when the server was not reached at all', () => {
    for (const failure of [anError(0, { reason: 'Unreachable' }), anError(401), anError(404), anError(429)]) {
      const cursor = new WatchCursor();
      cursor.learn(failure);
      expect(cursor.needsPages).to.equal(false);
    }
  });
});

function handlersOf(handlers: Partial<ReflectorOptions<KubeObject>>): WatchHandlers<KubeObject> {
  const client = new KubeClient(new PooledKubeConfig(), 'test');
  return new WatchHandlers({ client, resource: widgets, logger: silentLogger, ...handlers });
}

const object: KubeObject = { metadata: { name: 'a' } };
const added = { type: 'apply', key: 'a', object, previous: undefined } as const;
const fail = (): never => {
  throw new Error('no');
};

describe('the handlers of a watch', () => {
  it('are called for every change, whether or not the one before has failed', () => {
    const seen: string[] = [];
    const handlers = handlersOf({
      onChange: ({ key }) => {
        seen.push(key);
        if (key === 'a') fail();
      },
    });
    handlers.emit([added, { ...added, key: 'b' }]);
    expect(seen).to.deep.equal(['a', 'b']);
    expect(handlers.errors).to.equal(1);
  });

  it('keep the whole of an object that cannot be stripped', () => {
    const handlers = handlersOf({ trim: fail });
    expect(handlers.trim(object)).to.equal(object);
    expect(handlers.errors).to.equal(1);
    expect(handlersOf({}).trim(object)).to.equal(object);
  });

  it('hear of a restored server, and the log of trouble: a list repairs some of it, which is not worth a warning', () => {
    const heard: unknown[] = [];
    const logger = new RecordedLog();
    const handlers = handlersOf({ logger, onRewind: () => heard.push('rewind') });
    handlers.tellOfTrouble(new Error('gone'), 5, false);
    handlers.tellOfTrouble(new Error('gone'), 0, true);
    const fields = { resource: 'widgets', error: 'Error: gone' };
    expect(logger.lines).to.deep.equal([
      { level: 'warn', message: 'watch interrupted', fields: { ...fields, retryInMs: 5 } },
      { level: 'info', message: 'watch restarts from a list', fields: { ...fields, retryInMs: 0 } },
    ]);
    handlers.tellOfRewind('7');
    expect(heard).to.deep.equal(['rewind']);
  });
});
