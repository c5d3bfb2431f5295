import { answerAll } from '../../../src/core/text/asking.ts';
import { expect } from 'chai';
import type { KueueReading } from '../../../src/core/demand/kueue.ts';
import { withDemand } from '../../support/demand-builders.ts';
import { listMembers } from '../../../src/core/demand/members.ts';
import { pickPlannedSlice, explainDemandFor, findPrice } from '../../../src/core/demand/pod-outlook.ts';
import { aFleetNode } from '../plan/cluster-builder.ts';
import { aDemandPolicy } from './defrag-builders.ts';
import type { GpuPartitionPolicy, GpuReport, PolicyDemand, PolicySpec } from '../../../src/api/types.ts';
import type { ClusterFacts } from '../../../src/core/cluster/facts.ts';
import { answerHere, planHere, type DemandAsked } from '../../../src/core/demand/plan-pool.ts';
import { aGpu, aPolicy, uuidOf, withPods } from '../../support/builders.ts';
import { noon } from '../../support/node-builders.ts';
import { aCluster, aPod, type StoryNode } from '../kubernetes/cluster-builder.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';
import { GPU_RESOURCE, labelProfile, migResourceName } from '../../../src/core/nvidia/labels.ts';
import { Random } from '../../model/random.ts';
import { drawDemand, drawPool } from './solver/random-pool.ts';
import { WHOLE } from '../../../src/core/gpu/profiles.ts';

const policy = aDemandPolicy();
const members = ['n1', 'n2'].flatMap((name) =>
  listMembers(policy, aFleetNode({ name, slices: ['1g.5gb@0', '1g.5gb@1'] }, policy).partition, {
    isResting: () => false,
  }),
);
const create = [{ profile: '3g.20gb', start: 0 }];
const [idle, busy] = [false, true].map((isBusy, start) => ({ profile: '1g.5gb', start, busy: isBusy }));
if (idle === undefined || busy === undefined) throw new Error('there are two');
const layouts = [
  { gpuClass: 0, size: 1, keep: [], destroy: [idle], create },
  { gpuClass: 0, size: 1, keep: [], destroy: [idle, busy], create },
];

const pick = (isAccepting: (node: string) => boolean, evicting?: boolean): string | undefined =>
  pickPlannedSlice({ members, layouts }, 'nvidia.com/mig-3g.20gb', isAccepting, evicting)?.member.node;

describe('the GPU on which a plan makes a slice', () => {
  it('is on a node that accepts the pod, and on the first one if none does', () => {
    expect([pick(() => true), pick((node) => node === 'n2'), pick(() => false)]).to.deep.equal(['n1', 'n2', 'n1']);
  });

  it('is one where something in use goes, if that is asked for, whatever idle goes beside it', () => {
    expect(pick(() => true, true)).to.equal('n2');
  });
});

const small = 'nvidia.com/mig-1g.5gb';
const large = 'nvidia.com/mig-3g.20gb';

function demanding(
  demand: PolicyDemand,
  more: Partial<PolicySpec> & { readonly name?: string } = {},
): GpuPartitionPolicy {
  return withDemand(aPolicy(more), demand);
}

const fromPods = (more: Partial<PolicyDemand> = {}): PolicyDemand => ({
  from: 'Pods',
  slices: [
    { name: 'small', profiles: ['1g.5gb'] },
    { name: 'large', profiles: ['3g.20gb'] },
  ],
  ...more,
});
const asking = (resource: string, name = 'train'): PodView => aPod({ name, asks: { [resource]: '1' } });
const nodeOf = (policy: GpuPartitionPolicy, gpu: GpuReport, more: Partial<StoryNode> = {}): StoryNode => ({
  policy,
  gpus: [gpu],
  ...more,
});

/** `CODE message` of each policy. */
function outlook(
  pod: PodView,
  nodes: readonly StoryNode[],
  more: Partial<ClusterFacts> & { readonly others?: readonly PodView[] } = {},
): readonly string[] {
  const { others = [], ...facts } = more;
  const found = answerHere(explainDemandFor(pod, { ...aCluster(nodes, [pod, ...others]), now: noon, ...facts }));
  return found.map(({ code, message }) => `${code} ${message}`);
}

const full = ['1g.5gb@0*', '1g.5gb@1*', '1g.5gb@2*', '1g.5gb@3*', '1g.5gb@4*', '1g.5gb@5*', '1g.5gb@6*'];

