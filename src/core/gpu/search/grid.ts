import { ENGINE_KINDS, type Engines, type Geometry, type Profile } from '../geometry/geometry.ts';
import { onceEach } from '../../text/once-each.ts';

/** A place for one instance: its first unit, and its units as a bit mask (bit 0 is unit 0). */
export interface GridSlot {
  readonly start: number;
  readonly mask: number;
}

/** A geometry prepared for search: indices instead of names, bit masks instead of starts and sizes. */
export interface Grid {
  readonly geometry: Geometry;
  readonly profiles: readonly Profile[];
  /** Name and former names to index. */
  readonly indexOf: ReadonlyMap<string, number>;
  /** Per profile, by ascending start. */
  readonly slots: readonly (readonly GridSlot[])[];
  /** Profile indices from the largest to the smallest: by memory, then by compute slices, then by the order of `-lgip`. */
  readonly largestFirst: readonly number[];
  /** Per profile the weight of one instance in a number that encodes the counts of all: a mixed radix of maxInstances + 1. */
  readonly radix: readonly number[];
  /** False if a profile has no published placement: then only counters can be checked. */
  readonly placeable: boolean;
  /** False if the table has more combinations than a number can distinguish: no real GPU does. */
  readonly countable: boolean;
  /** Per profile the engines as a list; see {@link ENGINE_KINDS}. */
  readonly engines: readonly (readonly number[])[];
  readonly engineTotals: readonly number[] | undefined;
  /** Per set of mutually exclusive profiles its indices. */
  readonly exclusive: readonly (readonly number[])[];
}

/** Grids by their content: each node of a fleet brings its own copy of one of a few tables. */
const interned = new Map<string, Grid>();
const MOST_INTERNED = 64;

/** Placement units beyond this do not fit a bit mask; the largest known grid has 12. */
export const MOST_UNITS = 30;

/** The grid of a geometry; the same object for all geometries that are equivalent for layouts. */
export const gridOf = onceEach((geometry: Geometry): Grid => {
  const key = writeKey(geometry);
  const grid = interned.get(key) ?? buildGrid(geometry);
  const oldest = interned.keys().next();
  if (interned.size >= MOST_INTERNED && oldest.done !== true) interned.delete(oldest.value);
  interned.set(key, grid);
  return grid;
});

/** All of a geometry that a grid depends on: neither memory in MiB nor multiprocessors, which drivers round differently. */
function writeKey({ computeSlices, memorySlices, engines, exclusive, profiles }: Geometry): string {
  const rows = profiles.map((profile) => [
    profile.name,
    profile.id,
    profile.computeSlices,
    profile.memorySlices,
    profile.starts,
    profile.maxInstances,
    listEngines(profile.engines),
    profile.formerNames,
  ]);
  return JSON.stringify([computeSlices, memorySlices, engines && listEngines(engines), exclusive, rows]);
}

/** Units of an instance as a bit mask. */
export function unitMask(start: number, size: number): number {
  return ((1 << size) - 1) << start;
}

/** Counts of all profiles as one number. */
export function countsKey(grid: Grid, counts: readonly number[]): number {
  return counts.reduce((key, count, profile) => key + count * (grid.radix[profile] ?? 0), 0);
}

function buildGrid(geometry: Geometry): Grid {
  const { profiles } = geometry;
  const radix: number[] = [];
  const combinations = profiles.reduce((weight, profile, index) => {
    radix[index] = weight;
    return weight * (profile.maxInstances + 1);
  }, 1);
  const indexOf = indexNames(profiles);
  return {
    geometry,
    profiles,
    indexOf,
    slots: profiles.map(({ starts, memorySlices }) =>
      starts
        .filter((start) => start >= 0 && start + memorySlices <= geometry.memorySlices)
        .toSorted((a, b) => a - b)
        .map((start) => ({ start, mask: unitMask(start, memorySlices) })),
    ),
    largestFirst: profiles.map((_, index) => index).toSorted((a, b) => compareSize(profiles[a], profiles[b]) || a - b),
    radix,
    countable: combinations * 2 ** Math.min(geometry.memorySlices, MOST_UNITS) <= Number.MAX_SAFE_INTEGER,
    placeable:
      geometry.memorySlices <= MOST_UNITS &&
      profiles.every(({ starts, memorySlices }) => starts.length > 0 && memorySlices > 0),
    engines: profiles.map(({ engines }) => listEngines(engines)),
    engineTotals: geometry.engines && listEngines(geometry.engines),
    exclusive: (geometry.exclusive ?? []).map((names) =>
      names.map((name) => indexOf.get(name)).filter((index) => index !== undefined),
    ),
  };
}

function listEngines(engines: Engines): readonly number[] {
  return ENGINE_KINDS.map((kind) => engines[kind]);
}

function indexNames(profiles: readonly Profile[]): ReadonlyMap<string, number> {
  const index = new Map<string, number>();
  profiles.forEach(({ formerNames }, position) => formerNames?.forEach((name) => index.set(name, position)));
  profiles.forEach(({ name }, position) => index.set(name, position));
  return index;
}

function compareSize(left: Profile | undefined, right: Profile | undefined): number {
  if (left === undefined || right === undefined) return 0;
  return right.memorySlices - left.memorySlices || right.computeSlices - left.computeSlices;
}
