import { compareDemandCost, type Choice, type ColumnGroup } from './choice.ts';
import { coverDemand, type DemandTable } from './coverage.ts';
import type { DemandCost } from './pool.ts';

/** The cheapest way to offer something with the GPUs seen so far. */
interface Reached {
  readonly evictions: number;
  readonly gpusChanged: number;
  readonly instancesDestroyed: number;
  /** What was offered before the last GPU; undefined before the first. */
  readonly before: number | undefined;
  readonly column: number;
}

/**
 * The best choice by dynamic programming: GPU after GPU, the cheapest way to each sum of offered slices, counted no further than the
 * demand can use. Exact, and fast for few GPUs or a small demand.
 *
 * @param mostSteps gives up after as many combinations of a sum and a column
 * @returns undefined if it takes more
 */
export function chooseExactly(
  table: DemandTable,
  groups: readonly ColumnGroup[],
  mostSteps: number,
): Choice | undefined {
  const radix: number[] = [];
  const sums = table.caps.reduce((product, cap, index) => {
    radix[index] = product;
    return product * (cap + 1);
  }, 1);
  if (sums > Number.MAX_SAFE_INTEGER) return undefined;
  const digit = (key: number, profile: number): number =>
    Math.floor(key / (radix[profile] ?? 1)) % ((table.caps[profile] ?? 0) + 1);
  const layers: ReadonlyMap<number, Reached>[] = [
    new Map([[0, { evictions: 0, gpusChanged: 0, instancesDestroyed: 0, before: undefined, column: 0 }]]),
  ];
  let steps = 0;
  let left = groups.reduce((sum, { columns, size }) => sum + columns.length * size, 0);
  for (const { columns, size } of groups) {
    for (let gpu = 0; gpu < size; gpu += 1) {
      // Sums become more with each GPU, or at least hardly fewer: most hopeless pools are given up after a few.
      if (steps + left * (layers.at(-1)?.size ?? 0) > mostSteps) return undefined;
      left -= columns.length;
      const next = new Map<number, Reached>();
      for (const [before, reached] of layers.at(-1) ?? []) {
        steps += columns.length;
        const open = table.caps.map((cap, profile) => cap - digit(before, profile));
        columns.forEach((column, index) => {
          // Of all there is in the planner this runs most often: it makes an object only for a way that is kept.
          let key = before;
          for (let profile = 0; profile < open.length; profile += 1)
            key += Math.min(column.offered[profile] ?? 0, open[profile] ?? 0) * (radix[profile] ?? 1);
          const evictions = reached.evictions + column.evictions;
          const gpusChanged = reached.gpusChanged + column.gpusChanged;
          const instancesDestroyed = reached.instancesDestroyed + column.instancesDestroyed;
          const known = next.get(key);
          const difference =
            known === undefined
              ? -1
              : evictions - known.evictions ||
                gpusChanged - known.gpusChanged ||
                instancesDestroyed - known.instancesDestroyed;
          if (difference < 0) next.set(key, { evictions, gpusChanged, instancesDestroyed, before, column: index });
        });
      }
      layers.push(next);
    }
  }
  return pickBest(table, groups, layers, (key) => table.profiles.map((_, profile) => digit(key, profile)));
}

function pickBest(
  table: DemandTable,
  groups: readonly ColumnGroup[],
  layers: readonly ReadonlyMap<number, Reached>[],
  offeredOf: (key: number) => readonly number[],
): Choice | undefined {
  let best: { readonly key: number; readonly cost: DemandCost; readonly room: number } | undefined;
  for (const [key, { evictions, gpusChanged, instancesDestroyed }] of layers.at(-1) ?? []) {
    const { cost: unserved, room } = coverDemand(table, offeredOf(key));
    const cost = { unserved, evictions, gpusChanged, instancesDestroyed };
    const order =
      best === undefined ? -1 : compareDemandCost(cost, best.cost) || (table.hasChoice ? room - best.room : 0);
    if (order < 0) best = { key, cost, room };
  }
  if (best === undefined) return undefined;
  const counts = groups.map(({ columns }) => columns.map(() => 0));
  let { key } = best;
  let layer = layers.length - 1;
  for (let group = groups.length - 1; group >= 0; group -= 1) {
    for (let gpu = groups[group]?.size ?? 0; gpu > 0; gpu -= 1) {
      const { column = 0, before = 0 } = layers[layer]?.get(key) ?? {};
      const row = counts[group];
      if (row !== undefined) row[column] = (row[column] ?? 0) + 1;
      key = before;
      layer -= 1;
    }
  }
  return { counts, cost: best.cost };
}
