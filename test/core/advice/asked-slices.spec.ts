import { expect } from 'chai';
import { adviseSlices } from '../../../src/core/advice/asked-slices.ts';
import { findModel } from '../../../src/core/gpu/geometry/model-lookup.ts';

describe('the slices of an advised demand', () => {
  const model = findModel('a100-40gb');
  const least = new Map([
    ['1g.5gb', 10],
    ['2g.10gb', 3],
  ]);
  const minOf = (...earlier: Parameters<typeof adviseSlices>[2]['earlier'] & object) =>
    adviseSlices(new Map(), model ? [model] : [], { earlier, least }).map(({ min }) => min);

  it('keep what was asked for before once, where several slices of the demand are served by its profile', () => {
    expect(minOf({ profiles: ['1g.5gb'] }, { name: 'any', profiles: ['1g.5gb', '2g.10gb'] })).to.deep.equal([10, 3]);
    expect(minOf({ name: 'any', profiles: ['1g.5gb', '2g.10gb'] }, { profiles: ['1g.5gb'] })).to.deep.equal([
      13,
      undefined,
    ]);
  });

  it('keep it for a slice that names the profile, before one by memory', () => {
    expect(minOf({ name: 'some', memory: '4Gi' }, { profiles: ['1g.5gb'] })).to.deep.equal([3, 10]);
  });
});
