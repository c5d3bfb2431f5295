// Room plan: what a change of policies would do to a cluster, foreseen with the controller's own decisions; nothing is written.
// Ask here what of a snapshot is simulated, with which pods, and for the figures of days in virtual time.
import type { GpuPartitionPolicy } from '../../../api/types.ts';
import type { DemandGpu } from '../../demand/members.ts';
import { RolloutPlay } from '../../rollout/ledger.ts';
import { compareText } from '../../text/json.ts';
import type { ClusterFacts } from '../../cluster/facts.ts';
import type { LabelSelection } from '../../kubernetes/selectors.ts';
import { DAY, type Load, loadByDemand, loadByTrace, Random, sizesOf, type TraceTask } from './trace.ts';
import { FollowedDemands } from '../../demand/simulated.ts';
import {
  type FleetGpu,
  type FleetNode,
  listSimulated,
  startSide,
  SimulationFleet,
  type StartNode,
  NodeChanges,
  type SchedulePhase,
  Targets,
} from './fleet.ts';
import {
  Tally,
  type WaitingTasks,
  SimulatedPods,
  type DayFigures,
  type ProfileFigures,
  quantile,
  type SliceFigures,
  sumFigures,
} from './pods.ts';

type PoolPlanner = ConstructorParameters<typeof FollowedDemands<FleetGpu>>[1];

/** Tells which nodes may change, by the ledgers of their policies: budget, cap, canary, windows and pauses as in a cluster. */
export class SimulatedRollout {
  readonly #rollout: RolloutPlay;
  #policies: readonly GpuPartitionPolicy[] = [];
  readonly #waiting = new Set<string>();

  /** @param policyOf the policy that decides over each node */
  constructor(policyOf: ReadonlyMap<string, GpuPartitionPolicy>, cap: number) {
    this.#rollout = new RolloutPlay(cap);
    this.follow(policyOf);
    for (const { metadata, status } of this.#policies) this.#rollout.begin(metadata.name, status?.canary);
    for (const [node, { metadata }] of policyOf)
      this.#rollout.nodes.put({
        node,
        nodeUID: node,
        policy: metadata.name,
        isReady: true,
        isCordoned: false,
        hasGpus: true,
        hasFailed: false,
        isVerified: true,
        isClosedAnyway: false,
        isUnderWay: false,
        wishGeneration: metadata.generation ?? 1,
      });
  }

  /** The policies as they are from now on: of the same names, over the same nodes. */
  follow(policyOf: ReadonlyMap<string, GpuPartitionPolicy>): void {
    this.#policies = [...new Set(policyOf.values())].toSorted((a, b) => compareText(a.metadata.name, b.metadata.name));
  }

  /** Whether nodes wait for leave to change. */
  get isAsked(): boolean {
    return this.#waiting.size > 0;
  }

  /** A node is to change, and waits for its slot. */
  request(node: string, evictions: number, destroys: number): void {
    const state = this.#rollout.nodes.rolloutStateOf(node);
    if (state === undefined || state.isUnderWay) return;
    this.#waiting.add(node);
    const request = { kind: 'New', isClosedAnyway: false, failedDrains: 0, evictions, destroys } as const;
    this.#rollout.nodes.put({ ...state, isVerified: false, request });
  }

  /** Ends a node's part in the rollout: nothing is to change on it any longer, or its change is done. */
  settle(node: string): void {
    const state = this.#rollout.nodes.rolloutStateOf(node);
    if (state === undefined) return;
    this.#waiting.delete(node);
    const { request: _request, ...rest } = state;
    const held = this.#rollout.inFlight.find((slot) => slot.node === node);
    this.#rollout.nodes.put({ ...rest, isVerified: true, isUnderWay: false, slot: held?.startTime });
  }

  /** @returns nodes that may change from now on */
  step(now: number): readonly string[] {
    for (const policy of this.#policies) this.#rollout.step(policy, now, 'Nobody');
    return this.#policies.flatMap((policy) => {
      const { admitted } = this.#rollout.step(policy, now, 'Everybody');
      for (const node of admitted) this.#begin(node);
      return admitted;
    });
  }

  #begin(node: string): void {
    const state = this.#rollout.nodes.rolloutStateOf(node);
    if (state === undefined) return;
    this.#waiting.delete(node);
    const { request: _request, ...rest } = state;
    this.#rollout.nodes.put({ ...rest, isUnderWay: true });
  }
}

