import type { PolicyDemand, GpuPartitionPolicy, PolicySpec, GpuNodePartition } from '../../api/types.ts';
import { isResourceOf, isPlanned, type ClusterFacts, isDra, offerOf, useOf } from '../cluster/facts.ts';
import { type Geometry } from '../gpu/geometry.ts';
import { servingAny, shareProfiles, isWholeGpu } from '../policy/slices.ts';
import { WHOLE } from '../gpu/profiles.ts';
import type { ClassPlan } from './solver/choose.ts';
import type { CostGap, EvictionRule } from './solver/pool.ts';
import { countLimit } from '../rollout/budget.ts';
import { listChanged, askFor, type DemandAsked } from './plan-pool.ts';
import { ranOutOfTime, reportDemand } from './report.ts';
import { type WantedSlice, wantedSlices } from './wanted.ts';
import { compareText, deepEqual } from '../text/json.ts';
import { withoutServerFields } from '../policy/versions.ts';
import { requestsOf, podName, type PodView } from '../kubernetes/pod.ts';
import { GPU_RESOURCE, labelProfile, migResourceName } from '../nvidia/labels.ts';
import { asScheduled } from '../policy/schedules.ts';
import { isSlice, listWaiters, alikeKey, shareWaiting, type WaitingSlices } from './waiting-pods.ts';
import { actsOf, type PodPool, PoolReader, listMembers, type DemandGpu, countPresent } from './members.ts';
import { liveGeometry } from '../device/geometry.ts';
import type { NodeView } from '../kubernetes/node.ts';
import type { AdvicePool } from './advice-pools.ts';

type Slices = PolicyDemand['slices'];

/** How often slices are asked for, by profile as the GPUs name it. */
export type ProfileCounts = ReadonlyMap<string, number>;

/** Amounts of resources as amounts of profiles. Resources that these GPUs do not have are left out. */
export function byProfile(amounts: ReadonlyMap<string, number>, geometries: readonly Geometry[]): ProfileCounts {
  const counts = new Map<string, number>();
  for (const [resource, amount] of amounts) {
    const profile = profileOf(resource, geometries);
    if (profile !== undefined) counts.set(profile, (counts.get(profile) ?? 0) + amount);
  }
  return counts;
}

function profileOf(resource: string, geometries: readonly Geometry[]): string | undefined {
  for (const { profiles } of geometries) {
    const found = profiles.find(({ name }) => isResourceOf(resource, name));
    if (found !== undefined) return found.name;
  }
  return undefined;
}

/** Memory slices of a profile, on the GPU on which it takes the fewest. */
export function sizeOf(profile: string, geometries: readonly Geometry[]): number {
  const sizes = geometries.flatMap(({ profiles }) =>
    profiles.flatMap(({ name, memorySlices }) => (name === profile ? [memorySlices] : [])),
  );
  return Math.min(...sizes, 16);
}

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

