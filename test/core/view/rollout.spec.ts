import { expect } from 'chai';
import type { GpuPartitionPolicy, Phase, GpuNodePartition, PolicySpec, PolicyStatus } from '../../../src/api/types.ts';
import { aGpu, aPolicy, aDevice, aPartition, withPods } from '../../support/builders.ts';
import { aCluster, aFleetNode, inFile, someSetup, planChange } from '../plan/cluster-builder.ts';
import { drawStatus, aStatusNode } from './status-stories.ts';
import { viewFleet } from '../../../src/core/view/fleet.ts';
import { plainText } from '../../../src/core/view/lines.ts';

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
  return viewFleet([policy], nodes, noon).policies[0]?.rollout;
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
    const [status] = viewFleet([applied] as readonly GpuPartitionPolicy[], waiting, noon).policies;
    return { plan: waves.length, status: status?.rollout?.waves };
  }

  it('foresee the same waves: with the cap that the controller has written, and with its default where nothing is known', () => {
    expect(foreseenBoth(2)).to.deep.equal({ plan: 3, status: 3 });
    expect(foreseenBoth(undefined)).to.deep.equal({ plan: 6, status: 6 });
  });
});

const times = { schedule: '0 22 * * *', duration: '8h' };
const night = { name: 'night', ...times, layouts: [{ profiles: { '3g.20gb': 2 } }] };
const byDay: PolicyStatus['schedule'] = {
  since: '2026-01-05T06:00:00Z',
  next: { name: 'night', time: '2026-01-05T22:00:00Z' },
};
const small = ['1g.5gb@0*', '1g.5gb@1', '1g.5gb@2', '1g.5gb@3', '1g.5gb@4', '1g.5gb@5', '1g.5gb@6'];

function aScheduled(
  schedule: PolicyStatus['schedule'] = byDay,
  schedules: PolicySpec['schedules'] = [night],
): GpuPartitionPolicy {
  // The slices of these nodes are nobody's.
  const allow = { replaceForeignInstances: true };
  return { ...aPolicy({ allow, ...(schedules && { schedules }) }), status: { ...(schedule && { schedule }) } };
}

const node = (name: string, isUsed: boolean): GpuNodePartition => {
  const gpu = isUsed
    ? withPods(aGpu({ slices: small }), { '1g.5gb@0': ['a/pod'] })
    : aGpu({ slices: ['3g.20gb@0', '3g.20gb@4'] });
  const policy = { name: 'p', uid: 'uid-p', generation: 1 };
  const partition = aPartition({ policy, device: aDevice(gpu) });
  return { ...partition, metadata: { ...partition.metadata, name } };
};

describe('what is shown of the schedules of a policy', () => {
  const viewSchedule = (policy: GpuPartitionPolicy, partitions: readonly GpuNodePartition[]) =>
    viewFleet([policy], partitions, 0).policies[0]?.schedule;

  it('is the one in force, and the next with its bill: GPUs that change and pods that have to go', () => {
    const view = viewSchedule(aScheduled(), [node('n1', true), node('n2', false)]);
    expect(view?.next).to.deep.equal({
      name: 'night',
      time: '2026-01-05T22:00:00Z',
      bill: { nodesChanging: 1, gpusChanging: 1, podsToEvict: 1, nodesRefusing: 0 },
    });
    expect(view?.words).to.equal(
      "no schedule applies: the policy's own since 2026-01-05T06:00:00Z; night follows at 2026-01-05T22:00:00Z: 1 GPU on 1 node changes, 1 pod has to go, as of now",
    );
  });

  it('is the way back at night', () => {
    const atNight = { name: 'night', since: '2026-01-05T22:00:00Z', next: { time: '2026-01-06T06:00:00Z' } };
    expect(viewSchedule(aScheduled(atNight), [node('n2', false)])?.words).to.equal(
      "schedule night since 2026-01-05T22:00:00Z; the policy's own follow at 2026-01-06T06:00:00Z: 1 GPU on 1 node changes, no pod has to go, as of now",
    );
    const forever = { name: 'night', since: '2026-01-05T22:00:00Z' };
    expect(viewSchedule(aScheduled(forever), [])?.words).to.equal('schedule night since 2026-01-05T22:00:00Z');
  });

  it('has no bill for a demand, which chooses its layouts then', () => {
    const demand = { slices: [{ profiles: ['1g.5gb'], count: 4 }] };
    const view = viewSchedule(aScheduled(byDay, [{ name: 'night', ...times, demand }]), [node('n1', true)]);
    expect(view?.next?.bill).to.equal(undefined);
    expect(view?.words).to.match(
      /night follows at 2026-01-05T22:00:00Z; a demand chooses its layouts then: gpu-partition plan --at 2026-01-05T22:00:00Z shows them as of now$/,
    );
  });

  it('names nodes that cannot take the next schedule now', () => {
    const view = viewSchedule(aScheduled(byDay, [{ ...night, layouts: [{ profiles: { '1g.5gb': 9 } }] }]), [
      node('n1', true),
    ]);
    expect(view?.words).to.match(/: nothing changes; 1 node cannot change now$/);
  });

  it('is planned again where the report of a node is another, and after an edit', () => {
    const policy = aScheduled();
    const before = node('n1', true);
    expect(viewSchedule(policy, [before])?.next?.bill?.gpusChanging).to.equal(1);
    expect(viewSchedule(policy, [node('n1', false)])?.next?.bill?.gpusChanging).to.equal(0);
    const edited = { ...policy, metadata: { ...policy.metadata, generation: 2 } };
    const same = { ...night, layouts: [{ profiles: { '1g.5gb': 7 } }] };
    const { spec } = aScheduled(byDay, [same]);
    expect(viewSchedule({ ...edited, spec }, [before])?.next?.bill?.gpusChanging).to.equal(0);
  });

  it('does not exist without schedules, or before the controller has judged them', () => {
    expect(viewSchedule(aPolicy(), [])).to.equal(undefined);
    expect(viewSchedule({ ...aScheduled(), status: {} }, [])).to.equal(undefined);
  });

  it('stands in the status of the fleet', () => {
    const partitions = [node('n1', true)];
    expect(viewFleet([aScheduled()], partitions, 0).policies[0]?.schedule?.next?.name).to.equal('night');
    const lines = drawStatus([aScheduled()], partitions, { columns: 200, now: 0 }).map(plainText);
    expect(lines.some((line) => line.startsWith('p: no schedule applies'))).to.equal(true);
  });
});
