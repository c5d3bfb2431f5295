import { chooseExactly } from './exact-choice.ts';
import type { GpuClass } from './gpu-classes.ts';
import { boundUnserved, chooseBySolver, type IntegerProgram, type IntegerSolver } from './integer-program.ts';
import type { CostGap, DemandCost, DemandSlice, EvictionRule, PoolInstance } from './pool.ts';
import { type Scene, setScene } from './scene.ts';
import { weighBeyond, writePlan } from './write-plan.ts';

/** What some GPUs of a class become. */
export interface ClassLayout {
  /** Index of the class. */
  readonly gpuClass: number;
  /** How many of its GPUs. */
  readonly size: number;
  readonly keep: readonly PoolInstance[];
  readonly destroy: readonly PoolInstance[];
  /** By start. */
  readonly create: readonly Pick<PoolInstance, 'profile' | 'start'>[];
}

/** A layout for every GPU of a pool, by class. */
export interface ClassPlan {
  readonly cost: DemandCost;
  /** Absent if it is proven that no plan costs less. */
  readonly gap?: CostGap;
  /** Per slice of the demand how many are lacking; those that lack none are left out. */
  readonly unserved: Readonly<Record<string, number>>;
  readonly layouts: readonly ClassLayout[];
}

/** A pool by classes, and what is wanted of it. */
export interface DemandQuestion {
  readonly classes: readonly GpuClass[];
  readonly slices: readonly DemandSlice[];
  readonly evict: EvictionRule;
}

/** Combinations that take a few milliseconds, less than a solver takes to start. */
const FEW_STEPS = 100_000;
/** Combinations that take seconds, where there is no solver. */
const MANY_STEPS = 10_000_000;

/** Plans one pool. */
export class DemandPlanner {
  readonly #question: DemandQuestion;
  readonly #scene: Scene;

  /** @throws BudgetExceeded for a geometry that is none of NVIDIA's */
  constructor(question: DemandQuestion) {
    this.#question = question;
    this.#scene = setScene(question);
  }

  /**
   * The best plan, without a solver: for few GPUs, or a small demand.
   *
   * @param isLast whether there is no solver to turn to, so that it may take seconds
   * @returns undefined if it takes more
   */
  planSmall(isLast = false): ClassPlan | undefined {
    const { table, groups } = this.#scene;
    const choice = chooseExactly(table, groups, isLast ? MANY_STEPS : FEW_STEPS);
    return choice && writePlan(this.#question, this.#scene, choice);
  }

  /** The best plan for a pool of any size. @throws Error if the solver fails */
  planLarge(open: (program: IntegerProgram) => IntegerSolver): ClassPlan {
    return writePlan(this.#question, this.#scene, chooseBySolver(this.#scene.table, this.#scene.groups, open));
  }

  /** What every plan leaves unserved at least, by weight: known in a fraction of the time. @param relax the least cost, without the demand for integers */
  boundUnserved(relax: (program: IntegerProgram, costs: readonly number[]) => number): number {
    return boundUnserved(this.#scene.table, this.#scene.groups, relax) + weighBeyond(this.#scene);
  }
}
