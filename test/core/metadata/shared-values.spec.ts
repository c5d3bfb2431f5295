import { expect } from 'chai';
import { SharedValues } from '../../../src/core/metadata/shared-values.ts';

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
