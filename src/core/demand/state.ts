// Room demand: which layouts the demand of a policy makes of its pool of GPUs, by what pods ask for.
// Ask here what a controller remembers of a demand between plans, who holds the slices of its pool, or what the demand would choose without a past.
import type { GpuNodePartition, GpuPartitionPolicy, PolicyDemand, PolicyStatus } from '../../api/types.ts';
import { steadyKeyOf, type WantedSlice, wantedSlices } from './wanted.ts';
import {
  askFor,
  isSamePool,
  listChanged,
  takeStanding,
  wishesOf,
  type DemandAsked,
  layRest,
  type Planned,
  type PlannedPool,
  planMembers,
  type PlanQuestion,
  planServed,
} from './plan-pool.ts';
import { freeSlices, judgeRequest } from './defrag.ts';
import { indexHolders, listGoing, type PoolHolders, weighGpus } from './eviction-cost.ts';
import type { BudgetView } from '../node/eviction.ts';
import { podTrimmer } from '../cluster/kept-pods.ts';
import { type KueueReading, readShare, type WaitingReading } from './kueue.ts';
import { reportPool } from './report.ts';
import type { PoolGpu } from './solver/pool.ts';
import type { DemandReport } from '../policy/spec.ts';
import type { PolicyRecord } from '../policy/record.ts';
import type { SliceEntry, DemandWishes } from '../policy/spec.ts';
import { podName, type PodView } from '../kubernetes/pod.ts';
import type { Layout } from '../gpu/geometry.ts';
import { durationMs } from '../text/syntax.ts';
import { deepEqual, omitUndefined } from '../text/json.ts';
import { stabilizationMs, type DemandGpu, listPool, type PoolCluster, setMembersAside } from './members.ts';
import { type PoolShare, trimWaitingPod, type WaitingPods, type WaitingSlices } from './waiting-pods.ts';

/** A plan that leaves something unserved is made again when the pool changes, but takes at most this part of the time. */
const mostShare = 0.1;
const usualCooldown = '30m';
/** A higher demand must last this long, unless the stabilization is shorter. */
const longestRiseMs = 60_000;
/** How often waiting pods are read at most, and at least, in ms. */
const podsPace = { least: 1000, most: 10_000 };
/** How often it is looked whether GPUs have rested, or pods may be evicted by now, in ms. */
const restPaceMs = 30_000;
/** Priorities and disruption budgets change, which nothing tells: a shortage is planned again after so long, in ms. */
const weightsLastMs = 60_000;

/** Whether a demand follows what pods ask for. */
export function followsPods({ from = 'Declared' }: PolicyDemand): boolean {
  return from !== 'Declared';
}

type Steady = NonNullable<NonNullable<Parameters<typeof wantedSlices>[2]>['steady']>;

/** What is to be done about a demand: nothing or what is known, later, or a plan must be made. */
type NextPlan = { readonly planned: Planned } | { readonly waitMs: number } | undefined;

/** What a leader that begins to follow a demand knows of it. */
interface KnownDemand {
  /** Whether no node was ever told of the policy: what pods ask for first counts at once. */
  readonly isNew: boolean;
  /** What pods had asked for long enough, by slice. */
  readonly steady?: PolicyStatus['steady'];
  /** The time at which the leader begins to follow the demand, in ms. */
  readonly sinceMs: number;
}

/** What a leader knows of the demand of a policy when it begins to follow it. @param status of the policy */
export function recallDemand(
  record: PolicyRecord,
  status: PolicyStatus | undefined,
  partitions: PoolCluster['partitions'],
  nowMs: number,
): KnownDemand {
  const { steady } = status ?? {};
  const isNew = steady === undefined && isNewPolicy(record, partitions);
  return { isNew, sinceMs: nowMs, ...(steady && { steady }) };
}

/** Whether no node was ever told of a policy. */
function isNewPolicy({ policy, nodes }: PolicyRecord, partitions: PoolCluster['partitions']): boolean {
  const { uid } = policy.metadata;
  for (const node of nodes) if (partitions.get(node)?.spec.policy?.uid === uid) return false;
  return true;
}

