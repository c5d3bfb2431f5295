import type { Geometry, Layout } from '../geometry/geometry.ts';
import { arrangerOf, countAddable } from './arrangement.ts';
import { gridOf, type Grid } from './grid.ts';
import { withinBudget, SearchBudget, BudgetExceeded } from './search-budget.ts';
import { onceEach } from '../../text/once-each.ts';

export interface LayoutFilter {
  /** Only layouts to which no further instance (of the profiles considered) can be added. */
  readonly maximal?: boolean;
  /** Only plain profiles: one per number of compute slices, without `+me`, `-me`, `+gfx` and double-memory variants. */
  readonly base?: boolean;
}

/**
 * Every layout that an empty GPU can hold, except the empty one, smallest profiles first. A 7-slice GPU has 127 (37 of plain
 * profiles), of which 44 (12) are maximal.
 *
 * @throws BudgetExceeded for a table that is not NVIDIA's
 */
export function enumerateLayouts(geometry: Geometry, filter: LayoutFilter = {}): readonly Layout[] {
  const grid = gridOf(geometry);
  const base = new Set(filter.base === true ? listBaseProfiles(grid.geometry) : grid.profiles);
  const considered = grid.profiles.map((profile) => base.has(profile));
  const layouts = enumerateCounts(grid).filter((counts) =>
    counts.every((count, profile) => count === 0 || considered[profile] === true),
  );
  const chosen = filter.maximal === true ? keepMaximal(grid, layouts, considered) : layouts;
  return chosen.map((counts) => toLayout(grid, counts));
}

/**
 * The plain profile of each number of compute slices: of those without attributes the one with the most instances, which
 * distinguishes the normal 1g from the one with double memory (the rule of mig-parted's generated configuration).
 */
export function listBaseProfiles(geometry: Geometry): readonly Geometry['profiles'][number][] {
  const best = new Map<number, Geometry['profiles'][number]>();
  for (const profile of geometry.profiles) {
    const known = best.get(profile.computeSlices);
    if (/[+-]/.test(profile.name) || (known !== undefined && known.maxInstances >= profile.maxInstances)) continue;
    best.set(profile.computeSlices, profile);
  }
  return geometry.profiles.filter((profile) => best.get(profile.computeSlices) === profile);
}

/** Counts per profile of every layout that fits an empty GPU; computed once per geometry. @throws BudgetExceeded */
export function enumerateCounts(grid: Grid): readonly (readonly number[])[] {
  const counts = listOnce(grid);
  if (counts === 'TooMany') throw new BudgetExceeded();
  return counts;
}

const listOnce = onceEach(
  (grid: Grid) => withinBudget((budget) => listCounts(grid, budget))?.result ?? ('TooMany' as const),
);

function listCounts(grid: Grid, budget: SearchBudget): readonly (readonly number[])[] {
  const found: (readonly number[])[] = [];
  const counts = grid.profiles.map(() => 0);

  function extend(from: number): void {
    for (let profile = from; profile < counts.length; profile += 1) {
      budget.spend();
      if (!canHoldOneMore(grid, counts, profile, budget)) continue;
      counts[profile] = (counts[profile] ?? 0) + 1;
      found.push([...counts]);
      extend(profile);
      counts[profile] = (counts[profile] ?? 0) - 1;
    }
  }

  extend(0);
  return found;
}

/** Whether an empty GPU can hold the instances and one more of a profile. */
function canHoldOneMore(grid: Grid, counts: readonly number[], profile: number, budget: SearchBudget): boolean {
  if (countAddable(grid, counts, profile) === 0) return false;
  return holds(
    grid,
    counts.map((count, index) => (index === profile ? count + 1 : count)),
    budget,
  );
}

/** Whether instances that respect the counters can also be placed; if placements are unknown the counters decide. */
function holds(grid: Grid, counts: readonly number[], budget: SearchBudget): boolean {
  return !grid.placeable || arrangerOf(grid, counts).arrange(0, counts, budget) !== undefined;
}

function keepMaximal(
  grid: Grid,
  layouts: readonly (readonly number[])[],
  considered: readonly boolean[],
): readonly (readonly number[])[] {
  return layouts.filter((counts) =>
    considered.every(
      (isConsidered, profile) => !isConsidered || !canHoldOneMore(grid, counts, profile, new SearchBudget()),
    ),
  );
}

/** Counts per profile index as a layout. */
export function toLayout(grid: Grid, counts: readonly number[]): Layout {
  return Object.fromEntries(
    grid.profiles.flatMap(({ name }, index) => {
      const count = counts[index] ?? 0;
      return count > 0 ? [[name, count] as const] : [];
    }),
  );
}
