// Room demand: which layouts the demand of a policy makes of its pool of GPUs, by what pods ask for.
// Ask here who holds the slices of a pool, what it costs that they go, as a weight beside those of other pods, and where they could go.
import type { GpuNodePartition } from '../../api/types.ts';
import type { PoolGpu, PoolInstance } from './solver/pool.ts';
import { type BudgetView, judgeFate } from '../node/eviction.ts';
import type { PolicySpec } from '../../api/types.ts';
import type { ClassLayout } from './solver/choose.ts';
import { placeOf } from '../gpu/grid.ts';
import type { DemandGpu, PoolCluster } from './members.ts';
import { countPresent } from '../gpu/geometry.ts';
import { podName, type PodView } from '../kubernetes/pod.ts';
import { couldTake, requirementsKey } from '../cluster/facts.ts';
import { compareText } from '../text/json.ts';

/** What a pod's eviction costs beside another's. */
const usual = 10;
const forBudget = 1000;

/** Looks up who holds the slices of a pool, and what their evictions would meet. */
export interface PoolHolders extends HolderSource {
  /** Disruption budgets of all namespaces. */
  readonly budgets: readonly BudgetView[];
  /** Finds a pod by `NAMESPACE/NAME`; undefined: it is gone, or was not read. */
  readonly podOf: (name: string) => PodView | undefined;
}

/** The holders of a cluster as it was read. */
export function indexHolders({
  partitions,
  pods,
  budgets,
}: {
  readonly partitions: readonly GpuNodePartition[];
  readonly pods: readonly PodView[];
  readonly budgets: readonly BudgetView[];
}): PoolHolders {
  const byNode = new Map(partitions.map((one) => [one.metadata.name, one]));
  const byName = new Map(pods.map((pod) => [podName(pod), pod]));
  return { budgets, partitionOf: (node) => byNode.get(node), podOf: (name) => byName.get(name) };
}

/** Rules that spare holders beyond those whom no eviction moves. */
export interface Sparing {
  /** Nodes on which somebody may go for pods that wait; absent or empty: on all of them. */
  readonly nodes?: ReadonlySet<string> | undefined;
  /** Whether a pod is spared for now. */
  readonly isSpared?: (pod: PodView) => boolean;
  /** The time in ms since the epoch, which tells how long pods have run; absent: how long they have run counts for nothing. */
  readonly nowMs?: number | undefined;
}

/**
 * The GPUs of a pool with what it costs to free each slice in use, and how its pod ranks. One stays that no eviction frees: its pod is not
 * evicted, or no pod is known to use it.
 */
export function weighGpus(
  members: readonly DemandGpu[],
  holders: PoolHolders,
  drain: PolicySpec['drain'],
  sparing: Sparing = {},
): readonly PoolGpu[] {
  const { nodes = new Set() } = sparing;
  const isCoarse = members.length > mostForMinutes;
  const weighIn = (member: DemandGpu, one: PoolInstance): PoolInstance => {
    if (nodes.size > 0 && !nodes.has(member.node)) return { ...one, stays: true };
    const { minutesRun = 0, ...weighed } = weigh(one, member, holders, drain, sparing);
    return { ...weighed, ...(minutesRun > 0 && { minutesRun: isCoarse ? roundToPower(minutesRun) : minutesRun }) };
  };
  return members.map((member) => ({
    ...member.gpu,
    instances: member.gpu.instances.map((one) => (one.busy ? weighIn(member, one) : one)),
  }));
}

/**
 * The largest pool, in GPUs, in which each minute of lost work counts. Larger pools count powers of two: each minute would make a kind of
 * GPU of its own.
 */
const mostForMinutes = 500;

function roundToPower(minutes: number): number {
  return 2 ** Math.round(Math.log2(minutes));
}

