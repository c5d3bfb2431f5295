import { askAll } from '../../../src/core/text/asking.ts';
import { expect } from 'chai';
import { NO_COST } from '../../../src/core/demand/solver/pool.ts';
import type { PolicyDemand } from '../../../src/api/types.ts';
import { MODELS } from '../../../src/core/gpu/geometry.ts';
import { DemandMemory } from '../../../src/core/demand/state.ts';
import { reportDemand } from '../../../src/core/demand/report.ts';
import { type DemandAsked, type Planned, type PlannedPool, planMembers } from '../../../src/core/demand/plan-pool.ts';
import type { DemandGpu } from '../../../src/core/demand/members.ts';
import { planDemand } from '../../../src/planner/solver-process.ts';
import { aDemandPolicy, finish } from '../../support/demand-builders.ts';

const small = 'nvidia.com/mig-1g.5gb';
const demand: PolicyDemand = { from: 'Pods', slices: [{ profiles: ['1g.5gb'] }], stabilization: '1m', cooldown: '2m' };

function aMember(node: string, more: Partial<Pick<DemandGpu, 'rests'>> & { readonly busy?: boolean } = {}): DemandGpu {
  const geometry = MODELS.find(({ id }) => id === 'a100-40gb');
  if (!geometry) throw new Error('no model a100-40gb');
  const present = [{ profile: '7g.40gb', start: 0, busy: more.busy === true }];
  const gpu = { id: `${node}/0`, geometry, instances: present, isResting: false };
  return { node, product: '', gpu, rests: more.rests === true, present, wish: { uuid: '0' } };
}

const ask = (count: number, evict: DemandAsked['evict'] = 'Never'): DemandAsked => ({
  slices: [{ name: 'small', profiles: ['1g.5gb'], count, weight: 1 }],
  evict,
});

async function plan(
  members: readonly DemandGpu[],
  asked: DemandAsked,
): Promise<Planned & { readonly questions: number }> {
  let questions = 0;
  const planned = await askAll(planMembers(members, asked), (question) => {
    questions += 1;
    return planDemand(question.gpus, { ...question.asked, seconds: 10 });
  });
  return { ...planned, questions };
}

/** When the demand is looked at again, in ms. */
const lookAgainAfter = (of: PolicyDemand, members: readonly DemandGpu[]) =>
  finish(new DemandMemory().ask(aDemandPolicy(of), of, members, undefined, 0)).lookAgainMs;

const changed = ({ layouts }: Planned): readonly number[] => layouts.map(({ create }) => create.length);

describe('a plan for the demand of a pool', () => {
  it('leaves GPUs alone that rest, as long as others serve as much', async () => {
    const found = await plan([aMember('n1', { rests: true }), aMember('n2')], ask(7));
    expect(changed(found)).to.deep.equal([0, 7]);
    expect(found.questions).to.equal(1);
  });

  it('takes what the solver found no room for in time for no proof that there is none', () => {
    const planning = planMembers([aMember('n1')], ask(9, 'IfNeeded'));
    const cost = { ...NO_COST, unserved: 2, gpusChanged: 1, instancesDestroyed: 1 };
    planning.next();
    const answer = (figure: 'unserved' | 'gpusChanged'): PlannedPool => ({
      cost,
      unserved: { small: 2 },
      layouts: [],
      gap: { figure, value: 2, bound: 0 },
    });
    const { value } = planning.next(answer('unserved'));
    expect(value).to.have.deep.property('shortfall', {
      lacking: { small: 2 },
      lackingAtLeast: undefined,
      isUnproven: true,
    });
    const proven = planMembers([aMember('n1')], ask(9, 'IfNeeded'));
    proven.next();
    expect(proven.next(answer('gpusChanged')).value).to.not.have.nested.property('shortfall.isUnproven');
  });

  it('takes GPUs that rest for what nothing else can serve', async () => {
    const found = await plan([aMember('n1', { rests: true }), aMember('n2', { busy: true })], ask(3));
    expect(changed(found)).to.deep.equal([3, 0]);
    expect(found.shortfall).to.deep.equal({ lacking: {}, lackingAtLeast: undefined });
  });

  it('tells what would be lacking if it could evict', async () => {
    const found = await plan([aMember('n1', { busy: true })], ask(9));
    expect(found.shortfall).to.deep.equal({ lacking: { small: 9 }, lackingAtLeast: { small: 2 } });
    expect((await plan([aMember('n1', { busy: true })], ask(9, 'IfNeeded'))).shortfall.lackingAtLeast).to.equal(
      undefined,
    );
  });
});

