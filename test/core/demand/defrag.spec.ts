import { expect } from 'chai';
import type { GpuReport, PolicyStatus } from '../../../src/api/types.ts';
import { askToFree, judgeRequest, readFree, explainUnfreed } from '../../../src/core/demand/defrag.ts';
import {
  findMoves,
  indexHolders,
  type Mover,
  MoveRooms,
  type SlicePlace,
} from '../../../src/core/demand/eviction-cost.ts';
import { listMembers, type DemandGpu } from '../../../src/core/demand/members.ts';
import { aGpu, withPods } from '../../support/builders.ts';
import { aFleetNode, aTeamPod } from '../plan/cluster-builder.ts';
import { aDemandPolicy, evictingPolicy as policy, membersOf, planSmall as plan, scattered } from './defrag-builders.ts';
import type { PodView } from '../../../src/core/kubernetes/pod.ts';
import fc from 'fast-check';
import type { DemandAsked, Planned } from '../../../src/core/demand/plan-pool.ts';

const listMoves = (...question: Parameters<typeof findMoves>) => findMoves(...question).moves;

/** What is in the way of a plan but for pods without room. */
const unnamedIn = (pool: Parameters<typeof findMoves>[0]) =>
  findMoves(pool, new Map(), () => undefined).obstacles.filter((why) => !why.startsWith('pod '));

/** A node with so many idle slices. */
const idle = (name: string, count: number) =>
  aFleetNode({ name, slices: Array.from({ length: count }, (_, start) => `1g.5gb@${start}`) }, policy);

/** The nodes on which each pod finds room, if everything in use goes. @param looked the nodes at which it is looked */
function roomsOf(
  fleet: readonly ReturnType<typeof aFleetNode>[],
  podOf: (name: string) => PodView | undefined = () => undefined,
  looked: string[] = [],
) {
  const partitions = new Map(fleet.map(({ partition }) => [partition.metadata.name, partition]));
  const nodes = new Map(fleet.map(({ node }) => [node.metadata.name, node]));
  const get = nodes.get.bind(nodes);
  nodes.get = (name) => {
    looked.push(name);
    return get(name);
  };
  const members = membersOf(fleet);
  const layouts = members.map(({ gpu: { instances } }) => ({
    keep: instances.filter(({ busy }) => !busy),
    destroy: instances.filter(({ busy }) => busy),
    create: [],
  }));
  const moves = listMoves({ members, layouts, partitionOf: (node) => partitions.get(node) }, nodes, podOf);
  return Object.fromEntries(moves.map(({ pod, to }) => [pod, to?.map(({ node }) => node)]));
}

