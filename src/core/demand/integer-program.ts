import { compareDemandCost, costOf, roomOf, type Choice, type ColumnCounts, type ColumnGroup } from './choice.ts';
import type { DemandTable } from './coverage.ts';
import { COST_FIGURES, type CostFigure, type DemandCost } from './pool.ts';

/** A row of a program: `lower <= sum of values x variables <= upper`. */
export interface ProgramRow {
  readonly lower: number;
  readonly upper: number;
  readonly indices: readonly number[];
  readonly values: readonly number[];
}

/** Variables are integers from 0. */
export interface IntegerProgram {
  /** Per variable. */
  readonly upper: readonly number[];
  readonly rows: readonly ProgramRow[];
}

/** What a solver found. */
export interface Solved {
  /** Per variable; undefined if no solution was found in time. */
  readonly values: readonly number[] | undefined;
  /** No solution costs less. */
  readonly bound: number;
  /** Whether it proved that no integer solution costs less. */
  readonly isProven: boolean;
}

/** An integer program in the hands of a solver, which ends in time by itself. */
export interface IntegerSolver {
  /** @param start a solution to begin with */
  minimize(costs: readonly number[], start: readonly number[]): Solved;
  /** From now on a row may have at most this. */
  limit(row: number, upper: number): void;
  /** Gives its memory back. */
  close(): void;
}

/** Bounds are computed in floating point; figures are integers. */
const TOLERANCE = 1e-3;

/** A choice of columns as an integer program. */
interface ChoiceProgram extends IntegerProgram {
  /** Per figure its costs, and the row that limits it. */
  readonly figures: Readonly<Record<CostFigure, { readonly costs: readonly number[]; readonly row: number }>>;
  /** Of what serves the demand. */
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
  const program = writeProgram(table, groups);
  const solver = open(program);
  try {
    return lowerFigures(table, groups, program, solver);
  } finally {
    solver.close();
  }
}

/** What every choice leaves unserved at least, by the program without the demand for integers. */
export function boundUnserved(
  table: DemandTable,
  groups: readonly ColumnGroup[],
  relax: (program: IntegerProgram, costs: readonly number[]) => number,
): number {
  const program = writeProgram(table, groups);
  return lowestOf(relax(program, program.figures.unserved.costs));
}

/** Every GPU as it is: what is left if there is no time for anything. */
function asItIs(groups: readonly ColumnGroup[]): ColumnCounts {
  return groups.map(({ columns, size }) => columns.map((_, index) => (index === 0 ? size : 0)));
}

/** The least integer that a bound allows. */
function lowestOf(bound: number): number {
  return Math.max(0, Math.ceil(bound - TOLERANCE));
}

function lowerFigures(
  table: DemandTable,
  groups: readonly ColumnGroup[],
  program: ChoiceProgram,
  solver: IntegerSolver,
): Choice {
  let counts = asItIs(groups);
  for (const figure of COST_FIGURES) {
    let cost = costOf(table, groups, counts);
    const { costs, row } = program.figures[figure];
    if (cost[figure] > 0) {
      const { values, bound, isProven } = solver.minimize(costs, program.startOf(counts));
      if (values !== undefined) {
        const found = program.countsOf(values);
        const better = costOf(table, groups, found);
        if (isNoWorse(better, cost, figure)) [counts, cost] = [found, better];
      }
      const reached = lowestOf(bound);
      if (!isProven && reached < cost[figure])
        return { counts, cost, gap: { figure, value: cost[figure], bound: reached } };
    }
    solver.limit(row, cost[figure]);
  }
  if (table.hasChoice) counts = lowerRoom(table, groups, program, solver, counts);
  return { counts, cost: costOf(table, groups, counts) };
}

/** Of the choices at the least cost, one that serves with small profiles. That the cost is the least is proven by now. */
function lowerRoom(
  table: DemandTable,
  groups: readonly ColumnGroup[],
  program: ChoiceProgram,
  solver: IntegerSolver,
  counts: ColumnCounts,
): ColumnCounts {
  const { values } = solver.minimize(program.roomCosts, program.startOf(counts));
  if (values === undefined) return counts;
  const found = program.countsOf(values);
  const isNoDearer = compareDemandCost(costOf(table, groups, found), costOf(table, groups, counts)) === 0;
  return isNoDearer && roomOf(table, groups, found) < roomOf(table, groups, counts) ? found : counts;
}

