import { expect } from 'chai';
import { coverDemand, readDemand } from '../../../src/core/demand/coverage.ts';
import { PoolClasses } from '../../../src/core/demand/gpu-classes.ts';
import { isPlain, mayHelp, reduceQuestion } from '../../../src/core/simulation/helpful-plan.ts';
import { Random } from '../../../src/core/simulation/random.ts';
import { countPresent } from '../../../src/core/supply/count.ts';
import { aPool } from './plain-pool.ts';
import { planWithoutSolver } from './simulation-builder.ts';

describe('the questions that a simulation leaves out @slow', () => {
  const plan = ({ gpus, slices }: ReturnType<typeof aPool>, evict: 'Never' | 'IfNeeded') => {
    const pool = new PoolClasses();
    for (const gpu of gpus) pool.add(gpu);
    return planWithoutSolver({ classes: pool.list(), slices, evict }).cost;
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
    for (let seed = 1; seed <= 400; seed += 1) {
      const pool = aPool(new Random(seed));
      expect(isPlain(pool.slices, pool.gpus)).to.equal(true);
      for (const evict of ['Never', 'IfNeeded'] as const) {
        const may = mayHelp(pool.slices, pool.gpus, evict);
        const helps = plan(pool, evict).unserved < unservedNow(pool);
        expect(may || !helps, `seed ${seed}, ${evict}`).to.equal(true);
        if (helps) seen.helped += 1;
        if (!may) seen.skipped += 1;
      }
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
      expect(plan(reduced, 'Never'), `seed ${seed}`).to.deep.equal(plan(pool, 'Never'));
      if (reduced.gpus.length < pool.gpus.length) smaller += 1;
    }
    expect(smaller).to.be.above(50);
  });

  it('do not exist where weights are not sizes, or one of several profiles serves', () => {
    const { gpus } = aPool(new Random(1));
    const slice = { name: 's', profiles: ['1g.5gb'], count: 1, weight: 1 };
    expect(isPlain([slice], gpus)).to.equal(true);
    expect(isPlain([{ ...slice, weight: 2 }], gpus)).to.equal(false);
    expect(isPlain([{ ...slice, profiles: ['1g.5gb', '2g.10gb'] }], gpus)).to.equal(false);
    expect(isPlain([slice, { ...slice, name: 't' }], gpus)).to.equal(false);
  });
});
