import { expect } from 'chai';
import { Expectations } from '../../src/kube/own-writes.ts';
import { type KubeObject, ObjectStore } from '../../src/kube/watch.ts';

type Item = KubeObject & { readonly text?: string };

const at = (resourceVersion: string): Item => ({ metadata: { name: 'a', uid: 'u', resourceVersion } });

function aStore(): { store: ObjectStore<Item>; own: Expectations<Item> } {
  const store = new ObjectStore<Item>();
  store.upsert(at('1'));
  return { store, own: new Expectations(store, ({ metadata }) => ({ metadata })) };
}

describe('OwnWrites', () => {
  it('knows what was written before the watch does', () => {
    const { own } = aStore();
    own.remember(at('2'));
    expect(own.get('a')).to.deep.equal(at('2'));
  });

  it('says once of what comes back that it is our own, and keeps it no longer', () => {
    const { store, own } = aStore();
    own.remember(at('2'));
    const back = at('2');
    store.upsert(back);
    expect(own.isOwn(back)).to.equal(true);
    expect(own.get('a')).to.equal(back);
    expect(own.isOwn(back)).to.equal(false);
  });

  it('gives what the watch has brought for an answer of the same version, and projects nothing again', () => {
    const store = new ObjectStore<Item>();
    const watched = at('2');
    store.upsert(watched);
    const own = new Expectations(store, () => {
      throw new Error('projected again');
    });
    expect(own.remember({ ...at('2'), text: 'long' })).to.equal(watched);
  });

  it('keeps nothing that the watch has brought before the answer', () => {
    const { store, own } = aStore();
    const watched = at('2');
    store.upsert(watched);
    own.remember(at('2'));
    expect(own.get('a')).to.equal(watched);
    expect(own.isOwn(watched)).to.equal(false);
  });

  it('keeps of a write what the store would', () => {
    const { own } = aStore();
    own.remember({ ...at('2'), text: 'long' });
    expect(own.get('a')).to.deep.equal(at('2'));
  });

  it('expects a write of which it knows the version alone, until the watch brings it or the object goes', () => {
    const { store, own } = aStore();
    expect(own.expectedSince('a')).to.equal(undefined);
    own.expect('a', '3', 1000);
    store.upsert(at('2'));
    expect(own.expectedSince('a')).to.equal(1000);
    store.upsert(at('3'));
    expect(own.expectedSince('a')).to.equal(undefined);
    own.expect('a', '4', 2000);
    own.drop('a');
    expect(own.expectedSince('a')).to.equal(undefined);
  });

  it('expects nothing of a server that was restored: its versions mean nothing any more', () => {
    const { own } = aStore();
    own.expect('a', '3', 1000);
    own.forget();
    expect(own.expectedSince('a')).to.equal(undefined);
  });
});
