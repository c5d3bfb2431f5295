import { type ClassLayout, DemandPlanner } from '../demand/demand-plan.ts';
import { PoolClasses } from '../demand/gpu-classes.ts';
import type { PlannedPool, PlanQuestion } from './pool-plan.ts';

/** What GPUs of more classes can become takes too long to list in one turn. */
const mostClasses = 16;

/** Plans a small pool, without a solver. @returns undefined if it would take long */
export function planHere({ gpus, asked }: PlanQuestion): PlannedPool | undefined {
  const pool = new PoolClasses();
  for (const gpu of gpus) pool.add(gpu);
  const classes = pool.list();
  if (classes.length > mostClasses) return undefined;
  const plan = new DemandPlanner({ classes, ...asked }).planSmall();
  if (plan === undefined) return undefined;
  const byId = new Map<string, ClassLayout>();
  for (const [ids, layout] of pool.handOut(classes, plan.layouts)) for (const id of ids) byId.set(id, layout);
  const layouts = gpus.flatMap(({ id }) => byId.get(id) ?? []);
  return { cost: plan.cost, unserved: plan.unserved, layouts };
}

/** Answers what is asked of a planner on the way to a result, as far as that is possible here. */
export function answerHere<T>(asking: Generator<PlanQuestion, T, PlannedPool | undefined>): T {
  let step = asking.next();
  while (step.done !== true) step = asking.next(planHere(step.value));
  return step.value;
}