describe('a plan that lacks a single slice', () => {
  it('takes a GPU that rests for it, and tells that an eviction would make room', async () => {
    const urgent = await plan([aMember('n1', { rests: true }), aMember('n2', { busy: true })], ask(1));
    expect(changed(urgent)).to.deep.equal([1, 0]);
    const held = await plan([aMember('n1', { busy: true })], ask(1));
    expect(held.shortfall).to.deep.equal({ lacking: { small: 1 }, lackingAtLeast: {} });
  });
});

describe('a demand is looked at again, though nothing tells of a change', () => {
  const { slices } = demand;
  const members = (rests: boolean) => [aMember('n1', { rests })];

  it('in half a minute where pods may be evicted by then, or a GPU that rests may be part of the rest', () => {
    expect(lookAgainAfter({ slices, evict: 'IfNeeded' }, members(false))).to.equal(30_000);
    expect(lookAgainAfter({ slices, rest: 'Whole' }, members(true))).to.equal(30_000);
    const some = [...members(false), ...members(true)];
    expect(lookAgainAfter({ slices, rest: 'Whole' }, some), 'one of two').to.equal(30_000);
  });

  it('as often as pods are read that it follows', () => {
    const paces = ['1s', '20s', '10m'].map(
      (stabilization) => new DemandMemory().pacesOf({ ...demand, stabilization })?.paceMs,
    );
    expect(paces).to.deep.equal([1_000, 5_000, 10_000]);
    expect(lookAgainAfter(demand, members(false))).to.equal(10_000);
    expect(new DemandMemory().pacesOf({ slices })).to.equal(undefined);
  });

  it('else not at all', () => {
    expect(lookAgainAfter({ slices, evict: 'Never' }, members(true))).to.equal(undefined);
    expect(lookAgainAfter({ slices, rest: 'Keep' }, members(true))).to.equal(undefined);
    expect(lookAgainAfter({ slices, rest: 'Whole' }, members(false))).to.equal(undefined);
  });
});