describe('the moves of a plan', () => {
  const nodes = new Map(scattered.map(({ node }) => [node.metadata.name, node]));
  const partitions = new Map(scattered.map(({ partition }) => [partition.metadata.name, partition]));
  const partitionOf = (node: string) => partitions.get(node);
  const members = membersOf(scattered);
  const { layouts } = plan(members, askToFree({ slices: [], evict: 'IfNeeded' }, { '7g.40gb': 1 }, members));
  const pool = { members, layouts, partitionOf };

  it('name each pod that goes, where from, and an idle slice of its profile', () => {
    const moves = listMoves(pool, nodes, () => undefined);
    expect(moves.map(({ pod, from }) => [pod, from])).to.deep.equal([
      ['team/d', [{ node: 'n2', gpu: 0, profile: '1g.5gb', start: 0 }]],
    ]);
    expect(moves[0]?.to?.map(({ node, profile }) => [node, profile])).to.deep.equal([['n1', '1g.5gb']]);
  });

  it('say where a pod finds nothing that its own rules allow', () => {
    const pinned = { ...aTeamPod('d'), spec: { nodeSelector: { zone: 'b' }, containers: [] } };
    expect(listMoves(pool, nodes, () => pinned)[0]?.to).to.equal(undefined);
  });

  it('leave the only room of a pod to it, whatever the order of names', () => {
    const fleet = [
      idle('n1', 1),
      idle('n2', 1),
      idle('n3', 1),
      aFleetNode(
        {
          name: 'n4',
          slices: ['1g.5gb@0', '1g.5gb@1', '1g.5gb@2'],
          pods: { '1g.5gb@0': ['a'], '1g.5gb@1': ['b'], '1g.5gb@2': ['c'] },
        },
        policy,
      ),
    ];
    const zones: Readonly<Record<string, readonly string[]>> = { a: ['n1', 'n2', 'n3'], b: ['n1', 'n2'], c: ['n1'] };
    const only = (name: string) => {
      const values = zones[name.replace('team/', '')] ?? [];
      const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values }] }];
      const affinity = {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
      };
      return { ...aTeamPod(name), spec: { affinity, containers: [] } };
    };
    expect(roomsOf(fleet, only)).to.deep.equal({ 'team/a': ['n3'], 'team/b': ['n2'], 'team/c': ['n1'] });
  });

  it('leave a node that has room for a pod with several slices to it', () => {
    const fleet = [
      idle('n1', 2),
      idle('n2', 1),
      idle('n3', 1),
      aFleetNode(
        {
          name: 'n4',
          slices: ['1g.5gb@0', '1g.5gb@1', '1g.5gb@2', '1g.5gb@3'],
          pods: { '1g.5gb@0': ['a'], '1g.5gb@1': ['b'], '1g.5gb@2': ['c'], '1g.5gb@3': ['c'] },
        },
        policy,
      ),
    ];
    expect(roomsOf(fleet)).to.deep.equal({ 'team/a': ['n2'], 'team/b': ['n3'], 'team/c': ['n1', 'n1'] });
  });

  it('find room for a small pod where one with more slices finds none, and ask each node once for both', () => {
    const slices = ['1g.5gb@0', '1g.5gb@1', '1g.5gb@2'];
    const pods = { '1g.5gb@0': ['a'], '1g.5gb@1': ['b'], '1g.5gb@2': ['b'] };
    const holding = aFleetNode({ name: 'n3', slices, pods }, policy);
    expect(roomsOf([idle('n1', 1), holding])).to.deep.equal({ 'team/a': ['n1'], 'team/b': undefined });
    const looked: string[] = [];
    const pinned = (name: string) => ({ ...aTeamPod(name), spec: { nodeSelector: { zone: 'b' }, containers: [] } });
    roomsOf([idle('n1', 2), idle('n2', 2), holding], pinned, looked);
    expect(looked.toSorted()).to.deep.equal(['n1', 'n2']);
  });

  it('give the last room to the pod whose name comes first', () => {
    const at = (name: string, pod: string) =>
      aFleetNode({ name, slices: ['1g.5gb@0'], pods: { '1g.5gb@0': [pod] } }, policy);
    expect(roomsOf([at('n1', 'b'), at('n2', 'a'), idle('n3', 1)])).to.deep.equal({
      'team/a': ['n3'],
      'team/b': undefined,
    });
  });

  it('count a slice in use that stays as room only once all pods that are known to hold it have gone', () => {
    const roomFor = (holders: Readonly<Record<string, readonly string[]>>): readonly SlicePlace[] | undefined => {
      const gpu = withPods(aGpu({ slices: ['3g.20gb@0*', '3g.20gb@4*'] }), holders);
      const fleet = [aFleetNode({ name: 'n1', gpus: [gpu] }, policy)];
      const [member] = membersOf(fleet);
      const [destroy = [], keep = []] = [member?.present.slice(0, 1), member?.present.slice(1)];
      const laid = { members: membersOf(fleet), layouts: [{ keep, destroy, create: [] }] };
      const moves = listMoves({ ...laid, partitionOf: () => fleet[0]?.partition }, new Map(), () => undefined);
      return moves.find(({ pod }) => pod === 'team/a')?.to;
    };
    const place = { node: 'n1', gpu: 0, profile: '3g.20gb', start: 4 };
    expect(roomFor({ '3g.20gb@0': ['team/a', 'team/b'], '3g.20gb@4': ['team/b'] }), 'b goes too').to.deep.equal([
      place,
    ]);
    expect(roomFor({ '3g.20gb@0': ['team/a'], '3g.20gb@4': ['team/c'] }), 'c stays').to.equal(undefined);
    expect(roomFor({ '3g.20gb@0': ['team/a', 'team/b'], '3g.20gb@4': ['team/b', 'team/c'] })).to.equal(undefined);
    expect(roomFor({ '3g.20gb@0': ['team/a'] }), 'nobody knows who holds it').to.equal(undefined);
  });

  it('are of the pods that hold a whole GPU, in MIG mode too, as under strategy none of the plugin', () => {
    const takenFrom = (gpu: GpuReport) => {
      const { node, partition } = aFleetNode({ name: 'n1', gpus: [gpu] }, wholes);
      const all = listMembers(wholes, partition, { isResting: () => false });
      const gone = all.map(({ gpu: { instances } }) => ({
        gpuClass: 0,
        size: 1,
        keep: [],
        destroy: instances,
        create: [],
      }));
      const taken = { members: all, layouts: gone, partitionOf: () => partition };
      const moves = listMoves(taken, new Map([['n1', node]]), () => undefined);
      return {
        moved: moves.map(({ pod }) => pod),
        unnamed: unnamedIn(taken).map((why) => / (\S+) at /.exec(why)?.[1]),
      };
    };
    const wholes = aDemandPolicy({ slices: [{ mig: 'Disabled', count: 1 }] });
    const held = { busy: true, pods: ['team/a'] };
    expect(takenFrom(aGpu(held))).to.deep.equal({ moved: ['team/a'], unnamed: [] });
    expect(takenFrom(aGpu({ ...held, slices: ['3g.20gb@0'] }))).to.deep.equal({ moved: ['team/a'], unnamed: [] });
  });

  it('are sought once for pods that no node takes, however many they are', () => {
    const fleet = Array.from({ length: 20 }, (_, at) =>
      aFleetNode({ name: `n${at}`, slices: ['1g.5gb@0', '1g.5gb@1'], pods: { '1g.5gb@0': [`p${at}`] } }, policy),
    );
    const looked: string[] = [];
    const pinned = (name: string) => ({ ...aTeamPod(name), spec: { nodeSelector: { zone: 'b' }, containers: [] } });
    roomsOf(fleet, pinned, looked);
    expect(looked).to.have.length(20);
  });

  it('look at no more nodes for each pod than it takes to find room', () => {
    const fleet = Array.from({ length: 40 }, (_, at) =>
      aFleetNode({ name: `n${at}`, slices: ['1g.5gb@0', '1g.5gb@1'], pods: { '1g.5gb@0': [`p${at}`] } }, policy),
    );
    const byName = new Map(fleet.map(({ partition }) => [partition.metadata.name, partition]));
    const all = membersOf(fleet);
    const evicting = all.map(({ gpu: { instances } }) => {
      const [busy = [], idle = []] = [true, false].map((is) => instances.filter((one) => one.busy === is));
      return { keep: idle, destroy: busy, create: [] };
    });
    const looked: string[] = [];
    const counted = new Map(fleet.map(({ node }) => [node.metadata.name, node]));
    counted.get = (name) => void looked.push(name);
    const pods = { members: all, layouts: evicting, partitionOf: (node: string) => byName.get(node) };
    expect(listMoves(pods, counted, () => undefined).flatMap(({ to = [] }) => to)).to.have.length(40);
    expect(looked).to.have.length(40);
  });

  it('tell of slices in use that no pod is known to hold', () => {
    expect(unnamedIn(pool)).to.deep.equal([]);
    const unnamed = scattered.map(({ partition }) => ({
      ...partition,
      status: {
        device: {
          ...partition.status?.device,
          gpus: partition.status?.device?.gpus?.map((gpu) => ({
            ...gpu,
            instances: gpu.instances.map(({ pods: _pods, ...one }) => one),
          })),
        },
      },
    }));
    const byName = new Map(unnamed.map((one) => [one.metadata.name, one]));
    expect(unnamedIn({ ...pool, partitionOf: (node) => byName.get(node) as never })).to.deep.equal([
      'node n2: GPU 0: 1g.5gb at 0 is in use by something that belongs to no pod, which nothing can move',
    ]);
  });
});

