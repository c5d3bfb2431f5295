import { arrangerOf, countAddable } from '../gpu/search/arrangement.ts';
import { countsKey, gridOf, unitMask, type Grid } from '../gpu/search/grid.ts';
import { SearchBudget } from '../gpu/search/search-budget.ts';
import type { GpuClass } from './gpu-classes.ts';
import { type EvictionRule, WHOLE } from './pool.ts';

/**
 * What a GPU can become: some of its instances stay in place, and wanted ones are made in the room that there is then. Never more is
 * made than the demand may use; what is kept may be anything.
 */
export interface Column {
  /** Per wanted profile, once it is re-laid. */
  readonly offered: readonly number[];
  /** By weight. */
  readonly evictions: number;
  /** 1 if an instance goes or comes. */
  readonly gpusChanged: number;
  /** Idle ones; one of them may be the whole GPU. */
  readonly instancesDestroyed: number;
  /** Bit mask over the instances of the class: those that stay. */
  readonly kept: number;
  /** Per wanted profile, how many are made. */
  readonly created: readonly number[];
}

/** Per grid and wanted profiles: what can be added to the same units and counts is asked for by many GPUs. */
type Additions = Map<string, readonly (readonly number[])[]>;

/** Choices examined for one set of occupied units; NVIDIA's largest table takes a tenth. */
const MOST_ADDITION_WORK = 2_000_000;

/** Lists what GPUs can become, for one demand. */
export class ColumnLister {
  readonly #profiles: readonly string[];
  readonly #caps: readonly number[];
  readonly #evict: EvictionRule;
  readonly #additions = new Map<Grid, Additions>();

  constructor(profiles: readonly string[], caps: readonly number[], evict: EvictionRule) {
    this.#profiles = profiles;
    this.#caps = caps;
    this.#evict = evict;
  }

