/** What the plan of a node costs, most important first. */
export interface NodeCost {
  /** GPUs whose wish does not fit them. */
  readonly refused: number;
  /** GPUs taken from the wish that held them before. */
  readonly stickyBroken: number;
  /** Busy instances (or whole GPUs in use) disturbed. */
  readonly busyDisturbed: number;
  /** GPUs whose MIG mode changes, which on Ampere resets the GPU. */
  readonly modeChanges: number;
  readonly destroyed: number;
  readonly created: number;
  readonly computeInstancesChanged: number;
}

export const NO_COST: NodeCost = {
  refused: 0,
  stickyBroken: 0,
  busyDisturbed: 0,
  modeChanges: 0,
  destroyed: 0,
  created: 0,
  computeInstancesChanged: 0,
};

export function addCosts(left: NodeCost, right: NodeCost): NodeCost {
  return {
    refused: left.refused + right.refused,
    stickyBroken: left.stickyBroken + right.stickyBroken,
    busyDisturbed: left.busyDisturbed + right.busyDisturbed,
    modeChanges: left.modeChanges + right.modeChanges,
    destroyed: left.destroyed + right.destroyed,
    created: left.created + right.created,
    computeInstancesChanged: left.computeInstancesChanged + right.computeInstancesChanged,
  };
}

const ORDER = [
  'refused',
  'stickyBroken',
  'busyDisturbed',
  'modeChanges',
  'destroyed',
  'created',
  'computeInstancesChanged',
] as const satisfies readonly (keyof NodeCost)[];

/**
 * Turns costs into numbers whose sums compare as the costs do, digit by digit: each digit is as large as the worst choice of every
 * row makes it. Last comes a digit that gives equally cheap work to the rows and columns with the lower positions.
 *
 * @param table per row (GPU) and column (place) the cost of giving the one to the other
 */
export function packCosts(table: readonly (readonly NodeCost[])[]): readonly (readonly number[])[] {
  const size = table.length;
  const digits = ORDER.map((name) => 1 + sum(table.map((row) => Math.max(0, ...row.map((cost) => cost[name])))));
  const tie = 1 + size * size * size;
  return table.map((row, index) =>
    row.map((cost, column) => {
      const packed = ORDER.reduce((number, name, digit) => number * (digits[digit] ?? 1) + cost[name], 0);
      return packed * tie + (size - index) * column;
    }),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
