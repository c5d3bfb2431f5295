import { expect } from 'chai';
import { Census } from '../../../src/core/policy/census.ts';
import { readKeptMemory } from '../../support/kept-memory.ts';

describe('the census of GPU products', () => {
  it('has a product for as long as one node has it', () => {
    const census = new Census();
    expect(census.put('a', ['A100', 'A100'])).to.equal(true);
    expect(census.put('b', ['A100'])).to.equal(false);
    expect(census.put('b', ['A100']), 'the same again').to.equal(false);
    expect(census.put('a', [])).to.equal(false);
    expect(census.products).to.deep.equal(['A100']);
    expect(census.put('b', ['A30'])).to.equal(true);
    expect(census.products).to.deep.equal(['A30']);
    expect(census.put('a', ['A100']), 'back again').to.equal(true);
    expect(census.products).to.have.members(['A30', 'A100']);
  });

  it('keeps nothing of a node that is gone', () => {
    const census = new Census();
    const count = 100_000;
    const replace = (run: string): void => {
      for (let at = 0; at < count; at += 1) {
        census.put(`${run}-${at}`, ['A100']);
        census.put(`${run}-${at}`, []);
      }
    };
    replace('warm');
    const before = readKeptMemory().heapUsed;
    replace('counted');
    expect((readKeptMemory().heapUsed - before) / count, 'bytes of each node').to.be.below(30);
    expect(census.products).to.deep.equal([]);
  });
});
