import { expect } from 'chai';
import type { GpuNodePartition, GpuPartitionPolicy, GpuWish, PolicyDemand } from '../../../src/api/types.ts';
import type { NodeView } from '../../../src/core/kubernetes/node.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';
import { DemandMemory } from '../../../src/core/demand/state.ts';
import { askFor, answerHere, planMembers, planServed } from '../../../src/core/demand/plan-pool.ts';
import { reportDemand } from '../../../src/core/demand/report.ts';
import { listMembers, type DemandGpu, setMembersAside, PoolReader } from '../../../src/core/demand/members.ts';
import { listWaiters, shareSlices } from '../../../src/core/demand/waiting-pods.ts';
import { wantedSlices } from '../../../src/core/demand/wanted.ts';
import { aDevice, aGpu, aPartition, uuidOf } from '../../support/builders.ts';
import { aDemandPolicy, aNodeWith, finish, nobody } from '../../support/demand-builders.ts';
import { aNode } from '../../support/node-builders.ts';

/** When the demand is looked at again, in ms. */
const lookAgainAfter = (of: PolicyDemand, members: readonly DemandGpu[]) =>
  finish(new DemandMemory().ask(aDemandPolicy(of), of, members, undefined, 0)).lookAgainMs;

const minute = 60_000;
const small = 'nvidia.com/mig-1g.5gb';
const demand: PolicyDemand = { slices: [{ name: 'small', profiles: ['1g.5gb'], count: 3 }], evict: 'IfNeeded' };
const policy = aDemandPolicy(demand);
const gpu = aGpu({ slices: ['1g.5gb@0*', '1g.5gb@1', '1g.5gb@2'] });
const open = aNode({ allocatable: { [small]: '3' } });
const cordoned = aNode({ allocatable: { [small]: '3' }, unschedulable: true });

/** A node of the pool, with the status of its partition. */
function inState(partition: GpuNodePartition, phase: string, reason: string, waits: readonly object[] = []) {
  const conditions = [{ type: 'Ready', status: 'False', reason, message: '', lastTransitionTime: '' }];
  return { ...partition, status: { ...partition.status, phase, conditions, waits } } as unknown as GpuNodePartition;
}

function membersAt(
  node: NodeView,
  partition = aNodeWith('n1', gpu),
  parts: { readonly isLong?: boolean; readonly policy?: GpuPartitionPolicy } = {},
): readonly DemandGpu[] {
  const hasLost = (isOut: boolean): boolean => isOut && parts.isLong !== false;
  return listMembers(parts.policy ?? policy, partition, { node, isResting: () => false, hasLost });
}

const supplyOf = (members: readonly DemandGpu[]): readonly number[] => [
  members.flatMap(({ gpu: { instances } }) => instances).length,
  members.flatMap(({ present }) => present).length,
];

