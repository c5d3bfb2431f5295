import type { GpuNodePartition } from '../../api/types.ts';
import type { ClassLayout } from '../demand/demand-plan.ts';
import { couldTake, requirementsKey } from '../explain/judge.ts';
import type { NodeView } from '../node/node-view.ts';
import { compareText } from '../text/fingerprint.ts';
import { countPresent } from './count.ts';
import type { Member } from './member.ts';
import { type Mover, MoveRooms } from './move-rooms.ts';
import type { PodView } from '../pods/pod-view.ts';

/** A slice on a node. */
export interface SlicePlace {
  readonly node: string;
  readonly gpu: number;
  readonly profile: string;
  readonly start: number;
}

/** A pod that has to go, and where it could go. */
export interface PodMove {
  /** `NAMESPACE/NAME` */
  readonly pod: string;
  /** What it holds now. */
  readonly from: readonly SlicePlace[];
  /** Slices that are idle once the plan is done, all on one node; undefined if none that the pod may use are left. */
  readonly to: readonly SlicePlace[] | undefined;
}

/** What agents have reported, with the pods that hold slices. */
export interface HolderSource {
  readonly partitionOf: (node: string) => GpuNodePartition | undefined;
}

/** What is planned for a pool, GPU by GPU. */
export interface LaidPool extends HolderSource {
  readonly members: readonly Member[];
  readonly layouts: readonly Pick<ClassLayout, 'keep' | 'destroy' | 'create'>[];
}

/** Nodes by name. */
export interface NodesByName {
  get(name: string): NodeView | undefined;
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
export function listMoves(
  pool: LaidPool,
  nodes: NodesByName,
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

/** What is in the way of moves, in words; none if each pod finds room, and something moves whoever uses what goes. */
export function explainMoves(pool: LaidPool, moves: readonly PodMove[]): readonly string[] {
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
  nodes: NodesByName,
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
  { node, wish }: Member,
  { profile, start }: Instance,
  partitionOf: LaidPool['partitionOf'],
): SlicePlace {
  const gpus = partitionOf(node)?.status?.device?.gpus ?? [];
  return { node, gpu: gpus.find(({ uuid }) => uuid === wish.uuid)?.index ?? 0, profile, start };
}

function holdingOf(member: Member, one: Instance, partitionOf: LaidPool['partitionOf']): Holding {
  const place = placeOn(member, one, partitionOf);
  const gpu = partitionOf(member.node)?.status?.device?.gpus?.find(({ uuid }) => uuid === member.wish.uuid);
  const found = gpu?.instances.find(({ profile, start }) => profile === one.profile && start === one.start);
  // A pod that holds a whole GPU holds all that is on it, in MIG mode too.
  return { ...place, pods: [...(found?.pods ?? []), ...(gpu?.pods ?? [])] };
}

/** Pods that hold a slice, by `NAMESPACE/NAME`. */
export function holdersOf(member: Member, one: Instance, { partitionOf }: HolderSource): readonly string[] {
  return holdingOf(member, one, partitionOf).pods;
}
