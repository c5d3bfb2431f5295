import type { GpuPartitionPolicy, PolicyDemand } from '../../api/types.ts';
import { coverDemand, readDemand } from '../demand/coverage.ts';
import type { ClassLayout } from '../demand/demand-plan.ts';
import { PoolClasses } from '../demand/gpu-classes.ts';
import type { PoolGpu, PoolInstance } from '../demand/pool.ts';
import { levelsOf } from '../demand/scene.ts';
import type { Layout } from '../gpu/geometry/geometry.ts';
import type { PodView } from '../pods/pod-view.ts';
import { countPresent } from '../supply/count.ts';
import { nameSlice, servingAny } from '../policy/demand-profiles.ts';
import { countLacking } from '../supply/demand-report.ts';
import { countOverflow } from '../supply/pod-pool.ts';
import { DemandCourse } from '../supply/demand-course.ts';
import { askFor, type DemandAsked, isServed } from '../supply/demand-question.ts';
import { weighEviction } from '../supply/eviction-weight.ts';
import type { Member, Rests } from '../supply/member.ts';
import { type PlannedPool, planMembers, type PlanQuestion } from '../supply/pool-plan.ts';
import type { WaitingSlices } from '../supply/waiting-share.ts';
import { followsPods, type WantedSlice } from '../supply/wanted-slices.ts';
import type { FleetGpu, SimulatedSlice } from './fleet.ts';
import { LayoutChoice, type Layouts, type PoolPlanner } from './layout-choice.ts';
import type { SimulatedPod } from './task.ts';

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
  readonly #planner: PoolPlanner;
  readonly #choice: LayoutChoice;
  readonly #course = new DemandCourse();
  #nextPlan = 0;
  #wanted: readonly WantedSlice[] = [];

  constructor(policy: GpuPartitionPolicy, demand: PolicyDemand, planner: PoolPlanner) {
    this.#policy = policy;
    this.#demand = demand;
    this.#planner = planner;
    this.#choice = new LayoutChoice(planner);
  }

  /**
   * @param waiting requests of pods that wait, by resource
   * @returns the GPUs that change
   */
  look(now: number, gpus: readonly FleetGpu[], members: readonly Member[], waiting: WaitingSlices): readonly Relay[] {
    const nowMs = now * 1000;
    const asks = followsPods(this.#demand) ? waiting : undefined;
    this.#wanted = this.#course.want(this.#demand, members, asks, nowMs);
    const asked = askFor(this.#policy, this.#wanted);
    if (isServed(asked, members)) {
      this.#nextPlan = now;
      return [];
    }
    if (now < this.#nextPlan) return [];
    const layouts = this.#choose(asked, gpus, members, now);
    const relays = gpus.flatMap((gpu): readonly Relay[] => {
      const layout = layouts.get(gpu.id);
      if (layout === undefined || layout.destroy.length + layout.create.length === 0) return [];
      this.#course.relaid(gpu.id, nowMs);
      const gone = new Set(layout.destroy.map(({ start }) => start));
      const tasks = gpu.slices.flatMap(({ start, task }) => (task && gone.has(start) ? [task] : []));
      this.#course.evict(tasks.map(podOf), nowMs);
      return [{ gpu, layout: Object.fromEntries(countPresent([...layout.keep, ...layout.create])) }];
    });
    this.#nextPlan = now + (relays.length === 0 ? fruitlessRest : 0);
    return relays;
  }

  #choose(asked: DemandAsked, gpus: readonly FleetGpu[], members: readonly Member[], now: number): Layouts {
    const restOf = (id: string): Rests => this.#course.restOf(this.#demand, id, now * 1000);
    const isResting = (id: string): boolean => restOf(id) !== false;
    const pool = members.map(({ gpu }) => (restOf(gpu.id) === 'Held' ? { ...gpu, isResting: true } : gpu));
    const weighed = pool.map((gpu, index) => this.#weigh(gpu, gpus[index]?.slices ?? [], now));
    const levels = levelsOf(
      asked.slices,
      weighed.flatMap(({ instances }) => instances),
      asked.evict,
    );
    // Where nobody may go, or need go, most plans need not be made.
    const gentle = this.#choice.choose({ ...asked, evict: 'Never' }, pool, isResting);
    const mayAsk = levels !== undefined && levels.count > 1;
    const after = members.flatMap(({ gpu }): readonly { readonly profile: string }[] => {
      const layout = gentle.get(gpu.id);
      return layout === undefined ? gpu.instances : [...layout.keep, ...layout.create];
    });
    if (!mayAsk) return gentle;
    if (!lacksOf(asked.slices, after).some((slice) => levels.levelOf(slice) < levels.count - 1)) return gentle;
    const resting = members.map((member) => ({ ...member, rests: isResting(member.gpu.id) }));
    const planning = planMembers(resting, asked, weighed);
    let step = planning.next();
    while (step.done !== true) step = planning.next(this.#plan(step.value));
    const { layouts } = step.value;
    return new Map(members.flatMap(({ gpu }, index) => (layouts[index] ? [[gpu.id, layouts[index]] as const] : [])));
  }

  #plan({ gpus, asked }: PlanQuestion): PlannedPool {
    const pool = new PoolClasses();
    for (const gpu of gpus) pool.add(gpu);
    const classes = pool.list();
    const plan = this.#planner.plan({ classes, ...asked });
    const byId = new Map<string, ClassLayout>();
    for (const [ids, layout] of pool.handOut(classes, plan.layouts)) for (const id of ids) byId.set(id, layout);
    return { ...plan, layouts: gpus.flatMap(({ id }) => byId.get(id) ?? []) };
  }

  #weigh(gpu: PoolGpu, slices: readonly SimulatedSlice[], now: number): PoolGpu {
    const tasks = new Map(slices.map(({ start, task }) => [start, task]));
    const instances = gpu.instances.map((one): PoolInstance => {
      const task = one.busy ? tasks.get(one.start) : undefined;
      if (task === undefined) return one;
      if (this.#course.isSpared(this.#demand, podOf(task), now * 1000)) return { ...one, stays: true };
      const { priority, startedAt } = task;
      const minutesRun = Math.round((now - startedAt) / 60);
      return {
        ...one,
        evictionWeight: weighEviction('Evicted', priority, minutesRun) ?? 1,
        rank: priority,
        minutesRun,
      };
    });
    return { ...gpu, instances };
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

/** What some instances do not serve. */
function lacksOf(
  slices: DemandAsked['slices'],
  instances: readonly { readonly profile: string }[],
): DemandAsked['slices'] {
  const table = readDemand(slices, () => true);
  const present = countPresent(instances);
  const { unserved } = coverDemand(
    table,
    table.profiles.map((profile) => present.get(profile) ?? 0),
  );
  return table.slices.filter((_, index) => (unserved[index] ?? 0) > 0);
}

/** The controller knows who is evicted again by the pod. */
function podOf({ name }: SimulatedPod): PodView {
  return { metadata: { name } };
}

function listInstances(layout: Layout): readonly { readonly profile: string }[] {
  return Object.entries(layout).flatMap(([profile, count]) => Array.from({ length: count }, () => ({ profile })));
}