describe('slices that new pods cannot reach', () => {
  const taint = (key: string): NodeView =>
    aNode({ allocatable: { [small]: '3' }, taints: [{ key, effect: 'NoSchedule' }] });
  const cases: readonly (readonly [string, NodeView])[] = [
    ['is cordoned', cordoned],
    ['is not ready', aNode({ allocatable: { [small]: '3' }, ready: 'Unknown' })],
    ['is being removed', taint('karpenter.sh/disrupted')],
    ['does not advertise them', aNode({ allocatable: { [small]: '1' } })],
  ];
  for (const [why, node] of cases) {
    it(`do not count as supply once that has lasted, of a node that ${why}`, () => {
      const [member] = membersAt(node);
      expect(supplyOf(membersAt(node)), 'what is in use stays').to.deep.equal([1, 1]);
      expect(member?.lost).to.deep.include({ why, counts: false });
    });

    it(`move nothing before, of a node that ${why}`, () => {
      const members = membersAt(node, undefined, { isLong: false });
      expect(supplyOf(members)).to.deep.equal([3, 1]);
      const wanted = wantedSlices(demand, members, nobody);
      expect(planServed(members, askFor(policy, wanted, members))?.layouts).to.deep.equal([]);
      const { condition } = reportDemand(wanted, members, { lacking: {} });
      expect(condition).to.include({ status: 'False', reason: 'NodesUnavailable' });
      expect(condition.message).to.include(`1 of 3 exist in reach of new pods: node n1 ${why}`);
    });
  }

  it('are told beside what stops the rollout', () => {
    const members = membersAt(cordoned);
    const stop = { reason: 'Paused', message: 'rollout.paused is true' } as const;
    const { condition } = reportDemand(wantedSlices(demand, members, nobody), members, { lacking: {} }, stop);
    expect(condition.reason).to.equal('NodesUnavailable');
    expect(condition.message).to.match(/: node n1 is cordoned; others are not being made: rollout\.paused is true$/);
  });

  it('are those of a closed node only if its change has failed', () => {
    const closed = taint('gpupartition.dev/repartitioning');
    expect(supplyOf(membersAt(closed))).to.deep.equal([3, 3]);
    const failed = inState(aNodeWith('n1', gpu), 'Failed', 'PluginNotReady');
    expect(membersAt(closed, failed)[0]?.lost?.why).to.equal('stays closed');
  });

  it('are not those of a node that is open, or of which nothing is known', () => {
    expect(membersAt(open)[0]?.lost).to.equal(undefined);
    const unknown = listMembers(policy, aNodeWith('n1', gpu), { isResting: () => false });
    expect(supplyOf(unknown)).to.deep.equal([3, 3]);
  });

  it('take no eviction: what is lacking without them is made of idle slices only', () => {
    const ask = (members: readonly DemandGpu[]) => askFor(policy, wantedSlices(demand, members, nobody), members).evict;
    expect(ask(membersAt(open))).to.equal('IfNeeded');
    expect(ask(membersAt(cordoned))).to.equal('Never');
    expect(ask(membersAt(cordoned, undefined, { isLong: false })), 'they still count').to.equal('IfNeeded');
    const other = aNodeWith('n2', aGpu({ slices: ['3g.20gb@0'] }));
    expect(ask([...membersAt(open), ...membersAt(cordoned, other)]), 'nobody wants them').to.equal('IfNeeded');
    const wanted = wantedSlices(demand, membersAt(cordoned), nobody);
    const { condition } = reportDemand(wanted, membersAt(cordoned), { lacking: { small: 2 }, lackingAtLeast: {} });
    expect(condition.reason).to.equal('NothingIdle');
    expect(condition.message)
      .to.include('which is not done for slices that are out of reach')
      .and.to.include('New pods reach no slice where node n1 is cordoned');
  });

  it('are lost after the stabilization of the demand, counted from when they were first seen so', () => {
    const course = new DemandMemory();
    const lost = (isOut: boolean, at: number, stabilization = '10m'): boolean =>
      course.hasLost({ ...demand, stabilization }, 'n1', isOut, at * minute);
    expect([lost(true, 0), lost(true, 9.9), lost(true, 10)]).to.deep.equal([false, false, true]);
    expect(lost(true, 10, '20m'), 'an edit').to.equal(false);
    expect([lost(false, 11), lost(true, 12), lost(true, 21), lost(true, 22)]).to.deep.equal([
      false,
      false,
      false,
      true,
    ]);
  });

  it('are looked at again until they are lost', () => {
    expect(lookAgainAfter({ slices: [] }, membersAt(cordoned, undefined, { isLong: false }))).to.equal(10_000);
    expect(lookAgainAfter({ slices: [] }, membersAt(cordoned))).to.equal(undefined);
  });
});

