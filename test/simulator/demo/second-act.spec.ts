import { expect } from 'chai';
import type { GpuPartitionPolicy } from '../../../src/api/types.ts';
import { describeUnready, describeWaiting } from '../../../src/simulator/demo/cluster-view.ts';
import { describeFleetPolicy, describeInFlight, fleetNodes } from '../../../src/simulator/demo/second-act.ts';

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
