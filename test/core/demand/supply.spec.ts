import { expect } from 'chai';
import type { GpuPartitionPolicy, GpuReport, GpuWish, PolicyDemand } from '../../../src/api/types.ts';
import { isSamePool, listChanged, wishesOf, askFor, isServed } from '../../../src/core/demand/plan-pool.ts';
import { reportFailure } from '../../../src/core/demand/state.ts';
import { reportDemand, reportPool } from '../../../src/core/demand/report.ts';
import { listMembers, type DemandGpu } from '../../../src/core/demand/members.ts';
import { wantedSlices } from '../../../src/core/demand/wanted.ts';
import { planDemand } from '../../../src/planner/solver-process.ts';
import { aDevice, aGpu, aPartition, uuidOf } from '../../support/builders.ts';
import { aDemandPolicy, aNodeWith, membersOf, nobody } from '../../support/demand-builders.ts';

const uuid = uuidOf(0);

const smalls = (count: number): PolicyDemand => ({ slices: [{ name: 'small', profiles: ['1g.5gb'], count }] });
const question = (policy: GpuPartitionPolicy, demand: PolicyDemand, members: readonly DemandGpu[]) =>
  askFor(policy, wantedSlices(demand, members, nobody));

async function layoutsFor(policy: GpuPartitionPolicy, members: readonly DemandGpu[]) {
  const asked = question(policy, policy.spec.demand ?? smalls(0), members);
  return planDemand(
    members.map(({ gpu }) => gpu),
    { ...asked, seconds: 10 },
  );
}

