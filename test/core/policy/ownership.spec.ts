import { expect } from 'chai';
import { findForeign, lastGoodOf } from '../../../src/core/policy/ownership.ts';
import { aGpu, uuidOf } from '../../support/builders.ts';

const boot = 'boot-1';
const gpu = aGpu({ slices: ['3g.20gb@0', '1g.5gb@4', '1g.5gb@5'] });
const places = (foreign: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] => [
  ...(foreign.get(uuidOf(0)) ?? []),
];

describe('ownership of GPU instances', () => {
  it('takes everything for foreign where nothing is known', () => {
    expect(places(findForeign([gpu], boot, undefined, undefined))).to.deep.equal(['3g.20gb@0', '1g.5gb@4', '1g.5gb@5']);
  });

  it('knows what was there when a grant ended well, in this boot alone', () => {
    const lastGood = lastGoodOf([aGpu({ slices: ['3g.20gb@0', '1g.5gb@4'] })], boot, new Map());
    expect(places(findForeign([gpu], boot, lastGood, undefined))).to.deep.equal(['1g.5gb@5']);
    expect(places(findForeign([gpu], 'boot-2', lastGood, undefined))).to.have.lengthOf(3);
  });

  it('takes as many as a grant that was cut off was to make for its work', () => {
    const unfinished = { gpus: [{ uuid: uuidOf(0), profiles: { '1g.5gb': 1, '3g.20gb': 1 } }] };
    expect(places(findForeign([gpu], boot, undefined, unfinished))).to.deep.equal(['1g.5gb@5']);
  });

  it('does not note foreign instances as its own', () => {
    const foreign = new Map([[uuidOf(0), new Set(['1g.5gb@5'])]]);
    const lastGood = lastGoodOf([gpu], boot, foreign);
    expect(lastGood.gpus?.[0]?.placements).to.deep.equal(['3g.20gb@0', '1g.5gb@4']);
    expect(findForeign([gpu], boot, lastGood, undefined)).to.deep.equal(foreign);
  });
});
