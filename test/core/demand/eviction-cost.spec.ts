import { expect } from 'chai';
import { planGpu } from '../../../src/core/gpu/plan.ts';
import type { PolicySpec } from '../../../src/api/types.ts';
import { type Sparing, weighEviction, weighGpus } from '../../../src/core/demand/eviction-cost.ts';
import { listMembers } from '../../../src/core/demand/members.ts';
import { planMembers } from '../../../src/core/demand/plan-pool.ts';
import { think } from '../../../src/planner/questions.ts';
import { aFleetNode, aTeamPod } from '../plan/cluster-builder.ts';
import { modelOf } from '../gpu/builders.ts';
import { aDemandPolicy } from './defrag-builders.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';

const policy = aDemandPolicy();
const nodes = [
  aFleetNode(
    { name: 'n1', slices: ['4g.20gb@0', '3g.20gb@4'], pods: { '4g.20gb@0': ['a'], '3g.20gb@4': ['b'] } },
    policy,
  ),
  aFleetNode({ name: 'n2', slices: ['7g.40gb@0'], pods: { '7g.40gb@0': ['c'] } }, policy),
];
const members = nodes.flatMap(({ partition }) => listMembers(policy, partition, { isResting: () => false }));

function weigh(pods: Readonly<Record<string, Partial<PodView>>>, drain?: PolicySpec['drain'], sparing?: Sparing) {
  const podOf = (name: string): PodView | undefined => {
    const found = pods[name.replace('team/', '')];
    return found && { ...aTeamPod(name.replace('team/', '')), ...found };
  };
  const partitionOf = (name: string) => nodes.find(({ partition }) => partition.metadata.name === name)?.partition;
  return weighGpus(members, { budgets: [], podOf, partitionOf }, drain, sparing);
}

/** The slices that a plan for one more small slice frees, and what it says that is lacking. */
async function planOne(gpus: ReturnType<typeof weigh>) {
  const slices = [{ name: 'small', profiles: ['1g.5gb'], count: 1, weight: 100 }];
  const { layouts, shortfall } = await think(planMembers(members, { slices, evict: 'IfNeeded' }, gpus));
  const freed = layouts.flatMap(({ destroy }, index) =>
    destroy.map(({ profile, start }) => `${members[index]?.node}/${profile}@${start}`),
  );
  return { freed, shortfall };
}

