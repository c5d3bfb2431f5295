import { expect } from 'chai';
import { chooseExactly } from '../../../src/core/demand/exact-choice.ts';
import { aColumn, asking, pair } from './column-builders.ts';

const [still = aColumn([]), cheap = aColumn([]), dear = aColumn([])] = pair.columns;

describe('the exact choice of columns', () => {
  it('takes what it costs to go from GPU to GPU, each group on its own', () => {
    const groups = [pair, { size: 1, columns: [still, dear] }];
    expect(chooseExactly(asking(3, 'a'), groups, Infinity)).to.deep.equal({
      counts: [
        [0, 2, 0],
        [0, 1],
      ],
      cost: { unserved: 0, evictions: 2, minutesLost: 0, gpusChanged: 3, instancesDestroyed: 1 },
    });
    expect(chooseExactly(asking(1, 'a'), groups, Infinity)?.cost).to.deep.equal({
      unserved: 0,
      evictions: 0,
      minutesLost: 0,
      gpusChanged: 1,
      instancesDestroyed: 0,
    });
  });

  it('takes no more steps than it may: one for each column with each sum before it', () => {
    // The sums before the three GPUs are 0, then 0 and 1, then 0, 1 and 2.
    const groups = [{ size: 3, columns: [still, cheap] }];
    expect(chooseExactly(asking(2, 'a'), groups, 12)?.counts).to.deep.equal([[1, 2]]);
    expect(chooseExactly(asking(2, 'a'), groups, 11)).to.equal(undefined);
  });

  it('does not begin where sums have no exact numbers', () => {
    expect(chooseExactly(asking(2 ** 60, 'a'), [pair], Infinity)).to.equal(undefined);
  });
});
