import { expect } from 'chai';
import type { Highs } from 'highs';
import {
  type ClassLayout,
  type ClassPlan,
  DemandPlanner,
  chooseExactly,
} from '../../../../src/core/demand/solver/choose.ts';
import { type DemandQuestion, buildProblem, ColumnLister } from '../../../../src/core/demand/solver/problem.ts';
import {
  type ColumnGroup,
  type DemandSlice,
  type EvictionRule,
  type PoolGpu,
  type PoolInstance,
  ChoiceCosts,
  NO_COST,
} from '../../../../src/core/demand/solver/pool.ts';
import { chooseBySolver } from '../../../../src/core/demand/solver/integer-program.ts';
import { planGpu } from '../../../../src/core/gpu/plan.ts';
import { placeOf } from '../../../../src/core/gpu/grid.ts';
import { HighsSolver, loadSolver } from '../../../../src/planner/highs.ts';
import { Random } from '../../../model/random.ts';
import { anInstance, isIdle, modelOf } from '../../gpu/builders.ts';
import { StrictGpu } from '../../gpu/simulated-gpu.ts';
import { figuresOf, tryAll, weighLacking } from './brute-force.ts';
import { solvePerGpu } from './program-per-gpu.ts';
import { classesOf, drawDemand, drawPool } from './random-pool.ts';
import { WHOLE } from '../../../../src/core/gpu/profiles.ts';
import { aColumn, asking, pair } from './column-builders.ts';

/** `DEMAND_SEEDS=2000 npx mocha test/core/demand/solver/choose.spec.ts` tries more: whoever changes the planner does so. */
const seeds = Number(process.env['DEMAND_SEEDS'] ?? 30);
const firstSeed = Number(process.env['DEMAND_FIRST_SEED'] ?? 1);

interface Scene {
  readonly pool: readonly PoolGpu[];
  readonly slices: readonly DemandSlice[];
  readonly evict: EvictionRule;
}

interface Planned {
  readonly plan: ClassPlan;
  readonly layouts: ReadonlyMap<string, ClassLayout>;
}

let highs: Highs;

function plan({ pool, slices, evict }: Scene, how: 'Exactly' | 'BySolver'): Planned {
  const found = classesOf(pool);
  const classes = found.list();
  const planner = new DemandPlanner({ classes, slices, evict });
  const made =
    how === 'Exactly' ? planner.planSmall(true) : planner.planLarge((program) => new HighsSolver(highs, program, 600));
  if (made === undefined) throw new Error('the pool is too large');
  const layouts = [...found.handOut(classes, made.layouts)].flatMap(([ids, layout]) =>
    ids.map((id) => [id, layout] as const),
  );
  return { plan: made, layouts: new Map(layouts) };
}

function draw(seed: number, mostGpus: number, mostKinds: number): Scene {
  const random = new Random(seed);
  const pool = drawPool(random, 1 + random.integer(mostGpus));
  const slices = drawDemand(random, pool, 1 + random.integer(mostKinds));
  return { pool, slices, evict: random.chance(0.5) ? 'Never' : 'IfNeeded' };
}

function forSeeds(count: number, check: (seed: number) => void): void {
  for (let seed = firstSeed; seed < firstSeed + count; seed += 1) check(seed);
}

