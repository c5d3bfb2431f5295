import { expect } from 'chai';
import { SharedValues, canonicalJson, fingerprint, mergePatchOf, memoize } from '../../../src/core/text/json.ts';
import fc from 'fast-check';

describe('SharedValues', () => {
  it('gives equal values the same object, and others their own', () => {
    const shared = new SharedValues();
    const first = shared.share({ a: [1] });
    expect(shared.share({ a: [1] })).to.equal(first);
    expect(shared.share({ a: [2] })).to.deep.equal({ a: [2] });
  });

  it('does not take a text for the value that it describes', () => {
    const shared = new SharedValues();
    expect(shared.share('[1]')).to.equal('[1]');
    expect(shared.share([1])).to.deep.equal([1]);
    expect(shared.share('[1]')).to.equal('[1]');
  });

  it('makes what it knows by a text only once', () => {
    const shared = new SharedValues();
    const first = shared.shareAs('a', () => ({ a: 1 }));
    const second = shared.shareAs('a', () => {
      throw new Error('made again');
    });
    expect(second).to.equal(first);
    expect(shared.shareAs('b', () => ({ b: 1 }))).to.deep.equal({ b: 1 });
  });

  it('remembers only so many, whatever is reported', () => {
    const shared = new SharedValues(2);
    const first = shared.share([0]);
    shared.share([1]);
    shared.share([2]);
    expect(shared.share([0]) === first).to.equal(false);
  });
});

/** As its authors write it: http://www.isthe.com/chongo/tech/comp/fnv */
function fnv1a(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, '0');
}

describe('a fingerprint', () => {
  it('is FNV-1a of 64 bits', () => {
    expect(fingerprint('')).to.equal('cbf29ce484222325');
    expect(fingerprint('a')).to.equal('af63dc4c8601ec8c');
    expect(fingerprint('foobar')).to.equal('85944171f73967e8');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => fingerprint(text) === fnv1a(text)),
      { numRuns: 2000 },
    );
  });
});

describe('canonical JSON', () => {
  it('is the same for the same value, whatever the order of its keys', () => {
    expect(canonicalJson({ b: [1, { d: null, c: 'x' }], a: true })).to.equal('{"a":true,"b":[1,{"c":"x","d":null}]}');
  });

  it('is what JSON makes of the value', () => {
    const value = [undefined, { gone: undefined, kept: -0, 'quoted"': '\u2028' }];
    expect(JSON.parse(canonicalJson(value))).to.deep.equal(JSON.parse(JSON.stringify(value)));
    fc.assert(
      fc.property(fc.jsonValue(), (any) => {
        expect(JSON.parse(canonicalJson(any))).to.deep.equal(JSON.parse(JSON.stringify(any)));
      }),
    );
  });
});

describe('a merge patch', () => {
  it('removes what is too much, at any depth, and names nothing that is right', () => {
    const before = { step: 'Failed', error: { code: 'x' }, plan: { hash: 'h', refusal: 'no', keep: 1 }, gpus: [1, 2] };
    const after = { step: 'Idle', plan: { hash: 'h', keep: 2 }, gpus: [1] };
    expect(mergePatchOf(before, after)).to.deep.equal({
      error: null,
      step: 'Idle',
      plan: { refusal: null, keep: 2 },
      gpus: [1],
    });
  });

  it('is empty for equal objects, and takes a list or a value for another thing than fields', () => {
    expect(mergePatchOf({ a: { b: [1] } }, { a: { b: [1] } })).to.deep.equal({});
    expect(mergePatchOf({ a: [1], b: { c: 1 } }, { a: { c: 1 }, b: [1] })).to.deep.equal({ a: { c: 1 }, b: [1] });
  });

  it('sets all fields, if somebody else may have changed them, and removes those that are known to be too much', () => {
    const before = { phase: 'Ready', closed: { since: 1, offered: 2 }, waits: [1] };
    const after = { phase: 'Ready', closed: { since: 1 } };
    expect(mergePatchOf(before, after, 'All')).to.deep.equal({
      phase: 'Ready',
      closed: { since: 1, offered: null },
      waits: null,
    });
  });
});

describe('onceEach', () => {
  it('makes a thing of each object once, also of equal ones, and an empty text is one', () => {
    const asked: object[] = [];
    const nameOf = memoize((one: { readonly name: string }) => {
      asked.push(one);
      return one.name;
    });
    const [first, second, empty] = [{ name: 'a' }, { name: 'a' }, { name: '' }];
    expect([first, second, first, empty, empty].map(nameOf)).to.deep.equal(['a', 'a', 'a', '', '']);
    expect(asked).to.have.ordered.members([first, second, empty]);
  });
});
