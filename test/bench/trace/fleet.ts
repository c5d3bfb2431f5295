import type { PoolGpu, PoolInstance } from '../../../src/core/demand/solver/pool.ts';
import type { GpuModel } from '../../../src/core/gpu/geometry.ts';
import { arrangerOf, countAddable } from '../../../src/core/gpu/grid.ts';
import { gridOf, unitMask, type Grid, SearchBudget } from '../../../src/core/gpu/grid.ts';

/** A slice of the modelled fleet. */
export interface FleetSlice {
  readonly gpu: number;
  readonly profile: string;
  readonly start: number;
  busy: boolean;
}

/** What the slices of a GPU take. */
interface Measured {
  readonly occupied: number;
  readonly totals: readonly number[];
  readonly used: number;
}

/** GPUs of one model, with slices that are used and freed, made and destroyed. Nothing takes time. */
export class TraceFleet {
  readonly model: GpuModel;
  readonly gpus: readonly FleetSlice[][];
  readonly #grid: Grid;
  /** Per GPU; undefined after a change. */
  readonly #measured: (Measured | undefined)[] = [];

  constructor(model: GpuModel, size: number) {
    this.model = model;
    this.#grid = gridOf(model);
    this.gpus = Array.from({ length: size }, () => []);
  }

  /** Puts an idle slice of the first of some profiles to use that has one; on the first GPU. */
  use(profiles: readonly string[]): FleetSlice | undefined {
    for (const profile of profiles) {
      for (const slices of this.gpus) {
        const free = slices.find((slice) => !slice.busy && slice.profile === profile);
        if (free === undefined) continue;
        free.busy = true;
        return free;
      }
    }
    return undefined;
  }

  /**
   * Makes a slice on demand, as dynamic MIG does, and puts it to use: on the first GPU that has room, at the lowest start; or on the
   * GPU that has the least room left, where it leaves most.
   */
  make(profile: string, rule: 'FirstFit' | 'BestFit'): FleetSlice | undefined {
    const index = this.#grid.indexOf.get(profile) ?? -1;
    const size = this.#grid.profiles[index]?.memorySlices ?? 0;
    let best: { readonly gpu: number; readonly start: number; readonly left: number } | undefined;
    for (const [gpu, slices] of this.gpus.entries()) {
      const { occupied, totals, used } = this.#measure(gpu, slices);
      if (countAddable(this.#grid, totals, index) === 0) continue;
      const left = this.model.memorySlices - used - size;
      if (best !== undefined && left >= best.left) continue;
      const start = this.#findStart(index, occupied, totals, rule);
      if (start === undefined) continue;
      best = { gpu, start, left };
      if (rule === 'FirstFit') break;
    }
    if (best === undefined) return undefined;
    const slice = { gpu: best.gpu, profile, start: best.start, busy: true };
    this.gpus[best.gpu]?.push(slice);
    this.#measured[best.gpu] = undefined;
    return slice;
  }

  destroy(slice: FleetSlice): void {
    const slices = this.gpus[slice.gpu];
    slices?.splice(slices.indexOf(slice), 1);
    this.#measured[slice.gpu] = undefined;
  }

  /** The fleet as the planner sees it. */
  toPool(): readonly PoolGpu[] {
    return this.gpus.map((slices, gpu) => ({
      id: String(gpu).padStart(4, '0'),
      geometry: this.model,
      instances: slices.map(({ profile, start, busy }): PoolInstance => ({ profile, start, busy })),
    }));
  }

  /** Re-lays a GPU. @returns the busy slices that went */
  relay(
    gpu: number,
    destroy: readonly Pick<PoolInstance, 'start'>[],
    create: readonly Pick<PoolInstance, 'profile' | 'start'>[],
  ): readonly FleetSlice[] {
    const slices = this.gpus[gpu] ?? [];
    const gone = slices.filter((slice) => destroy.some(({ start }) => start === slice.start));
    for (const slice of gone) this.destroy(slice);
    for (const { profile, start } of create) slices.push({ gpu, profile, start, busy: false });
    slices.sort((a, b) => a.start - b.start);
    this.#measured[gpu] = undefined;
    return gone.filter(({ busy }) => busy);
  }

  #measure(gpu: number, slices: readonly FleetSlice[]): Measured {
    const known = this.#measured[gpu];
    if (known !== undefined) return known;
    const totals = this.#grid.profiles.map(() => 0);
    let occupied = 0;
    let used = 0;
    for (const { profile, start } of slices) {
      const index = this.#grid.indexOf.get(profile) ?? -1;
      const size = this.#grid.profiles[index]?.memorySlices ?? 0;
      totals[index] = (totals[index] ?? 0) + 1;
      occupied |= unitMask(start, size);
      used += size;
    }
    const measured = { occupied, totals, used };
    this.#measured[gpu] = measured;
    return measured;
  }

  #findStart(
    index: number,
    occupied: number,
    totals: readonly number[],
    rule: 'FirstFit' | 'BestFit',
  ): number | undefined {
    if (rule === 'FirstFit') return this.#grid.slots[index]?.find(({ mask }) => (mask & occupied) === 0)?.start;
    const made = totals.map((_, profile) => (profile === index ? 1 : 0));
    const all = totals.map((count, profile) => count + (made[profile] ?? 0));
    const found = arrangerOf(this.#grid, all).arrange(occupied, made, new SearchBudget());
    return found === undefined || found.profile === -1 ? undefined : found.start;
  }
}