  /**
   * Every column that no other beats: none offers at least as much of each profile at no higher cost. The cheapest first, so that
   * the first is that of the GPU as it is.
   */
  list({ geometry, instances, isResting, keepsMode }: GpuClass): readonly Column[] {
    const grid = gridOf(geometry);
    const wanted = this.#profiles.map((name) => grid.indexOf.get(name));
    const wholeAs = this.#profiles.indexOf(WHOLE);
    const isWhole = instances.some(({ profile }) => profile === WHOLE);
    const known = instances.map(({ profile, start, busy, evictionWeight = 1, stays = false }) => {
      const index = grid.indexOf.get(profile) ?? -1;
      return {
        profile: index,
        wantedAs: isWhole ? wholeAs : wanted.indexOf(index),
        mask: unitMask(start, grid.profiles[index]?.memorySlices ?? 0),
        evictions: busy ? evictionWeight : 0,
        mayGo: !isResting && !(isWhole && keepsMode) && (!busy || (this.#evict === 'IfNeeded' && !stays)),
      };
    });
    const best = new Map<string, Column>();
    const totals = grid.profiles.map(() => 0);
    const offered = wanted.map(() => 0);

    const settle = (kept: number, occupied: number, evictions: number, instancesDestroyed: number): void => {
      const isKept = kept === 2 ** known.length - 1;
      if (isKept)
        record({
          offered: [...offered],
          evictions: 0,
          gpusChanged: 0,
          instancesDestroyed: 0,
          kept,
          created: wanted.map(() => 0),
        });
      // A whole GPU that stays so has room for nothing else.
      if (isResting || (isWhole && (isKept || keepsMode))) return;
      const make = (created: readonly number[]): void => {
        const all = offered.map((count, index) => count + (created[index] ?? 0));
        record({ offered: all, evictions, gpusChanged: 1, instancesDestroyed, kept, created });
      };
      for (const created of this.#listAdditions(grid, wanted, occupied, totals))
        if (created.some((count) => count > 0)) make(created);
      if (kept === 0 && wholeAs !== -1 && !isWhole && !keepsMode && (this.#caps[wholeAs] ?? 0) > 0)
        make(wanted.map((_, index) => (index === wholeAs ? 1 : 0)));
    };
    const record = (column: Column): void => {
      const key = column.offered.join();
      const other = best.get(key);
      if (other === undefined || compareCost(column, other) < 0) best.set(key, column);
    };
    const choose = (index: number, kept: number, occupied: number, evictions: number, destroyed: number): void => {
      const instance = known[index];
      if (instance === undefined) return settle(kept, occupied, evictions, destroyed);
      const { profile, wantedAs } = instance;
      if (profile !== -1) totals[profile] = (totals[profile] ?? 0) + 1;
      if (wantedAs !== -1) offered[wantedAs] = (offered[wantedAs] ?? 0) + 1;
      choose(index + 1, kept | (1 << index), occupied | instance.mask, evictions, destroyed);
      if (profile !== -1) totals[profile] = (totals[profile] ?? 0) - 1;
      if (wantedAs !== -1) offered[wantedAs] = (offered[wantedAs] ?? 0) - 1;
      if (instance.mayGo)
        choose(index + 1, kept, occupied, evictions + instance.evictions, destroyed + (instance.evictions > 0 ? 0 : 1));
      return undefined;
    };

    choose(0, 0, 0, 0, 0);
    return dropBeaten([...best.values()]);
  }

  /** The largest sets of wanted instances that fit beside others: none of them is part of another. */
  #listAdditions(
    grid: Grid,
    wanted: readonly (number | undefined)[],
    occupied: number,
    totals: readonly number[],
  ): readonly (readonly number[])[] {
    const cache: Additions = this.#additions.get(grid) ?? new Map<string, readonly (readonly number[])[]>();
    this.#additions.set(grid, cache);
    const key = `${occupied} ${countsKey(grid, totals)}`;
    const known = cache.get(key);
    if (known !== undefined) return known;
    const found = findAdditions(grid, wanted, this.#caps, occupied, totals);
    cache.set(key, found);
    return found;
  }
}

function findAdditions(
  grid: Grid,
  wanted: readonly (number | undefined)[],
  caps: readonly number[],
  occupied: number,
  totals: readonly number[],
): readonly (readonly number[])[] {
  const found: (readonly number[])[] = [];
  const counts = grid.profiles.map(() => 0);
  const created = wanted.map(() => 0);
  const sums = [...totals];
  const budget = new SearchBudget(MOST_ADDITION_WORK);

  function extend(from: number): void {
    let isMaximal = true;
    for (let index = 0; index < wanted.length; index += 1) {
      const profile = wanted[index];
      if (
        profile === undefined ||
        (created[index] ?? 0) >= (caps[index] ?? 0) ||
        countAddable(grid, sums, profile) === 0
      )
        continue;
      counts[profile] = (counts[profile] ?? 0) + 1;
      sums[profile] = (sums[profile] ?? 0) + 1;
      if (arrangerOf(grid, sums).arrange(occupied, counts, budget) !== undefined) {
        isMaximal = false;
        created[index] = (created[index] ?? 0) + 1;
        if (index >= from) extend(index);
        created[index] = (created[index] ?? 0) - 1;
      }
      counts[profile] -= 1;
      sums[profile] -= 1;
    }
    if (isMaximal) found.push([...created]);
  }

  extend(0);
  return found;
}

function dropBeaten(columns: readonly Column[]): readonly Column[] {
  const kept: Column[] = [];
  for (const column of columns.toSorted((a, b) => compareCost(a, b) || compareOffer(a, b))) {
    const isBeaten = kept.some(({ offered }) => offered.every((count, index) => count >= (column.offered[index] ?? 0)));
    if (!isBeaten) kept.push(column);
  }
  return kept;
}

function compareCost(a: Column, b: Column): number {
  return a.evictions - b.evictions || a.gpusChanged - b.gpusChanged || a.instancesDestroyed - b.instancesDestroyed;
}

/** More of the first profile that differs comes first: no two columns offer the same. */
function compareOffer(a: Column, b: Column): number {
  const index = a.offered.findIndex((count, at) => count !== b.offered[at]);
  return (b.offered[index] ?? 0) - (a.offered[index] ?? 0);
}
