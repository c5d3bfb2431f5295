import { expect } from 'chai';
import type { GpuPartitionPolicy, Phase } from '../../../src/api/types.ts';
import { forecastRollouts } from '../../../src/core/view/rollout-outlook.ts';
import { aGpu, aPolicy } from '../../support/builders.ts';
import { aCluster, aFleetNode, inFile, someSetup, planChange } from '../plan/cluster-builder.ts';
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
  readonly rollout?: GpuPartitionPolicy['spec']['rollout'];
  readonly limits?: NonNullable<GpuPartitionPolicy['status']>['limits'];
}

const aMinuteEach = { generation: 1, nodes: 4, seconds: 240 };

function forecast({ maxUnavailable = 2, phases = {}, begun = [], reason = 'Reconciling', ...rest }: Story) {
  const pace = 'pace' in rest ? rest.pace : aMinuteEach;
  const nodes = Object.entries(phases).flatMap(([phase, count]) =>
    Array.from({ length: count }, (_, at) =>
      aStatusNode({
        name: `${phase}-${at}`,
        policy: 'p',
        phase: phase as Phase,
        gpus: [aGpu()],
        ...(phase === 'Pending' && { reason: 'AwaitingSlot' }),
      }),
    ),
  );
  const policy = {
    ...aPolicy({
      rollout: { maxUnavailable, failureThreshold: 9, ...rest.rollout },
      ...(rest.mode && { mode: rest.mode }),
    }),
    status: {
      nodes: { matched: nodes.length },
      conditions: [{ type: 'Ready', status: 'False' as const, reason, message: '', lastTransitionTime: '' }],
      inFlight: begun.map((ago, at) => ({
        node: `Updating-${at}`,
        nodeUID: `uid-Updating-${at}`,
        epoch: 1,
        startTime: new Date(noon - ago * 1000).toISOString(),
      })),
      ...(pace && { pace }),
      limits: rest.limits ?? { nodes: nodes.length, maxUnavailable, maxConcurrentNodes: 100 },
    },
  };
  return forecastRollouts([policy], nodes, noon).get('p');
}

