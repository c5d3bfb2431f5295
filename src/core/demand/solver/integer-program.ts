// Room demand: which layouts the demand of a policy makes of its pool of GPUs, by what pods ask for.
// Ask here for the shape of the programs that a solver answers, in integers.
import {
  type Choice,
  type ChoiceCost,
  type ColumnCounts,
  type ColumnGroup,
  ChoiceCosts,
  compareCosts,
  coverDemand,
  type DemandTable,
} from './pool.ts';

type LevelFigure = ChoiceCosts['figures'][number];

/** A row of a program: `lower <= sum of values x variables <= upper`. */
interface ProgramRow {
  readonly lower: number;
  readonly upper: number;
  readonly indices: readonly number[];
  readonly values: readonly number[];
}

/** An integer program, whose variables are integers from 0. */
export interface IntegerProgram {
  /** The upper bound of each variable. */
  readonly upper: readonly number[];
  readonly rows: readonly ProgramRow[];
}

/** The answer of a solver. */
export interface Solved {
  /** The value of each variable; undefined if no solution was found in time. */
  readonly values: readonly number[] | undefined;
  /** A lower bound: no solution costs less. */
  readonly bound: number;
  /** Whether it proved that no integer solution costs less. */
  readonly isProven: boolean;
}

/** The answer of a solver for variables that need not be integers. */
export interface Relaxed {
  readonly values: readonly number[];
  /** No solution costs less. */
  readonly bound: number;
}

/** An integer program in the hands of a solver, which ends in time by itself. */
export interface IntegerSolver {
  /**
   * The best values if variables need not be integers. The calls that follow may leave out every solution that costs more than the next
   * integer above the bound.
   *
   * @returns undefined if there is no time left, or nothing is found within the limits
   */
  relax(costs: readonly number[]): Relaxed | undefined;
  /** @param start a solution to begin with; without one, a search that finds none soon is given up */
  minimize(costs: readonly number[], start?: readonly number[]): Solved;
  /** Lowers the upper bound of a row for the calls that follow. */
  limit(row: number, upper: number): void;
  /** Takes back all limits, and what was left out. */
  restore(): void;
  /** Frees the solver's memory. */
  close(): void;
}

/** Bounds are computed in floating point; figures are integers. */
const TOLERANCE = 1e-3;

/** A choice of columns as an integer program. */
interface ChoiceProgram extends IntegerProgram {
  /** What is lowered, in order: each with its place in a cost, its costs, and the row that limits it. */
  readonly figures: readonly (LevelFigure & {
    readonly index: number;
    readonly costs: readonly number[];
    readonly row: number;
  })[];
  /** Everything unserved, of all levels. */
  readonly unservedCosts: readonly number[];
  /** The room that each variable's slices take, counting those that serve the demand. */
  readonly roomCosts: readonly number[];
  readonly countsOf: (values: readonly number[]) => ColumnCounts;
  readonly startOf: (counts: ColumnCounts) => readonly number[];
}

/**
 * The best choice by integer programs, one for each figure of the cost, with those before it held at their least. Figures are
 * computed from the choice, not taken from the solver, which only has to find it and prove the bound.
 *
 * @throws Error if the solver's answer is no choice at all
 */
export function chooseBySolver(
  table: DemandTable,
  groups: readonly ColumnGroup[],
  open: (program: IntegerProgram) => IntegerSolver,
): Choice {
  const choices = new ChoiceCosts(table, groups);
  const program = writeProgram(choices);
  const solver = open(program);
  try {
    const counts = reachBounds(choices, program, solver);
    if (counts !== undefined) return { counts, cost: choices.sumLevels(choices.costOf(counts)) };
    solver.restore();
    return lowerFigures(choices, program, solver);
  } finally {
    solver.close();
  }
}

/** Every GPU as it is: what is left if there is no time for anything. */
function asItIs(groups: readonly ColumnGroup[]): ColumnCounts {
  return groups.map(({ columns, size }) => columns.map((_, index) => (index === 0 ? size : 0)));
}

