import { gridOf, type Grid } from '../gpu/search/grid.ts';
import { compareText } from '../text/fingerprint.ts';
import type { Geometry } from '../gpu/geometry/geometry.ts';
import type { PoolGpu, PoolInstance } from './pool.ts';

/** GPUs that are equal in everything that a plan depends on: geometry, placed instances, which are in use, what may not change. */
export interface GpuClass {
  /** Orders classes, independent of the order of the pool. */
  readonly key: string;
  readonly geometry: Geometry;
  /** By start. */
  readonly instances: readonly PoolInstance[];
  readonly isResting: boolean;
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

  /** In a fixed order, whatever the order of the GPUs was. */
  list(): readonly GpuClass[] {
    return [...this.#classes]
      .map(([key, { first, ids }]) => ({
        key,
        geometry: first.geometry,
        instances: first.instances.toSorted((a, b) => a.start - b.start),
        isResting: first.isResting === true,
        keepsMode: first.keepsMode === true,
        size: ids.length,
      }))
      .toSorted((a, b) => compareText(a.key, b.key));
  }

  /** The GPUs of a class, by id. */
  idsOf({ key }: GpuClass): readonly string[] {
    return (this.#classes.get(key)?.ids ?? []).toSorted(compareText);
  }

  /** Which GPUs get which of the layouts that were planned for their classes. */
  *handOut<Layout extends { readonly gpuClass: number; readonly size: number }>(
    classes: readonly GpuClass[],
    layouts: readonly Layout[],
  ): Generator<readonly [ids: readonly string[], layout: Layout], undefined, undefined> {
    const idsLeft = classes.map((one) => [...this.idsOf(one)]);
    for (const layout of layouts) yield [idsLeft[layout.gpuClass]?.splice(0, layout.size) ?? [], layout];
  }

  #keyOf({ geometry, instances, isResting = false, keepsMode = false }: PoolGpu): string {
    const places = instances.map(
      ({ profile, start, busy, ...use }) =>
        `${String.fromCharCode(0x41 + start)}${profile}${busy ? `*${useKey(use)}` : ''}`,
    );
    const limits = `${isResting ? 'resting ' : ''}${keepsMode ? 'keeps its mode ' : ''}`;
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

/** Of an instance in use, what tells it from others. */
function useKey({
  evictionWeight = 1,
  stays,
  rank,
  minutesRun = 0,
}: Pick<PoolInstance, 'evictionWeight' | 'stays' | 'rank' | 'minutesRun'>): string {
  if (stays === true) return '';
  return rank === undefined && minutesRun === 0 ? String(evictionWeight) : [evictionWeight, rank, minutesRun].join();
}