function weigh(
  one: PoolInstance,
  member: DemandGpu,
  holders: PoolHolders,
  drain: PolicySpec['drain'],
  { isSpared, nowMs }: Sparing,
): PoolInstance {
  const costs = podsOnSlice(member, one, holders).map((name) => {
    const pod = holders.podOf(name);
    // It is gone, or has just come: nothing is known of how it ranks.
    if (pod === undefined) return { weight: usual, rank: Number.MAX_SAFE_INTEGER, minutes: 0 };
    if (isSpared?.(pod) === true) return undefined;
    const { spec: { priority = 0 } = {}, status: { startTime } = {} } = pod;
    const startedMs = startTime === undefined ? NaN : Date.parse(startTime);
    const minutes =
      nowMs === undefined || Number.isNaN(startedMs) ? 0 : Math.max(0, Math.round((nowMs - startedMs) / 60_000));
    const weight = weighEviction(judgeFate(pod, drain, holders).fate, priority, minutes);
    return weight === undefined ? undefined : { weight, rank: priority, minutes };
  });
  const known = costs.filter((cost) => cost !== undefined);
  if (known.length === 0 || known.length < costs.length) return { ...one, stays: true };
  return {
    ...one,
    evictionWeight: known.reduce((sum, { weight }) => sum + weight, 0),
    rank: Math.max(...known.map(({ rank }) => rank)),
    minutesRun: known.reduce((sum, { minutes }) => sum + minutes, 0),
  };
}

/** The pods that go for a plan, or for what was chosen before and is not done yet. @param layouts of a plan, in the order of the members */
export function listGoing(
  members: readonly DemandGpu[],
  layouts: readonly (Pick<ClassLayout, 'destroy'> | undefined)[],
  holders: PoolHolders,
): readonly PodView[] {
  return members.flatMap((member, index) => {
    const stays = new Set(member.gpu.instances.filter(({ busy }) => busy).map(placeOf));
    const gone = [
      ...member.present.filter((one) => one.busy && !stays.has(placeOf(one))),
      ...(layouts[index]?.destroy ?? []).filter(({ busy }) => busy),
    ];
    return gone.flatMap((one) => podsOnSlice(member, one, holders).flatMap((name) => holders.podOf(name) ?? []));
  });
}

/**
 * A pod of higher priority is dearer, by its order of magnitude: priorities have no unit. So is one that has run for long: as a pod more
 * for each time that its quarters of an hour have doubled.
 *
 * @returns undefined if no eviction moves it
 */
export function weighEviction(
  fate: ReturnType<typeof judgeFate>['fate'],
  priority = 0,
  minutesRun = 0,
): number | undefined {
  if (fate === 'Stays' || fate === 'Awaited') return undefined;
  if (fate === 'Blocked') return forBudget;
  const doublings = Math.floor(Math.log2(1 + minutesRun / 15));
  return usual + 10 * Math.ceil(Math.log10(1 + Math.max(0, priority))) + 10 * doublings;
}

/** A pod that needs slices of one node. */
export interface Mover {
  /** Equal for pods that need the same, and that the same nodes take. */
  readonly kind: string;
  /** Slices that the pod needs, by profile. */
  readonly needs: ReadonlyMap<string, number>;
  readonly takes: (node: string) => boolean;
}

/** A pod that would move on for the one before. */
interface Step {
  readonly mover: Mover;
  /** The node on which it has room; undefined for the pod that has none yet. */
  readonly from: string | undefined;
  readonly before: Step | undefined;
}

/** Idle slices, and the pods that they are meant for. */
export class MoveRooms {
  /** Idle slices by profile and node; no list is empty. */
  readonly #idle = new Map<string, Map<string, SlicePlace[]>>();
  readonly #given = new Map<Mover, readonly SlicePlace[]>();
  readonly #guests = new Map<string, Set<Mover>>();
  /** Kinds of which no more pods find room. */
  readonly #hopeless = new Set<string>();

  constructor(idle: readonly SlicePlace[]) {
    this.#add(idle);
  }

  /** The slices that are meant for a pod; undefined if none are. */
  of(mover: Mover): readonly SlicePlace[] | undefined {
    return this.#given.get(mover);
  }

