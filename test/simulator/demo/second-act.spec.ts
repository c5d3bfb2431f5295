import { expect } from 'chai';
import type { GpuPartitionPolicy } from '../../../src/api/types.ts';
import { describeFleetPolicy, describeInFlight, fleetNodes } from '../../../src/simulator/demo/second-act.ts';

/** The policy while this many of its nodes are in flight. */
function inFlight(edition: 'First' | 'Edited', count: number): GpuPartitionPolicy {
  const slots = fleetNodes.slice(0, count).map(({ name }) => ({ node: name, nodeUID: name }));
  const status = { summary: `0/12 ready, ${count} updating`, inFlight: slots };
  return { ...(describeFleetPolicy(edition) as GpuPartitionPolicy), status };
}

describe('the line below the fleet of the demo', () => {
  it('has the budget of the policy as it is: of all nodes at first, of three after the edit', () => {
    expect(describeInFlight(inFlight('First', 12))).to.equal('0/12 ready, 12 updating; 12 of at most 12 in flight');
    expect(describeInFlight(inFlight('Edited', 3))).to.equal('0/12 ready, 3 updating; 3 of at most 3 in flight');
  });

  it('is empty as long as there is no policy', () => {
    expect(describeInFlight(undefined)).to.equal('');
  });
});
