import { statusBounds } from '../../api/generated/gpu-partition-policy.bounds.ts';
import type { PolicyStatus, GpuNodePartition } from '../../api/types.ts';
import { defragAnnotation } from '../../api/names.ts';
import type { DemandSlice } from './solver/pool.ts';
import type { Layout } from '../gpu/geometry.ts';
import { isProfileNameError, parseProfile } from '../gpu/profiles.ts';
import { joinWords, writeLayout } from '../gpu/layout.ts';
import { countWords, fitWithin } from '../text/words.ts';
import { compareText, deepEqual } from '../text/json.ts';
import { countPresent, mostSlices, type DemandGpu } from './members.ts';
import type { DemandAsked } from './plan-pool.ts';
import { type Shortfall, ranOutOfTime } from './report.ts';
import type { ClassLayout, ClassPlan } from './solver/choose.ts';
import { couldTake, requirementsKey } from '../cluster/judge.ts';
import type { NodeView } from '../kubernetes/node.ts';
import type { PodView } from '../kubernetes/pod.ts';

/** How a request to free slices stands: part of a policy's status, so that it is carried out once, whoever leads. */
export type DefragState = NonNullable<PolicyStatus['defrag']>;

const beforeRequest = 1000;
const { request: requestBounds, message: messageBounds } = statusBounds.properties.defrag.properties;

/** Reads `3g.20gb=2,1g.5gb=1`. @returns what is wrong with it, in words, if something is */
export function readFree(text: string): Layout | { readonly error: string } {
  const free: Record<string, number> = {};
  for (const part of text.split(',')) {
    const [, name = '', digits = ''] = /^\s*([^=\s]+)=(\d+)\s*$/.exec(part) ?? [];
    const count = Number(digits);
    if (count < 1) return { error: `${JSON.stringify(part)} is not PROFILE=COUNT, for example 3g.20gb=2` };
    const profile = parseProfile(name);
    if (isProfileNameError(profile)) return { error: profile.message };
    if (profile.computeInstanceSlices !== undefined)
      return { error: `${name} is a compute instance; ask for its GPU instance, ${profile.instanceProfile}` };
    const total = (free[profile.name] ?? 0) + count;
    if (total > mostSlices) return { error: `${profile.name}: more than ${mostSlices} slices` };
    free[profile.name] = total;
  }
  return free;
}

/** A request by the annotation of a policy. */
interface FreeRequest {
  readonly request: string;
  readonly free: ReturnType<typeof readFree>;
}

/** A policy's annotations. */
type Annotations = Readonly<Record<string, string>> | undefined;

/** Whether a state is that of what a policy's annotation requests now. The status has as much of the text as it takes. */
export function isOfRequest(known: DefragState | undefined, annotations: Annotations): boolean {
  const text = annotations?.[defragAnnotation];
  return known?.request === (text === undefined ? undefined : fitWithin(text, requestBounds));
}

/** What a policy's annotation requests; undefined if nothing, or if it has been dealt with. */
export function requestedFree(annotations: Annotations, known: DefragState | undefined): FreeRequest | undefined {
  const text = annotations?.[defragAnnotation];
  if (text === undefined || (isOfRequest(known, annotations) && known?.state !== 'Making')) return undefined;
  // What follows the slices only tells one request from the next. People write blanks around the commas.
  const [slices = ''] = /^\s*[^\s,]*(?:\s*,\s*[^\s,]*)*/.exec(text) ?? [];
  return { request: fitWithin(text, requestBounds), free: readFree(slices) };
}

/**
 * The same question, with slices that are to be idle: whatever runs keeps a slice of its profile, so that a pod that is evicted finds
 * another, and as many more are offered. Slices that the policy wants idle count.
 */
export function askToFree({ slices, evict }: DemandAsked, free: Layout, members: readonly DemandGpu[]): DemandAsked {
  const instances = members.flatMap(({ gpu }) => gpu.instances);
  const left = new Map(countPresent(instances.filter(({ busy }) => busy)));
  const idle = new Map<string, number>();
  const take = (profile: string, most: number): number => {
    const taken = Math.min(most, left.get(profile) ?? 0);
    left.set(profile, (left.get(profile) ?? 0) - taken);
    return taken;
  };
  const exact = slices.flatMap((slice): readonly DemandSlice[] => {
    const [only, ...others] = slice.profiles;
    if (only !== undefined && others.length === 0) {
      idle.set(only, (idle.get(only) ?? 0) + slice.count - take(only, slice.count));
      return [slice];
    }
    // A pod's profile is fixed, though any of several serves the policy.
    let rest = slice.count;
    const used = slice.profiles.flatMap((profile): readonly DemandSlice[] => {
      const count = take(profile, rest);
      rest -= count;
      return count === 0 ? [] : [{ ...slice, name: `${slice.name}/used ${profile}`, profiles: [profile], count }];
    });
    return [...used, { ...slice, count: rest }];
  });
  const kept = [...left].flatMap(([profile, count]) => (count > 0 ? [sliceOf('used', profile, count, members)] : []));
  const freed = Object.entries(free).flatMap(([profile, count]) => {
    const lacking = count - (idle.get(profile) ?? 0);
    return lacking > 0 ? [sliceOf('free', profile, lacking, members)] : [];
  });
  return { slices: [...exact, ...kept, ...freed], evict };
}