describe('the pool of a demand', () => {
  it('leaves a node as it is if what it has serves the demand, and writes its layout down', async () => {
    const policy = aDemandPolicy(smalls(2));
    const members = membersOf(policy, aNodeWith('n1', aGpu({ slices: ['1g.5gb@0', '1g.5gb@1', '3g.20gb@4'] })));
    expect(isServed(question(policy, smalls(2), members), members)).to.equal(true);
    expect(wishesOf(members, []).get('n1')?.get(uuid)).to.deep.equal({
      uuid,
      profiles: { '1g.5gb': 2, '3g.20gb': 1 },
      entry: 'demand',
    });
  });

  it('counts a GPU as what was chosen for it before, so that a rollout which is half done continues', async () => {
    const policy = aDemandPolicy(smalls(7));
    const wish: GpuWish = { uuid, profiles: { '1g.5gb': 7 }, entry: 'demand' };
    const members = membersOf(policy, aNodeWith('n1', aGpu({ slices: ['3g.20gb@0'] }), wish), aNodeWith('n2', aGpu()));
    expect(isServed(question(policy, smalls(7), members), members)).to.equal(true);
    expect(wishesOf(members, []).get('n1')?.get(uuid)).to.equal(wish);
    expect(wishesOf(members, []).get('n2')?.get(uuid)).to.deep.equal({ uuid, mig: 'Disabled', entry: 'demand' });
  });

  it('counts a GPU as what was chosen for it a moment ago, before its node is told', () => {
    const policy = aDemandPolicy(smalls(7));
    const wish: GpuWish = { uuid, profiles: { '1g.5gb': 7 }, entry: 'demand' };
    const chosen = new Map([[uuid, wish]]);
    const members = listMembers(policy, aNodeWith('n1', aGpu({ slices: ['3g.20gb@0'] })), {
      chosen,
      isResting: () => true,
    });
    expect(isServed(question(policy, smalls(7), members), members)).to.equal(true);
    expect(wishesOf(members, []).get('n1')?.get(uuid)).to.equal(wish);
  });

  it('drops what was chosen where a pod has come onto a slice that was to go', async () => {
    const policy = aDemandPolicy(smalls(7));
    const wish: GpuWish = { uuid, profiles: { '1g.5gb': 7 }, entry: 'demand' };
    const members = membersOf(policy, aNodeWith('n1', aGpu({ slices: ['3g.20gb@0*'] }), wish), aNodeWith('n2', aGpu()));
    const { layouts, cost } = await layoutsFor(policy, members);
    expect(cost).to.include({ unserved: 0, evictions: 0 });
    const found = wishesOf(members, layouts);
    expect(found.get('n1')?.get(uuid)?.profiles).to.include({ '3g.20gb': 1 });
    expect(listChanged(members, layouts).some(({ node }) => node === 'n2')).to.equal(true);
  });

  it('keeps no spare slice idle in place of a pod that runs or waits, though it weighs more', async () => {
    const running = ['3g.20gb@0*', '1g.5gb@4*', '1g.5gb@5*', '1g.5gb@6*'];
    const plan = async (weight: number, waiting: number, ...gpu: readonly string[]) => {
      const slices = [{ profiles: ['1g.5gb'] }, { profiles: ['3g.20gb'], weight, spare: 1 }];
      const policy = aDemandPolicy({ from: 'Pods', evict: 'IfNeeded', slices });
      const members = membersOf(policy, aNodeWith('n1', aGpu({ slices: gpu })));
      const asks = { ...nobody, waiting: new Map([['nvidia.com/mig-1g.5gb', waiting]]) };
      const wanted = wantedSlices({ slices, from: 'Pods' }, members, asks);
      const pool = members.map((one) => one.gpu);
      return planDemand(pool, { ...askFor(policy, wanted), seconds: 10 });
    };
    for (const weight of [50, 10_000]) {
      expect((await plan(weight, 0, ...running)).cost.evictions, `weight ${weight}`).to.equal(0);
      const made = await plan(weight, 3, '3g.20gb@0*', '3g.20gb@4');
      expect(made.layouts[0]?.create.map(({ profile }) => profile)).to.deep.equal(['1g.5gb', '1g.5gb', '1g.5gb']);
      expect(made.unserved).to.deep.equal({ '3g.20gb/spare': 1 });
    }
  });

  // The idle 4g.20gb counted for the min that cannot be reached, as much as the 3g.20gb for which a pod waited.
  it('makes what a pod waits for before what only a min wants of the same slice, even if that is there', async () => {
    const any = ['3g.20gb', '4g.20gb'];
    for (const [min, weight, spare] of [
      [2, 1, 0],
      [4, 1, 0],
      [9, 1_000, 3],
    ] as const) {
      const slices = [{ profiles: any, min, weight }, ...(spare > 0 ? [{ profiles: ['1g.5gb'], spare }] : [])];
      const policy = aDemandPolicy({ from: 'Pods', slices });
      const members = membersOf(policy, aNodeWith('n1', aGpu({ slices: ['4g.20gb@0', '3g.20gb@4*'] })));
      const asks = { ...nobody, waiting: new Map([['nvidia.com/mig-3g.20gb', 1]]) };
      const asked = askFor(policy, wantedSlices({ slices, from: 'Pods' }, members, asks));
      const pool = members.map((one) => one.gpu);
      const { layouts } = await planDemand(pool, { ...asked, seconds: 10 });
      expect(layouts[0]?.create, `min ${min}`).to.deep.equal([{ profile: '3g.20gb', start: 0 }]);
    }
  });

  it('gives up spare slices for a pod that waits, however far apart their weights are', async () => {
    for (const weight of [100, 1000, 50_000]) {
      const slices = [{ profiles: ['7g.40gb'] }, { profiles: ['1g.5gb'], weight, spare: 7 }];
      const policy = aDemandPolicy({ from: 'Pods', slices });
      const members = membersOf(policy, aNodeWith('n1', aGpu({ slices: ['1g.5gb@0', '1g.5gb@1', '1g.5gb@2'] })));
      const asks = { ...nobody, waiting: new Map([['nvidia.com/mig-7g.40gb', 1]]) };
      const asked = askFor(policy, wantedSlices({ slices, from: 'Pods' }, members, asks));
      const pool = members.map((one) => one.gpu);
      const { unserved } = await planDemand(pool, { ...asked, seconds: 10 });
      expect(unserved, `weight ${weight}`).to.deep.equal({ '1g.5gb/spare': 7 });
    }
  });

  it('writes no weight that a solver takes for a rounding error, however heavy a spare slice is', () => {
    const slices = [
      { profiles: ['1g.5gb'], min: 1 },
      { profiles: ['3g.20gb'], weight: 1_000_000, spare: 1 },
    ];
    const policy = aDemandPolicy({ from: 'Pods', slices });
    const { slices: asked } = askFor(policy, wantedSlices({ slices, from: 'Pods' }, [], nobody));
    expect(Math.max(...asked.map(({ weight }) => weight))).to.equal(1_000_000);
  });

  it('weighs a slice that is asked for above sixteen spare ones, and those among themselves as the policy does', () => {
    const weigh = (...weights: readonly (readonly [weight: number, spare?: number])[]) => {
      const profiles = ['1g.5gb', '2g.10gb', '3g.20gb'];
      const slices = weights.map(([weight, spare], index) => ({
        profiles: profiles.slice(index, index + 1),
        weight,
        ...(spare === undefined ? { min: 1 } : { spare }),
      }));
      const wanted = wantedSlices({ slices, from: 'Pods' }, [], nobody);
      const { slices: asked } = askFor(aDemandPolicy({ from: 'Pods', slices }), wanted);
      return asked.filter(({ count }) => count > 0).map(({ weight }) => weight);
    };
    expect(weigh([2], [5, 1], [10, 1])).to.deep.equal([2 * 161, 5, 10]);
    const heaviest = Math.floor((1_000_000 - 1) / 16);
    expect(weigh([1], [1_000_000, 1]), 'as much as there is room for').to.deep.equal([1_000_000, heaviest]);
    expect(weigh([2], [1_000_000, 1], [1, 1]), 'and no less than 1').to.deep.equal([1_000_000, heaviest, 1]);
    expect(weigh([1_000_000, 1], [7, 1]), 'nothing is asked for').to.deep.equal([1_000_000, 7]);
  });

  it('wishes for what stays where a plan makes nothing', () => {
    const members = membersOf(aDemandPolicy(smalls(1)), aNodeWith('n1', aGpu({ slices: ['1g.5gb@0', '3g.20gb@4'] })));
    const [keep = [], destroy = []] = [members[0]?.present.slice(0, 1), members[0]?.present.slice(1)];
    const found = wishesOf(members, [{ keep, destroy, create: [] }]);
    expect(found.get('n1')?.get(uuid)?.profiles).to.deep.equal({ '1g.5gb': 1 });
  });

  it('continues with a wish that takes evictions only where the policy allows them', () => {
    const wish: GpuWish = { uuid, profiles: { '1g.5gb': 7 }, entry: 'demand' };
    const busy = aNodeWith('n1', aGpu({ slices: ['3g.20gb@0*'] }), wish);
    expect(membersOf(aDemandPolicy({ ...smalls(7), evict: 'IfNeeded' }), busy)[0]?.wish).to.equal(wish);
    expect(membersOf(aDemandPolicy(smalls(7)), busy)[0]?.wish.profiles).to.deep.equal({ '3g.20gb': 1 });
  });

  it('takes the layout that a policy had before its demand for what is there, not for what the demand chose', () => {
    const earlier: GpuWish = { uuid, profiles: { '3g.20gb': 1 }, entry: 'abc' };
    const [member] = membersOf(aDemandPolicy(smalls(7)), aNodeWith('n1', aGpu({ slices: ['3g.20gb@0'] }), earlier));
    expect(member?.wish).to.deep.equal({ uuid, profiles: { '3g.20gb': 1 }, entry: 'demand' });
    const unmet: GpuWish = { uuid, profiles: { '1g.5gb': 7 }, entry: 'abc' };
    const [other] = membersOf(aDemandPolicy(smalls(7)), aNodeWith('n1', aGpu({ slices: ['3g.20gb@0'] }), unmet));
    expect(other?.gpu.instances.map(({ profile }) => profile)).to.deep.equal(['3g.20gb']);
  });

  it('writes down all GPUs of a node', () => {
    const policy = aDemandPolicy(smalls(0));
    const two = aPartition({ device: aDevice(aGpu(), aGpu({ index: 1, slices: [] })) });
    const [wishes, ...others] = wishesOf(membersOf(policy, two), []).values();
    expect(others).to.deep.equal([]);
    expect([...(wishes?.values() ?? [])]).to.deep.equal([
      { uuid: uuidOf(0), mig: 'Disabled', entry: 'demand' },
      { uuid: uuidOf(1), profiles: {}, entry: 'demand' },
    ]);
  });

  it('takes no wish of another policy for its own', () => {
    const policy = aDemandPolicy(smalls(7));
    const other = aNodeWith('n1', aGpu({ slices: ['3g.20gb@0'] }), {
      uuid,
      profiles: { '1g.5gb': 7 },
      entry: 'demand',
    });
    const foreign = { ...other, spec: { ...other.spec, policy: { name: 'q', uid: 'uid-q', generation: 1 } } };
    expect(membersOf(policy, foreign)[0]?.wish.profiles).to.deep.equal({ '3g.20gb': 1 });
  });

  const left: readonly (readonly [string, GpuReport, 'rests' | 'absent'])[] = [
    ['does not answer', aGpu({ slices: [], error: 'Unknown Error' }), 'absent'],
    ['serves virtual machines', aGpu({ slices: [], vgpuHost: 'vGPU' }), 'absent'],
    ['is whole and in use', aGpu({ busy: true }), 'rests'],
    ['changes its MIG mode', aGpu({ slices: [], migPending: 'Disabled' }), 'rests'],
    ['is not healthy', aGpu({ slices: [], health: { message: 'Xid 79', action: 'Reset' } }), 'rests'],
    ['is held by a pod though it is in MIG mode', aGpu({ slices: [], busy: true, pods: ['ns/a'] }), 'rests'],
  ];
  for (const [what, gpu, fate] of left)
    it(`leaves a GPU alone that ${what}`, () => {
      const [member] = membersOf(aDemandPolicy(smalls(7)), aNodeWith('n1', gpu));
      expect(member === undefined ? 'absent' : member.gpu.isResting === true ? 'rests' : 'free').to.equal(fate);
    });

  it('takes a GPU for one that may change where the driver names the MIG mode that it has as the pending one', () => {
    const [member] = membersOf(aDemandPolicy(smalls(7)), aNodeWith('n1', aGpu({ slices: [], migPending: 'Enabled' })));
    expect(member?.gpu.isResting).to.equal(false);
  });

  it('leaves instances alone that somebody else created, unless the policy replaces them', () => {
    const partition = aNodeWith('n1', aGpu({ slices: ['3g.20gb@0'] }));
    const { device } = partition.status ?? {};
    const unknown = { ...partition, status: { device: { ...device, lastGood: { bootID: 'b', gpus: [] } } } };
    const policy = aDemandPolicy(smalls(7));
    const allowed = { ...policy, spec: { ...policy.spec, allow: { replaceForeignInstances: true } } };
    expect(membersOf(policy, unknown)[0]?.gpu.isResting).to.equal(true);
    expect(membersOf(allowed, unknown)[0]?.gpu.isResting).to.equal(false);
  });

  it('notices that a GPU is no longer as it was when it was planned', () => {
    const policy = aDemandPolicy(smalls(7));
    const planned = membersOf(policy, aNodeWith('n1', aGpu({ slices: ['3g.20gb@0'] })));
    const used = membersOf(policy, aNodeWith('n1', aGpu({ slices: ['3g.20gb@0*'] })));
    expect(isSamePool({ members: planned }, planned)).to.equal(true);
    expect(isSamePool({ members: planned }, used)).to.equal(false);
    expect(isSamePool({ members: planned }, [])).to.equal(false);
    const two = [...planned, ...membersOf(policy, aNodeWith('n2', aGpu()))];
    expect(
      isSamePool({ members: two }, [...planned, ...membersOf(policy, aNodeWith('n2', aGpu({ slices: [] })))]),
    ).to.equal(false);
    const failing = aGpu({ slices: ['3g.20gb@0'], health: { message: 'Xid 79', action: 'Reset' } });
    expect(
      isSamePool({ members: planned }, membersOf(policy, aNodeWith('n1', failing))),
      'it may not change now',
    ).to.equal(false);
  });
});

