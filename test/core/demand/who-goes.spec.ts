import { answerAll } from '../../../src/core/text/asking.ts';
import { expect } from 'chai';
import type { GpuPartitionPolicy, PolicyDemand } from '../../../src/api/types.ts';
import { NOBODY } from '../../../src/core/demand/solver/pool.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';
import type { ClusterFacts } from '../../../src/core/cluster/facts.ts';
import { trimWaitingPod, listWaiters, shareSlices, shareWaiting } from '../../../src/core/demand/waiting-pods.ts';
import { DemandMemory } from '../../../src/core/demand/state.ts';
import { askFor, planHere, planMembers, type Planned } from '../../../src/core/demand/plan-pool.ts';
import { indexHolders, listGoing, weighGpus } from '../../../src/core/demand/eviction-cost.ts';
import { listMembers, type DemandGpu, setMembersAside, PoolReader } from '../../../src/core/demand/members.ts';
import { wantedSlices } from '../../../src/core/demand/wanted.ts';
import { aFleetNode, aTeamPod } from '../plan/cluster-builder.ts';
import { aDemandPolicy } from './defrag-builders.ts';

const MINUTE = 60_000;
const noon = Date.parse('2026-01-01T12:00:00Z');
const smalls = [0, 1, 2, 3, 4, 5, 6].map((start) => `1g.5gb@${start}`);

type Fleet = readonly ReturnType<typeof aFleetNode>[];

/** A pod that runs on slices. */
function running(name: string, priority: number, more: Partial<PodView['metadata']> = {}): PodView {
  const pod = aTeamPod(name);
  return {
    ...pod,
    metadata: { ...pod.metadata, ...more },
    spec: { ...pod.spec, priority },
    status: { phase: 'Running', startTime: '2025-12-31T13:00:00Z' },
  };
}

function waiting(name: string, profile: string, spec: Partial<PodView['spec']> = {}, namespace = 'team'): PodView {
  const resources = { requests: { [`nvidia.com/mig-${profile}`]: '1' } };
  return trimWaitingPod({ metadata: { name, namespace }, spec: { containers: [{ resources }], ...spec } });
}

/** A node whose slices each hold the pod of the same number. */
function fullOf(policy: GpuPartitionPolicy, name: string, slices: readonly string[]): ReturnType<typeof aFleetNode> {
  const pods = Object.fromEntries(slices.map((slice, index) => [slice, [`${name}-${index}`]]));
  return aFleetNode({ name, slices: [...slices], pods }, policy);
}

const follows = (...profiles: readonly string[]): Partial<PolicyDemand> => ({
  from: 'Pods',
  slices: profiles.map((profile) => ({ profiles: [profile] })),
});

/** The controller's loop, in virtual time. */
class Loop {
  readonly course = new DemandMemory();
  nowMs = noon;
  /** Nodes that change by the last plan; undefined if nothing of it was taken. */
  touched: readonly string[] | undefined;
  readonly #policy: GpuPartitionPolicy;
  readonly #namespaces: ClusterFacts['namespaces'] | undefined;

  constructor(policy: GpuPartitionPolicy, namespaces?: ClusterFacts['namespaces']) {
    this.#policy = policy;
    this.#namespaces = namespaces;
  }

