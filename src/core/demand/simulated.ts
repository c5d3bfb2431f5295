// Room demand: which layouts the demand of a policy makes of its pool of GPUs, by what pods ask for.
// Ask here what the demands of policies make of simulated GPUs, look by look, with a planner that answers at once.
import { answerAll } from '../text/asking.ts';
import type { GpuPartitionPolicy, PolicyDemand } from '../../api/types.ts';
import { resourceOf } from '../cluster/facts.ts';
import { countPresent, type Geometry, type Layout } from '../gpu/geometry.ts';
import { gridOf, unitMask } from '../gpu/grid.ts';
import { WHOLE } from '../gpu/profiles.ts';
import type { PodView } from '../kubernetes/pod.ts';
import { servingAny } from './wanted.ts';
import { weighEviction } from './eviction-cost.ts';
import { stabilizationMs, type DemandGpu } from './members.ts';
import {
  askFor,
  type DemandAsked,
  isServed,
  planClasses,
  type PlannedPool,
  planMembers,
  type PlanQuestion,
} from './plan-pool.ts';
import { listOverflow } from './report.ts';
import type { ClassLayout, ClassPlan } from './solver/choose.ts';
import { coverDemand, readDemand, type DemandSlice, type PoolGpu, type PoolInstance } from './solver/pool.ts';
import { type DemandQuestion, levelsOf } from './solver/problem.ts';
import { DemandMemory, followsPods } from './state.ts';
import { byTurn, type WaitingSlices } from './waiting-pods.ts';

type Held = PoolGpu['instances'][number];

/**
 * Whether each slice of a demand is of one profile and not whole GPUs, no two of the same, and weighs what it takes of a GPU. Then much is known at a
 * glance, which a long time of shortage needs: most minutes of it can serve no more than the minute before.
 */
export function isSimpleDemand(slices: readonly DemandSlice[], gpus: readonly PoolGpu[]): boolean {
  const sizes = sizesOf(gpus);
  const profiles = new Set(slices.flatMap((slice) => slice.profiles));
  return (
    profiles.size === slices.length &&
    !profiles.has(WHOLE) &&
    slices.every(
      (slice) => slice.profiles.length === 1 && (sizes.get(slice.profiles[0] ?? '') ?? slice.weight) === slice.weight,
    )
  );
}

/**
 * Whether a plan without evictions might serve more of a plain demand than the slices that exist do: false only where none can. More is served only if
 * more units are of use, so that something wanted must take a unit that nothing of use has; and something lacking needs a place.
 */
export function mayHelp(slices: readonly DemandSlice[], gpus: readonly PoolGpu[]): boolean {
  const { lacking, needed } = judge(slices, gpus);
  const wanted = new Set([...lacking, ...needed]);
  const isOfUse = ({ profile }: Held): boolean => needed.has(profile);
  return gpus.some((gpu) => fits(gpu, lacking, isBusy)) && gpus.some((gpu) => fits(gpu, wanted, isBusy, isOfUse));
}

/**
 * A plain demand on the GPUs that can change without evictions alone: what the others serve is taken off it. The best plan is the
 * same, and is found in a fraction of the time.
 */
export function reduceQuestion(
  slices: readonly DemandSlice[],
  gpus: readonly PoolGpu[],
): { readonly slices: readonly DemandSlice[]; readonly gpus: readonly PoolGpu[] } {
  const profiles = new Set(slices.flatMap((slice) => slice.profiles));
  const free = gpus.filter((gpu) => fits(gpu, profiles, isBusy));
  const fixed = countPresent(gpus.filter((gpu) => !free.includes(gpu)).flatMap(({ instances }) => instances));
  const left = slices.map((slice) => ({ ...slice, count: slice.count - (fixed.get(slice.profiles[0] ?? '') ?? 0) }));
  return { slices: left.filter(({ count }) => count > 0), gpus: free };
}

