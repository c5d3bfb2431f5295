// Room plan: what a change of policies would do to a cluster, foreseen with the controller's own decisions; nothing is written.
// Ask here what of a snapshot is simulated, with which pods, and for the figures of days in virtual time.
import type { GpuPartitionPolicy } from '../../../api/types.ts';
import { RolloutPlay } from '../../rollout/ledger.ts';
import { compareText } from '../../text/json.ts';
import type { ClusterFacts } from '../../cluster/facts.ts';
import type { LabelSelection } from '../../kubernetes/node.ts';
import { DAY, EndQueue, type Load, loadByDemand, loadByTrace, Random, sizesOf, type TraceTask } from './trace.ts';
import { FollowedDemands, type PlayedState } from '../../demand/simulated.ts';
import { type FleetGpu, SimulationFleet, type SideStart, type StartNode, startSides } from './fleet.ts';
import { SimulatedPods, Tally } from './pods.ts';
import { planGpu } from '../../gpu/plan.ts';
import { WHOLE } from '../../gpu/profiles.ts';
import type { Layout } from '../../gpu/geometry.ts';
import { isWholeGpu, evictsNever } from '../../policy/spec.ts';

type SideFigures = ReturnType<Tally['sumUp']>;
type FleetNode = FleetGpu['node'];
type SchedulePhase = SideStart['phases'][number];

type PoolPlanner = ConstructorParameters<typeof FollowedDemands<FleetGpu>>[1];

/** Tells which nodes may change, by the ledgers of their policies: budget, cap, canary, windows and pauses as in a cluster. */
class SimulatedRollout {
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

type PoolInstance = PlayedState['present'][number];

/** What goes, stays and comes on a GPU that gets a layout. */
interface SimulatedChange {
  readonly keep: readonly PoolInstance[];
  readonly destroy: readonly PoolInstance[];
  readonly create: readonly Pick<PoolInstance, 'profile' | 'start'>[];
}

/** Plans a change as the agent does; undefined if it takes an eviction that is not allowed, does not fit, or MIG mode cannot change. */
function planChange(
  { geometry, slices, keepsMode }: Pick<FleetGpu, 'geometry' | 'slices' | 'keepsMode'>,
  layout: Layout,
  isSpared: boolean,
): SimulatedChange | undefined {
  const have = slices.map(({ profile, start, task }): PoolInstance => ({ profile, start, busy: task !== undefined }));
  const isWhole = have.some(({ profile }) => profile === WHOLE);
  const becomesWhole = layout[WHOLE] !== undefined;
  if (isWhole && becomesWhole) return { keep: have, destroy: [], create: [] };
  if (isWhole !== becomesWhole && (keepsMode || (isSpared && have.some(({ busy }) => busy)))) return undefined;
  if (becomesWhole) return { keep: [], destroy: have, create: [{ profile: WHOLE, start: 0 }] };
  const plan = planGpu(geometry, isWhole ? [] : have, layout, { mayDisturb: ({ busy }) => !isSpared || !busy });
  if (!plan.fits) return undefined;
  const { keep, destroy, create } = plan;
  return { keep, destroy: isWhole ? have : destroy, create };
}

/** Nodes whose GPUs change, which takes its time. */
class NodeChanges {
  readonly #fleet: SimulationFleet;
  readonly #pods: SimulatedPods;
  readonly #tally: Tally;
  readonly #finishing = new EndQueue<{ readonly node: FleetNode; readonly end: number }>();

  constructor(fleet: SimulationFleet, pods: SimulatedPods, tally: Tally) {
    this.#fleet = fleet;
    this.#pods = pods;
    this.#tally = tally;
  }

  /** The time at which the next node is done; infinite if none changes. */
  get nextEnd(): number {
    return this.#finishing.peek()?.end ?? Infinity;
  }

  /** What is in the way is evicted, and the node takes no pods until it is done. */
  begin(node: FleetNode, plans: readonly TargetPlan[], now: number, seconds: number): void {
    this.#fleet.close(node);
    const evicted = new Set<string>();
    for (const { gpu, plan } of plans) {
      const gone = new Set(plan.destroy.map(({ start }) => start));
      for (const slice of gpu.slices) {
        if (slice.task === undefined || !gone.has(slice.start)) continue;
        evicted.add(slice.profile);
        this.#pods.evict(slice.task, slice, now);
      }
      if (plan.destroy.length + plan.create.length === 0) continue;
      this.#tally.relay(now);
      // They exist from now on, and are offered once the node opens.
      this.#fleet.relay(gpu, plan.destroy, plan.create);
    }
    for (const profile of evicted) this.#pods.dispatch(profile, now);
    this.#finishing.add({ node, end: now + seconds });
  }

  /** The next node that is done offers its slices. */
  endNext(finish: (node: FleetNode) => void): void {
    const done = this.#finishing.takeUntil(this.nextEnd);
    if (done === undefined) return;
    finish(done.node);
    for (const profile of this.#fleet.open(done.node)) this.#pods.dispatch(profile, done.end);
  }
}

/** A change to make on a GPU. */
interface TargetPlan {
  readonly gpu: FleetGpu;
  readonly plan: SimulatedChange;
}

/** The layouts that GPUs are to get, until their node has its slot and they get them. */
class Targets {
  readonly #rollout: SimulatedRollout;
  readonly #policyOf: (node: FleetNode) => GpuPartitionPolicy | undefined;
  readonly #layouts = new Map<FleetGpu, Layout>();
  readonly #states = new Map<
    FleetGpu,
    { readonly version: number; readonly target: Layout | undefined; readonly state: PlayedState }
  >();

  constructor(rollout: SimulatedRollout, policyOf: (node: FleetNode) => GpuPartitionPolicy | undefined) {
    this.#rollout = rollout;
    this.#policyOf = policyOf;
  }