const nothing: DemandAsked = { slices: [], evict: 'IfNeeded' };

type DefragState = NonNullable<PolicyStatus['defrag']>;

/** How a policy's request stands. @param known what its status says @param told what was told since */
const judge = (text: string | undefined, members: readonly DemandGpu[], known?: DefragState, told?: DefragState) => {
  const annotations = text === undefined ? {} : { 'gpupartition.dev/defrag': text };
  const { metadata } = policy;
  const given = { metadata: { ...metadata, annotations }, status: { ...(known && { defrag: known }) } };
  return judgeRequest(given, told, nothing, members);
};

describe('a request to free slices', () => {
  it('is read from profiles and counts, and says what is wrong with it', () => {
    expect(readFree('3g.20gb=2,1g.5gb=1')).to.deep.equal({ '3g.20gb': 2, '1g.5gb': 1 });
    expect(readFree('3g.20gb=1,3g.20gb=2')).to.deep.equal({ '3g.20gb': 3 });
    for (const wrong of ['', '3g.20gb', '3g.20gb=0', '3g.20gb=x', '3g=2', '1c.3g.20gb=1'])
      expect(readFree(wrong), wrong).to.be.a('string');
    expect(readFree('3c.3g.20gb=1,3g.20gb=1')).to.deep.equal({ '3g.20gb': 2 });
    expect(readFree('3g.20gb=100000')).to.deep.equal({ '3g.20gb': 100_000 });
    for (const many of ['3g.20gb=100001', '3g.20gb=1000000000', '3g.20gb=60000,3g.20gb=60000'])
      expect(readFree(many), many).to.be.a('string').that.contains('100000');
  });

  it('asks that whatever runs keeps a slice of its profile, and for the idle ones beyond', () => {
    const asked = askToFree(nothing, { '3g.20gb': 1 }, membersOf(scattered));
    expect(asked.slices).to.deep.equal([
      { name: 'used 1g.5gb', profiles: ['1g.5gb'], count: 4, weight: 1000 },
      { name: 'free 3g.20gb', profiles: ['3g.20gb'], count: 1, weight: 4 },
    ]);
  });

  it('counts slices that the policy wants idle, and those in use of a slice that several profiles serve', () => {
    const slices = [
      { name: 'small', profiles: ['1g.5gb'], count: 6, weight: 1 },
      { name: 'any', profiles: ['2g.10gb', '3g.20gb'], count: 2, weight: 2 },
    ];
    const asked = askToFree({ slices, evict: 'IfNeeded' }, { '1g.5gb': 3 }, membersOf(scattered));
    expect(asked.slices.map(({ name, count }) => [name, count])).to.deep.equal([
      ['small', 6],
      ['any', 2],
      ['free 1g.5gb', 1],
    ]);
    const [half] = [aFleetNode({ name: 'n3', slices: ['3g.20gb@0'], pods: { '3g.20gb@0': ['e'] } }, policy)];
    const other = askToFree({ slices, evict: 'IfNeeded' }, { '3g.20gb': 1 }, membersOf([half]));
    expect(other.slices.map(({ name, profiles, count }) => [name, profiles.join(), count])).to.deep.equal([
      ['small', '1g.5gb', 6],
      ['any/used 3g.20gb', '3g.20gb', 1],
      ['any', '2g.10gb,3g.20gb', 1],
      ['free 3g.20gb', '3g.20gb', 1],
    ]);
  });

  it('asks for what runs beyond the slices that the policy wants', () => {
    const slices = [{ name: 'small', profiles: ['1g.5gb'], count: 3, weight: 1 }];
    const asked = askToFree({ slices, evict: 'IfNeeded' }, {}, membersOf(scattered));
    expect(asked.slices.map(({ name, count }) => [name, count])).to.deep.equal([
      ['small', 3],
      ['used 1g.5gb', 1],
    ]);
    const twice = [6, 1].map((count) => ({ name: `${count} small`, profiles: ['1g.5gb'], count, weight: 1 }));
    const both = askToFree({ slices: twice, evict: 'IfNeeded' }, { '1g.5gb': 3 }, membersOf(scattered));
    expect(
      both.slices.map(({ name }) => name),
      'three of the seven are idle anyway',
    ).to.deep.equal(['6 small', '1 small']);
  });

  it('weighs a slice by the least memory that it takes on a GPU of the policy', () => {
    const ofModel = (product: string) => aFleetNode({ name: product, gpus: [aGpu({ product, slices: [] })] }, policy);
    const members = membersOf([ofModel('NVIDIA A100-SXM4-40GB'), ofModel('NVIDIA A100-SXM4-80GB')]);
    expect(askToFree(nothing, { '1g.10gb': 1 }, members).slices.map(({ weight }) => weight)).to.deep.equal([1]);
    expect(askToFree(nothing, { '1g.10gb': 1 }, members.slice(0, 1)).slices[0]?.weight).to.equal(2);
    const thor = membersOf([ofModel('NVIDIA Thor')]);
    expect(askToFree(nothing, { '1g.0gb': 1 }, thor).slices[0]?.weight, 'it has no memory of its own').to.equal(1);
    const usedBy = (gpu: GpuReport) =>
      askToFree(nothing, {}, membersOf([aFleetNode({ name: 'n1', gpus: [gpu] }, policy)])).slices;
    expect(usedBy(aGpu({ slices: ['3g.20gb@0*'] }))).to.deep.equal([
      { name: 'used 3g.20gb', profiles: ['3g.20gb'], count: 1, weight: 4000 },
    ]);
    expect(usedBy(aGpu({ busy: true }))).to.deep.equal([
      { name: 'used whole', profiles: ['whole'], count: 1, weight: 1000 },
    ]);
  });

  it('moves as few pods as possible, and only as many as find room', () => {
    const members = membersOf(scattered);
    const two = plan(members, askToFree(nothing, { '3g.20gb': 2 }, members));
    expect(two.unserved).to.deep.equal({});
    expect(two.cost.evictions).to.equal(1);
    const whole = plan(members, askToFree(nothing, { '7g.40gb': 1 }, members));
    expect(whole.cost.evictions).to.equal(1);
    expect(plan(members, askToFree(nothing, { '7g.40gb': 2 }, members)).unserved).to.deep.equal({ 'free 7g.40gb': 1 });
  });

  it('is done once so many are idle together', () => {
    const members = membersOf([
      aFleetNode({ name: 'n1', slices: ['3g.20gb@0', '3g.20gb@4'], pods: { '3g.20gb@0': ['a'] } }, policy),
    ]);
    expect(judge('3g.20gb=1', members).defrag?.state).to.equal('Done');
    expect(judge('3g.20gb=2', members).defrag?.state).to.equal('Making');
  });
});

