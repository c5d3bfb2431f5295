import { expect } from 'chai';
import { nameEntries } from '../../../src/core/policy/entry-key.ts';

describe('the names of entries', () => {
  it('are those of their selectors, with a number where several have the same', () => {
    const gpus = { indices: [0] };
    const [first = '', other, second, third] = nameEntries([
      { gpus, preset: 'all-balanced' },
      { mig: 'Disabled' },
      { gpus, mig: 'Disabled' },
      { gpus, profiles: { '1g.5gb': 7 } },
    ]);
    expect([second, third]).to.deep.equal([`${first}-2`, `${first}-3`]);
    expect(other).to.not.equal(first);
  });
});
