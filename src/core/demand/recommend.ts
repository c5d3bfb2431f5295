// Room demand: which layouts the demand of a policy makes of its pool of GPUs, by what pods ask for.
// Ask here for the policies with a demand that would serve a cluster, from what its pods use, wait for and asked for in the past.
import type { PolicyDemand, GpuPartitionPolicy, PolicySpec, GpuNodePartition } from '../../api/types.ts';
import { type ClusterFacts, type GpuNode, couldTake } from '../cluster/facts.ts';
import { countPresent, type Geometry } from '../gpu/geometry.ts';
import { isWholeGpu } from '../policy/spec.ts';
import { WHOLE } from '../gpu/profiles.ts';
import type { CostGap, EvictionRule } from './solver/pool.ts';
import { countLimit } from '../rollout/budget.ts';
import {
  listChanged,
  askFor,
  type DemandAsked,
  type PlannedPool,
  type PlanQuestion,
  withoutRank,
} from './plan-pool.ts';
import { ranOutOfTime, reportDemand } from './report.ts';
import { servingAny, shareProfiles, type WantedSlice, wantedSlices } from './wanted.ts';
import { compareText, deepEqual } from '../text/json.ts';
import { isPlanned } from '../policy/spec.ts';
import { GPU_RESOURCE } from '../nvidia/labels.ts';
import { isWaiting, type WaitingSlices } from './waiting-pods.ts';
import type { PodView } from '../kubernetes/pod.ts';
import { listMembers, type DemandGpu } from './members.ts';
import type { NodeView, LabelSelection } from '../kubernetes/node.ts';
import {
  type AdvicePool,
  byProfile,
  geometriesOf,
  listPools,
  placePods,
  type ProfileCounts,
  sizeOf,
  sumRequests,
} from './advice-pools.ts';
import { indexHolders, weighGpus } from './eviction-cost.ts';
import { judgeHistory } from './history.ts';

type Slices = PolicyDemand['slices'];

/**
 * The slices of a demand for what is asked for: one for each profile, the smallest first, after those that the policy has already.
 *
 * @param earlier slices of the demand that the pool has now
 * @param fixed whether they are to be counts, where a demand cannot follow pods
 */
export function adviseSlices(
  asked: ProfileCounts,
  geometries: readonly Geometry[],
  { earlier = [], least, fixed = false }: SliceRules,
): Slices {
  const serving = earlier.map((slice) => listServing(slice, geometries));
  const served = new Set(serving.flat());
  const counting = shareProfiles(earlier, serving);
  const missing = [...new Set([...asked.keys(), ...(least?.keys() ?? [])])]
    .filter((profile) => !served.has(profile))
    .toSorted((a, b) => sizeOf(a, geometries) - sizeOf(b, geometries) || (a < b ? -1 : 1));
  return [
    ...earlier.map((slice, index) => raise(slice, counting[index] ?? [], least)),
    ...missing.map((profile) => {
      const kind = profile === WHOLE ? { mig: 'Disabled' as const } : { profiles: [profile] };
      if (fixed) return { ...kind, count: Math.max(asked.get(profile) ?? 0, least?.get(profile) ?? 0) };
      const min = least?.get(profile) ?? 0;
      return min > 0 ? { ...kind, min } : kind;
    }),
  ];
}

/** A slice that follows pods is wanted as often as its history says, within its max. */
function raise(slice: Slices[number], profiles: readonly string[], least: ProfileCounts = new Map()): Slices[number] {
  const asked = profiles.reduce((sum, profile) => sum + (least.get(profile) ?? 0), 0);
  if (slice.count !== undefined || asked === 0) return slice;
  return { ...slice, min: Math.min(slice.max ?? Infinity, Math.max(slice.min ?? 0, asked)) };
}

function listServing(slice: Slices[number], geometries: readonly Geometry[]): readonly string[] {
  return servingAny(
    slice,
    geometries.map((geometry) => [geometry, ''] as const),
  );
}

interface SliceRules {
  readonly earlier?: Slices;
  /** Slices wanted whatever pods ask for now, by profile. */
  readonly least?: ProfileCounts | undefined;
  readonly fixed?: boolean;
}

