import { expect } from 'chai';
import { findModel } from '../../../src/core/gpu/geometry.ts';
import { isWholeGpu, profilesServing, profilesServingAll } from '../../../src/core/policy/spec.ts';
import { servingAny, shareProfiles } from '../../../src/core/demand/wanted.ts';
import { readKeptMemory } from '../../support/kept-memory.ts';
import { WHOLE } from '../../../src/core/gpu/profiles.ts';

describe('the profiles that serve a slice', () => {
  const serving = (id: string, slice: { readonly profiles?: readonly string[]; readonly memory?: string }) => {
    const model = findModel(id);
    if (model === undefined) throw new Error(`the table has no ${id}`);
    return profilesServing({ ...slice, count: 1 }, model, id);
  };

  it('are plain ones for a glob, unless it speaks of the others', () => {
    expect(serving('a100-40gb', { profiles: ['1g.*'] })).to.have.members(['1g.5gb', '1g.10gb']);
    expect(serving('a100-40gb', { profiles: ['1g.*+me'] })).to.deep.equal(['1g.5gb+me']);
    expect(serving('rtx-pro-6000-server-96gb', { profiles: ['1g.*-me'] })).to.deep.equal(['1g.24gb-me']);
  });

  it('are named as the driver that is there names them', () => {
    expect(serving('a100-80gb', { profiles: ['7g.79gb'] })).to.deep.equal(['7g.80gb']);
  });

  it('are found by a name that one GPU of a pool knows, though another has the profile by its other name only', () => {
    const models = ['a100-80gb', 'h100-80gb-sxm'].flatMap((id) => findModel(id) ?? []);
    const pool = new Map(models.map((model) => [model, model.id]));
    expect(profilesServingAll({ profiles: ['7g.79gb'], count: 1 }, pool)).to.deep.equal(['7g.80gb']);
  });

  it('are those with exactly so much memory too, and plain ones only', () => {
    const [first, ...others] = serving('a100-40gb', { memory: '4864Mi' });
    expect(first).to.equal('1g.5gb');
    expect(others.join()).to.not.include('+');
  });

  it('are whole GPUs for a slice that says so', () => {
    const model = findModel('a100-40gb');
    if (model === undefined) throw new Error('the table has no A100');
    const [whole, small] = [{ mig: 'Disabled' as const }, { profiles: ['1g.5gb'] }];
    expect(servingAny(whole, [[model, 'A100']])).to.deep.equal([WHOLE]);
    expect(servingAny(small, [[model, 'A100']])).to.deep.equal(['1g.5gb']);
    expect([whole, small].map(isWholeGpu)).to.deep.equal([true, false]);
  });

  it('count for the first slice that they serve, and for one by memory only if no other names them', () => {
    const slices = [{ memory: '4Gi' }, { profiles: ['1g.5gb'] }, { profiles: ['1g.*'] }, { memory: '9Gi' }];
    const served = [
      ['1g.5gb', '1g.10gb', '3g.20gb'],
      ['1g.5gb'],
      ['1g.5gb', '1g.10gb'],
      ['1g.10gb', '3g.20gb', '7g.40gb'],
    ];
    expect(shareProfiles(slices, served)).to.deep.equal([['3g.20gb'], ['1g.5gb'], ['1g.10gb'], ['7g.40gb']]);
  });

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
