import { arrangerOf } from '../gpu/search/arrangement.ts';
import { type Grid, gridOf, unitMask } from '../gpu/search/grid.ts';
import { SearchBudget } from '../gpu/search/search-budget.ts';
import { sumKept, sumOffered, type Choice, type ColumnCounts, type ColumnGroup } from './choice.ts';
import { ColumnLister, type Column } from './columns.ts';
import { coverDemand, readDemand, type DemandTable } from './coverage.ts';
import { chooseExactly } from './exact-choice.ts';
import type { GpuClass } from './gpu-classes.ts';
import { boundUnserved, chooseBySolver, type IntegerProgram, type IntegerSolver } from './integer-program.ts';
import {
  type CostGap,
  type DemandCost,
  type DemandSlice,
  type EvictionRule,
  type PoolInstance,
  WHOLE,
} from './pool.ts';

/** What some GPUs of a class become. */
export interface ClassLayout {
  /** Index of the class. */
  readonly gpuClass: number;
  /** How many of its GPUs. */
  readonly size: number;
  readonly keep: readonly PoolInstance[];
  readonly destroy: readonly PoolInstance[];
  /** By start. */
  readonly create: readonly Pick<PoolInstance, 'profile' | 'start'>[];
}

/** A layout for every GPU of a pool, by class. */
export interface ClassPlan {
  readonly cost: DemandCost;
  /** Absent if it is proven that no plan costs less. */
  readonly gap?: CostGap;
  /** Per slice of the demand how many are lacking; those that lack none are left out. */
  readonly unserved: Readonly<Record<string, number>>;
  readonly layouts: readonly ClassLayout[];
}

/** A pool by classes, and what is wanted of it. */
export interface DemandQuestion {
  readonly classes: readonly GpuClass[];
  readonly slices: readonly DemandSlice[];
  readonly evict: EvictionRule;
}

/** Combinations that take a few milliseconds, less than a solver takes to start. */
const FEW_STEPS = 100_000;
/** Combinations that take seconds, where there is no solver. */
const MANY_STEPS = 10_000_000;

/** Plans one pool. */
export class DemandPlanner {
  readonly #question: DemandQuestion;
  readonly #scene: Scene;

