import { expect } from 'chai';
import type { GpuReport, GpuWish, PolicyDemand } from '../../../src/api/types.ts';
import {
  wishesOf,
  askFor,
  layRest,
  answerHere,
  planMembers,
  type PlannedPool,
} from '../../../src/core/demand/plan-pool.ts';
import { DemandMemory } from '../../../src/core/demand/state.ts';
import { type DemandGpu, listMembers } from '../../../src/core/demand/members.ts';
import { wantedSlices } from '../../../src/core/demand/wanted.ts';
import { canonicalJson } from '../../../src/core/text/json.ts';
import { aGpu, uuidOf, aDevice, aPartition, aPolicy } from '../../support/builders.ts';
import { aDemandPolicy, aNodeWith, membersOf, nobody } from '../../support/demand-builders.ts';
import { NO_COST, type PoolGpu } from '../../../src/core/demand/solver/pool.ts';

const uuid = uuidOf(0);
const smalls = (count: number, rest?: PolicyDemand['rest']): PolicyDemand => ({
  slices: [{ profiles: ['1g.5gb'], count }],
  ...(rest && { rest }),
});

function gather(demand: PolicyDemand, gpus: readonly GpuReport[], wish?: GpuWish): readonly DemandGpu[] {
  const nodes = gpus.map((gpu, index) => aNodeWith(`n${index}`, gpu, wish));
  return membersOf(aDemandPolicy(demand), ...nodes);
}

/** Per node what its GPU is to be. */
function laid(demand: PolicyDemand, members: readonly DemandGpu[]): readonly string[] {
  const asked = askFor(aDemandPolicy(demand), wantedSlices(demand, members, nobody));
  const wishes = wishesOf(members, layRest(demand.rest, asked, members));
  return members.map(({ node }) => {
    const { mig, profiles = {}, entry } = wishes.get(node)?.get(uuid) ?? { entry: 'none' };
    return `${entry}: ${mig ?? canonicalJson(profiles)}`;
  });
}

const sliced = (...slices: readonly string[]): GpuReport => aGpu({ slices });
const unused = 'rest: Disabled';