/** Profiles of which there are too few, and those of which none is in excess. */
function judge(slices: readonly DemandSlice[], gpus: readonly PoolGpu[]) {
  const table = readDemand(slices, () => true);
  const offered = countPresent(gpus.flatMap(({ instances }) => instances));
  const amounts = table.profiles.map((profile) => offered.get(profile) ?? 0);
  const { unserved, used } = coverDemand(table, amounts);
  return {
    lacking: new Set(table.slices.flatMap(({ profiles }, index) => ((unserved[index] ?? 0) > 0 ? profiles : []))),
    needed: new Set(table.profiles.filter((_, index) => (used[index] ?? 0) >= (amounts[index] ?? 0))),
  };
}

function isBusy({ busy }: Held): boolean {
  return busy;
}

function isNothing(): boolean {
  return false;
}

/**
 * Whether a GPU has a place for one of the profiles.
 *
 * @param isFixed instances that stay
 * @param isOfUse the place must have a unit that none of these has
 */
function fits(
  gpu: PoolGpu,
  profiles: ReadonlySet<string>,
  isFixed: (instance: Held) => boolean,
  isOfUse: (instance: Held) => boolean = isNothing,
): boolean {
  if (gpu.isResting === true) return false;
  const grid = gridOf(gpu.geometry);
  const fixed = occupy(gpu, isFixed);
  const used = occupy(gpu, isOfUse);
  for (const profile of profiles) {
    const index = grid.indexOf.get(profile);
    const slots = index === undefined ? [] : (grid.slots[index] ?? []);
    if (slots.some(({ mask }) => (mask & fixed) === 0 && (mask & ~used) !== 0)) return true;
  }
  return false;
}

function occupy({ geometry, instances }: PoolGpu, counts: (instance: Held) => boolean): number {
  const grid = gridOf(geometry);
  let occupied = 0;
  for (const one of instances)
    if (counts(one))
      occupied |= unitMask(one.start, grid.profiles[grid.indexOf.get(one.profile) ?? -1]?.memorySlices ?? 0);
  return occupied;
}

function sizesOf(gpus: readonly PoolGpu[]): ReadonlyMap<string, number> {
  const geometries = new Set(gpus.map(({ geometry }) => geometry));
  return new Map(
    [...geometries].flatMap(({ profiles }) => profiles.map(({ name, memorySlices }) => [name, memorySlices] as const)),
  );
}

/** Answers at once, whatever the size of the pool. */
export interface PoolPlanner {
  plan(question: DemandQuestion): ClassPlan;
}

/** The planned layouts of GPUs, by id. */
export type Layouts = ReadonlyMap<string, ClassLayout>;

interface Answer {
  readonly unserved: number;
  readonly layouts: Layouts;
}

/** Chooses the layouts that the controller would choose without evictions, and leaves out plans that the answer does not depend on. */
export class LayoutChoice {
  readonly #planner: PoolPlanner;

  constructor(planner: PoolPlanner) {
    this.#planner = planner;
  }

