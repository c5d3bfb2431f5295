// Room demand: which layouts the demand of a policy makes of its pool of GPUs, by what pods ask for.
// Ask here for the GPUs and slices of a question for the solver, and how much of a demand some instances serve.
import type { Geometry } from '../../gpu/geometry.ts';
import { compareText } from '../../text/json.ts';

/** An instance on a GPU of a pool. */
export interface PoolInstance {
  /** The profile as the GPU's geometry names it, or `whole`. */
  readonly profile: string;
  readonly start: number;
  /** True if a process runs on it or a pod holds it: it goes only with an eviction. */
  readonly busy: boolean;
  /** What its eviction costs, a positive integer; 1 if absent. Idle instances cost nothing here. */
  readonly evictionWeight?: number;
  /** True if nothing moves who uses it: it never goes. */
  readonly stays?: boolean;
  /** The priority of who uses it: it goes only for slices that outrank this. Absent: it ranks below everybody. */
  readonly rank?: number;
  /** Minutes of work that are lost with it, rounded; 0 if absent. */
  readonly minutesRun?: number;
}

/** A GPU that may be re-laid. */
export interface PoolGpu {
  /** Unique in the pool. */
  readonly id: string;
  readonly geometry: Geometry;
  /** Instances in any order; they neither overlap nor have profiles that the geometry does not know. One that is `whole` is the only one. */
  readonly instances: readonly PoolInstance[];
  /** True if it stays whole, or partitioned, whatever else becomes of it: its MIG mode may not change. */
  readonly keepsMode?: boolean;
  /** True if it is to stay as it is: it was re-laid a short while ago. */
  readonly isResting?: boolean;
  /** True if it was re-laid a short while ago too, and may change again where others do not serve as much. */
  readonly rests?: boolean;
}

/** Slices that are wanted. Each counts for one slice of the demand only, also if several could use it. */
export interface DemandSlice {
  /** Unique in the demand. */
  readonly name: string;
  /**
   * The profiles any of which serves, `whole` too; of equal plans one with small ones is made. Those that no GPU has are no use and no
   * error.
   */
  readonly profiles: readonly string[];
  /** How many are wanted over the whole pool, those in use included. */
  readonly count: number;
  /** What one slice that cannot be offered costs: a positive integer. */
  readonly weight: number;
  /** The rank below which instances go for this slice. Absent: all that may go at all; {@link NOBODY}: none. */
  readonly outranks?: number;
  /** True if pods wait for it: what others use already is no use to them. */
  readonly isWaitedFor?: boolean;
}

/** The rank that is below that of all pods. */
export const NOBODY = Number.MIN_SAFE_INTEGER;

/** Whether instances in use may go, unless they stay anyway: `Never`, or where more of the demand is served by it. */
export type EvictionRule = 'Never' | 'IfNeeded';

/** What a layout of the pool costs, in integers. */
export interface DemandCost {
  /** Slices wanted and not offered, by weight. */
  readonly unserved: number;
  /** Busy instances destroyed, by weight. */
  readonly evictions: number;
  /** Minutes that the evicted had run. */
  readonly minutesLost: number;
  /** GPUs changed that rest. */
  readonly restsBroken: number;
  readonly gpusChanged: number;
  /** Whole GPUs partitioned, and partitioned ones made whole. */
  readonly modesChanged: number;
  /** Idle instances destroyed, and idle whole GPUs partitioned; those that were in use count as evictions. */
  readonly instancesDestroyed: number;
}

export const COST_FIGURES = [
  'unserved',
  'evictions',
  'minutesLost',
  'restsBroken',
  'gpusChanged',
  'modesChanged',
  'instancesDestroyed',
] as const satisfies readonly (keyof DemandCost)[];

type CostFigure = (typeof COST_FIGURES)[number];

/** The cost of a plan that serves all and changes nothing: sums begin with it. */
export const NO_COST: DemandCost = {
  unserved: 0,
  evictions: 0,
  minutesLost: 0,
  restsBroken: 0,
  gpusChanged: 0,
  modesChanged: 0,
  instancesDestroyed: 0,
};

export function addCosts(one: DemandCost, other: DemandCost): DemandCost {
  const sum = { ...one };
  for (const figure of COST_FIGURES) sum[figure] += other[figure];
  return sum;
}

/** The figure at which the proof ended, for want of time: the plan has `value`, and no plan has less than `bound`. */
export interface CostGap {
  readonly figure: CostFigure;
  readonly value: number;
  readonly bound: number;
}

