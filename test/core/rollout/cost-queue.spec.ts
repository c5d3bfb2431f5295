import { expect } from 'chai';
import fc from 'fast-check';
import { compareText } from '../../../src/core/text/fingerprint.ts';
import { CostQueue } from '../../../src/core/rollout/cost-queue.ts';

describe('a queue by cost', () => {
  it('has the cheapest first, and those of equal cost by name, in whichever order they came', () => {
    const queue = new CostQueue();
    for (const [name, cost] of [
      ['d', 5],
      ['b', 1],
      ['c', 5],
      ['a', 1],
    ] as const)
      queue.add(name, cost);
    expect([...queue.inOrder()]).to.deep.equal(['a', 'b', 'c', 'd']);
  });

  it('has a name once that is added again at the same cost', () => {
    const queue = new CostQueue();
    for (const name of ['b', 'a', 'b']) queue.add(name, 1);
    expect([...queue.inOrder()]).to.deep.equal(['a', 'b']);
    expect(queue.size).to.equal(2);
  });

  it('is what a sorted list would be, whatever is added and taken away', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const change = fc.oneof(fc.tuple(name, fc.integer({ min: 0, max: 4 })), fc.tuple(name));
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
        const queue = new CostQueue();
        let list: { readonly name: string; readonly cost: number }[] = [];
        for (const [one, cost] of changes) {
          if (cost === undefined) queue.delete(one);
          else queue.add(one, cost);
          if (list.some((known) => known.name === one && known.cost === cost)) continue;
          list = list.filter((known) => known.name !== one);
          if (cost !== undefined) list.push({ name: one, cost });
        }
        const sorted = list
          .toSorted((left, right) => left.cost - right.cost || compareText(left.name, right.name))
          .map((known) => known.name);
        expect([...queue.inOrder()]).to.deep.equal(sorted);
        expect(queue.size).to.equal(list.length);
      }),
    );
  });
});