/** The pods that wait, and the cluster in which a policy's share of them is looked for. */
interface PodsRead {
  readonly record: PolicyRecord;
  readonly cluster: PoolCluster;
  readonly waiting: WaitingPods;
  /** What Kueue holds back; undefined if the demand does not follow that. */
  readonly held: KueueReading | undefined;
}

/** What a demand asks of its pool. */
interface AskedPool {
  readonly wanted: readonly WantedSlice[];
  /** The pool, with those set aside whose nodes take none of the pods that nothing idle serves. */
  readonly members: readonly DemandGpu[];
  readonly asked: DemandAsked;
  /** The part of the waiting pods that counts for it; undefined if it does not follow pods. */
  readonly share: WaitingReading | undefined;
  /** Whether a plan may evict pods, so that it has to know what that costs. */
  readonly mayEvict: boolean;
  /** How the demand stands after a plan. @param current members of the pool now @param nowMs in ms since the epoch */
  readonly report: (current: readonly DemandGpu[], shortfall: Planned['shortfall'], nowMs: number) => DemandReport;
  /** How the request by the policy's annotation stands, and what is to be freed for it. @param told what was told of the last one, if that is not in the policy's status yet */
  readonly judgeRequest: (
    policy: Pick<GpuPartitionPolicy, 'metadata' | 'status'> | undefined,
    told: DemandReport['defrag'],
  ) => ReturnType<typeof judgeRequest>;
}

function askPool(
  policy: GpuPartitionPolicy,
  wanted: readonly WantedSlice[],
  pool: readonly DemandGpu[],
  share: WaitingReading | undefined,
): AskedPool {
  const members = setMembersAside(pool, share?.takers);
  const asked = askFor(policy, wanted, members);
  const isInUse = members.some(({ gpu, present }) => [...gpu.instances, ...present].some(({ busy }) => busy));
  return {
    wanted,
    members,
    asked,
    share,
    mayEvict: asked.evict === 'IfNeeded' && isInUse,
    report: (current, shortfall, nowMs) => reportPool(policy, { wanted, share }, current, shortfall, nowMs),
    judgeRequest: (annotated, told) => judgeRequest(annotated, told, asked, members),
  };
}

const failures = {
  PlannerFailed: 'no layouts could be chosen for the demand, and nodes stay as they are',
  PodsUnavailable: 'the pods that wait cannot be read, so nothing is made for them, and nodes stay as they are',
} as const;

/**
 * The demand could not be planned. What was told last of it stays told while nothing newer is known: a request that was carried out is
 * not carried out again.
 *
 * @param told by this leader
 * @param status of the policy
 */
export function reportFailure(
  reason: keyof typeof failures,
  why: string,
  told?: DemandReport,
  status?: PolicyStatus,
): DemandReport {
  const { states, defrag, steady } = told ?? { states: status?.demand ?? [], ...status };
  const message = `${failures[reason]}: ${why}`;
  const condition = { type: 'DemandMet', status: 'False', reason, message } as const;
  return { states, ...omitUndefined({ defrag, steady }), condition };
}

/** How the pods that hold slices are read, and then looked up. @param budgets select by labels, which are kept */
export function readHolders(budgets: readonly BudgetView[]): {
  readonly trimPod: (pod: PodView) => PodView;
  readonly trimPartition: (partition: GpuNodePartition) => GpuNodePartition;
  readonly index: (partitions: readonly GpuNodePartition[], pods: readonly PodView[]) => PoolHolders;
} {
  const trim = podTrimmer({ budgets });
  return {
    trimPod: (pod) => trimHolder(pod, trim(pod)),
    trimPartition: trimHoldings,
    index: (partitions, pods) => indexHolders({ partitions, pods, budgets }),
  };
}

/** What a pod's eviction is weighed by, and where else it could run. */
function trimHolder(pod: PodView, trimmed: PodView): PodView {
  const { priority } = pod.spec ?? {};
  const { startTime } = pod.status ?? {};
  const { spec: required } = trimWaitingPod(pod);
  const { spec: _containers, status, ...kept } = trimmed;
  const spec = { ...required, ...(priority !== undefined && { priority }) };
  return {
    ...kept,
    status: { ...status, ...(startTime !== undefined && { startTime }) },
    ...(Object.keys(spec).length > 0 && { spec }),
  };
}