/** The demand in numbers: profiles by index, in a fixed order. */
export interface DemandTable {
  /** Every profile that is asked for and that the pool has, sorted. One that pods wait for is there twice where that is told apart. */
  readonly profiles: readonly string[];
  /** Which instances of each profile count: those in use, those that nobody uses, or both. */
  readonly uses: readonly ProfileUse[];
  /** The slices, sorted by name. */
  readonly slices: readonly DemandSlice[];
  /** The indices of the profiles that serve each slice. */
  readonly servedBy: readonly (readonly number[])[];
  /** The most instances of each profile that the whole demand can use. */
  readonly caps: readonly number[];
  /** Slices in the order in which they are served: by level, then by falling weight. */
  readonly byTurn: readonly number[];
  readonly levels: RankLevels;
  /** The level of each slice. */
  readonly levelOf: readonly number[];
  /** The share of a GPU that each profile takes: of those that serve equally well, the smallest is used. */
  readonly sizes: readonly number[];
  /** Whether a slice can be served by profiles of different sizes. */
  readonly hasChoice: boolean;
  /** How offers compare in what they serve, whatever room it takes; and in that, and in the room. */
  readonly tallies: Readonly<Record<'serving' | 'sized', Tallies>>;
}

/**
 * Sets of profiles. An offer that has at least as many of each set as another can stand in for it, instance for instance: a profile for
 * one that serves no other slices than it does. By Hall's theorem that is so if and only if it holds for each set that has, with a
 * profile, all that can stand in for it; a set of several without a profile in common follows from these.
 */
type Tallies = readonly (readonly number[])[];

type ProfileUse = 'Used' | 'Idle' | 'Any';

/**
 * Who goes for whom, as levels: slices that outrank the same instances are one level. Level 0 outranks most; the last one nobody, so that
 * for it nothing goes. What a level lacks comes before the evictions that it alone may ask for, and these before what the next one lacks.
 */
export class RankLevels {
  /** What each level outranks, falling; the last one has none. */
  readonly #bounds: readonly number[];

  /** @param ranks of those who may go */
  constructor(slices: readonly Pick<DemandSlice, 'outranks' | 'count'>[], ranks: readonly number[]) {
    const falling = [...new Set(ranks)].toSorted((a, b) => b - a);
    const asked = slices.flatMap(({ outranks = Infinity, count }) => (count > 0 ? [outranks] : []));
    // Two that outrank the same of those who are there differ in nothing.
    const bounds = falling.flatMap((rank, index) => {
      const above = falling[index - 1] ?? Infinity;
      return asked.some((one) => one > rank && (index === 0 || one <= above)) ? [rank] : [];
    });
    this.#bounds = bounds;
  }

  /** How many levels there are, with the one for which nothing goes. */
  get count(): number {
    return this.#bounds.length + 1;
  }

  levelOf({ outranks = Infinity }: Pick<DemandSlice, 'outranks'>): number {
    const level = this.#bounds.findIndex((rank) => outranks > rank);
    return level === -1 ? this.#bounds.length : level;
  }

  /** The last level that may ask for somebody of this rank to go; undefined if none may. */
  lastAbove(rank: number): number | undefined {
    const level = this.#bounds.findLastIndex((bound) => rank <= bound);
    return level === -1 ? undefined : level;
  }

  /** Sums up by level. */
  sum(terms: readonly (readonly [level: number, value: number])[]): readonly number[] {
    const sums = Array.from({ length: this.count }, () => 0);
    for (const [level, value] of terms) sums[level] = (sums[level] ?? 0) + value;
    return sums;
  }
}

/** What a number of slices per profile serves. */
interface Coverage {
  /** How many of each slice of the demand are lacking. */
  readonly unserved: readonly number[];
  /** How many of each profile each slice of the demand gets. */
  readonly given: readonly (readonly number[])[];
  /** The weight of all slices that are lacking. */
  readonly cost: number;
  /** The weight of the lacking slices, level by level. */
  readonly costs: readonly number[];
  /** How many instances of each profile are of use. */
  readonly used: readonly number[];
  /** The sizes of these, added up: the least of all ways to serve as much. */
  readonly room: number;
}

/**
 * Whatever the demand asks for first: the order of the demand does not matter.
 *
 * @param sizeOf how much of a GPU a profile takes, where that matters
 * @param levels by whom evictions may be asked for, where there are any: then slices in use are told from those that nobody uses
 */