describe('what a demand makes of a pod that waits', () => {
  it('says on which GPU the planner will offer a slice, and what goes for it', () => {
    const gpu = aGpu({ slices: ['1g.5gb@0*', '1g.5gb@4', '1g.5gb@5'] });
    expect(outlook(asking(large), [nodeOf(demanding(fromPods()), gpu)])).to.deep.equal([
      'Planned policy p: the planner will offer a 3g.20gb on node n, GPU 0 in place of 2 idle 1g.5gb',
    ]);
    for (const min of [0, 3, 5]) {
      const any = demanding(fromPods({ slices: [{ name: 'any', profiles: ['1g.5gb', '3g.20gb'], min }] }));
      expect(outlook(asking(large), [nodeOf(any, gpu)])[0], `several profiles, min ${min}`).to.match(/^Planned /);
    }
    for (const min of [2, 9]) {
      const many = demanding(fromPods({ slices: [{ name: 'large', profiles: ['3g.20gb'], min }] }));
      const [first] = outlook(asking(large), [nodeOf(many, gpu)]);
      expect(first, `one profile, min ${min}: it may have one of those`).to.match(/^Planned /);
      const others = [asking(large, 'other')];
      expect(outlook(asking(large), [nodeOf(many, gpu)], { others })[0], `min ${min}, two pods`).to.match(
        /^NothingIdle /,
      );
    }
    for (const count of [2, 9]) {
      const slice = { name: 'large', profiles: ['3g.20gb'], count };
      const fixed = demanding({ slices: [slice] });
      expect(outlook(asking(large), [nodeOf(fixed, gpu)])[0], `count ${count}`).to.match(/^Planned /);
      const others = [asking(large, 'other')];
      expect(outlook(asking(large), [nodeOf(fixed, gpu)], { others })[0], `count ${count}, two pods`).to.match(
        /^NothingIdle /,
      );
    }
    for (const from of ['Declared', 'Pods'] as const) {
      const either = demanding({ from, slices: [{ name: 'any', profiles: ['3g.20gb', '4g.20gb'], count: 3 }] });
      const others = [asking(large, 'other'), asking('nvidia.com/mig-4g.20gb', 'third')];
      const empty = nodeOf(either, aGpu({ slices: [] }));
      expect(outlook(asking(large), [empty], { others })[0], `${from}: one for each 3g.20gb`).to.match(/^Planned /);
    }
    const unlisted = { ...aCluster([nodeOf(demanding(fromPods()), gpu)]), now: noon };
    const { pods: _pods, ...facts } = unlisted;
    const [alone] = answerHere(explainDemandFor(asking(large), facts));
    expect(alone?.code, 'other pods are not known').to.equal('Planned');
  });

  it('says what keeps a plan from being carried out', () => {
    const gpu = aGpu({ slices: ['1g.5gb@0*'] });
    const say = (more: Partial<PolicySpec>) => outlook(asking(large), [nodeOf(demanding(fromPods(), more), gpu)])[0];
    expect(say({ mode: 'Plan' })).to.match(
      /the planner would offer a 3g\.20gb on node n, GPU 0, but mode Plan changes nothing/,
    );
    expect(say({ rollout: { paused: true } })).to.match(
      /GPU 0, but the rollout is paused; set spec\.rollout\.paused to false/,
    );
    const lastTransitionTime = '2026-01-01T04:00:00Z';
    const message = 'the fleet is frozen';
    const frozen = { type: 'Ready', status: 'False' as const, reason: 'Frozen', message, lastTransitionTime };
    const waits = { ...demanding(fromPods()), status: { conditions: [frozen] } };
    expect(outlook(asking(large), [nodeOf(waits, gpu)])[0]).to.match(/, but its rollout waits: the fleet is frozen$/);
    expect(say({ rollout: { maxUnavailable: 0 } })).to.match(/, but spec\.rollout\.maxUnavailable is 0/);
    const windows = [{ schedule: '0 22 * * *', duration: '1h' }];
    expect(say({ rollout: { windows } })).to.match(
      /, but it is outside spec\.rollout\.windows; the next window opens at 2026-01-01T22:00:00Z$/,
    );
  });

  it('says how long a higher demand must last yet', () => {
    const pod = asking(large);
    const young = { ...pod, metadata: { ...pod.metadata, creationTimestamp: '2026-01-01T11:59:40Z' } };
    const nodes = [nodeOf(demanding(fromPods()), aGpu({ slices: ['1g.5gb@0*'] }))];
    expect(outlook(young, nodes)[0]).to.match(/GPU 0, once it has waited 1 min \(demand\.stabilization\): in 40 s$/);
    const old = { ...pod, metadata: { ...pod.metadata, creationTimestamp: '2026-01-01T11:50:00Z' } };
    expect(outlook(old, nodes)[0]).to.match(/GPU 0$/);
  });

  it('says that one is being made', () => {
    const policy = demanding(fromPods());
    const facts = aCluster([nodeOf(policy, aGpu({ slices: ['1g.5gb@0*'] }))], [asking(large)]);
    const wish = { gpus: [{ uuid: uuidOf(0), profiles: { '1g.5gb': 1, '3g.20gb': 1 }, entry: 'demand' }] };
    const partitions = facts.partitions.map((one) => ({
      ...one,
      spec: { ...one.spec, wish, policy: { name: 'p', uid: 'uid-p', generation: 1 } },
    }));
    const found = answerHere(explainDemandFor(asking(large), { ...facts, partitions }));
    expect(found).to.deep.equal([
      { policy: 'p', code: 'Making', message: 'policy p: it is making a 3g.20gb on node n, GPU 0' },
    ]);
    const plans = { ...policy, spec: { ...policy.spec, mode: 'Plan' as const } };
    const planned = answerHere(explainDemandFor(asking(large), { ...facts, policies: [plans], partitions }));
    expect(
      planned.map(({ code }) => code),
      'mode Plan',
    ).to.not.include('Making');
  });

  it('says so where no node of the policy has a GPU that takes part', () => {
    const t4 = aGpu({ product: 'Tesla T4', migCapable: false });
    expect(outlook(asking(large), [nodeOf(demanding(fromPods()), t4)])).to.deep.equal([
      'NoGpus policy p: no node of it has reported a GPU with MIG that takes part',
    ]);
  });

  it('does not advise more weight for a slice of which only the min is in the way', () => {
    const policy = demanding({ from: 'Pods', slices: [{ name: 'any', memory: '4Gi', min: 8 }] });
    const gpu = aGpu({ slices: full.map((one) => one.replace('*', '')) });
    expect(outlook(asking('nvidia.com/mig-2g.10gb'), [nodeOf(policy, gpu)])[0]).to.match(
      /^Outweighed .* against 1: want fewer any, or add GPUs$/,
    );
    const others = [asking(small, 'a'), asking('nvidia.com/mig-2g.10gb', 'b')];
    expect(outlook(asking('nvidia.com/mig-7g.40gb'), [nodeOf(policy, gpu)], { others })[0], 'named once').to.match(
      /against 1: want fewer any, or add GPUs$/,
    );
  });

  it('blames no pod where the whole pool has no room for one slice more', () => {
    const policy = demanding({ from: 'Pods', slices: [{ profiles: ['1g.5gb'] }] });
    const others = Array.from({ length: 7 }, (_, at) => asking(small, `other-${at}`));
    const [told] = outlook(asking(small), [nodeOf(policy, aGpu({ slices: [] }))], { others });
    expect(told).to.match(/^NoRoom policy p: no GPU of p can take a 1g\.5gb beside those that there are/);
  });

  it('names the pods that hold the room under evict Never', () => {
    const busy = withPods(aGpu({ slices: full }), {
      '1g.5gb@4': ['team/a'],
      '1g.5gb@5': ['team/b'],
      '1g.5gb@6': ['team/c'],
      '1g.5gb@0': ['team/d'],
    });
    expect(outlook(asking(large), [nodeOf(demanding(fromPods()), busy)])).to.deep.equal([
      'NothingIdle policy p: no room is idle, and demand.evict Never spares what runs: node n, GPU 0 has room for a 3g.20gb ' +
        'once team/a, team/b and team/c have ended, or with demand.evict: IfNeeded',
    ]);
    expect(
      outlook(asking(large), [nodeOf(demanding(fromPods()), aGpu({ slices: full }))])[0],
      'no pod is known',
    ).to.match(/once what runs there has ended, or with/);
    const declared = demanding({ slices: [{ profiles: ['3g.20gb', '4g.20gb'], min: 1 }] });
    expect(outlook(asking(large), [nodeOf(declared, busy)])[0], 'a declared number').to.match(/^NothingIdle /);
  });

  it('names the room that an eviction would make, not that which another pod gets', () => {
    const slices = [...fromPods().slices, { profiles: ['4g.20gb'], weight: 9 }];
    const policy = demanding(fromPods({ slices }));
    const nodes = [
      nodeOf(policy, aGpu({ slices: ['4g.20gb@0*'] }), { name: 'a' }),
      nodeOf(policy, aGpu({ slices: ['4g.20gb@0*', '2g.10gb@4*'] }), { name: 'b' }),
    ];
    expect(outlook(asking(large), nodes, { others: [asking(large, 'other')] })[0]).to.match(
      /^NothingIdle .*: node b, GPU 0 has room for a 3g\.20gb once what runs there has ended, or with demand\.evict: IfNeeded$/,
    );
  });

  it('does not advise evictions where what would be evicted weighs more', () => {
    const slices = [
      { name: 'small', profiles: ['1g.5gb'], weight: 2 },
      { name: 'large', profiles: ['3g.20gb'], weight: 3 },
    ];
    const nodes = [nodeOf(demanding(fromPods({ slices })), aGpu({ slices: full }))];
    expect(outlook(asking(large), nodes)[0]).to.match(/^NothingIdle .* once what runs there has ended$/);
  });

  /** Two nodes with a pod on three of their slices each: there is room for a large slice once one of the pods has gone. */
  function aCrowd(policy: GpuPartitionPolicy): readonly StoryNode[] {
    return ['a', 'b'].map((name) => {
      const gpu = aGpu({ slices: ['4g.20gb@0*', '2g.10gb@4*'] });
      return nodeOf(policy, withPods(gpu, { '4g.20gb@0': ['team/keeper'], '2g.10gb@4': [`team/${name}`] }), { name });
    });
  }
  const evicting = demanding(
    fromPods({
      evict: 'IfNeeded',
      slices: [...fromPods().slices, { profiles: ['4g.20gb'] }, { profiles: ['2g.10gb'], weight: 1 }],
    }),
  );
  const owned = (name: string, more: object = {}): PodView => {
    const pod = aPod({ name, asks: { 'nvidia.com/mig-2g.10gb': '1' }, node: name });
    return {
      ...pod,
      metadata: { ...pod.metadata, ownerReferences: [{ kind: 'ReplicaSet', controller: true }] },
      ...more,
    };
  };

  const urgent = (): PodView => {
    const pod = asking(large);
    return { ...pod, spec: { ...pod.spec, priority: 2000 } };
  };

  it('weighs evictions as the controller does: another pod goes in place of a dear one', () => {
    const dear = (name: string) => owned(name, { spec: { nodeName: name, priority: 1000 } });
    const told = (others: readonly PodView[]) => outlook(urgent(), aCrowd(evicting), { others })[0];
    expect(told([dear('a'), owned('b')])).to.match(/^Planned .* on node b, GPU 0 in place of 1 2g\.10gb$/);
    expect(told([owned('a'), dear('b')])).to.match(/^Planned .* on node a, GPU 0 in place of 1 2g\.10gb$/);
  });

  it('says whose end there would be room after, where no eviction moves them', () => {
    const bare = (name: string) => aPod({ name, asks: { 'nvidia.com/mig-2g.10gb': '1' }, node: name });
    const [told] = outlook(urgent(), aCrowd(evicting), { others: [bare('a'), bare('b')] });
    expect(told).to.match(
      /^NothingIdle policy p: no room is idle, and what runs there cannot be evicted for it: node ([ab]), GPU 0 has room for a 3g\.20gb once team\/\1 has ended$/,
    );
  });

  it('lets nobody go for a pod that does not rank above, and says whose end it waits for', () => {
    const [told] = outlook(asking(large), aCrowd(evicting), { others: [owned('a'), owned('b')] });
    expect(told).to.match(/^NothingIdle .* cannot be evicted for it: node ([ab]), GPU 0 .* once team\/\1 has ended$/);
  });

  it('knows the slices of schedules that are written as presets, as globs, and by memory', () => {
    const next = { name: 'night', time: '2026-01-01T20:00:00Z' };
    const night = { name: 'night', schedule: '0 20 * * *', duration: '8h' };
    const say = (now: PolicyDemand, later: object) => {
      const policy = {
        ...demanding(now, { schedules: [{ ...night, ...later }] }),
        status: { schedule: { since: '2026-01-01T04:00:00Z', next } },
      };
      return outlook(asking(large), [nodeOf(policy, aGpu({ slices: ['1g.5gb@0*'] }))])[0]?.split(' ')[0];
    };
    const smalls = fromPods({ slices: [{ profiles: ['1g.5gb'] }] });
    expect(say(smalls, { layouts: [{ preset: 'all-balanced' }] }), 'a preset').to.equal('NextSchedule');
    expect(say(smalls, { demand: fromPods({ slices: [{ profiles: ['3g.*'] }] }) }), 'a glob').to.equal('NextSchedule');
    expect(say(smalls, { demand: fromPods({ slices: [{ memory: '18Gi' }] }) }), 'memory').to.equal('NextSchedule');
    const whole = {
      ...demanding(smalls, { schedules: [{ ...night, layouts: [{ mig: 'Disabled' }] }] }),
      status: { schedule: { since: '2026-01-01T04:00:00Z', next } },
    };
    expect(outlook(asking('nvidia.com/gpu'), [nodeOf(whole, aGpu({ slices: full }))])).to.deep.equal([
      'NextSchedule policy p: its schedule night has whole GPUs, from 2026-01-01T20:00:00Z',
    ]);
    const anyLarge = fromPods({ slices: [{ profiles: ['3g.*'] }] });
    expect(say(anyLarge, { layouts: [{ profiles: { '3g.20gb': 2 } }] }), 'it has them now').to.equal('Planned');
  });

  it('says that the slice comes with the next schedule, and when', () => {
    const next = { name: 'night', time: '2026-01-01T20:00:00Z' };
    const night = { name: 'night', schedule: '0 20 * * *', duration: '8h' };
    const policy = (later: object, now = fromPods({ slices: [{ profiles: ['1g.5gb'] }] })): GpuPartitionPolicy => ({
      ...demanding(now, { schedules: [{ ...night, ...later }] }),
      status: { schedule: { since: '2026-01-01T04:00:00Z', next } },
    });
    const say = (one: GpuPartitionPolicy) => outlook(asking(large), [nodeOf(one, aGpu({ slices: ['1g.5gb@0*'] }))]);
    const told = ['NextSchedule policy p: its schedule night has 3g.20gb, from 2026-01-01T20:00:00Z'];
    expect(say(policy({ layouts: [{ profiles: { '3g.20gb': 2 } }] }))).to.deep.equal(told);
    expect(say(policy({ demand: fromPods() }))).to.deep.equal(told);
    expect(say(policy({ demand: fromPods({ slices: [{ profiles: ['2g.10gb'] }] }) }))[0]).to.match(/^NotInDemand /);
    expect(say(policy({ demand: fromPods() }, fromPods()))[0]).to.match(/^Planned /);
    const nodes = (one: GpuPartitionPolicy) => [nodeOf(one, aGpu({ slices: full }))];
    const tooMuch = policy({ layouts: [{ profiles: { '3g.20gb': 3 } }] });
    expect(outlook(asking('nvidia.com/gpu'), nodes(tooMuch))[0], 'a layout that does not fit').to.match(
      /^NotInDemand /,
    );
    const back = { schedule: { since: '2026-01-01T04:00:00Z', name: 'night', next: { time: '2026-01-02T04:00:00Z' } } };
    const returning = {
      ...policy({ demand: fromPods({ slices: [{ profiles: ['1g.5gb'] }] }) }, fromPods()),
      status: back,
    };
    expect(say(returning)).to.deep.equal([
      'NextSchedule policy p: its own layouts or demand have 3g.20gb, from 2026-01-02T04:00:00Z',
    ]);
    const { spec, ...rest } = policy({ layouts: [{ mig: 'Disabled' }] });
    const single: GpuPartitionPolicy = { ...rest, spec: { ...spec, strategy: 'single' } };
    expect(outlook(asking('nvidia.com/gpu'), nodes(single))[0], 'strategy single').to.not.match(/^NextSchedule /);
  });

  it('takes no slice that is there already for one more', () => {
    const busy = withPods(aGpu({ slices: ['3g.20gb@0*', '3g.20gb@4*'] }), {
      '3g.20gb@0': ['team/a'],
      '3g.20gb@4': ['team/b'],
    });
    const others = [asking(large, 'other')];
    expect(outlook(asking(large), [nodeOf(demanding(fromPods()), busy)], { others })).to.deep.equal([
      'NoRoom policy p: no GPU of p can take a 3g.20gb beside those that there are, whatever else went short: add GPUs',
    ]);
    for (const min of [3, 4, 5]) {
      const any = { name: 'any', profiles: ['3g.20gb', '4g.20gb'], min };
      const either = demanding(fromPods({ slices: [any] }));
      expect(outlook(asking(large), [nodeOf(either, busy)])[0], `min ${min}`).to.match(/^NoRoom /);
    }
    const media = fromPods({ slices: [{ profiles: ['1g.5gb+me'] }, { profiles: ['4g.20gb'] }] });
    const moves = nodeOf(demanding(media), aGpu({ slices: ['1g.5gb+me@3*'] }));
    const wide = [asking('nvidia.com/mig-4g.20gb', 'wide')];
    expect(outlook(asking('nvidia.com/mig-1g.5gb.me'), [moves], { others: wide })[0], 'one that would move').to.match(
      /^NoRoom /,
    );
  });

  it('tells the price where other slices have the room: what would have to go short, and what both weigh', () => {
    const slices = [
      { name: 'small', profiles: ['1g.5gb'], min: 7, weight: 2 },
      { name: 'large', profiles: ['3g.20gb'], weight: 3 },
    ];
    const idle = aGpu({ slices: full.map((one) => one.replace('*', '')) });
    expect(outlook(asking(large), [nodeOf(demanding(fromPods({ slices })), idle)])).to.deep.equal([
      'Outweighed policy p: other slices have its room: to offer one more 3g.20gb, 3 small (1g.5gb) would have to go short, ' +
        'which weigh 6 against 3: raise the weight of large, want fewer small, or add GPUs',
    ]);
    const policy = demanding(fromPods({ slices: [...slices, { profiles: ['7g.40gb'], weight: 5 }] }));
    const nodes = [
      nodeOf(policy, idle, { name: 'a' }),
      nodeOf(policy, aGpu({ slices: ['7g.40gb@0*'] }), { name: 'b' }),
    ];
    expect(outlook(asking(large), nodes)[0], 'beside something in use that weighs less than those').to.match(
      /^Outweighed .* 3 small \(1g\.5gb\) would have to go short, which weigh 6 against 3:/,
    );
  });

  it('tells no price of a plan that does not offer the slice, as one may that ran out of time', () => {
    const gpu = aGpu({ slices: ['1g.5gb@0'], health: { action: 'Reset', message: 'xid 79' } });
    const asks = explainDemandFor(asking(large), aCluster([nodeOf(demanding(fromPods()), gpu)], [asking(large)]));
    const found = answerAll(asks, (question) => {
      const plan = planHere(question);
      const isPriced = question.asked.slices.some(({ name }) => name === 'one more');
      return plan && isPriced ? { ...plan, unserved: { ...plan.unserved, small: 3 } } : plan;
    });
    expect(found.map(({ code }) => code)).to.deep.equal(['NoRoom']);
  });

  it('names a slice of several profiles whole, whatever part of it goes short', () => {
    const slices = [
      { name: 'any', profiles: ['1g.5gb', '1g.10gb'], min: 4, weight: 2 },
      { name: 'large', profiles: ['3g.20gb', '4g.20gb'], spare: 1, weight: 3 },
    ];
    const asked = { asks: { [small]: '1' } };
    const others = Array.from({ length: 4 }, (_, at) => aPod({ name: `o${at}`, ...asked }));
    const used = aGpu({ slices: ['1g.5gb@0*', '1g.5gb@1*', '1g.5gb@2*', '1g.5gb@3'] });
    expect(outlook(asking(large), [nodeOf(demanding(fromPods({ slices })), used)], { others })).to.deep.equal([
      'Outweighed policy p: other slices have its room: to offer one more 3g.20gb, 3 any (1g.5gb) would have to go short, ' +
        'which weigh 6 against 3: raise the weight of large, want fewer any, or add GPUs',
    ]);
  });

  it('offers it in place of others where it weighs more', () => {
    const slices = [
      { name: 'small', profiles: ['1g.5gb'], min: 7, weight: 1 },
      { name: 'large', profiles: ['3g.20gb'], weight: 9 },
    ];
    const idle = aGpu({ slices: full.map((one) => one.replace('*', '')) });
    expect(outlook(asking(large), [nodeOf(demanding(fromPods({ slices })), idle)])[0]).to.match(
      /^Planned policy p: the planner will offer a 3g\.20gb on node n, GPU 0 in place of \d idle 1g\.5gb$/,
    );
  });

  it('says that max is reached, and by how many', () => {
    const slices = [{ name: 'small', profiles: ['1g.5gb'], max: 2 }];
    const gpu = aGpu({ slices: ['1g.5gb@0*', '1g.5gb@1*'] });
    expect(outlook(asking(small), [nodeOf(demanding(fromPods({ slices })), gpu)])).to.deep.equal([
      'MaxReached policy p: max of small is 2, and 2 are in use and 1 waited for: raise max, or it waits until one falls idle',
    ]);
  });

  it('counts no pods for a declared number', () => {
    const policy = demanding({ slices: [{ profiles: ['3g.20gb'], min: 1 }] });
    expect(outlook(asking(large), [nodeOf(policy, aGpu({ slices: ['3g.20gb@4*'] }))])).to.deep.equal([]);
  });

  it('says that a fixed number follows no pods', () => {
    const slices = [{ name: 'small', profiles: ['1g.5gb'], count: 2 }];
    const gpu = aGpu({ slices: ['1g.5gb@0*', '1g.5gb@1*'] });
    expect(outlook(asking(small), [nodeOf(demanding({ slices }), gpu)])[0]).to.equal(
      'FixedCount policy p: it wants 2 small, however many pods wait, and 2 are in use: raise count, or set demand.from: Pods and leave count out',
    );
  });

  it('says of a fixed number beside others that follow pods only to leave it out', () => {
    const slices = [{ name: 'small', profiles: ['1g.5gb'], count: 2 }];
    const gpu = aGpu({ slices: ['1g.5gb@0*', '1g.5gb@1*'] });
    expect(outlook(asking(small), [nodeOf(demanding(fromPods({ slices })), gpu)])[0]).to.match(
      /raise count, or leave count out$/,
    );
  });

  it('promises the slice of the pod, though spare ones go short', () => {
    const slices = [{ name: 'large', profiles: ['3g.20gb'], spare: 5 }];
    const gpu = aGpu({ slices: ['1g.5gb@0*'] });
    expect(outlook(asking(large), [nodeOf(demanding(fromPods({ slices })), gpu)])[0]).to.match(/^Planned /);
  });

  it('says nothing where a fixed number is there, on nodes on which the pod may not run', () => {
    const policy = demanding({ slices: [{ name: 'large', profiles: ['3g.20gb'], count: 1 }] });
    const nodes = [
      nodeOf(policy, aGpu({ slices: [] }), { name: 'n1' }),
      nodeOf(policy, aGpu({ slices: ['3g.20gb@4'] }), { name: 'n2', labels: { pool: 'q' } }),
    ];
    const pod = aPod({ asks: { [large]: '1' }, spec: { nodeSelector: { pool: 'p' } } });
    expect(outlook(pod, nodes)).to.deep.equal([]);
  });

  it('foresees one more of a fixed number that is not in use yet', () => {
    const policy = demanding({ slices: [{ name: 'small', profiles: ['1g.5gb'], count: 3 }] });
    const gpu = aGpu({ slices: ['1g.5gb@0*', '1g.5gb@1*'] });
    expect(outlook(asking(small), [nodeOf(policy, gpu)])[0]).to.match(/^Planned /);
  });

  it('offers none on a node on which the pod may not run, but for a fixed number, and says so', () => {
    const gpu = aGpu({ slices: ['1g.5gb@0*'] });
    const full = withPods(aGpu({ slices: ['7g.40gb@0*'] }), { '7g.40gb@0': ['team/a'] });
    const outlookOf = (demand: PolicyDemand) => {
      const policy = demanding(demand);
      const nodes = [nodeOf(policy, full, { name: 'n1' }), nodeOf(policy, gpu, { name: 'n2', labels: { pool: 'q' } })];
      return outlook(aPod({ asks: { [large]: '1' }, spec: { nodeSelector: { pool: 'p' } } }), nodes);
    };
    expect(outlookOf(fromPods())).to.deep.equal([
      'NothingIdle policy p: no room is idle, and demand.evict Never spares what runs: node n1, GPU 0 has room for a 3g.20gb once team/a has ended, or with demand.evict: IfNeeded',
    ]);
    expect(outlookOf({ slices: [{ name: 'large', profiles: ['3g.20gb'], count: 1 }] })).to.deep.equal([
      'Planned policy p: the planner will offer a 3g.20gb on node n2, GPU 0, where the pod may not run: ' +
        'a demand treats its nodes alike, so give those on which the pod may run a policy of their own',
    ]);
  });

  it('says which slices there are if the demand has none like it', () => {
    expect(outlook(asking('nvidia.com/mig-2g.10gb'), [nodeOf(demanding(fromPods()), aGpu())])).to.deep.equal([
      'NotInDemand policy p: its demand has no slice 2g.10gb, only small (1g.5gb) and large (3g.20gb): add one, or ask for one of these',
    ]);
  });

  it('says of a pod that requests more than a node can ever hold that it counts for nothing', () => {
    const nodes = [nodeOf(demanding(fromPods()), aGpu({ slices: [] }))];
    const asks = (amount: string): PodView => aPod({ name: 'train', asks: { [small]: amount } });
    expect(outlook(asks('20'), nodes)).to.deep.equal([
      'NeverFits policy p: the pod requests 20 1g.5gb, which no node of it can ever hold, so it counts for nothing: ask for less in one pod',
    ]);
    expect(outlook(asks('7'), nodes)[0]).to.match(/^Planned /);
  });

  it('does not advise a slice that no GPU of the pool has', () => {
    const nodes = [nodeOf(demanding(fromPods()), aGpu())];
    expect(outlook(asking('nvidia.com/mig-3g.40gb'), nodes), 'of another model').to.deep.equal([]);
    expect(outlook(asking('nvidia.com/mig-1g.5GB'), nodes), 'a typing error').to.deep.equal([]);
  });

  it('says that no GPU can take one, whatever else went short', () => {
    const gpu = aGpu({ slices: ['1g.5gb@0'], health: { action: 'Reset', message: 'xid 79' } });
    expect(outlook(asking(large), [nodeOf(demanding(fromPods()), gpu)])).to.deep.equal([
      'NoRoom policy p: no GPU of p can take a 3g.20gb beside those that there are, whatever else went short: add GPUs',
    ]);
  });

  it('says nothing where a slice is idle, and of pods and policies that it does not concern', () => {
    const nodes = [nodeOf(demanding(fromPods()), aGpu({ slices: ['3g.20gb@4'] }))];
    expect(outlook(asking(large), nodes)).to.deep.equal([]);
    expect(outlook(asking('cpu'), nodes)).to.deep.equal([]);
    expect(outlook(aPod({ asks: { [small]: '1' }, spec: { nodeSelector: { pool: 'q' } } }), nodes)).to.deep.equal([]);
    expect(outlook(asking(small), [nodeOf(aPolicy(), aGpu())])).to.deep.equal([]);
  });

  it('says nothing where a slice is idle on one of several nodes, unless that one is closed', () => {
    const policy = demanding({ slices: [{ profiles: ['3g.20gb'], count: 1 }] });
    const taints = [{ key: 'gpupartition.dev/repartitioning', value: '', effect: 'NoSchedule' as const }];
    const idle = nodeOf(policy, aGpu({ slices: ['3g.20gb@4'] }), { name: 'n1' });
    const busy = nodeOf(policy, aGpu({ slices: ['3g.20gb@4*'] }), { name: 'n2' });
    expect(outlook(asking(large), [idle, busy])).to.deep.equal([]);
    expect(outlook(asking(large), [{ ...idle, taints }, busy])[0]).to.match(/^FixedCount /);
  });

  it('tells of the policy that the pod counts for, not of the others', () => {
    const gpu = aGpu({ slices: ['1g.5gb@0*'] });
    const two = [
      nodeOf(demanding(fromPods(), { name: 'a' }), gpu, { name: 'n1' }),
      nodeOf(demanding(fromPods(), { name: 'b', priority: 5 }), gpu, { name: 'n2' }),
    ];
    expect(outlook(asking(large), two)).to.deep.equal([
      'Planned policy b: the planner will offer a 3g.20gb on node n2, GPU 0',
    ]);
    const fixed = demanding(
      { slices: [{ name: 'large', profiles: ['3g.20gb'], count: 1 }] },
      { name: 'a', priority: 9 },
    );
    const used = nodeOf(fixed, aGpu({ slices: ['3g.20gb@4*'] }), { name: 'n0' });
    expect(outlook(asking(large), [used, ...two.slice(1)]), 'a fixed number').to.deep.equal([
      'Planned policy b: the planner will offer a 3g.20gb on node n2, GPU 0',
    ]);
  });

  it('tells of the policy that can act, though another of a higher priority only plans or is paused', () => {
    const gpu = aGpu({ slices: ['1g.5gb@0*'] });
    for (const more of [{ mode: 'Plan' as const }, { rollout: { paused: true } }]) {
      const held = demanding(fromPods(), { name: 'held', priority: 5, ...more });
      const nodes = [nodeOf(held, gpu, { name: 'n1' }), nodeOf(demanding(fromPods()), gpu, { name: 'n2' })];
      expect(outlook(asking(large), nodes), JSON.stringify(more)).to.deep.equal([
        'Planned policy p: the planner will offer a 3g.20gb on node n2, GPU 0',
      ]);
      expect(outlook(asking(large), [nodeOf(held, gpu)])[0], 'if there is no other').to.match(
        /^Planned policy held: the planner w(ill|ould) offer a 3g\.20gb on node n, GPU 0, but /,
      );
    }
  });

  it('counts other pods that wait before it', () => {
    const gpu = aGpu({ slices: ['1g.5gb@0*'] });
    const others = ['a', 'b', 'c'].map((name) => asking(small, name));
    const slices = [
      { name: 'small', profiles: ['1g.5gb'], weight: 9 },
      { name: 'large', profiles: ['3g.20gb'], weight: 1 },
    ];
    const nodes = [nodeOf(demanding(fromPods({ slices })), gpu)];
    expect(outlook(asking(large), nodes, { others })[0]).to.match(/^Planned/);
    const more = ['d', 'e', 'f'].map((name) => asking(small, name));
    expect(outlook(asking(large), nodes, { others: [...others, ...more] })[0]).to.match(
      /^Outweighed .* small \(1g\.5gb\) would have to go short, which weigh \d+ against 1:/,
    );
  });

  it('speaks of whole GPUs where the demand has them', () => {
    const slices = [
      { name: 'small', profiles: ['1g.5gb'] },
      { name: 'whole', mig: 'Disabled' as const, max: 4 },
    ];
    const gpu = aGpu({ slices: ['1g.5gb@0', '1g.5gb@1'] });
    expect(outlook(asking('nvidia.com/gpu'), [nodeOf(demanding(fromPods({ slices })), gpu)])).to.deep.equal([
      'Planned policy p: the planner will offer a whole GPU on node n, GPU 0 in place of 2 idle 1g.5gb',
    ]);
    const none = demanding(fromPods({ slices: [{ name: 'small', memory: '5Gi' }] }));
    expect(outlook(asking('nvidia.com/gpu'), [nodeOf(none, gpu)])[0]).to.equal(
      'NotInDemand policy p: its demand has no slice whole GPU, only small (at least 5Gi): add one, or ask for one of these',
    );
  });

  it('goes by the schedule that is in force', () => {
    const base = demanding({ slices: [{ name: 'small', profiles: ['1g.5gb'], count: 1 }] });
    const window = { name: 'night', schedule: '0 8 * * *', duration: '12h', demand: fromPods() };
    const policy = {
      ...base,
      spec: { ...base.spec, schedules: [window] },
      status: { schedule: { name: 'night', since: '2026-01-01T08:00:00Z' } },
    };
    const gpu = aGpu({ slices: ['1g.5gb@0*'] });
    expect(outlook(asking(large), [nodeOf(policy, gpu)])[0]).to.match(/^Planned policy p/);
  });

  it('counts what Kueue holds back for a demand from Kueue', () => {
    const slices = [
      { name: 'small', profiles: ['1g.5gb'], weight: 9 },
      { name: 'large', profiles: ['3g.20gb'], weight: 1 },
    ];
    const facts = aCluster(
      [nodeOf(demanding({ from: 'Kueue', slices }), aGpu({ slices: ['1g.5gb@0*'] }))],
      [asking(large)],
    );
    const held = (count: number): KueueReading => {
      const { spec } = asking(small);
      const metadata = { name: 'job', namespace: 'ns' };
      const resourceGroups = [{ coveredResources: [small], flavors: [{ name: 'pool-p' }] }];
      return {
        workloads: [
          { metadata, spec: { queueName: 'main', podSets: [{ count, template: { ...(spec && { spec }) } }] } },
        ],
        localQueues: [{ metadata: { name: 'main', namespace: 'ns' }, spec: { clusterQueue: 'gpus' } }],
        clusterQueues: [{ metadata: { name: 'gpus' }, spec: { resourceGroups } }],
        flavors: [{ metadata: { name: 'pool-p' }, spec: { nodeLabels: { pool: 'p' } } }],
      };
    };
    const codes = (count: number) =>
      answerHere(explainDemandFor(asking(large), facts, held(count))).map(({ code }) => code);
    expect(codes(0)).to.deep.equal(['Planned']);
    expect(codes(6)).to.deep.equal(['Outweighed']);
  });

  it('says that a pool is too large where no solver is asked', () => {
    const states = [...Array(20).keys()].map((index) =>
      full.map((one, at) => (((index + 1) >> (at % 5)) & 1 ? one : one.replace('*', ''))),
    );
    const nodes = (policy: GpuPartitionPolicy, ...more: readonly (readonly string[])[]) =>
      [...states, ...more].map((slices, index) => nodeOf(policy, aGpu({ slices }), { name: `n${index}` }));
    expect(outlook(asking(large), nodes(demanding(fromPods())))[0]).to.match(
      /^TooLarge policy p: its pool is too large to be planned without the solver/,
    );
    const slices = [
      { name: 'small', profiles: ['1g.5gb'] },
      { name: 'large', profiles: ['3g.20gb'], max: 1 },
    ];
    const served = nodes(demanding(fromPods({ slices })), ['3g.20gb@4*']);
    expect(outlook(asking(large), served)[0], 'nothing has to be planned').to.match(/^MaxReached /);
  });
});

