import type { Grid } from './grid.ts';
import { enumerateCounts, listBaseProfiles } from './layout-enumeration.ts';

/** Maximum number of alternatives in a refusal. */
const MOST_ALTERNATIVES = 3;

/** Weight of losing an instance beyond its memory slices: a layout with as many instances is nearer. */
const LOSS = 1.5;
/** Weight of another profile of the same size. */
const CHANGE = 0.5;
/** Weight of an instance of a variant (`+me`, double memory) that was not requested. */
const VARIANT = 0.75;
/** Instances beyond a GPU's capacity that still count: a wish for a thousand is as far from every layout as one for a few more. */
const EXCESS = 8;

/** Which layouts are wanted: those that an empty GPU holds, or those that also fit around what exists. */
export type Holds = (counts: readonly number[]) => boolean;

/** On an empty GPU. */
export const isAnything: Holds = () => true;

/**
 * Valid layouts near the wanted one, nearest first, at most three. Near means: instances keep their profile, or change it for one of
 * nearly the same size, and few are lost or added.
 */
export function listNearest(grid: Grid, totals: readonly number[], fits: Holds): readonly (readonly number[])[] {
  const base = new Set(listBaseProfiles(grid.geometry));
  const variants = grid.profiles.map((profile) => !base.has(profile));
  return enumerateCounts(grid)
    .filter(fits)
    .map((counts) => ({ counts, distance: measureDistance(grid, totals, counts, variants) }))
    .toSorted((a, b) => a.distance - b.distance || countAll(b.counts) - countAll(a.counts))
    .slice(0, MOST_ALTERNATIVES)
    .map(({ counts }) => counts);
}

function countAll(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Instances in both cost nothing; the others are paired from the largest, and each pair costs its difference. */
function measureDistance(
  grid: Grid,
  totals: readonly number[],
  counts: readonly number[],
  variants: readonly boolean[],
): number {
  const lost: number[] = [];
  const added: number[] = [];
  let distance = 0;
  for (const profile of grid.largestFirst) {
    const most = (grid.profiles[profile]?.maxInstances ?? 0) + EXCESS;
    const difference = Math.min(totals[profile] ?? 0, most) - (counts[profile] ?? 0);
    for (let index = 0; index < Math.abs(difference); index += 1) (difference > 0 ? lost : added).push(profile);
    if (difference < 0 && variants[profile] === true) distance -= difference * VARIANT;
  }
  for (let index = 0; index < Math.max(lost.length, added.length); index += 1)
    distance += measurePair(grid, lost[index], added[index]);
  return distance;
}

function measurePair(grid: Grid, lost: number | undefined, added: number | undefined): number {
  const memory = Math.abs(sizeOf(grid, lost).memorySlices - sizeOf(grid, added).memorySlices);
  const compute = Math.abs(sizeOf(grid, lost).computeSlices - sizeOf(grid, added).computeSlices);
  return memory + compute / 4 + (lost === undefined || added === undefined ? LOSS : CHANGE);
}

function sizeOf(grid: Grid, profile: number | undefined): { memorySlices: number; computeSlices: number } {
  return (profile === undefined ? undefined : grid.profiles[profile]) ?? { memorySlices: 0, computeSlices: 0 };
}
