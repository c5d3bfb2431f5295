// Room demand: which layouts the demand of a policy makes of its pool of GPUs, by what pods ask for.
// Ask here for the best layouts for classes of equal GPUs, proven or with the gap that is left.
import {
  type Choice,
  type ChoiceCost,
  type ColumnGroup,
  compareCosts,
  ChoiceCosts,
  coverDemand,
  type DemandTable,
  type ColumnCounts,
  NO_COST,
  type PoolInstance,
  type CostGap,
} from './pool.ts';
import { planGpu } from '../../gpu/plan.ts';
import { gridOf, placeBeside } from '../../gpu/grid.ts';
import { buildProblem, type DemandQuestion } from './problem.ts';
import { WHOLE } from '../../gpu/profiles.ts';
import { chooseBySolver } from './integer-program.ts';

type Problem = ReturnType<typeof buildProblem>;
type GpuClass = DemandQuestion['classes'][number];

/** The cheapest way to offer something with the GPUs seen so far. */
interface Way {
  /** Busy instances that go, by weight, with all levels added up into one number. */
  readonly evictions: number;
  readonly minutesLost: number;
  readonly restsBroken: number;
  readonly gpusChanged: number;
  readonly modesChanged: number;
  readonly instancesDestroyed: number;
  /** The way without the last GPU, and the column of that one; both undefined before the first. */
  readonly before: Way | undefined;
  readonly column: number | undefined;
}

/** What is offered of all profiles is one number, with a digit for each. */
interface Digit {
  /** The most that the demand can use. */
  readonly cap: number;
  /** The amount that 1 of the profile adds to the number. */
  readonly place: number;
  /** How many the demand can use beside what is offered so far. */
  open: number;
}

/**
 * The best choice by dynamic programming: GPU after GPU, the cheapest way to each sum of offered slices, counted no further than the
 * demand can use. Exact, and fast for few GPUs or a small demand.
 *
 * @param mostSteps gives up after as many combinations of a sum and a column
 * @returns undefined if it takes more
 */
export function chooseExactly(
  table: DemandTable,
  groups: readonly ColumnGroup[],
  mostSteps: number,
): Choice | undefined {
  let sums = 1;
  const digits = table.caps.map((cap): Digit => {
    const place = sums;
    sums *= cap + 1;
    return { cap, place, open: cap };
  });
  if (!Number.isSafeInteger(sums)) return undefined;
  const prices = new EvictionPrices(table.levels.count, groups);
  if (!prices.isSafe) return undefined;
  const first: Way = {
    evictions: 0,
    minutesLost: 0,
    restsBroken: 0,
    gpusChanged: 0,
    modesChanged: 0,
    instancesDestroyed: 0,
    before: undefined,
    column: undefined,
  };
  let ways: ReadonlyMap<number, Way> = new Map([[0, first]]);
  let steps = 0;
  let left = groups.reduce((sum, { columns, size }) => sum + columns.length * size, 0);
  for (const { columns, size } of groups) {
    const options = columns.map((column) => ({
      column,
      price: prices.join(column.evictions),
      gains: listGains(column.offered, digits),
    }));
    for (let gpu = 0; gpu < size; gpu += 1) {
      // Sums become more with each GPU, or at least hardly fewer: most hopeless pools are given up after a few.
      if (steps + left * ways.size > mostSteps) return undefined;
      left -= columns.length;
      const next = new Map<number, Way>();
      for (const [sum, before] of ways) {
        steps += columns.length;
        for (const digit of digits) digit.open = digit.cap - readDigit(sum, digit);
        options.forEach(({ column, price, gains }, index) => {
          // Of all there is in the planner this runs most often: it makes an object only for a way that is kept.
          let key = sum;
          for (const { digit, count } of gains) key += Math.min(count, digit.open) * digit.place;
          const evictions = before.evictions + price;
          const minutesLost = before.minutesLost + column.minutesLost;
          const restsBroken = before.restsBroken + column.restsBroken;
          const gpusChanged = before.gpusChanged + column.gpusChanged;
          const modesChanged = before.modesChanged + column.modesChanged;
          const instancesDestroyed = before.instancesDestroyed + column.instancesDestroyed;
          const known = next.get(key);
          const difference =
            known === undefined
              ? -1
              : evictions - known.evictions ||
                minutesLost - known.minutesLost ||
                restsBroken - known.restsBroken ||
                gpusChanged - known.gpusChanged ||
                modesChanged - known.modesChanged ||
                instancesDestroyed - known.instancesDestroyed;
          if (difference < 0)
            next.set(key, {
              evictions,
              minutesLost,
              restsBroken,
              gpusChanged,
              modesChanged,
              instancesDestroyed,
              before,
              column: index,
            });
        });
      }
      ways = next;
    }
  }
  return pickBest(new ChoiceCosts(table, groups), ways, {
    offeredOf: (sum) => digits.map((digit) => readDigit(sum, digit)),
    evictionsOf: (way) => prices.split(way.evictions),
  });
}

