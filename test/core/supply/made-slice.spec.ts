import { expect } from 'chai';
import { listMembers } from '../../../src/core/supply/member.ts';
import { pickMade } from '../../../src/core/supply/made-slice.ts';
import { aFleetNode } from '../plan/cluster-builder.ts';
import { aDemandPolicy } from './defrag-builders.ts';

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
  pickMade({ members, layouts }, 'nvidia.com/mig-3g.20gb', isAccepting, evicting)?.member.node;

describe('the GPU on which a plan makes a slice', () => {
  it('is on a node that accepts the pod, and on the first one if none does', () => {
    expect([pick(() => true), pick((node) => node === 'n2'), pick(() => false)]).to.deep.equal(['n1', 'n2', 'n1']);
  });

  it('is one where something in use goes, if that is asked for, whatever idle goes beside it', () => {
    expect(pick(() => true, true)).to.equal('n2');
  });
});