/** Does what a plan says on GPUs that refuse what real ones would; busy instances only go if they may. */
function makeLayouts({ pool, evict }: Scene, planned: Planned, at: string): void {
  for (const one of pool) {
    const { id, geometry, instances } = one;
    const layout = planned.layouts.get(id);
    if (layout === undefined) throw new Error(`${at}: no layout for ${id}`);
    if (evict === 'Never') expect(listGone(one, planned).every(isIdle), at).to.equal(true);
    const end = [...layout.keep, ...layout.create];
    const turns = isWhole(instances) !== isWhole(end);
    if (one.keepsMode === true) expect(turns, `${at}: ${id} keeps its mode`).to.equal(false);
    if (isWhole(end)) {
      expect(end, `${at}: nothing is beside a whole GPU`).to.have.length(1);
      continue;
    }
    const gpu = new StrictGpu(geometry, isWhole(instances) ? [] : instances);
    for (const { profile, start } of isWhole(instances) ? [] : layout.destroy)
      gpu.execute({ action: 'DestroyInstance', profile, start, computeInstances: [profile] });
    for (const { profile, start } of layout.create)
      gpu.execute({ action: 'CreateInstance', profile, start, computeInstances: [profile] });
    const counts: Record<string, number> = {};
    for (const { profile } of end) counts[profile] = (counts[profile] ?? 0) + 1;
    const ofGpu = planGpu(
      geometry,
      isWhole(instances) ? [] : instances,
      counts,
      evict === 'Never' ? { mayDisturb: isIdle } : {},
    );
    expect(ofGpu.fits, `${at}: the planner of one GPU takes ${JSON.stringify(counts)}`).to.equal(true);
    if (ofGpu.fits) expect(ofGpu.destroy.length, at).to.be.at.most(layout.destroy.length);
  }
}

/** What a plan costs the GPUs as the pool has them. */
function sumFigures({ pool, slices }: Scene, planned: Planned): readonly number[] {
  let [evictions, broken, changed, turned, destroyed] = [0, 0, 0, 0, 0];
  for (const gpu of pool) {
    const { create = [] } = planned.layouts.get(gpu.id) ?? {};
    const gone = listGone(gpu, planned);
    const changes = gone.length + create.length > 0 ? 1 : 0;
    changed += changes;
    if (gpu.rests === true) broken += changes;
    if (isWhole(gone) || isWhole(create)) turned += 1;
    for (const { busy, evictionWeight = 1 } of gone) {
      if (busy) evictions += evictionWeight;
      else destroyed += 1;
    }
  }
  const profiles = [...new Set(slices.flatMap((one) => one.profiles))];
  const all = [...planned.layouts.values()].flatMap(({ keep, create }) => [...keep, ...create]);
  const offered = profiles.map((name) => all.filter(({ profile }) => profile === name).length);
  return [weighLacking(slices, profiles, offered), evictions, broken, changed, turned, destroyed];
}

function listGone({ id, instances }: PoolGpu, { layouts }: Planned): readonly PoolInstance[] {
  const gone = new Set(layouts.get(id)?.destroy.map(placeOf));
  return instances.filter((instance) => gone.has(placeOf(instance)));
}

function isWhole(instances: readonly { readonly profile: string }[]): boolean {
  return instances.some(({ profile }) => profile === WHOLE);
}

function slice(profile: string, count: number, weight = 1): DemandSlice {
  return { name: profile, profiles: [profile], count, weight };
}

function gpuOf(id: string, model: string, ...instances: readonly string[]): PoolGpu {
  return { id, geometry: modelOf(model), instances: instances.map((one) => anInstance(one)) };
}

/** Per GPU the instances that it ends up with. */
function writeLayouts({ layouts }: Planned): Readonly<Record<string, string>> {
  const written = [...layouts].map(([id, { keep, create }]) => {
    const all = [...keep, ...create].toSorted((a, b) => a.start - b.start);
    return [id, all.map(({ profile, start }) => `${profile}@${start}`).join(' ')] as const;
  });
  return Object.fromEntries(written);
}