/**
 * The best choice, if each figure can have the least value that it has without integers, next to those before it at theirs: then one search
 * finds the choice, or none, and finding it is the proof. Large pools are such: of the many GPUs of a kind, some can take one column and
 * some another.
 *
 * @returns undefined if no such choice was found
 */
function reachBounds(choices: ChoiceCosts, program: ChoiceProgram, solver: IntegerSolver): ColumnCounts | undefined {
  const start = asItIs(choices.groups);
  const cost = choices.costOf(start);
  // Any other choice changes a GPU.
  if (cost.every((value) => value === 0)) return start;
  const least = cost.map(() => 0);
  let last: { readonly costs: readonly number[]; readonly values: readonly number[] } | undefined;
  for (const { index, costs, row } of program.figures) {
    const relaxed = solver.relax(costs);
    if (relaxed === undefined) return undefined;
    least[index] = lowestOf(relaxed.bound);
    solver.limit(row, least[index]);
    last = { costs, values: relaxed.values };
  }
  if (choices.table.hasChoice) {
    const relaxed = solver.relax(program.roomCosts);
    if (relaxed === undefined) return undefined;
    last = { costs: program.roomCosts, values: relaxed.values };
  }
  if (last === undefined) return undefined;
  const values = last.values.every(isInteger) ? last.values : solver.minimize(last.costs).values;
  if (values === undefined) return undefined;
  const counts = program.countsOf(values);
  return compareCosts(choices.costOf(counts), least) === 0 ? counts : undefined;
}

function isInteger(value: number): boolean {
  return Math.abs(value - Math.round(value)) < TOLERANCE;
}

/** The least integer that a bound allows. */
function lowestOf(bound: number): number {
  return Math.max(0, Math.ceil(bound - TOLERANCE));
}

function lowerFigures(choices: ChoiceCosts, program: ChoiceProgram, solver: IntegerSolver): Choice {
  let counts = asItIs(choices.groups);
  for (const { index, figure, costs, row } of program.figures) {
    let cost = choices.costOf(counts);
    const valueIn = (one: ChoiceCost): number => one[index] ?? 0;
    if (valueIn(cost) > 0) {
      const { values, bound, isProven } = solver.minimize(costs, program.startOf(counts));
      if (values !== undefined) {
        const found = program.countsOf(values);
        const better = choices.costOf(found);
        checkLimits(better, cost, choices.figures.slice(0, index), figure);
        if (compareCosts(better, cost) < 0) [counts, cost] = [found, better];
      }
      const reached = lowestOf(bound);
      if (!isProven && reached < valueIn(cost))
        return { counts, cost: choices.sumLevels(cost), gap: { figure, value: valueIn(cost), bound: reached } };
    }
    solver.limit(row, valueIn(cost));
  }
  if (choices.table.hasChoice) counts = lowerRoom(choices, program, solver, counts);
  return { counts, cost: choices.sumLevels(choices.costOf(counts)) };
}

/** Chooses, among the choices at the least cost, one that serves with small profiles. That the cost is the least is proven by now. */
function lowerRoom(
  choices: ChoiceCosts,
  program: ChoiceProgram,
  solver: IntegerSolver,
  counts: ColumnCounts,
): ColumnCounts {
  const { values } = solver.minimize(program.roomCosts, program.startOf(counts));
  if (values === undefined) return counts;
  const found = program.countsOf(values);
  const isNoDearer = compareCosts(choices.costOf(found), choices.costOf(counts)) === 0;
  return isNoDearer && choices.roomOf(found) < choices.roomOf(counts) ? found : counts;
}

/** Figures that were lowered before stay as they are. @throws Error if the solver broke a limit */
function checkLimits(
  found: ChoiceCost,
  known: ChoiceCost,
  lowered: readonly LevelFigure[],
  now: LevelFigure['figure'],
): void {
  lowered.forEach(({ figure }, index) => {
    if (found[index] !== known[index])
      throw new Error(`the solver moved ${figure} from ${known[index]} to ${found[index]} when it lowered ${now}`);
  });
}

/** A variable, and by what it is multiplied in a sum. */
type Term = readonly [variable: number, factor: number];

