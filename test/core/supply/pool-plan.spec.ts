import { expect } from 'chai';
import type { PoolGpu } from '../../../src/core/demand/pool.ts';
import { listMembers } from '../../../src/core/supply/member.ts';
import { answerHere } from '../../../src/core/supply/plan-here.ts';
import { planMembers, type PlannedPool } from '../../../src/core/supply/pool-plan.ts';
import { aDevice, aGpu, aPartition, aPolicy } from '../../support/builders.ts';

const device = aDevice(aGpu({ slices: ['1g.5gb@0*'] }), aGpu({ index: 1, slices: ['1g.5gb@0*'] }));
const policy = aPolicy({ allow: { replaceForeignInstances: true } });
const members = (isResting: boolean) => listMembers(policy, aPartition({ device }), { isResting: () => isResting });
const slices = [{ name: 's', profiles: ['1g.5gb'], count: 9, weight: 1 }];

function lacking(count: number): PlannedPool {
  return {
    cost: { unserved: count, evictions: 0, minutesLost: 0, gpusChanged: 0, instancesDestroyed: 0 },
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