describe('what is left of a rollout', () => {
  it('takes as long as the changes before, as many at a time as may change', () => {
    const outlook = forecast({ phases: { Ready: 4, Pending: 5 } });
    expect(outlook).to.deep.equal({
      left: 5,
      changing: 0,
      waves: 3,
      notBefore: undefined,
      seconds: 180,
      pace: { seconds: 60, nodes: 4 },
      words: '5 nodes left in 3 waves of at most 2, done in about 3 min (a change took 1 min, mean of 4)',
    });
  });

  it('counts what nodes in flight have had of their time', () => {
    expect(forecast({ phases: { Updating: 1 }, begun: [45] })?.seconds).to.equal(15);
    // The place that is free next takes the next node.
    expect(forecast({ phases: { Updating: 2, Pending: 1 }, begun: [45, 10] })?.seconds).to.equal(75);
    expect(forecast({ phases: { Updating: 2, Pending: 3 }, begun: [45, 10] })?.seconds).to.equal(135);
    // One that takes longer than the others did is done at any moment, for all that is known.
    expect(forecast({ phases: { Updating: 1 }, begun: [600] })?.seconds).to.equal(0);
    // A clock that is behind makes nothing longer.
    expect(forecast({ phases: { Updating: 1 }, begun: [-30] })?.seconds).to.equal(60);
  });

  it('says no time before a node has changed at this generation', () => {
    const { words, ...rest } = forecast({ phases: { Pending: 5 }, pace: undefined }) ?? {};
    expect(rest).to.deep.include({ left: 5, waves: 3, seconds: undefined, pace: undefined });
    expect(words).to.equal('5 nodes left in 3 waves of at most 2');
    const earlier = forecast({ phases: { Pending: 5 }, pace: { generation: 0, nodes: 3, seconds: 30 } });
    expect(earlier?.seconds).to.equal(undefined);
  });

  it('says no time where something keeps the rollout from going on', () => {
    for (const reason of ['Paused', 'WindowClosed', 'Halted', 'CanarySoak', 'Waiting', 'Failed']) {
      expect(forecast({ phases: { Pending: 5 }, reason })?.seconds, reason).to.equal(undefined);
    }
    const held = forecast({ maxUnavailable: 0, phases: { Pending: 5 } });
    expect([held?.waves, held?.seconds]).to.deep.equal([undefined, undefined]);
    expect(held?.words).to.equal('5 nodes left (a change took 1 min, mean of 4)');
  });

  it('takes as many waves as the cap over all policies leaves, and names it', () => {
    const limits = { nodes: 6, maxUnavailable: 3, maxConcurrentNodes: 1 };
    const outlook = forecast({ maxUnavailable: 3, phases: { Pending: 6 }, limits });
    expect(outlook?.waves).to.equal(6);
    expect(outlook?.words).to.match(
      /^6 nodes left in 6 waves of at most 1 \(--max-concurrent-nodes of the controller\), done/,
    );
    const wide = forecast({ maxUnavailable: 3, phases: { Pending: 6 }, limits: { ...limits, maxConcurrentNodes: 5 } });
    expect(wide?.words).to.include('in 2 waves of at most 3, done');
  });

  it('tells nodes that change now from those that follow, and from those that something else holds up', () => {
    const phases = { Updating: 2, Pending: 3 };
    expect(forecast({ phases, begun: [45, 10] })?.words).to.match(
      /^5 nodes left: 2 change now, 3 follow in 2 waves of at most 2, done in about/,
    );
    // What waits for its pods is in no wave, and its end is unknown.
    expect(forecast({ phases: { ...phases, Waiting: 1 }, begun: [45, 10] })?.words).to.equal(
      '6 nodes left: 2 change now, 3 follow in 2 waves of at most 2, 1 held up (a change took 1 min, mean of 4)',
    );
  });

  it('has no waves while it is held, and says from when on otherwise', () => {
    expect(forecast({ phases: { Pending: 5 }, rollout: { paused: true } })?.waves).to.equal(undefined);
    const windows = [{ schedule: '0 22 * * *', duration: '1h' }];
    expect(forecast({ phases: { Pending: 2 }, rollout: { windows } })?.words).to.equal(
      '2 nodes left, not before 2026-01-01T22:00:00Z (a change took 1 min, mean of 4)',
    );
  });

  it('does not exist if no node is waited for', () => {
    expect(forecast({ phases: { Ready: 4, Failed: 1, Invalid: 1 } })).to.equal(undefined);
    expect(forecast({ phases: { Pending: 1 }, mode: 'Plan' })).to.equal(undefined);
  });
});

describe('status and plan', () => {
  const names = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'];
  const changed = inFile({ layouts: [{ profiles: { '1g.5gb': 7 } }], rollout: { maxUnavailable: 3 } });

  /** The fleet as the controller sees it once the change is applied: every node waits for a slot. */
  function foreseenBoth(cap: number | undefined) {
    const nodes = names.map((name) => aFleetNode({ name, slices: ['3g.20gb@0', '3g.20gb@4'] }));
    const cluster = aCluster(nodes);
    const limits = { nodes: 6, maxUnavailable: 3, maxConcurrentNodes: cap ?? 0 };
    const policies = cluster.policies.map((policy) => ({
      ...policy,
      status: { ...policy.status, ...(cap !== undefined && { limits }) },
    }));
    const { maxConcurrentNodes: _given, ...setup } = someSetup;
    const { waves } = planChange({ ...cluster, policies }, [changed], setup);
    const [policy] = policies;
    const applied = {
      ...changed,
      metadata: { ...policy?.metadata, name: changed.metadata.name },
      status: policy?.status,
    };
    const waiting = cluster.partitions.map((partition) => ({
      ...partition,
      status: {
        ...partition.status,
        phase: 'Pending' as const,
        conditions: [
          { type: 'Ready', status: 'False' as const, reason: 'AwaitingSlot', message: '', lastTransitionTime: '' },
        ],
      },
    }));
    const status = forecastRollouts([applied] as readonly GpuPartitionPolicy[], waiting, noon).get(
      changed.metadata.name,
    );
    return { plan: waves.length, status: status?.waves };
  }

  it('foresee the same waves: with the cap that the controller has written, and with its default where nothing is known', () => {
    expect(foreseenBoth(2)).to.deep.equal({ plan: 3, status: 3 });
    expect(foreseenBoth(undefined)).to.deep.equal({ plan: 6, status: 6 });
  });
});