const seeds = 400;
const resourceOf = (profile: string): string =>
  profile === WHOLE ? GPU_RESOURCE : migResourceName(labelProfile(profile));

describe('the price of one slice more', () => {
  it('is never less than the slice weighs, and a slice without a price cannot be made at all', () => {
    const seen = { priced: 0, impossible: 0 };
    for (let seed = 1; seed <= seeds; seed += 1) {
      const random = new Random(seed);
      const gpus = drawPool(random, random.integer(3) + 1);
      const evict = random.chance(0.5) ? 'Never' : 'IfNeeded';
      const asked: DemandAsked = { slices: drawDemand(random, gpus, random.integer(3) + 1), evict };
      const base = planHere({ gpus, asked });
      const lacking = asked.slices.find(({ name }) => (base?.unserved[name] ?? 0) > 0);
      const [profile] = lacking?.profiles ?? [];
      if (!base || !lacking || profile === undefined) continue;
      const planned = { members: [], asked, layouts: base.layouts, shortfall: { lacking: base.unserved } };
      const priced = findPrice(asked, planned, lacking, resourceOf(profile));
      const forced = planHere({ gpus, asked: priced.asked });
      if (!forced) continue;
      const said = `seed ${seed}`;
      if (priced.isMet(forced)) {
        const wanted = asked.slices.map((one) => ({
          name: one.name,
          count: one.count,
          used: 0,
          waiting: 0,
          beyond: 0,
          slices: [one],
        }));
        const weight = /which weigh (\d+)/.exec(priced.describe(forced, wanted) ?? '')?.[1];
        expect(Number(weight), said).to.be.at.least(lacking.weight);
        seen.priced += 1;
        continue;
      }
      // Nothing else is wanted, and still it cannot be made beside those of its kind that the plan offers.
      const alone = priced.asked.slices.slice(0, 2);
      const plan = planHere({ gpus, asked: { slices: alone, evict } });
      if (plan) expect(priced.isMet(plan), said).to.equal(false);
      seen.impossible += 1;
    }
    expect(seen.priced).to.be.above(20);
    expect(seen.impossible).to.be.above(20);
  });
});