/** Evictions of several levels as one number: one of an earlier level is more than all that there can be of later ones. */
class EvictionPrices {
  /** Whether all of these numbers are exact. */
  readonly isSafe: boolean;
  readonly #places: readonly number[];

  constructor(levels: number, groups: readonly ColumnGroup[]) {
    const most = Array.from({ length: levels }, (_, level) =>
      groups.reduce(
        (sum, { columns, size }) => sum + size * Math.max(0, ...columns.map(({ evictions }) => evictions[level] ?? 0)),
        0,
      ),
    );
    this.#places = most.map((_, level) => most.slice(level + 1).reduce((product, one) => product * (one + 1), 1));
    this.isSafe = Number.isSafeInteger(most.reduce((product, one) => product * (one + 1), 1));
  }

  join(evictions: readonly number[]): number {
    return evictions.reduce((sum, one, level) => sum + one * (this.#places[level] ?? 1), 0);
  }

  split(price: number): readonly number[] {
    let left = price;
    return this.#places.map((place) => {
      const count = Math.floor(left / place);
      left -= count * place;
      return count;
    });
  }
}

function readDigit(sum: number, { cap, place }: Digit): number {
  return Math.floor(sum / place) % (cap + 1);
}

/** What a column adds to which digits. */
function listGains(
  offered: readonly number[],
  digits: readonly Digit[],
): readonly { readonly digit: Digit; readonly count: number }[] {
  return digits.flatMap((digit, profile) => {
    const count = offered[profile];
    return count ? [{ digit, count }] : [];
  });
}

function pickBest(
  costs: ChoiceCosts,
  ways: ReadonlyMap<number, Way>,
  reading: {
    readonly offeredOf: (sum: number) => readonly number[];
    readonly evictionsOf: (way: Way) => readonly number[];
  },
): Choice | undefined {
  let best: { readonly way: Way; readonly cost: ChoiceCost; readonly room: number } | undefined;
  for (const [sum, way] of ways) {
    const { costs: unserved, room } = coverDemand(costs.table, reading.offeredOf(sum));
    const cost = costs.price(unserved, { ...way, evictions: reading.evictionsOf(way) });
    const order = best === undefined ? -1 : compareCosts(cost, best.cost) || room - best.room;
    if (order < 0) best = { way, cost, room };
  }
  return best && { counts: countColumns(costs.groups, best.way), cost: costs.sumLevels(best.cost) };
}

/** How many GPUs of each group take each of its columns on a way. */
function countColumns(groups: readonly ColumnGroup[], last: Way): readonly (readonly number[])[] {
  const taken: number[] = [];
  for (let way: Way | undefined = last; way?.column !== undefined; way = way.before) taken.push(way.column);
  taken.reverse();
  return groups.map(({ columns, size }) => {
    const own = taken.splice(0, size);
    return columns.map((_, index) => own.filter((column) => column === index).length);
  });
}

/** A choice of columns, as layouts of GPUs. */
function writePlan(question: DemandQuestion, { table, groups, beyond }: Problem, choice: Choice): ClassPlan {
  // Once it is settled what becomes of the GPUs, what is there already goes first, and nothing is made in excess.
  const { offered, unserved, used } = new ChoiceCosts(table, groups).serve(choice.counts);
  const excess = offered.map((count, profile) => count - (used[profile] ?? 0));
  const portions = trim(listPortions(question.classes, groups, choice.counts), excess);
  const layouts = portions.map((portion) => place(question.classes[portion.gpuClass], table.profiles, portion));
  const always = weighBeyond({ table, beyond });
  const { gap } = choice;
  return {
    cost: { ...sumCost(question.classes, layouts), unserved: choice.cost.unserved + always },
    ...(gap && {
      gap: gap.figure === 'unserved' ? { ...gap, value: gap.value + always, bound: gap.bound + always } : gap,
    }),
    unserved: Object.fromEntries(
      table.slices.flatMap(({ name }, slice) => {
        const count = (unserved[slice] ?? 0) + (beyond[slice] ?? 0);
        return count > 0 ? [[name, count] as const] : [];
      }),
    ),
    layouts,
  };
}

