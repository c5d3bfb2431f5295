import type { DeviceReport, Grant, PlanReport } from '../api/types.ts';
import { listInTheWay, planDrained } from '../core/wish/drain-plan.ts';
import type { AskedWish, WishPlan } from '../core/wish/plan-wish.ts';
import type { Claim } from './claim.ts';
import type { DeviceView } from './device-view.ts';
import type { Partition } from './partition.ts';

/** Plans on the last reading, and remembers the basis of the plan: a drain must not change the plan. */
export class Planner {
  readonly #view: DeviceView;
  readonly #claim: Claim;
  #basis: { readonly plan: PlanReport; readonly device: DeviceReport } | undefined;

  constructor(view: DeviceView, claim: Claim) {
    this.#view = view;
    this.#claim = claim;
  }

  /**
   * @param asked a wish, or a grant of it
   * @param unfinished a grant that is being acted on
   */
  plan(partition: Partition, asked: AskedWish, unfinished?: Grant): WishPlan {
    const { spec, status } = partition;
    const { report, users } = this.#view;
    const marks = { drain: spec.drain, reported: status?.device?.plan, basis: this.#basis };
    const plan = planDrained(report, asked, marks, this.#claim.foreign(partition, unfinished), users);
    if (plan.report.hash !== this.#basis?.plan.hash) this.#basis = { plan: plan.report, device: report };
    return plan;
  }

  /** Who is in the way of a plan right now, among those who must leave first. */
  listInTheWay(plan: PlanReport): readonly string[] {
    return listInTheWay(this.#view.report, plan, this.#view.users);
  }
}