/** One kind of slices: what is asked for, and how much of it is and could be offered. */
interface SliceAdvice {
  readonly name: string;
  /** Requested by pods on the pool's nodes. */
  readonly running: number;
  /** Instances in use, as agents report them. */
  readonly inUse: number;
  /** Requested by pods that wait. */
  readonly waiting: number;
  readonly wanted: number;
  /** How many of the wanted slices the present layouts offer. */
  readonly now: number;
  readonly best: number;
  /** Why the best layouts offer less than is wanted. */
  readonly why?: string;
}

/** What the way to the best layouts costs. */
interface Bill {
  /** Busy slices that go. */
  readonly evictions: number;
  readonly gpusChanged: number;
  readonly instancesDestroyed: number;
  readonly nodes: readonly string[];
  /** Minutes that the changes take at the pace of the policy's last ones; absent if it has made none. */
  readonly minutes?: number;
}

interface PoolAdvice {
  readonly name: string;
  /** The policy that decides over the pool now; absent if none does. */
  readonly policy?: string;
  readonly nodes: number;
  /** Nodes of which no agent has reported GPUs. */
  readonly unread: readonly string[];
  /** GPUs that a demand can use, by product. */
  readonly gpus: Readonly<Record<string, number>>;
  readonly slices: readonly SliceAdvice[];
  readonly wholeGpus: WholeGpus;
  /** Whether the best is proven. */
  readonly optimal?: boolean;
  readonly gap?: CostGap;
  readonly bill?: Bill;
  /** Present if evictions would serve more, by weight: how many of each slice are served then, and at what cost. */
  readonly withEvictions?: Bill & { readonly best: Readonly<Record<string, number>> };
  /** The policy to apply; it changes nothing until its mode is Enforce. */
  readonly advised?: GpuPartitionPolicy;
  /** Why there is no advice, or no policy. */
  readonly why?: string;
}

/** The advice for a cluster. */
export interface ClusterAdvice {
  readonly pools: readonly PoolAdvice[];
  readonly homeless: ReturnType<typeof placePods>['homeless'];
  /** Resources, as kube-state-metrics writes them, that pods asked for in the past and no pool has. */
  readonly unknown?: readonly string[];
}

/** What an advice goes by, beside the cluster. */
interface AdviceRules {
  readonly evict: EvictionRule;
  /** The nodes to advise on, as one pool; absent: all. */
  readonly selection?: LabelSelection | undefined;
  /** The requests of the past, if they count. */
  readonly history?: Parameters<typeof judgeHistory>[1] | undefined;
}

/** Advises on the demands of policies for a cluster; without pools if there is no GPU. Asks for plans, as good as they can be. */
export function* adviseCluster(
  facts: ClusterFacts,
  { evict, selection, history }: AdviceRules,
): Generator<PlanQuestion, ClusterAdvice, PlannedPool> {
  const pools = listPools(facts, selection);
  const { waitingOf, homeless } = placePods(pools, facts);
  const { partitions, pods = [], budgets = [], now } = facts;
  const holders = indexHolders({ partitions, pods, budgets });
  const past = history && judgeHistory(pools, history);
  const advised: PoolAdvice[] = [];
  for (const pool of pools) {
    const waiting: WaitingSlices = waitingOf.get(pool) ?? new Map<string, number>();
    const ask = function* (rule: EvictionRule): Generator<PlanQuestion, AnsweredPool, PlannedPool> {
      const question = askPool(pool, waiting, rule, past?.leastOf.get(pool));
      const { members, plan } = question;
      if (plan === undefined) return { question };
      const { asked, policy } = plan;
      const sparing = { nodes: waiting.ranks?.nodes, nowMs: now };
      const gpus =
        asked.evict === 'Never'
          ? members.map(({ gpu }) => gpu)
          : weighGpus(members, holders, policy.spec.drain, sparing);
      return { question, plan: yield { gpus, asked } };
    };
    const best = yield* ask(evict);
    const isShort = best.plan !== undefined && best.plan.cost.unserved > 0;
    const free = isShort ? yield* planFree(best.question) : undefined;
    const mayHelp = evict === 'Never' && best.plan && free && free.cost.unserved < best.plan.cost.unserved;
    advised.push(advisePool(best, free, mayHelp ? yield* ask('IfNeeded') : undefined));
  }
  return { pools: advised, homeless, ...(past && { unknown: past.unknown }) };
}