describe('the question of a demand', () => {
  const members = membersOf(aDemandPolicy(smalls(1)), aNodeWith('n1', aGpu({ slices: [] })));
  const asked = (profiles: readonly string[], more: { readonly weight?: number } = {}) =>
    question(aDemandPolicy(smalls(1)), { slices: [{ profiles, count: 1, ...more }] }, members).slices[0];

  it('expands globs to plain profiles, and others only where they are written', () => {
    expect(asked(['1g.*'])?.profiles).to.deep.equal(['1g.5gb', '1g.10gb']);
    expect(asked(['1g.*+me'])?.profiles).to.deep.equal(['1g.5gb+me']);
  });

  it('names a slice by its first profile, and weighs it by the memory slices of its smallest', () => {
    expect(asked(['3g.20gb', '7g.40gb'])).to.deep.include({ name: '3g.20gb', weight: 4 });
    expect(asked(['3g.20gb'], { weight: 9 })?.weight).to.equal(9);
  });
});

describe('the report of a demand', () => {
  const policy = aDemandPolicy(smalls(3));
  const members = membersOf(policy, aNodeWith('n1', aGpu({ slices: ['1g.5gb@0*', '1g.5gb@1', '3g.20gb@4'] })));
  const report = (count: number, ...[lacking, least]: readonly Readonly<Record<string, number>>[]) =>
    reportDemand(wantedSlices(smalls(count), members, nobody), members, {
      lacking: lacking ?? {},
      lackingAtLeast: least,
    });

  const withShare = (more: Partial<NonNullable<Parameters<typeof reportPool>[1]['share']>>) => {
    const nothing = { waiting: new Map(), missing: new Map(), stranded: new Map(), takers: undefined };
    const share = { ...nothing, uncounted: [], trouble: undefined, ...more };
    const wanted = wantedSlices(smalls(2), members, nobody);
    return reportPool(policy, { wanted, share }, members, { lacking: {} }, 0);
  };

  it('says what is offered and in use', () => {
    const { states, condition } = report(2);
    expect(states).to.deep.equal([{ name: 'small', wanted: 2, offered: 2, used: 1, unmet: 0 }]);
    expect(condition).to.include({ status: 'True', message: 'small: 2 offered, 1 in use' });
  });

  it('offers nothing of what no GPU has', () => {
    const none = membersOf(policy, aNodeWith('n1', aGpu({ slices: ['3g.20gb@4'] })));
    const { states } = reportDemand(wantedSlices(smalls(2), none, nobody), none, { lacking: {} });
    expect(states[0]).to.include({ wanted: 2, offered: 0 });
  });

  it('says so where no node has reported a GPU yet', () => {
    const { states } = reportDemand(wantedSlices(smalls(2), [], nobody), [], { lacking: { small: 2 } });
    expect(states[0]?.why).to.equal('no selected node has reported a GPU that takes part yet');
  });

  it('says of what none of the GPUs has what they have: more of them would be no help', () => {
    const one = membersOf(policy, aNodeWith('n1', aGpu({ slices: [] })));
    const whyOf = (slice: PolicyDemand['slices'][number], some = one) =>
      reportDemand(wantedSlices({ slices: [slice] }, some, nobody), some, { lacking: { x: 1 } }).states[0]?.why;
    expect(whyOf({ name: 'x', profiles: ['9g.99gb', '1g.6gb'], count: 1 })).to.equal(
      'no GPU of the selected nodes has a profile 9g.99gb or 1g.6gb (A100-SXM4-40GB has 1g.5gb, 1g.5gb+me, 1g.10gb, 2g.10gb, 3g.20gb, 4g.20gb, 7g.40gb): ' +
        'ask for what they have, or select nodes whose GPUs have it',
    );
    expect(whyOf({ name: 'x', memory: '100Gi', count: 1 })).to.match(
      /^no GPU of .* has a plain profile with 100Gi of memory \(A100/,
    );
    expect(whyOf({ name: 'x', profiles: ['1g.5gb'], count: 1 })).to.match(/add GPUs, or want less$/);
  });

  it('says that a single slice is unmet, and how many GPUs there are', () => {
    const { states, condition } = report(3, { small: 1 });
    expect(condition).to.include({ status: 'False', reason: 'NoRoom' });
    expect(states[0]?.why).to.match(/^the GPU of the selected nodes does not hold 1 more/);
    const two = membersOf(policy, aNodeWith('n1', aGpu({ slices: [] })), aNodeWith('n2', aGpu({ slices: [] })));
    const [state] = reportDemand(wantedSlices(smalls(15), two, nobody), two, { lacking: { small: 1 } }).states;
    expect(state?.why).to.match(
      /^the 2 GPUs of the selected nodes do not hold 1 more beside the other slices: add GPUs/,
    );
  });

  it('says beside it which pods do not count, and why', () => {
    const left = [
      { namespace: 'a', pods: 1, why: { policy: 'p', pod: 'job' } },
      { namespace: 'b', pods: 3, why: { policy: 'p', pod: 'job' } },
      { namespace: 'c', pods: 9900, why: 'Kinds' as const },
      { namespace: 'd', pods: 1, why: { policy: 'another', pod: 'job' } },
    ];
    const { condition } = withShare({ uncounted: left });
    expect(condition).to.include({ status: 'True', reason: 'DemandMet' });
    expect(condition.message).to.equal(
      'small: 2 offered, 1 in use; not counted: pod a/job, which requests more than a node can hold; ' +
        'pod b/job, and 2 like it, which requests more than a node can hold; ' +
        '9900 pods of namespace c, whose pods are of more than 100 kinds',
    );
    expect(withShare({ uncounted: left.slice(3) })).to.deep.equal(report(2));
  });

  it('keeps what was told last where nothing newer is known, above all what was freed', () => {
    const defrag = { request: '3g.20gb=1', state: 'Done', message: '' } as const;
    const told = { ...report(2), defrag };
    const status = { demand: [...told.states], defrag };
    for (const reason of ['PlannerFailed', 'PodsUnavailable'] as const)
      for (const found of [reportFailure(reason, 'x', told), reportFailure(reason, 'x', undefined, status)]) {
        expect(found).to.deep.include({ states: told.states, defrag });
        expect(found.condition.status).to.equal('False');
      }
    expect(withShare({ trouble: 'x' })).to.deep.include({ states: told.states });
    expect(withShare({ trouble: 'x' }).condition.status).to.equal('False');
    expect(reportFailure('PodsUnavailable', '403', told).condition).to.include({
      reason: 'PodsUnavailable',
      message: 'the pods that wait cannot be read, so nothing is made for them, and nodes stay as they are: 403',
    });
  });

  it('blames what runs where evictions would serve any of the slices that lack', () => {
    const demand: PolicyDemand = {
      slices: [
        { name: 'a', profiles: ['1g.5gb'], count: 9 },
        { name: 'b', profiles: ['3g.20gb'], count: 9 },
      ],
    };
    const reasonFor = (least: Readonly<Record<string, number>>): string =>
      reportDemand(wantedSlices(demand, members, nobody), members, { lacking: { a: 2, b: 2 }, lackingAtLeast: least })
        .condition.reason;
    expect(reasonFor({ a: 2, b: 1 })).to.equal('NothingIdle');
    expect(reasonFor({ a: 2, b: 2 })).to.equal('NoRoom');
    const single = reportDemand(wantedSlices(demand, members, nobody), members, {
      lacking: { a: 1 },
      lackingAtLeast: {},
    });
    expect(single.condition.reason, 'the only one').to.equal('NothingIdle');
  });

  it('names GPUs that cannot change MIG mode, also those with a single profile', () => {
    const kept = members.map((member) => {
      const { geometry } = member.gpu;
      const single = { ...geometry, profiles: geometry.profiles.slice(0, 1) };
      return { ...member, gpu: { ...member.gpu, keepsMode: true, geometry: single } };
    });
    const { states } = reportDemand(wantedSlices(smalls(9), kept, nobody), kept, { lacking: { small: 4 } });
    expect(states[0]?.why).to.match(/\(1 of them cannot change MIG mode/);
  });

  it('says how many more are in use and waited for than the policy allows', () => {
    const demand: PolicyDemand = { from: 'Pods', slices: [{ profiles: ['1g.5gb'], max: 2 }] };
    const reportFor = (waits: ReadonlyMap<string, number> | undefined, max: number) => {
      const slices = demand.slices.map((one) => ({ ...one, max }));
      const wanted = wantedSlices({ ...demand, slices }, members, { ...nobody, waiting: waits });
      return reportDemand(wanted, members, { lacking: {} });
    };
    const waiting = new Map([['nvidia.com/mig-1g.5gb', 2]]);
    const { states, condition } = reportFor(waiting, 2);
    expect(states[0]?.why).to.equal('1 are in use and 2 waited for, 1 more than max');
    expect(condition).to.include({ reason: 'MaxReached', message: `1g.5gb: ${states[0]?.why}` });
    expect(reportFor(undefined, 0).states[0]?.why).to.equal('1 are in use and 0 waited for, 1 more than max');
  });

  it('says what is still being made', () => {
    expect(report(3).condition).to.include({
      status: 'False',
      reason: 'Reconciling',
      message: 'small: 2 of 3 exist; the others are being made',
    });
  });

  it('says what cannot be made, and whether that is for want of room or because it would take evictions', () => {
    const none = report(9, { small: 4 }, { small: 4 });
    expect(none.condition).to.include({ reason: 'NoRoom' });
    expect(none.states[0]?.why).to.match(/does not hold 4 more/);
    const late = { lacking: { small: 4 }, lackingAtLeast: { small: 1 }, isUnproven: true };
    const [state] = reportDemand(wantedSlices(smalls(9), members, nobody), members, late).states;
    expect(state?.why, 'what is known to help comes first').to.match(/^3 could be made only by evicting pods/);
    const held = report(9, { small: 4 }, { small: 1 });
    expect(held.condition.reason).to.equal('NothingIdle');
    expect(held.states[0]?.why).to.match(/^3 could be made only by evicting pods.*for 1 more there is no room/);
    const { states } = reportDemand(wantedSlices(smalls(9), members, nobody), members, {
      lacking: { small: 4 },
      lackingAtLeast: {},
      isSpared: false,
    });
    expect(states[0]?.why).to.equal(
      '4 could be made only in place of pods that cannot be evicted: they follow when slices fall idle',
    );
  });
});