describe('what an eviction costs', () => {
  it('grows with the priority of the pod, and more with a budget that refuses; what stays has no price', () => {
    const costs = [
      weighEviction('Evicted'),
      weighEviction('Evicted', 1),
      weighEviction('Evicted', 100),
      weighEviction('Deleted', 1_000_000),
      weighEviction('Blocked'),
    ].map(Number);
    expect(costs).to.deep.equal(costs.toSorted((a, b) => a - b));
    expect(new Set(costs).size).to.equal(costs.length);
    expect(weighEviction('Evicted', -5)).to.equal(weighEviction('Evicted'));
    const byPriority = [0, 1, 9, 10, 999_999].map((priority) => weighEviction('Evicted', priority));
    expect(byPriority, 'one pod more for each order of magnitude').to.deep.equal([10, 20, 20, 30, 70]);
    const staying = ['Stays', 'Awaited'] as const;
    expect(staying.map((fate) => weighEviction(fate))).to.deep.equal([undefined, undefined]);
  });

  it('decides which pod a plan evicts', async () => {
    const urgent = { spec: { priority: 1000 } };
    expect((await planOne(weigh({ a: urgent, b: {}, c: urgent }))).freed).to.deep.equal(['n1/3g.20gb@4']);
    expect((await planOne(weigh({ a: urgent, b: urgent, c: {} }))).freed).to.deep.equal(['n2/7g.40gb@0']);
  });

  it('counts the work that is lost, of equal ones, to the minute', async () => {
    const nowMs = Date.parse('2026-01-01T12:00:00Z');
    const since = (startTime: string) => ({ status: { startTime } });
    const told = weigh({ a: since('2026-01-01T11:59:30Z'), b: since('2026-01-01T08:00:00Z'), c: {} }, undefined, {
      nowMs,
    });
    expect(told.flatMap(({ instances }) => instances.map(({ minutesRun }) => minutesRun))).to.deep.equal([
      1,
      240,
      undefined,
    ]);
    const old = since('2026-01-01T00:00:00Z');
    const freed = async (pods: Parameters<typeof weigh>[0]) => (await planOne(weigh(pods, undefined, { nowMs }))).freed;
    expect(await freed({ a: old, b: since('2026-01-01T11:59:00Z'), c: old })).to.deep.equal(['n1/3g.20gb@4']);
    expect(await freed({ a: old, b: old, c: since('2026-01-01T11:59:00Z') })).to.deep.equal(['n2/7g.40gb@0']);
  });

  it('does not let go whom a short time spares, nor on a node that the waiting pods cannot use', async () => {
    const isSpared = ({ metadata }: PodView) => metadata.name !== 'c';
    expect((await planOne(weigh({ a: {}, b: {}, c: {} }, undefined, { isSpared }))).freed).to.deep.equal([
      'n2/7g.40gb@0',
    ]);
    const nodes = new Set(['n2']);
    expect((await planOne(weigh({ a: {}, b: {}, c: {} }, undefined, { nodes }))).freed).to.deep.equal(['n2/7g.40gb@0']);
  });

  it('lets nobody go in place of whom the node would let go another, which knows no ranks', async () => {
    const halves = { name: 'n1', slices: ['3g.20gb@0', '3g.20gb@4'], pods: { '3g.20gb@0': ['a'], '3g.20gb@4': ['b'] } };
    const { partition } = aFleetNode(halves, policy);
    const own = listMembers(policy, partition, { isResting: () => false });
    for (const [a = 0, b = 0] of [
      [0, 9],
      [9, 0],
    ]) {
      const podOf = (name: string): PodView => ({ ...aTeamPod(name), spec: { priority: name === 'team/a' ? a : b } });
      const gpus = weighGpus(own, { budgets: [], podOf, partitionOf: () => partition }, undefined);
      const slices = [{ name: 'small', profiles: ['1g.5gb'], count: 1, weight: 1, outranks: 5 }];
      const { layouts } = await think(planMembers(own, { slices, evict: 'IfNeeded' }, gpus));
      const counts = { '3g.20gb': 1, '1g.5gb': 1 };
      const picked = planGpu(modelOf('a100-40gb'), own[0]?.present ?? [], counts);
      const pick = picked.fits ? picked.destroy[0]?.start : undefined;
      const mayGo = (pick === 0 ? a : b) === 0;
      expect(layouts.flatMap(({ destroy }) => destroy.map(({ start }) => start))).to.deep.equal(mayGo ? [pick] : []);
    }
  });

  it('counts the pod that is gone since it was read as any other', () => {
    const [first] = weigh({});
    expect(first?.instances.map(({ evictionWeight }) => evictionWeight)).to.deep.equal([10, 10]);
  });
});

describe('a slice that no eviction frees', () => {
  const bare = { metadata: { name: 'x', namespace: 'team' } };

  it('stays, and a plan takes another', async () => {
    expect((await planOne(weigh({ a: bare, b: { spec: { priority: 1_000_000 } }, c: bare }))).freed).to.deep.equal([
      'n1/3g.20gb@4',
    ]);
  });

  it('is left alone where there is no other, and the report says what could be made without', async () => {
    const { freed, shortfall } = await planOne(weigh({ a: bare, b: bare, c: bare }));
    expect(freed).to.deep.equal([]);
    expect(shortfall).to.deep.equal({ lacking: { small: 1 }, lackingAtLeast: {}, isSpared: false });
  });

  it('is every one where the policy evicts nobody', () => {
    const [first] = weigh({ a: {}, b: {} }, { scope: 'None' });
    expect(first?.instances.map(({ stays }) => stays)).to.deep.equal([true, true]);
  });

  it('is one that a pod shares which is not evicted, but none that is idle', () => {
    const slices = ['3g.20gb@0', '1g.5gb@4', '1g.5gb@5'];
    const pods = { '3g.20gb@0': ['a', 'b'], '1g.5gb@4': ['b'] };
    const { partition } = aFleetNode({ name: 'n1', slices, pods }, policy);
    const own = listMembers(policy, partition, { isResting: () => false });
    const podOf = (name: string): PodView => (name === 'team/a' ? bare : aTeamPod('b'));
    const [gpu] = weighGpus(own, { budgets: [], podOf, partitionOf: () => partition }, undefined);
    expect(gpu?.instances).to.deep.equal([
      { profile: '3g.20gb', start: 0, busy: true, stays: true },
      { profile: '1g.5gb', start: 4, busy: true, evictionWeight: 10, rank: 0 },
      { profile: '1g.5gb', start: 5, busy: false },
    ]);
  });

  it('is one in use of which no pod is known', () => {
    const gpus = weighGpus(members, { budgets: [], podOf: () => undefined, partitionOf: () => undefined }, undefined);
    expect(gpus.flatMap(({ instances }) => instances.map(({ stays }) => stays))).to.deep.equal([true, true, true]);
  });
});
