import { expect } from 'chai';
import { GPU_RESOURCE, labelProfile, migResourceName } from '../../../src/core/nvidia/labels/label-key.ts';
import { planHere } from '../../../src/core/supply/plan-here.ts';
import { findPrice } from '../../../src/core/supply/price.ts';
import type { DemandAsked } from '../../../src/core/supply/demand-question.ts';
import { Random } from '../../model/random.ts';
import { drawDemand, drawPool } from '../demand/random-pool.ts';
import { WHOLE } from '../../../src/core/gpu/geometry/profile-name.ts';

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