/** A layout for each member of a pool, in their order. */
export interface PoolPlan extends Pick<ClassPlan, 'cost' | 'gap' | 'unserved'> {
  readonly layouts: Parameters<typeof listChanged>[1];
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
export interface Bill {
  /** Busy slices that go. */
  readonly evictions: number;
  readonly gpusChanged: number;
  readonly instancesDestroyed: number;
  readonly nodes: readonly string[];
  /** Minutes that the changes take at the pace of the policy's last ones; absent if it has made none. */
  readonly minutes?: number;
}

export interface PoolAdvice {
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

/** A question, and the best plan for it; undefined if none could be asked for. */
export interface AnsweredPool {
  readonly question: PoolQuestion;
  readonly plan?: PoolPlan | undefined;
}

/**
 * @param free as if all that runs could be evicted, where something is lacking
 * @param evicting the best with evictions, where those are not allowed and may serve more
 */
export function advisePool({ question, plan }: AnsweredPool, free?: PoolPlan, evicting?: AnsweredPool): PoolAdvice {
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

function writeBill({ pool, members }: PoolQuestion, { cost, layouts }: PoolPlan): Bill {
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

function bestOf({ question }: AnsweredPool, { unserved }: PoolPlan): Readonly<Record<string, number>> {
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
  const written: GpuPartitionPolicy = policy ?? {
    apiVersion: 'gpupartition.dev/v1alpha1',
    kind: 'GpuPartitionPolicy',
    metadata: { name: advisedName },
    spec,
  };
  return withoutServerFields({ ...written, metadata: { name: advisedName } }, spec);
}

const usualSpec: PolicySpec = { nodeSelector: {}, strategy: 'mixed' };

/** Pods that wait for GPUs which no pool has. */
export interface HomelessPods {
  readonly resource: string;
  /** `NAMESPACE/NAME` */
  readonly pods: readonly string[];
}

interface PlacedPods {
  /** Slices requested by the pods that wait for a pool, by resource. */
  readonly waitingOf: ReadonlyMap<AdvicePool, WaitingSlices>;
  readonly homeless: readonly HomelessPods[];
}

/** Shares waiting pods among pools as the controller does. Those that it counts for none go to a pool that could have such a demand. */
export function placePods(
  pools: readonly AdvicePool[],
  { pods = [], namespaces, now }: Pick<ClusterFacts, 'pods' | 'namespaces' | 'now'>,
): PlacedPods {
  const waiters = listWaiters(pods, namespaces);
  const asPools = pools.map((pool, index) => toPodPool(pool, index, now));
  const shares = shareWaiting(waiters, asPools);
  const waitingOf = new Map(
    pools.map((pool, index): readonly [AdvicePool, WaitingSlices] => [
      pool,
      shares.get(asPools[index]?.policy ?? '') ?? new Map<string, number>(),
    ]),
  );
  const homeless = new Map<string, string[]>();
  // What GPUs could offer does not depend on whose pods count.
  const ofAll = asPools.map((pool) => ({ ...pool, namespaceSelector: undefined }));
  for (const [, alike] of Map.groupBy(waiters, alikeKey)) {
    const [first] = alike;
    if (first === undefined || [...shareWaiting([first], ofAll).values()].some(({ size }) => size > 0)) continue;
    for (const resource of first.requests.keys())
      homeless.set(resource, [...(homeless.get(resource) ?? []), ...alike.map(({ pod }) => podName(pod))]);
  }
  return { waitingOf, homeless: [...homeless].map(([resource, names]) => ({ resource, pods: names })) };
}

function toPodPool({ name, policy, nodes }: AdvicePool, index: number, now: number | undefined): PodPool {
  const scheduled = policy && asScheduled(policy);
  const reader = new PoolReader(scheduled ?? { spec: { strategy: 'mixed', nodeSelector: {} } });
  const strategy = scheduled?.spec.strategy ?? 'mixed';
  const read = nodes.map((one) => {
    const found = reader.read(one.node, one.partition);
    const profiles =
      strategy === 'mixed' ? geometriesOf({ nodes: [one] }).flatMap((geometry) => geometry.profiles) : [];
    const possible = profiles.map((profile) => migResourceName(labelProfile(profile.name)));
    // The controller counts for policies only.
    const known = policy ? found : { ...found, idle: noSlices, follows: new Set<string>(), fixed: new Set<string>() };
    return { ...known, possible: new Set([...possible, GPU_RESOURCE]) };
  });
  // Pools without a policy may bear the name of one.
  const acts = scheduled ? actsOf(scheduled, now) : 'Never';
  return reader.pool(`${name} ${index}`, read, acts, scheduled?.status?.demand);
}

const noSlices: ReadonlyMap<string, number> = new Map();

/** The geometries of the GPUs that agents have reported. */
export function geometriesOf({ nodes }: Pick<AdvicePool, 'nodes'>): readonly Geometry[] {
  const found = nodes.flatMap(({ partition }) => {
    const device = partition?.status?.device ?? {};
    return (device.gpus ?? []).flatMap((gpu) => liveGeometry(device, gpu) ?? []);
  });
  return [...new Set(found)];
}

/** What pods request together, by resource. */
export function sumRequests(pods: readonly PodView[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const pod of pods)
    for (const [resource, amount] of requestsOf(pod, isSlice)) sums.set(resource, (sums.get(resource) ?? 0) + amount);
  return sums;
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
    apiVersion: 'gpupartition.dev/v1alpha1',
    kind: 'GpuPartitionPolicy',
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
export interface PoolQuestion {
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
export function askPool(
  pool: AdvicePool,
  requested: WaitingSlices,
  evict: EvictionRule,
  least?: ProfileCounts,
): PoolQuestion {
  const geometries = geometriesOf(pool);
  const earlier = pool.policy?.spec.demand?.slices ?? [];
  const count = (amounts: ReadonlyMap<string, number>): ProfileCounts => {
    const whole = amounts.get(GPU_RESOURCE) ?? 0;
    return new Map([...byProfile(amounts, geometries), ...(whole > 0 ? [[WHOLE, whole] as const] : [])]);
  };
  const running = count(sumRequests(pool.nodes.flatMap(({ pods = [] }) => pods)));
  const waiting = count(requested);
  const asksWhole = earlier.some(isWholeGpu) || [running, waiting, least].some((counts) => counts?.has(WHOLE) === true);
  const members = pool.nodes.flatMap((one) => readMembers(pool.policy, one, evict, asksWhole));
  const used = countPresent(members.flatMap(({ present }) => present.filter(({ busy }) => busy)));
  const asked = addUp(used, waiting);
  const slices = adviseSlices(addUp(asked, running), geometries, {
    earlier,
    least,
    // With DRA pods ask by claims, which no demand follows.
    fixed: pool.nodes.some(isDra),
  });
  const whole = {
    offered: sum(pool.nodes.map((node) => offerOf(node, GPU_RESOURCE))),
    held: sum(pool.nodes.map((node) => useOf(node, GPU_RESOURCE).used)),
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
