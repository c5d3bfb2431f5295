import { ENGINE_KINDS, type Engines } from '../geometry/geometry.ts';
import type { Grid } from './grid.ts';
import type { RefusalCode } from './refusal.ts';

/** A counter that a layout exceeds. */
export interface Shortage {
  readonly code: RefusalCode;
  /** For a person who does not know the slice grid: `needs 9 of 8 memory slices (2×3g.20gb take 8, 1×1g.5gb takes 1)`. */
  readonly why: string;
}

const engineWords = {
  copy: 'copy engines',
  decoder: 'video decoders',
  encoder: 'video encoders',
  jpeg: 'JPEG engines',
  ofa: 'optical flow engines',
} as const satisfies Record<keyof Engines, string>;

const sliceCounters = [
  { size: 'memorySlices', code: 'NotEnoughMemorySlices', what: 'memory slices' },
  { size: 'computeSlices', code: 'NotEnoughComputeSlices', what: 'compute slices' },
] as const;

/**
 * The first counter that the instances exceed, wherever they are placed: memory slices, compute slices, instances of a profile,
 * engines, mutually exclusive profiles. For every model of the built-in table an empty GPU holds exactly what the counters allow.
 *
 * @param totals GPU instances per profile index
 */
export function findShortage(grid: Grid, totals: readonly number[]): Shortage | undefined {
  return (
    findSliceShortage(grid, totals) ??
    findInstanceShortage(grid, totals) ??
    findEngineShortage(grid, totals) ??
    findExclusion(grid, totals)
  );
}

function findSliceShortage(grid: Grid, totals: readonly number[]): Shortage | undefined {
  for (const { size, code, what } of sliceCounters) {
    const needed = sum(totals, (index) => grid.profiles[index]?.[size] ?? 0);
    const available = grid.geometry[size];
    if (needed > available)
      return { code, why: `needs ${needed} of ${available} ${what} (${listTakes(grid, totals, size)})` };
  }
  return undefined;
}

/** Counts GPU instances, which shows that compute instances (`7×1c.3g.20gb`) need three of them. */
function listTakes(grid: Grid, totals: readonly number[], size: 'memorySlices' | 'computeSlices'): string {
  return grid.largestFirst
    .filter((index) => (totals[index] ?? 0) > 0)
    .map((index) => {
      const { name = '', [size]: takes = 0 } = grid.profiles[index] ?? {};
      const total = totals[index] ?? 0;
      return `${total}×${name} ${total === 1 ? 'takes' : 'take'} ${total * takes}`;
    })
    .join(', ');
}

function findInstanceShortage(grid: Grid, totals: readonly number[]): Shortage | undefined {
  const profile = totals.findIndex((count, index) => count > (grid.profiles[index]?.maxInstances ?? 0));
  if (profile === -1) return undefined;
  const { name = '', maxInstances = 0 } = grid.profiles[profile] ?? {};
  const why = `needs ${totals[profile] ?? 0} instances of ${name}, of which a GPU holds at most ${maxInstances}`;
  return { code: 'TooManyInstances', why };
}

function findEngineShortage(grid: Grid, totals: readonly number[]): Shortage | undefined {
  for (const [kind, name] of ENGINE_KINDS.entries()) {
    const available = grid.engineTotals?.[kind];
    const needed = sum(totals, (index) => grid.engines[index]?.[kind] ?? 0);
    if (available !== undefined && needed > available)
      return { code: 'NotEnoughEngines', why: `needs ${needed} of ${available} ${engineWords[name]}` };
  }
  return undefined;
}

function findExclusion(grid: Grid, totals: readonly number[]): Shortage | undefined {
  for (const group of grid.exclusive) {
    const needed = group.reduce((total, index) => total + (totals[index] ?? 0), 0);
    const why = `needs ${needed} instances of profiles of which a GPU holds at most 1 in total`;
    if (needed > 1) return { code: 'ExclusiveProfiles', why };
  }
  return undefined;
}

function sum(totals: readonly number[], weigh: (index: number) => number): number {
  let total = 0;
  for (let index = 0; index < totals.length; index += 1) total += (totals[index] ?? 0) * weigh(index);
  return total;
}