/** One way to partition a fleet. */
export interface SideStart {
  readonly nodes: readonly StartNode[];
  /** What policies want, switch by switch: the first from the beginning. */
  readonly phases: readonly SchedulePhase[];
  /** Seconds for which a node takes no pods while its GPUs change, by policy. */
  readonly changeSeconds: ReadonlyMap<string, number>;
  /** Nodes of all policies that may change at a time. */
  readonly cap: number;
}

interface PlayRules extends Load {
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
const usualChange = 60;

/** Plays one side to its end. */
function playSide(start: SideStart, rules: PlayRules): Played {
  const side = new Side(start, rules);
  side.play();
  return side;
}

/** The result of playing one side. */
interface Played {
  readonly tally: Tally;
  /** Pods that wait at the end. */
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
  readonly #demands: FollowedDemands<FleetGpu>;
  #phase: SchedulePhase;

  constructor(start: SideStart, rules: PlayRules) {
    this.#start = start;
    this.#rules = rules;
    this.tally = new Tally(rules.days);
    this.#fleet = new SimulationFleet(start.nodes);
    this.#pods = new SimulatedPods(this.#fleet, this.tally, new Random(rules.seed));
    this.#changes = new NodeChanges(this.#fleet, this.#pods, this.tally);
    this.#demands = new FollowedDemands(this.#fleet.gpus, rules.planner);
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

  /** Begins a phase, which changes what policies want. */
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
    const memberOf = (gpu: FleetGpu): DemandGpu => this.#targets.memberOf(gpu);
    for (const { gpu, layout } of this.#demands.look(now, this.waiting, memberOf)) this.#targets.aim(gpu, layout);
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

/** Ways to partition a fleet, and the pods that come to each. */
interface SimulationStart extends Load {
  readonly sides: readonly SideStart[];
  readonly days: number;
  readonly seed: number;
  readonly startMs: number;
}

interface SceneRules extends Omit<SimulationStart, 'sides' | keyof Load> {
  /** The nodes that are simulated; absent: all with GPUs. */
  readonly selection?: LabelSelection | undefined;
}

/** The GPU nodes of a snapshot under the policies of each side, before pods come. */
export class SimulationScene {
  /** The nodes as they begin. */
  readonly nodes: readonly StartNode[];
  /** What policies say and no simulation does, in words. */
  readonly ignored: readonly string[];
  /** Nodes that cannot take the layouts of a policy. */
  readonly refused: ReturnType<typeof startSide>['refused'];
  readonly #facts: ClusterFacts;
  readonly #gpuNodes: ReturnType<typeof listSimulated>;
  readonly #start: Omit<SimulationStart, keyof Load>;

  /** @param given policies of each side, before those of the snapshot */
  constructor(
    facts: ClusterFacts,
    given: readonly (readonly GpuPartitionPolicy[])[],
    { selection, ...time }: SceneRules,
  ) {
    const gpuNodes = listSimulated(facts, selection);
    const starts = given.map((policies) => startSide(facts, gpuNodes, policies, time));
    const sides = starts.map(({ side }) => side);
    this.nodes = sides[0]?.nodes ?? [];
    this.ignored = [...new Set(starts.flatMap(({ ignored }) => ignored))];
    this.refused = starts.flatMap(({ refused }) => refused);
    this.#facts = facts;
    this.#gpuNodes = gpuNodes;
    this.#start = { sides, ...time };
  }

  /** How many nodes have GPUs, whether their agents report them or not. */
  get gpuNodes(): number {
    return this.#gpuNodes.length;
  }

  /** The simulation with pods like those that use and wait for slices now; undefined if there are none. @param meanSeconds how long one runs */
  byDemand(meanSeconds: number): SimulationStart | undefined {
    const load = loadByDemand(this.#facts, this.#gpuNodes, this.nodes, { ...this.#start, meanSeconds });
    return load && { ...this.#start, ...load };
  }

  /** The simulation with recorded pods, as {@link loadByTrace} has them. */
  byTrace<Task extends TraceTask>(
    trace: { readonly tasks: readonly Task[]; readonly seconds: number },
    rules: Pick<Parameters<typeof loadByTrace>[2], 'mapping' | 'load'>,
  ): SimulationStart | Required<Pick<ReturnType<typeof loadByTrace<Task>>, 'unknown'>> {
    const { unknown, ...load } = loadByTrace(trace, this.nodes, { ...this.#start, ...rules });
    return unknown === undefined ? { ...this.#start, ...load } : { unknown };
  }
}

/** The figures of all profiles and days together. */
interface SideTotal extends Omit<SliceFigures, 'askedSeconds' | 'servedSeconds' | 'lostSeconds' | 'waitSeconds'> {
  /** The share of the time that pods would run if each started as it comes, in which they ran, by memory slices: from 0 to 1. */
  readonly servedShare: number;
  /** The share of the same time that evicted pods had run: from 0 to 1. */
  readonly lostShare: number;
  readonly medianWaitSeconds: number;
  readonly p95WaitSeconds: number;
  readonly stillWaiting: number;
  /** GPUs re-laid. */
  readonly relayouts: number;
  /** How often the mean GPU is re-laid in 30 days. */
  readonly relayoutsPerGpuMonth: number;
}

/** The figures of one side. */
export interface SideFigures {
  readonly total: SideTotal;
  readonly profiles: readonly ProfileFigures[];
  readonly days: readonly DayFigures[];
  /** GPUs re-laid, by day. */
  readonly relayouts: readonly number[];
  /** How long pods waited, by priority, the highest first. */
  readonly priorities: readonly PriorityFigures[];
}

interface PriorityFigures {
  readonly priority: number;
  readonly meanWaitSeconds: number;
  readonly p95WaitSeconds: number;
}

/** Plays each side with the same pods. The same input gives the same figures. */
export function simulate({ sides, ...rules }: SimulationStart, planner: PoolPlanner): readonly SideFigures[] {
  return sides.map((side) => {
    const { tally, waiting } = playSide(side, { ...rules, planner });
    const profiles = tally.listProfiles(sizesOf(side), (profile) => waiting.count(profile));
    return {
      total: sumUp(profiles, tally, side, rules.days),
      profiles,
      days: tally.listDays(),
      relayouts: tally.relayouts,
      priorities: [...tally.waitsByPriority].map(sumUpWaits).toSorted((a, b) => b.priority - a.priority),
    };
  });
}

function sumUpWaits([priority, waits]: readonly [number, readonly number[]]): PriorityFigures {
  const meanWaitSeconds = waits.reduce((sum, one) => sum + one, 0) / Math.max(1, waits.length);
  const sorted = waits.toSorted((a, b) => a - b);
  return { priority, meanWaitSeconds, p95WaitSeconds: quantile(sorted, 0.95) };
}

function sumUp(profiles: readonly ProfileFigures[], tally: Tally, { nodes }: SideStart, days: number): SideTotal {
  const { pods, started, longestWaitSeconds, evictions } = sumFigures(profiles);
  const waits = tally.listWaits();
  const add = (value: (one: ProfileFigures) => number): number => profiles.reduce((sum, one) => sum + value(one), 0);
  const asked = add((one) => one.askedSeconds * one.size);
  const relayouts = tally.relayouts.reduce((sum, one) => sum + one, 0);
  return {
    pods,
    started,
    longestWaitSeconds,
    evictions,
    servedShare: asked === 0 ? 1 : add((one) => one.servedSeconds * one.size) / asked,
    lostShare: asked === 0 ? 0 : add((one) => one.lostSeconds * one.size) / asked,
    medianWaitSeconds: quantile(waits, 0.5),
    p95WaitSeconds: quantile(waits, 0.95),
    stillWaiting: add((one) => one.stillWaiting),
    relayouts,
    relayoutsPerGpuMonth: (relayouts / nodes.reduce((sum, { gpus }) => sum + gpus.length, 0) / days) * 30,
  };
}