function sliceOf(what: 'used' | 'free', profile: string, count: number, members: readonly DemandGpu[]): DemandSlice {
  const sizes = members.flatMap(({ gpu }) =>
    gpu.geometry.profiles.flatMap(({ name, memorySlices }) => (name === profile ? [memorySlices] : [])),
  );
  const size = sizes.length === 0 ? 1 : Math.max(1, Math.min(...sizes));
  // Where not everything fits, it is the request that goes short.
  const weight = what === 'used' ? beforeRequest * size : size;
  return { name: `${what} ${profile}`, profiles: [profile], count, weight };
}

/** Whether so many slices are idle now. */
export function isFree(free: Layout, members: readonly DemandGpu[]): boolean {
  const idle = countPresent(members.flatMap(({ present }) => present.filter(({ busy }) => !busy)));
  return Object.entries(free).every(([profile, count]) => (idle.get(profile) ?? 0) >= count);
}

/** Says in words that no GPU has one of the profiles; undefined if some GPU has each, or none is known yet. */
export function explainUnknown(free: Layout, members: readonly DemandGpu[]): string | undefined {
  const known = [...new Set(members.flatMap(({ gpu }) => gpu.geometry.profiles.map(({ name }) => name)))];
  const unknown = Object.keys(free).filter((profile) => !known.includes(profile));
  if (known.length === 0 || unknown.length === 0) return undefined;
  return `no GPU of the policy has profile ${joinWords(unknown)}; they have ${known.join(', ')}`;
}

/** How a request stands, and what is asked of the planner for it: nothing if it is done, or cannot be read. */
export function judgeRequest(
  { request, free }: FreeRequest,
  asked: DemandAsked,
  members: readonly DemandGpu[],
): { readonly defrag: DefragState; readonly freeing?: DemandAsked } {
  if (hasError(free)) return { defrag: { request, state: 'Refused', message: free.error } };
  const unknown = explainUnknown(free, members);
  if (unknown !== undefined) return { defrag: { request, state: 'Refused', message: unknown } };
  if (isFree(free, members)) return { defrag: { request, state: 'Done', message: `${writeLayout(free)} were idle` } };
  const message = `making ${writeLayout(free)} idle, ${underWay}`;
  return { defrag: { request, state: 'Making', message }, freeing: askToFree(asked, free, members) };
}

/** A request whose plan takes more than the command would: it is refused, by the same judge. @param why see `explainMoves` */
export function refuseMoves({ request, free }: FreeRequest, why: readonly string[]): DefragState {
  const slices = hasError(free) ? '' : writeLayout(free);
  return {
    request,
    state: 'Refused',
    message: fitWithin(`${slices} cannot be made idle: ${why.join('; ')}`, messageBounds),
  };
}

/**
 * What has become of a request that was planned: it is planned once, so that it takes no more than its bill, whatever pods take the slices
 * that it frees.
 *
 * @returns undefined while what was chosen is being made
 */
export function judgeMade({ request, free }: FreeRequest, members: readonly DemandGpu[]): DefragState | undefined {
  if (hasError(free) || isFree(free, members)) return undefined;
  const coming = members.some(({ gpu, present, lost, instead }) => {
    const there = lost?.counts === true ? [...present, ...lost.instances] : present;
    return instead === undefined && !deepEqual(countsOf(gpu.instances), countsOf(there));
  });
  if (coming) return undefined;
  const failed = members.find(({ instead }) => instead !== undefined);
  const slices = writeLayout(free);
  return failed === undefined
    ? { request, state: 'Done', message: `${slices} were made idle as planned; pods have taken some of them since` }
    : {
        request,
        state: 'Refused',
        message: `${slices} could not be made idle: node ${failed.node} does not change now`,
      };
}

function countsOf(instances: DemandGpu['present']): readonly (readonly [string, number])[] {
  return [...countPresent(instances)].toSorted(([a], [b]) => compareText(a, b));
}

/** Whether a request was planned before, by this leader or another. */
export function wasPlanned({ request }: FreeRequest, known: DefragState | undefined): boolean {
  return known?.request === request && known.state === 'Making' && known.message.endsWith(underWay);
}

