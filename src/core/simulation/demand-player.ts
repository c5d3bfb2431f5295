import type { GpuPartitionPolicy, PolicyDemand } from '../../api/types.ts';
import type { Layout } from '../gpu/geometry/geometry.ts';
import { countPresent } from '../supply/count.ts';
import { nameSlice, servingAny } from '../policy/demand-profiles.ts';
import { countLacking } from '../supply/demand-report.ts';
import { countOverflow } from '../supply/pod-pool.ts';
import { DemandCourse } from '../supply/demand-course.ts';
import { askFor, isServed } from '../supply/demand-question.ts';
import type { Member } from '../supply/member.ts';
import { followsPods, type WantedSlice } from '../supply/wanted-slices.ts';
import type { FleetGpu } from './fleet.ts';
import { LayoutChoice, type PoolPlanner } from './layout-choice.ts';

/** A GPU that is to have other slices. */
export interface Relay {
  readonly gpu: FleetGpu;
  readonly layout: Layout;
}

/** Slices that pods wait for, and that the pool has no room for. */
export interface LeftOver {
  /** The slices that serve these pods. */
  readonly profiles: ReadonlySet<string>;
  count: number;
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
  #wanted: readonly WantedSlice[] = [];

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
    this.#wanted = this.#course.want(this.#demand, members, asks, nowMs);
    const asked = askFor(this.#policy, this.#wanted);
    if (isServed(asked, members)) {
      this.#nextPlan = now;
      return [];
    }
    if (now < this.#nextPlan) return [];
    const pool = members.map(({ gpu }) => {
      const isHeld = this.#course.restOf(this.#demand, gpu.id, nowMs) === 'Held';
      return isHeld ? { ...gpu, isResting: true } : gpu;
    });
    const layouts = this.#choice.choose(asked, pool, (id) => this.#course.restOf(this.#demand, id, nowMs) !== false);
    const relays = gpus.flatMap((gpu): readonly Relay[] => {
      const layout = layouts.get(gpu.id);
      if (layout === undefined || layout.destroy.length + layout.create.length === 0) return [];
      this.#course.relaid(gpu.id, nowMs);
      return [{ gpu, layout: Object.fromEntries(countPresent([...layout.keep, ...layout.create])) }];
    });
    this.#nextPlan = now + (relays.length === 0 ? fruitlessRest : 0);
    return relays;
  }

  /** What pods wait for and this pool has no room for, after a look. @param members as they were looked at @param relays what the look gave */
  listOverflow(gpus: readonly FleetGpu[], members: readonly Member[], relays: readonly Relay[]): readonly LeftOver[] {
    const changed = new Map(relays.map(({ gpu, layout }) => [gpu, layout]));
    const coming = gpus.flatMap((gpu, index) => {
      const layout = changed.get(gpu);
      return layout === undefined ? (members[index]?.gpu.instances ?? []) : listInstances(layout);
    });
    const lacking = countLacking(this.#wanted, coming);
    const kinds = new Map(gpus.map(({ geometry, product }) => [geometry, product]));
    return this.#demand.slices.flatMap((slice) => {
      const one = this.#wanted.find(({ name }) => name === nameSlice(slice));
      if (one === undefined || slice.count !== undefined) return [];
      const { count: wanted, used, waiting = 0, name } = one;
      const count = countOverflow(slice, { wanted, used, waiting, unmet: lacking.get(name) ?? 0 });
      return count === 0 ? [] : [{ profiles: new Set(servingAny(slice, kinds)), count }];
    });
  }
}

function listInstances(layout: Layout): readonly { readonly profile: string }[] {
  return Object.entries(layout).flatMap(([profile, count]) => Array.from({ length: count }, () => ({ profile })));
}
