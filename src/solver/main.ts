/**
 * The thread in which large pools are planned: the event loop of the program that asks stays free, and its memory is given back when
 * the thread ends.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { DemandPlanner, type DemandQuestion } from '../core/demand/demand-plan.ts';
import { HighsSolver, loadSolver } from './highs.ts';

const { question, seconds } = workerData as { readonly question: DemandQuestion; readonly seconds: number };
const planner = new DemandPlanner(question);
const plan = planner.planSmall() ?? (await planLarge());
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is not a window
parentPort?.postMessage(plan);

async function planLarge() {
  const highs = await loadSolver();
  return planner.planLarge((program) => new HighsSolver(highs, program, seconds));
}