const underWay = 'within drain and rollout';

/** A request of whose plan only a part still stands, as GPUs have changed meanwhile: the rest is planned again. */
export function judgePart({ request, free }: FreeRequest): DefragState {
  const slices = hasError(free) ? '' : writeLayout(free);
  return { request, state: 'Making', message: `making ${slices} idle: a part is under way, the rest is planned again` };
}

/** A request that no plan serves: it is refused, unless GPUs are left alone for now. */
export function judgeShortage(
  { request, free }: FreeRequest,
  {
    members,
    shortfall: { lackingAtLeast, isSpared = true, isUnproven },
  }: { readonly members: readonly DemandGpu[]; readonly shortfall: Shortfall },
): DefragState {
  const slices = hasError(free) ? '' : writeLayout(free);
  const alone = members.filter(({ gpu }) => gpu.isResting === true).length;
  if (alone > 0) {
    const message = `making ${slices} idle waits: ${countWords(alone, 'GPU')} may not change now, and the others do not suffice`;
    return { request, state: 'Making', message };
  }
  const isHeld = lackingAtLeast !== undefined && Object.keys(lackingAtLeast).length === 0;
  const why = isHeld
    ? `that takes evictions${isSpared ? ', which demand.evict Never forbids' : ' of pods that cannot be evicted'}`
    : isUnproven === true
      ? 'no room was found in the time for a plan, and there may be some: ask again, or for fewer'
      : 'there is no room beside the demand and what runs';
  return { request, state: 'Refused', message: `${slices} cannot be made idle: ${why}` };
}

function hasError(free: FreeRequest['free']): free is { readonly error: string } {
  return typeof free['error'] === 'string';
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
export interface PodMove {
  /** `NAMESPACE/NAME` */
  readonly pod: string;
  /** Slices that the pod holds now. */
  readonly from: readonly SlicePlace[];
  /** Slices that are idle once the plan is done, all on one node; undefined if none that the pod may use are left. */
  readonly to: readonly SlicePlace[] | undefined;
}

/** What agents have reported, with the pods that hold slices. */
export interface HolderSource {
  readonly partitionOf: (node: string) => GpuNodePartition | undefined;
}

/** What is planned for a pool, GPU by GPU. */
interface LaidPool extends HolderSource {
  readonly members: readonly DemandGpu[];
  readonly layouts: readonly Pick<ClassLayout, 'keep' | 'destroy' | 'create'>[];
}

/** Nodes by name. */
interface NodesByName {
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
export function podsOnSlice(member: DemandGpu, one: Instance, { partitionOf }: HolderSource): readonly string[] {
  return holdingOf(member, one, partitionOf).pods;
}

/** What a plan that frees slices leaves lacking, and whether that is proven. */
type Freed = Pick<ClassPlan, 'unserved' | 'gap'>;

/**
 * Why slices cannot be freed, in words; undefined if they can.
 *
 * @param plan for what `askToFree` asks
 * @param forced the same with evictions, where the policy forbids them
 * @param seconds that each plan might take
 */
export function explainUnfreed(plan: Freed, forced: Freed | undefined, seconds: number): string | undefined {
  const { unserved } = plan;
  if (Object.keys(unserved).length === 0) return undefined;
  const words = sayLacking(unserved);
  const isFreed = forced !== undefined && Object.keys(forced.unserved).length === 0;
  if (ranOutOfTime(plan) || (forced !== undefined && ranOutOfTime(forced)))
    return `no room was found for ${words} within ${seconds} s, and there may be some: raise --time-limit`;
  if (isFreed)
    return `${words} could be freed only by evicting pods, which demand.evict Never of the policy forbids: set it to IfNeeded`;
  const isAsked = Object.keys(unserved).some((name) => name.startsWith('free '));
  const otherwise = isAsked ? 'free fewer' : 'have the demand want less';
  return `there is no room for ${words} beside what runs: add GPUs, or ${otherwise}`;
}

/** `1 of 3g.20gb and 2 of small (of the demand)` */
function sayLacking(unserved: Freed['unserved']): string {
  const counts = new Map<string, number>();
  for (const [name, count] of Object.entries(unserved)) {
    const what = sayName(name);
    counts.set(what, (counts.get(what) ?? 0) + count);
  }
  return joinWords([...counts].map(([what, count]) => `${count} of ${what}`));
}

/** Names are those of `askToFree`; no slice of a policy has one with a space. */
function sayName(name: string): string {
  const [, free] = /^free (.+)$/.exec(name) ?? [];
  const [, used] = /(?:^|\/)used (.+)$/.exec(name) ?? [];
  if (free !== undefined) return free;
  return used === undefined ? `${name.split('/')[0]} (of the demand)` : `${used} (in use)`;
}
