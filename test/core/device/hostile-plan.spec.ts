import { expect } from 'chai';
import type { PlanReport } from '../../../src/api/types.ts';
import { NodeCounts } from '../../../src/core/policy/tally.ts';

const aPlan = (keep: number): PlanReport => ({ hash: String(keep), wishHash: 'w', keep, destroy: 0, create: 0 });

describe('the sums of plans', () => {
  it('stay numbers that the API takes, whatever one agent counts', () => {
    const tally = new NodeCounts(['good', 'bad']);
    const outcome = { phase: 'Pending', reason: 'AwaitingPlan', message: '' } as const;
    tally.put({ node: 'good', ...outcome, plan: aPlan(7) });
    for (const keep of [2 ** 31 - 1, Number.MAX_VALUE, -5, NaN, 0.5]) {
      tally.put({ node: 'bad', ...outcome, plan: aPlan(keep) });
      expect(tally.plans.keep, String(keep)).to.satisfy(
        (sum: number) => sum >= 7 && sum <= 7 + 1024 && Number.isInteger(sum),
      );
    }
    tally.remove('bad');
    expect(tally.plans.keep).to.equal(7);
  });
});
