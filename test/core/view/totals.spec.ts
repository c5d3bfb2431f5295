import { expect } from 'chai';
import { viewPage } from '../../../src/core/view/fleet.ts';
import { aGpu, aPolicy } from '../../support/builders.ts';
import { aStatusNode, fleet, policies, storyTime } from './status-stories.ts';

const closed = (name: string) => {
  const node = aStatusNode({ name, phase: 'Updating', reason: 'Applying', gpus: [aGpu({ slices: ['1g.5gb@0'] })] });
  return { ...node, status: { ...node.status, closed: { since: '2026-01-01T12:00:00Z' } } };
};

type Objects = Parameters<typeof viewPage>;

const countTotals = (given: Objects[0], nodes: Objects[1], now: number) =>
  viewPage(given, nodes, { source: { files: [] }, poolOf: () => '' }, now).totals;

describe('the fleet in figures', () => {
  it('counts nodes by urgency, GPUs that are not well, whole ones, and evictions that policies have planned', () => {
    const totals = countTotals(policies, fleet, storyTime);
    expect(totals.nodes).to.equal(7);
    expect(totals.byUrgency.map(({ urgency, count }) => `${count} ${urgency}`)).to.deep.equal([
      '1 failed',
      '1 blocked',
      '1 changing',
      '2 waiting',
      '2 ready',
    ]);
    expect([totals.gpus, totals.sickGpus, totals.whole]).to.deep.equal([19, 1, { gpus: 3, used: 1 }]);
    expect([totals.evictions, totals.window, totals.frozen]).to.deep.equal([1, undefined, undefined]);
  });

  it('offers no slice of a node that takes no GPU pods', () => {
    const open = aStatusNode({ name: 'a', gpus: [aGpu({ slices: ['1g.5gb@0', '1g.5gb@1*'] })] });
    expect(countTotals([], [open, closed('b')], storyTime).profiles).to.deep.equal([
      { profile: '1g.5gb', offered: 2, used: 1, free: 1, closed: 1 },
    ]);
  });

  it('says when the next window of a policy that is not done opens, or that one is open', () => {
    const windows = (schedule: string) => aPolicy({ rollout: { windows: [{ schedule, duration: '1h' }] } });
    expect(countTotals([windows('0 22 * * *')], [], storyTime).window).to.deep.equal({
      policy: 'p',
      opensAt: '2026-01-01T22:00:00Z',
    });
    expect(countTotals([windows('0 12 * * *'), windows('0 22 * * *')], [], storyTime).window).to.deep.equal({
      policy: 'p',
    });
  });

  it('says that the whole cluster is frozen, and why', () => {
    const lastTransitionTime = '';
    const message = 'the whole cluster is frozen: audit';
    const condition = { type: 'Ready', status: 'False' as const, reason: 'Frozen', message, lastTransitionTime };
    const frozenOf = (ready: typeof condition, summary = '0/3 ready, frozen') =>
      countTotals([{ ...aPolicy(), status: { summary, conditions: [ready] } }], [], storyTime).frozen;
    expect(frozenOf(condition)).to.equal(message);
    // A policy that has nothing to change, or has failed, has another reason.
    const ready = { ...condition, reason: 'Ready', message: `all 3 match; ${message}` };
    expect(frozenOf(ready, '3/3 ready, frozen, deleting')).to.equal(message);
    expect(frozenOf({ ...ready, message: `an admission webhook denied it: ${message}` }, '0/3 ready')).to.equal(
      undefined,
    );
  });
});
