import { expect } from 'chai';
import { Census } from '../../../src/core/policy/census.ts';

describe('the census of GPU products', () => {
  it('has a product for as long as one node has it', () => {
    const census = new Census();
    expect(census.put('a', ['A100', 'A100'])).to.equal(true);
    expect(census.put('b', ['A100'])).to.equal(false);
    expect(census.put('a', [])).to.equal(false);
    expect(census.products).to.deep.equal(['A100']);
    expect(census.put('b', ['A30'])).to.equal(true);
    expect(census.products).to.deep.equal(['A30']);
    expect(census.put('a', ['A100']), 'back again').to.equal(true);
    expect(census.products).to.have.members(['A30', 'A100']);
  });
});
