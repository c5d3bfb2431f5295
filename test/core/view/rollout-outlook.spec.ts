import { expect } from 'chai';
import type { GpuPartitionPolicy, Phase } from '../../../src/api/types.ts';
import { foreseeRollout } from '../../../src/core/view/rollout-outlook.ts';
import { aPolicy } from '../../support/builders.ts';
import { aStatusNode } from './status-stories.ts';

const noon = Date.parse('2026-01-01T12:00:00Z');

interface Story {
  readonly maxUnavailable?: number;
  readonly phases?: Readonly<Partial<Record<Phase, number>>>;
  /** How many seconds ago nodes in flight were admitted. */
  readonly begun?: readonly number[];
  readonly pace?: NonNullable<GpuPartitionPolicy['status']>['pace'] | undefined;
  readonly reason?: string;
  readonly mode?: 'Plan';
  readonly limits?: NonNullable<GpuPartitionPolicy['status']>['limits'];
}

const aMinuteEach = { generation: 1, nodes: 4, seconds: 240 };

function foresee({ maxUnavailable = 2, phases = {}, begun = [], reason = 'Reconciling', ...rest }: Story) {
  const pace = 'pace' in rest ? rest.pace : aMinuteEach;
  const nodes = Object.entries(phases).flatMap(([phase, count]) =>
    Array.from({ length: count }, (_, at) => aStatusNode({ name: `${phase}-${at}`, phase: phase as Phase })),
  );
  const policy = {
    ...aPolicy({ rollout: { maxUnavailable }, ...(rest.mode && { mode: rest.mode }) }),
    status: {
      nodes: { matched: nodes.length },
      conditions: [{ type: 'Ready', status: 'False' as const, reason, message: '', lastTransitionTime: '' }],
      inFlight: begun.map((ago, at) => ({
        node: `Updating-${at}`,
        nodeUID: 'u',
        epoch: 1,
        startTime: new Date(noon - ago * 1000).toISOString(),
      })),
      ...(pace && { pace }),
      ...(rest.limits && { limits: rest.limits }),
    },
  };
  return foreseeRollout(policy, nodes, noon);
}

describe('what is left of a rollout', () => {
  it('takes as long as the changes before, as many at a time as may change', () => {
    const outlook = foresee({ phases: { Ready: 4, Pending: 5 } });
    expect(outlook).to.deep.equal({
      left: 5,
      waves: 3,
      seconds: 180,
      pace: { seconds: 60, nodes: 4 },
      words: '5 nodes left in 3 waves of at most 2, done in about 3 min (a change took 1 min, mean of 4)',
    });
  });

  it('counts what nodes in flight have had of their time', () => {
    expect(foresee({ phases: { Updating: 1 }, begun: [45] })?.seconds).to.equal(15);
    // The place that is free next takes the next node.
    expect(foresee({ phases: { Updating: 2, Pending: 1 }, begun: [45, 10] })?.seconds).to.equal(75);
    expect(foresee({ phases: { Updating: 2, Pending: 3 }, begun: [45, 10] })?.seconds).to.equal(135);
    // One that takes longer than the others did is done at any moment, for all that is known.
    expect(foresee({ phases: { Updating: 1 }, begun: [600] })?.seconds).to.equal(0);
    // A clock that is behind makes nothing longer.
    expect(foresee({ phases: { Updating: 1 }, begun: [-30] })?.seconds).to.equal(60);
  });

  it('says no time before a node has changed at this generation', () => {
    const { words, ...rest } = foresee({ phases: { Pending: 5 }, pace: undefined }) ?? {};
    expect(rest).to.deep.equal({ left: 5, waves: 3, seconds: undefined, pace: undefined });
    expect(words).to.equal('5 nodes left in 3 waves of at most 2');
    const earlier = foresee({ phases: { Pending: 5 }, pace: { generation: 0, nodes: 3, seconds: 30 } });
    expect(earlier?.seconds).to.equal(undefined);
  });

  it('says no time where something keeps the rollout from going on', () => {
    for (const reason of ['Paused', 'WindowClosed', 'Halted', 'CanarySoak', 'Waiting', 'Failed']) {
      expect(foresee({ phases: { Pending: 5 }, reason })?.seconds, reason).to.equal(undefined);
    }
    const held = foresee({ maxUnavailable: 0, phases: { Pending: 5 } });
    expect([held?.waves, held?.seconds]).to.deep.equal([undefined, undefined]);
    expect(held?.words).to.equal('5 nodes left (a change took 1 min, mean of 4)');
  });

  it('takes as many waves as the cap over all policies leaves, and names it', () => {
    const limits = { nodes: 6, maxUnavailable: 3, maxConcurrentNodes: 1 };
    const outlook = foresee({ maxUnavailable: 3, phases: { Pending: 6 }, limits });
    expect(outlook?.waves).to.equal(6);
    expect(outlook?.words).to.match(
      /^6 nodes left in 6 waves of at most 1 \(--max-concurrent-nodes of the controller\), done/,
    );
    const wide = foresee({ maxUnavailable: 3, phases: { Pending: 6 }, limits: { ...limits, maxConcurrentNodes: 5 } });
    expect(wide?.words).to.include('in 2 waves of at most 3, done');
  });

  it('is nothing where nobody is waited for', () => {
    expect(foresee({ phases: { Ready: 4, Failed: 1, Invalid: 1 } })).to.equal(undefined);
    expect(foresee({ phases: { Pending: 1 }, mode: 'Plan' })).to.equal(undefined);
  });
});