describe('the demand planner @slow', () => {
  before(async () => {
    highs = await loadSolver();
  });

  for (const how of ['Exactly', 'BySolver'] as const) {
    const name = how === 'Exactly' ? 'by dynamic programming' : 'by integer programs';

    it(`${name} is as good as the best of all combinations, in all figures`, () => {
      forSeeds(how === 'Exactly' ? 4 * seeds : seeds, (seed) => {
        const scene = draw(seed, 3, 2);
        const planned = plan(scene, how);
        expect(planned.plan.gap, `seed ${seed}`).to.equal(undefined);
        expect(figuresOf(planned.plan.cost), `seed ${seed}`).to.deep.equal(
          tryAll(scene.pool, scene.slices, scene.evict),
        );
      });
    });

    it(`${name} makes layouts that the GPUs take, at the cost that it states, and nothing that is not asked for`, () => {
      forSeeds(seeds, (seed) => {
        const scene = draw(seed + 5000, 5, 3);
        const planned = plan(scene, how);
        makeLayouts(scene, planned, `seed ${seed}`);
        expect(sumFigures(scene, planned), `seed ${seed}`).to.deep.equal(figuresOf(planned.plan.cost));
        const asked = new Set(scene.slices.flatMap(({ profiles }) => profiles));
        const most = (profile: string): number =>
          scene.slices.reduce((sum, { profiles, count }) => sum + (profiles.includes(profile) ? count : 0), 0);
        const all = [...planned.layouts.values()];
        for (const profile of new Set(all.flatMap(({ create }) => create.map((one) => one.profile)))) {
          expect(asked.has(profile), `seed ${seed}: ${profile}`).to.equal(true);
          const offered = all
            .flatMap(({ keep, create }) => [...keep, ...create])
            .filter((one) => one.profile === profile);
          expect(offered.length, `seed ${seed}: ${profile}`).to.be.at.most(most(profile));
        }
      });
    });
  }

  it('is as good as a program with a variable for each GPU and state, for larger pools', () => {
    forSeeds(Math.ceil(seeds / 12), (seed) => {
      const scene = draw(seed + 9000, 24, 3);
      const planned = plan(scene, 'BySolver');
      expect(planned.plan.gap, `seed ${seed}`).to.equal(undefined);
      expect(figuresOf(planned.plan.cost), `seed ${seed}`).to.deep.equal(
        solvePerGpu(highs, scene.pool, scene.slices, scene.evict),
      );
      makeLayouts(scene, planned, `seed ${seed}`);
    });
  });

  it('loses nothing by dropping what other columns can stand in for, in all figures and in room', () => {
    let dropped = 0;
    forSeeds(4 * seeds, (seed) => {
      const { pool, slices, evict } = draw(seed + 30_000, 4, 4);
      const classes = classesOf(pool).list();
      const { table, groups } = buildProblem({ classes, slices, evict });
      const alone = table.profiles.map((_, profile) => [profile]);
      const lister = new ColumnLister({ ...table, tallies: { serving: alone, sized: alone } }, evict);
      const all = classes.map((one) => ({ columns: lister.list(one), size: one.size }));
      const best = (some: readonly ColumnGroup[]) => {
        const choice = chooseExactly(table, some, Infinity);
        return choice && [choice.cost, new ChoiceCosts(table, some).roomOf(choice.counts)];
      };
      expect(best(groups), `seed ${seed}`).to.deep.equal(best(all));
      const count = (some: readonly ColumnGroup[]): number =>
        some.reduce((sum, { columns }) => sum + columns.length, 0);
      if (count(groups.flatMap(({ members }) => members.map((one) => ({ ...one, size: 1 })))) < count(all))
        dropped += 1;
    });
    expect(dropped).to.be.above(seeds / 4);
  });

  it('finds by all figures at once what it finds by one after the other, in the same room', () => {
    let atOnce = 0;
    forSeeds(Math.ceil(seeds / 3), (seed) => {
      const { pool, slices, evict } = draw(seed + 40_000, 30, 4);
      const { table, groups } = buildProblem({ classes: classesOf(pool).list(), slices, evict });
      let restored = 0;
      const choose = (isAtOnce: boolean) => {
        const choice = chooseBySolver(table, groups, (program) => {
          const solver = new HighsSolver(highs, program, 600);
          return {
            relax: (costs) => (isAtOnce ? solver.relax(costs) : undefined),
            minimize: (costs, start) => solver.minimize(costs, start),
            limit: (row, upper) => solver.limit(row, upper),
            restore: () => {
              restored += 1;
              solver.restore();
            },
            close: () => solver.close(),
          };
        });
        return [choice.cost, choice.gap, new ChoiceCosts(table, groups).roomOf(choice.counts)];
      };
      expect(choose(true), `seed ${seed}`).to.deep.equal(choose(false));
      if (restored < 2) atOnce += 1;
    });
    expect(atOnce).to.be.above(0);
  });

  it('gives the same answer whatever the order of GPUs, instances and demand', () => {
    forSeeds(Math.ceil(seeds / 3), (seed) => {
      const scene = draw(seed + 20_000, 12, 3);
      const turned: Scene = {
        ...scene,
        pool: scene.pool.toReversed().map((gpu) => ({ ...gpu, instances: gpu.instances.toReversed() })),
        slices: scene.slices.toReversed().map((one) => ({ ...one, profiles: one.profiles.toReversed() })),
      };
      const [first, second] = [plan(scene, 'BySolver'), plan(turned, 'BySolver')];
      expect(writeLayouts(second), `seed ${seed}`).to.deep.equal(writeLayouts(first));
    });
  });

  it('changes nothing where what is there serves the demand, and keeps what is not asked for', () => {
    const pool = [gpuOf('a', 'a100-40gb', '3g.20gb@0', '2g.10gb@4'), gpuOf('b', 'a100-40gb', '1g.5gb@0')];
    const { plan: made, layouts } = plan(
      { pool, slices: [slice('3g.20gb', 1), slice('1g.5gb', 1)], evict: 'IfNeeded' },
      'Exactly',
    );
    expect(figuresOf(made.cost)).to.deep.equal([0, 0, 0, 0, 0, 0]);
    expect([...layouts.values()].every(({ destroy, create }) => destroy.length + create.length === 0)).to.equal(true);
  });

  it('leaves a demand unserved rather than evict under Never, and evicts for it under IfNeeded', () => {
    const pool = [gpuOf('a', 'a100-40gb', '1g.5gb@0*', '1g.5gb@4*')];
    const slices = [slice('3g.20gb', 2, 4)];
    const never = plan({ pool, slices, evict: 'Never' }, 'Exactly');
    expect(never.plan.unserved).to.deep.equal({ '3g.20gb': 2 });
    expect(figuresOf(never.plan.cost)).to.deep.equal([8, 0, 0, 0, 0, 0]);
    const ifNeeded = plan({ pool, slices, evict: 'IfNeeded' }, 'Exactly');
    expect(figuresOf(ifNeeded.plan.cost)).to.deep.equal([0, 2, 0, 1, 0, 0]);
    expect(writeLayouts(ifNeeded)).to.deep.equal({ a: '3g.20gb@0 3g.20gb@4' });
  });

  it('evicts the pods of least weight, and changes the GPU with the fewest idle instances to lose', () => {
    const heavy = {
      ...gpuOf('a', 'a30'),
      instances: [{ profile: '4g.24gb', start: 0, busy: true, evictionWeight: 5 }],
    };
    const pool = [
      heavy,
      gpuOf('b', 'a30', '2g.12gb@0*', '1g.6gb@2', '1g.6gb@3'),
      gpuOf('c', 'a30', '2g.12gb@0*', '1g.6gb@2'),
    ];
    const { plan: made, layouts } = plan({ pool, slices: [slice('4g.24gb', 2)], evict: 'IfNeeded' }, 'Exactly');
    expect(figuresOf(made.cost)).to.deep.equal([0, 1, 0, 1, 0, 1]);
    expect(layouts.get('c')?.destroy).to.have.length(2);
  });

  it('serves a slice with any of its profiles, and gives the only profile of another to that', () => {
    const pool = [gpuOf('a', 'a100-40gb', '1g.5gb@0*', '2g.10gb@2*', '3g.20gb@4*')];
    const slices: readonly DemandSlice[] = [
      { name: 'any', profiles: ['1g.5gb', '2g.10gb'], count: 1, weight: 9 },
      { name: 'one', profiles: ['1g.5gb'], count: 1, weight: 1 },
    ];
    expect(figuresOf(plan({ pool, slices, evict: 'Never' }, 'Exactly').plan.cost)).to.deep.equal([0, 0, 0, 0, 0, 0]);
  });

  for (const how of ['Exactly', 'BySolver'] as const) {
    const name = how === 'Exactly' ? 'by dynamic programming' : 'by integer programs';

    it(`serves a slice of a size with the smallest profiles that fit, ${name}`, () => {
      const profiles = ['1g.10gb', '2g.10gb', '3g.20gb', '4g.20gb', '7g.40gb'];
      const pool = [gpuOf('a', 'a100-40gb'), gpuOf('b', 'a100-40gb', '7g.40gb@0*')];
      const slices = [{ name: '10Gi', profiles, count: 3, weight: 2 }];
      const { plan: made, layouts } = plan({ pool, slices, evict: 'Never' }, how);
      expect(figuresOf(made.cost)).to.deep.equal([0, 0, 0, 1, 0, 0]);
      expect(layouts.get('a')?.create.map(({ profile }) => profile)).to.deep.equal(['1g.10gb', '1g.10gb']);
    });

    it(`takes the smaller one where there is room for one of two, ${name}`, () => {
      const pool = [gpuOf('a', 'a100-40gb', '4g.20gb@0*', '2g.10gb@4*')];
      const slices = [{ name: 'any', profiles: ['1g.10gb', '1g.5gb'], count: 1, weight: 2 }];
      const { layouts } = plan({ pool, slices, evict: 'Never' }, how);
      expect(layouts.get('a')?.create.map(({ profile }) => profile)).to.deep.equal(['1g.5gb']);
    });

    it(`takes a count of any size, and tells all that is lacking, ${name}`, () => {
      const pool = [gpuOf('a', 'a100-40gb'), gpuOf('b', 'a100-40gb')];
      for (const count of [100, 2 ** 31, 2 ** 63]) {
        const slices = [slice('1g.5gb', count), slice('3g.20gb', 1, 20), slice('2g.10gb', 0)];
        const { plan: made } = plan({ pool, slices, evict: 'Never' }, how);
        expect(made.unserved).to.deep.equal({ '1g.5gb': count - 11 });
        expect(figuresOf(made.cost)).to.deep.equal([count - 11, 0, 0, 2, 0, 0]);
      }
    });

    it(`makes a GPU whole, and gives up the one that has least to lose, ${name}`, () => {
      const pool = [
        gpuOf('a', 'a100-40gb', '1g.5gb@0', '1g.5gb@1'),
        gpuOf('b', 'a100-40gb', '1g.5gb@0'),
        gpuOf('c', 'a100-40gb', '1g.5gb@0*'),
      ];
      const { plan: made, layouts } = plan({ pool, slices: [slice(WHOLE, 1, 8)], evict: 'IfNeeded' }, how);
      expect(figuresOf(made.cost)).to.deep.equal([0, 0, 0, 1, 1, 1]);
      expect(layouts.get('b')?.create).to.deep.equal([{ profile: WHOLE, start: 0 }]);
    });

    it(`partitions an idle whole GPU only where no partitioned one has room, ${name}`, () => {
      const room = [gpuOf('a', 'a100-40gb', `${WHOLE}@0`), gpuOf('b', 'a100-40gb', '3g.20gb@0*')];
      const small = (pool: readonly PoolGpu[]) => plan({ pool, slices: [slice('1g.5gb', 2)], evict: 'Never' }, how);
      expect(writeLayouts(small(room))['a']).to.equal(`${WHOLE}@0`);
      expect(figuresOf(small(room.slice(0, 1)).plan.cost)).to.deep.equal([0, 0, 0, 1, 1, 1]);
    });

    it(`gives up idle slices rather than change the MIG mode of a GPU, ${name}`, () => {
      const sliced = gpuOf('b', 'a100-40gb', '2g.10gb@0', '2g.10gb@2', '3g.20gb@4');
      const pool = [gpuOf('a', 'a100-40gb', `${WHOLE}@0`), sliced];
      const seven = plan({ pool, slices: [slice('1g.5gb', 7)], evict: 'Never' }, how);
      expect(writeLayouts(seven)['a']).to.equal(`${WHOLE}@0`);
      expect(figuresOf(seven.plan.cost)).to.deep.equal([0, 0, 0, 1, 0, 3]);
      // Of two GPUs the fewest change, whatever their mode.
      const held = gpuOf('b', 'a100-40gb', '3g.20gb@0*', '3g.20gb@4');
      const two = plan(
        {
          pool: [gpuOf('a', 'a100-40gb', `${WHOLE}@0`), held, { ...held, id: 'c' }],
          slices: [slice('1g.5gb', 5)],
          evict: 'Never',
        },
        how,
      );
      expect(figuresOf(two.plan.cost)).to.deep.equal([0, 0, 0, 1, 1, 1]);
    });

    it(`keeps whole GPUs that are in use, and those whose MIG mode may not change, ${name}`, () => {
      const pool = [
        gpuOf('a', 'a100-40gb', `${WHOLE}@0*`),
        { ...gpuOf('b', 'a100-40gb', `${WHOLE}@0`), keepsMode: true },
      ];
      const scene = { pool, slices: [slice('1g.5gb', 2)] };
      expect(figuresOf(plan({ ...scene, evict: 'Never' }, how).plan.cost)).to.deep.equal([2, 0, 0, 0, 0, 0]);
      expect(figuresOf(plan({ ...scene, evict: 'IfNeeded' }, how).plan.cost)).to.deep.equal([0, 1, 0, 1, 1, 0]);
      const empty = { ...gpuOf('c', 'a100-40gb'), keepsMode: true };
      const { plan: short } = plan({ pool: [empty], slices: [slice(WHOLE, 1)], evict: 'IfNeeded' }, how);
      expect(short.unserved).to.deep.equal({ [WHOLE]: 1 });
    });
  }
});

