import { expect } from 'chai';
import fc from 'fast-check';
import type { Highs } from 'highs';
import { type ClassLayout, DemandPlanner } from '../../../../src/core/demand/solver/choose.ts';
import { classesOf } from './random-pool.ts';
import { type DemandSlice, NOBODY, type PoolGpu, type PoolInstance } from '../../../../src/core/demand/solver/pool.ts';
import { planGpu } from '../../../../src/core/gpu/plan.ts';
import { placeOf } from '../../../../src/core/gpu/grid.ts';
import { HighsSolver, loadSolver } from '../../../../src/planner/highs.ts';
import { compareText } from '../../../../src/core/text/json.ts';
import { modelOf } from '../../gpu/builders.ts';
import { listPlacedStates } from '../../gpu/placed-states.ts';
import { compareNumbers, weighLacking } from './brute-force.ts';
import { WHOLE } from '../../../../src/core/gpu/profiles.ts';

/** `DEMAND_SEEDS=2000` tries more. */
const runs = Number(process.env['DEMAND_SEEDS'] ?? 30);

interface Pool {
  readonly gpus: readonly PoolGpu[];
  readonly slices: readonly DemandSlice[];
}

type Layout = Pick<ClassLayout, 'keep' | 'destroy' | 'create'>;

const small = modelOf('a30');
const large = modelOf('a100-40gb');
const states = new Map(
  [small, large].map((model) => [
    model,
    listPlacedStates(model, ['1g.6gb', '2g.12gb', '4g.24gb', '1g.5gb', '2g.10gb', '3g.20gb', '7g.40gb']),
  ]),
);

const ranks = fc.constantFrom(-5, 0, 1, 7);
const aGpu = (model: typeof small): fc.Arbitrary<Omit<PoolGpu, 'id'>> =>
  fc
    .tuple(
      fc.constantFrom(...(states.get(model) ?? [])),
      fc.array(fc.tuple(fc.boolean(), ranks, fc.integer({ min: 1, max: 3 }), fc.integer({ min: 0, max: 2 })), {
        minLength: 8,
        maxLength: 8,
      }),
      fc.integer({ min: 0, max: 9 }),
    )
    .map(([state, uses, kind]) => {
      const whole = kind === 0;
      const instances = (whole ? [`${WHOLE}@0`] : state).map((placed, index): PoolInstance => {
        const [profile = '', start = ''] = placed.split('@');
        const [busy = false, rank = 0, evictionWeight = 1, minutesRun = 0] = uses[index] ?? [];
        const stays = kind === 1 && index === 0;
        const use = stays ? { stays } : { rank, evictionWeight, minutesRun };
        return { profile, start: Number(start), busy, ...(busy && use) };
      });
      return {
        geometry: model,
        instances,
        ...(kind === 2 && { isResting: true }),
        ...(kind === 3 && { rests: true }),
        ...(kind > 7 && { keepsMode: true }),
      };
    });

const aPool = (model: typeof small, mostGpus: number): fc.Arbitrary<Pool> => {
  const profiles = [
    ...new Set((states.get(model) ?? []).flatMap((state) => state.map((one) => one.split('@')[0] ?? ''))),
  ];
  const part = fc.record({
    profile: fc.constantFrom(...profiles),
    count: fc.integer({ min: 0, max: 3 }),
    weight: fc.integer({ min: 1, max: 4 }),
    /** Pods that wait with a priority; one that was written like a layout; what nobody goes for. */
    kind: fc.constantFrom(9, 7, 1, 0, 'count', 'min'),
  });
  return fc
    .tuple(fc.array(aGpu(model), { minLength: 1, maxLength: mostGpus }), fc.array(part, { minLength: 1, maxLength: 3 }))
    .map(([gpus, parts]) => ({
      gpus: gpus.map((gpu, index) => ({ ...gpu, id: `gpu-${index}` })),
      slices: parts.map(({ kind, profile, ...rest }, index) => ({
        name: `slice-${index}`,
        profiles: [profile],
        ...rest,
        ...(typeof kind === 'number'
          ? { outranks: kind, isWaitedFor: true }
          : { outranks: kind === 'count' ? 1 : NOBODY }),
      })),
    }));
};

let highs: Highs;

function plan({ gpus, slices }: Pool, how: 'Exactly' | 'BySolver'): ReadonlyMap<string, Layout> {
  const pool = classesOf(gpus);
  const classes = pool.list();
  const planner = new DemandPlanner({ classes, slices, evict: 'IfNeeded' });
  const made =
    how === 'Exactly' ? planner.planSmall(true) : planner.planLarge((program) => new HighsSolver(highs, program, 60));
  if (made === undefined) throw new Error('the pool is too large');
  expect(made.gap).to.equal(undefined);
  return new Map([...pool.handOut(classes, made.layouts)].flatMap(([ids, layout]) => ids.map((id) => [id, layout])));
}

