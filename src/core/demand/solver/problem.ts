// Room demand: which layouts the demand of a policy makes of its pool of GPUs, by what pods ask for.
// Ask here for the classes of equal GPUs in a pool, and the levels of those for whom others go.
import { gridOf, type Grid } from '../../gpu/grid.ts';
import { compareText } from '../../text/json.ts';
import type { Geometry } from '../../gpu/geometry.ts';
import {
  type PoolGpu,
  type PoolInstance,
  type ColumnGroup,
  type DemandTable,
  RankLevels,
  readDemand,
  type DemandSlice,
  type EvictionRule,
  NOBODY,
} from './pool.ts';
import { ColumnLister, type Column } from './columns.ts';
import type { DemandQuestion } from './choose.ts';
import { WHOLE } from '../../gpu/profiles.ts';

/** GPUs that are equal in everything that a plan depends on: geometry, placed instances, which are in use, what may not change. */
export interface GpuClass {
  /** Orders classes, independent of the order of the pool. */
  readonly key: string;
  readonly geometry: Geometry;
  /** The instances, ordered by start. */
  readonly instances: readonly PoolInstance[];
  readonly isResting: boolean;
  readonly rests: boolean;
  /** Whether its GPUs stay whole, or partitioned. */
  readonly keepsMode: boolean;
  /** How many GPUs. */
  readonly size: number;
}

/** Sorts GPUs into classes, one at a time: a large pool is read in several turns of the event loop. */
export class PoolClasses {
  readonly #classes = new Map<string, { first: PoolGpu; ids: string[] }>();
  readonly #gridKeys = new Map<Grid, string>();

  add(gpu: PoolGpu): void {
    const key = this.#keyOf(gpu);
    const known = this.#classes.get(key);
    if (known === undefined) this.#classes.set(key, { first: gpu, ids: [gpu.id] });
    else known.ids.push(gpu.id);
  }

  /** Lists the classes by key, so that the order of the GPUs does not matter. */
  list(): readonly GpuClass[] {
    return [...this.#classes]
      .map(([key, { first, ids }]) => ({
        key,
        geometry: first.geometry,
        instances: first.instances.toSorted((a, b) => a.start - b.start),
        isResting: first.isResting === true,
        rests: first.rests === true,
        keepsMode: first.keepsMode === true,
        size: ids.length,
      }))
      .toSorted((a, b) => compareText(a.key, b.key));
  }

  /** Hands the layouts that were planned for classes out to their GPUs, by id. */
  *handOut<Layout extends { readonly gpuClass: number; readonly size: number }>(
    classes: readonly GpuClass[],
    layouts: readonly Layout[],
  ): Generator<readonly [ids: readonly string[], layout: Layout], undefined, undefined> {
    const idsLeft = classes.map(({ key }) => (this.#classes.get(key)?.ids ?? []).toSorted(compareText));
    for (const layout of layouts) yield [idsLeft[layout.gpuClass]?.splice(0, layout.size) ?? [], layout];
  }

  #keyOf({ geometry, instances, isResting = false, rests = false, keepsMode = false }: PoolGpu): string {
    const places = instances.map(
      ({ profile, start, busy, ...use }) =>
        `${String.fromCharCode(0x41 + start)}${profile}${busy ? `*${useKey(use)}` : ''}`,
    );
    const limits = `${isResting ? 'resting ' : ''}${rests ? 'rests ' : ''}${keepsMode ? 'keeps its mode ' : ''}`;
    return `${this.#gridKey(geometry)} ${limits}${places.sort().join(' ')}`;
  }

  /** Geometries that are equal for layouts have one grid; its names and sizes tell it from the others of a pool. */
  #gridKey(geometry: Geometry): string {
    const grid = gridOf(geometry);
    const known = this.#gridKeys.get(grid);
    if (known !== undefined) return known;
    const key = JSON.stringify([
      geometry.computeSlices,
      geometry.memorySlices,
      geometry.profiles.map((one) => [one.name, one.memorySlices, one.starts, one.maxInstances, one.engines]),
      geometry.engines,
      geometry.exclusive,
    ]);
    this.#gridKeys.set(grid, key);
    return key;
  }
}

/** A key of everything that tells an instance in use from others. */
function useKey({
  evictionWeight = 1,
  stays,
  rank,
  minutesRun = 0,
}: Pick<PoolInstance, 'evictionWeight' | 'stays' | 'rank' | 'minutesRun'>): string {
  if (stays === true) return '';
  return rank === undefined && minutesRun === 0 ? String(evictionWeight) : [evictionWeight, rank, minutesRun].join();
}

/** Classes whose GPUs can become the same at the same cost are one group for the solver. */
export interface Problem {
  /** The demand, with no more of a slice than the pool could ever hold: neither a solver nor a sum is given a number of any size. */
  readonly table: DemandTable;
  /** How many of each slice are wanted beyond that. Every plan lacks them. */
  readonly beyond: readonly number[];
  readonly groups: readonly (ColumnGroup & {
    readonly members: readonly { readonly gpuClass: number; readonly columns: readonly Column[] }[];
  })[];
}

export function buildProblem({ classes, slices, evict }: DemandQuestion): Problem {
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

/** The levels of ranks that tell who goes for whom in a pool; undefined if nobody may go at all. */
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

function writeColumn({
  offered,
  evictions,
  minutesLost,
  restsBroken,
  gpusChanged,
  modesChanged,
  instancesDestroyed,
}: Column): string {
  return [
    offered.join(),
    evictions.join(),
    minutesLost,
    restsBroken,
    gpusChanged,
    modesChanged,
    instancesDestroyed,
  ].join(' ');
}