describe('why slices cannot be freed', () => {
  const gap = { figure: 'unserved' as const, value: 8, bound: 0 };
  const short = { unserved: { 'free 7g.40gb': 1 } };

  it('tells what was asked to be free from what the demand wants and from what runs', () => {
    const unserved = { small: 4, 'small/1g.5gb': 1, 'any/used 2g.10gb': 2, 'used 1g.5gb': 3, 'free 7g.40gb': 1 };
    expect(explainUnfreed({ unserved }, undefined, 30)).to.equal(
      'there is no room for 5 of small (of the demand), 2 of 2g.10gb (in use), 3 of 1g.5gb (in use) and ' +
        '1 of 7g.40gb beside what runs: add GPUs, or free fewer',
    );
    expect(explainUnfreed({ unserved: { small: 36 } }, undefined, 30)).to.equal(
      'there is no room for 36 of small (of the demand) beside what runs: add GPUs, or have the demand want less',
    );
    expect(explainUnfreed({ unserved: {} }, undefined, 30)).to.equal(undefined);
  });

  it('claims nothing that was not proven in time', () => {
    const late = 'no room was found for 1 of 7g.40gb within 30 s, and there may be some: raise --time-limit';
    expect(explainUnfreed({ ...short, gap }, undefined, 30)).to.equal(late);
    expect(explainUnfreed({ ...short, gap }, { unserved: {} }, 30)).to.equal(late);
    expect(explainUnfreed(short, { ...short, gap }, 30)).to.equal(late);
    expect(explainUnfreed({ ...short, gap: { ...gap, figure: 'gpusChanged' } }, undefined, 30)).to.match(
      /^there is no/,
    );
    expect(explainUnfreed(short, { unserved: {} }, 30)).to.match(/only by evicting pods/);
    expect(explainUnfreed(short, short, 30), 'evictions are proven not to help').to.match(/^there is no/);
  });
});