describe('what a demand does not need', () => {
  it('stays as it is by default, and with Keep', () => {
    for (const rest of [undefined, 'Keep'] as const) {
      const demand = smalls(1, rest);
      const members = gather(demand, [sliced('1g.5gb@0'), sliced('1g.5gb@0')]);
      expect(laid(demand, members)).to.deep.equal(['demand: {"1g.5gb":1}', 'demand: {"1g.5gb":1}']);
    }
  });

  it('becomes whole, but for GPUs that are in use or whose slices are wanted', () => {
    const demand = smalls(2, 'Whole');
    const members = gather(demand, [
      sliced('1g.5gb@0', '1g.5gb@1'),
      sliced('3g.20gb@0'),
      sliced('3g.20gb@0*'),
      sliced(),
      aGpu(),
    ]);
    expect(laid(demand, members)).to.deep.equal([
      'demand: {"1g.5gb":2}',
      unused,
      'demand: {"3g.20gb":1}',
      unused,
      'demand: Disabled',
    ]);
  });

  it('gets the balanced preset, and a GPU that has it is left as it is', () => {
    const demand = smalls(2, 'Balanced');
    const members = gather(demand, [
      aGpu(),
      sliced('1g.5gb@0', '1g.5gb@1', '2g.10gb@2', '3g.20gb@4'),
      sliced('7g.40gb@0'),
      sliced('7g.40gb@0*'),
    ]);
    const preset = '{"1g.5gb":2,"2g.10gb":1,"3g.20gb":1}';
    expect(laid(demand, members)).to.deep.equal([
      `rest: ${preset}`,
      `demand: ${preset}`,
      `rest: ${preset}`,
      'demand: {"7g.40gb":1}',
    ]);
  });

  it('is as many GPUs as the demand can do without, and those first that lose the fewest slices', () => {
    const demand = smalls(2, 'Whole');
    const members = gather(demand, [
      sliced('1g.5gb@0', '1g.5gb@1', '1g.5gb@2'),
      sliced('1g.5gb@0', '1g.5gb@1'),
      sliced('1g.5gb@0'),
    ]);
    expect(laid(demand, members)).to.deep.equal(['demand: {"1g.5gb":3}', unused, unused]);
    const none = gather(demand, [sliced('1g.5gb@0'), sliced('1g.5gb@0')]);
    expect(laid(demand, none), 'not even one').to.deep.equal(['demand: {"1g.5gb":1}', 'demand: {"1g.5gb":1}']);
  });

  it('leaves GPUs alone that were re-laid a while ago, and those whose MIG mode may not change', () => {
    const demand = smalls(0, 'Whole');
    const members = gather(demand, [sliced('1g.5gb@0'), sliced('1g.5gb@0')]);
    const rested = members.map((one, index) => (index === 0 ? { ...one, rests: true } : one));
    expect(laid(demand, rested)).to.deep.equal(['demand: {"1g.5gb":1}', unused]);
    const kept = members.map((one) => ({ ...one, gpu: { ...one.gpu, keepsMode: true } }));
    expect(laid(demand, kept)).to.deep.equal(['demand: {"1g.5gb":1}', 'demand: {"1g.5gb":1}']);
  });

  it('leaves GPUs alone on which nothing may change now', () => {
    const demand = smalls(0, 'Whole');
    const [member] = gather(demand, [sliced('1g.5gb@0')]);
    if (!member) throw new Error('no member');
    const held = { ...member, gpu: { ...member.gpu, isResting: true } };
    expect(laid(demand, [held])).to.deep.equal(['demand: {"1g.5gb":1}']);
  });

  it('is laid out again where the GPU stays in the MIG mode that it keeps', () => {
    const keeps = (rest: 'Balanced' | 'Whole', gpu: GpuReport): readonly string[] => {
      const demand = smalls(0, rest);
      return laid(
        demand,
        gather(demand, [gpu]).map((one) => ({ ...one, gpu: { ...one.gpu, keepsMode: true } })),
      );
    };
    expect(keeps('Balanced', sliced('7g.40gb@0'))).to.deep.equal(['rest: {"1g.5gb":2,"2g.10gb":1,"3g.20gb":1}']);
    expect(keeps('Balanced', aGpu())).to.deep.equal(['demand: Disabled']);
  });

  it('becomes something else after an edit, whatever its slices are', () => {
    const demand = smalls(2, 'Whole');
    const serving = sliced('1g.5gb@0', '1g.5gb@1');
    const preset = { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 };
    const balanced = sliced('1g.5gb@0', '1g.5gb@1', '2g.10gb@2', '3g.20gb@4');
    const members = membersOf(
      aDemandPolicy(demand),
      aNodeWith('n0', serving),
      aNodeWith('n1', balanced, { uuid, profiles: preset, entry: 'rest' }),
    );
    expect(laid(demand, members)).to.deep.equal(['demand: {"1g.5gb":2}', unused]);
  });

  it('says what goes and what comes', () => {
    const layoutsOf = (rest: 'Whole' | 'Balanced', gpu: GpuReport) => {
      const [layout] = layRest(rest, { slices: [], evict: 'Never' }, gather(smalls(0, rest), [gpu]));
      const write = (all: readonly { readonly profile: string; readonly start: number }[] = []) =>
        all.map(({ profile, start }) => `${profile}@${start}`).join(' ');
      return [write(layout?.keep), write(layout?.destroy), write(layout?.create)];
    };
    expect(layoutsOf('Whole', sliced('3g.20gb@4'))).to.deep.equal(['', '3g.20gb@4', 'whole@0']);
    expect(layoutsOf('Balanced', aGpu())).to.deep.equal(['', 'whole@0', '2g.10gb@0 1g.5gb@2 1g.5gb@3 3g.20gb@4']);
    expect(layoutsOf('Balanced', sliced('3g.20gb@4', '4g.20gb@0'))).to.deep.equal([
      '3g.20gb@4',
      '4g.20gb@0',
      '2g.10gb@0 1g.5gb@2 1g.5gb@3',
    ]);
  });

  it('is given up where a pod has come, though the policy evicts for its demand', () => {
    const demand: PolicyDemand = { ...smalls(0, 'Whole'), evict: 'IfNeeded' };
    const wish: GpuWish = { uuid, mig: 'Disabled', entry: 'rest' };
    expect(laid(demand, gather(demand, [sliced('1g.5gb@0')], wish))).to.deep.equal([unused]);
    expect(laid(demand, gather(demand, [sliced('1g.5gb@0*')], wish))).to.deep.equal(['demand: {"1g.5gb":1}']);
  });

  it('waits for what the demand needs and is still being made', () => {
    const demand = smalls(7, 'Whole');
    const policy = aDemandPolicy(demand);
    const wish: GpuWish = { uuid, profiles: { '1g.5gb': 7 }, entry: 'demand' };
    const made = Array.from({ length: 7 }, (_, start) => `1g.5gb@${start}`);
    const touchedBeside = (gpu: GpuReport): readonly string[] => {
      const members = membersOf(policy, aNodeWith('n0', gpu, wish), aNodeWith('n1', sliced('3g.20gb@0')));
      const course = new DemandMemory();
      const asked = askFor(policy, course.want(demand, members, undefined, 0));
      const next = course.next(asked, members, 0);
      if (!next || !('planned' in next)) throw new Error('the demand is served, or will be');
      const { touched = [] } = course.choose(demand, next.planned, members, 0) ?? {};
      return touched.map(({ node }) => node);
    };
    expect(touchedBeside(sliced('3g.20gb@0'))).to.deep.equal([]);
    expect(touchedBeside(sliced(...made))).to.deep.equal(['n1']);
  });

  it('does not take over the demand of a GPU, which would then become rest too', () => {
    const demand: PolicyDemand = { slices: [{ memory: '5Gi', count: 4 }], rest: 'Balanced' };
    const preset = { '1g.5gb': 2, '2g.10gb': 1, '3g.20gb': 1 };
    const balanced = sliced('1g.5gb@0', '1g.5gb@1', '2g.10gb@2', '3g.20gb@4');
    const wish: GpuWish = { uuid, profiles: preset, entry: 'rest' };
    const used = sliced('1g.10gb@0', '1g.10gb@2', '1g.10gb@4', '1g.10gb@6');
    const serving: GpuWish = { uuid, profiles: { '1g.10gb': 4 }, entry: 'demand' };
    const members = membersOf(
      aDemandPolicy(demand),
      aNodeWith('n0', used, serving),
      aNodeWith('n1', balanced, wish),
      aNodeWith('n2', balanced, wish),
    );
    const kept = `rest: ${canonicalJson(preset)}`;
    expect(laid(demand, members)).to.deep.equal(['demand: {"1g.10gb":4}', kept, kept]);
    const first = membersOf(
      aDemandPolicy(demand),
      aNodeWith('n0', used, serving),
      aNodeWith('n1', aGpu()),
      aNodeWith('n2', aGpu()),
    );
    expect(laid(demand, first)).to.deep.equal(['demand: {"1g.10gb":4}', kept, kept]);
  });

  it('has nothing more to change once it is laid', () => {
    for (const rest of ['Whole', 'Balanced'] as const) {
      const demand = smalls(3, rest);
      const gpus = [sliced('1g.5gb@0', '1g.5gb@1', '1g.5gb@2'), sliced('1g.5gb@0'), aGpu()];
      const members = gather(demand, gpus);
      const asked = askFor(aDemandPolicy(demand), wantedSlices(demand, members, nobody));
      const wishes = wishesOf(members, layRest(rest, asked, members));
      expect([...wishes.values()].some((one) => one.get(uuid)?.entry === 'rest')).to.equal(true);
      const after = gpus.map((gpu, index) => aNodeWith(`n${index}`, gpu, wishes.get(`n${index}`)?.get(uuid)));
      const next = membersOf(aDemandPolicy(demand), ...after);
      expect(layRest(rest, asked, next), rest).to.deep.equal([undefined, undefined, undefined]);
    }
  });
});