/** Of two choices that are equal up to a figure. @throws Error if the solver broke a limit */
function isNoWorse(found: DemandCost, known: DemandCost, figure: CostFigure): boolean {
  for (const each of COST_FIGURES) {
    if (each === figure) return found[each] <= known[each];
    if (found[each] !== known[each])
      throw new Error(`the solver moved ${each} from ${known[each]} to ${found[each]} when it lowered ${figure}`);
  }
  return false;
}

function writeProgram(table: DemandTable, groups: readonly ColumnGroup[]): ChoiceProgram {
  const upper: number[] = [];
  const addVariable = (most: number): number => upper.push(most) - 1;
  const taken = groups.map(({ columns, size }) => columns.map(() => addVariable(size)));
  const given = table.servedBy.map((profiles, slice) =>
    profiles.map((profile) => ({ profile, variable: addVariable(table.slices[slice]?.count ?? 0) })),
  );
  const lacking = table.slices.map(({ count }) => addVariable(count));

  const rows: ProgramRow[] = [];
  groups.forEach(({ size }, group) => {
    const indices = taken[group] ?? [];
    rows.push({ lower: size, upper: size, indices, values: indices.map(() => 1) });
  });
  table.profiles.forEach((_, profile) => rows.push(writeOffer(profile, groups, taken, given)));
  table.slices.forEach(({ count }, slice) => {
    const indices = [...(given[slice] ?? []).map(({ variable }) => variable), lacking[slice] ?? 0];
    rows.push({ lower: count, upper: Infinity, indices, values: indices.map(() => 1) });
  });

  const figure = (name: CostFigure) => {
    const costs = upper.map(() => 0);
    if (name === 'unserved')
      lacking.forEach((variable, slice) => {
        costs[variable] = table.slices[slice]?.weight ?? 0;
      });
    else
      groups.forEach(({ columns }, group) =>
        columns.forEach((column, index) => {
          costs[taken[group]?.[index] ?? 0] = column[name];
        }),
      );
    const indices = costs.flatMap((cost, variable) => (cost === 0 ? [] : [variable]));
    const values = indices.map((variable) => costs[variable] ?? 0);
    return { costs, row: rows.push({ lower: -Infinity, upper: Infinity, indices, values }) - 1 };
  };
  const figures = {
    unserved: figure('unserved'),
    evictions: figure('evictions'),
    gpusChanged: figure('gpusChanged'),
    instancesDestroyed: figure('instancesDestroyed'),
  };
  const roomCosts = upper.map(() => 0);
  for (const { profile, variable } of given.flat()) roomCosts[variable] = table.sizes[profile] ?? 0;
  return {
    upper,
    rows,
    figures,
    roomCosts,
    countsOf: (values) => taken.map((row, group) => readCounts(row, values, groups[group]?.size ?? 0)),
    startOf: (counts) => {
      const values = upper.map(() => 0);
      taken.forEach((row, group) =>
        row.forEach((variable, index) => {
          values[variable] = counts[group]?.[index] ?? 0;
        }),
      );
      return values;
    },
  };
}

/** What the columns offer of a profile is at least what is given away of it. */
function writeOffer(
  profile: number,
  groups: readonly ColumnGroup[],
  taken: readonly (readonly number[])[],
  given: readonly (readonly { readonly profile: number; readonly variable: number }[])[],
): ProgramRow {
  const indices: number[] = [];
  const values: number[] = [];
  groups.forEach(({ columns }, group) =>
    columns.forEach(({ offered }, index) => {
      const count = offered[profile] ?? 0;
      if (count === 0) return;
      indices.push(taken[group]?.[index] ?? 0);
      values.push(count);
    }),
  );
  for (const one of given.flat().filter((each) => each.profile === profile)) {
    indices.push(one.variable);
    values.push(-1);
  }
  return { lower: 0, upper: Infinity, indices, values };
}

function readCounts(row: readonly number[], values: readonly number[], size: number): readonly number[] {
  const counts = row.map((variable) => Math.round(values[variable] ?? 0));
  const sum = counts.reduce((total, count) => total + count, 0);
  if (sum !== size || counts.some((count) => count < 0))
    throw new Error(`the solver gave ${sum} of ${size} GPUs a layout`);
  return counts;
}