  /** Resting GPUs change only where more is served by it. @returns empty if nothing is better than what exists */
  choose(slices: readonly DemandSlice[], all: readonly PoolGpu[], isResting: (id: string) => boolean): Layouts {
    const resting = all.map((gpu) => (isResting(gpu.id) ? { ...gpu, isResting: true } : gpu));
    if (resting.every((gpu, index) => gpu === all[index])) return layoutsOf(this.#ask(slices, all));
    const gentle = this.#ask(slices, resting);
    if (gentle?.unserved === 0) return gentle.layouts;
    const urgent = all.map((gpu) => (isResting(gpu.id) ? { ...gpu, rests: true } : gpu));
    return layoutsOf(betterOf(gentle, this.#ask(slices, urgent)));
  }

  /** The best plan; undefined if none serves more than what exists. */
  #ask(slices: readonly DemandSlice[], gpus: readonly PoolGpu[]): Answer | undefined {
    if (!isSimpleDemand(slices, gpus)) return this.#plan({ slices, gpus });
    return mayHelp(slices, gpus) ? this.#plan(reduceQuestion(slices, gpus)) : undefined;
  }

  #plan({ slices, gpus }: { readonly slices: readonly DemandSlice[]; readonly gpus: readonly PoolGpu[] }): Answer {
    const { cost, layouts } = planAtOnce({ gpus, asked: { slices, evict: 'Never' } }, this.#planner);
    const byId = gpus.flatMap(({ id }, index) => (layouts[index] ? [[id, layouts[index]] as const] : []));
    return { unserved: cost.unserved, layouts: new Map(byId) };
  }
}

/** The first, unless the second serves more. */
function betterOf(first: Answer | undefined, second: Answer | undefined): Answer | undefined {
  return second !== undefined && second.unserved < (first?.unserved ?? Infinity) ? second : first;
}

function planAtOnce(question: PlanQuestion, planner: PoolPlanner): PlannedPool {
  return answerAll(planClasses(question, 0), (asked) => asked && planner.plan(asked));
}

function layoutsOf(answer: Answer | undefined): Layouts {
  return answer?.layouts ?? new Map<string, ClassLayout>();
}

/** A GPU of a simulation, and the pods on its slices. */
interface PlayedGpu {
  readonly id: string;
  readonly node: { readonly name: string };
  readonly uuid: string;
  readonly product: string;
  readonly geometry: Geometry;
  readonly keepsMode: boolean;
  readonly slices: readonly {
    readonly start: number;
    readonly task:
      | {
          /** Unique in a simulation. */
          readonly name: string;
          readonly priority: number;
          /** Its start, in seconds from that of the simulation. */
          readonly startedAt: number;
        }
      | undefined;
  }[];
}

/** How a GPU of a simulation stands; another object as soon as anything of it is different. */
export interface PlayedState {
  readonly present: readonly PoolInstance[];
  /** What it has once what was chosen for it is done. */
  readonly instances: readonly PoolInstance[];
  /** True if nothing changes on it for now. */
  readonly isResting: boolean;
}

/** Pods that wait in a simulation, by profile. */
interface PlayedWaiting {
  counts(): ReadonlyMap<string, number>;
  /** How many of them have each priority. @param since only those that wait since then, in seconds, or for longer */
  ranks(since?: number): ReadonlyMap<string, ReadonlyMap<number, number>>;
}

/** A GPU that is to have other slices. */
interface Relay<Gpu> {
  readonly gpu: Gpu;
  readonly layout: Layout;
}

/** Slices that pods wait for, and that the pool has no room for. */
interface LeftOver {
  /** The slices that serve these pods. */
  readonly profiles: ReadonlySet<string>;
  count: number;
}

/** Seconds for which no plan is made after one that changed nothing though something was lacking. */
const fruitlessRest = 300;

/** Follows the demand of one policy, as the controller does: what is wanted, for how long it must be, which GPUs rest, what changes. */
class DemandPlayer {
  readonly #policy: GpuPartitionPolicy;
  readonly #demand: PolicyDemand;
  readonly #planner: PoolPlanner;
  readonly #choice: LayoutChoice;
  readonly #memory = new DemandMemory();
  #nextPlan = 0;
  #wanted: ReturnType<DemandMemory['want']> = [];

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
  look<Gpu extends PlayedGpu>(
    now: number,
    gpus: readonly Gpu[],
    members: readonly DemandGpu[],
    waiting: WaitingSlices,
  ): readonly Relay<Gpu>[] {
    const nowMs = now * 1000;
    const asks = followsPods(this.#demand) ? waiting : undefined;
    this.#wanted = this.#memory.want(this.#demand, members, asks, nowMs);
    const asked = askFor(this.#policy, this.#wanted);
    if (isServed(asked, members)) {
      this.#nextPlan = now;
      return [];
    }
    if (now < this.#nextPlan) return [];
    const layouts = this.#choose(asked, gpus, members, now);
    const relays = gpus.flatMap((gpu): readonly Relay<Gpu>[] => {
      const layout = layouts.get(gpu.id);
      if (layout === undefined || layout.destroy.length + layout.create.length === 0) return [];
      this.#memory.relaid(gpu.id, nowMs);
      const gone = new Set(layout.destroy.map(({ start }) => start));
      const tasks = gpu.slices.flatMap(({ start, task }) => (task && gone.has(start) ? [task] : []));
      this.#memory.evict(tasks.map(podOf), nowMs);
      return [{ gpu, layout: Object.fromEntries(countPresent([...layout.keep, ...layout.create])) }];
    });
    this.#nextPlan = now + (relays.length === 0 ? fruitlessRest : 0);
    return relays;
  }

  #choose(asked: DemandAsked, gpus: readonly PlayedGpu[], members: readonly DemandGpu[], now: number): Layouts {
    const restOf = (id: string) => this.#memory.restOf(this.#demand, id, now * 1000);
    const isResting = (id: string): boolean => restOf(id) !== false;
    const pool = members.map(({ gpu }) => (restOf(gpu.id) === 'Held' ? { ...gpu, isResting: true } : gpu));
    const weighed = pool.map((gpu, index) => this.#weigh(gpu, gpus[index]?.slices ?? [], now));
    const levels = levelsOf(
      asked.slices,
      weighed.flatMap(({ instances }) => instances),
      asked.evict,
    );
    // Where nobody may go, or need go, most plans need not be made.
    const gentle = this.#choice.choose(asked.slices, pool, isResting);
    const mayAsk = levels !== undefined && levels.count > 1;
    const after = members.flatMap(({ gpu }): readonly { readonly profile: string }[] => {
      const layout = gentle.get(gpu.id);
      return layout === undefined ? gpu.instances : [...layout.keep, ...layout.create];
    });
    if (!mayAsk) return gentle;
    if (!lacksOf(asked.slices, after).some((slice) => levels.levelOf(slice) < levels.count - 1)) return gentle;
    const resting = members.map((member) => ({ ...member, rests: isResting(member.gpu.id) }));
    const { layouts } = answerAll(planMembers(resting, asked, weighed), (one) => planAtOnce(one, this.#planner));
    return new Map(members.flatMap(({ gpu }, index) => (layouts[index] ? [[gpu.id, layouts[index]] as const] : [])));
  }

  #weigh(gpu: PoolGpu, slices: PlayedGpu['slices'], now: number): PoolGpu {
    const tasks = new Map(slices.map(({ start, task }) => [start, task]));
    const instances = gpu.instances.map((one): PoolInstance => {
      const task = one.busy ? tasks.get(one.start) : undefined;
      if (task === undefined) return one;
      if (this.#memory.isSpared(this.#demand, podOf(task), now * 1000)) return { ...one, stays: true };
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
  listOverflow(
    gpus: readonly PlayedGpu[],
    members: readonly DemandGpu[],
    relays: readonly Relay<PlayedGpu>[],
  ): readonly LeftOver[] {
    const changed = new Map<PlayedGpu, Layout>(relays.map(({ gpu, layout }) => [gpu, layout]));
    const coming = gpus.flatMap((gpu, index) => {
      const layout = changed.get(gpu);
      return layout === undefined ? (members[index]?.gpu.instances ?? []) : listInstances(layout);
    });
    const kinds = new Map(gpus.map(({ geometry, product }) => [geometry, product]));
    return listOverflow(this.#demand, this.#wanted, coming).map(({ slice, count }) => ({
      profiles: new Set(servingAny(slice, kinds)),
      count,
    }));
  }
}

/** The part of a demand that some instances do not serve. */
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
function podOf({ name }: { readonly name: string }): PodView {
  return { metadata: { name } };
}

function listInstances(layout: Layout): readonly { readonly profile: string }[] {
  return Object.entries(layout).flatMap(([profile, count]) => Array.from({ length: count }, () => ({ profile })));
}

/** A demand, and the GPUs that follow it. */
interface Followed<Gpu> {
  readonly policy: GpuPartitionPolicy;
  readonly player: DemandPlayer;
  readonly gpus: readonly Gpu[];
  /** Profiles of the slices that follow pods. */
  readonly profiles: ReadonlySet<string>;
}

/** The demands of all policies. */
export class FollowedDemands<Gpu extends PlayedGpu> {
  readonly #gpus: readonly Gpu[];
  readonly #planner: PoolPlanner;
  #followed: readonly Followed<Gpu>[] = [];
  readonly #members = new Map<Gpu, { readonly state: PlayedState; readonly member: DemandGpu }>();

  constructor(gpus: readonly Gpu[], planner: PoolPlanner) {
    this.#gpus = gpus;
    this.#planner = planner;
  }

  /** Follows these demands from now on; what is remembered of the ones that stay is kept. */
  follow(policyOf: ReadonlyMap<string, GpuPartitionPolicy>): void {
    const known = new Map(this.#followed.map((one) => [one.policy, one]));
    const ordered = [...new Set(policyOf.values())].toSorted((a, b) => byTurn(turnOf(a), turnOf(b)));
    this.#followed = ordered.flatMap((policy) => {
      const { demand } = policy.spec;
      if (demand === undefined) return [];
      const gpus = this.#gpus.filter(({ node }) => policyOf.get(node.name) === policy);
      const player = new DemandPlayer(policy, demand, this.#planner);
      return [known.get(policy) ?? { policy, gpus, profiles: listFollowing(demand, gpus), player }];
    });
  }

  /**
   * @param now in seconds from the start of the simulation
   * @returns the GPUs that change
   */
  look(now: number, tasks: PlayedWaiting, stateOf: (gpu: Gpu) => PlayedState): readonly Relay<Gpu>[] {
    const waiting = new Map(tasks.counts());
    const ranks = new Map(tasks.ranks());
    return this.#followed.flatMap(({ policy, profiles, player, gpus }, index) => {
      const members = gpus.map((gpu) => this.#memberOf(gpu, stateOf(gpu)));
      const asked = [...waiting].filter(([profile, count]) => count > 0 && profiles.has(profile));
      const counts = asked.flatMap(([profile]) => {
        const of = ranks.get(profile);
        // Nobody goes for it in two pools at once.
        ranks.delete(profile);
        return of === undefined ? [] : [[resourceOf(profile), of] as const];
      });
      const long = tasks.ranks(now - stabilizationMs(policy.spec.demand ?? {}) / 1000);
      const patient = new Map([...long].map(([profile, of]) => [resourceOf(profile), of]));
      const resources = Object.assign(new Map(asked.map(([profile, count]) => [resourceOf(profile), count])), {
        ranks: {
          counts: new Map(counts),
          patient: new Map(counts.map(([resource]) => [resource, patient.get(resource) ?? new Map<number, number>()])),
          missing: new Map<string, ReadonlyMap<number, number>>(),
          nodes: new Set<string>(),
        },
      });
      const relays = player.look(now, gpus, members, resources);
      const isLast = index === this.#followed.length - 1;
      const left = isLast || asked.length === 0 ? [] : player.listOverflow(gpus, members, relays);
      // A pod counts for the first policy that follows its slices, and for the next one too if that has no room.
      for (const [profile, count] of asked) {
        const found = left.find((one) => one.count > 0 && one.profiles.has(profile));
        const passed = Math.min(count, found?.count ?? 0);
        if (found) found.count -= passed;
        waiting.set(profile, passed);
      }
      return relays;
    });
  }

  /** A GPU as the planner sees it. */
  #memberOf(gpu: Gpu, state: PlayedState): DemandGpu {
    const known = this.#members.get(gpu);
    if (known?.state === state) return known.member;
    const { id, geometry, keepsMode, uuid, product, node } = gpu;
    const { present, instances, isResting } = state;
    const member: DemandGpu = {
      node: node.name,
      product,
      gpu: { id, geometry, instances, isResting, keepsMode },
      rests: false,
      present,
      wish: { uuid },
    };
    this.#members.set(gpu, { state, member });
    return member;
  }
}

function turnOf({ metadata, spec }: GpuPartitionPolicy): Parameters<typeof byTurn>[0] {
  return { policy: metadata.name, priority: spec.priority ?? 0 };
}

function listFollowing(demand: PolicyDemand, gpus: readonly PlayedGpu[]): ReadonlySet<string> {
  const following = followsPods(demand) ? demand.slices.filter(({ count }) => count === undefined) : [];
  const kinds = new Map(gpus.map(({ geometry, product }) => [geometry, product]));
  return new Set(following.flatMap((slice) => servingAny(slice, kinds)));
}