describe('what a demand that follows pods does not need', () => {
  const minute = 60_000;
  const demand: PolicyDemand = {
    from: 'Pods',
    slices: [{ profiles: ['1g.5gb'] }],
    rest: 'Whole',
    stabilization: '10m',
  };
  const slices = ['1g.5gb@0', '1g.5gb@1'];

  /** The minutes in which GPUs change, of half an hour in which so many pods wait. */
  function changesFor(waitingAt: (at: number) => number, asking = demand): readonly number[] {
    const course = new DemandMemory();
    const policy = aDemandPolicy(asking);
    const members = gather(asking, [sliced(...slices), sliced(...slices)]);
    return Array.from({ length: 30 }, (_, at) => at).filter((at) => {
      const waiting = new Map([['nvidia.com/mig-1g.5gb', waitingAt(at)]]);
      const asked = askFor(policy, course.want(asking, members, waiting, at * minute));
      const planned = { members, asked, layouts: [], shortfall: { lacking: {} } };
      return (course.choose(asking, planned, members, at * minute)?.touched ?? []).length > 0;
    });
  }

  it('changes only once pods have been watched for the stabilization, as after a change of leaders', () => {
    expect(changesFor(() => 0)[0]).to.equal(10);
    const fixed = { name: 'fixed', profiles: ['1g.5gb'], count: 0 };
    const mixed = { ...demand, slices: [fixed, ...demand.slices] };
    expect(changesFor(() => 0, mixed)[0], 'beside a slice of a fixed count').to.equal(10);
  });

  it('changes nothing while the demand for it oscillates within the stabilization', () => {
    expect(changesFor((at) => (at % 5 === 0 ? 4 : 0))).to.deep.equal([]);
  });
});