describe('the course of a demand', () => {
  it('takes no plan for a GPU that is no longer what it was, and lets those rest that it re-lays', async () => {
    const course = new DemandMemory();
    const members = [aMember('n1'), aMember('n2')];
    const planned = await plan(members, ask(7));
    expect(course.choose(demand, planned, [aMember('n1', { busy: true }), aMember('n2', { busy: true })], 0)).to.equal(
      undefined,
    );
    const ids = ['n1/0', 'n2/0'];
    const resting = (now: number): number => ids.filter((id) => course.restOf(demand, id, now) !== false).length;
    expect(resting(1)).to.equal(0);
    expect(course.choose(demand, planned, members, 0)?.touched).to.have.lengthOf(1);
    expect([resting(119_999), resting(120_000)]).to.deep.equal([1, 0]);
    const edited = { ...demand, cooldown: '5m' };
    expect(course.restOf(edited, 'n1/0', 299_999) !== course.restOf(edited, 'n2/0', 299_999)).to.equal(true);
  });

  it('takes the part of a plan that stands, if that alone serves more, and plans the rest again', async () => {
    const course = new DemandMemory();
    const members = ['n1', 'n2', 'n3'].map((node) => aMember(node));
    const planned = await plan(members, ask(14));
    const [first, second] = planned.members.filter((_, index) => planned.layouts[index]?.create.length === 7);
    if (!first || !second) throw new Error('two GPUs change');
    const joined = aMember('n4', { busy: true });
    const now = [...members.filter(({ node }) => node !== first.node), aMember(first.node, { busy: true }), joined];
    const chosen = course.choose(demand, planned, now, 0);
    expect(chosen).to.include({ isWhole: false });
    expect(chosen?.touched.map(({ node }) => node)).to.deep.equal([second.node]);
    expect(chosen?.wishes.get(second.node)?.get('0')?.profiles).to.deep.equal({ '1g.5gb': 7 });
    expect(chosen?.wishes.get(first.node)?.get('0'), 'as it is now').to.equal(now.at(-2)?.wish);
    expect(chosen?.wishes.get('n4')?.get('0')).to.equal(joined.wish);
    expect([first, second].map(({ gpu }) => course.restOf(demand, gpu.id, 1))).to.deep.equal([false, true]);
    expect(new DemandMemory().choose(demand, planned, members, 0)).to.include({ isWhole: true });
    const other = { ...planned, asked: { ...planned.asked, slices: [] } };
    expect(course.choose(demand, other, now, 0), 'it serves no more').to.equal(undefined);
  });

  it('forgets GPUs that have rested once they are gone: the nodes of an autoscaled pool come under ever new names', async () => {
    const course = new DemandMemory();
    const relay = async (node: string, nowMs: number): Promise<void> => {
      const members = [aMember(node)];
      expect(course.choose(demand, await plan(members, ask(7)), members, nowMs)?.touched).to.have.lengthOf(1);
    };
    const rests = (node: string): boolean =>
      course.restOf({ ...demand, cooldown: '1h' }, `${node}/0`, 130_000) !== false;
    await relay('n1', 0);
    await relay('n2', 60_000);
    expect(rests('n1'), 'as long as it would rest').to.equal(true);
    await relay('n3', 130_000);
    expect(['n1', 'n2', 'n3'].map(rests)).to.deep.equal([false, true, true]);
  });

  it('plans a shortage again only when the pool has changed, and no sooner than ten times what it took', async () => {
    const course = new DemandMemory();
    const members = [aMember('n1', { busy: true })];
    const planned = await plan(members, ask(3));
    expect(course.next(ask(3), members, 0)).to.equal(undefined);
    course.takePlan(planned, 1000, 3000);
    expect(course.next(ask(3), members, 3000)).to.deep.equal({ planned });
    expect(course.next(ask(3), [aMember('n1')], 4000)).to.deep.equal({ waitMs: 19_000 });
    const grown = [...members, aMember('n2', { busy: true })];
    expect(course.next(ask(3), grown, 4000), 'with one node more').to.deep.equal({ waitMs: 19_000 });
    expect(course.next(ask(3), [aMember('n1')], 23_000)).to.equal(undefined);
    expect(course.next(ask(4), members, 3000)).to.equal(undefined);
    expect(course.next(ask(3), members, 3_600_000), 'nothing is evicted, so nothing changes').to.deep.equal({
      planned,
    });
  });

  it('plans at once again where a plan that served all was not taken, since the pool had changed', async () => {
    const course = new DemandMemory();
    const planned = await plan([aMember('n1')], ask(3));
    course.takePlan(planned, 1000, 3000);
    const changed = [aMember('n1', { busy: true }), aMember('n2')];
    expect(course.choose(demand, planned, changed, 3000)).to.equal(undefined);
    expect(course.next(ask(3), changed, 3000)).to.equal(undefined);
  });

  it('carries out the plan for its demand before anything becomes the rest', async () => {
    const members = [aMember('n1'), aMember('n2')];
    const wanting: PolicyDemand = { slices: [{ profiles: ['1g.5gb'], count: 7 }], rest: 'Whole' };
    const chosen = new DemandMemory().choose(wanting, await plan(members, ask(7)), members, 0);
    const [touched] = chosen?.touched ?? [];
    expect(chosen?.touched).to.have.lengthOf(1);
    expect(chosen?.wishes.get(touched?.node ?? '')?.get('0')?.profiles).to.deep.equal({ '1g.5gb': 7 });
  });

  it('forgets a shortage once the demand is served: the next one is planned at once', async () => {
    const course = new DemandMemory();
    course.takePlan(await plan([aMember('n1', { busy: true })], ask(3)), 1000, 3000);
    const served = course.next(ask(0), [aMember('n1')], 4000);
    expect(served).to.have.nested.property('planned.shortfall').that.deep.equals({ lacking: {} });
    expect(course.next(ask(3), [aMember('n1')], 5000)).to.equal(undefined);
  });

  it('plans a shortage again after a minute where pods may be evicted: what that costs is read again', async () => {
    const course = new DemandMemory();
    const members = [aMember('n1', { busy: true })];
    const asked = ask(9, 'IfNeeded');
    const planned = await plan(members, asked);
    course.takePlan(planned, 1000, 2000);
    expect(course.next(asked, members, 61_999)).to.deep.equal({ planned });
    expect(course.next(asked, members, 62_000)).to.equal(undefined);
  });

  it('forgets what pods asked for once a demand follows them no more', () => {
    const course = new DemandMemory();
    const countAt = (nowMs: number, pods: number, edited = demand): number | undefined => {
      const waiting = edited.from === 'Pods' ? new Map([[small, pods]]) : undefined;
      return course.want(edited, [aMember('n1')], waiting, nowMs)[0]?.count;
    };
    expect(countAt(0, 5)).to.equal(5);
    expect(countAt(30_000, 0), 'it falls after a minute').to.equal(5);
    expect(countAt(40_000, 0, { slices: [{ profiles: ['1g.5gb'], count: 2 }] })).to.equal(2);
    expect(countAt(3_600_000, 0)).to.equal(0);
  });

  /** How many are wanted of the slice, with pods that wait at a time. */
  const counting =
    (course: DemandMemory) =>
    (nowMs: number, pods: number, edited = demand): number | undefined =>
      course.want(edited, [aMember('n1')], new Map([[small, pods]]), nowMs)[0]?.count;

  it('counts at once only what a new policy is asked for first: after a change of leaders pods wait as long as ever', () => {
    expect(counting(new DemandMemory({ isNew: true, sinceMs: 0 }))(0, 5)).to.equal(5);
    const countAt = counting(new DemandMemory({ isNew: false, sinceMs: 0 }));
    expect([countAt(0, 5), countAt(59_999, 5), countAt(60_000, 5)]).to.deep.equal([0, 0, 5]);
  });

  it('continues with what pods had asked for under the leader before, for as long as less must be asked for', () => {
    const countAt = counting(new DemandMemory({ isNew: false, sinceMs: 0, steady: { '1g.5gb': 4 } }));
    expect([countAt(0, 0), countAt(59_999, 0), countAt(60_000, 0)]).to.deep.equal([4, 4, 0]);
    const [found] = new DemandMemory().want(demand, [aMember('n1')], new Map([[small, 3]]), 0);
    expect(reportDemand(found ? [found] : [], [aMember('n1')], { lacking: {} }).steady).to.deep.equal({ '1g.5gb': 3 });
  });

  it('forgets nothing at an edit of stabilization, or of another slice', () => {
    const countAt = counting(new DemandMemory());
    expect(countAt(0, 5)).to.equal(5);
    const slower = { ...demand, stabilization: '2m' };
    expect([countAt(1000, 0, slower), countAt(120_999, 0, slower), countAt(121_000, 0, slower)]).to.deep.equal([
      5, 5, 0,
    ]);
    const renamed = { ...slower, slices: [{ name: 'small', profiles: ['1g.5gb'] }] };
    expect([countAt(121_500, 7, renamed), countAt(181_499, 7, renamed), countAt(181_500, 7, renamed)]).to.deep.equal([
      0, 0, 7,
    ]);
  });

  it('takes what was asked for before another schedule was in force for nothing', () => {
    const course = new DemandMemory();
    const countAt = counting(course);
    expect(countAt(0, 9)).to.equal(9);
    const hour = 3_600_000;
    course.lapse();
    expect([countAt(hour, 2), countAt(hour + 59_999, 2), countAt(hour + 60_000, 2)]).to.deep.equal([0, 0, 2]);
  });

  it('continues with what was asked for where pods could not be counted for a while', () => {
    const countAt = counting(new DemandMemory());
    expect([countAt(0, 4), countAt(300_000, 4), countAt(600_000, 3)]).to.deep.equal([4, 4, 4]);
    expect([countAt(659_999, 3), countAt(660_000, 3)]).to.deep.equal([4, 3]);
  });

  it('lets a rest yield once: what was re-laid while it rested is held until it has rested', async () => {
    const course = new DemandMemory();
    course.relaid('n1/0', 0);
    expect(course.restOf(demand, 'n1/0', 60_000)).to.equal(true);
    course.relaid('n1/0', 60_000);
    expect([61_000, 179_999, 180_000].map((now) => course.restOf(demand, 'n1/0', now))).to.deep.equal([
      'Held',
      'Held',
      false,
    ]);
    course.relaid('n1/0', 200_000);
    expect(course.restOf(demand, 'n1/0', 200_001), 'it had rested').to.equal(true);
    const held = { ...aMember('n1', { rests: true }), isHeld: true };
    const kept = { ...held, gpu: { ...held.gpu, isResting: true } };
    const found = await plan([kept], ask(3));
    expect(changed(found)).to.deep.equal([0]);
    const wanted = { name: 'small', count: 3, used: 0, waiting: 3, beyond: 0, slices: ask(3).slices };
    expect(reportDemand([wanted], [kept], found.shortfall).condition.message).to.include(
      '1 of them changed twice within demand.cooldown',
    );
    expect(lookAgainAfter({ slices: demand.slices }, [kept])).to.equal(30_000);
  });

  it('goes by the last change of a node for what rested when the leader before went', () => {
    const course = new DemandMemory({ isNew: false, sinceMs: 100_000 });
    const rests = (nowMs: number, grantedMs: number) => course.restOf(demand, 'n1/0', nowMs, grantedMs);
    expect([rests(100_000, 50_000), rests(169_999, 50_000), rests(170_000, 50_000)]).to.deep.equal([true, true, false]);
    expect(rests(110_000, 105_000), 'of its own changes it knows the GPUs').to.equal(false);
  });

  it('reads waiting pods again before it counts for the first time, and after an edit', () => {
    const course = new DemandMemory();
    expect(course.pacesOf(demand)?.podsMs).to.equal(0);
    course.want(demand, [aMember('n1')], new Map([[small, 3]]), 0);
    expect(course.pacesOf(demand)).to.deep.equal({ podsMs: 10_000, paceMs: 10_000 });
    expect(course.pacesOf({ ...demand })?.podsMs).to.equal(0);
    course.want({ slices: [{ profiles: ['1g.5gb'], count: 2 }] }, [], undefined, 1);
    expect(course.pacesOf(demand)?.podsMs, 'as the schedule before had it').to.equal(0);
  });
});