export function readDemand(
  slices: readonly DemandSlice[],
  isOffered: (profile: string) => boolean,
  sizeOf: (profile: string) => number = () => 1,
  levels?: RankLevels,
): DemandTable {
  const sorted = slices.toSorted((a, b) => compareText(a.name, b.name));
  const names = [...new Set(sorted.flatMap((slice) => slice.profiles))].filter(isOffered).sort(compareText);
  const waitedFor = new Set(levels ? sorted.flatMap((one) => (one.isWaitedFor === true ? one.profiles : [])) : []);
  const known = names.flatMap((name): readonly { readonly name: string; readonly use: ProfileUse }[] =>
    waitedFor.has(name)
      ? [
          { name, use: 'Used' },
          { name, use: 'Idle' },
        ]
      : [{ name, use: 'Any' }],
  );
  const profiles = known.map(({ name }) => name);
  const uses = known.map(({ use }) => use);
  const serves = (slice: DemandSlice, name: string, use: ProfileUse): boolean =>
    slice.profiles.includes(name) && (use !== 'Used' || slice.isWaitedFor !== true);
  const servedBy = sorted.map((slice) =>
    known.flatMap(({ name, use }, index) => (serves(slice, name, use) ? [index] : [])),
  );
  const sizes = profiles.map(sizeOf);
  const levelOf = sorted.map((slice) => levels?.levelOf(slice) ?? 0);
  const served = known.map((_, profile) =>
    sorted.flatMap(({ count }, slice) => (count > 0 && servedBy[slice]?.includes(profile) ? [slice] : [])),
  );
  const servesAll = (one: number, other: number): boolean =>
    served[other]?.every((slice) => served[one]?.includes(slice)) === true;
  const useful = known.flatMap((_, profile) => (served[profile]?.length === 0 ? [] : [profile]));
  return {
    profiles,
    uses,
    levels: levels ?? new RankLevels([], []),
    levelOf,
    slices: sorted,
    servedBy,
    sizes,
    hasChoice: servedBy.some((serving) => new Set(serving.map((profile) => sizes[profile])).size > 1),
    tallies: {
      serving: listTallies(useful, servesAll),
      sized: listTallies(useful, (one, other) => servesAll(one, other) && (sizes[one] ?? 0) <= (sizes[other] ?? 0)),
    },
    caps: known.map(({ name, use }) =>
      sorted.reduce((sum, slice) => sum + (serves(slice, name, use) ? slice.count : 0), 0),
    ),
    byTurn: sorted
      .map(({ weight }, slice) => ({ weight, slice, level: levelOf[slice] ?? 0 }))
      .toSorted((a, b) => a.level - b.level || b.weight - a.weight)
      .map(({ slice }) => slice),
  };
}

/** Profiles of a demand in which more sets overlap are told apart: each stands in for itself alone, which is right too. */
const MOST_TALLIES = 64;

function listTallies(profiles: readonly number[], standsIn: (one: number, other: number) => boolean): Tallies {
  const found = new Map<string, readonly number[]>();
  const add = (some: readonly number[]): unknown => found.set(some.join(), some);
  for (const other of profiles) add(profiles.filter((one) => standsIn(one, other)));
  // Both loops also go through what is added meanwhile.
  for (const one of found.values())
    for (const other of found.values()) {
      if (found.size > MOST_TALLIES) return profiles.map((profile) => [profile]);
      if (one.some((profile) => other.includes(profile)))
        add(profiles.filter((profile) => one.includes(profile) || other.includes(profile)));
    }
  return [...found.values()];
}

/**
 * Distributes slices over the demand so that the least weight goes short, level by level, exactly: the heaviest first, each by augmenting
 * paths, which never take a slice from an earlier one for good (a transversal matroid). Each path is the cheapest, so that of all ways to serve as
 * much the one is found that takes the least room.
 *
 * @param offered per profile
 * @param present per profile, how many of these are there already and take no more room
 */
export function coverDemand(table: DemandTable, offered: readonly number[], present?: readonly number[]): Coverage {
  const { slices, servedBy, sizes } = table;
  const free = [...offered];
  const ends: Ends = {
    free,
    costOf: (profile) => (presentLeft(profile) > 0 ? 0 : (sizes[profile] ?? 0)),
    mostOf: (profile) => presentLeft(profile) || (free[profile] ?? 0),
  };
  const presentLeft = (profile: number): number =>
    Math.max(0, (present?.[profile] ?? 0) - (offered[profile] ?? 0) + (free[profile] ?? 0));
  const given = slices.map(() => table.profiles.map(() => 0));
  const lacking = slices.map(({ count }) => count);
  for (const slice of table.byTurn) {
    let left = lacking[slice] ?? 0;
    while (left > 0) {
      const moved = augment(slice, left, servedBy, ends, given);
      if (moved === 0) break;
      left -= moved;
    }
    lacking[slice] = left;
  }
  return {
    unserved: lacking,
    given,
    cost: slices.reduce((sum, { weight }, slice) => sum + (lacking[slice] ?? 0) * weight, 0),
    costs: table.levels.sum(
      slices.map(({ weight }, slice) => [table.levelOf[slice] ?? 0, (lacking[slice] ?? 0) * weight]),
    ),
    used: offered.map((count, profile) => count - (free[profile] ?? 0)),
    room: offered.reduce((sum, count, profile) => sum + (count - (free[profile] ?? 0)) * (sizes[profile] ?? 0), 0),
  };
}