const device = aDevice(aGpu({ slices: ['1g.5gb@0*'] }), aGpu({ index: 1, slices: ['1g.5gb@0*'] }));
const policy = aPolicy({ allow: { replaceForeignInstances: true } });
const members = (isResting: boolean) => listMembers(policy, aPartition({ device }), { isResting: () => isResting });
const slices = [{ name: 's', profiles: ['1g.5gb'], count: 9, weight: 1 }];

function lacking(count: number): PlannedPool {
  return {
    cost: { ...NO_COST, unserved: count },
    unserved: count > 0 ? { s: count } : {},
    layouts: [],
  };
}

/** What the planner is asked in turn, as it answers. */
function play(
  answers: readonly PlannedPool[],
  parts: { readonly isResting: boolean; readonly gpus?: readonly PoolGpu[] },
) {
  const asked = { slices, evict: 'IfNeeded' as const };
  const planning = planMembers(members(parts.isResting), asked, ...(parts.gpus ? [parts.gpus] : []));
  const questions: (readonly PoolGpu[])[] = [];
  let step = planning.next();
  for (const answer of answers) {
    if (step.done === true) break;
    questions.push(step.value.gpus);
    step = planning.next(answer);
  }
  return { questions, planned: step.done === true ? step.value : undefined };
}

describe('the plans of a pool', () => {
  it('leave resting GPUs alone, unless one that does not serves more', () => {
    const gentle = lacking(2);
    const { questions, planned } = play([gentle, lacking(2)], { isResting: true });
    expect(questions.map((gpus) => gpus.map(({ isResting }) => isResting === true))).to.deep.equal([
      [true, true],
      [false, false],
    ]);
    expect(planned?.layouts, 'no more than the gentle one').to.equal(gentle.layouts);
    const urgent = lacking(1);
    expect(play([gentle, urgent], { isResting: true }).planned?.layouts).to.equal(urgent.layouts);
    expect(play([lacking(0)], { isResting: true }).planned?.shortfall.lacking).to.deep.equal({});
    expect(play([gentle], { isResting: false }).questions).to.have.length(1);
  });

  it('change as few resting GPUs as they can, where those that have rested do not suffice', () => {
    const empty = ['n0', 'n1', 'n2'].map((node) => aNodeWith(node, aGpu({ slices: [] })));
    const pool = membersOf(policy, ...empty).map((one) => ({ ...one, rests: one.node !== 'n0' }));
    // Two GPUs hold as many.
    const asked = { slices: [{ name: 's', profiles: ['2g.10gb'], count: 6, weight: 2 }], evict: 'Never' as const };
    const { layouts } = answerHere(planMembers(pool, asked));
    expect(layouts.map(({ create }) => create.length)).to.deep.equal([3, 0, 3]);
  });

  it('leave resting GPUs alone also among those set aside, for what is not meant for the pods that wait', () => {
    const asked = { slices: [{ name: 's', profiles: ['2g.10gb'], count: 1, weight: 1 }], evict: 'Never' as const };
    for (const rests of [
      [true, false],
      [false, true],
    ]) {
      const pool = members(false).map((one, index) => ({ ...one, isAside: true, rests: rests[index] === true }));
      const { layouts } = answerHere(planMembers(pool, asked));
      expect(layouts.map(({ create }) => create.length > 0)).to.deep.equal(rests.map((one) => !one));
    }
  });

  it('are made once more without what stays, where a single slice does: for the proof of what is lacking', () => {
    const [first, second] = members(false).map(({ gpu }) => gpu);
    if (!first || !second) throw new Error('there are two GPUs');
    const stays = { ...first, instances: first.instances.map((one) => ({ ...one, stays: true })) };
    const { questions, planned } = play([lacking(2), lacking(1)], { isResting: false, gpus: [stays, second] });
    expect(questions.map(([gpu]) => gpu?.instances[0]?.stays === true)).to.deep.equal([true, false]);
    expect(planned?.shortfall).to.deep.equal({ lacking: { s: 2 }, lackingAtLeast: { s: 1 }, isSpared: false });
  });
});