const [still = aColumn([]), cheap = aColumn([]), dear = aColumn([])] = pair.columns;

describe('the exact choice of columns', () => {
  it('takes what it costs to go from GPU to GPU, each group on its own', () => {
    const groups = [pair, { size: 1, columns: [still, dear] }];
    expect(chooseExactly(asking(3, 'a'), groups, Infinity)).to.deep.equal({
      counts: [
        [0, 2, 0],
        [0, 1],
      ],
      cost: { ...NO_COST, evictions: 2, gpusChanged: 3, instancesDestroyed: 1 },
    });
    expect(chooseExactly(asking(1, 'a'), groups, Infinity)?.cost).to.deep.equal({ ...NO_COST, gpusChanged: 1 });
  });

  it('takes no more steps than it may: one for each column with each sum before it', () => {
    // The sums before the three GPUs are 0, then 0 and 1, then 0, 1 and 2.
    const groups = [{ size: 3, columns: [still, cheap] }];
    expect(chooseExactly(asking(2, 'a'), groups, 12)?.counts).to.deep.equal([[1, 2]]);
    expect(chooseExactly(asking(2, 'a'), groups, 11)).to.equal(undefined);
  });

  it('does not begin where sums have no exact numbers', () => {
    expect(chooseExactly(asking(2 ** 60, 'a'), [pair], Infinity)).to.equal(undefined);
  });
});

/** GPUs by the instances that they have, as `1g.5gb@0* 3g.20gb@4`. */
function questionOf(gpus: readonly string[], wanted: Readonly<Record<string, number>>): DemandQuestion {
  const classes = classesOf(
    gpus.map((text, index) => {
      const instances = text.split(' ').flatMap((one) => (one === '' ? [] : [anInstance(one)]));
      return { id: `gpu-${index}`, geometry: modelOf('a100-40gb'), instances };
    }),
  );
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
    relax: () => undefined,
    minimize: () => ({ values, bound: 0, isProven: false }),
    restore: () => undefined,
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
    expect(plan.cost).to.deep.equal({ ...NO_COST, gpusChanged: 1, instancesDestroyed: 1 });
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
