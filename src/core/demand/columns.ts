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

/** An instance in the terms of a grid and of a demand. */
interface Known {
  /** Which one of its class. */
  readonly bit: number;
  /** Undefined if it is the whole GPU. */
  readonly profile: number | undefined;
  /** Index of a wanted profile; -1 if it is not wanted. */
  readonly wantedAs: number;
  /** Its units. */
  readonly mask: number;
  readonly busy: boolean;
  /** By weight. */
  readonly evictions: number;
  readonly mayGo: boolean;
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
    const known = instances.map(({ profile, start, busy, evictionWeight = 1, stays = false }, index): Known => {
      const at = grid.indexOf.get(profile);
      // A whole GPU leaves room for nothing else.
      const { memorySlices } = grid.profiles.find((_, one) => one === at) ?? geometry;
      return {
        bit: 1 << index,
        profile: at,
        wantedAs: isWhole ? wholeAs : wanted.indexOf(at),
        mask: unitMask(start, memorySlices),
        busy,
        evictions: busy ? evictionWeight : 0,
        mayGo: !busy || (this.#evict === 'IfNeeded' && !stays),
      };
    });
    const offeredBy = (some: readonly Known[]): readonly number[] =>
      wanted.map((_, index) => some.filter(({ wantedAs }) => wantedAs === index).length);
    const asItIs: Column = {
      offered: offeredBy(known),
      evictions: 0,
      gpusChanged: 0,
      instancesDestroyed: 0,
      kept: sum(known, ({ bit }) => bit),
      created: wanted.map(() => 0),
    };
    if (isResting || (isWhole && keepsMode)) return [asItIs];
    const madeWhole = this.#caps.map((cap, index) => (index === wholeAs ? Math.min(1, cap) : 0));
    const best = new Map([[asItIs.offered.join(), asItIs]]);

    const settle = (staying: readonly Known[], going: readonly Known[]): void => {
      const offered = offeredBy(staying);
      const totals = grid.profiles.map((_, index) => staying.filter(({ profile }) => profile === index).length);
      const additions = this.#listAdditions(
        grid,
        wanted,
        sum(staying, ({ mask }) => mask),
        totals,
      );
      for (const created of staying.length === 0 && !keepsMode ? [...additions, madeWhole] : additions)
        if (created.some((count) => count > 0))
          record({
            offered: offered.map((count, index) => count + (created[index] ?? 0)),
            evictions: sum(going, ({ evictions }) => evictions),
            gpusChanged: 1,
            instancesDestroyed: going.filter(({ busy }) => !busy).length,
            kept: sum(staying, ({ bit }) => bit),
            created,
          });
    };
    const record = (column: Column): void => {
      const key = column.offered.join();
      const other = best.get(key);
      if (other === undefined || compareCost(column, other) < 0) best.set(key, column);
    };
    const choose = (index: number, staying: readonly Known[], going: readonly Known[]): void => {
      const instance = known[index];
      if (instance === undefined) return settle(staying, going);
      choose(index + 1, [...staying, instance], going);
      if (instance.mayGo) choose(index + 1, staying, [...going, instance]);
      return undefined;
    };

    choose(0, [], []);
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
  const open = wanted.map((profile, index) => ({ profile, cap: caps[index] ?? 0, created: 0 }));
  const arranger = arrangerOf(grid, totals);
  const budget = new SearchBudget(MOST_ADDITION_WORK);

  function extend(from: number): void {
    const sums = totals.map((total, profile) => total + (counts[profile] ?? 0));
    let isMaximal = true;
    for (const [index, one] of open.entries()) {
      const { profile, cap, created } = one;
      if (profile === undefined || created >= cap || countAddable(grid, sums, profile) === 0) continue;
      counts[profile] = (counts[profile] ?? 0) + 1;
      if (arranger.arrange(occupied, counts, budget) !== undefined) {
        isMaximal = false;
        one.created += 1;
        if (index >= from) extend(index);
        one.created -= 1;
      }
      counts[profile] -= 1;
    }
    if (isMaximal) found.push(open.map(({ created }) => created));
  }

  extend(0);
  return found;
}

/** Of masks without a common unit it is what they cover together. */
function sum(some: readonly Known[], read: (one: Known) => number): number {
  return some.reduce((total, one) => total + read(one), 0);
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
  return a.offered.reduce((order, count, index) => order || (b.offered[index] ?? 0) - count, 0);
}
