import type { GpuPartitionPolicy, PolicyDemand } from '../../api/types.ts';
import type { Layout } from '../gpu/geometry/geometry.ts';
import { countPresent } from '../supply/count.ts';
import { DemandCourse } from '../supply/demand-course.ts';
import { askFor, isServed } from '../supply/demand-question.ts';
import type { Member } from '../supply/member.ts';
import { followsPods } from '../supply/wanted-slices.ts';
import type { FleetGpu } from './fleet.ts';
import { LayoutChoice, type PoolPlanner } from './layout-choice.ts';

/** A GPU that is to have other slices. */
export interface Relay {
  readonly gpu: FleetGpu;
  readonly layout: Layout;
}

/** After a plan that changes nothing though something is lacking, none is made for so long, in seconds. */
const fruitlessRest = 300;

/** Follows the demand of one policy, as the controller does: what is wanted, for how long it must be, which GPUs rest, what changes. */
export class DemandPlayer {
  readonly #policy: GpuPartitionPolicy;
  readonly #demand: PolicyDemand;
  readonly #choice: LayoutChoice;
  readonly #course = new DemandCourse();
  #nextPlan = 0;

  constructor(policy: GpuPartitionPolicy, demand: PolicyDemand, planner: PoolPlanner) {
    this.#policy = policy;
    this.#demand = demand;
    this.#choice = new LayoutChoice(planner);
  }

  /**
   * @param waiting requests of pods that wait, by resource
   * @returns the GPUs that change
   */
  look(
    now: number,
    gpus: readonly FleetGpu[],
    members: readonly Member[],
    waiting: ReadonlyMap<string, number>,
  ): readonly Relay[] {
    const nowMs = now * 1000;
    const asks = followsPods(this.#demand) ? waiting : undefined;
    const wanted = this.#course.want(this.#demand, members, asks, nowMs);
    const asked = askFor(this.#policy, wanted);
    if (isServed(asked, members)) {
      this.#nextPlan = now;
      return [];
    }
    if (now < this.#nextPlan) return [];
    const pool = members.map(({ gpu }) => gpu);
    const layouts = this.#choice.choose(asked, pool, (id) => this.#course.isResting(this.#demand, id, nowMs));
    const relays = gpus.flatMap((gpu): readonly Relay[] => {
      const layout = layouts.get(gpu.id);
      if (layout === undefined || layout.destroy.length + layout.create.length === 0) return [];
      this.#course.relaid(gpu.id, nowMs);
      return [{ gpu, layout: Object.fromEntries(countPresent([...layout.keep, ...layout.create])) }];
    });
    this.#nextPlan = now + (relays.length === 0 ? fruitlessRest : 0);
    return relays;
  }
}