/** The profiles at which a path can end: those with instances left over. */
interface Ends {
  /** How many instances of each profile are left over. */
  readonly free: number[];
  readonly costOf: (profile: number) => number;
  /** How many at this cost. */
  readonly mostOf: (profile: number) => number;
}

/** A slice on a path. */
interface Stop {
  readonly slice: number;
  /** How many instances of each profile the slice has. */
  readonly row: number[];
  /** The most that the path can carry up to here. */
  readonly most: number;
  /** The profile that the slice leaves, and the slice that gets it; undefined for the slice that gets more. */
  readonly leaves: { readonly profile: number; readonly to: Stop } | undefined;
}

/**
 * Gives a slice as many more as one path allows: from the smallest free profile, be it one that another slice leaves for another
 * profile.
 */
function augment(
  slice: number,
  most: number,
  servedBy: readonly (readonly number[])[],
  { free, costOf, mostOf }: Ends,
  given: readonly number[][],
): number {
  let best: { readonly stop: Stop; readonly profile: number; readonly cost: number } | undefined;
  // Breadth first over slices.
  const queue: Stop[] = [{ slice, row: given[slice] ?? [], most, leaves: undefined }];
  const seen = new Set([slice]);
  for (const stop of queue) {
    for (const profile of servedBy[stop.slice] ?? []) {
      if ((free[profile] ?? 0) > 0 && (best === undefined || costOf(profile) < best.cost))
        best = { stop, profile, cost: costOf(profile) };
      given.forEach((row, other) => {
        const had = row[profile] ?? 0;
        if (had === 0 || seen.has(other)) return;
        seen.add(other);
        queue.push({ slice: other, row, most: Math.min(stop.most, had), leaves: { profile, to: stop } });
      });
    }
  }
  if (best === undefined) return 0;
  const { stop, profile } = best;
  const amount = Math.min(stop.most, mostOf(profile));
  free[profile] = (free[profile] ?? 0) - amount;
  handOn(stop, profile, amount);
  return amount;
}

/** Hands profiles on along a path: each slice gets one, and leaves another one. */
function handOn({ row, leaves }: Stop, profile: number, amount: number): void {
  row[profile] = (row[profile] ?? 0) + amount;
  if (leaves === undefined) return;
  row[leaves.profile] = (row[leaves.profile] ?? 0) - amount;
  handOn(leaves.to, leaves.profile, amount);
}

/**
 * What a GPU can become: some of its instances stay in place, and wanted ones are made in the room that there is then. Never more is
 * made than the demand may use; what is kept may be anything.
 */
interface Column {
  /** How many instances of each wanted profile the GPU offers once it is re-laid. */
  readonly offered: readonly number[];
  /** Weight of the evictions, per level of ranks: each eviction counts at the last level that outranks its pod. */
  readonly evictions: readonly number[];
  /** Minutes that the evicted had run. */
  readonly minutesLost: number;
  /** 1 if an instance goes or comes on a GPU that rests. */
  readonly restsBroken: number;
  /** 1 if an instance goes or comes. */
  readonly gpusChanged: number;
  /** 1 if a whole GPU is partitioned, or a partitioned one is made whole. */
  readonly modesChanged: number;
  /** Idle instances that go; one of them may be the whole GPU. */
  readonly instancesDestroyed: number;
  /** Bit mask over the instances of the class: those that stay. */
  readonly kept: number;
  /** How many instances of each wanted profile are made. */
  readonly created: readonly number[];
}

/** GPUs that can become the same at the same cost: of one class, or of several. */
export interface ColumnGroup {
  readonly columns: readonly Column[];
  /** How many GPUs. */
  readonly size: number;
}

/** How many GPUs of each group take each of its columns. */
export type ColumnCounts = readonly (readonly number[])[];

/** A column for each GPU. */
export interface Choice {
  readonly counts: ColumnCounts;
  readonly cost: DemandCost;
  /** How far the proof came; absent if no other choice costs less. */
  readonly gap?: CostGap;
}

