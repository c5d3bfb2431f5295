import { expect } from 'chai';
import * as fc from 'fast-check';
import type { GpuReport } from '../../../src/api/types.ts';
import {
  askToFree,
  isFree,
  isOfRequest,
  judgeMade,
  judgePart,
  judgeRequest,
  judgeShortage,
  readFree,
  refuseMoves,
  requestedFree,
  wasPlanned,
} from '../../../src/core/supply/defrag.ts';
import { listMoves } from '../../../src/core/supply/defrag-moves.ts';
import { explainShortage } from '../../../src/core/supply/defrag-words.ts';
import type { DemandAsked } from '../../../src/core/supply/demand-question.ts';
import { aGpu } from '../../support/builders.ts';
import { aFleetNode } from '../plan/cluster-builder.ts';
import { evictingPolicy as policy, membersOf, planSmall as plan, scattered } from './defrag-builders.ts';

const nothing: DemandAsked = { slices: [], evict: 'IfNeeded' };

describe('a request to free slices', () => {
  it('is read from profiles and counts, and says what is wrong with it', () => {
    expect(readFree('3g.20gb=2,1g.5gb=1')).to.deep.equal({ '3g.20gb': 2, '1g.5gb': 1 });
    expect(readFree('3g.20gb=1,3g.20gb=2')).to.deep.equal({ '3g.20gb': 3 });
    for (const wrong of ['', '3g.20gb', '3g.20gb=0', '3g.20gb=x', '3g=2', '1c.3g.20gb=1'])
      expect(readFree(wrong), wrong).to.have.property('error');
    expect(readFree('3c.3g.20gb=1,3g.20gb=1')).to.deep.equal({ '3g.20gb': 2 });
    expect(readFree('3g.20gb=100000')).to.deep.equal({ '3g.20gb': 100_000 });
    for (const many of ['3g.20gb=100001', '3g.20gb=1000000000', '3g.20gb=60000,3g.20gb=60000'])
      expect(readFree(many), many).to.have.property('error').that.contains('100000');
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
    expect(isFree({ '3g.20gb': 1 }, members)).to.equal(true);
    expect(isFree({ '3g.20gb': 2 }, members)).to.equal(false);
  });
});

describe('why slices cannot be freed', () => {
  const gap = { figure: 'unserved' as const, value: 8, bound: 0 };
  const short = { unserved: { 'free 7g.40gb': 1 } };

  it('tells what was asked to be free from what the demand wants and from what runs', () => {
    const unserved = { small: 4, 'small/1g.5gb': 1, 'any/used 2g.10gb': 2, 'used 1g.5gb': 3, 'free 7g.40gb': 1 };
    expect(explainShortage({ unserved }, undefined, 30)).to.equal(
      'there is no room for 5 of small (of the demand), 2 of 2g.10gb (in use), 3 of 1g.5gb (in use) and ' +
        '1 of 7g.40gb beside what runs: add GPUs, or free fewer',
    );
    expect(explainShortage({ unserved: { small: 36 } }, undefined, 30)).to.equal(
      'there is no room for 36 of small (of the demand) beside what runs: add GPUs, or have the demand want less',
    );
    expect(explainShortage({ unserved: {} }, undefined, 30)).to.equal(undefined);
  });

  it('claims nothing that was not proven in time', () => {
    const late = 'no room was found for 1 of 7g.40gb within 30 s, and there may be some: raise --time-limit';
    expect(explainShortage({ ...short, gap }, undefined, 30)).to.equal(late);
    expect(explainShortage({ ...short, gap }, { unserved: {} }, 30)).to.equal(late);
    expect(explainShortage(short, { ...short, gap }, 30)).to.equal(late);
    expect(explainShortage({ ...short, gap: { ...gap, figure: 'gpusChanged' } }, undefined, 30)).to.match(
      /^there is no/,
    );
    expect(explainShortage(short, { unserved: {} }, 30)).to.match(/only by evicting pods/);
    expect(explainShortage(short, short, 30), 'evictions are proven not to help').to.match(/^there is no/);
  });
});