describe('what was chosen for a node that does not change now', () => {
  const whole = aGpu({ mig: 'Enabled', slices: ['7g.40gb@0'] });
  const wish: GpuWish = { uuid: uuidOf(0), profiles: { '1g.5gb': 7 }, entry: 'demand' };
  const chosen = aNodeWith('n1', whole, wish);
  const node = aNode({ allocatable: { 'nvidia.com/mig-7g.40gb': '1' } });
  const rests = [{ name: 'DrainRest', since: '2026-01-01T00:00:00Z', of: 'DrainTimeout x 1 1:a why', count: 1 }];
  const given: readonly (readonly [string, NodeView, GpuNodePartition])[] = [
    ['fails', node, inState(chosen, 'Failed', 'Failed')],
    ['rests', node, inState(chosen, 'Waiting', 'DrainTimeout', rests)],
    ['has been cordoned for long', aNode({ unschedulable: true }), chosen],
  ];
  for (const [what, at, partition] of given)
    it(`is given up where it ${what}: another node may make it`, () => {
      const [member] = membersAt(at, partition);
      expect(member?.gpu.isResting).to.equal(true);
      expect(member?.gpu.instances.map(({ profile }) => profile)).not.to.include('1g.5gb');
      expect(member?.wish, 'it stays until the demand is served').to.deep.equal(wish);
      expect(member?.instead).to.deep.include({ profiles: { '7g.40gb': 1 } });
    });

  it('is expected of one that was just cordoned, and of one that changes already', () => {
    const [member] = membersAt(aNode({ unschedulable: true }), chosen, { isLong: false });
    expect(member?.gpu.instances).to.have.length(7);
    expect(member?.gpu.isResting).to.equal(true);
    expect(member?.instead).to.equal(undefined);
    expect(membersAt(node, chosen)[0]?.gpu).to.include({ isResting: false });
  });

  it('leaves its wish once others serve the demand, and no sooner', () => {
    const course = new DemandMemory();
    const failed = membersAt(node, inState(chosen, 'Failed', 'Failed'));
    const choose = (others: readonly DemandGpu[]) => {
      const members = [...failed, ...others];
      const asked = askFor(policy, wantedSlices(demand, members, nobody), members);
      const planned = { members, asked, layouts: [], shortfall: { lacking: {} } };
      return course.choose(demand, planned, members, 0)?.wishes.get('n1')?.get(uuidOf(0))?.profiles;
    };
    expect(choose([])).to.deep.equal({ '1g.5gb': 7 });
    expect(choose(membersAt(open, aNodeWith('n2', gpu)))).to.deep.equal({ '7g.40gb': 1 });
    expect(lookAgainAfter({ slices: [] }, failed)).to.equal(10_000);
  });
});

