import { expect } from 'chai';
import type { PlanReport } from '../../../src/api/types.ts';
import { asksForClaims } from '../../../src/core/node/backend.ts';
import { aClaim, aManagedPartition, aSlicingPolicy, wholeGpu } from '../../support/node-builders.ts';

function asks(plan: Partial<PlanReport>, drain?: 'Node'): boolean {
  const policy = aSlicingPolicy({ backend: 'DRA', ...(drain && { drain: { scope: drain } }) });
  const nothing = { hash: 'h', wishHash: 'w', keep: 1, destroy: 0, create: 0 };
  const device = { ...wholeGpu, plan: { ...nothing, ...plan } };
  const partition = aManagedPartition({ backend: 'DRA', device });
  return asksForClaims({ claim: aClaim(policy, partition), partition });
}

describe('the claims of the cluster', () => {
  it('are listed for a plan that takes something away, or that has pods go', () => {
    expect(asks({})).to.equal(false);
    expect(asks({ destroy: 1 })).to.equal(true);
    expect(asks({ modeChanges: 1 })).to.equal(true);
    expect(asks({ affectedPods: ['team/train'] })).to.equal(true);
    expect(asks({}, 'Node')).to.equal(true);
  });

  it('are listed for a plan that only creates: without them a pod that looks on would be waited for', () => {
    expect(asks({ create: 1 })).to.equal(true);
  });
});
