import type { GpuPartitionPolicy } from '../../api/types.ts';
import { labelProfile, migResourceName } from '../nvidia/labels/label-key.ts';
import { type Arrival, DAY } from './arrival.ts';
import { DemandPlayer } from './demand-player.ts';
import { EndQueue } from './end-queue.ts';
import { type FleetGpu, type FleetNode, type SimulatedSlice, SimulationFleet, type StartNode } from './fleet.ts';
import type { PoolPlanner } from './layout-choice.ts';
import type { SchedulePhase } from './phase.ts';
import { Random } from './random.ts';
import { SimulatedRollout } from './rollout.ts';
import { Tally } from './tally.ts';
import { Targets } from './targets.ts';
import { type SimulatedPod, type TaskEnd, WaitingTasks } from './task.ts';

/** One way to partition a fleet. */
export interface SideStart {
  readonly nodes: readonly StartNode[];
  /** What policies want, switch by switch: the first from the beginning. */
  readonly phases: readonly SchedulePhase[];
  /** By policy, the seconds that a node takes no pods while its GPUs change. */
  readonly changeSeconds: ReadonlyMap<string, number>;
  /** Nodes of all policies that may change at a time. */
  readonly cap: number;
}

export interface PlayRules {
  /** Of pods that run when it starts, then by their start. */
  readonly running: readonly Arrival[];
  readonly arrivals: readonly Arrival[];
  readonly days: number;
  readonly seed: number;
  /** Ms since the epoch: windows go by it. */
  readonly startMs: number;
  readonly planner: PoolPlanner;
}

/** Seconds from look to look at the demand, while pods wait and while none does. The controller looks every 10. */
const lookEvery = 60;
const calmLookEvery = 300;
/** Seconds that a node takes for a change, where no earlier one tells. */
export const usualChange = 60;

/** Plays one side to its end. */
export function playSide(start: SideStart, rules: PlayRules): Played {
  const side = new Side(start, rules);
  side.play();
  return side;
}

/** What came of it. */
export interface Played {
  readonly tally: Tally;
  /** Those that wait at the end. */
  readonly waiting: WaitingTasks;
}

/** A demand, and the GPUs that follow it. */
interface Followed {
  readonly policy: GpuPartitionPolicy;
  readonly player: DemandPlayer;
  readonly gpus: readonly FleetGpu[];
}

class Side implements Played {
  readonly tally: Tally;
  readonly waiting = new WaitingTasks();
  readonly #start: SideStart;
  readonly #rules: PlayRules;
  readonly #fleet: SimulationFleet;
  readonly #random: Random;
  readonly #rollout: SimulatedRollout;
  readonly #ends = new EndQueue<TaskEnd>();
  readonly #finishing = new EndQueue<{ readonly node: FleetNode; readonly end: number }>();
  readonly #targets: Targets;
  #phase: SchedulePhase;
  #players: readonly Followed[] = [];

  constructor(start: SideStart, rules: PlayRules) {
    this.#start = start;
    this.#rules = rules;
    this.tally = new Tally(rules.days);
    this.#fleet = new SimulationFleet(start.nodes);
    this.#random = new Random(rules.seed);
    this.#phase = start.phases[0] ?? { at: 0, policyOf: new Map(), layouts: new Map() };
    this.#rollout = new SimulatedRollout(this.#phase.policyOf, start.cap);
    this.#targets = new Targets(this.#rollout, ({ name }) => this.#phase.policyOf.get(name));
  }

  play(): void {
    this.#begin();
    const { arrivals, days } = this.#rules;
    const switches = this.#start.phases.slice(1);
    let next = 0;
    for (let until = 0; until <= days * DAY; until += lookEvery) {
      for (let arrival = arrivals[next]; arrival !== undefined && arrival.start <= until; arrival = arrivals[next]) {
        this.#advance(arrival.start);
        this.#arrive(arrival);
        next += 1;
      }
      this.#advance(until);
      for (let phase = switches[0]; phase !== undefined && phase.at <= until; phase = switches[0]) {
        this.#enter(phase);
        switches.shift();
      }
      const isDue = this.waiting.size > 0 || this.#rollout.isAsked || until % calmLookEvery === 0;
      if (isDue && until < days * DAY) this.#look(until);
    }
    this.#finish(days * DAY);
  }

