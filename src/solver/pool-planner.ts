import type { Highs } from 'highs';
import { DemandPlanner } from '../core/demand/demand-plan.ts';
import type { IntegerProgram } from '../core/demand/integer-program.ts';
import type { PoolPlanner } from '../core/simulation/layout-choice.ts';
import { HighsSolver, relaxProgram } from './highs.ts';

/** Of one plan of a simulation, which are small pools. */
const seconds = 20;

/** Plans the pools of a simulation. */
export function planPools(highs: Highs): PoolPlanner {
  const solve = (program: IntegerProgram): HighsSolver => new HighsSolver(highs, program, seconds);
  return {
    plan: (question) => {
      const planner = new DemandPlanner(question);
      return planner.planSmall() ?? planner.planLarge(solve);
    },
    boundUnserved: (question) =>
      new DemandPlanner(question).boundUnserved((program, costs) => relaxProgram(highs, program, costs)),
  };
}