  /** Finds room for one pod more. Others move on to other rooms for it, as few as possible, and lose none (augmenting paths). */
  place(mover: Mover): void {
    if (this.#hopeless.has(mover.kind)) return;
    // Breadth first. Of pods of one kind one is looked at: the others could go to the same nodes.
    const seen = new Set(this.#hopeless).add(mover.kind);
    const steps: Step[] = [{ mover, from: undefined, before: undefined }];
    for (const step of steps) {
      const node = this.#findIdle(step);
      if (node !== undefined) return this.#moveOn(step, node);
      for (const [from, guests] of this.#guests) {
        if (isOnWay(step, from)) continue;
        for (const guest of guests) {
          if (seen.has(guest.kind)) continue;
          if (!step.mover.takes(from)) break;
          if (!this.#holds(from, step.mover.needs, this.#given.get(guest))) continue;
          seen.add(guest.kind);
          steps.push({ mover: guest, from, before: step });
        }
      }
    }
    this.#hopeless.add(mover.kind);
  }

  #findIdle(step: Step): string | undefined {
    const { needs, takes } = step.mover;
    const [first = ''] = needs.keys();
    for (const node of this.#idle.get(first)?.keys() ?? [])
      if (!isOnWay(step, node) && this.#holds(node, needs) && takes(node)) return node;
    return undefined;
  }

  /** Moves the pods on the way: each takes the room that the next one leaves. */
  #moveOn(last: Step, node: string): void {
    let to = node;
    for (let step: Step | undefined = last; step !== undefined; step = step.before) {
      const { mover, from } = step;
      if (from !== undefined) this.#takeBack(mover, from);
      this.#give(mover, to);
      to = from ?? to;
    }
  }

  /** Whether a node has what is needed, idle or among some slices of it. */
  #holds(node: string, needs: Mover['needs'], besides: readonly SlicePlace[] = []): boolean {
    return [...needs].every(([profile, count]) => {
      const idle = this.#idle.get(profile)?.get(node)?.length ?? 0;
      return idle + besides.filter((one) => one.profile === profile).length >= count;
    });
  }

  #give(mover: Mover, node: string): void {
    const given = [...mover.needs].flatMap(([profile, count]) => {
      const byNode = this.#idle.get(profile);
      const places = byNode?.get(node) ?? [];
      const taken = places.splice(0, count);
      if (places.length === 0) byNode?.delete(node);
      return taken;
    });
    this.#given.set(mover, given);
    this.#guests.set(node, (this.#guests.get(node) ?? new Set<Mover>()).add(mover));
  }

  #takeBack(mover: Mover, node: string): void {
    this.#add(this.#given.get(mover) ?? []);
    this.#guests.get(node)?.delete(mover);
  }

  #add(places: readonly SlicePlace[]): void {
    for (const place of places) {
      const byNode = this.#idle.get(place.profile) ?? new Map<string, SlicePlace[]>();
      this.#idle.set(place.profile, byNode);
      byNode.set(place.node, [...(byNode.get(place.node) ?? []), place]);
    }
  }
}

function isOnWay(last: Step, node: string): boolean {
  for (let step: Step | undefined = last; step !== undefined; step = step.before) if (step.from === node) return true;
  return false;
}

/** A slice on a node. */
export interface SlicePlace {
  readonly node: string;
  readonly gpu: number;
  readonly profile: string;
  readonly start: number;
}

/** A pod that has to go, and where it could go. */
interface PodMove {
  /** `NAMESPACE/NAME` */
  readonly pod: string;
  /** Slices that the pod holds now. */
  readonly from: readonly SlicePlace[];
  /** Slices that are idle once the plan is done, all on one node; undefined if none that the pod may use are left. */
  readonly to: readonly SlicePlace[] | undefined;
}

/** What agents have reported, with the pods that hold slices. */
interface HolderSource {
  readonly partitionOf: (node: string) => GpuNodePartition | undefined;
}

/** What is planned for a pool, GPU by GPU. */
interface LaidPool extends HolderSource {
  readonly members: readonly DemandGpu[];
  readonly layouts: readonly Pick<ClassLayout, 'keep' | 'destroy' | 'create'>[];
}

interface Holding extends SlicePlace {
  readonly pods: readonly string[];
}

/** Busy slices that a plan destroys and that no pod is known to hold: nothing can move who uses them. */
function listUnnamed(pool: LaidPool): readonly SlicePlace[] {
  return listTaken(pool).flatMap(({ pods, ...place }) => (pods.length === 0 ? [place] : []));
}

/** Busy slices that a plan destroys. */
function listTaken({ members, layouts, partitionOf }: LaidPool): readonly Holding[] {
  return members.flatMap((member, index) =>
    (layouts[index]?.destroy ?? []).filter(({ busy }) => busy).map((one) => holdingOf(member, one, partitionOf)),
  );
}

/**
 * The pods that a plan evicts, and an idle slice of the same profiles for each, on a node that would take it. The scheduler decides in
 * the end; this shows that there is room.
 */
