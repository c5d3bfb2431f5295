const ORDER = [
  /** GPUs whose wish does not fit them. */
  'refused',
  /** GPUs taken from the wish that had them before. */
  'stickyBroken',
  /** GPUs that do not answer, taken by a wish with a count. */
  'lost',
  /** Busy instances (or whole GPUs in use) disrupted. */
  'busyDisturbed',
  /** GPUs whose MIG mode changes, which on Ampere resets the GPU. */
  'modeChanges',
  'destroyed',
  'created',
  'computeInstancesChanged',
] as const;

/** What the plan of a node costs, most important first. */
export type NodeCost = Readonly<Record<(typeof ORDER)[number], number>>;

export const NO_COST = writeCost(() => 0);

export function addCosts(left: NodeCost, right: NodeCost): NodeCost {
  return writeCost((name) => left[name] + right[name]);
}

function writeCost(read: (name: keyof NodeCost) => number): NodeCost {
  return Object.fromEntries(ORDER.map((name) => [name, read(name)])) as NodeCost;
}

/**
 * Turns costs into numbers whose sums compare as the costs do, digit by digit: the worst choice of every row determines the size of
 * a digit. The last digit gives equally cheap work to the rows and columns with the lower positions. On nodes so large that the
 * number would not be exact the least important digits are dropped.
 *
 * @param table per row (GPU) and column (place) the cost of giving the one to the other
 */
export function packCosts(table: readonly (readonly NodeCost[])[]): readonly (readonly number[])[] {
  const size = table.length;
  const digits: readonly Digit[] = [
    ...ORDER.map((name) => ({
      base: 1 + sum(table.map((row) => Math.max(0, ...row.map((cost) => cost[name])))),
      read: (cost: NodeCost) => cost[name],
    })),
    { base: 1 + size * size * size, read: (_cost, row, column) => (size - row) * column },
  ];
  const exact = keepExact(digits);
  return table.map((costs, row) =>
    costs.map((cost, column) => exact.reduce((number, { base, read }) => number * base + read(cost, row, column), 0)),
  );
}

interface Digit {
  /** Above any sum of the digit over all rows. */
  readonly base: number;
  readonly read: (cost: NodeCost, row: number, column: number) => number;
}

function keepExact(digits: readonly Digit[]): readonly Digit[] {
  let product = 1;
  return digits.filter(({ base }) => {
    product *= base;
    return product <= Number.MAX_SAFE_INTEGER;
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
