import { countsKey, type Grid } from './grid.ts';
import type { SearchBudget } from './search-budget.ts';

/** The best places for instances yet to be created, as a list. */
export interface Arrangement {
  /** What is left for later instances; higher is better. See {@link measureRoom}. */
  readonly room: number;
  readonly profile: number;
  readonly start: number;
  /** The rest of the list; undefined after the last. */
  readonly next: Arrangement | undefined;
}

/** Nothing to place: the end of a list of arrangements, which only holds the remaining room. */
export interface Settled {
  readonly room: number;
  readonly next: undefined;
  readonly profile: -1;
  readonly start: -1;
}

type Solution = Arrangement | Settled | undefined;

/**
 * Places instances into the free units of one GPU, exactly: all placements are tried (there are few), and what a set of free units
 * was found to hold is cached per geometry and wanted counts.
 */
export interface Arranger {
  /**
   * The best arrangement of the instances in `remaining` around the units in `occupied`; undefined if there is none.
   * @throws BudgetExceeded
   */
  arrange(occupied: number, remaining: readonly number[], budget: SearchBudget): Solution;
}

/** Maximum number of wanted counts cached per geometry; the largest known table has some hundreds that fit. */
const MOST_ARRANGERS = 2000;

/** Maximum number of solutions that each of them caches. */
const MOST_SOLUTIONS = 50_000;

const arrangers = new WeakMap<Grid, Map<number, Arranger>>();

/** @param totals instances per profile once everything is in place, kept ones included: they limit what may come later */
export function arrangerOf(grid: Grid, totals: readonly number[]): Arranger {
  const known = arrangers.get(grid) ?? new Map<number, Arranger>();
  arrangers.set(grid, known);
  const key = countsKey(grid, totals);
  const arranger = known.get(key) ?? buildArranger(grid, totals);
  if (known.size >= MOST_ARRANGERS) known.clear();
  known.set(key, arranger);
  return arranger;
}

function buildArranger(grid: Grid, totals: readonly number[]): Arranger {
  const caps = grid.profiles.map((_, profile) => countAddable(grid, totals, profile));
  const solutions = new Map<number, Solution>();
  const units = 2 ** grid.geometry.memorySlices;

  function solve(occupied: number, remaining: number[], key: number, budget: SearchBudget): Solution {
    const memo = key * units + occupied;
    if (solutions.has(memo)) return solutions.get(memo);
    budget.spend();
    if (solutions.size >= MOST_SOLUTIONS) solutions.clear();
    const solution = key === 0 ? settle(occupied) : place(occupied, remaining, key, budget);
    solutions.set(memo, solution);
    return solution;
  }

  function place(occupied: number, remaining: number[], key: number, budget: SearchBudget): Solution {
    const profile = grid.largestFirst.find((index) => (remaining[index] ?? 0) > 0) ?? 0;
    let best: Solution;
    remaining[profile] = (remaining[profile] ?? 0) - 1;
    for (const slot of grid.slots[profile] ?? []) {
      if ((slot.mask & occupied) !== 0) continue;
      const next = solve(occupied | slot.mask, remaining, key - (grid.radix[profile] ?? 0), budget);
      if (next !== undefined && (best === undefined || next.room > best.room))
        best = { room: next.room, profile, start: slot.start, next: next.profile === -1 ? undefined : next };
    }
    remaining[profile] += 1;
    return best;
  }

  function settle(occupied: number): Settled {
    return { room: measureRoom(grid, occupied, caps), next: undefined, profile: -1, start: -1 };
  }

  return {
    arrange: (occupied, remaining, budget) => solve(occupied, [...remaining], countsKey(grid, remaining), budget),
  };
}

/**
 * What is left for later: how many more instances of the largest profile would fit, then of the next smaller, and so on, each alone,
 * as one number whose first digit is the largest profile.
 *
 * @param caps per profile the most that compute slices, engines and its own maximum still allow
 */
export function measureRoom(grid: Grid, occupied: number, caps: readonly number[]): number {
  let room = 0;
  for (const profile of grid.largestFirst) {
    const cap = caps[profile] ?? 0;
    let free = occupied;
    let count = 0;
    // Instances of one profile have equal length, so always taking the first free start finds the most.
    for (const slot of grid.slots[profile] ?? []) {
      if (count === cap) break;
      if ((slot.mask & free) !== 0) continue;
      free |= slot.mask;
      count += 1;
    }
    room = room * ((grid.profiles[profile]?.maxInstances ?? 0) + 1) + count;
  }
  return room;
}

/** How many instances of a profile the counters (not the placement) still allow in addition to `totals`. */
export function countAddable(grid: Grid, totals: readonly number[], profile: number): number {
  const { maxInstances, computeSlices } = grid.profiles[profile] ?? { maxInstances: 0, computeSlices: 1 };
  const sum = (weigh: (index: number) => number): number =>
    totals.reduce((total, count, index) => total + count * weigh(index), 0);
  const compute = grid.geometry.computeSlices - sum((index) => grid.profiles[index]?.computeSlices ?? 0);
  let most = Math.min(maxInstances - (totals[profile] ?? 0), Math.floor(compute / computeSlices));
  grid.engineTotals?.forEach((total, kind) => {
    const each = grid.engines[profile]?.[kind] ?? 0;
    if (each > 0) most = Math.min(most, Math.floor((total - sum((index) => grid.engines[index]?.[kind] ?? 0)) / each));
  });
  for (const group of grid.exclusive)
    if (group.includes(profile))
      most = Math.min(most, 1 - group.reduce((taken, index) => taken + (totals[index] ?? 0), 0));
  return Math.max(0, most);
}