/** What a GPU is once it has certain slices, and who has gone by then: as the node does it, which knows counts alone. */
function become(gpu: PoolGpu, counts: Readonly<Record<string, number>>): Layout | undefined {
  const isWhole = gpu.instances.some(({ profile }) => profile === WHOLE);
  if (counts[WHOLE] !== undefined)
    return isWhole ? asItIs(gpu) : { keep: [], destroy: gpu.instances, create: [{ profile: WHOLE, start: 0 }] };
  const made = planGpu(gpu.geometry, isWhole ? [] : gpu.instances, counts);
  if (!made.fits) return undefined;
  const kept = new Set(isWhole ? [] : made.keep.map(placeOf));
  const [keep, destroy] = [
    gpu.instances.filter((one) => kept.has(placeOf(one))),
    gpu.instances.filter((one) => !kept.has(placeOf(one))),
  ];
  return { keep, destroy, create: made.create };
}

function asItIs({ instances }: PoolGpu): Layout {
  return { keep: instances, destroy: [], create: [] };
}

function listBusy({ destroy }: Layout): readonly PoolInstance[] {
  return destroy.filter(({ busy }) => busy);
}

/** A pool in a few words. */
function write({ gpus, slices }: Pool): string {
  return JSON.stringify([gpus.map(({ geometry, ...gpu }) => ({ ...gpu, of: geometry.computeSlices })), slices]);
}

/** Levels by their bounds: the ranks of all that may go, falling. */
function boundsOf({ gpus, slices }: Pool): readonly number[] {
  const present = gpus.flatMap(({ instances }) => instances.filter(({ busy, stays }) => busy && stays !== true));
  const falling = [...new Set(present.map(({ rank = NOBODY }) => rank))].toSorted((a, b) => b - a);
  const highest = ({ outranks = Infinity }: DemandSlice): number | undefined => falling.find((rank) => rank < outranks);
  return falling.filter((rank) => slices.some((slice) => slice.count > 0 && highest(slice) === rank));
}

/** Everything by which two plans differ, in the order that decides. */
function judge(pool: Pool, layouts: readonly Layout[]): readonly number[] {
  const bounds = boundsOf(pool);
  const levelOf = ({ outranks = Infinity }: DemandSlice): number => {
    const level = bounds.findIndex((bound) => bound < outranks);
    return level === -1 ? bounds.length : level;
  };
  const after = layouts.flatMap(({ keep, create }) => [
    ...keep.map(({ profile, busy }) => `${profile} ${busy ? 'used' : 'idle'}`),
    ...create.map(({ profile }) => `${profile} idle`),
  ]);
  const names = [...new Set(after)];
  const unserved = [...bounds, 0].map((_, level) => {
    // Slices of earlier levels first, whatever they weigh.
    const first = pool.slices
      .filter((slice) => levelOf(slice) <= level)
      .map((slice) => ({
        ...slice,
        weight: slice.weight * 1000 ** (level - levelOf(slice)),
        profiles: slice.profiles.flatMap((name) => [...(slice.isWaitedFor ? [] : [`${name} used`]), `${name} idle`]),
      }));
    return (
      weighLacking(
        first,
        [...new Set([...names, ...first.flatMap(({ profiles }) => profiles)])],
        [...new Set([...names, ...first.flatMap(({ profiles }) => profiles)])].map(
          (name) => after.filter((one) => one === name).length,
        ),
      ) % 1000
    );
  });
  const gone = layouts.flatMap(listBusy);
  const evictions = bounds.map((_, level) =>
    gone
      .filter(({ rank = NOBODY }) => bounds.findLastIndex((bound) => rank <= bound) === level)
      .reduce((sum, { evictionWeight = 1 }) => sum + evictionWeight, 0),
  );
  return [
    ...unserved.flatMap((one, level) => [one, ...(level < bounds.length ? [evictions[level] ?? 0] : [])]),
    gone.reduce((sum, { minutesRun = 0 }) => sum + minutesRun, 0),
    layouts.filter(
      ({ destroy, create }, index) => pool.gpus[index]?.rests === true && destroy.length + create.length > 0,
    ).length,
    layouts.filter(({ destroy, create }) => destroy.length + create.length > 0).length,
    layouts.filter(({ destroy, create }) => [...destroy, ...create].some(({ profile }) => profile === WHOLE)).length,
    layouts.reduce((sum, { destroy }) => sum + destroy.filter(({ busy }) => !busy).length, 0),
  ];
}

/** Whether a plan may make that: no more of any profile than is wanted, though the node would let others go for more. */
function isOfUse({ slices }: Pool, { create }: Layout): boolean {
  const made = Map.groupBy(create, ({ profile }) => profile);
  return [...made].every(
    ([profile, all]) =>
      all.length <= slices.reduce((sum, one) => sum + (one.profiles.includes(profile) ? one.count : 0), 0),
  );
}

