import { expect } from 'chai';
import { expectRolloutState, judgeAdmits, type LookProgress } from '../../../src/core/rollout/admits.ts';
import { RolloutStates } from '../../../src/core/rollout/rollout-states.ts';
import { anAsking, aRolloutState, step } from './rollout-builders.ts';

describe('a policy may admit', () => {
  function judge({ known = [], ...more }: Partial<LookProgress> & { readonly known?: readonly string[] }) {
    const rolloutStates = new RolloutStates();
    for (const node of known) rolloutStates.put(aRolloutState(node));
    const usual = { mayStart: true, unseen: new Set<string>(), isForecast: true, hasCanary: false };
    return judgeAdmits({ ...usual, ...more, rolloutStates });
  }

  it('all nodes once each has been looked at, and none of a generation that is not accepted', () => {
    expect(judge({})).to.equal('Everybody');
    expect(judge({ hasCanary: true })).to.equal('Everybody');
    expect(judge({ mayStart: false })).to.equal('Nobody');
  });

  it('nodes that evict no pod right after an edit: how each node stood is known from the previous generation', () => {
    expect(judge({ unseen: new Set(['a', 'b']), known: ['a', 'b'] })).to.equal('WithoutEvictions');
  });

  it('no node while one is unknown, which may be under way, and no canary, which must be able to change', () => {
    expect(judge({ unseen: new Set(['a', 'b']), known: ['a'] })).to.equal('Nobody');
    expect(judge({ unseen: new Set(['a']), known: ['a'], isForecast: false })).to.equal('Nobody');
    expect(judge({ unseen: new Set(['a']), known: ['a'], hasCanary: true })).to.equal('Nobody');
  });

  it('leaves those that evict pods in the queue: one that was not looked at yet may be cheaper', () => {
    const nodes = [
      anAsking('evicts', 'New', { request: { evictions: 1, destroys: 0 } }),
      anAsking('idle', 'New', { request: { evictions: 0, destroys: 7 } }),
    ];
    const rollout = { maxUnavailable: 2 };
    expect(step({ nodes, rollout, admits: 'WithoutEvictions' }).admitted).to.deep.equal(['idle']);
    expect(step({ nodes, rollout, admits: 'Everybody' }).admitted).to.deep.equal(['idle', 'evicts']);
  });
});

describe('what is expected of a node at a new generation', () => {
  const { request } = anAsking('a');

  it('counts no failure and no success of the generation before', () => {
    const before = aRolloutState('a', { hasFailed: true, isVerified: true });
    expect(expectRolloutState(before, request)).to.deep.equal(aRolloutState('a', { request }));
  });

  it('takes back what the node requested before', () => {
    expect(expectRolloutState(anAsking('a', 'Retry'), undefined)).to.deep.equal(aRolloutState('a'));
  });

  it('lets a node that is under way finish before it requests anything', () => {
    const before = aRolloutState('a', { isUnderWay: true });
    expect(expectRolloutState(before, request)).to.deep.equal(before);
  });
});
