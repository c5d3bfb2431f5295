import type { GpuNodePartition } from '../../api/types.ts';
import type { ClassLayout } from '../demand/demand-plan.ts';
import { couldTake } from '../explain/could-take.ts';
import type { WorkloadPod } from '../explain/workload.ts';
import type { NodeView } from '../node/node-view.ts';
import { compareText } from '../text/fingerprint.ts';
import { countPresent } from './count.ts';
import type { Member } from './member.ts';

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

interface Holding extends SlicePlace {
  readonly pods: readonly string[];
}

/** Busy slices that a plan destroys and that no pod is known to hold: nothing can move who uses them. */
export function listUnnamed({ members, layouts, partitionOf }: LaidPool): readonly SlicePlace[] {
  return members.flatMap((member, index) =>
    (layouts[index]?.destroy ?? [])
      .filter(({ busy }) => busy)
      .map((one) => holdingOf(member, one, partitionOf))
      .flatMap(({ pods, ...place }) => (pods.length === 0 ? [place] : [])),
  );
}

/**
 * The pods that a plan evicts, and an idle slice of the same profiles for each, on a node that would take it. The scheduler decides in
 * the end; this shows that there is room.
 */
export function listMoves(
  pool: LaidPool,
  nodes: ReadonlyMap<string, NodeView>,
  podOf: (name: string) => WorkloadPod | undefined,
): readonly PodMove[] {
  const { members, layouts, partitionOf } = pool;
  const held = members.flatMap((member) =>
    member.gpu.instances.filter(({ busy }) => busy).map((one) => holdingOf(member, one, partitionOf)),
  );
  const going = new Set(
    members.flatMap((member, index) =>
      (layouts[index]?.destroy ?? []).flatMap((one) => (one.busy ? holdingOf(member, one, partitionOf).pods : [])),
    ),
  );
  const isLeft = ({ pods }: Holding): boolean => pods.length > 0 && pods.every((pod) => going.has(pod));
  const idle = members.flatMap((member, index) => {
    const { keep = [], create = [] } = layouts[index] ?? {};
    const kept = keep.filter((one) => !one.busy || isLeft(holdingOf(member, one, partitionOf)));
    return [...kept, ...create].map((one) => placeOn(member, one, partitionOf));
  });
  const heldBy = new Map<string, SlicePlace[]>([...going].map((pod) => [pod, []]));
  for (const { pods, ...place } of held) for (const pod of pods) heldBy.get(pod)?.push(place);
  const rooms = new Map<string, readonly SlicePlace[]>(Map.groupBy(idle, ({ node }) => node));
  return [...going].toSorted(compareText).map((pod): PodMove => {
    const from = heldBy.get(pod) ?? [];
    const known = podOf(pod);
    const takes = (name: string): boolean => {
      const node = nodes.get(name);
      return node === undefined || known === undefined || couldTake(node, known);
    };
    return { pod, from, to: takeRoom(rooms, from, takes) };
  });
}

/** Takes the same slices on the first node that has them all. @returns undefined if no node has */
function takeRoom(
  rooms: Map<string, readonly SlicePlace[]>,
  from: readonly SlicePlace[],
  takes: (node: string) => boolean,
): readonly SlicePlace[] | undefined {
  const needs = [...countPresent(from)];
  for (const [node, places] of rooms) {
    const to = needs.flatMap(([profile, count]) => places.filter((one) => one.profile === profile).slice(0, count));
    if (to.length < from.length || !takes(node)) continue;
    const left = places.filter((one) => !to.includes(one));
    if (left.length > 0) rooms.set(node, left);
    else rooms.delete(node);
    return to;
  }
  return undefined;
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
  // Of a whole GPU the pods are its own.
  return { ...place, pods: found?.pods ?? (gpu?.mig === 'Enabled' ? [] : (gpu?.pods ?? [])) };
}

/** Pods that hold a slice, by `NAMESPACE/NAME`. */
export function holdersOf(member: Member, one: Instance, { partitionOf }: HolderSource): readonly string[] {
  return holdingOf(member, one, partitionOf).pods;
}
