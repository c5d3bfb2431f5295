import { expect } from 'chai';
import { expectStanding, judgeAdmits, type LookProgress } from '../../../src/core/rollout/admits.ts';
import { Standings } from '../../../src/core/rollout/standings.ts';
import { anAsking, aStanding, step } from './rollout-builders.ts';

describe('which nodes a policy may admit', () => {
  function judge({ known = [], ...more }: Partial<LookProgress> & { readonly known?: readonly string[] }) {
    const standings = new Standings();
    for (const node of known) standings.put(aStanding(node));
    const usual = { mayStart: true, unseen: new Set<string>(), isForeseen: true, hasCanary: false };
    return judgeAdmits({ ...usual, ...more, standings });
  }

  it('all, once each has been looked at, and none of a generation that is not accepted', () => {
    expect(judge({})).to.equal('Everybody');
    expect(judge({ hasCanary: true })).to.equal('Everybody');
    expect(judge({ mayStart: false })).to.equal('Nobody');
  });

  it('after an edit those that evict no pod: how each node stood is known from the generation before', () => {
    expect(judge({ unseen: new Set(['a', 'b']), known: ['a', 'b'] })).to.equal('Idle');
  });

  it('none while a node is unknown, which may be under way, nor as canaries, which must be able to change', () => {
    expect(judge({ unseen: new Set(['a', 'b']), known: ['a'] })).to.equal('Nobody');
    expect(judge({ unseen: new Set(['a']), known: ['a'], isForeseen: false })).to.equal('Nobody');
    expect(judge({ unseen: new Set(['a']), known: ['a'], hasCanary: true })).to.equal('Nobody');
  });

  it('leaves those that evict pods in the queue: one that was not looked at yet may be cheaper', () => {
    const nodes = [
      anAsking('evicts', 'New', { request: { evictions: 1, destroys: 0 } }),
      anAsking('idle', 'New', { request: { evictions: 0, destroys: 7 } }),
    ];
    const rollout = { maxUnavailable: 2 };
    expect(step({ nodes, rollout, admits: 'Idle' }).admitted).to.deep.equal(['idle']);
    expect(step({ nodes, rollout, admits: 'Everybody' }).admitted).to.deep.equal(['idle', 'evicts']);
  });
});

describe('what is expected of a node at a new generation', () => {
  const { request } = anAsking('a');

  it('counts no failure and no success of the generation before', () => {
    const before = aStanding('a', { hasFailed: true, isVerified: true });
    expect(expectStanding(before, request)).to.deep.equal(aStanding('a', { request }));
  });

  it('takes back what the node requested before', () => {
    expect(expectStanding(anAsking('a', 'Retry'), undefined)).to.deep.equal(aStanding('a'));
  });

  it('lets a node that is under way finish before it requests anything', () => {
    const before = aStanding('a', { isUnderWay: true });
    expect(expectStanding(before, request)).to.deep.equal(before);
  });
});