describe('the annotation of a policy that requests free slices', () => {
  const request = '3g.20gb=1 2026-01-01T12:00:00Z';
  const members = membersOf(scattered);
  const making = { request, state: 'Making', message: 'making 1×3g.20gb idle, within drain and rollout' } as const;

  it('counts until it has been dealt with, and again with another value', () => {
    const isFreed = (known?: DefragState) => judge(request, members, known).freeing !== undefined;
    expect(isFreed()).to.equal(true);
    expect(isFreed({ request, state: 'Making', message: '' })).to.equal(true);
    for (const state of ['Done', 'Refused'] as const) {
      const dealtWith = { request, state, message: '' };
      expect(judge(request, members, dealtWith)).to.deep.equal({ defrag: dealtWith });
    }
    expect(isFreed({ request: 'another', state: 'Done', message: '' })).to.equal(true);
    expect(judge(undefined, members)).to.deep.equal({ defrag: undefined });
  });

  it('is dealt with once, though it is longer than the status can say', () => {
    const long = `3g.20gb=1 ${'for the night run '.repeat(100)}`;
    const { defrag, freeing } = judge(long, members);
    const { request: told = '' } = defrag ?? {};
    expect(told.length).to.be.at.most(1024);
    expect(freeing?.free).to.deep.equal({ '3g.20gb': 1 });
    const done = { request: told, state: 'Done', message: '' } as const;
    expect(judge(long, members, done)).to.deep.equal({ defrag: done });
    expect(judge(undefined, members, done), 'it is asked for no more').to.deep.equal({ defrag: undefined });
    expect(judgeRequest(undefined, undefined, nothing, members)).to.deep.equal({ defrag: undefined });
  });

  it('is read to its last slice, wherever blanks are', () => {
    const free = { '3g.20gb': 1, '1g.5gb': 2 };
    for (const slices of ['3g.20gb=1, 1g.5gb=2', '3g.20gb=1 ,1g.5gb=2', ' 3g.20gb=1,1g.5gb=2'])
      for (const rest of ['', ' 2026-01-01T12:00:00Z', ' for the night run'])
        expect(judge(slices + rest, members).freeing?.free, slices + rest).to.deep.equal(free);
  });

  /** How it stands after a plan. */
  const after = (text: string, planned: Partial<Planned>, fleet = scattered) => {
    const { freeing } = judge(text, membersOf(fleet));
    if (!freeing) throw new Error('nothing is to be freed');
    const partitions = fleet.map(({ partition }) => partition);
    const nodes = new Map(fleet.map(({ node }) => [node.metadata.name, node]));
    const { asked } = freeing;
    const made = { members: membersOf(fleet), asked, layouts: [], shortfall: { lacking: {} }, ...planned };
    return freeing.judge(made, nodes, indexHolders({ partitions, pods: [], budgets: [] }));
  };
  const short = (shortfall: Partial<Planned['shortfall']> = {}, pool = members) =>
    after(request, { members: pool, shortfall: { lacking: { x: 1 }, ...shortfall } }).defrag;
  const restingAt = (index: number) =>
    members.map((member, at) => ({ ...member, gpu: { ...member.gpu, isResting: at === index } }));

  it('is under way, done, or refused with the reason', () => {
    const { defrag, freeing } = judge(request, members);
    expect(defrag).to.deep.equal(making);
    expect(freeing?.asked.slices.at(-1)?.name).to.equal('free 3g.20gb');
    const idle = membersOf([aFleetNode({ name: 'n1', slices: ['3g.20gb@0'] }, policy)]);
    expect(judge(request, idle)).to.deep.equal({ defrag: { request, state: 'Done', message: '1×3g.20gb were idle' } });
    const foreign = judge('9g.1gb=1', members);
    expect(foreign.defrag).to.include({ state: 'Refused' });
    expect(foreign.defrag?.message).to.match(/^no GPU of the policy has profile 9g\.1gb; they have /);
    const wrong = judge('x', members);
    expect(wrong.defrag?.message).to.equal('"x" is not PROFILE=COUNT, for example 3g.20gb=2');
    expect(wrong.freeing).to.equal(undefined);
    expect(short().message).to.match(/there is no room beside the demand and what runs$/);
    expect(short({ lackingAtLeast: { x: 1 } }).message).to.match(/there is no room beside the demand and what runs$/);
    expect(short({ lackingAtLeast: {} }).message).to.match(/that takes evictions, which demand\.evict Never forbids$/);
    expect(short({ lackingAtLeast: {}, isSpared: false }).message).to.match(
      /that takes evictions of pods that cannot be evicted$/,
    );
    expect(short({ isUnproven: true }).message).to.match(
      /no room was found in the time for a plan, and there may be some/,
    );
    const resting = short({}, restingAt(0));
    expect(resting.state).to.equal('Making');
    expect(resting.message).to.match(/waits: 1 GPU may not change now/);
  });

  it('is planned once: pods that take what it frees cost no more evictions', () => {
    const isPlanned = (known?: DefragState) => judge(request, members, known).freeing === undefined;
    expect(isPlanned()).to.equal(false);
    expect(isPlanned(making)).to.equal(true);
    expect(judge(request, members, undefined, making).freeing, 'the status does not say it yet').to.equal(undefined);
    expect(isPlanned({ ...making, request: 'another' })).to.equal(false);
    expect(isPlanned(short({}, restingAt(0))), 'GPUs were left alone for now').to.equal(false);
    const { part } = after(request, {});
    expect(part?.state).to.equal('Making');
    expect(isPlanned(part), 'GPUs have changed meanwhile').to.equal(false);
    expect(judge(request, members, making).defrag).to.deep.equal({
      request,
      state: 'Done',
      message: '1×3g.20gb were made idle as planned; pods have taken some of them since',
    });
    const coming = members.map((one) => ({ ...one, gpu: { ...one.gpu, instances: [] } }));
    expect(judge(request, coming, making).defrag, 'it is being made').to.deep.equal(making);
    const failed = members.map((one) => ({ ...one, instead: one.wish }));
    expect(judge(request, failed, making).defrag).to.deep.include({
      state: 'Refused',
      message: '1×3g.20gb could not be made idle: node n1 does not change now',
    });
  });

  it('is refused where the command would refuse it', () => {
    const gone = (fleet: typeof scattered) => {
      const pool = membersOf(fleet);
      const layouts = pool.map(({ gpu: { instances } }) => ({
        gpuClass: 0,
        size: 1,
        keep: [],
        destroy: instances,
        create: [],
      }));
      return after('3g.20gb=1', { layouts }, fleet);
    };
    const one = aFleetNode({ name: 'n1', slices: ['7g.40gb@0'], pods: { '7g.40gb@0': ['a'] } }, policy);
    const why = 'pod team/a would find no idle slice on a node that its selectors and tolerations allow';
    expect(gone([one])).to.deep.equal({
      defrag: { request: '3g.20gb=1', state: 'Refused', message: `1×3g.20gb cannot be made idle: ${why}` },
    });
    const many = Array.from({ length: 50 }, (_, at) =>
      aFleetNode({ name: `n${at}`, slices: ['7g.40gb@0'], pods: { '7g.40gb@0': [`p${at}`] } }, policy),
    );
    expect(gone(many).defrag.message).to.have.length.below(1025);
  });

  it('waits where no node has reported a GPU yet, and is done only once all that it asks for is idle', () => {
    expect(judge(request, []).defrag?.state).to.equal('Making');
    const idle = membersOf([aFleetNode({ name: 'n1', slices: ['3g.20gb@0'] }, policy)]);
    expect(judge('3g.20gb=1,1g.5gb=1', idle).defrag?.state).to.equal('Making');
    const slices = [{ name: 'small', profiles: ['1g.5gb'], count: 6, weight: 1 }];
    const asked = askToFree({ slices, evict: 'IfNeeded' }, { '1g.5gb': 2 }, membersOf(scattered));
    expect(
      asked.slices.map(({ name }) => name),
      'two of the six are idle anyway',
    ).to.deep.equal(['small']);
  });
});