  /** @throws BudgetExceeded for a geometry that is none of NVIDIA's */
  constructor(question: DemandQuestion) {
    this.#question = question;
    this.#scene = setScene(question);
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
  planLarge(open: (program: IntegerProgram) => IntegerSolver): ClassPlan {
    return writePlan(this.#question, this.#scene, chooseBySolver(this.#scene.table, this.#scene.groups, open));
  }

  /** What every plan leaves unserved at least, by weight: known in a fraction of the time. @param relax the least cost, without the demand for integers */
  boundUnserved(relax: (program: IntegerProgram, costs: readonly number[]) => number): number {
    return boundUnserved(this.#scene.table, this.#scene.groups, relax);
  }
}

/** Classes whose GPUs can become the same at the same cost are one group for the solver. */
interface Scene {
  readonly table: DemandTable;
  readonly groups: readonly (ColumnGroup & {
    readonly members: readonly { readonly gpuClass: number; readonly columns: readonly Column[] }[];
  })[];
}

function setScene({ classes, slices, evict }: DemandQuestion): Scene {
  const grids = [...new Set(classes.map(({ geometry }) => gridOf(geometry)))];
  const isOffered = (profile: string): boolean =>
    profile === WHOLE || grids.some(({ indexOf }) => indexOf.has(profile));
  const table = readDemand(slices, isOffered, (profile) => Math.min(...grids.map((grid) => sizeOf(grid, profile))));
  const lister = new ColumnLister(table.profiles, table.caps, evict);
  const groups = new Map<
    string,
    { columns: readonly Column[]; size: number; members: { gpuClass: number; columns: readonly Column[] }[] }
  >();
  classes.forEach((one, gpuClass) => {
    const columns = lister.list(one);
    const key = columns.map(writeColumn).join('|');
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { columns, size: one.size, members: [{ gpuClass, columns }] });
    else {
      known.size += one.size;
      known.members.push({ gpuClass, columns });
    }
  });
  return { table, groups: [...groups.values()] };
}

/** The share of a GPU that a profile takes, of its memory, and then of its compute slices: all of it if it is the whole GPU. */
function sizeOf({ geometry, indexOf, profiles }: Grid, name: string): number {
  const { memorySlices, computeSlices } = profiles[indexOf.get(name) ?? -1] ?? {};
  if (memorySlices === undefined || computeSlices === undefined) return WHOLE_SIZE;
  return Math.round((MEMORY_SIZE * memorySlices) / Math.max(1, geometry.memorySlices)) + computeSlices;
}

/** Divides by the memory slices of all models, 4, 8 and 12, with room for the compute slices below. */
const MEMORY_SIZE = 24 * 16;
const WHOLE_SIZE = MEMORY_SIZE + 16;

function writeColumn({ offered, evictions, gpusChanged, instancesDestroyed }: Column): string {
  return `${offered.join()} ${evictions} ${gpusChanged} ${instancesDestroyed}`;
}

/** GPUs of one class that take one column, or less than it offers. */
interface Portion {
  readonly gpuClass: number;
  readonly size: number;
  readonly kept: number;
  readonly created: readonly number[];
}

function writePlan(question: DemandQuestion, { table, groups }: Scene, choice: Choice): ClassPlan {
  const offered = sumOffered(table, groups, choice.counts);
  // Once it is settled what becomes of the GPUs, what is there already goes first, and nothing is made in excess.
  const { unserved, used } = coverDemand(table, offered, sumKept(table, groups, choice.counts));
  const excess = offered.map((count, profile) => count - (used[profile] ?? 0));
  const portions = trim(listPortions(question.classes, groups, choice.counts), excess);
  const layouts = portions.map((portion) => place(question.classes[portion.gpuClass], table.profiles, portion));
  return {
    cost: { ...sumCost(layouts), unserved: choice.cost.unserved },
    ...(choice.gap === undefined ? {} : { gap: choice.gap }),
    unserved: Object.fromEntries(
      table.slices.flatMap(({ name }, slice) => {
        const count = unserved[slice] ?? 0;
        return count > 0 ? [[name, count] as const] : [];
      }),
    ),
    layouts,
  };
}

/** Counted on what is done in the end. */
function sumCost(layouts: readonly ClassLayout[]): Omit<DemandCost, 'unserved'> {
  const sum = { evictions: 0, gpusChanged: 0, instancesDestroyed: 0 };
  for (const { size, destroy, create } of layouts) {
    if (destroy.length + create.length > 0) sum.gpusChanged += size;
    for (const { busy, evictionWeight = 1 } of destroy) {
      if (busy) sum.evictions += size * evictionWeight;
      else sum.instancesDestroyed += size;
    }
  }
  return sum;
}

/** Hands the columns of each group to its classes, in order. */
function listPortions(classes: readonly GpuClass[], groups: Scene['groups'], counts: ColumnCounts): readonly Portion[] {
  return groups.flatMap(({ members }, group) => {
    const left = [...(counts[group] ?? [])];
    return members.flatMap(({ gpuClass, columns }) => {
      let open = classes[gpuClass]?.size ?? 0;
      return columns.flatMap(({ kept, created }, index) => {
        const size = Math.min(open, left[index] ?? 0);
        open -= size;
        left[index] = (left[index] ?? 0) - size;
        return size === 0 ? [] : [{ gpuClass, size, kept, created }];
      });
    });
  });
}

/** Leaves out instances that would be made and are not asked for: columns offer all that fits. The last ones first. */
function trim(portions: readonly Portion[], excess: readonly number[]): readonly Portion[] {
  return excess.reduceRight((all, count, profile) => trimProfile(all, profile, count), portions);
}

function trimProfile(portions: readonly Portion[], profile: number, excess: number): readonly Portion[] {
  let left = excess;
  return portions
    .toReversed()
    .flatMap((portion) => {
      const each = portion.created[profile] ?? 0;
      if (each === 0 || left === 0) return [portion];
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
  const grid = gridOf(gpuClass.geometry);
  // Without anything to make there is no reason to destroy: only a plan that ran out of time would.
  const isIdle = portion.created.every((count) => count === 0);
  const keep = instances.filter((_, index) => isIdle || (portion.kept & (1 << index)) !== 0);
  const indexOf = (profile: string): number => grid.indexOf.get(profile) ?? -1;
  const made = grid.profiles.map(() => 0);
  portion.created.forEach((count, index) => {
    const profile = indexOf(profiles[index] ?? '');
    if (count > 0 && profile !== -1) made[profile] = count;
  });
  const destroy = instances.filter((instance) => !keep.includes(instance));
  const isMadeWhole = portion.created[profiles.indexOf(WHOLE)] === 1;
  if (isMadeWhole)
    return { gpuClass: portion.gpuClass, size: portion.size, keep, destroy, create: [{ profile: WHOLE, start: 0 }] };
  const totals = [...made];
  let occupied = 0;
  for (const { profile, start } of keep) {
    const index = indexOf(profile);
    if (index === -1) continue;
    totals[index] = (totals[index] ?? 0) + 1;
    occupied |= unitMask(start, grid.profiles[index]?.memorySlices ?? 0);
  }
  const create: Pick<PoolInstance, 'profile' | 'start'>[] = [];
  let next = arrangerOf(grid, totals).arrange(occupied, made, new SearchBudget());
  if (next === undefined) throw new Error(`${gpuClass.key}: a column that cannot be placed`);
  for (; next !== undefined && next.profile !== -1; next = next.next)
    create.push({ profile: grid.profiles[next.profile]?.name ?? '', start: next.start });
  return {
    gpuClass: portion.gpuClass,
    size: portion.size,
    keep,
    destroy,
    create: create.toSorted((a, b) => a.start - b.start),
  };
}
