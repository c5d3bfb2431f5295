import highsModule, { type Highs, type InitOptions, type Model } from 'highs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { DemandPlanner } from '../core/demand/solver/choose.ts';
import type { simulate } from '../core/plan/simulation/play.ts';

type OpenSolver = Parameters<DemandPlanner['planLarge']>[0];
type IntegerProgram = Parameters<OpenSolver>[0];
type IntegerSolver = ReturnType<OpenSolver>;

declare const GPU_PARTITION_HIGHS: string | undefined;

/** The function that the package exports: its types describe a CommonJS file; an ES module gets the function itself. */
const loadHighs = highsModule as unknown as typeof highsModule.default;

/** HiGHS as WebAssembly: inserted by the bundler, or read from the package when run from source. */
export async function loadSolver(): Promise<Highs> {
  const code =
    typeof GPU_PARTITION_HIGHS === 'string'
      ? gunzipSync(Buffer.from(GPU_PARTITION_HIGHS, 'base64'))
      : await readFile(fileURLToPath(import.meta.resolve('highs/runtime')));
  // Its option `wasmBinary` is ignored: it would look for a file beside the bundle.
  const options = {
    instantiateWasm: (imports: object, done: (instance: WebAssembly.Instance) => void) =>
      done(new WebAssembly.Instance(new WebAssembly.Module(code), imports)),
  };
  return loadHighs(options as InitOptions);
}

/** The search for a first solution, which always exists, takes half of the time of programs up to this size. */
const fewVariables = 500;

/** Nodes of a search that gives up early. */
const FEW_NODES = 1;
const MANY_NODES = 2 ** 31 - 1;

/** Bounds are computed in floating point; costs are integers. */
const TOLERANCE = 1e-3;

/**
 * Solves a program with HiGHS, exactly: a solution within one of the bound is the best, since costs are integers. Equal programs get
 * equal answers unless the time runs out.
 */
export class HighsSolver implements IntegerSolver {
  readonly #highs: Highs;
  readonly #program: IntegerProgram;
  readonly #endsAt: number;
  #model: Model;

  /** @param seconds for all that is minimized */
  constructor(highs: Highs, program: IntegerProgram, seconds: number) {
    this.#highs = highs;
    this.#program = program;
    this.#endsAt = performance.now() + seconds * 1000;
    this.#model = openModel(highs, program);
  }

  relax(costs: readonly number[]): ReturnType<IntegerSolver['relax']> {
    const model = this.#model;
    model.options.set('solve_relaxation', true);
    if (this.#run(costs) !== this.#highs.constants.modelStatus.optimal) return undefined;
    const { colValue, colDual } = model.getSolution();
    const bound = Number(model.info.get('objective_function_value'));
    // What costs more than is left up to the next integer, for one of it, is in no solution that stays below.
    const left = Math.ceil(bound - TOLERANCE) - bound + TOLERANCE;
    colDual.forEach((reduced, column) => {
      if (reduced > left) model.changeColBounds(column, 0, 0);
    });
    return { values: [...colValue], bound };
  }

  minimize(costs: readonly number[], start?: readonly number[]): ReturnType<IntegerSolver['minimize']> {
    const { modelStatus } = this.#highs.constants;
    const model = this.#model;
    model.options.set({ solve_relaxation: false, mip_max_nodes: start === undefined ? FEW_NODES : MANY_NODES });
    if (start !== undefined) model.setSolution({ colValue: [...start] });
    const status = this.#run(costs);
    if (status === undefined || (start === undefined && status !== modelStatus.optimal))
      return { values: undefined, bound: 0, isProven: false };
    const isProven = status === modelStatus.optimal;
    if (!isProven && status !== modelStatus.timeLimit) throw new Error(`HiGHS ended with status ${status}`);
    const values = model.getSolution().colValue;
    const bound = model.info.get('mip_dual_bound');
    return { values: values === undefined ? undefined : [...values], bound: Number(bound), isProven };
  }

  limit(row: number, upper: number): void {
    this.#model.changeRowBounds(row, -Infinity, upper);
  }

  restore(): void {
    this.#model.dispose();
    this.#model = openModel(this.#highs, this.#program);
  }

  close(): void {
    this.#model.dispose();
  }

  /** @returns the status in which it ended; undefined if there is no time left */
  #run(costs: readonly number[]): number | undefined {
    const left = (this.#endsAt - performance.now()) / 1000;
    if (left <= 0) return undefined;
    const model = this.#model;
    costs.forEach((cost, column) => model.changeColCost(column, cost));
    model.zeroAllClocks();
    model.options.set('time_limit', left);
    model.run();
    return model.getModelStatus();
  }
}

function openModel(highs: Highs, program: IntegerProgram): Model {
  const model = writeModel(highs, program);
  model.options.set({
    output_flag: false,
    mip_rel_gap: 0,
    mip_abs_gap: 0.9,
    mip_heuristic_run_feasibility_jump: program.upper.length > fewVariables,
  });
  return model;
}

function writeModel(highs: Highs, { upper, rows }: IntegerProgram): Model {
  const starts = [0];
  for (const { indices } of rows) starts.push((starts.at(-1) ?? 0) + indices.length);
  return highs.createModel({
    numCols: upper.length,
    numRows: rows.length,
    colCost: upper.map(() => 0),
    colLower: upper.map(() => 0),
    colUpper: upper,
    rowLower: rows.map(({ lower }) => lower),
    rowUpper: rows.map((row) => row.upper),
    matrix: {
      format: 'csr',
      numRows: rows.length,
      numCols: upper.length,
      starts,
      indices: rows.flatMap(({ indices }) => indices),
      values: rows.flatMap(({ values }) => values),
    },
    integrality: upper.map(() => highs.constants.variableType.integer),
  });
}

/** Seconds for one plan of a simulation, whose pools are small. */
const seconds = 20;

/** Plans the pools of a simulation. */
export function planPools(highs: Highs): Parameters<typeof simulate>[1] {
  const solve = (program: IntegerProgram): HighsSolver => new HighsSolver(highs, program, seconds);
  return {
    plan: (question) => {
      const planner = new DemandPlanner(question);
      return planner.planSmall() ?? planner.planLarge(solve);
    },
  };
}