describe('any plan that frees slices', () => {
  const fullGpus = [
    ['1g.5gb@0', '1g.5gb@1', '2g.10gb@2', '3g.20gb@4'],
    ['3g.20gb@0', '1g.5gb@4', '1g.5gb@5', '1g.5gb@6'],
    ['2g.10gb@0', '2g.10gb@2', '2g.10gb@4', '1g.5gb@6'],
    ['4g.20gb@0', '3g.20gb@4'],
  ] as const;
  const anyGpu = fc
    .constantFrom(...fullGpus)
    .chain((places) =>
      fc.tuple(...places.map((place) => fc.tuple(fc.constant(place), fc.constantFrom('Gone', 'Idle', 'Used')))),
    );
  const anyPool = fc.array(anyGpu, { minLength: 1, maxLength: 3 });
  const anyFree = fc.tuple(fc.constantFrom('1g.5gb', '2g.10gb', '3g.20gb', '7g.40gb'), fc.integer({ min: 1, max: 3 }));

  it('has room for every pod that goes, each its own, and still has the slices idle', () => {
    fc.assert(
      fc.property(anyPool, anyFree, (pool, [profile, count]) => {
        const fleet = pool.map((gpu, index) => {
          const there = gpu.filter(([, state]) => state !== 'Gone');
          const used = there.filter(([, state]) => state === 'Used');
          const slices = there.map(([place]) => place);
          const pods = Object.fromEntries(used.map(([place]) => [place, [`${index}-${place.replace('@', '-')}`]]));
          return aFleetNode({ name: `n${index}`, slices, pods }, policy);
        });
        const members = membersOf(fleet);
        const { layouts, unserved, cost } = plan(members, askToFree(nothing, { [profile]: count }, members));
        if (Object.keys(unserved).length > 0) return;
        const partitions = new Map(fleet.map(({ partition }) => [partition.metadata.name, partition]));
        const partitionOf = (node: string) => partitions.get(node);
        const moves = listMoves({ members, layouts, partitionOf }, new Map(), () => undefined);
        expect(moves).to.have.lengthOf(cost.evictions);
        const rooms = moves.flatMap(({ to }) => to ?? []);
        expect(rooms.map((room) => room.profile)).to.deep.equal(
          moves.flatMap(({ from }) => from.map((one) => one.profile)),
        );
        expect(new Set(rooms.map(({ node, start }) => `${node} ${start}`)).size).to.equal(rooms.length);
        const idle = layouts
          .flatMap(({ keep, create }) => [...keep.filter(({ busy }) => !busy), ...create])
          .filter((one) => one.profile === profile);
        const taken = rooms.filter((room) => room.profile === profile);
        expect(idle.length - taken.length).to.be.at.least(count);
      }),
      { numRuns: 500 },
    );
  });
});

