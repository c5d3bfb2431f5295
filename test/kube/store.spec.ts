import { expect } from 'chai';
import fc from 'fast-check';
import type { KubeObject } from '../../src/kube/resource.ts';
import { ObjectStore, type Change } from '../../src/kube/store.ts';

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
