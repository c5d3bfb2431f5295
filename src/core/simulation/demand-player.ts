import type { GpuPartitionPolicy, PolicyDemand } from '../../api/types.ts';
import type { ClassLayout, ClassPlan, DemandQuestion } from '../demand/demand-plan.ts';
import { PoolClasses } from '../demand/gpu-classes.ts';
import type { DemandSlice, EvictionRule, PoolGpu } from '../demand/pool.ts';
import type { Layout } from '../gpu/geometry/geometry.ts';
import { countPresent } from '../supply/count.ts';
import { DemandCourse } from '../supply/demand-course.ts';
import { askFor, type DemandAsked, isServed } from '../supply/demand-question.ts';
import type { Member } from '../supply/member.ts';
import { followsPods, wantedOf } from '../supply/wanted.ts';
import type { FleetGpu } from './fleet.ts';
import { isPlain, mayHelp, reduceQuestion } from './helpful-plan.ts';

/** Plans a pool at once, whatever its size. */
export type PlanAtOnce = (question: DemandQuestion) => ClassPlan;

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
  readonly #plan: PlanAtOnce;
  readonly #course = new DemandCourse();
  #nextPlan = 0;

  constructor(policy: GpuPartitionPolicy, demand: PolicyDemand, plan: PlanAtOnce) {
    this.#policy = policy;
    this.#demand = demand;
    this.#plan = plan;
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
    const wanted = wantedOf(this.#demand, members, {
      waiting: followsPods(this.#demand) ? waiting : undefined,
      steady: (name, count) => this.#course.steady(this.#demand, name, count, nowMs),
    });
    const asked = askFor(this.#policy, wanted);
    if (isServed(asked, members)) {
      this.#nextPlan = now;
      return [];
    }
    if (now < this.#nextPlan) return [];
    const layouts = this.#choose(asked, members, nowMs);
    const relays = gpus.flatMap((gpu): readonly Relay[] => {
      const layout = layouts.get(gpu.id);
      if (layout === undefined || layout.destroy.length + layout.create.length === 0) return [];
      this.#course.relaid(this.#demand, gpu.id, nowMs);
      return [{ gpu, layout: Object.fromEntries(countPresent([...layout.keep, ...layout.create])) }];
    });
    this.#nextPlan = now + (relays.length === 0 ? fruitlessRest : 0);
    return relays;
  }

  /** Resting GPUs change only where more is served by it. */
  #choose({ slices, evict }: DemandAsked, members: readonly Member[], nowMs: number): Layouts {
    const all = members.map(({ gpu }) => gpu);
    const isResting = (id: string): boolean => this.#course.isResting(this.#demand, id, nowMs);
    const resting = all.map((gpu) => (isResting(gpu.id) ? { ...gpu, isResting: true } : gpu));
    const gentle = this.#ask(slices, evict, resting);
    const isShort = (gentle?.unserved ?? 1) > 0 && resting.some((gpu, index) => gpu !== all[index]);
    const urgent = isShort ? this.#ask(slices, evict, all) : undefined;
    const isBetter = urgent !== undefined && urgent.unserved < (gentle?.unserved ?? Infinity);
    return (isBetter ? urgent : gentle)?.layouts ?? new Map();
  }

  /** The best plan; undefined if none serves more than what exists. */
  #ask(slices: readonly DemandSlice[], evict: EvictionRule, gpus: readonly PoolGpu[]): Answer | undefined {
    if (!isPlain(slices, gpus)) return spread({ slices, gpus }, evict, this.#plan);
    const gentle = mayHelp(slices, gpus, 'Never')
      ? spread(reduceQuestion(slices, gpus), 'Never', this.#plan)
      : undefined;
    // Without evictions nothing is lacking: with them nothing could be better.
    if (evict === 'Never' || gentle?.unserved === 0) return gentle;
    return mayHelp(slices, gpus, evict) ? spread({ slices, gpus }, evict, this.#plan) : gentle;
  }
}

/** What GPUs become, by id. */
type Layouts = ReadonlyMap<string, ClassLayout>;

interface Answer {
  readonly unserved: number;
  readonly layouts: Layouts;
}

/** A plan by classes, GPU by GPU. */
function spread(
  { slices, gpus }: { readonly slices: readonly DemandSlice[]; readonly gpus: readonly PoolGpu[] },
  evict: EvictionRule,
  plan: PlanAtOnce,
): Answer {
  const pool = new PoolClasses();
  for (const gpu of gpus) pool.add(gpu);
  const classes = pool.list();
  const found = plan({ classes, slices, evict });
  const layouts = new Map<string, ClassLayout>();
  for (const [ids, layout] of pool.handOut(classes, found.layouts)) for (const id of ids) layouts.set(id, layout);
  return { unserved: found.cost.unserved, layouts };
}
