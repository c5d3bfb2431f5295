import { expect } from 'chai';
import { PolicyRecord, readVersions } from '../../../src/core/policy/record.ts';
import { NodeGroup, type NodeOutcome, NodeCounts } from '../../../src/core/policy/tally.ts';
import { RolloutStates } from '../../../src/core/rollout/states.ts';
import { aPolicy } from '../../support/builders.ts';
import { aRolloutState } from '../rollout/rollout-builders.ts';
import fc from 'fast-check';
import type { Phase } from '../../../src/api/types.ts';

describe('a group of nodes', () => {
  it('has the cause of most nodes first, and none without nodes', () => {
    const group = new NodeGroup();
    for (const [node, cause] of [
      ['a', 'InUse'],
      ['b', 'Foreign'],
      ['c', 'Foreign'],
    ] as const)
      group.add(node, cause);
    const causes = () => group.causes.map(({ cause, nodes }) => [cause, [...nodes]]);
    expect(causes()).to.deep.equal([
      ['Foreign', ['b', 'c']],
      ['InUse', ['a']],
    ]);
    group.delete('b', 'Foreign');
    group.delete('a', 'InUse');
    expect(causes()).to.deep.equal([['Foreign', ['c']]]);
    expect([...group.nodes]).to.deep.equal(['c']);
  });
});

const phases: readonly Phase[] = ['Pending', 'Waiting', 'Updating', 'Ready', 'Failed', 'Invalid', 'Unmanaged'];

const outcome = fc.record(
  {
    node: fc.constantFrom('a', 'b', 'c', 'd'),
    phase: fc.constantFrom(...phases),
    reason: fc.constantFrom('Ready', 'NothingToDo', 'NoGpus', 'Failed'),
    message: fc.constantFrom('', 'x'),
    wonBy: fc.constant('other'),
    isOutranked: fc.boolean(),
    inFlight: fc.record({
      node: fc.constant('a'),
      nodeUID: fc.constant('u'),
      epoch: fc.nat(3),
      deadline: fc.constant(''),
    }),
    plan: fc.record({
      hash: fc.string({ maxLength: 4, minLength: 4 }),
      wishHash: fc.constant('w'),
      keep: fc.nat(3),
      destroy: fc.nat(3),
      create: fc.nat(3),
      gpusChanging: fc.nat(3),
      affectedPods: fc.array(fc.constantFrom('p', 'q'), { maxLength: 2 }),
      morePods: fc.nat(3),
    }),
  },
  { requiredKeys: ['node', 'phase', 'reason', 'message'] },
);
const step = fc.oneof(
  outcome.map((one) => ({ do: 'put' as const, one })),
  fc.constantFrom('a', 'b', 'c', 'd').map((node) => ({ do: 'remove' as const, node })),
  fc.constantFrom('a', 'b', 'c', 'd').map((node) => ({ do: 'expect' as const, node })),
);