  /** Pods that run, and layouts that policies want. */
  #begin(): void {
    const inUse = Map.groupBy(this.#listInUse(), ({ profile }) => profile);
    for (const { profile, duration } of this.#rules.running) {
      this.tally.arrive(profile, 0, duration);
      const task: SimulatedPod = { profile, duration, waitsSince: 0, slice: undefined, startedAt: 0, end: 0 };
      const slice = inUse.get(profile)?.shift();
      if (slice !== undefined) this.#run(task, slice, 0);
      else this.waiting.add(task);
    }
    for (const { profile } of this.#rules.running) this.#dispatch(profile, 0);
    this.#enter(this.#phase);
  }

  /** What policies want from now on. */
  #enter(phase: SchedulePhase): void {
    const before = this.#phase.policyOf;
    const isChanged = ({ name }: FleetNode): boolean =>
      phase === this.#phase || phase.policyOf.get(name) !== before.get(name);
    this.#phase = phase;
    this.#rollout.follow(phase.policyOf);
    this.#players = [...new Set(phase.policyOf.values())].flatMap((policy) => {
      const { demand } = policy.spec;
      if (demand === undefined) return [];
      const same = this.#players.find((one) => one.policy === policy);
      const gpus = this.#fleet.gpus.filter(({ node }) => phase.policyOf.get(node.name) === policy);
      return [same ?? { policy, gpus, player: new DemandPlayer(policy, demand, this.#rules.planner) }];
    });
    for (const gpu of this.#fleet.gpus.filter(({ node }) => isChanged(node))) {
      this.#targets.drop(gpu);
      const layout = phase.layouts.get(gpu.id);
      if (layout !== undefined && !gpu.isFixed) this.#targets.aim(gpu, layout);
    }
  }

  /** The slices that were in use when the snapshot was taken. */
  #listInUse(): SimulatedSlice[] {
    const busy = new Set(
      this.#start.nodes.flatMap(({ name, gpus }) =>
        gpus.flatMap(({ uuid, instances }) =>
          instances.flatMap((one) => (one.busy ? [`${name}/${uuid}@${one.start}`] : [])),
        ),
      ),
    );
    return this.#fleet.gpus.flatMap(({ id, slices }) => slices.filter(({ start }) => busy.has(`${id}@${start}`)));
  }

  /** Everything that ends by a time, in order. */
  #advance(until: number): void {
    for (;;) {
      const end = this.#ends.peek()?.end ?? Infinity;
      const finish = this.#finishing.peek()?.end ?? Infinity;
      if (Math.min(end, finish) > until) return;
      if (end <= finish) {
        const done = this.#ends.takeUntil(end);
        if (done !== undefined) this.#end(done);
      } else {
        const done = this.#finishing.takeUntil(finish);
        if (done !== undefined) this.#open(done.node, finish);
      }
    }
  }

  #arrive({ profile, duration, start }: Arrival): void {
    this.tally.arrive(profile, start, duration);
    this.waiting.add({ profile, duration, waitsSince: start, slice: undefined, startedAt: 0, end: 0 });
    this.#dispatch(profile, start);
  }

  /** Gives idle slices to pods that wait for them. */
  #dispatch(profile: string, now: number): void {
    while (this.waiting.count(profile) > 0) {
      const slice = this.#fleet.pick(profile, this.#random);
      const task = slice && this.waiting.takeFirst(profile);
      if (slice === undefined || task === undefined) return;
      this.#run(task, slice, now);
    }
  }

  #run(task: SimulatedPod, slice: SimulatedSlice, now: number): void {
    this.#fleet.use(slice, task);
    task.slice = slice;
    task.startedAt = now;
    task.end = now + task.duration;
    this.tally.start(task.profile, task.waitsSince, now);
    this.#ends.add({ task, end: task.end, slice });
  }

  #end({ task, end, slice }: TaskEnd): void {
    // An end of a run that was evicted.
    if (task.slice !== slice || task.end !== end) return;
    this.tally.run(task.profile, task.startedAt, end);
    this.#release(task, slice);
    this.#dispatch(task.profile, end);
  }

  #release(task: SimulatedPod, slice: SimulatedSlice): void {
    task.slice = undefined;
    this.#fleet.free(slice);
  }

  #look(now: number): void {
    const waiting = new Map([...this.waiting.counts()].filter(([, count]) => count > 0));
    for (const { player, gpus } of this.#players) {
      const members = gpus.map((gpu) => this.#targets.memberOf(gpu));
      const resources = new Map<string, number>();
      for (const [profile, count] of waiting) {
        if (!gpus.some(({ geometry }) => geometry.profiles.some(({ name }) => name === profile))) continue;
        resources.set(migResourceName(labelProfile(profile)), count);
        // A pod counts for the first policy that could serve it.
        waiting.delete(profile);
      }
      for (const { gpu, layout } of player.look(now, gpus, members, resources)) this.#targets.aim(gpu, layout);
    }
    if (!this.#rollout.isAsked) return;
    for (const node of this.#rollout.step(this.#rules.startMs + now * 1000)) this.#change(node, now);
  }

  /** A node has its slot: what is in the way is evicted, and it takes no pods until it is done. */
  #change(name: string, now: number): void {
    const node = this.#fleet.nodes.find((one) => one.name === name);
    if (node === undefined) return;
    const plans = this.#targets.take(node);
    if (plans.every(({ plan }) => plan.destroy.length + plan.create.length === 0)) return this.#rollout.settle(name);
    this.#fleet.close(node);
    const evicted = new Set<string>();
    for (const { gpu, plan } of plans) {
      const gone = new Set(plan.destroy.map(({ start }) => start));
      for (const slice of gpu.slices) {
        if (slice.task === undefined || !gone.has(slice.start)) continue;
        evicted.add(slice.profile);
        this.#evict(slice.task, slice, now);
      }
      if (plan.destroy.length + plan.create.length === 0) continue;
      this.tally.relay(now);
      // They exist from now on, and are offered once the node opens.
      this.#fleet.relay(gpu, plan.destroy, plan.create);
    }
    for (const profile of evicted) this.#dispatch(profile, now);
    const policy = this.#phase.policyOf.get(name)?.metadata.name ?? '';
    this.#finishing.add({ node, end: now + (this.#start.changeSeconds.get(policy) ?? usualChange) });
  }

  #evict(task: SimulatedPod, slice: SimulatedSlice, now: number): void {
    this.tally.evict(task.profile, task.startedAt, now);
    this.#release(task, slice);
    task.waitsSince = now;
    this.waiting.add(task);
  }

  #open(node: FleetNode, now: number): void {
    this.#targets.finish(node);
    for (const profile of this.#fleet.open(node)) this.#dispatch(profile, now);
  }

  /** What runs or waits still counts until the end. */
  #finish(now: number): void {
    for (const { slices } of this.#fleet.gpus)
      for (const { task } of slices) if (task !== undefined) this.tally.run(task.profile, task.startedAt, now);
    for (const task of this.waiting.all()) this.tally.leaveWaiting(task.profile, task.waitsSince);
  }
}
