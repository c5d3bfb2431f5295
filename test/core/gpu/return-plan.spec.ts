import { expect } from 'chai';
import type { ViewedInstance } from '../../../src/core/gpu/plan/gpu-view.ts';
import { planReturn } from '../../../src/core/gpu/plan/return-plan.ts';
import { aViewed, writeSteps } from './builders.ts';

describe('the way back to how a GPU was', () => {
  const back = (
    now: readonly ViewedInstance[],
    before: readonly ViewedInstance[],
    isMade: (instance: ViewedInstance) => boolean = () => true,
  ): readonly string[] => writeSteps(planReturn(now, before, isMade));

  it('takes no step where nothing has changed', () => {
    const same = [aViewed('1g.5gb@0'), aViewed('3g.20gb@4', ['1c.3g.20gb', '1c.3g.20gb'])];
    expect(back(same, same)).to.deep.equal([]);
  });

  it('destroys what was made meanwhile, then creates what is missing, the largest first', () => {
    const before = [
      aViewed('1g.5gb@0', undefined, 1),
      aViewed('2g.10gb@2', undefined, 2),
      aViewed('3g.20gb@4', undefined, 4),
    ];
    expect(back([aViewed('7g.40gb@0')], before)).to.deep.equal([
      'DestroyInstance 7g.40gb@0 [7g.40gb]',
      'CreateInstance 3g.20gb@4 [3g.20gb]',
      'CreateInstance 2g.10gb@2 [2g.10gb]',
      'CreateInstance 1g.5gb@0 [1g.5gb]',
    ]);
  });

  it('takes an instance of the same profile at another start for another one', () => {
    expect(back([aViewed('3g.20gb@0')], [aViewed('3g.20gb@4')])).to.deep.equal([
      'DestroyInstance 3g.20gb@0 [3g.20gb]',
      'CreateInstance 3g.20gb@4 [3g.20gb]',
    ]);
  });

  it('leaves alone what others have made meanwhile', () => {
    const now = [aViewed('1g.5gb@0'), aViewed('1g.5gb@1')];
    expect(back(now, [], ({ start }) => start === 1)).to.deep.equal(['DestroyInstance 1g.5gb@1 [1g.5gb]']);
  });

  it('exchanges only those compute instances that differ, and frees their slices first', () => {
    const before = [aViewed('4g.20gb@0', ['1c.4g.20gb', '1c.4g.20gb', '2c.4g.20gb'])];
    const now = [aViewed('4g.20gb@0', ['1c.4g.20gb', '1c.4g.20gb', '1c.4g.20gb', '1c.4g.20gb']), aViewed('3g.20gb@4')];
    expect(
      back([aViewed('3g.20gb@0', ['1c.3g.20gb'])], [aViewed('3g.20gb@0', ['2c.3g.20gb', '1c.3g.20gb'])]),
    ).to.deep.equal(['CreateComputeInstances 3g.20gb@0 [2c.3g.20gb]']);
    expect(back(now, before)).to.deep.equal([
      'DestroyComputeInstances 4g.20gb@0 [1c.4g.20gb,1c.4g.20gb]',
      'DestroyInstance 3g.20gb@4 [3g.20gb]',
      'CreateComputeInstances 4g.20gb@0 [2c.4g.20gb]',
    ]);
  });

  it('makes the compute instances of an instance that it creates, the largest first', () => {
    expect(back([], [aViewed('3g.20gb@4', ['1c.3g.20gb', '2c.3g.20gb'])])).to.deep.equal([
      'CreateInstance 3g.20gb@4 [2c.3g.20gb,1c.3g.20gb]',
    ]);
    const emptied = [aViewed('3g.20gb@4', [])];
    expect(back(emptied, [aViewed('3g.20gb@4', ['1c.3g.20gb', '2c.3g.20gb'])])).to.deep.equal([
      'CreateComputeInstances 3g.20gb@4 [2c.3g.20gb,1c.3g.20gb]',
    ]);
  });
});
