import { expect } from 'chai';
import { findModel } from '../../../src/core/gpu/geometry/model-lookup.ts';
import { profilesServing } from '../../../src/core/policy/demand-profiles.ts';
import { readKeptMemory } from '../../support/kept-memory.ts';

describe('the profiles that serve a slice', () => {
  it('are remembered no longer than the profile table that they are of', () => {
    const slice = { profiles: ['1g.*'], count: 1 };
    const model = findModel('a100-40gb');
    if (model === undefined) throw new Error('the table has no A100');
    const count = 2_000;
    // A table that an agent has reported comes as another object whenever it is no longer shared.
    const ask = (): void => {
      for (let at = 0; at < count; at += 1) profilesServing(slice, structuredClone(model), 'A100');
    };
    ask();
    const before = readKeptMemory().heapUsed;
    ask();
    expect((readKeptMemory().heapUsed - before) / count, 'bytes of each table').to.be.below(500);
    expect(slice.profiles).to.deep.equal(['1g.*']);
  });
});