describe('the tally of a policy', () => {
  it('counts as a recount would, after any changes', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const tally = new NodeCounts(['a', 'b']);
        const known = new Map<string, NodeOutcome | undefined>([
          ['a', undefined],
          ['b', undefined],
        ]);
        for (const one of steps) {
          if (one.do === 'put') {
            tally.put(one.one);
            known.set(one.one.node, one.one);
          } else if (one.do === 'remove') {
            tally.remove(one.node);
            known.delete(one.node);
          } else {
            tally.expect(one.node);
            if (!known.has(one.node)) known.set(one.node, undefined);
          }
        }
        const seen = [...known.values()].flatMap((one) => one ?? []);
        const own = seen.filter(({ wonBy }) => wonBy === undefined);
        const count = (isMeant: (one: NodeOutcome) => boolean) => own.filter(isMeant).length;
        expect(tally.matched).to.equal(known.size);
        expect(tally.size('unseen')).to.equal(known.size - seen.length);
        const lost = seen.filter(({ wonBy }) => wonBy !== undefined);
        expect(tally.size('outranked')).to.equal(lost.filter(({ isOutranked }) => isOutranked === true).length);
        expect(tally.size('outranked') + tally.size('conflicted')).to.equal(lost.length);
        expect(tally.own).to.equal(known.size - lost.length);
        for (const phase of phases) expect(tally.inPhase(phase)).to.equal(count((one) => one.phase === phase));
        expect(tally.size('failed')).to.equal(count(({ phase }) => phase === 'Failed'));
        expect(tally.size('invalid')).to.equal(count(({ phase }) => phase === 'Invalid'));
        expect(tally.size('waiting')).to.equal(count(({ phase }) => phase === 'Waiting'));
        expect(tally.size('unfinished')).to.equal(count(({ phase }) => phase !== 'Ready'));
        expect(tally.size('skipped')).to.equal(count(({ reason }) => reason === 'NothingToDo' || reason === 'NoGpus'));
        for (const key of ['gpusChanging', 'keep', 'destroy', 'create'] as const) {
          expect(tally.plans[key]).to.equal(own.reduce((sum, { plan }) => sum + (plan?.[key] ?? 0), 0));
        }
        const evicted = own.map(({ plan }) => (plan?.affectedPods?.length ?? 0) + (plan?.morePods ?? 0));
        expect(tally.plans.evict).to.equal(evicted.reduce((sum, pods) => sum + pods, 0));
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it('says whether anything is different', () => {
    const tally = new NodeCounts(['a']);
    const plan = { hash: 'h', wishHash: 'w', keep: 0, destroy: 0, create: 0 };
    const ready: NodeOutcome = { node: 'a', phase: 'Ready', reason: 'Ready', message: '', plan };
    expect(tally.put(ready)).to.equal(true);
    expect(tally.put({ ...ready, plan: { ...plan } })).to.equal(false);
    const changes: readonly Partial<NodeOutcome>[] = [
      { phase: 'Failed' },
      { reason: 'InUse' },
      { message: 'x' },
      { plan: { ...plan, hash: 'other' } },
      { plan: { ...plan, wishHash: 'other' } },
      { wonBy: 'other' },
    ];
    for (const change of changes) {
      tally.put(ready);
      expect(tally.put({ ...ready, ...change }), JSON.stringify(change)).to.equal(true);
    }
    const lost = { ...ready, wonBy: 'other', isOutranked: false };
    expect([tally.put(lost), tally.put({ ...lost, isOutranked: true })], 'another priority').to.deep.equal([
      true,
      true,
    ]);
  });

  it('counts nothing that is not a count, and no more than a node can have', () => {
    const tally = new NodeCounts(['a', 'b']);
    const plan = { hash: 'h', wishHash: 'w', keep: 1.5, destroy: -1, create: 1e9 };
    for (const node of ['a', 'b']) tally.put({ node, phase: 'Pending', reason: 'AwaitingSlot', message: '', plan });
    expect(tally.plans).to.deep.equal({ gpusChanging: 0, keep: 0, destroy: 0, create: 2048, evict: 0 });
  });

  it('names the first nodes of a group, as they stand', () => {
    const tally = new NodeCounts(['a', 'b', 'c']);
    const failed = (node: string): NodeOutcome => ({ node, phase: 'Failed', reason: 'InUse', message: `of ${node}` });
    for (const node of ['c', 'b', 'a']) tally.put(failed(node));
    expect(tally.first('failed', 2)).to.deep.equal([failed('c'), failed('b')]);
  });

  it('says of a node that was not looked at that it was not', () => {
    expect(new NodeCounts(['a', 'b']).first('unseen', 1)).to.deep.equal([
      { node: 'a', phase: 'Pending', reason: 'AwaitingPlan', message: 'not looked at yet' },
    ]);
  });
});

describe('a policy may admit', () => {
  function judge({
    known = [],
    unseen = [],
    isForecast = true,
    canary,
    isAccepted = true,
  }: {
    readonly known?: readonly string[];
    readonly unseen?: readonly string[];
    readonly isForecast?: boolean;
    readonly canary?: { readonly nodes: number };
    readonly isAccepted?: boolean;
  }) {
    const rolloutStates = new RolloutStates();
    for (const node of known) rolloutStates.put(aRolloutState(node));
    const policy = aPolicy({ rollout: { ...(canary && { canary }) } });
    const status = { ...(isAccepted && { acceptedGeneration: policy.metadata.generation ?? 1 }) };
    const record = new PolicyRecord(readVersions({ ...policy, status }), undefined, new Set(unseen));
    record.isForecast = isForecast;
    record.tally = new NodeCounts(unseen);
    return record.admits(rolloutStates, false);
  }
  const canary = { nodes: 1 };

  it('all nodes once each has been looked at, and none of a generation that is not accepted', () => {
    expect(judge({})).to.equal('Everybody');
    expect(judge({ canary })).to.equal('Everybody');
    expect(judge({ isAccepted: false })).to.equal('Nobody');
  });

  it('nodes that evict no pod right after an edit: how each node stood is known from the previous generation', () => {
    expect(judge({ unseen: ['a', 'b'], known: ['a', 'b'] })).to.equal('WithoutEvictions');
  });

  it('no node while one is unknown, which may be under way, and no canary, which must be able to change', () => {
    expect(judge({ unseen: ['a', 'b'], known: ['a'] })).to.equal('Nobody');
    expect(judge({ unseen: ['a'], known: ['a'], isForecast: false })).to.equal('Nobody');
    expect(judge({ unseen: ['a'], known: ['a'], canary })).to.equal('Nobody');
  });
});