  #read(fleet: Fleet): readonly DemandGpu[] {
    const { demand = { slices: [] } } = this.#policy.spec;
    return fleet.flatMap(({ node, partition }) =>
      listMembers(this.#policy, partition, {
        node,
        isResting: (uuid) => this.course.restOf(demand, `${partition.metadata.name}/${uuid}`, this.nowMs),
      }),
    );
  }

  /** @param after the nodes once the plan is made @returns the pods that go */
  look(fleet: Fleet, pods: readonly PodView[], after = fleet): readonly string[] {
    const { demand = { slices: [] } } = this.#policy.spec;
    const { name } = this.#policy.metadata;
    const read = this.#read(fleet);
    const reader = new PoolReader(this.#policy);
    const pool = reader.pool(
      name,
      fleet.map(({ node, partition }) => reader.read(node, partition)),
      'Now',
      [],
      this.nowMs,
    );
    const waiters = listWaiters(
      pods.filter(({ spec }) => spec?.nodeName === undefined),
      this.#namespaces,
    );
    const share = demand.from === 'Pods' ? shareSlices(waiters, [pool]).get(name) : undefined;
    const members = setMembersAside(read, share?.takers);
    const wanted = this.course.want(demand, members, share?.waiting, this.nowMs, share);
    const asked = askFor(this.#policy, wanted, members);
    const next = this.course.next(asked, members, this.nowMs);
    const partitions = fleet.map(({ partition }) => partition);
    const holders = indexHolders({ partitions, pods, budgets: [] });
    const planned =
      next && 'planned' in next ? next.planned : this.#plan(asked, members, holders, share?.waiting.ranks?.nodes);
    this.course.takePlan(planned, this.nowMs, this.nowMs);
    const current = after === fleet ? members : setMembersAside(this.#read(after), share?.takers);
    this.touched = this.course.choose(demand, planned, current, this.nowMs)?.touched.map(({ node }) => node);
    const going = listGoing(members, planned.layouts, holders);
    this.course.evict(going, this.nowMs);
    return going.map(({ metadata }) => metadata.name).toSorted();
  }

  #plan(
    asked: ReturnType<typeof askFor>,
    members: readonly DemandGpu[],
    holders: ReturnType<typeof indexHolders>,
    nodes: ReadonlySet<string> | undefined,
  ): Planned {
    const demand = this.#policy.spec.demand ?? { slices: [] };
    const isSpared = (pod: PodView): boolean => this.course.isSpared(demand, pod, this.nowMs);
    const gpus = weighGpus(members, holders, undefined, { nodes, isSpared, nowMs: this.nowMs });
    return answerAll(planMembers(members, asked, gpus), (question) => {
      const answer = planHere(question);
      if (answer === undefined) throw new Error('the pool is too large');
      return answer;
    });
  }
}

describe('who goes for a pod that waits', () => {
  const policy = aDemandPolicy(follows('1g.5gb', '7g.40gb'));
  const seven = [fullOf(policy, 'n', smalls)];
  const dayLong = (priority: number): readonly PodView[] => smalls.map((_, index) => running(`n-${index}`, priority));
  const all = smalls.map((_, index) => `n-${index}`);

  it('leaves seven small ones of a day alone for a large one of equal priority, though it weighs more', () => {
    expect(new Loop(policy).look(seven, [...dayLong(0), waiting('large', '7g.40gb')])).to.deep.equal([]);
  });

  it('goes for a part of a plan that still stands, too, though that serves no more by weight', () => {
    const pairs = aDemandPolicy(follows('1g.5gb', '2g.10gb'));
    const loop = new Loop(pairs);
    const [n, m] = [fullOf(pairs, 'n', smalls), fullOf(pairs, 'm', smalls)];
    const pods = [...dayLong(0), ...smalls.map((_, index) => running(`m-${index}`, 0))];
    const many = Array.from({ length: 4 }, (_, index) => waiting(`pair-${index}`, '2g.10gb', { priority: 1 }));
    expect(loop.look([n, m], [...pods, ...many], [n, fullOf(pairs, 'm', smalls.slice(1))])).to.have.length(8);
    expect(loop.touched).to.deep.equal(['n']);
  });

  it('is each of them for one that ranks above', () => {
    const large = waiting('large', '7g.40gb', { priority: 1 });
    expect(new Loop(policy).look(seven, [...dayLong(0), large])).to.deep.equal(all);
    const mixed = [...dayLong(0).slice(1), running('n-0', 1)];
    expect(new Loop(policy).look(seven, [...mixed, large]), 'one of them ranks as high').to.deep.equal([]);
  });

  it('leaves pods of priority 1000000 alone for those of priority 1', () => {
    const halves = aDemandPolicy(follows('1g.5gb', '3g.20gb'));
    const node = [fullOf(halves, 'n', ['3g.20gb@0', '3g.20gb@4'])];
    const two = [running('n-0', 1_000_000), running('n-1', 1_000_000)];
    const pods = ['a', 'b'].map((name) => waiting(name, '1g.5gb', { priority: 1 }));
    expect(new Loop(halves).look(node, [...two, ...pods])).to.deep.equal([]);
  });

  it('is nobody for one that may not preempt, that has a node already, or that requests two slices', () => {
    const look = (pod: PodView): readonly string[] => new Loop(policy).look(seven, [...dayLong(0), pod]);
    const large = waiting('large', '7g.40gb', { priority: 9 });
    expect(look(waiting('large', '7g.40gb', { priority: 9, preemptionPolicy: 'Never' }))).to.deep.equal([]);
    expect(look({ ...large, status: { nominatedNodeName: 'n' } })).to.deep.equal([]);
    const two = { resources: { requests: { 'nvidia.com/mig-7g.40gb': '2' } } };
    expect(look({ ...large, spec: { ...large.spec, containers: [two] } })).to.deep.equal([]);
    expect(look(large)).to.deep.equal(all);
  });

  it('is nobody for one behind a pod that may not preempt, which would take what is freed', () => {
    const meek = waiting('meek', '7g.40gb', { priority: 9, preemptionPolicy: 'Never' });
    const look = (priority: number): readonly string[] =>
      new Loop(policy).look(seven, [...dayLong(0), meek, waiting('large', '7g.40gb', { priority })]);
    expect(look(5)).to.deep.equal([]);
    expect(look(10)).to.deep.equal(all);
  });

  it('is nobody on a node that it cannot use', () => {
    const picky = waiting('large', '7g.40gb', { priority: 9, nodeSelector: { disk: 'fast' } });
    expect(new Loop(policy).look(seven, [...dayLong(0), picky])).to.deep.equal([]);
  });

  it('is whoever ranks below on its own node, though what it cannot use is idle elsewhere', () => {
    const picky = waiting('large', '7g.40gb', { priority: 1, nodeSelector: { disk: 'fast' } });
    const pods = Object.fromEntries(smalls.map((slice, index) => [slice, [`n-${index}`]]));
    const own = aFleetNode({ name: 'n', slices: smalls, pods, node: { labels: { disk: 'fast' } } }, policy);
    const other = aFleetNode({ name: 'm', slices: ['7g.40gb@0'] }, policy);
    expect(new Loop(policy).look([own, other], [...dayLong(0), picky])).to.deep.equal(all);
    expect(new Loop(policy).look([own, other], [...dayLong(1), picky]), 'of equal priority').to.deep.equal([]);
    const any = waiting('large', '7g.40gb', { priority: 1 });
    expect(new Loop(policy).look([own, other], [...dayLong(0), any]), 'what is idle serves it').to.deep.equal([]);
  });

  it('goes for those that count for the second slice of a profile, too', () => {
    const two = aDemandPolicy({
      from: 'Pods',
      slices: [
        { name: 'first', profiles: ['7g.40gb'], max: 1 },
        { name: 'second', profiles: ['7g.40gb'] },
        { profiles: ['1g.5gb'] },
      ],
    });
    const fleet = [fullOf(two, 'n', smalls), fullOf(two, 'm', smalls)];
    const busy = ['n', 'm'].flatMap((node) => smalls.map((_, index) => running(`${node}-${index}`, 0)));
    const large = [2, 1].map((priority) => waiting(`large-${priority}`, '7g.40gb', { priority }));
    expect(new Loop(two).look(fleet, [...busy, ...large])).to.have.length(14);
  });

  it('is told from what is idle: only those that nothing idle serves are missing, whatever their priority', () => {
    const nodes = [
      aFleetNode({ name: 'n', slices: ['1g.5gb@0'], node: { labels: { disk: 'fast' } } }, policy),
      aFleetNode({ name: 'm', slices: ['7g.40gb@0'] }, policy),
    ];
    const reader = new PoolReader(policy);
    const read = nodes.map(({ node, partition }) => reader.read(node, partition));
    const pods = [
      waiting('first', '1g.5gb', { priority: 5, nodeSelector: { disk: 'fast' } }),
      waiting('second', '1g.5gb', { preemptionPolicy: 'Never' }),
    ];
    const share = shareSlices(listWaiters(pods), [reader.pool('p', read, 'Now')]).get('p');
    const members = nodes.flatMap(({ partition }) => listMembers(policy, partition, { isResting: () => false }));
    const { demand = { slices: [] } } = policy.spec;
    const asked = { waiting: undefined, ...share, steady: (_: string, count: number) => count };
    const [small] = wantedSlices(demand, members, asked);
    expect(
      small?.slices.filter(({ count }) => count > 0).map(({ outranks, missing }) => [outranks, missing]),
    ).to.deep.equal([
      [5, undefined],
      [NOBODY, 1],
    ]);
  });

  it('waits until it has waited for the stabilization; one of higher priority that has just come waits as long', () => {
    const loop = new Loop(policy);
    loop.look(seven, dayLong(0));
    const large = waiting('large', '7g.40gb', { priority: 1 });
    for (const minutes of [1, 5, 10]) {
      loop.nowMs = noon + minutes * MINUTE;
      expect(loop.look(seven, [...dayLong(0), large]), `after ${minutes}`).to.deep.equal([]);
    }
    loop.nowMs = noon + 12 * MINUTE;
    expect(loop.look(seven, [...dayLong(0), large])).to.deep.equal(all);
  });

  it('is nobody where one after the other waits, each for less than the stabilization', () => {
    const loop = new Loop(policy);
    const largeOf = (minute: number): PodView => {
      const pod = waiting(`large-${minute}`, '7g.40gb', { priority: 1 });
      return {
        ...pod,
        metadata: { ...pod.metadata, creationTimestamp: new Date(noon + minute * MINUTE).toISOString() },
      };
    };
    for (let minute = 0; minute <= 30; minute += 1) {
      loop.nowMs = noon + minute * MINUTE;
      const newest = largeOf(minute - (minute % 5));
      expect(loop.look(seven, [...dayLong(0), newest]), `after ${minute}`).to.deep.equal([]);
    }
    expect(loop.look(seven, [...dayLong(0), largeOf(19)]), 'one of them since 11 minutes').to.deep.equal(all);
  });

  it('is nobody within the cooldown who was evicted before, nor what replaces them', () => {
    const loop = new Loop(policy);
    const owner = (uid: string) => ({ ownerReferences: [{ kind: 'ReplicaSet', uid, controller: true }] });
    const large = waiting('large', '7g.40gb', { priority: 1 });
    const first = smalls.map((_, index) => running(`n-${index}`, 0, owner('set')));
    expect(loop.look(seven, [...first, large])).to.deep.equal(all);
    // They run elsewhere by now, under other names.
    const elsewhere = [fullOf(policy, 'm', smalls)];
    const again = smalls.map((_, index) => running(`m-${index}`, 0, owner('set')));
    const others = smalls.map((_, index) => running(`m-${index}`, 0, owner('another')));
    // A look that comes late forgets what was asked for before it.
    const lookAfter = (minutes: number, fleet: Fleet, pods: readonly PodView[]): readonly string[] => {
      loop.nowMs += minutes * MINUTE;
      return loop.look(fleet, pods);
    };
    for (const minutes of [7, 8]) expect(lookAfter(minutes, elsewhere, [...again, large])).to.deep.equal([]);
    expect(lookAfter(2, elsewhere, [...others, large])).to.have.length(7);
    const there = [fullOf(policy, 'o', smalls)];
    const later = smalls.map((_, index) => running(`o-${index}`, 0, owner('set')));
    for (const minutes of [6, 6]) expect(lookAfter(minutes, there, [...later, large])).to.deep.equal([]);
    expect(lookAfter(2, there, [...later, large]), 'after the cooldown').to.have.length(7);
  });
});

describe('who goes for what no pod waits for', () => {
  const look = (demand: Partial<PolicyDemand>, priority: number): readonly string[] => {
    const policy = aDemandPolicy(demand);
    const node = [fullOf(policy, 'n', ['3g.20gb@0', '3g.20gb@4'])];
    return new Loop(policy).look(node, [running('n-0', priority), running('n-1', priority)]);
  };
  const small = { profiles: ['1g.5gb'], weight: 100 };
  const halves = { profiles: ['3g.20gb'] };

  it('is nobody for a min and for spare slices', () => {
    expect(look({ from: 'Pods', slices: [{ ...small, min: 2 }, halves] }, 0)).to.deep.equal([]);
    expect(look({ from: 'Pods', slices: [{ ...small, spare: 2 }, halves] }, 0)).to.deep.equal([]);
  });

  it('is whoever has no priority for a count, and nobody else', () => {
    expect(look({ slices: [{ ...small, count: 2 }] }, 0)).to.have.length(1);
    expect(look({ slices: [{ ...small, count: 2 }] }, -7)).to.have.length(1);
    expect(look({ slices: [{ ...small, count: 2 }] }, 1)).to.deep.equal([]);
  });
});

describe('whose pods count', () => {
  const selecting = (namespaceSelector: PolicyDemand['namespaceSelector']) =>
    aDemandPolicy({ ...follows('1g.5gb', '7g.40gb'), ...(namespaceSelector && { namespaceSelector }) });
  const busy = (policy: GpuPartitionPolicy) => [fullOf(policy, 'n', smalls)];
  const pods = [
    ...smalls.map((_, index) => running(`n-${index}`, 0)),
    waiting('large', '7g.40gb', { priority: 1 }, 'vision'),
  ];

  it('is told by the labels of their namespaces, or else by the names of these', () => {
    const look = (selector: PolicyDemand['namespaceSelector'], labels?: Readonly<Record<string, string>>) => {
      const policy = selecting(selector);
      const namespaces = labels && new Map([['vision', labels]]);
      return new Loop(policy, namespaces).look(busy(policy), pods).length;
    };
    expect(look(undefined)).to.equal(7);
    expect(look({ matchLabels: { team: 'vision' } }, { team: 'vision' })).to.equal(7);
    expect(look({ matchLabels: { team: 'vision' } }, { team: 'speech' })).to.equal(0);
    expect(look({ matchLabels: { team: 'vision' } })).to.equal(0);
    expect(look({ matchLabels: { 'kubernetes.io/metadata.name': 'vision' } })).to.equal(7);
    expect(look({ matchLabels: { 'kubernetes.io/metadata.name': 'speech' } })).to.equal(0);
  });

  it('leaves pods of other namespaces to the next pool', () => {
    const [first, second] = [selecting({ matchLabels: { team: 'speech' } }), selecting(undefined)];
    const pools = [first, second].map((policy, index) => {
      const reader = new PoolReader(policy);
      const read = busy(policy).map(({ node, partition }) => reader.read(node, partition));
      return reader.pool(`p${index}`, read, 'Now');
    });
    const shares = shareWaiting(listWaiters(pods.slice(-1)), pools);
    expect([...shares].map(([name, { size }]) => [name, size])).to.deep.equal([
      ['p0', 0],
      ['p1', 1],
    ]);
  });
});