/** What is idle on each node, as `{ n1: 'xxy' }`: one letter for a slice of a profile. */
type Idle = Readonly<Record<string, string>>;

const roomsIn = (idle: Idle): MoveRooms =>
  new MoveRooms(
    Object.entries(idle).flatMap(([node, profiles]) =>
      Array.from(profiles, (profile, start) => ({ node, gpu: 0, profile, start })),
    ),
  );

/** A pod that needs such slices, and that these nodes take. @param asked the nodes that were asked */
function aMover(slices: string, nodes: string, asked: string[] = []): Mover {
  const needs = new Map(
    Object.entries(Object.groupBy(slices, (one) => one)).map(([one, all = []]) => [one, all.length]),
  );
  const takes = (node: string): boolean => asked.push(node) > 0 && nodes.split(' ').includes(node);
  return { kind: `${slices} on ${nodes}`, needs, takes };
}

/** Where each finds room, if they come in this order: a node and the profiles there, or nothing. */
function place(idle: Idle, ...movers: readonly Mover[]): readonly (string | undefined)[] {
  const rooms = roomsIn(idle);
  for (const mover of movers) rooms.place(mover);
  return movers.map((mover) => {
    const given = rooms.of(mover);
    return given && `${given[0]?.node} ${given.map(({ profile }) => profile).join('')}`;
  });
}

