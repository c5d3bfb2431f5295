import { expect } from 'chai';
import type { Geometry } from '../../../src/core/gpu/geometry/geometry.ts';
import { listByMemory } from '../../../src/core/gpu/plan/memory-fit.ts';
import { modelOf } from './builders.ts';

describe('profiles by the memory that a program can use', () => {
  it('are listed from the smallest, of equal ones first those of which a GPU holds most', () => {
    const [first, second, third] = listByMemory(modelOf('a100-40gb'));
    expect(first).to.deep.equal({ profile: '1g.5gb', memoryMiB: 4864, perGpu: 7 });
    expect(second).to.deep.equal({ profile: '1g.5gb+me', memoryMiB: 4864, perGpu: 1 });
    expect(third).to.include({ profile: '1g.10gb' });
    const reversed: Geometry = { ...modelOf('a100-40gb'), profiles: modelOf('a100-40gb').profiles.toReversed() };
    expect(listByMemory(reversed).slice(0, 2), 'in any order of the table').to.deep.equal([first, second]);
  });

  it('leave out what NVIDIA has not published', () => {
    const model = modelOf('a100-40gb');
    const { memoryMiB: _unknown, ...unpublished } = model.profiles[0] ?? expect.fail('a model without profiles');
    const listed = listByMemory({ ...model, profiles: [unpublished, ...model.profiles.slice(1)] });
    expect(listed.map(({ profile }) => profile)).to.not.include(unpublished.name);
    expect(listed).to.have.length(model.profiles.length - 1);
  });
});
