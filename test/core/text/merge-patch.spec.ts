import { expect } from 'chai';
import { mergePatchOf, overwriteOf } from '../../../src/core/text/merge-patch.ts';

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
    expect(overwriteOf(before, after)).to.deep.equal({
      phase: 'Ready',
      closed: { since: 1, offered: null },
      waits: null,
    });
  });
});
