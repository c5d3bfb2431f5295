import { expect } from 'chai';
import {
  coverDemand,
  readDemand,
  NO_COST,
  type DemandCost,
  type DemandSlice,
  type PoolGpu,
} from '../../../src/core/demand/solver/pool.ts';
import {
  isSimpleDemand,
  mayHelp,
  reduceQuestion,
  LayoutChoice,
  type Layouts,
} from '../../../src/core/demand/simulated.ts';
import { Random } from '../../../src/core/plan/simulation/trace.ts';
import { countPresent } from '../../../src/core/gpu/geometry.ts';
import { WHOLE } from '../../../src/core/gpu/profiles.ts';
import { aPool } from './plain-pool.ts';
import { planWithoutSolver, withoutSolver } from '../plan/simulation/simulation-builder.ts';
import { classesOf, drawDemand, drawPool } from './solver/random-pool.ts';

describe('the questions that a simulation leaves out @slow', () => {
  const plan = ({ gpus, slices }: ReturnType<typeof aPool>) => {
    return planWithoutSolver({ classes: classesOf(gpus).list(), slices, evict: 'Never' }).cost;
  };
  const unservedNow = ({ gpus, slices }: ReturnType<typeof aPool>): number => {
    const table = readDemand(slices, () => true);
    const offered = countPresent(gpus.flatMap(({ instances }) => instances));
    return coverDemand(
      table,
      table.profiles.map((name) => offered.get(name) ?? 0),
    ).cost;
  };

  it('are those whose best plan serves no more than what exists', () => {
    const seen = { helped: 0, skipped: 0 };
    for (let seed = 1; seed <= 600; seed += 1) {
      const pool = aPool(new Random(seed));
      expect(isSimpleDemand(pool.slices, pool.gpus)).to.equal(true);
      const may = mayHelp(pool.slices, pool.gpus);
      const helps = plan(pool).unserved < unservedNow(pool);
      expect(may || !helps, `seed ${seed}`).to.equal(true);
      if (helps) seen.helped += 1;
      if (!may) seen.skipped += 1;
    }
    // Both occur: else the comparison says nothing.
    expect(seen.helped).to.be.above(30);
    expect(seen.skipped).to.be.above(30);
  });

  it('have the same best plan once the GPUs that cannot change are taken off', () => {
    let smaller = 0;
    for (let seed = 1; seed <= 300; seed += 1) {
      const pool = aPool(new Random(seed));
      const reduced = reduceQuestion(pool.slices, pool.gpus);
      expect(plan(reduced), `seed ${seed}`).to.deep.equal(plan(pool));
      if (reduced.gpus.length < pool.gpus.length) smaller += 1;
    }
    expect(smaller).to.be.above(50);
  });

  it('do not exist where weights are not sizes, or one of several profiles serves', () => {
    const { gpus } = aPool(new Random(1));
    const slice = { name: 's', profiles: ['1g.5gb'], count: 1, weight: 1 };
    expect(isSimpleDemand([slice], gpus)).to.equal(true);
    expect(isSimpleDemand([{ ...slice, weight: 2 }], gpus)).to.equal(false);
    expect(isSimpleDemand([{ ...slice, profiles: ['1g.5gb', '2g.10gb'] }], gpus)).to.equal(false);
    expect(isSimpleDemand([slice, { ...slice, name: 't' }], gpus)).to.equal(false);
  });
});

interface Pool {
  readonly gpus: readonly PoolGpu[];
  readonly slices: readonly DemandSlice[];
}

/** What comes of a choice. */
function costOf({ gpus, slices }: Pool, layouts: Layouts): DemandCost {
  const cost = { ...NO_COST };
  const present = gpus.flatMap(({ id, instances, rests }): readonly { readonly profile: string }[] => {
    const layout = layouts.get(id);
    if (layout === undefined) return instances;
    const changed = layout.destroy.length + layout.create.length > 0 ? 1 : 0;
    if (rests === true) cost.restsBroken += changed;
    cost.gpusChanged += changed;
    if ([...layout.destroy, ...layout.create].some(({ profile }) => profile === WHOLE)) cost.modesChanged += 1;
    for (const { busy, evictionWeight = 1 } of layout.destroy) {
      if (busy) cost.evictions += evictionWeight;
      else cost.instancesDestroyed += 1;
    }
    return [...layout.keep, ...layout.create];
  });
  const table = readDemand(slices, () => true);
  const offered = countPresent(present);
  const counts = table.profiles.map((name) => offered.get(name) ?? 0);
  return { ...cost, unserved: coverDemand(table, counts).cost };
}

function bestOf({ gpus, slices }: Pool): DemandCost {
  return planWithoutSolver({ classes: classesOf(gpus).list(), slices, evict: 'Never' }).cost;
}

/** As the controller does it: the GPUs that rest change only where more is served by it, and nothing changes in vain. */
function chooseByAllPlans(pool: Pool, isResting: (id: string) => boolean): DemandCost {
  const rest = (gpu: PoolGpu): PoolGpu => (isResting(gpu.id) ? { ...gpu, isResting: true } : gpu);
  const [gentle, urgent] = [bestOf({ ...pool, gpus: pool.gpus.map(rest) }), bestOf(pool)];
  const best = urgent.unserved < gentle.unserved ? urgent : gentle;
  const now = costOf(pool, new Map());
  return best.unserved < now.unserved ? best : now;
}

describe('the choice of layouts in a simulation @slow', () => {
  const kinds = {
    'slices of one profile each': (random: Random) => aPool(random),
    'slices of any kind, whole GPUs and several models': (random: Random) => {
      const gpus = drawPool(random, 3);
      return { gpus, slices: drawDemand(random, gpus, 2) };
    },
  };
  for (const [kind, draw] of Object.entries(kinds))
    it(`is as good as if all plans were made, in all figures, for ${kind}`, () => {
      const seen = { resting: 0, changed: 0 };
      for (let seed = 1; seed <= 300; seed += 1) {
        const random = new Random(seed);
        const drawn = draw(random);
        const resting = new Set(drawn.gpus.flatMap(({ id }) => (random.chance(seed % 2 === 0 ? 0.5 : 0) ? [id] : [])));
        const isResting = (id: string): boolean => resting.has(id);
        const pool = { ...drawn, gpus: drawn.gpus.map((gpu) => ({ ...gpu, rests: isResting(gpu.id) })) };
        const layouts = new LayoutChoice(withoutSolver).choose(pool.slices, pool.gpus, isResting);
        const cost = costOf(pool, layouts);
        expect(cost, `seed ${seed}`).to.deep.equal(chooseByAllPlans(pool, isResting));
        if (cost.gpusChanged > 0) seen.changed += 1;
        if ([...layouts].some(([id, { destroy, create }]) => resting.has(id) && destroy.length + create.length > 0))
          seen.resting += 1;
      }
      // Both occur: else the comparison says nothing.
      expect(seen.changed).to.be.above(50);
      expect(seen.resting).to.be.above(5);
    });
});