/** Keeps of a partition which pods hold which slices. */
function trimHoldings({ apiVersion, kind, metadata, spec, status }: GpuNodePartition): GpuNodePartition {
  const { name, resourceVersion } = metadata;
  const gpus = status?.device?.gpus ?? [];
  return {
    apiVersion,
    kind,
    metadata: omitUndefined({ name, resourceVersion }),
    spec: { nodeUID: spec.nodeUID },
    status: { device: { gpus } },
  };
}

/** A cluster as it was read once: its pods, and what it says of those that hold slices. */
type ClusterRead = Parameters<typeof indexHolders>[0] & WaitingPods & { readonly now: number };

/**
 * The demand of a policy without a past. What was asked for earlier, and which GPUs were re-laid lately, only the controller knows: all
 * counts as steady, and as rested. Its thoughts yield after each node, and for each plan.
 */
export class ForeseenDemand {
  readonly #record: PolicyRecord;
  readonly #cluster: PoolCluster;
  readonly #read: ClusterRead;

  constructor(record: PolicyRecord, cluster: PoolCluster, read: ClusterRead) {
    this.#record = record;
    this.#cluster = cluster;
    this.#read = read;
  }

  /**
   * What the demand makes of its pool.
   *
   * @param held what Kueue holds back, as far as it is known
   * @param at the time for which it is foreseen, in ms since the epoch
   */
  *choose(
    held: KueueReading | undefined,
    at: number,
  ): Generator<
    PlanQuestion | undefined,
    { readonly wishes: ReadonlyMap<string, DemandWishes>; readonly report: DemandReport },
    PlannedPool
  > {
    const [record, cluster, read] = [this.#record, this.#cluster, this.#read];
    const { policy } = record;
    const { demand = { slices: [] }, drain } = policy.spec;
    const pool = yield* listPool(record, cluster);
    const queued = demand.from === 'Kueue' ? held : undefined;
    const share = followsPods(demand) ? yield* readShare(record, cluster, read, queued, at) : undefined;
    const { members, asked, mayEvict, report } = askPool(policy, wantedSlices(demand, pool, share), pool, share);
    const sparing = { nodes: share?.waiting.ranks?.nodes, nowMs: read.now };
    const weigh = () => (mayEvict ? weighGpus(members, indexHolders(read), drain, sparing) : undefined);
    const served = planServed(members, asked);
    const { layouts, shortfall } = served
      ? { ...served, layouts: layRest(demand.rest, asked, members) }
      : yield* planMembers(members, asked, weigh());
    return { wishes: wishesOf(members, layouts), report: report(members, shortfall, at) };
  }

  /** {@link freeSlices} on its pool, whether or not the policy has a demand. */
  *free(free: Layout, seconds: number): ReturnType<typeof freeSlices> {
    return yield* freeSlices(free, this.#record, this.#cluster, this.#read, seconds);
  }
}

/** Remembers which GPUs, or pods, were re-laid a short while ago and are left alone until their cooldown ends. */
export class RelayoutCooldown {
  readonly #relaidMs = new Map<string, number>();
  /** The time, in ms, of the re-lay before the last one, by id. */
  readonly #beforeMs = new Map<string, number>();

  relaid(id: string, nowMs: number): void {
    const before = this.#relaidMs.get(id);
    if (before !== undefined) this.#beforeMs.set(id, before);
    this.#relaidMs.set(id, nowMs);
  }

  /** Forgets those that have rested, except those that are there: an edit of the time to rest may apply to them again. */
  forgetOthers(there: ReadonlySet<string>, nowMs: number, restMs: number): void {
    for (const id of this.#relaidMs.keys())
      if (!there.has(id) && !this.isResting(id, nowMs, restMs)) {
        this.#relaidMs.delete(id);
        this.#beforeMs.delete(id);
      }
  }

  /** @param restMs of this moment: an edit of it applies to GPUs that rest already */
  isResting(id: string, nowMs: number, restMs: number): boolean {
    const relaidMs = this.#relaidMs.get(id);
    return relaidMs !== undefined && nowMs < relaidMs + restMs;
  }

  /** Whether one that rests was re-laid while it rested before: the rest has yielded once, and does not again. */
  isHeld(id: string, nowMs: number, restMs: number): boolean {
    const beforeMs = this.#beforeMs.get(id);
    const relaidMs = this.#relaidMs.get(id) ?? Infinity;
    return beforeMs !== undefined && relaidMs < beforeMs + restMs && this.isResting(id, nowMs, restMs);
  }
}

/**
 * What is remembered of the demand of one policy between plans. A new leader continues with what objects say: what was asked for long
 * enough is in the policy's status, when nodes last changed in their grants, and what was chosen in their wishes.
 */
export class DemandMemory {
  readonly #rest = new RelayoutCooldown();
  /** The cooldown of pods that were evicted, by what replaces them. */
  readonly #evicted = new RelayoutCooldown();
  #known: KnownDemand;
  /** The requests of lately, by slice. */
  #windows: { readonly fallMs: number; readonly bySlice: Map<string, DemandWindow> } | undefined;
  /** The demand for which they were counted last: an edit makes another object. */
  #observed: PolicyDemand | undefined;
  /** The times since which the slices of nodes are out of reach, in ms, by node. */
  readonly #outMs = new Map<string, number>();
  /** The last plan that left something unserved, and until when none is made for another pool. */
  #short: { readonly planned: Planned; readonly atMs: number; readonly untilMs: number } | undefined;

  constructor(known: KnownDemand = { isNew: true, sinceMs: -Infinity }) {
    this.#known = known;
  }

  /** Begins to follow a demand with what objects say of it: {@link recallDemand}. */
  recall(...known: Parameters<typeof recallDemand>): void {
    this.#known = recallDemand(...known);
  }

  /**
   * Whether a GPU was re-laid a short while ago.
   *
   * @param grantedMs when its node last changed: before this memory began all of its GPUs did, as far as is known
   */
  restOf(
    { cooldown = usualCooldown }: PolicyDemand,
    id: string,
    nowMs: number,
    grantedMs = -Infinity,
  ): boolean | 'Held' {
    const restMs = durationMs(cooldown);
    if (this.#rest.isHeld(id, nowMs, restMs)) return 'Held';
    const isInherited = grantedMs < this.#known.sinceMs && nowMs < grantedMs + restMs;
    return isInherited || this.#rest.isResting(id, nowMs, restMs);
  }

  /**
   * Takes in whether the slices of a node are out of reach of new pods. They count as supply for as long as a lower demand is not believed: a
   * drain, a reboot or a plugin that restarts moves nothing.
   *
   * @returns whether they do not count any more
   */
  hasLost(demand: PolicyDemand, node: string, isOut: boolean, nowMs: number): boolean {
    if (!isOut) {
      this.#outMs.delete(node);
      return false;
    }
    const since = this.#outMs.get(node) ?? nowMs;
    this.#outMs.set(node, since);
    return nowMs >= since + stabilizationMs(demand);
  }

  /**
   * How old may be what a demand goes by, in ms: the list of waiting pods (`podsMs`), and everything else. The first list counts at once,
   * so a pod that runs by now must not be in it. Undefined if the demand does not follow pods.
   */
  pacesOf(demand: PolicyDemand): { readonly podsMs: number; readonly paceMs: number } | undefined {
    const paceMs = podsPaceOf(demand);
    return followsPods(demand) ? { podsMs: this.#observed === demand ? paceMs : 0, paceMs } : undefined;
  }

  /** The GPUs that take part in a demand now, with what is remembered of them; yields after each node. */
  *gather(
    record: PolicyRecord,
    demand: PolicyDemand,
    cluster: PoolCluster,
    nowMs: number,
  ): Generator<undefined, readonly DemandGpu[], unknown> {
    return yield* listPool(record, cluster, {
      restOf: (id, grantedMs) => this.restOf(demand, id, nowMs, grantedMs),
      hasLost: (node, isOut) => this.hasLost(demand, node, isOut, nowMs),
    });
  }

  /**
   * Takes in what the demand of a policy asks of its pool now; yields after each look at a node, or at a pool.
   *
   * @param pods that wait; undefined if the demand does not follow pods
   * @param nowMs in ms since the epoch
   */
  *ask(
    policy: GpuPartitionPolicy,
    demand: PolicyDemand,
    pool: readonly DemandGpu[],
    pods: PodsRead | undefined,
    nowMs: number,
  ): Generator<undefined, AskedPool & { readonly lookAgainMs: number | undefined }, unknown> {
    const share = pods && (yield* readShare(pods.record, pods.cluster, pods.waiting, pods.held, nowMs));
    const question = askPool(policy, this.want(demand, pool, share?.waiting, nowMs, share), pool, share);
    return { ...question, lookAgainMs: lookAgainAfter(demand, question.members) };
  }

  /**
   * Takes in what pods ask for now.
   *
   * @param waiting requests of pods that wait, by resource; undefined if the demand does not follow pods
   * @param lacks of these, what nothing idle serves
   * @returns how much is wanted of each slice, by what has been asked for long enough
   */
  want(
    demand: PolicyDemand,
    members: readonly DemandGpu[],
    waiting: WaitingSlices | undefined,
    nowMs: number,
    lacks?: Pick<PoolShare, 'missing' | 'stranded'>,
  ): readonly WantedSlice[] {
    const fallMs = stabilizationMs(demand);
    const times = { riseMs: riseMsOf(demand), fallMs };
    const isFirst = this.#observed === undefined;
    const windows = this.#windows;
    const before = windows?.fallMs === fallMs ? windows.bySlice : undefined;
    // What no pods are followed for any more is forgotten: once they are again, what they asked for in between is unknown.
    const bySlice = new Map<string, DemandWindow>();
    // Who goes has run in vain: for that, others must have waited for longer than for what is idle.
    const patient = { ...times, riseMs: Math.max(times.riseMs, times.fallMs) };
    const steady: Steady = (slice, count, used, { name, isRanked = false } = {}) => {
      const window = before?.get(slice) ?? new DemandWindow(isRanked ? patient : times);
      bySlice.set(slice, window);
      // A window that begins later goes by what is known, or in use: only what a new policy is first asked for counts at once.
      const known = windows?.bySlice.get(slice)?.steady ?? (isFirst && name ? this.#known.steady?.[name] : undefined);
      const start = known ?? (isFirst && this.#known.isNew ? undefined : used);
      if (window.isUnused && start !== undefined) window.observe(start, nowMs);
      return window.observe(count, nowMs);
    };
    this.#windows = { fallMs, bySlice };
    this.#observed = demand;
    return wantedSlices(demand, members, { waiting, ...lacks, steady });
  }

  /**
   * No demand is in force, but perhaps a schedule's layouts. What pods asked for before that is not what they asked for lately once there is
   * one again. Where they only cannot be read for a while, it is.
   */
  lapse(): void {
    this.#windows = undefined;
  }

  /** @returns undefined if a plan must be made */
  next(asked: DemandAsked, members: readonly DemandGpu[], nowMs: number): NextPlan {
    const served = planServed(members, asked);
    if (served) {
      this.#short = undefined;
      return { planned: served };
    }
    const known = this.#short;
    if (!known || !deepEqual(known.planned.asked, asked)) return undefined;
    const { planned, atMs, untilMs } = known;
    if (isSamePool(planned, members) && (asked.evict === 'Never' || nowMs - atMs < weightsLastMs)) return { planned };
    return untilMs > nowMs ? { waitMs: untilMs - nowMs } : undefined;
  }

  /** Takes in a plan that was made between two moments. */
  takePlan(planned: Planned, startedMs: number, nowMs: number): void {
    const isShort = Object.keys(planned.shortfall.lacking).length > 0;
    this.#short = isShort ? { planned, atMs: nowMs, untilMs: nowMs + (nowMs - startedMs) / mostShare } : undefined;
  }

  /** Plans what a demand asks. @param holders for a plan that may evict: what that costs is weighed */
  *plan(
    policy: GpuPartitionPolicy,
    demand: PolicyDemand,
    { members, asked, share }: AskedPool,
    holders: PoolHolders | undefined,
    nowMs: number,
  ): Generator<PlanQuestion, Planned, PlannedPool> {
    const gpus = holders && this.#weigh(policy, demand, { members, share }, holders, nowMs);
    return yield* planMembers(members, asked, gpus);
  }

  /** The GPUs of a pool with what evictions cost: those spared that went, or are about to, within the cooldown. */
  #weigh(
    { spec: { drain } }: GpuPartitionPolicy,
    demand: PolicyDemand,
    { members, share }: Pick<AskedPool, 'members' | 'share'>,
    holders: PoolHolders,
    nowMs: number,
  ): readonly PoolGpu[] {
    this.evict(listGoing(members, [], holders), nowMs);
    const isSpared = (pod: PodView): boolean => this.isSpared(demand, pod, nowMs);
    return weighGpus(members, holders, drain, { nodes: share?.waiting.ranks?.nodes, isSpared, nowMs });
  }

  /**
   * Takes a plan for the pool as it is now: what it makes of GPUs that are still what they were, if that alone serves more. GPUs that it
   * re-lays rest from now on, and pods that go are spared from now on.
   *
   * @param holders for a plan that evicts
   * @returns undefined if nothing of the plan is taken
   */
  choose(
    demand: PolicyDemand,
    planned: Planned,
    current: readonly DemandGpu[],
    nowMs: number,
    holders?: PoolHolders,
  ): ReturnType<typeof takeStanding> {
    const layouts = this.#layRest(demand, planned, nowMs);
    const chosen = takeStanding({ ...planned, layouts }, current);
    if (!chosen) return undefined;
    const { touched } = chosen;
    for (const { gpu } of touched) this.relaid(gpu.id, nowMs);
    if (touched.length > 0) {
      const { cooldown = usualCooldown } = demand;
      this.#rest.forgetOthers(new Set(current.map(({ gpu }) => gpu.id)), nowMs, durationMs(cooldown));
    }
    const taken = new Set(touched.map(({ gpu }) => gpu.id));
    const going = planned.members.map(({ gpu }, index) => (taken.has(gpu.id) ? planned.layouts[index] : undefined));
    if (holders) this.evict(listGoing(planned.members, going, holders), nowMs);
    return chosen;
  }

  /** Pods go, or are about to: they, and what replaces them, go for nobody else within the cooldown. */
  evict(pods: readonly PodView[], nowMs: number): void {
    for (const pod of pods) this.#evicted.relaid(replacedBy(pod), nowMs);
  }

  /** Whether a pod was evicted a short while ago, or replaces one that was. */
  isSpared({ cooldown = usualCooldown }: PolicyDemand, pod: PodView, nowMs: number): boolean {
    const cooldownMs = durationMs(cooldown);
    this.#evicted.forgetOthers(new Set(), nowMs, cooldownMs);
    return this.#evicted.isResting(replacedBy(pod), nowMs, cooldownMs);
  }

  /** A GPU is re-laid: it rests from now on. */
  relaid(id: string, nowMs: number): void {
    this.#rest.relaid(id, nowMs);
  }

  /** What the plan leaves as it is, by the demand's `rest`: once all is served, and it is known what has not been asked for lately. */
  #layRest(
    demand: PolicyDemand,
    { asked, members, layouts, shortfall }: Planned,
    nowMs: number,
  ): ReturnType<typeof layRest> {
    const isDone = Object.keys(shortfall.lacking).length === 0 && listChanged(members, layouts).length === 0;
    const isSettled = (slice: SliceEntry): boolean =>
      slice.count !== undefined || this.#windows?.bySlice.get(steadyKeyOf(slice))?.isSettled(nowMs) === true;
    return isDone && demand.slices.every(isSettled) ? layRest(demand.rest, asked, members) : layouts;
  }
}

/** What a pod has in common with those that are made in its place: its controller, or else its name. */
function replacedBy(pod: PodView): string {
  const controller = pod.metadata.ownerReferences?.find((owner) => owner.controller === true);
  return controller?.uid ?? podName(pod);
}

/** How long more must be asked for before more is wanted. */
export function riseMsOf(demand: Pick<PolicyDemand, 'stabilization'>): number {
  return Math.min(longestRiseMs, stabilizationMs(demand));
}

/**
 * When to look at a demand again, in ms, though nothing tells of a change: what follows pods, slices that are out of reach, GPUs that may be part of the rest once they
 * have rested, and pods that may be evicted by then.
 */
function lookAgainAfter(demand: PolicyDemand, members: readonly DemandGpu[]): number | undefined {
  if (followsPods(demand) || members.some(({ lost, instead }) => lost?.counts === true || instead))
    return podsPaceOf(demand);
  const { rest = 'Keep', evict } = demand;
  const isResting = members.some(({ rests, isHeld }) => isHeld === true || (rest !== 'Keep' && rests));
  return isResting || evict === 'IfNeeded' ? restPaceMs : undefined;
}

/** How often waiting pods are read: a demand that is to follow quickly is looked at often. */
function podsPaceOf(demand: PolicyDemand): number {
  return Math.min(podsPace.most, Math.max(podsPace.least, stabilizationMs(demand) / 4));
}

/** How a demand is steadied before anything is planned for it, in milliseconds. */
export interface Steadiness {
  /** A higher demand must last this long. */
  readonly riseMs: number;
  /** A lower one this long; no less than a higher one. */
  readonly fallMs: number;
}

/**
 * The steady demand for one slice: it rises to what was wanted throughout the last `riseMs`, and falls to the most that was wanted
 * within the last `fallMs`. A pod that comes and goes moves nothing.
 */
export class DemandWindow {
  readonly #least: WindowExtreme;
  readonly #most: WindowExtreme;
  readonly #fallMs: number;
  #steady = 0;
  #sinceMs: number | undefined;

  constructor({ riseMs, fallMs }: Steadiness) {
    this.#least = new WindowExtreme(riseMs, (old, count) => old < count);
    this.#most = new WindowExtreme(fallMs, (old, count) => old > count);
    this.#fallMs = fallMs;
  }

  /**
   * @param nowMs not before that of the last call
   * @returns the steady demand, now that so many are wanted
   */
  observe(count: number, nowMs: number): number {
    const risen = this.#least.observe(count, nowMs);
    const fallen = this.#most.observe(count, nowMs);
    this.#steady = Math.min(Math.max(this.#steady, risen), fallen);
    this.#sinceMs ??= nowMs;
    return this.#steady;
  }

  get isUnused(): boolean {
    return this.#sinceMs === undefined;
  }

  get steady(): number {
    return this.#steady;
  }

  /** Whether it has been observed for so long that what is not wanted has not been for a while. */
  isSettled(nowMs: number): boolean {
    return this.#sinceMs !== undefined && nowMs >= this.#sinceMs + this.#fallMs;
  }
}

/** The least or the most that a number was within a time before now. */
class WindowExtreme {
  readonly #lengthMs: number;
  readonly #isFurther: (old: number, count: number) => boolean;
  /** Numbers that no later one outdoes, the most extreme first, with the time until which they held; the last one still does. */
  readonly #standing: { readonly count: number; untilMs: number }[] = [];

  constructor(lengthMs: number, isFurther: (old: number, count: number) => boolean) {
    this.#lengthMs = lengthMs;
    this.#isFurther = isFurther;
  }

  observe(count: number, nowMs: number): number {
    const standing = this.#standing;
    const last = standing.at(-1);
    if (last !== undefined) last.untilMs = nowMs;
    while (standing.length > 0 && !this.#isFurther(standing.at(-1)?.count ?? 0, count)) standing.pop();
    standing.push({ count, untilMs: Infinity });
    while ((standing[0]?.untilMs ?? Infinity) <= nowMs - this.#lengthMs) standing.shift();
    return standing[0]?.count ?? count;
  }
}
