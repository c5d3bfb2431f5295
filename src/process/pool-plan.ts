import type { PoolGpu } from '../core/demand/pool.ts';
import type { DemandAsked } from '../core/supply/demand-question.ts';
import type { Member } from '../core/supply/member.ts';
import { type Planned, planMembers } from '../core/supply/pool-plan.ts';
import { planDemand } from './demand-solver.ts';

/** How long a plan may take, in seconds. */
const planSeconds = 20;

/** {@link planMembers}, with the solver where it takes one. @param gpus as there */
export async function planPool(
  members: readonly Member[],
  asked: DemandAsked,
  gpus?: readonly PoolGpu[],
  signal?: AbortSignal,
): Promise<Planned> {
  const planning = planMembers(members, asked, gpus);
  let step = planning.next();
  while (step.done !== true) {
    const question = step.value;
    step = planning.next(await planDemand(question.gpus, { ...question.asked, seconds: planSeconds, signal }));
  }
  return step.value;
}
