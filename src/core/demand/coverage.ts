import { compareText } from '../text/fingerprint.ts';
import type { DemandSlice } from './pool.ts';

/** The demand in numbers: profiles by index, in a fixed order. */
export interface DemandTable {
  /** Every profile that is asked for and that the pool has, sorted. One that pods wait for is there twice where that is told apart. */
  readonly profiles: readonly string[];
  /** Per profile which instances count: those in use, those that nobody uses, or both. */
  readonly uses: readonly ProfileUse[];
  /** By name. */
  readonly slices: readonly DemandSlice[];
  /** Per slice the indices of its profiles. */
  readonly servedBy: readonly (readonly number[])[];
  /** Per profile the most that the whole demand can use. */
  readonly caps: readonly number[];
  /** Slices in the order in which they are served: by level, then by falling weight. */
  readonly byTurn: readonly number[];
  readonly levels: RankLevels;
  /** Per slice its level. */
  readonly levelOf: readonly number[];
  /** Per profile how much of a GPU it takes: of those that serve equally well, the smallest is used. */
  readonly sizes: readonly number[];
  /** Whether a slice can be served by profiles of different sizes. */
  readonly hasChoice: boolean;
}

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
export interface Coverage {
  /** Per slice of the demand, how many it lacks. */
  readonly unserved: readonly number[];
  /** By weight. */
  readonly cost: number;
  /** The same, level by level. */
  readonly costs: readonly number[];
  /** Per profile, how many are of use. */
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
  return {
    profiles,
    uses,
    levels: levels ?? new RankLevels([], []),
    levelOf,
    slices: sorted,
    servedBy,
    sizes,
    hasChoice: servedBy.some((serving) => new Set(serving.map((profile) => sizes[profile])).size > 1),
    caps: known.map(({ name, use }) =>
      sorted.reduce((sum, slice) => sum + (serves(slice, name, use) ? slice.count : 0), 0),
    ),
    byTurn: sorted
      .map(({ weight }, slice) => ({ weight, slice, level: levelOf[slice] ?? 0 }))
      .toSorted((a, b) => a.level - b.level || b.weight - a.weight)
      .map(({ slice }) => slice),
  };
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
    cost: slices.reduce((sum, { weight }, slice) => sum + (lacking[slice] ?? 0) * weight, 0),
    costs: table.levels.sum(
      slices.map(({ weight }, slice) => [table.levelOf[slice] ?? 0, (lacking[slice] ?? 0) * weight]),
    ),
    used: offered.map((count, profile) => count - (free[profile] ?? 0)),
    room: offered.reduce((sum, count, profile) => sum + (count - (free[profile] ?? 0)) * (sizes[profile] ?? 0), 0),
  };
}

/** Where a path can end: at a profile that is left over. */
interface Ends {
  /** Per profile. */
  readonly free: number[];
  readonly costOf: (profile: number) => number;
  /** How many at this cost. */
  readonly mostOf: (profile: number) => number;
}

/** A slice on a path. */
interface Stop {
  readonly slice: number;
  /** What it has of each profile. */
  readonly row: number[];
  /** The most that the path can carry up to here. */
  readonly most: number;
  /** Which profile it leaves to whom; undefined for the slice that gets more. */
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

/** Each slice of a path gets one profile, and leaves another one. */
function handOn({ row, leaves }: Stop, profile: number, amount: number): void {
  row[profile] = (row[profile] ?? 0) + amount;
  if (leaves === undefined) return;
  row[leaves.profile] = (row[leaves.profile] ?? 0) - amount;
  handOn(leaves.to, leaves.profile, amount);
}