function writeProgram(choices: ChoiceCosts): ChoiceProgram {
  const { table, groups } = choices;
  const upper: number[] = [];
  const addVariable = (most: number): number => upper.push(most) - 1;
  // These come first, so that counts of columns are the values of the first variables.
  const taken = groups.map(({ columns, size }) => ({
    size,
    each: columns.map((column) => ({ column, variable: addVariable(size) })),
  }));
  const given = table.slices.map(({ count }, slice) =>
    (table.servedBy[slice] ?? []).map((profile) => ({ profile, variable: addVariable(count) })),
  );
  const lacking = table.slices.map((slice) => ({ slice, variable: addVariable(slice.count) }));
  const allTaken = taken.flatMap(({ each }) => each);
  const allGiven = given.flat();

  const rows: ProgramRow[] = taken.map(({ size, each }) =>
    writeRow(
      each.map(({ variable }) => [variable, 1]),
      size,
      size,
    ),
  );
  // What the columns offer of a profile is at least what is given away of it.
  const offers: readonly Term[][] = table.profiles.map(() => []);
  for (const { column, variable } of allTaken)
    column.offered.forEach((count, profile) => offers[profile]?.push([variable, count]));
  for (const { profile, variable } of allGiven) offers[profile]?.push([variable, -1]);
  for (const terms of offers) rows.push(writeRow(terms, 0));
  lacking.forEach(({ slice, variable }, index) => {
    const variables = [...(given[index] ?? []).map((one) => one.variable), variable];
    rows.push(
      writeRow(
        variables.map((one) => [one, 1]),
        slice.count,
      ),
    );
  });

  const valuesOf = (terms: Iterable<Term>): readonly number[] => {
    const values = upper.map(() => 0);
    for (const [variable, value] of terms) values[variable] = value;
    return values;
  };
  const figure = (terms: readonly Term[]) => ({
    costs: valuesOf(terms),
    row: rows.push(writeRow(terms, -Infinity)) - 1,
  });
  const unservedTerms = (isMeant: (level: number) => boolean): readonly Term[] =>
    lacking.flatMap(({ slice, variable }, index) =>
      isMeant(table.levelOf[index] ?? 0) ? [[variable, slice.weight] as const] : [],
    );
  const termsOf = ({ level, read }: LevelFigure): readonly Term[] =>
    read ? allTaken.map(({ column, variable }) => [variable, read(column)]) : unservedTerms((one) => one === level);
  return {
    upper,
    rows,
    // One that is 0 for every choice is not asked for.
    figures: choices.figures.flatMap((one, index) => {
      const terms = termsOf(one).filter(([, value]) => value !== 0);
      return terms.length === 0 ? [] : [{ ...one, index, ...figure(terms) }];
    }),
    unservedCosts: valuesOf(unservedTerms(() => true)),
    roomCosts: valuesOf(
      table.sizes.flatMap((size, profile) =>
        allGiven.filter((one) => one.profile === profile).map(({ variable }): Term => [variable, size]),
      ),
    ),
    countsOf: (values) => {
      let next = 0;
      return groups.map(({ columns, size }) => readCounts(values.slice(next, (next += columns.length)), size));
    },
    startOf: (counts) => {
      const { given: gifts, unserved } = coverDemand(table, choices.offeredBy(counts));
      return valuesOf([
        ...counts.flat().entries(),
        ...given.flatMap((each, slice) =>
          each.map(({ profile, variable }): Term => [variable, gifts[slice]?.[profile] ?? 0]),
        ),
        ...lacking.map(({ variable }, slice): Term => [variable, unserved[slice] ?? 0]),
      ]);
    },
  };
}

function writeRow(terms: readonly Term[], lower: number, upper = Infinity): ProgramRow {
  const used = terms.filter(([, factor]) => factor !== 0);
  return { lower, upper, indices: used.map(([variable]) => variable), values: used.map(([, factor]) => factor) };
}

function readCounts(values: readonly number[], size: number): readonly number[] {
  const counts = values.map((value) => Math.round(value));
  const sum = counts.reduce((total, count) => total + count, 0);
  if (sum !== size || counts.some((count) => count < 0))
    throw new Error(`the solver gave ${sum} of ${size} GPUs a layout`);
  return counts;
}