/** The weight of the slices that every plan of a problem lacks. */
function weighBeyond({ table, beyond }: Pick<Problem, 'table' | 'beyond'>): number {
  return table.slices.reduce((sum, { weight }, slice) => sum + weight * (beyond[slice] ?? 0), 0);
}

/** GPUs of one class that take one column, or less than it offers. */
interface Portion {
  readonly gpuClass: number;
  readonly size: number;
  readonly kept: number;
  readonly created: readonly number[];
  /** The instances of each profile that the whole column makes. */
  readonly possible: readonly number[];
}

/** Sums up the cost of the layouts as they are carried out, which may be less than that of their columns. */
function sumCost(classes: readonly GpuClass[], layouts: readonly ClassLayout[]): Omit<Choice['cost'], 'unserved'> {
  const sum = { ...NO_COST };
  for (const { gpuClass, size, destroy, create } of layouts) {
    const changed = destroy.length + create.length > 0 ? size : 0;
    if (classes[gpuClass]?.rests === true) sum.restsBroken += changed;
    sum.gpusChanged += changed;
    if ([...destroy, ...create].some(({ profile }) => profile === WHOLE)) sum.modesChanged += size;
    for (const { busy, evictionWeight = 1, minutesRun = 0 } of destroy) {
      if (busy) sum.minutesLost += size * minutesRun;
      if (busy) sum.evictions += size * evictionWeight;
      else sum.instancesDestroyed += size;
    }
  }
  return sum;
}

/** Hands the columns of each group to its classes, in order. */
function listPortions(
  classes: readonly GpuClass[],
  groups: Problem['groups'],
  counts: ColumnCounts,
): readonly Portion[] {
  return groups.flatMap(({ members }, group) => {
    const left = [...(counts[group] ?? [])];
    return members.flatMap(({ gpuClass, columns }) => {
      let open = classes[gpuClass]?.size ?? 0;
      return columns.flatMap(({ kept, created }, index) => {
        const size = Math.min(open, left[index] ?? 0);
        open -= size;
        left[index] = (left[index] ?? 0) - size;
        return size === 0 ? [] : [{ gpuClass, size, kept, created, possible: created }];
      });
    });
  });
}

/**
 * Leaves out instances that would be made and are not asked for: columns offer all that fits. The last ones first. Where the node would
 * then pick others to go, they stay in.
 */
function trim(portions: readonly Portion[], excess: readonly number[]): readonly Portion[] {
  return excess.reduceRight((all, count, profile) => trimProfile(all, profile, count), portions);
}

function trimProfile(portions: readonly Portion[], profile: number, excess: number): readonly Portion[] {
  let left = excess;
  return portions
    .toReversed()
    .flatMap((portion) => {
      const each = portion.created[profile] ?? 0;
      if (each === 0) return [portion];
      const without = Math.min(portion.size, Math.floor(left / each));
      left -= without * each;
      const some = without < portion.size ? left : 0;
      left -= some;
      const make = (size: number, count: number): readonly Portion[] =>
        size === 0 ? [] : [{ ...portion, size, created: portion.created.with(profile, count) }];
      return [
        ...make(without, 0),
        ...make(some > 0 ? 1 : 0, each - some),
        ...make(portion.size - without - (some > 0 ? 1 : 0), each),
      ];
    })
    .toReversed();
}

