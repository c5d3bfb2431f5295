import { expect } from 'chai';
import { Turnstile } from '../../src/process/turnstile.ts';

describe('Turnstile', () => {
  it('lets so many through at a time, in order, also past one that fails', async () => {
    const turnstile = new Turnstile(2);
    const begun: number[] = [];
    let inside = 0;
    const one = async (index: number): Promise<void> => {
      begun.push(index);
      inside += 1;
      expect(inside).to.be.at.most(2);
      await new Promise((resolve) => setImmediate(resolve));
      inside -= 1;
      if (index === 1) throw new Error('1 fails');
    };
    const all = [0, 1, 2, 3, 4, 5].map((index) => turnstile.pass(() => one(index)));
    const results = await Promise.allSettled(all);
    expect(begun).to.deep.equal([0, 1, 2, 3, 4, 5]);
    expect(results.filter(({ status }) => status === 'rejected')).to.have.length(1);
  });
});