  aim(gpu: FleetGpu, layout: Layout): void {
    this.#layouts.set(gpu, layout);
    this.#request(gpu.node);
  }

  /** A change of a node is done; there may be another, which was asked for meanwhile. */
  finish(node: FleetNode): void {
    this.#rollout.settle(node.name);
    if (node.gpus.some((gpu) => this.#layouts.has(gpu))) this.#request(node);
  }

  /** Drops the GPU's planned layout: the GPU stays as it is. */
  drop(gpu: FleetGpu): void {
    if (this.#layouts.delete(gpu) && !gpu.node.gpus.some((one) => this.#layouts.has(one)))
      this.#rollout.settle(gpu.node.name);
  }

  /** A node has its slot: what is to be done on it, and forgets it as a target. */
  take(node: FleetNode): readonly TargetPlan[] {
    const plans = this.#plansOf(node);
    for (const gpu of node.gpus) this.#layouts.delete(gpu);
    return plans;
  }

  /** How a GPU stands, and will once what was chosen for it is done. */
  stateOf(gpu: FleetGpu): PlayedState {
    const target = this.#layouts.get(gpu);
    const known = this.#states.get(gpu);
    const isResting = gpu.isFixed || !gpu.node.isOpen || this.#isLeftWhole(gpu);
    if (known?.version === gpu.version && known.target === target && known.state.isResting === isResting)
      return known.state;
    const present = gpu.slices.map(({ profile, start, task }) => ({ profile, start, busy: task !== undefined }));
    const plan = target && this.#planFor(gpu, target);
    // What was chosen takes an eviction now, which its policy forbids.
    if (target !== undefined && plan === undefined) this.drop(gpu);
    const coming = plan && [
      ...plan.keep,
      ...plan.create.map(({ profile, start }) => ({ profile, start, busy: false })),
    ];
    const state = { present, instances: coming ?? present, isResting };
    this.#states.set(gpu, { version: gpu.version, target: this.#layouts.get(gpu), state });
    return state;
  }

  /** A demand that does not speak of whole GPUs leaves those alone that are in use. */
  #isLeftWhole({ node, slices }: FleetGpu): boolean {
    const { demand } = this.#policyOf(node)?.spec ?? {};
    const isInUse = slices.some(({ profile, task }) => profile === WHOLE && task !== undefined);
    return isInUse && demand !== undefined && !demand.slices.some(isWholeGpu);
  }

  #request(node: FleetNode): void {
    const gone = this.#plansOf(node).flatMap(({ plan }) => plan.destroy);
    this.#rollout.request(node.name, gone.filter(({ busy }) => busy).length, gone.length);
  }

  #plansOf(node: FleetNode): readonly TargetPlan[] {
    return node.gpus.flatMap((gpu) => {
      const target = this.#layouts.get(gpu);
      const plan = target && this.#planFor(gpu, target);
      return plan === undefined ? [] : [{ gpu, plan }];
    });
  }

  #planFor(gpu: FleetGpu, layout: Layout): SimulatedChange | undefined {
    return planChange(gpu, layout, evictsNever(this.#policyOf(gpu.node)));
  }
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

/** One side, from its start to its end. */
class Side {
  readonly #tally: Tally;
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
    this.#tally = new Tally(rules.days);
    this.#fleet = new SimulationFleet(start.nodes);
    this.#pods = new SimulatedPods(this.#fleet, this.#tally, new Random(rules.seed));
    this.#changes = new NodeChanges(this.#fleet, this.#pods, this.#tally);
    this.#demands = new FollowedDemands(this.#fleet.gpus, rules.planner);
    this.#phase = start.phases[0] ?? { at: 0, policyOf: new Map(), layouts: new Map() };
    this.#rollout = new SimulatedRollout(this.#phase.policyOf, start.cap);
    this.#targets = new Targets(this.#rollout, ({ name }) => this.#phase.policyOf.get(name));
  }

  play(): SideFigures {
    const { running, arrivals, days } = this.#rules;
    const { waiting } = this.#pods;
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
      const isDue = waiting.size > 0 || this.#rollout.isAsked || until % calmLookEvery === 0;
      if (isDue && until < days * DAY) this.#look(until);
    }
    this.#pods.finish(days * DAY);
    const gpus = this.#fleet.gpus.length;
    return this.#tally.sumUp(sizesOf(this.#start), gpus, (profile) => waiting.count(profile));
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
    const stateOf = (gpu: FleetGpu): PlayedState => this.#targets.stateOf(gpu);
    for (const { gpu, layout } of this.#demands.look(now, this.#pods.waiting, stateOf)) this.#targets.aim(gpu, layout);
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
  readonly refused: ReturnType<typeof startSides>['refused'];
  readonly #facts: ClusterFacts;
  readonly #gpuNodes: ReturnType<typeof startSides>['gpuNodes'];
  readonly #start: Omit<SimulationStart, keyof Load>;

  /** @param given policies of each side, before those of the snapshot */
  constructor(facts: ClusterFacts, given: readonly (readonly GpuPartitionPolicy[])[], rules: SceneRules) {
    const { gpuNodes, sides, refused, ignored } = startSides(facts, given, rules);
    this.nodes = sides[0]?.nodes ?? [];
    this.ignored = ignored;
    this.refused = refused;
    this.#facts = facts;
    this.#gpuNodes = gpuNodes;
    const { days, seed, startMs } = rules;
    this.#start = { sides, days, seed, startMs };
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

/** Plays each side with the same pods. The same input gives the same figures. */
export function simulate({ sides, ...rules }: SimulationStart, planner: PoolPlanner): readonly SideFigures[] {
  return sides.map((side) => new Side(side, { ...rules, planner }).play());
}