/** As if all that runs could be evicted. */
function* planFree({ members, plan }: PoolQuestion): Generator<PlanQuestion, PlannedPool | undefined, PlannedPool> {
  const slices = plan?.asked.slices.map(withoutRank);
  const gpus = members.map(({ gpu }) => gpu);
  return slices && (yield { gpus, asked: { slices, evict: 'IfNeeded' } });
}

/** A question, and the best plan for it; undefined if none could be asked for. */
interface AnsweredPool {
  readonly question: PoolQuestion;
  readonly plan?: PlannedPool | undefined;
}

/**
 * @param free as if all that runs could be evicted, where something is lacking
 * @param evicting the best with evictions, where those are not allowed and may serve more
 */
function advisePool({ question, plan }: AnsweredPool, free?: PlannedPool, evicting?: AnsweredPool): PoolAdvice {
  const { pool, members, whole, why, plan: asked } = question;
  const isUnread = ({ partition }: (typeof pool.nodes)[number]): boolean =>
    partition?.status?.device?.gpus === undefined;
  const known = {
    name: pool.name,
    ...(pool.policy && { policy: pool.policy.metadata.name }),
    nodes: pool.nodes.length,
    unread: pool.nodes.filter(isUnread).map(({ name }) => name),
    gpus: countGpus(question),
    wholeGpus: whole,
    ...(why !== undefined && { why }),
  };
  if (asked === undefined || plan === undefined) return { ...known, slices: [] };
  const shortfall = {
    lacking: plan.unserved,
    lackingAtLeast: free?.unserved,
    isUnproven: ranOutOfTime(plan),
    isSpared: asked.asked.evict === 'Never',
  };
  const { states } = reportDemand(asked.wanted, members, shortfall);
  const slices = states.map((state, index): SliceAdvice => {
    const { name, wanted, offered, used, waiting = 0, unmet, why: reason } = state;
    const running = runningOf(question, index);
    const best = wanted - unmet;
    return {
      name,
      running,
      inUse: used,
      waiting,
      wanted,
      now: Math.min(offered, wanted),
      best,
      ...(reason !== undefined && { why: reason }),
    };
  });
  const better = evicting?.plan && evicting.plan.cost.unserved < plan.cost.unserved ? evicting.plan : undefined;
  return {
    ...known,
    slices,
    optimal: plan.gap === undefined,
    ...(plan.gap && { gap: plan.gap }),
    bill: writeBill(question, plan),
    ...(better &&
      evicting && { withEvictions: { best: bestOf(evicting, better), ...writeBill(evicting.question, better) } }),
    ...(why === undefined && { advised: asked.policy }),
  };
}

function writeBill({ pool, members }: PoolQuestion, { cost, layouts }: PlannedPool): Bill {
  const nodes = [...new Set(listChanged(members, layouts).map(({ node }) => node))].toSorted(compareText);
  const { spec, status } = pool.policy ?? {};
  const slots = countLimit(spec?.rollout?.maxUnavailable ?? 1, pool.nodes.length);
  const pace = status?.pace;
  const seconds =
    pace === undefined || pace.nodes === 0 || slots === 0
      ? undefined
      : Math.ceil(nodes.length / slots) * (pace.seconds / pace.nodes);
  return {
    evictions: layouts.flatMap((one) => one?.destroy.filter(({ busy }) => busy) ?? []).length,
    gpusChanged: cost.gpusChanged,
    instancesDestroyed: cost.instancesDestroyed,
    nodes,
    ...(seconds !== undefined && { minutes: Math.ceil(seconds / 60) }),
  };
}

/** What runs of one slice of the demand: of its profiles that no slice before it counts. */
function runningOf({ plan, running }: PoolQuestion, index: number): number {
  const serving = plan?.wanted.map(({ slices }) => new Set(slices.flatMap(({ profiles }) => profiles))) ?? [];
  return [...running].reduce((sum, [profile, count]) => {
    const isFirst = serving.findIndex((profiles) => profiles.has(profile)) === index;
    return sum + (isFirst ? count : 0);
  }, 0);
}