function listMoves(
  pool: LaidPool,
  nodes: PoolCluster['nodes'],
  podOf: (name: string) => PodView | undefined,
): readonly PodMove[] {
  const { members, layouts, partitionOf } = pool;
  const held = members.flatMap((member) =>
    member.gpu.instances.filter(({ busy }) => busy).map((one) => holdingOf(member, one, partitionOf)),
  );
  const going = new Set(listTaken(pool).flatMap(({ pods }) => pods));
  const isLeft = ({ pods }: Holding): boolean => pods.length > 0 && pods.every((pod) => going.has(pod));
  const idle = members.flatMap((member, index) => {
    const { keep = [], create = [] } = layouts[index] ?? {};
    const kept = keep.filter((one) => !one.busy || isLeft(holdingOf(member, one, partitionOf)));
    return [...kept, ...create].map((one) => placeOn(member, one, partitionOf));
  });
  const heldBy = new Map<string, SlicePlace[]>([...going].map((pod) => [pod, []]));
  for (const { pods, ...place } of held) for (const pod of pods) heldBy.get(pod)?.push(place);
  const rooms = new MoveRooms(idle);
  const moverOf = readMovers(nodes, podOf);
  const movers = [...heldBy].map(([pod, from]) => ({ pod, from, mover: moverOf(pod, countPresent(from)) }));
  // Several slices on one node are hardest to find.
  for (const { mover } of movers.toSorted((a, b) => b.from.length - a.from.length || compareText(a.pod, b.pod)))
    rooms.place(mover);
  return movers
    .map(({ pod, from, mover }): PodMove => ({ pod, from, to: rooms.of(mover) }))
    .toSorted((a, b) => compareText(a.pod, b.pod));
}

/** The pods that a plan evicts, each with a place for it, and what is in the way of that, in words. */
export function findMoves(
  pool: LaidPool,
  nodes: PoolCluster['nodes'],
  podOf: PoolHolders['podOf'],
): { readonly moves: readonly PodMove[]; readonly obstacles: readonly string[] } {
  const moves = listMoves(pool, nodes, podOf);
  return { moves, obstacles: explainMoves(pool, moves) };
}

/** What is in the way of moves, in words; none if each pod finds room, and each user of a slice that goes can be moved. */
function explainMoves(pool: LaidPool, moves: readonly PodMove[]): readonly string[] {
  return [
    ...listUnnamed(pool).map(
      ({ node, gpu, profile, start }) =>
        `node ${node}: GPU ${gpu}: ${profile} at ${start} is in use by something that belongs to no pod, which nothing can move`,
    ),
    ...moves.flatMap(({ pod, to }) =>
      to === undefined
        ? [`pod ${pod} would find no idle slice on a node that its selectors and tolerations allow`]
        : [],
    ),
  ];
}

/** Nodes are asked once for all pods that require the same of them. */
function readMovers(
  nodes: PoolCluster['nodes'],
  podOf: (name: string) => PodView | undefined,
): (pod: string, needs: Mover['needs']) => Mover {
  const known = new Map<string, Mover['takes']>();
  return (name, needs) => {
    const pod = podOf(name);
    const requirements = pod === undefined ? 'unknown' : requirementsKey(pod);
    const answers = new Map<string, boolean>();
    const ask = (key: string): boolean => {
      const node = nodes.get(key);
      return node === undefined || pod === undefined || couldTake(node, pod);
    };
    const takes =
      known.get(requirements) ??
      ((node: string): boolean => {
        const isTaken = answers.get(node) ?? ask(node);
        answers.set(node, isTaken);
        return isTaken;
      });
    known.set(requirements, takes);
    return { kind: JSON.stringify([requirements, ...needs]), needs, takes };
  };
}

type Instance = Pick<SlicePlace, 'profile' | 'start'>;

function placeOn(
  { node, wish }: DemandGpu,
  { profile, start }: Instance,
  partitionOf: LaidPool['partitionOf'],
): SlicePlace {
  const gpus = partitionOf(node)?.status?.device?.gpus ?? [];
  return { node, gpu: gpus.find(({ uuid }) => uuid === wish.uuid)?.index ?? 0, profile, start };
}

function holdingOf(member: DemandGpu, one: Instance, partitionOf: LaidPool['partitionOf']): Holding {
  const place = placeOn(member, one, partitionOf);
  const gpu = partitionOf(member.node)?.status?.device?.gpus?.find(({ uuid }) => uuid === member.wish.uuid);
  const found = gpu?.instances.find(({ profile, start }) => profile === one.profile && start === one.start);
  // A pod that holds a whole GPU holds all that is on it, in MIG mode too.
  return { ...place, pods: [...(found?.pods ?? []), ...(gpu?.pods ?? [])] };
}

/** Pods that hold a slice, by `NAMESPACE/NAME`. */
function podsOnSlice(member: DemandGpu, one: Instance, { partitionOf }: HolderSource): readonly string[] {
  return holdingOf(member, one, partitionOf).pods;
}