describe('idle slices that the pods which wait cannot use', () => {
  const follows = aDemandPolicy({ slices: [{ name: 'small', profiles: ['1g.5gb'], weight: 100 }], from: 'Pods' });
  const demanded = follows.spec.demand ?? { slices: [] };
  const aPod = (rack: string): PodView => ({
    metadata: { name: 'job', namespace: 'ns' },
    spec: { nodeSelector: { rack }, containers: [{ resources: { limits: { [small]: 1 } } }] },
  });
  const named = (name: string, rack: string, resource: string): NodeView => {
    const one = aNode({ labels: { rack }, allocatable: { [resource]: '1' } });
    return { ...one, metadata: { ...one.metadata, name } };
  };
  const nodes = [named('n1', 'a', small), named('n2', 'b', 'nvidia.com/mig-7g.40gb')] as const;
  const partitions = [
    aNodeWith('n1', aGpu({ slices: ['1g.5gb@0'] })),
    aNodeWith('n2', aGpu({ slices: ['7g.40gb@0'] })),
  ] as const;
  const gathered = nodes.flatMap((node, index) =>
    listMembers(follows, partitions[index] ?? partitions[0], { node, isResting: () => false }),
  );

  /** What is planned for these pods. @param more what else the policy wants */
  function planFor(pods: readonly PodView[], more: PolicyDemand['slices'] = []) {
    const reader = new PoolReader(follows);
    const pool = reader.pool(
      'p',
      nodes.map((node, index) => reader.read(node, partitions[index])),
      'Now',
    );
    const share = shareSlices(listWaiters(pods), [pool]).get('p');
    const members = setMembersAside(gathered, share?.takers);
    const asks = { ...nobody, ...share };
    const wanted = wantedSlices({ ...demanded, slices: [...demanded.slices, ...more] }, members, asks);
    const asked = askFor(follows, wanted, members);
    const planned = planServed(members, asked) ?? answerHere(planMembers(members, asked));
    const made = planned.layouts.flatMap(({ create }, index) =>
      create.map(({ profile }) => `${members[index]?.node} ${profile}`),
    );
    return { made, report: reportDemand(wanted, members, planned.shortfall) };
  }

  it('count for nothing: others are made where such a pod can run', () => {
    expect(planFor([aPod('b')]).made).to.deep.equal(['n2 1g.5gb']);
    expect(planFor([aPod('b')]).report.condition.status).to.equal('False');
    expect(planFor([aPod('a')]).made).to.deep.equal([]);
    expect(planFor([aPod('a')]).report.condition.status).to.equal('True');
    expect(planFor([aPod('a'), aPod('b')]).made).to.deep.equal(['n2 1g.5gb']);
  });

  it('are made on no other node where there is no room, and keep nobody else from theirs', () => {
    const many = Array.from({ length: 9 }, () => aPod('b'));
    const { made, report } = planFor(many, [{ profiles: ['3g.20gb'], min: 1 }]);
    expect(made.filter((one) => one === 'n2 1g.5gb')).to.have.length(7);
    expect(made).to.include('n1 3g.20gb');
    expect(report.states[0]).to.include({ name: 'small', unmet: 2 });
  });

  it('are made on no node that can never hold what one pod requests', () => {
    const reader = new PoolReader(follows);
    const device = aDevice(aGpu({ slices: [] }), aGpu({ index: 1, slices: [] }));
    const two = aPartition({ device });
    const read = [reader.read(nodes[0], partitions[0]), reader.read({ ...nodes[1], metadata: { name: 'n2' } }, two)];
    const pod: PodView = { ...aPod('a'), spec: { containers: [{ resources: { limits: { [small]: 8 } } }] } };
    const share = shareSlices(listWaiters([pod]), [reader.pool('p', read, 'Now')]).get('p');
    expect([...(share?.takers ?? [])]).to.deep.equal(['n2']);
  });

  it('are marked in each slice that counts their profile as far as pods count for it, within its max', () => {
    const ofSmall = (count: number): ReadonlyMap<string, number> => new Map([[small, count]]);
    const asks = { ...nobody, waiting: ofSmall(8), missing: ofSmall(5), stranded: ofSmall(4) };
    const slices = [
      { name: 'first', profiles: ['1g.5gb'], max: 4 },
      { name: 'second', profiles: ['1g.5gb'], max: 3 },
    ];
    const wanted = wantedSlices({ slices, from: 'Pods' }, gathered, asks);
    expect(
      wanted.map((one) => one.slices.map((part) => [part.name, part.count, part.missing])),
      'the eighth pod is beyond the max of both',
    ).to.deep.equal([
      [
        ['first', 4, 2],
        ['first/1g.5gb elsewhere', 1, 1],
      ],
      [
        ['second', 3, 3],
        ['second/1g.5gb elsewhere', 3, 3],
      ],
    ]);
  });

  it('count for what nothing asks for: the min of a slice, then spare ones', () => {
    const asks = (idle: number) => {
      const ofSmall = new Map([[small, 1]]);
      return { ...nobody, waiting: ofSmall, missing: ofSmall, stranded: new Map([[small, idle]]) };
    };
    const partsOf = (bounds: Partial<PolicyDemand['slices'][number]>, idle: number) =>
      wantedSlices({ slices: [{ profiles: ['1g.5gb'], ...bounds }], from: 'Pods' }, gathered, asks(idle))
        .flatMap(({ slices }) => slices)
        .map(({ count }) => count);
    expect(partsOf({}, 1), 'one is made beside it').to.deep.equal([1, 1]);
    expect(partsOf({ spare: 2 }, 1), 'asked for, elsewhere, one more spare').to.deep.equal([1, 1, 1]);
    expect(partsOf({ spare: 2 }, 2), 'both spare ones are there').to.deep.equal([1, 1, 1]);
    expect(partsOf({ spare: 2 }, 3), 'what is idle beyond counts for nothing').to.deep.equal([1, 2, 1]);
    expect(partsOf({ min: 3 }, 1), 'the min').to.deep.equal([2, 1]);
    expect(partsOf({ min: 2, spare: 2 }, 1), 'as many as asked for are spare').to.deep.equal([1, 1, 1]);
  });
});
