import { expect } from 'chai';
import type { GpuPartitionPolicy } from '../../../src/api/types.ts';
import { describeUnready, describeWaiting, type DemoPod } from '../../../src/simulator/demo/screen.ts';
import {
  describeFleetPolicy,
  describeInFlight,
  fleetNodes,
  fleetApp,
  describeDemandPolicy,
  hasShifted,
  largeApp,
  shift,
} from '../../../src/simulator/demo/acts.ts';
import { validate } from '../../../src/api/generated/gpu-partition-policy.validate.js';

/** The policy while this many of its nodes are in flight. */
function inFlight(edition: 'First' | 'Edited', count: number): GpuPartitionPolicy {
  const slots = fleetNodes.slice(0, count).map(({ name }) => ({ node: name, nodeUID: name }));
  const status = { summary: `0/12 ready, ${count} updating`, inFlight: slots };
  return { ...(describeFleetPolicy(edition) as GpuPartitionPolicy), status };
}

describe('why the demo cannot continue', () => {
  const policy = inFlight('Edited', 3);
  const ready = { type: 'Ready', lastTransitionTime: '', observedGeneration: 2 };
  const aPolicy = (generation: number, ...conditions: readonly object[]): GpuPartitionPolicy =>
    ({ ...policy, metadata: { name: 'serving', generation }, status: { conditions } }) as GpuPartitionPolicy;

  it('is each policy whose newest generation is not Ready, with its condition', () => {
    expect(describeUnready([aPolicy(2, { ...ready, status: 'True', reason: 'Ready', message: 'all' })])).to.equal('');
    const waiting = aPolicy(2, { ...ready, status: 'False', reason: 'Waiting', message: 'node west-1 is draining' });
    expect(describeUnready([waiting, aPolicy(3)])).to.equal(
      'policy serving is not Ready: Waiting: node west-1 is draining; policy serving is not Ready: it has no status yet',
    );
  });

  it('is the pods that do not run', () => {
    const pods = ['Running', 'Pending'].map((phase) => ({
      metadata: { name: phase, uid: phase },
      spec: {},
      status: { phase },
    }));
    expect(describeWaiting(pods)).to.equal('1 of 2 pods wait: Pending');
  });
});

describe('the line below the fleet of the demo', () => {
  it('has the budget of the policy as it is: of all nodes at first, of three after the edit', () => {
    expect(describeInFlight(inFlight('First', 12))).to.equal('0/12 ready, 12 updating; 12 of at most 12 in flight');
    expect(describeInFlight(inFlight('Edited', 3))).to.equal('0/12 ready, 3 updating; 3 of at most 3 in flight');
  });

  it('is empty as long as there is no policy', () => {
    expect(describeInFlight(undefined)).to.equal('');
  });
});

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
