// Room demand: which layouts the demand of a policy makes of its pool of GPUs, by what pods ask for.
// Ask here what a request to free slices says.
import { statusBounds } from '../../api/generated/gpu-partition-policy.bounds.ts';
import type { GpuPartitionPolicy, PolicySpec, PolicyStatus } from '../../api/types.ts';
import { defragAnnotation } from '../../api/names.ts';
import type { CostGap, DemandSlice, PoolInstance } from './solver/pool.ts';
import { isProfileNameError, parseProfile } from '../gpu/profiles.ts';
import { joinWords, countWords, fitWithin } from '../text/words.ts';
import { countPresent, writeLayout, type Geometry, type Layout } from '../gpu/geometry.ts';
import { compareText, deepEqual } from '../text/json.ts';
import { type DemandGpu, listPool, mostSlices, type PoolCluster } from './members.ts';
import {
  askFor,
  type DemandAsked,
  type Planned,
  type PlannedPool,
  type PlanQuestion,
  planServed,
} from './plan-pool.ts';
import { ranOutOfTime } from './report.ts';
import type { ClassLayout, ClassPlan } from './solver/choose.ts';
import { evictsNever } from '../policy/spec.ts';
import { judgeFate } from '../node/eviction.ts';
import { findMoves, indexHolders, type PoolHolders, weighGpus } from './eviction-cost.ts';
import { wantedSlices } from './wanted.ts';
import type { PolicyRecord } from '../policy/record.ts';

/** How a request to free slices stands: part of a policy's status, so that it is carried out once, whoever leads. */
type DefragState = NonNullable<PolicyStatus['defrag']>;

const beforeRequest = 1000;
const { request: requestBounds, message: messageBounds } = statusBounds.properties.defrag.properties;

/** Reads `3g.20gb=2,1g.5gb=1`. @returns what is wrong with it, in words, if something is */
export function readFree(text: string): Layout | string {
  const free: Record<string, number> = {};
  for (const part of text.split(',')) {
    const [, name = '', digits = ''] = /^\s*([^=\s]+)=(\d+)\s*$/.exec(part) ?? [];
    const count = Number(digits);
    if (count < 1) return `${JSON.stringify(part)} is not PROFILE=COUNT, for example 3g.20gb=2`;
    const profile = parseProfile(name);
    if (isProfileNameError(profile)) return profile.message;
    if (profile.computeInstanceSlices !== undefined)
      return `${name} is a compute instance; ask for its GPU instance, ${profile.instanceProfile}`;
    const total = (free[profile.name] ?? 0) + count;
    if (total > mostSlices) return `${profile.name}: more than ${mostSlices} slices`;
    free[profile.name] = total;
  }
  return free;
}

/** A policy's annotations. */
type Annotations = Readonly<Record<string, string>> | undefined;

/** Whether a state is that of what a policy's annotation requests now. The status has as much of the text as it takes. */
function isOfRequest(known: DefragState | undefined, annotations: Annotations): boolean {
  const text = annotations?.[defragAnnotation];
  return known?.request === (text === undefined ? undefined : fitWithin(text, requestBounds));
}

