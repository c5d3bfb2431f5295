import { expect } from 'chai';
import { validate } from '../../../src/api/generated/gpu-partition-policy.validate.js';
import type { DemoPod } from '../../../src/simulator/demo/cluster-view.ts';
import { fleetApp } from '../../../src/simulator/demo/second-act.ts';
import { describeDemandPolicy, hasShifted, largeApp, shift } from '../../../src/simulator/demo/third-act.ts';

const aPod = (app: string, index: number, more: { phase?: string; isGoing?: boolean } = {}): DemoPod => ({
  metadata: { name: `${app}-1-${index}`, uid: `${app}${index}`, ...(more.isGoing && { deletionTimestamp: 'now' }) },
  spec: {},
  status: { phase: more.phase ?? 'Running' },
});
const pods = (app: string, count: number): readonly DemoPod[] =>
  Array.from({ length: count }, (_, index) => aPod(app, index));

describe('the third act of the demo', () => {
  it('has a policy that the CRD accepts', () => {
    expect(validate(describeDemandPolicy('serving')), JSON.stringify(validate.errors)).to.equal(true);
  });

  it('is over when all pods run that should, and those that go have no say', () => {
    const small = pods(fleetApp, shift.small);
    const going = aPod(fleetApp, 99, { isGoing: true });
    expect(hasShifted([...small, going, ...pods(largeApp, shift.large)])).to.equal(true);
    expect(hasShifted([...small, ...pods(largeApp, shift.large - 1)])).to.equal(false);
    const waiting = aPod(largeApp, 98, { phase: 'Pending' });
    expect(hasShifted([...small, ...pods(largeApp, shift.large - 1), waiting])).to.equal(false);
  });
});
