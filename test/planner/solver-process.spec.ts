import { expect } from 'chai';
import { DemandPlanner } from '../../src/core/demand/solver/choose.ts';
import { planDemand } from '../../src/planner/solver-process.ts';
import { HighsSolver, loadSolver } from '../../src/planner/highs.ts';
import { classesOf, drawGpu } from '../core/demand/solver/random-pool.ts';
import { modelOf } from '../core/gpu/builders.ts';
import { rejectionOf } from '../kube/failure.ts';
import { Random } from '../model/random.ts';
import { eventually } from '../support/eventually.ts';

describe('the process for large pools', () => {
  const random = new Random(7);
  const model = modelOf('a100-40gb');
  const pool = Array.from({ length: 120 }, (_, index) => drawGpu(random, `gpu-${index}`, model, 0.5));
  const slices = [
    { name: '1g.5gb', profiles: ['1g.5gb'], count: 250, weight: 1 },
    { name: '3g.20gb', profiles: ['3g.20gb', '4g.20gb'], count: 90, weight: 4 },
  ];

  it('finds what the planner finds, GPU by GPU, while the event loop turns', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const plan = await planDemand(pool, { slices, evict: 'Never', seconds: 600 });
    clearInterval(timer);
    expect(turns).to.be.above(10);

    const highs = await loadSolver();
    const planner = new DemandPlanner({ classes: classesOf(pool).list(), slices, evict: 'Never' });
    const { cost } = planner.planLarge((program) => new HighsSolver(highs, program, 600));
    expect(plan.gap).to.equal(undefined);
    expect(plan.cost).to.deep.equal(cost);

    expect(plan.layouts).to.have.length(pool.length);
    plan.layouts.forEach(({ keep, destroy }, index) => {
      const now = pool[index]?.instances.toSorted((a, b) => a.start - b.start);
      expect([...keep, ...destroy].toSorted((a, b) => a.start - b.start)).to.deep.equal(now);
    });
  });

  it('ends when its answer is no longer needed', async () => {
    const children = (): number => process.getActiveResourcesInfo().filter((one) => one === 'ProcessWrap').length;
    const before = children();
    const over = new AbortController();
    const answer = rejectionOf(planDemand(pool, { slices, evict: 'Never', seconds: 600, signal: over.signal }));
    await eventually(children, (count) => count > before);
    const reason = new Error('the term is over');
    over.abort(reason);
    expect(await answer).to.equal(reason);
    await eventually(children, (count) => count === before);
  });
});