describe('the annotation of a policy that requests free slices', () => {
  const annotations = { 'gpupartition.dev/defrag': '3g.20gb=1 2026-01-01T12:00:00Z' };
  const request = annotations['gpupartition.dev/defrag'];
  const requested = { request, free: { '3g.20gb': 1 } };
  const members = membersOf(scattered);

  it('counts until it has been dealt with, and again with another value', () => {
    expect(requestedFree(annotations, undefined)).to.deep.equal(requested);
    expect(requestedFree(annotations, { request, state: 'Making', message: '' })).to.deep.equal(requested);
    expect(requestedFree(annotations, { request, state: 'Done', message: '' })).to.equal(undefined);
    expect(requestedFree(annotations, { request, state: 'Refused', message: '' })).to.equal(undefined);
    expect(requestedFree(annotations, { request: 'another', state: 'Done', message: '' })).to.deep.equal(requested);
    expect(requestedFree({}, undefined)).to.equal(undefined);
  });

  it('is dealt with once, though it is longer than the status can say', () => {
    const long = { 'gpupartition.dev/defrag': `3g.20gb=1 ${'for the night run '.repeat(100)}` };
    const { request: told = '', free } = requestedFree(long, undefined) ?? {};
    expect(told.length).to.be.at.most(1024);
    expect(free).to.deep.equal({ '3g.20gb': 1 });
    const done = { request: told, state: 'Done', message: '' } as const;
    expect(requestedFree(long, done)).to.equal(undefined);
    expect(isOfRequest(done, long)).to.equal(true);
    expect(isOfRequest(done, {})).to.equal(false);
    expect(isOfRequest(undefined, undefined)).to.equal(true);
  });

  it('is read to its last slice, wherever blanks are', () => {
    const free = { '3g.20gb': 1, '1g.5gb': 2 };
    for (const slices of ['3g.20gb=1, 1g.5gb=2', '3g.20gb=1 ,1g.5gb=2', ' 3g.20gb=1,1g.5gb=2'])
      for (const rest of ['', ' 2026-01-01T12:00:00Z', ' for the night run'])
        expect(
          requestedFree({ 'gpupartition.dev/defrag': slices + rest }, undefined)?.free,
          slices + rest,
        ).to.deep.equal(free);
  });

  it('is under way, done, or refused with the reason', () => {
    const { defrag, freeing } = judgeRequest(requested, nothing, members);
    expect(defrag.state).to.equal('Making');
    expect(freeing?.slices.at(-1)?.name).to.equal('free 3g.20gb');
    const idle = membersOf([aFleetNode({ name: 'n1', slices: ['3g.20gb@0'] }, policy)]);
    expect(judgeRequest(requested, nothing, idle)).to.deep.equal({
      defrag: { request, state: 'Done', message: '1×3g.20gb were idle' },
    });
    const foreign = judgeRequest({ request, free: { '9g.1gb': 1 } }, nothing, members);
    expect(foreign.defrag).to.include({ state: 'Refused' });
    expect(foreign.defrag.message).to.match(/^no GPU of the policy has profile 9g\.1gb; they have /);
    const wrong = judgeRequest({ request, free: readFree('x') }, nothing, members);
    expect(wrong.defrag.message).to.equal('"x" is not PROFILE=COUNT, for example 3g.20gb=2');
    expect(wrong.freeing).to.equal(undefined);
    const short = (lackingAtLeast?: Readonly<Record<string, number>>) =>
      judgeShortage(requested, { members, shortfall: { lacking: { x: 1 }, lackingAtLeast } });
    expect(short().message).to.match(/there is no room beside the demand and what runs$/);
    expect(short({ x: 1 }).message).to.match(/there is no room beside the demand and what runs$/);
    expect(short({}).message).to.match(/that takes evictions, which demand\.evict Never forbids$/);
    const held = judgeShortage(requested, {
      members,
      shortfall: { lacking: { x: 1 }, lackingAtLeast: {}, isSpared: false },
    });
    expect(held.message).to.match(/that takes evictions of pods that cannot be evicted$/);
    const unproven = judgeShortage(requested, { members, shortfall: { lacking: { x: 1 }, isUnproven: true } });
    expect(unproven.message).to.match(/no room was found in the time for a plan, and there may be some/);
    const alone = members.map((member, at) => ({ ...member, gpu: { ...member.gpu, isResting: at === 0 } }));
    const resting = judgeShortage(requested, { members: alone, shortfall: { lacking: { x: 1 } } });
    expect(resting.state).to.equal('Making');
    expect(resting.message).to.match(/waits: 1 GPU may not change now/);
  });

  it('is planned once: pods that take what it frees cost no more evictions', () => {
    const { defrag } = judgeRequest(requested, nothing, members);
    expect(wasPlanned(requested, undefined)).to.equal(false);
    expect(wasPlanned(requested, defrag)).to.equal(true);
    expect(wasPlanned({ ...requested, request: 'another' }, defrag)).to.equal(false);
    const alone = members.map((member) => ({ ...member, gpu: { ...member.gpu, isResting: true } }));
    const waits = judgeShortage(requested, { members: alone, shortfall: { lacking: { x: 1 } } });
    expect(wasPlanned(requested, waits), 'GPUs were left alone for now').to.equal(false);
    expect(wasPlanned(requested, judgePart(requested)), 'GPUs have changed meanwhile').to.equal(false);
    expect(judgeMade(requested, members)).to.deep.equal({
      request,
      state: 'Done',
      message: '1×3g.20gb were made idle as planned; pods have taken some of them since',
    });
    const coming = members.map((one) => ({ ...one, gpu: { ...one.gpu, instances: [] } }));
    expect(judgeMade(requested, coming), 'it is being made').to.equal(undefined);
    const failed = members.map((one) => ({ ...one, instead: one.wish }));
    expect(judgeMade(requested, failed)).to.deep.include({
      state: 'Refused',
      message: '1×3g.20gb could not be made idle: node n1 does not change now',
    });
  });

  it('is refused where the command would refuse it', () => {
    const why = ['pod team/a would find no idle slice on a node that its selectors and tolerations allow'];
    expect(refuseMoves(requested, why)).to.deep.equal({
      request,
      state: 'Refused',
      message: `1×3g.20gb cannot be made idle: ${why[0]}`,
    });
    const many = Array.from({ length: 50 }, () => why[0] ?? '');
    expect(refuseMoves(requested, many).message).to.have.length.below(1025);
  });

  it('waits where no node has reported a GPU yet, and is done only once all that it asks for is idle', () => {
    expect(judgeRequest(requested, nothing, []).defrag.state).to.equal('Making');
    const both = { '3g.20gb': 1, '1g.5gb': 1 };
    const idle = membersOf([aFleetNode({ name: 'n1', slices: ['3g.20gb@0'] }, policy)]);
    expect(judgeRequest({ request, free: both }, nothing, idle).defrag.state).to.equal('Making');
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