/** What a policy's annotation requests; undefined if nothing, or if it has been dealt with. */
function requestedFree(
  annotations: Annotations,
  known: DefragState | undefined,
): { readonly request: string; readonly free: ReturnType<typeof readFree> } | undefined {
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
function isFree(free: Layout, members: readonly DemandGpu[]): boolean {
  const idle = countPresent(members.flatMap(({ present }) => present.filter(({ busy }) => !busy)));
  return Object.entries(free).every(([profile, count]) => (idle.get(profile) ?? 0) >= count);
}

/** Says in words that no GPU has one of the profiles; undefined if some GPU has each, or none is known yet. */
function explainUnknown(free: Layout, members: readonly DemandGpu[]): string | undefined {
  const known = [...new Set(members.flatMap(({ gpu }) => gpu.geometry.profiles.map(({ name }) => name)))];
  const unknown = Object.keys(free).filter((profile) => !known.includes(profile));
  if (known.length === 0 || unknown.length === 0) return undefined;
  return `no GPU of the policy has profile ${joinWords(unknown)}; they have ${known.join(', ')}`;
}

/** A request by the annotation of a policy. */
interface FreeRequest {
  readonly request: string;
  readonly free: Layout;
}

/** A request for which slices are to be freed. */
interface Freeing extends FreeRequest {
  readonly asked: DemandAsked;
  /** The plan, if nothing has to change for it. */
  readonly served?: Planned | undefined;
  /**
   * How it stands once it is planned. Its plan is taken if each pod that goes finds room; should GPUs have changed meanwhile, so that
   * only a part of it still stands, it stands as in `part`.
   *
   * @param holders not needed for a plan that leaves something lacking
   */
  readonly judge: (
    planned: Planned,
    nodes: PoolCluster['nodes'],
    holders: PoolHolders | undefined,
  ) => { readonly defrag: DefragState; readonly part?: DefragState };
}

/**
 * How the request by a policy's annotation stands, and what is to be planned for it: nothing if there is none, if it is done or cannot be
 * read, or if it was planned before. It is planned once, so that it takes no more than its bill, whatever pods take the slices that it
 * frees.
 *
 * @param told what was told of the last request, if that is not in the policy's status yet
 */
export function judgeRequest(
  policy: Pick<GpuPartitionPolicy, 'metadata' | 'status'> | undefined,
  told: DefragState | undefined,
  asked: DemandAsked,
  members: readonly DemandGpu[],
): { readonly defrag: DefragState | undefined; readonly freeing?: Freeing } {
  const { annotations } = policy?.metadata ?? {};
  const known = policy?.status?.defrag;
  const requested = requestedFree(annotations, known);
  if (!requested) return { defrag: isOfRequest(known, annotations) ? known : undefined };
  const { request, free } = requested;
  if (typeof free === 'string') return { defrag: { request, state: 'Refused', message: free } };
  const unknown = explainUnknown(free, members);
  if (unknown !== undefined) return { defrag: { request, state: 'Refused', message: unknown } };
  if (isFree(free, members)) return { defrag: { request, state: 'Done', message: `${writeLayout(free)} were idle` } };
  const { state, request: before, message = '' } = told ?? known ?? {};
  // By this leader or another.
  if (before === request && state === 'Making' && message.endsWith(underWay))
    return { defrag: judgeMade({ request, free }, members) };
  const question = askToFree(asked, free, members);
  const judge: Freeing['judge'] = (...found) => judgePlanned({ request, free }, ...found);
  const freeing = { request, free, asked: question, served: planServed(members, question), judge };
  return { defrag: judgeTaken(freeing).defrag, freeing };
}

function judgePlanned(
  request: FreeRequest,
  planned: Planned,
  nodes: PoolCluster['nodes'],
  holders: PoolHolders | undefined,
): ReturnType<Freeing['judge']> {
  if (!holders || Object.keys(planned.shortfall.lacking).length > 0) return { defrag: judgeShortage(request, planned) };
  const { podOf, partitionOf } = holders;
  const pool = { members: planned.members, layouts: planned.layouts, partitionOf };
  const { obstacles } = findMoves(pool, nodes, podOf);
  if (obstacles.length === 0) return judgeTaken(request);
  return { defrag: refuse(request, `cannot be made idle: ${obstacles.join('; ')}`) };
}

function refuse({ request, free }: FreeRequest, why: string): DefragState {
  return { request, state: 'Refused', message: fitWithin(`${writeLayout(free)} ${why}`, messageBounds) };
}

/** What has become of a request that was planned. */
function judgeMade({ request, free }: FreeRequest, members: readonly DemandGpu[]): DefragState {
  const coming = members.some(({ gpu, present, lost, instead }) => {
    const there = lost?.counts === true ? [...present, ...lost.instances] : present;
    return instead === undefined && !deepEqual(countsOf(gpu.instances), countsOf(there));
  });
  if (coming) return judgeTaken({ request, free }).defrag;
  const failed = members.find(({ instead }) => instead !== undefined);
  if (failed) return refuse({ request, free }, `could not be made idle: node ${failed.node} does not change now`);
  const message = `${writeLayout(free)} were made idle as planned; pods have taken some of them since`;
  return { request, state: 'Done', message };
}

function countsOf(instances: DemandGpu['present']): readonly (readonly [string, number])[] {
  return [...countPresent(instances)].toSorted(([a], [b]) => compareText(a, b));
}

const underWay = 'within drain and rollout';

/** A request whose plan is taken, or of which only a part still stands: the rest is planned again. */
function judgeTaken({ request, free }: FreeRequest): { readonly defrag: DefragState; readonly part: DefragState } {
  const making = `making ${writeLayout(free)} idle`;
  return {
    defrag: { request, state: 'Making', message: `${making}, ${underWay}` },
    part: { request, state: 'Making', message: `${making}: a part is under way, the rest is planned again` },
  };
}

/** A request that no plan serves: it is refused, unless GPUs are left alone for now. */
function judgeShortage(
  { request, free }: FreeRequest,
  { members, shortfall: { lackingAtLeast, isSpared = true, isUnproven } }: Planned,
): DefragState {
  const alone = members.filter(({ gpu }) => gpu.isResting === true).length;
  if (alone > 0) {
    const message = `making ${writeLayout(free)} idle waits: ${countWords(alone, 'GPU')} may not change now, and the others do not suffice`;
    return { request, state: 'Making', message };
  }
  const isHeld = lackingAtLeast !== undefined && Object.keys(lackingAtLeast).length === 0;
  const why = isHeld
    ? `that takes evictions${isSpared ? ', which demand.evict Never forbids' : ' of pods that cannot be evicted'}`
    : isUnproven === true
      ? 'no room was found in the time for a plan, and there may be some: ask again, or for fewer'
      : 'there is no room beside the demand and what runs';
  return refuse({ request, free }, `cannot be made idle: ${why}`);
}

/** The new layout of a GPU, and what a picture of it takes. */
interface FreedGpu {
  readonly node: string;
  readonly index: number;
  readonly uuid: string;
  readonly product: string;
  readonly profiles: Layout;
  readonly destroy: readonly PoolInstance[];
  readonly create: readonly Pick<PoolInstance, 'profile' | 'start'>[];
  readonly geometry: Geometry;
  readonly now: readonly PoolInstance[];
  readonly keep: readonly PoolInstance[];
}

/** The moves that free slices, and their bill. */
interface FreedSlices {
  /** True if the slices are idle already. */
  readonly isDone: boolean;
  readonly isPossible: boolean;
  /** Whether it is proven that no other plan is cheaper. */
  readonly optimal: boolean;
  readonly gap?: CostGap;
  readonly gpusChanged: number;
  readonly instancesDestroyed: number;
  readonly moves: ReturnType<typeof findMoves>['moves'];
  /** GPUs that change. */
  readonly gpus: readonly FreedGpu[];
  /** Findings about what is in the way. */
  readonly findings: readonly string[];
}

/**
 * Finds the cheapest moves after which slices are idle, or the nearest to that and what is in the way. What waits, and runs beyond the
 * demand, is the controller's to follow; what runs keeps its slices in any case.
 *
 * @param read what the cluster says of the pods that hold slices
 * @param seconds that each plan may take
 * @returns in words why no GPU can have the slices, if so
 */
export function* freeSlices(
  free: Layout,
  record: PolicyRecord,
  cluster: PoolCluster,
  read: Parameters<typeof indexHolders>[0],
  seconds: number,
): Generator<PlanQuestion | undefined, FreedSlices | string, PlannedPool> {
  const { policy } = record;
  const members = yield* listPool(record, cluster);
  const unknown = explainUnknown(free, members);
  if (unknown !== undefined) return unknown;
  const { demand, drain } = policy.spec;
  const holders = indexHolders(read);
  const { partitionOf, podOf } = holders;
  const gpus = members.map(({ gpu }) => gpu);
  const weighed = weighGpus(members, holders, drain);
  const wanted = demand ? wantedSlices(demand, members) : [];
  const evict = evictsNever(policy) ? 'Never' : 'IfNeeded';
  const asked = askToFree({ ...askFor(policy, wanted), evict }, free, members);
  const best = yield { gpus: weighed, asked };
  const isHeld = weighed.some(({ instances }) => instances.some(({ stays }) => stays === true));
  // What is in the way, where that does not go.
  const plan = isHeld && Object.keys(best.unserved).length > 0 ? yield { gpus, asked } : best;
  const isShort = Object.keys(plan.unserved).length > 0;
  const forced = isShort && evict === 'Never' ? yield { gpus, asked: { ...asked, evict: 'IfNeeded' } } : undefined;
  const pool = { members, layouts: plan.layouts, partitionOf };
  const { moves, obstacles } = findMoves(pool, cluster.nodes, podOf);
  const shortage = explainUnfreed(plan, forced, seconds);
  const stays = moves.flatMap(({ pod }) => explainStay(pod, holders, drain));
  const findings = [...(shortage === undefined ? [] : [shortage]), ...stays, ...obstacles];
  const changed = members.flatMap((member, index) => layFreed(member, plan.layouts[index], partitionOf));
  return {
    isDone: isFree(free, members) && changed.length === 0,
    isPossible: findings.length === 0,
    optimal: plan.gap === undefined,
    ...(plan.gap && { gap: plan.gap }),
    gpusChanged: plan.cost.gpusChanged,
    instancesDestroyed: plan.cost.instancesDestroyed,
    moves,
    gpus: changed,
    findings,
  };
}

function explainStay(name: string, { podOf, budgets }: PoolHolders, drain: PolicySpec['drain']): readonly string[] {
  const pod = podOf(name);
  const { fate, message = 'spec.drain.scope None evicts nobody' } = pod
    ? judgeFate(pod, drain, { budgets })
    : { fate: 'Evicted' };
  return fate === 'Stays' || fate === 'Awaited' ? [`pod ${name} would have to go: ${message}`] : [];
}

function layFreed(
  { node, product, gpu, wish }: DemandGpu,
  layout: ClassLayout | undefined,
  partitionOf: PoolHolders['partitionOf'],
): readonly FreedGpu[] {
  const { keep = [], destroy = [], create = [] } = layout ?? {};
  if (destroy.length + create.length === 0) return [];
  const gpus = partitionOf(node)?.status?.device?.gpus ?? [];
  const index = gpus.find(({ uuid }) => uuid === wish.uuid)?.index ?? 0;
  const profiles = Object.fromEntries(countPresent([...keep, ...create]));
  const { geometry, instances: now } = gpu;
  return [{ node, index, uuid: wish.uuid, product, profiles, destroy, create, geometry, now, keep }];
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