function countGpus({ members }: PoolQuestion): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { product } of members) {
    const name = product.replace(/^NVIDIA /, '');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function bestOf({ question }: AnsweredPool, { unserved }: PlannedPool): Readonly<Record<string, number>> {
  const { wanted = [] } = question.plan ?? {};
  const lacking = ({ slices }: WantedSlice): number => slices.reduce((sum, { name }) => sum + (unserved[name] ?? 0), 0);
  return Object.fromEntries(wanted.map((one) => [one.name, one.count - lacking(one)]));
}

const highestPriority = 1_000_000_000;

/**
 * A policy with a demand for a pool. It only plans until somebody sets mode Enforce, and it has a name of its own beside the policy
 * that decides now: it takes that one's nodes over by a higher priority, and gives them back when it is deleted.
 */
function advisePolicy(
  { advisedName, policy, selector }: AdvicePool,
  slices: PolicyDemand['slices'],
  evict: EvictionRule,
): GpuPartitionPolicy {
  const { layouts: _layouts, sharing: _sharing, demand, drain, ...kept } = policy?.spec ?? usualSpec;
  const { scope, ...otherDrain } = drain ?? {};
  const keepsScope = scope !== undefined && (scope !== 'Node' || evict === 'IfNeeded');
  const keptDrain = { ...otherDrain, ...(keepsScope && { scope }) };
  const fixed = slices.every(({ count }) => count !== undefined);
  const { stabilization, from: _from, slices: _slices, evict: _evict, ...keptDemand } = demand ?? {};
  const spec: PolicySpec = {
    ...kept,
    nodeSelector: selector ?? kept.nodeSelector,
    mode: 'Plan',
    strategy: 'mixed',
    ...(policy && !isPlanned(policy) && { priority: Math.min(highestPriority, (policy.spec.priority ?? 0) + 1) }),
    ...(Object.keys(keptDrain).length > 0 && { drain: keptDrain }),
    demand: {
      ...keptDemand,
      ...(!fixed && { from: 'Pods', ...(stabilization !== undefined && { stabilization }) }),
      slices,
      evict,
    },
  };
  const { apiVersion, kind } = policy ?? writtenAs;
  return { apiVersion, kind, metadata: { name: advisedName }, spec };
}

const writtenAs = { apiVersion: 'gpupartition.dev/v1alpha1', kind: 'GpuPartitionPolicy' } as const;
const usualSpec: PolicySpec = { nodeSelector: {}, strategy: 'mixed' };

/** What the pods ask for that wait and that any of some nodes could run, by profile. */
export function countWaiting(pods: readonly PodView[], nodes: readonly GpuNode[]): ProfileCounts {
  const own = pods.filter((pod) => isWaiting(pod) && nodes.some(({ node }) => couldTake(node, pod)));
  return byProfile(sumRequests(own), geometriesOf({ nodes }));
}

/** The GPUs of a node that a demand could use, whatever policy decides over it now. @param asksWhole whether it has whole GPUs */
export function readMembers(
  policy: GpuPartitionPolicy | undefined,
  { node, partition }: { readonly node?: NodeView; readonly partition: GpuNodePartition | undefined },
  evict: EvictionRule,
  asksWhole = false,
): readonly DemandGpu[] {
  if (partition === undefined) return [];
  const reader: GpuPartitionPolicy = {
    ...writtenAs,
    metadata: { name: '', ...policy?.metadata },
    spec: {
      nodeSelector: {},
      strategy: 'mixed',
      ...policy?.spec,
      demand: { slices: asksWhole ? [{ mig: 'Disabled' }] : [], evict },
    },
  };
  return listMembers(reader, partition, { node, isResting: () => false });
}

/** Whole GPUs that pods ask for, as `nvidia.com/gpu`: no slice serves them. */
interface WholeGpus {
  readonly offered: number;
  readonly held: number;
  readonly waiting: number;
}

/** What is asked of a pool, and what its GPUs have. */
interface PoolQuestion {
  readonly pool: AdvicePool;
  /** Requested by pods that are on its nodes. */
  readonly running: ProfileCounts;
  readonly members: readonly DemandGpu[];
  readonly whole: WholeGpus;
  /** The question for the planner; undefined if no demand can be planned for the pool. */
  readonly plan:
    | { readonly policy: GpuPartitionPolicy; readonly wanted: readonly WantedSlice[]; readonly asked: DemandAsked }
    | undefined;
  /** Why none can, or why no policy can be written. */
  readonly why: string | undefined;
}

/** A demand of a policy has at most so many slices. */
const mostSlices = 16;

/**
 * @param requested by pods that wait for this pool, by resource
 * @param least by profile, how many were asked for in its history
 */
function askPool(pool: AdvicePool, requested: WaitingSlices, evict: EvictionRule, least?: ProfileCounts): PoolQuestion {
  const geometries = geometriesOf(pool);
  const earlier = pool.policy?.spec.demand?.slices ?? [];
  const running = byProfile(sumRequests(pool.nodes.flatMap(({ pods = [] }) => pods)), geometries);
  const waiting = byProfile(requested, geometries);
  const asksWhole = earlier.some(isWholeGpu) || [running, waiting, least].some((counts) => counts?.has(WHOLE) === true);
  const members = pool.nodes.flatMap((one) => readMembers(pool.policy, one, evict, asksWhole));
  const used = countPresent(members.flatMap(({ present }) => present.filter(({ busy }) => busy)));
  const asked = addUp(used, waiting);
  const slices = adviseSlices(addUp(asked, running), geometries, {
    earlier,
    least,
    // With DRA pods ask by claims, which no demand follows.
    fixed: pool.nodes.some(({ isDra }) => isDra),
  });
  const whole = {
    offered: sum(pool.nodes.map(({ offers }) => offers[GPU_RESOURCE] ?? 0)),
    held: sum(pool.nodes.map((node) => node.useOf(GPU_RESOURCE).used)),
    waiting: requested.get(GPU_RESOURCE) ?? 0,
  };
  const known = { pool, running, members, whole };
  const refusal = refuse(pool, members, slices.length);
  if (refusal !== undefined) return { ...known, plan: undefined, why: refusal };
  const policy = advisePolicy(pool, slices, evict);
  const wanted = wantedSlices(policy.spec.demand ?? { slices }, members, {
    waiting: policy.spec.demand?.from === 'Pods' ? requested : undefined,
    steady: (_, count) => count,
  });
  return {
    ...known,
    plan: { policy, wanted, asked: askFor(policy, wanted, members) },
    why: explainNoPolicy(pool, slices),
  };
}

function refuse({ policy }: AdvicePool, members: readonly DemandGpu[], slices: number): string | undefined {
  const { strategy = 'mixed', sharing } = policy?.spec ?? {};
  if (strategy !== 'mixed')
    return `strategy ${strategy}: pods ask for nvidia.com/gpu, which does not say how large a slice they need; a demand needs strategy mixed`;
  if (sharing !== undefined)
    return 'its slices are shared by time-slicing, and a demand counts slices that one pod has';
  if (members.length === 0) return 'no agent has reported a GPU with MIG of these nodes';
  if (slices === 0) return 'no pod uses or waits for a slice';
  if (slices > mostSlices) return `pods ask for ${slices} profiles, and a demand has at most ${mostSlices} slices`;
  return undefined;
}

function explainNoPolicy({ selector, policy }: AdvicePool, slices: PolicyDemand['slices']): string | undefined {
  if (selector === undefined)
    return 'no label tells these nodes from others, so that no policy can select them: give them one, and name it with --selector';
  const isSame = policy !== undefined && !isPlanned(policy) && deepEqual(policy.spec.demand?.slices, slices);
  return isSame ? `policy ${policy.metadata.name} has this demand already` : undefined;
}

function addUp(a: ProfileCounts, b: ProfileCounts): ProfileCounts {
  const all = new Map(a);
  for (const [profile, count] of b) all.set(profile, (all.get(profile) ?? 0) + count);
  return all;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