describe('room for pods that have to go', () => {
  it('is on a node that has all that a pod needs, of each profile', () => {
    const pod = aMover('xy', 'n1 n2 n3 n4');
    expect(place({ n1: 'xx', n2: 'yy', n3: 'x', n4: 'xy' }, pod)).to.deep.equal(['n4 xy']);
    expect(place({ n1: 'xx', n2: 'yy' }, pod)).to.deep.equal([undefined]);
    expect(place({ n1: 'x', n2: 'x' }, aMover('xx', 'n1 n2'))).to.deep.equal([undefined]);
  });

  it('is made by a pod that moves on, also by one that came before others to its node', () => {
    const pods = [aMover('x', 'n1 n2'), aMover('x', 'n1'), aMover('x', 'n1')];
    expect(place({ n1: 'xx', n2: 'x' }, ...pods)).to.deep.equal(['n2 x', 'n1 x', 'n1 x']);
  });

  it('is not made on a node that does not take the pod, or where one that moves on leaves too little', () => {
    const [any, elsewhere, large] = [aMover('x', 'n1 n2'), aMover('x', 'n3'), aMover('xx', 'n1')];
    expect(place({ n1: 'x', n2: 'x' }, any, elsewhere)).to.deep.equal(['n1 x', undefined]);
    expect(place({ n1: 'x', n2: 'x' }, any, large)).to.deep.equal(['n1 x', undefined]);
  });

  it('is not made by a pod that would move on to the node that it leaves', () => {
    const [one, other] = [aMover('x', 'n1'), aMover('x', 'n1 n3')];
    expect(place({ n1: 'xxx' }, one, other, aMover('xx', 'n1'))).to.deep.equal(['n1 x', 'n1 x', undefined]);
    const pods = [aMover('xx', 'n1'), aMover('x', 'n1 n2'), aMover('xxx', 'n1')];
    expect(place({ n1: 'xxxx', n2: 'x' }, ...pods)).to.deep.equal(['n1 xx', 'n1 x', undefined]);
  });

  it('is sought once for pods of one kind if there is none, and among other pods once for each kind', () => {
    const [asked, of]: string[][] = [[], []];
    const nodes = ['n1', 'n2', 'n3', 'n4'].join(' ');
    const guests = [1, 2, 3, 4].map(() => aMover('x', nodes, of));
    const rooms = roomsIn({ n1: 'x', n2: 'x', n3: 'x', n4: 'x' });
    for (const guest of guests) rooms.place(guest);
    of?.splice(0);
    for (const _ of [1, 2]) rooms.place(aMover('x', `${nodes} n5`, asked));
    expect(asked).to.deep.equal(['n1']);
    expect(of).to.deep.equal([]);
  });

  const nodes = ['n1', 'n2', 'n3', 'n4'];
  const anyIdle = fc.record(
    Object.fromEntries(nodes.map((node) => [node, fc.constantFrom('', 'x', 'xx', 'xy', 'xxxyy')])),
  );
  const anyMover = (slices: readonly string[]) =>
    fc
      .tuple(fc.constantFrom(...slices), fc.subarray(nodes, { minLength: 1 }))
      .map(([needs, taking]) => aMover(needs, taking.join(' ')));

  it('is all that a pod needs, on one node that takes it, and no slice is promised twice', () => {
    fc.assert(
      fc.property(anyIdle, fc.array(anyMover(['x', 'y', 'xx', 'xy', 'xxy']), { maxLength: 8 }), (idle, movers) => {
        const rooms = roomsIn(idle);
        for (const mover of movers) rooms.place(mover);
        const given = movers.flatMap((mover) => {
          const places = rooms.of(mover);
          if (places === undefined) return [];
          const counts = Object.entries(Object.groupBy(places, ({ profile }) => profile));
          expect(counts.map(([profile, all = []]) => [profile, all.length])).to.have.deep.members([...mover.needs]);
          expect(places.every(({ node }) => node === places[0]?.node && mover.takes(node))).to.equal(true);
          return places.map(({ node, start }) => `${node} ${start}`);
        });
        expect(new Set(given).size).to.equal(given.length);
      }),
      { numRuns: 300 },
    );
  });

  it('is found for as many pods with one slice as there is room for', () => {
    fc.assert(
      fc.property(anyIdle, fc.array(anyMover(['x']), { maxLength: 6 }), (idle, movers) => {
        const most = (left: Idle, [first, ...others]: readonly Mover[]): number => {
          if (first === undefined) return 0;
          const ways = nodes
            .filter((node) => first.takes(node) && left[node]?.includes('x') === true)
            .map((node) => 1 + most({ ...left, [node]: left[node]?.replace('x', '') ?? '' }, others));
          return Math.max(most(left, others), ...ways);
        };
        expect(place(idle, ...movers).filter((one) => one !== undefined)).to.have.length(most(idle, movers));
      }),
      { numRuns: 200 },
    );
  });
});