function place(gpuClass: GpuClass | undefined, profiles: readonly string[], portion: Portion): ClassLayout {
  if (gpuClass === undefined) throw new Error(`no class ${portion.gpuClass}`);
  const { instances } = gpuClass;
  const { size, kept } = portion;
  const gpus = { gpuClass: portion.gpuClass, size };
  // Without anything to make there is no reason to destroy: only a plan that ran out of time would.
  if (portion.created.every((count) => count === 0)) return { ...gpus, keep: instances, destroy: [], create: [] };
  const keep = instances.filter((_, index) => (kept & (1 << index)) !== 0);
  const destroy = instances.filter((one) => !keep.includes(one));
  const isAsMeant = portion.created === portion.possible || goesFor(gpuClass, keep, profiles, portion.created);
  const created = isAsMeant ? portion.created : portion.possible;
  const isMadeWhole = created.some((count, profile) => count === 1 && profiles[profile] === WHOLE);
  const create = isMadeWhole ? [{ profile: WHOLE, start: 0 }] : placeCreated(gpuClass, keep, profiles, created);
  return { ...gpus, keep, destroy, create };
}

/** Whether the node, which knows counts and no ranks, lets the same go for what is made. */
function goesFor(
  { geometry, instances }: GpuClass,
  keep: readonly PoolInstance[],
  profiles: readonly string[],
  created: readonly number[],
): boolean {
  const isRanked = instances.some((one) => one.busy && one.rank !== undefined && !keep.includes(one));
  if (!isRanked || instances.some(({ profile }) => profile === WHOLE)) return true;
  const counts: Record<string, number> = {};
  for (const { profile } of keep) counts[profile] = (counts[profile] ?? 0) + 1;
  created.forEach((count, index) => {
    const name = profiles[index] ?? '';
    if (count > 0) counts[name] = (counts[name] ?? 0) + count;
  });
  if (counts[WHOLE] !== undefined) return true;
  const plan = planGpu(geometry, instances, counts);
  const stays = new Set(plan.fits ? plan.keep.map(({ start }) => start) : []);
  return plan.fits && instances.every((one) => !one.busy || stays.has(one.start) === keep.includes(one));
}

function placeCreated(
  { key, geometry }: GpuClass,
  keep: readonly PoolInstance[],
  profiles: readonly string[],
  created: readonly number[],
): ClassLayout['create'] {
  const grid = gridOf(geometry);
  const wanted = profiles.map((name) => grid.indexOf.get(name));
  const made = grid.profiles.map((_, profile) =>
    created.reduce((sum, count, index) => sum + (wanted[index] === profile ? count : 0), 0),
  );
  const create = placeBeside(grid, keep, made);
  if (create === undefined) throw new Error(`${key}: a column that cannot be placed`);
  return create;
}

/** What some GPUs of a class become. */
export interface ClassLayout {
  /** Index of the class. */
  readonly gpuClass: number;
  /** How many of its GPUs. */
  readonly size: number;
  readonly keep: readonly PoolInstance[];
  readonly destroy: readonly PoolInstance[];
  /** Instances to create, ordered by start. */
  readonly create: readonly Pick<PoolInstance, 'profile' | 'start'>[];
}

/** A layout for every GPU of a pool, by class. */
export interface ClassPlan {
  readonly cost: Choice['cost'];
  /** How far the proof came; absent if it is proven that no plan costs less. */
  readonly gap?: CostGap;
  /** How many slices are lacking, by name; those that lack none are left out. */
  readonly unserved: Readonly<Record<string, number>>;
  readonly layouts: readonly ClassLayout[];
}

/** Combinations that take a few milliseconds, less than a solver takes to start. */
const FEW_STEPS = 100_000;
/** Combinations that take seconds, where there is no solver. */
const MANY_STEPS = 10_000_000;

/** Plans one pool. */
export class DemandPlanner {
  readonly #question: DemandQuestion;
  readonly #scene: Problem;

  /** @throws BudgetExceeded for a geometry that is none of NVIDIA's */
  constructor(question: DemandQuestion) {
    this.#question = question;
    this.#scene = buildProblem(question);
  }

  /**
   * The best plan, without a solver: for few GPUs, or a small demand.
   *
   * @param isLast whether there is no solver to turn to, so that it may take seconds
   * @returns undefined if it takes more
   */
  planSmall(isLast = false): ClassPlan | undefined {
    const { table, groups } = this.#scene;
    const choice = chooseExactly(table, groups, isLast ? MANY_STEPS : FEW_STEPS);
    return choice && writePlan(this.#question, this.#scene, choice);
  }

  /** The best plan for a pool of any size. @throws Error if the solver fails */
  planLarge(open: Parameters<typeof chooseBySolver>[2]): ClassPlan {
    return writePlan(this.#question, this.#scene, chooseBySolver(this.#scene.table, this.#scene.groups, open));
  }
}