/** A figure of what a choice costs; what is unserved, and who goes, is counted level by level. */
interface LevelFigure {
  readonly figure: CostFigure;
  readonly level: number;
  /** What columns cost by it; undefined for what is unserved, which all columns together decide. */
  readonly read: ((columns: ColumnSums) => number) | undefined;
}

/** What a choice costs, in the order of {@link ChoiceCosts.figures}: one is better if the first figure that differs is less. */
export type ChoiceCost = readonly number[];

/** What the columns of a choice cost together. */
interface ColumnSums extends Pick<Column, Exclude<CostFigure, 'unserved'>> {}

/** Knows what each choice of columns for some groups of GPUs offers, serves and costs. */
export class ChoiceCosts {
  readonly table: DemandTable;
  readonly groups: readonly ColumnGroup[];
  /** The figures by which choices differ, the most important first: of each level what it lacks, then whom it alone may ask to go. */
  readonly figures: readonly LevelFigure[];

  constructor(table: DemandTable, groups: readonly ColumnGroup[]) {
    this.table = table;
    this.groups = groups;
    this.figures = listFigures(table.levels.count);
  }

  /** How many instances of each profile the pool offers. */
  offeredBy(counts: ColumnCounts): readonly number[] {
    const offered = this.table.profiles.map(() => 0);
    this.#forEachChosen(counts, (column, count) =>
      column.offered.forEach((each, profile) => {
        offered[profile] = (offered[profile] ?? 0) + each * count;
      }),
    );
    return offered;
  }

  /** What the pool offers, and what of that serves the demand: what is there already goes first. */
  serve(counts: ColumnCounts): Coverage & { readonly offered: readonly number[] } {
    const offered = this.offeredBy(counts);
    const kept = this.table.profiles.map(() => 0);
    this.#forEachChosen(counts, ({ offered: all, created }, count) =>
      all.forEach((each, profile) => {
        kept[profile] = (kept[profile] ?? 0) + (each - (created[profile] ?? 0)) * count;
      }),
    );
    return { offered, ...coverDemand(this.table, offered, kept) };
  }

  /** How much room the slices take that serve the demand: of choices at the same cost, the one with the least is taken. */
  roomOf(counts: ColumnCounts): number {
    return coverDemand(this.table, this.offeredBy(counts)).room;
  }

  costOf(counts: ColumnCounts): ChoiceCost {
    const evictions: number[] = [];
    const sum = { ...NO_COST, evictions };
    this.#forEachChosen(counts, (column, count) => {
      column.evictions.forEach((each, level) => (evictions[level] = (evictions[level] ?? 0) + each * count));
      sum.minutesLost += column.minutesLost * count;
      sum.restsBroken += column.restsBroken * count;
      sum.gpusChanged += column.gpusChanged * count;
      sum.modesChanged += column.modesChanged * count;
      sum.instancesDestroyed += column.instancesDestroyed * count;
    });
    return this.price(coverDemand(this.table, this.offeredBy(counts)).costs, sum);
  }

  /** The cost of a choice of which the sums are known. @param unserved level by level */
  price(unserved: readonly number[], columns: ColumnSums): ChoiceCost {
    return this.figures.map(({ level, read }) => read?.(columns) ?? unserved[level] ?? 0);
  }

  /** A cost with all levels added up. */
  sumLevels(cost: ChoiceCost): DemandCost {
    const sums = { ...NO_COST };
    this.figures.forEach(({ figure }, index) => (sums[figure] += cost[index] ?? 0));
    return sums;
  }

  #forEachChosen(counts: ColumnCounts, visit: (column: Column, count: number) => void): void {
    this.groups.forEach(({ columns }, group) =>
      columns.forEach((column, index) => {
        const count = counts[group]?.[index] ?? 0;
        if (count > 0) visit(column, count);
      }),
    );
  }
}

function listFigures(levels: number): readonly LevelFigure[] {
  const byLevel = Array.from({ length: levels }, (_, level): readonly LevelFigure[] => {
    const unserved: LevelFigure = { figure: 'unserved', level, read: undefined };
    if (level === levels - 1) return [unserved];
    return [unserved, { figure: 'evictions', level, read: ({ evictions }) => evictions[level] ?? 0 }];
  });
  const others = (['minutesLost', 'restsBroken', 'gpusChanged', 'modesChanged', 'instancesDestroyed'] as const).map(
    (figure): LevelFigure => ({ figure, level: 0, read: (columns) => columns[figure] }),
  );
  return [...byLevel.flat(), ...others];
}

export function compareCosts(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, index) => value !== b[index]);
  return at === -1 ? 0 : (a[at] ?? 0) - (b[at] ?? 0);
}
