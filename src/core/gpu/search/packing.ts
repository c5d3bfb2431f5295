import type { SearchBudget } from './search-budget.ts';

/** The fewest GPU instances for some compute instances, and every way to fill them. */
export interface Packings {
  /** GPU instances needed; if that is more than the limit, a lower bound. */
  readonly bins: number;
  /** Each way: per GPU instance its compute instances' slices, largest first, fullest instance first. */
  readonly ways: readonly (readonly (readonly number[])[])[];
}

/**
 * Distributes compute instances over the fewest GPU instances of one profile, exactly: a GPU instance of `capacity` slices holds any
 * compute instances whose slices add up to no more.
 *
 * @param sizes slices of each compute instance, none above `capacity`
 * @param limit most GPU instances of the profile; beyond it only the bound is computed, since the layout cannot fit anyway
 * @throws BudgetExceeded
 */
export function packComputeInstances(
  sizes: readonly number[],
  capacity: number,
  limit: number,
  budget: SearchBudget,
): Packings {
  const sorted = sizes.toSorted((a, b) => b - a);
  const least = Math.ceil(sorted.reduce((sum, size) => sum + size, 0) / capacity);
  for (let bins = least; bins <= limit; bins += 1) {
    const ways = fill(sorted, bins, capacity, budget);
    if (ways.length > 0) return { bins, ways };
  }
  return { bins: Math.max(least, limit + 1), ways: [] };
}

function fill(
  sizes: readonly number[],
  bins: number,
  capacity: number,
  budget: SearchBudget,
): readonly (readonly (readonly number[])[])[] {
  const found = new Map<string, readonly (readonly number[])[]>();
  const open: number[][] = Array.from({ length: bins }, () => []);
  const room = Array.from({ length: bins }, () => capacity);

  function put(index: number): void {
    const size = sizes[index];
    if (size === undefined) {
      const way = open.map((bin) => [...bin]).toSorted(compareBins);
      found.set(way.join('|'), way);
      return;
    }
    const tried = new Set<string>();
    open.forEach((bin, position) => {
      budget.spend();
      // Two bins with the same content are the same choice.
      if ((room[position] ?? 0) < size || tried.has(bin.join())) return;
      tried.add(bin.join());
      bin.push(size);
      room[position] = (room[position] ?? 0) - size;
      put(index + 1);
      bin.pop();
      room[position] = (room[position] ?? 0) + size;
    });
  }

  put(0);
  return [...found.values()].toSorted((a, b) => compareBins(a.flat(), b.flat()));
}

/** Larger content first, so that of several ways the one with the fullest instances comes first. */
function compareBins(left: readonly number[], right: readonly number[]): number {
  const fullness = right.reduce((sum, size) => sum + size, 0) - left.reduce((sum, size) => sum + size, 0);
  if (fullness !== 0) return fullness;
  const length = Math.max(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const difference = (right[index] ?? 0) - (left[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
