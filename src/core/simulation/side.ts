import { type Arrival, DAY } from './arrival.ts';
import { type FleetNode, SimulationFleet, type StartNode } from './fleet.ts';
import { FollowedDemands } from './followed-demands.ts';
import type { PoolPlanner } from './layout-choice.ts';
import { NodeChanges } from './node-changes.ts';
import type { SchedulePhase } from './phase.ts';
import { Random } from './random.ts';
import { SimulatedRollout } from './rollout.ts';
import { Tally } from './tally.ts';
import { Targets } from './targets.ts';
import type { WaitingTasks } from './task.ts';
import { SimulatedPods } from './simulated-pods.ts';

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

class Side implements Played {
  readonly tally: Tally;
  readonly #start: SideStart;
  readonly #rules: PlayRules;
  readonly #fleet: SimulationFleet;
  readonly #pods: SimulatedPods;
  readonly #rollout: SimulatedRollout;
  readonly #changes: NodeChanges;
  readonly #targets: Targets;
  readonly #demands: FollowedDemands;
  #phase: SchedulePhase;

  constructor(start: SideStart, rules: PlayRules) {
    this.#start = start;
    this.#rules = rules;
    this.tally = new Tally(rules.days);
    this.#fleet = new SimulationFleet(start.nodes);
    this.#pods = new SimulatedPods(this.#fleet, this.tally, new Random(rules.seed));
    this.#changes = new NodeChanges(this.#fleet, this.#pods, this.tally);
    this.#demands = new FollowedDemands(this.#fleet, rules.planner);
    this.#phase = start.phases[0] ?? { at: 0, policyOf: new Map(), layouts: new Map() };
    this.#rollout = new SimulatedRollout(this.#phase.policyOf, start.cap);
    this.#targets = new Targets(this.#rollout, ({ name }) => this.#phase.policyOf.get(name));
  }

  get waiting(): WaitingTasks {
    return this.#pods.waiting;
  }

  play(): void {
    const { running, arrivals, days } = this.#rules;
    this.#pods.begin(running, this.#fleet.listInUse(this.#start.nodes));
    this.#enter(this.#phase);
    const switches = this.#start.phases.slice(1);
    let next = 0;
    for (let until = 0; until <= days * DAY; until += lookEvery) {
      for (let arrival = arrivals[next]; arrival !== undefined && arrival.start <= until; arrival = arrivals[next]) {
        this.#advance(arrival.start);
        this.#pods.arrive(arrival);
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
    this.#pods.finish(days * DAY);
  }

  /** What policies want from now on. */
  #enter(phase: SchedulePhase): void {
    const before = this.#phase.policyOf;
    const isChanged = ({ name }: FleetNode): boolean =>
      phase === this.#phase || phase.policyOf.get(name) !== before.get(name);
    this.#phase = phase;
    this.#rollout.follow(phase.policyOf);
    this.#demands.follow(phase.policyOf);
    for (const gpu of this.#fleet.gpus.filter(({ node }) => isChanged(node))) {
      this.#targets.drop(gpu);
      const layout = phase.layouts.get(gpu.id);
      if (layout !== undefined && !gpu.isFixed) this.#targets.aim(gpu, layout);
    }
  }

  /** Everything that ends by a time, in order. */
  #advance(until: number): void {
    for (;;) {
      const [end, finish] = [this.#pods.nextEnd, this.#changes.nextEnd];
      if (Math.min(end, finish) > until) return;
      if (end <= finish) this.#pods.endNext();
      else this.#changes.endNext((node) => this.#targets.finish(node));
    }
  }

  #look(now: number): void {
    for (const { gpu, layout } of this.#demands.look(now, this.waiting, this.#targets)) this.#targets.aim(gpu, layout);
    if (!this.#rollout.isAsked) return;
    for (const node of this.#rollout.step(this.#rules.startMs + now * 1000)) this.#change(node, now);
  }

  /** A node has its slot. */
  #change(name: string, now: number): void {
    const node = this.#fleet.nodes.find((one) => one.name === name);
    if (node === undefined) return;
    const plans = this.#targets.take(node);
    if (plans.every(({ plan }) => plan.destroy.length + plan.create.length === 0)) return this.#rollout.settle(name);
    const policy = this.#phase.policyOf.get(name)?.metadata.name ?? '';
    this.#changes.begin(node, plans, now, this.#start.changeSeconds.get(policy) ?? usualChange);
  }
}
