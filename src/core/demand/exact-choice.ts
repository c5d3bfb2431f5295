import { type Choice, type ChoiceCost, type ColumnGroup, compareCosts, sumLevels, toCost } from './choice.ts';
import { coverDemand, type DemandTable } from './coverage.ts';

/** The cheapest way to offer something with the GPUs seen so far. */
interface Way {
  /** Of all levels in one number. */
  readonly evictions: number;
  readonly minutesLost: number;
  readonly gpusChanged: number;
  readonly instancesDestroyed: number;
  /** The way without the last GPU, and the column of that one; both undefined before the first. */
  readonly before: Way | undefined;
  readonly column: number | undefined;
}

/** What is offered of all profiles is one number, with a digit for each. */
interface Digit {
  /** The most that the demand can use. */
  readonly cap: number;
  /** What 1 of the profile adds to the number. */
  readonly place: number;
  /** How many the demand can use beside what is offered so far. */
  open: number;
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
  let sums = 1;
  const digits = table.caps.map((cap): Digit => {
    const place = sums;
    sums *= cap + 1;
    return { cap, place, open: cap };
  });
  if (!Number.isSafeInteger(sums)) return undefined;
  const prices = new EvictionPrices(table.levels.count, groups);
  if (!prices.isSafe) return undefined;
  const first: Way = {
    evictions: 0,
    minutesLost: 0,
    gpusChanged: 0,
    instancesDestroyed: 0,
    before: undefined,
    column: undefined,
  };
  let ways: ReadonlyMap<number, Way> = new Map([[0, first]]);
  let steps = 0;
  let left = groups.reduce((sum, { columns, size }) => sum + columns.length * size, 0);
  for (const { columns, size } of groups) {
    const options = columns.map((column) => ({
      column,
      price: prices.join(column.evictions),
      gains: listGains(column.offered, digits),
    }));
    for (let gpu = 0; gpu < size; gpu += 1) {
      // Sums become more with each GPU, or at least hardly fewer: most hopeless pools are given up after a few.
      if (steps + left * ways.size > mostSteps) return undefined;
      left -= columns.length;
      const next = new Map<number, Way>();
      for (const [sum, before] of ways) {
        steps += columns.length;
        for (const digit of digits) digit.open = digit.cap - readDigit(sum, digit);
        options.forEach(({ column, price, gains }, index) => {
          // Of all there is in the planner this runs most often: it makes an object only for a way that is kept.
          let key = sum;
          for (const { digit, count } of gains) key += Math.min(count, digit.open) * digit.place;
          const evictions = before.evictions + price;
          const minutesLost = before.minutesLost + column.minutesLost;
          const gpusChanged = before.gpusChanged + column.gpusChanged;
          const instancesDestroyed = before.instancesDestroyed + column.instancesDestroyed;
          const known = next.get(key);
          const difference =
            known === undefined
              ? -1
              : evictions - known.evictions ||
                minutesLost - known.minutesLost ||
                gpusChanged - known.gpusChanged ||
                instancesDestroyed - known.instancesDestroyed;
          if (difference < 0)
            next.set(key, { evictions, minutesLost, gpusChanged, instancesDestroyed, before, column: index });
        });
      }
      ways = next;
    }
  }
  return pickBest(table, groups, ways, {
    offeredOf: (sum) => digits.map((digit) => readDigit(sum, digit)),
    evictionsOf: (way) => prices.split(way.evictions),
  });
}

/** Evictions of several levels as one number: one of an earlier level is more than all that there can be of later ones. */
class EvictionPrices {
  /** Whether all of these numbers are exact. */
  readonly isSafe: boolean;
  readonly #places: readonly number[];

  constructor(levels: number, groups: readonly ColumnGroup[]) {
    const most = Array.from({ length: levels }, (_, level) =>
      groups.reduce(
        (sum, { columns, size }) => sum + size * Math.max(0, ...columns.map(({ evictions }) => evictions[level] ?? 0)),
        0,
      ),
    );
    this.#places = most.map((_, level) => most.slice(level + 1).reduce((product, one) => product * (one + 1), 1));
    this.isSafe = Number.isSafeInteger(most.reduce((product, one) => product * (one + 1), 1));
  }

  join(evictions: readonly number[]): number {
    return evictions.reduce((sum, one, level) => sum + one * (this.#places[level] ?? 1), 0);
  }

  split(price: number): readonly number[] {
    let left = price;
    return this.#places.map((place) => {
      const count = Math.floor(left / place);
      left -= count * place;
      return count;
    });
  }
}

function readDigit(sum: number, { cap, place }: Digit): number {
  return Math.floor(sum / place) % (cap + 1);
}

/** What a column adds to which digits. */
function listGains(
  offered: readonly number[],
  digits: readonly Digit[],
): readonly { readonly digit: Digit; readonly count: number }[] {
  return digits.flatMap((digit, profile) => {
    const count = offered[profile];
    return count ? [{ digit, count }] : [];
  });
}

function pickBest(
  table: DemandTable,
  groups: readonly ColumnGroup[],
  ways: ReadonlyMap<number, Way>,
  reading: {
    readonly offeredOf: (sum: number) => readonly number[];
    readonly evictionsOf: (way: Way) => readonly number[];
  },
): Choice | undefined {
  let best: { readonly way: Way; readonly cost: ChoiceCost; readonly room: number } | undefined;
  for (const [sum, way] of ways) {
    const { costs, room } = coverDemand(table, reading.offeredOf(sum));
    const cost = toCost(table, costs, { ...way, evictions: reading.evictionsOf(way) });
    const order = best === undefined ? -1 : compareCosts(cost, best.cost) || room - best.room;
    if (order < 0) best = { way, cost, room };
  }
  return best && { counts: countColumns(groups, best.way), cost: sumLevels(table, best.cost) };
}

/** How many GPUs of each group take each of its columns on a way. */
function countColumns(groups: readonly ColumnGroup[], last: Way): readonly (readonly number[])[] {
  const taken: number[] = [];
  for (let way: Way | undefined = last; way?.column !== undefined; way = way.before) taken.push(way.column);
  taken.reverse();
  return groups.map(({ columns, size }) => {
    const own = taken.splice(0, size);
    return columns.map((_, index) => own.filter((column) => column === index).length);
  });
}
