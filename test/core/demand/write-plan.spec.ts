import { expect } from 'chai';
import {
  type ClassLayout,
  type ClassPlan,
  type DemandQuestion,
  DemandPlanner,
} from '../../../src/core/demand/demand-plan.ts';
import { PoolClasses } from '../../../src/core/demand/gpu-classes.ts';
import type { DemandSlice } from '../../../src/core/demand/pool.ts';
import { anInstance, modelOf } from '../gpu/builders.ts';

/** GPUs by the instances that they have, as `1g.5gb@0* 3g.20gb@4`. */
function questionOf(gpus: readonly string[], wanted: Readonly<Record<string, number>>): DemandQuestion {
  const classes = new PoolClasses();
  gpus.forEach((text, index) => {
    const instances = text.split(' ').flatMap((one) => (one === '' ? [] : [anInstance(one)]));
    classes.add({ id: `gpu-${index}`, geometry: modelOf('a100-40gb'), instances });
  });
  const slices = Object.entries(wanted).map(([name, count]): DemandSlice => ({
    name,
    profiles: [name],
    count,
    weight: name.startsWith('1g') ? 1 : 9,
  }));
  return { classes: classes.list(), slices, evict: 'Never' };
}

function planOf(gpus: readonly string[], wanted: Readonly<Record<string, number>>): ClassPlan {
  const plan = new DemandPlanner(questionOf(gpus, wanted)).planSmall();
  if (plan === undefined) throw new Error('the pool is too large');
  return plan;
}

/** With a solver that finds this, and proves nothing. */
function planWith(values: readonly number[] | undefined, question: DemandQuestion): ClassPlan {
  return new DemandPlanner(question).planLarge(() => ({
    minimize: () => ({ values, bound: 0, isProven: false }),
    limit: () => undefined,
    close: () => undefined,
  }));
}

/** `2 x 1g.5gb@0 + 3g.20gb@4`: what two GPUs keep, and what is made on them. */
function write({ size, keep, create }: ClassLayout): string {
  const [kept, made] = [keep, create].map((some) => some.map(({ profile, start }) => `${profile}@${start}`).join(' '));
  return `${size} x ${kept} + ${made}`;
}

describe('a written plan', () => {
  it('names the slices that are lacking, and no gap where none costs less', () => {
    const plan = planOf([''], { '7g.40gb': 1, '1g.5gb': 2 });
    expect(plan.unserved).to.deep.equal({ '1g.5gb': 2 });
    expect(plan).to.not.have.property('gap');
  });

  it('states the gap, and leaves GPUs alone, where the solver found nothing in time', () => {
    const plan = planWith(undefined, questionOf(['1g.5gb@0'], { '7g.40gb': 1 }));
    expect(plan.gap).to.deep.equal({ figure: 'unserved', value: 9, bound: 0 });
    expect(plan.layouts.map(write)).to.deep.equal(['1 x 1g.5gb@0 + ']);
  });

  it('leaves a GPU alone on which the solver would make what nobody asked for', () => {
    // Both GPUs turn; then what is given, and what is lacking.
    const plan = planWith([0, 2, 1, 0], questionOf(['1g.5gb@0', '1g.5gb@0'], { '7g.40gb': 1 }));
    expect(plan.layouts.map(write)).to.deep.equal(['1 x  + 7g.40gb@0', '1 x 1g.5gb@0 + ']);
    expect(plan.cost).to.deep.equal({
      unserved: 0,
      evictions: 0,
      minutesLost: 0,
      gpusChanged: 1,
      instancesDestroyed: 1,
    });
  });

  it('makes of small slices as many as are asked for, on the first GPUs of those that have room', () => {
    // Each has room for three beside the large one.
    expect(planOf(['', ''], { '4g.20gb': 2, '1g.5gb': 3 }).layouts.map(write)).to.deep.equal([
      '1 x  + 4g.20gb@0 1g.5gb@4 1g.5gb@5 1g.5gb@6',
      '1 x  + 4g.20gb@0',
    ]);
    const plan = planOf(['', '', '1g.5gb@6*'], { '4g.20gb': 3, '1g.5gb': 4 });
    expect(plan.unserved).to.deep.equal({});
    expect(plan.layouts.map(write)).to.deep.equal([
      '1 x  + 4g.20gb@0 1g.5gb@4 1g.5gb@5 1g.5gb@6',
      '1 x  + 4g.20gb@0',
      '1 x 1g.5gb@6 + 4g.20gb@0',
    ]);
  });

  it('lists what is made by start', () => {
    expect(planOf([''], { '3g.20gb': 1, '1g.5gb': 4 }).layouts.map(write)).to.deep.equal([
      '1 x  + 1g.5gb@0 1g.5gb@1 1g.5gb@2 1g.5gb@3 3g.20gb@4',
    ]);
  });
});
