import { expect } from 'chai';
import { batchSteps, type Step } from '../../../src/core/gpu/plan/step.ts';

const create = (profile: string, start: number, computeInstances: readonly string[] = [profile]): Step => ({
  action: 'CreateInstance',
  profile,
  start,
  computeInstances,
});
const destroy = (profile: string, start: number): Step => ({ ...create(profile, start), action: 'DestroyInstance' });
const cut = (start: number, computeInstance: string): Step => ({
  action: 'DestroyComputeInstances',
  profile: '3g.20gb',
  start,
  computeInstances: [computeInstance],
});

describe('steps that one command does', () => {
  const starts = (...steps: readonly Step[]): readonly (readonly number[])[] =>
    batchSteps(steps).map((batch) => batch.map(({ start }) => start));

  it('are destroys in a row, whatever the profile', () => {
    expect(starts(destroy('1g.5gb', 0), destroy('3g.20gb', 4), destroy('1g.5gb', 1))).to.deep.equal([[0, 4, 1]]);
  });

  it('are creates in a row with the compute instance over the whole, and those with none', () => {
    expect(starts(create('3g.20gb', 4), create('1g.5gb', 0))).to.deep.equal([[4, 0]]);
    expect(starts(create('3g.20gb', 4, []), create('1g.5gb', 0, []))).to.deep.equal([[4, 0]]);
    expect(starts(create('3g.20gb', 4, []), create('1g.5gb', 0))).to.deep.equal([[4], [0]]);
  });

  it('are never creates with parts of an instance, as each part is made alone', () => {
    const part = ['1c.3g.20gb'];
    expect(starts(create('3g.20gb', 4, part), create('3g.20gb', 0))).to.deep.equal([[4], [0]]);
    expect(starts(create('3g.20gb', 4), create('3g.20gb', 0, part))).to.deep.equal([[4], [0]]);
    const twice = ['3g.20gb', '3g.20gb'];
    expect(starts(create('3g.20gb', 4, twice), create('3g.20gb', 0, twice))).to.deep.equal([[4], [0]]);
  });

  it('are never of two kinds, nor of the compute instances of two instances', () => {
    expect(starts(destroy('1g.5gb', 0), create('1g.5gb', 1), destroy('1g.5gb', 2))).to.deep.equal([[0], [1], [2]]);
    for (const name of ['1c.3g.20gb', '3g.20gb'])
      expect(starts(cut(0, name), cut(4, name)), name).to.deep.equal([[0], [4]]);
  });

  it('do not exist where there are no steps', () => {
    expect(batchSteps([])).to.deep.equal([]);
  });
});