/** The best of all combinations of what each GPU can be told to become. @param isTried which of these count */
function tryAll(pool: Pool, isTried: (way: Layout) => boolean = () => true): readonly number[] {
  const bounds = boundsOf(pool);
  const ways = pool.gpus.map((gpu) => {
    if (gpu.isResting === true) return [asItIs(gpu)];
    const isWhole = gpu.instances.some(({ profile }) => profile === WHOLE);
    const counts = new Map<string, Record<string, number>>();
    for (const state of [[`${WHOLE}@0`], ...listPlacedStates(gpu.geometry)]) {
      if (gpu.keepsMode === true && isWhole !== (state[0] === `${WHOLE}@0`)) continue;
      const of: Record<string, number> = {};
      for (const name of state.map((one) => one.split('@')[0] ?? '')) of[name] = (of[name] ?? 0) + 1;
      counts.set(JSON.stringify(Object.entries(of).toSorted(([a], [b]) => compareText(a, b))), of);
    }
    const all = [...counts.values()].flatMap((of) => become(gpu, of) ?? []);
    const mayGo = (one: PoolInstance): boolean =>
      one.stays !== true && bounds.some((bound) => (one.rank ?? NOBODY) <= bound);
    return [asItIs(gpu), ...all.filter((way) => listBusy(way).every(mayGo) && isTried(way))];
  });
  let best: readonly number[] = [Infinity];
  const choose = (chosen: readonly Layout[]): void => {
    const list = ways[chosen.length];
    if (list === undefined) {
      const cost = judge(pool, chosen);
      if (compareNumbers(cost, best) < 0) best = cost;
    } else for (const way of list) choose([...chosen, way]);
  };
  choose([]);
  return best;
}

/** Nobody goes who does not rank below somebody who would have nothing if this GPU stayed as it is. */
function checkRanks(pool: Pool, layouts: readonly Layout[]): void {
  pool.gpus.forEach((gpu, index) => {
    const layout = layouts[index] ?? asItIs(gpu);
    const gone = listBusy(layout);
    if (gone.length === 0) return;
    expect(gone.some(({ stays }) => stays)).to.equal(false);
    const highest = Math.max(...gone.map(({ rank = NOBODY }) => rank));
    const bounds = boundsOf(pool);
    const cost = judge(pool, layouts);
    const without = judge(pool, layouts.with(index, asItIs(gpu)));
    const lacks = bounds.filter((_, level) => (without[2 * level] ?? 0) > (cost[2 * level] ?? 0));
    const isFirst = lacks.some((bound) => bound >= highest);
    expect(isFirst, `${gpu.id} of ${write(pool)}`).to.equal(true);
    // The node, which is told counts, lets the same go.
    const counts: Record<string, number> = {};
    for (const { profile } of [...layout.keep, ...layout.create]) counts[profile] = (counts[profile] ?? 0) + 1;
    expect(listBusy(become(gpu, counts) ?? layout).map(placeOf), gpu.id).to.have.members(gone.map(placeOf));
  });
}

describe('who goes for whom', () => {
  before(async () => {
    highs = await loadSolver();
  });

  for (const how of ['Exactly', 'BySolver'] as const) {
    const name = how === 'Exactly' ? 'dynamic programming' : 'integer programs';

    it(`is whoever ranks below a slice that is lacking without, and nobody else, by ${name}`, () => {
      fc.assert(
        fc.property(fc.oneof(aPool(small, 5), aPool(large, 3)), (pool) => {
          const layouts = plan(pool, how);
          checkRanks(
            pool,
            pool.gpus.map((gpu) => layouts.get(gpu.id) ?? asItIs(gpu)),
          );
        }),
        { numRuns: 5 * runs },
      );
    });

    it(`is decided as well as by trying everything, by ${name}`, () => {
      fc.assert(
        fc.property(fc.oneof(aPool(small, 2), aPool(large, 1)), (pool) => {
          const layouts = plan(pool, how);
          const cost = judge(
            pool,
            pool.gpus.map((gpu) => layouts.get(gpu.id) ?? asItIs(gpu)),
          );
          expect(
            compareNumbers(
              cost,
              tryAll(pool, (way) => isOfUse(pool, way)),
            ),
            write(pool),
          ).to.be.at.most(0);
          expect(compareNumbers(cost, tryAll(pool)), write(pool)).to.be.at.least(0);
        }),
        { numRuns: 3 * runs },
      );
    });
  }

  it('is nobody for what nobody goes for, whatever it weighs', () => {
    fc.assert(
      fc.property(fc.oneof(aPool(small, 4), aPool(large, 2)), (pool) => {
        const slices = pool.slices.map((slice) => ({ ...slice, outranks: NOBODY, weight: 1000 }));
        const gone = [...plan({ ...pool, slices }, 'Exactly').values()].flatMap(listBusy);
        expect(gone).to.deep.equal([]);
      }),
      { numRuns: 3 * runs },
    );
  });
});
