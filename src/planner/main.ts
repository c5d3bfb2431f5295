import { DemandPlanner } from '../core/demand/solver/choose.ts';
import { simulate } from '../core/plan/simulation/play.ts';
import type { SolverAnswer, SolverOrder } from './solver-process.ts';
import { HighsSolver, loadSolver, planPools } from './highs.ts';
import { messageOf } from '../core/text/words.ts';

/**
 * The process in which large pools are planned, and simulations played: the event loop of the program that asks stays free, and all memory is given back when
 * this ends with its answer.
 */
process.once('message', (order: SolverOrder) => {
  void answer(order).then((found) => process.send?.(found, () => process.disconnect()));
});

async function answer(order: SolverOrder): Promise<SolverAnswer> {
  try {
    if ('simulation' in order) return { figures: simulate(order.simulation, planPools(await loadSolver())) };
    const planner = new DemandPlanner(order.question);
    const small = planner.planSmall();
    if (small !== undefined) return { plan: small };
    const highs = await loadSolver();
    return { plan: planner.planLarge((program) => new HighsSolver(highs, program, order.seconds)) };
  } catch (error) {
    return { error: messageOf(error) };
  }
}
