import { type Grid, gridOf } from '../gpu/search/grid.ts';
import type { ColumnGroup } from './choice.ts';
import { ColumnLister, type Column } from './columns.ts';
import { type DemandTable, RankLevels, readDemand } from './coverage.ts';
import type { DemandQuestion } from './demand-plan.ts';
import type { GpuClass } from './gpu-classes.ts';
import { type DemandSlice, type EvictionRule, NOBODY, type PoolInstance } from './pool.ts';
import { WHOLE } from '../gpu/geometry/profile-name.ts';

/** Classes whose GPUs can become the same at the same cost are one group for the solver. */
export interface Scene {
  /** Wants no more of a slice than the pool could ever hold: neither a solver nor a sum is given a number of any size. */
  readonly table: DemandTable;
  /** Per slice of the table, how many are wanted beyond that. Every plan lacks them. */
  readonly beyond: readonly number[];
  readonly groups: readonly (ColumnGroup & {
    readonly members: readonly { readonly gpuClass: number; readonly columns: readonly Column[] }[];
  })[];
}

export function setScene({ classes, slices, evict }: DemandQuestion): Scene {
  const grids = [...new Set(classes.map(({ geometry }) => gridOf(geometry)))];
  const isOffered = (profile: string): boolean =>
    profile === WHOLE || grids.some(({ indexOf }) => indexOf.has(profile));
  const capped = slices.map((slice) => ({ ...slice, count: Math.min(slice.count, mostHeld(slice, classes)) }));
  const levels = levelsOf(
    capped,
    classes.flatMap(({ instances }) => instances),
    evict,
  );
  const sizeIn = (profile: string): number => Math.min(...grids.map((grid) => sizeOf(grid, profile)));
  const table = readDemand(capped, isOffered, sizeIn, levels);
  const counts = new Map(slices.map(({ name, count }) => [name, count]));
  const beyond = table.slices.map(({ name, count }) => (counts.get(name) ?? count) - count);
  const lister = new ColumnLister(table, evict);
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
  return { table, beyond, groups: [...groups.values()] };
}

/** No more of a slice than so many could the GPUs hold, of all its profiles together. */
function mostHeld({ profiles }: DemandSlice, classes: readonly GpuClass[]): number {
  return classes.reduce((sum, { geometry, size }) => {
    const { indexOf, profiles: known } = gridOf(geometry);
    const each = profiles.map((name) => (name === WHOLE ? 1 : (known[indexOf.get(name) ?? -1]?.maxInstances ?? 0)));
    return sum + size * each.reduce((all, one) => all + one, 0);
  }, 0);
}

/** Who goes for whom in a pool; undefined if nobody may go at all. */
export function levelsOf(
  slices: readonly DemandSlice[],
  instances: readonly PoolInstance[],
  evict: EvictionRule,
): RankLevels | undefined {
  if (evict === 'Never') return undefined;
  const ranks = instances.flatMap(({ busy, stays, rank = NOBODY }) => (busy && stays !== true ? [rank] : []));
  return new RankLevels(slices, ranks);
}

/** The share of a GPU that a profile takes, of its memory, and then of its compute slices: all of it if it is the whole GPU. */
function sizeOf({ geometry, indexOf, profiles }: Grid, name: string): number {
  const { memorySlices, computeSlices } = profiles[indexOf.get(name) ?? -1] ?? {};
  if (memorySlices === undefined || computeSlices === undefined) return WHOLE_SIZE;
  return Math.round((MEMORY_SIZE * memorySlices) / Math.max(1, geometry.memorySlices)) + computeSlices;
}

/** Divides by the memory slices of all models, 4, 8 and 12, with room for the compute slices below. */
const MEMORY_SIZE = 384;
const WHOLE_SIZE = MEMORY_SIZE + 16;

function writeColumn({ offered, evictions, minutesLost, gpusChanged, instancesDestroyed }: Column): string {
  return `${offered.join()} ${evictions.join()} ${minutesLost} ${gpusChanged} ${instancesDestroyed}`;
}
