import { expect } from 'chai';
import { countLimit, type Limit } from '../../../src/core/rollout/limit.ts';

describe('a limit of nodes', () => {
  const fleets = [0, 1, 3, 10, 101];
  const table: readonly (readonly [Limit, ...number[]])[] = [
    [0, 0, 0, 0, 0, 0],
    ['0%', 0, 0, 0, 0, 0],
    [1, 1, 1, 1, 1, 1],
    [25, 25, 25, 25, 25, 25],
    ['1%', 1, 1, 1, 1, 1],
    ['10%', 1, 1, 1, 1, 10],
    ['33%', 1, 1, 1, 3, 33],
    ['100%', 1, 1, 3, 10, 101],
  ];
  for (const [limit, ...most] of table) {
    it(`${limit} of ${fleets.join(', ')} nodes is ${most.join(', ')}: rounded down, at least 1 unless it is 0`, () => {
      expect(fleets.map((of) => countLimit(limit, of))).to.deep.equal(most);
    });
  }

  it('never rounds a whole share down', () => {
    for (let percent = 1; percent <= 100; percent += 1) {
      expect(countLimit(`${percent}%`, 100), `${percent}%`).to.equal(percent);
    }
  });

  it('holds if it cannot be parsed', () => {
    for (const limit of ['many', '', '%', '10 %', '1e3%', -1, '-5%', NaN, Infinity]) {
      expect(countLimit(limit, 100), String(limit)).to.equal(0);
    }
  });
});
