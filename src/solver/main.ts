/**
 * The process in which large pools are planned: the event loop of the program that asks stays free, and all memory is given back when
 * this ends with its answer.
 */
import { DemandPlanner } from '../core/demand/demand-plan.ts';
import type { SolverAnswer, SolverOrder } from '../process/demand-solver.ts';
import { HighsSolver, loadSolver } from './highs.ts';

process.once('message', (order: SolverOrder) => {
  void answer(order).then((found) => process.send?.(found, () => process.disconnect()));
});

async function answer({ question, seconds }: SolverOrder): Promise<SolverAnswer> {
  try {
    const planner = new DemandPlanner(question);
    const small = planner.planSmall();
    if (small !== undefined) return { plan: small };
    const highs = await loadSolver();
    return { plan: planner.planLarge((program) => new HighsSolver(highs, program, seconds)) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}
