// Room demand: which layouts the demand of a policy makes of its pool of GPUs, by what pods ask for.
// Ask here what the demands of policies make of a pod that waits.
import { answerAll } from '../text/asking.ts';
import type { GpuPartitionPolicy, PolicyDemand, PolicySpec } from '../../api/types.ts';
import { type GpuNode, type ClusterFacts, listGpuNodes, couldTake, canUse, extendedNamesOf } from '../cluster/facts.ts';
import {
  isPlanned,
  asScheduled,
  specUnder,
  isWholeGpu,
  nameSlice,
  type SliceEntry,
  evictsNever,
} from '../policy/spec.ts';
import { GPU_RESOURCE } from '../nvidia/labels.ts';
import { findStop } from '../rollout/ledger.ts';
import { describeDuration } from '../text/syntax.ts';
import { followsPods, riseMsOf } from './state.ts';
import {
  type DemandGpu,
  listMembers,
  setMembersAside,
  actsOf,
  couldHold,
  type PodPool,
  PoolReader,
} from './members.ts';
import { type KueueReading, readHeld } from './kueue.ts';
import { servingAny, type WantedSlice, type WantedPart, wantedSlices } from './wanted.ts';
import type { PodView } from '../kubernetes/pod.ts';
import { WHOLE } from '../gpu/profiles.ts';
import {
  isOfProfile,
  listWaiters,
  type Waiter,
  shareSlices,
  shareWaiting,
  type WaitingSlices,
} from './waiting-pods.ts';
import {
  answerHere,
  type Planned,
  type DemandAsked,
  type PlannedPool,
  askFor,
  planMembers,
  type PlanQuestion,
  planServed,
  settle,
  withoutRank,
} from './plan-pool.ts';
import type { Geometry } from '../gpu/geometry.ts';
import { layoutFor } from '../policy/resolve-node.ts';
import { liveGeometry } from '../device/plan.ts';
import type { DemandSlice, PoolGpu } from './solver/pool.ts';
import { joinWords } from '../text/words.ts';
import { indexHolders, weighGpus } from './eviction-cost.ts';

/** `3g.20gb` of nvidia.com/mig-3g.20gb, `whole GPU` of nvidia.com/gpu */
function nameProfile(resource: string): string {
  if (resource === GPU_RESOURCE) return 'whole GPU';
  return resource.replace(/^nvidia\.com\/mig-/, '');
}

/** What people call a profile of the planner. */
function sayProfile(profile: string): string {
  return profile === WHOLE ? 'whole GPU' : profile;
}

/** `small (1g.5gb) and large (3g.20gb)` */
function describeSlices({ slices }: PolicyDemand): string {
  return slices.map((slice) => `${nameSlice(slice)} (${whatServes(slice)})`).join(' and ');
}

function whatServes(slice: SliceEntry): string {
  const { profiles, memory } = slice;
  return isWholeGpu(slice) ? 'whole GPUs' : (profiles?.join(', ') ?? `at least ${memory}`);
}

/** `node n1, GPU 0` */
function describePlace({ node, wish }: DemandGpu, nodes: readonly GpuNode[]): string {
  const gpus = nodes.find(({ name }) => name === node)?.partition?.status?.device?.gpus ?? [];
  const gpu = gpus.find(({ uuid }) => uuid === wish.uuid);
  return gpu === undefined ? `node ${node}` : `node ${node}, GPU ${gpu.index}`;
}

const elsewhere =
  ', where the pod may not run: a demand treats its nodes alike, so give those on which the pod may run a policy of their own';

interface Held {
  readonly pod: PodView;
  readonly policy: GpuPartitionPolicy;
  readonly demand: PolicyDemand;
  readonly now: number | undefined;
}

/** What a plan waits for before it is carried out; empty if nothing is known to be in its way. */
function describeHold({ pod, policy, demand, now }: Held): string {
  const stop = findStop(policy, now);
  if (stop?.reason === 'WindowClosed') return `, but it is ${stop.message}`;
  if (stop && !closed.has(stop.reason)) return `, but ${stop.message}`;
  const ready = policy.status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'False' && closed.has(ready.reason)) return `, but its rollout waits: ${ready.message}`;
  return describeRise(pod, demand, now);
}

const closed: ReadonlySet<string> = new Set(['Frozen', 'Halted', 'CanarySoak', 'Capped', 'NodesUnavailable']);

/** Says how much longer a pod has to wait before its request counts: a demand rises only for what is asked for long enough. */
function describeRise({ metadata }: PodView, demand: PolicyDemand, now: number | undefined): string {
  if (!followsPods(demand) || metadata.creationTimestamp === undefined || now === undefined) return '';
  const riseMs = riseMsOf(demand);
  const leftMs = Date.parse(metadata.creationTimestamp) + riseMs - now;
  if (!(leftMs > 0)) return '';
  const words = [riseMs, leftMs].map((ms) => describeDuration(Math.ceil(ms / 1000)));
  return `, once it has waited ${words[0]} (demand.stabilization): in ${words[1]}`;
}

/** A GPU on which a plan makes a slice. */
interface PlannedSlice {
  readonly member: DemandGpu;
  readonly layout: Planned['layouts'][number];
}

/** Whether a node would accept a pod if it had the slices. */
function takesPod(nodes: readonly GpuNode[], node: string, pod: PodView): boolean {
  return nodes.some((one) => one.name === node && couldTake(one.node, pod));
}

/**
 * A GPU on which a plan makes a slice of a resource: one on a node that accepts the pod, if there is one.
 *
 * @param evicting only where something in use goes for it
 */
export function pickPlannedSlice(
  { members, layouts }: Pick<Planned, 'members' | 'layouts'>,
  resource: string,
  isAccepting: (node: string) => boolean,
  evicting = false,
): PlannedSlice | undefined {
  const made = members.flatMap((member, index): readonly PlannedSlice[] => {
    const layout = layouts[index];
    const isMade = layout?.create.some(({ profile }) => isOfProfile(resource, profile)) === true;
    return isMade && (!evicting || layout.destroy.some(({ busy }) => busy)) ? [{ member, layout }] : [];
  });
  return made.find(({ member }) => isAccepting(member.node)) ?? made[0];
}

/** How many slices of a resource a plan leaves to pods that wait. */
function countIdle({ layouts }: Pick<Planned, 'layouts'>, resource: string): number {
  const idle = layouts.flatMap(({ keep, create }) => [...keep.filter(({ busy }) => !busy), ...create]);
  return idle.filter(({ profile }) => isOfProfile(resource, profile)).length;
}

/** ` in place of 2 idle 1g.5gb`; empty if nothing goes */
function describeGone({ layout }: PlannedSlice): string {
  const groups = [
    ...Map.groupBy(layout.destroy, ({ profile, busy }) => `${busy ? '' : 'idle '}${sayProfile(profile)}`),
  ];
  if (groups.length === 0) return '';
  return ` in place of ${groups.map(([what, all]) => `${all.length} ${what}`).join(' and ')}`;
}

/** Pods on the instances that would go, or on the whole GPU. */
function namePodsInTheWay({ member, layout }: PlannedSlice, nodes: readonly GpuNode[]): readonly string[] {
  const gpus = nodes.find(({ name }) => name === member.node)?.partition?.status?.device?.gpus ?? [];
  const { instances = [], pods: whole = [] } = gpus.find(({ uuid }) => uuid === member.wish.uuid) ?? {};
  const starts = layout.destroy.filter(({ busy }) => busy).map(({ start }) => start);
  const pods = instances.flatMap(({ start, pods: holders = [] }) => (starts.includes(start) ? holders : []));
  return [...new Set([...whole, ...pods])].toSorted();
}

/** The kinds of GPUs on some nodes, with their product. */
type Kinds = ReadonlyMap<Geometry, string>;

/**
 * That slices of a resource come with the next schedule of a policy, and when; undefined if they do not, or if it has them now.
 *
 * @param policy as it is written, with all its schedules
 * @param nodes over which it decides
 */
function explainNext(policy: GpuPartitionPolicy, nodes: readonly GpuNode[], resource: string): string | undefined {
  const next = policy.status?.schedule?.next;
  // Under the other strategies nvidia.com/gpu may be a slice of any size.
  if (next === undefined || policy.spec.strategy !== 'mixed') return undefined;
  const kinds = listKinds(nodes);
  if (offers(asScheduled(policy).spec, kinds, resource)) return undefined;
  if (!offers(specUnder(policy.spec, next.name), kinds, resource)) return undefined;
  const who = next.name === undefined ? 'its own layouts or demand' : `its schedule ${next.name}`;
  const verb = next.name === undefined ? 'have' : 'has';
  const what = resource === GPU_RESOURCE ? 'whole GPUs' : nameProfile(resource);
  return `${who} ${verb} ${what}, from ${next.time}`;
}

function listKinds(nodes: readonly GpuNode[]): Kinds {
  const reports = nodes.flatMap(({ partition }) => partition?.status?.device ?? []);
  return new Map(
    reports.flatMap((device) =>
      (device.gpus ?? []).flatMap((gpu) => {
        const geometry = liveGeometry(device, gpu);
        return geometry === undefined ? [] : [[geometry, gpu.product] as const];
      }),
    ),
  );
}

function offers({ layouts = [], demand }: PolicySpec, kinds: Kinds, resource: string): boolean {
  const profiles = [...kinds].flatMap(([geometry, product]) => [
    ...layouts.flatMap((entry) => {
      const layout = layoutFor(entry, geometry, product);
      return 'profiles' in layout ? Object.keys(layout.profiles) : 'mig' in layout ? [WHOLE] : [];
    }),
    ...(demand?.slices ?? []).flatMap((slice) => servingAny(slice, [[geometry, product]])),
  ]);
  return profiles.some((profile) => isOfProfile(resource, profile));
}

/** A demand in which one slice more comes first, and what its plan says of the price. */
interface PricedDemand {
  readonly asked: DemandAsked;
  /** Whether a plan offers that slice. */
  readonly isMet: (plan: PlannedPool) => boolean;
  /** What goes short for it; undefined if nothing does. */
  readonly describe: (plan: PlannedPool, wanted: readonly WantedSlice[]) => string | undefined;
}

/** No slice of a policy has a name with a space. */
const [asBefore, oneMore] = ['as before', 'one more'];

/** @param lacking a slice that the best plan leaves short */
export function findPrice(asked: DemandAsked, planned: Planned, lacking: DemandSlice, resource: string): PricedDemand {
  const short = planned.shortfall.lacking[lacking.name] ?? 0;
  // More than everything else together.
  const weight = 1 + asked.slices.reduce((sum, one) => sum + one.weight * one.count, 0);
  // Those that the plan offers come first too: else one of them would pass for the one more.
  const kept = { ...lacking, name: asBefore, count: lacking.count - short, weight };
  const profiles = lacking.profiles.filter((profile) => isOfProfile(resource, profile));
  const first = [kept, { name: oneMore, profiles, count: 1, weight }];
  const others = asked.slices.map((one) => (one === lacking ? { ...one, count: short - 1 } : one));
  return {
    asked: { ...asked, slices: [...first, ...others] },
    isMet: ({ unserved }) => first.every(({ name }) => (unserved[name] ?? 0) === 0),
    describe: ({ unserved }, wanted) => {
      const lost = others.flatMap((one) => {
        const count = (unserved[one.name] ?? 0) - (planned.shortfall.lacking[one.name] ?? 0);
        return count > 0
          ? [{ ...one, count, slice: wanted.find(({ slices }) => slices.some(({ name }) => name === one.name)) }]
          : [];
      });
      if (lost.length === 0) return undefined;
      // As the policy has them: what is asked for is put before spare slices.
      const lostWeight = lost.reduce((sum, one) => sum + weightOf(one, wanted) * one.count, 0);
      const own = weightOf(lacking, wanted);
      const names = lost.map(({ slice, name }) => slice?.name ?? name);
      const mine = nameOf(lacking, wanted);
      // More weight of a slice counts as much for what its own min wants.
      const raise = names.every((name) => name === mine) ? '' : `raise the weight of ${mine}, `;
      const words = lost
        .map(({ count, profiles }, index) => `${count} ${names[index]} (${profiles.map(sayProfile).join(', ')})`)
        .join(' and ');
      const why = lostWeight > own ? `weigh ${lostWeight} against ${own}` : `weigh ${lostWeight}, no less than ${own}`;
      return (
        `other slices have its room: to offer one more ${nameProfile(resource)}, ${words} would have to go short, which ${why}: ` +
        `${raise}want fewer ${[...new Set(names)].join(' and ')}, or add GPUs`
      );
    },
  };
}

function nameOf({ name }: DemandSlice, wanted: readonly WantedSlice[]): string {
  return wanted.find(({ slices }) => slices.some((one) => one.name === name))?.name ?? name;
}

function weightOf({ name, weight }: DemandSlice, wanted: readonly WantedSlice[]): number {
  return wanted.flatMap(({ slices }) => slices).find((one) => one.name === name)?.weight ?? weight;
}

/** What the demand of a policy makes of a pod that waits for a slice. */
export interface PodDemandOutlook {
  readonly policy: string;
  readonly code:
    | 'NotInDemand'
    | 'NextSchedule'
    | 'NoGpus'
    | 'NeverFits'
    | 'Making'
    | 'Planned'
    | 'FixedCount'
    | 'MaxReached'
    | 'NothingIdle'
    | 'Outweighed'
    | 'NoRoom'
    | 'TooLarge';
  readonly message: string;
}

/** Asks a planner, which may decline what takes it too long. */
type Asking<T> = Generator<PlanQuestion, T, PlannedPool | undefined>;

/** A pod that waits for a resource, and the policy with a demand that it counts for. */
interface PodWait {
  readonly pod: PodView;
  readonly resource: string;
  readonly policy: GpuPartitionPolicy;
  readonly demand: PolicyDemand;
  readonly nodes: readonly GpuNode[];
  readonly members: readonly DemandGpu[];
  readonly wanted: readonly WantedSlice[];
  /** What pods wait for, by resource, whether or not the demand follows them. */
  readonly waiting: ReadonlyMap<string, number>;
  /** The pool's GPUs, with the costs of evictions where pods may be evicted and are known. */
  readonly gpus: readonly PoolGpu[];
  readonly now: number | undefined;
}

/** {@link explainDemandFor}, as far as that is possible without a solver. */
export function outlookHere(pod: PodView, facts: ClusterFacts): readonly PodDemandOutlook[] {
  return answerHere(explainDemandFor(pod, facts));
}

/**
 * What demands make of a pod that waits: where they will offer it a slice, or why they never will. It plans as the controller does, and
 * once more with one slice more, which shows what would have to go for it.
 *
 * @param held what Kueue holds back
 */
export function* explainDemandFor(
  pod: PodView,
  facts: ClusterFacts,
  held?: KueueReading,
): Asking<readonly PodDemandOutlook[]> {
  const [waiter] = listWaiters([pod], facts.namespaces);
  if (!waiter) return [];
  const names = extendedNamesOf(facts.classes);
  const byPolicy = Map.groupBy(listGpuNodes(facts), ({ policy }) => policy);
  const owned = [...byPolicy].flatMap(([policy, nodes]) => (policy ? [{ policy: asScheduled(policy), nodes }] : []));
  const pools = owned.map(({ policy, nodes }) => poolOf(policy, nodes, facts.now, names));
  const homes = [...shareWaiting([waiter], pools)].flatMap(([name, { size }]) => (size > 0 ? [name] : []));
  const waiters = [
    ...listWaiters(facts.pods ?? [pod], facts.namespaces),
    ...(held ? answerAll(readHeld(held), () => undefined) : []),
  ];
  const shares = shareSlices(waiters, pools);
  const { partitions, pods = [], budgets = [] } = facts;
  const prospects: PodDemandOutlook[] = [];
  for (const [index, { policy, nodes }] of owned.entries()) {
    const { demand } = policy.spec;
    const { name } = policy.metadata;
    if (!nodes.some(({ node }) => couldTake(node, pod))) continue;
    const later = [...waiter.requests.keys()].flatMap((resource) => explainLater(facts, name, nodes, resource));
    prospects.push(...later);
    if (!demand || later.length > 0) continue;
    const hosts = pools[index]?.nodes.filter(({ node }) => couldTake(node, pod)) ?? [];
    const oneOfEach = new Map([...waiter.requests.keys()].map((resource) => [resource, 1]));
    const fits = (requests: Waiter['requests']): boolean => hosts.some((host) => couldHold(host, requests));
    if (fits(oneOfEach) && !fits(waiter.requests)) {
      const asks = [...waiter.requests].map(([resource, amount]) => `${amount} ${nameProfile(resource)}`).join(' and ');
      const message = `policy ${name}: the pod requests ${asks}, which no node of it can ever hold, so it counts for nothing: ask for less in one pod`;
      prospects.push({ policy: name, code: 'NeverFits', message });
      continue;
    }
    if (homes.length > 0 && !homes.includes(name)) continue;
    // One that never acts counts pods as if it did: that is what it shows.
    const seen = pools.map((one) => (one.policy === name ? { ...one, acts: actsOf(policy, facts.now, true) } : one));
    const own = pools.some((one) => one.policy === name && one.acts === 'Never') ? shareSlices(waiters, seen) : shares;
    const share = own.get(name);
    const waiting: WaitingSlices = share?.waiting ?? new Map<string, number>();
    const follows = followsPods(demand);
    const read = nodes.flatMap(({ node, partition }) =>
      partition ? listMembers(policy, partition, { node, isResting: () => false, names }) : [],
    );
    const members = setMembersAside(read, follows ? share?.takers : undefined);
    const asked = {
      ...(follows && share),
      waiting: follows ? waiting : undefined,
      steady: (_: string, count: number) => count,
    };
    const wanted = wantedSlices(demand, members, asked);
    const gpus = evictsNever(policy)
      ? members.map(({ gpu }) => gpu)
      : weighGpus(members, indexHolders({ partitions, pods, budgets }), policy.spec.drain, {
          nodes: asked.waiting?.ranks?.nodes,
          nowMs: facts.now,
        });
    const wait = { pod, policy, demand, nodes, members, wanted, waiting, gpus, now: facts.now };
    for (const resource of waiter.requests.keys()) {
      const found = yield* predict({ ...wait, resource });
      if (found) prospects.push({ policy: name, code: found.code, message: `policy ${name}: ${found.message}` });
    }
  }
  return prospects;
}

function explainLater(
  { policies }: ClusterFacts,
  policy: string,
  nodes: readonly GpuNode[],
  resource: string,
): readonly PodDemandOutlook[] {
  const written = policies.find(({ metadata }) => metadata.name === policy);
  const message = written && explainNext(written, nodes, resource);
  return message === undefined ? [] : [{ policy, code: 'NextSchedule', message: `policy ${policy}: ${message}` }];
}

function poolOf(
  policy: GpuPartitionPolicy,
  nodes: readonly GpuNode[],
  now: number | undefined,
  names: ReadonlySet<string> | undefined,
): PodPool {
  const reader = new PoolReader(policy, names);
  const read = nodes.map(({ node, partition }) => reader.read(node, partition));
  return reader.pool(policy.metadata.name, read, actsOf(policy, now), policy.status?.demand);
}

type Found = Omit<PodDemandOutlook, 'policy'>;

function* predict(wait: PodWait): Asking<Found | undefined> {
  const { pod, resource, policy, demand, nodes, members, wanted, waiting, gpus } = wait;
  const profile = nameProfile(resource);
  if (members.length === 0)
    return { code: 'NoGpus', message: 'no node of it has reported a GPU with MIG that takes part' };
  const candidates = wanted.filter(({ slices }) =>
    slices.some((slice) => slice.profiles.some((one) => isOfProfile(resource, one))),
  );
  // A pod counts for the next slice once the first has reached its max or count.
  const isFull = ({ name, used, beyond }: WantedSlice): boolean => {
    const count = demand.slices.find((one) => nameSlice(one) === name)?.count;
    return beyond > 0 || (count !== undefined && used >= count);
  };
  const want = candidates.find((one) => !isFull(one)) ?? candidates[0];
  if (!want) {
    if (!members.some((member) => canOffer(member, resource))) return undefined;
    const message = `its demand has no slice ${profile}, only ${describeSlices(demand)}: add one, or ask for one of these`;
    return { code: 'NotInDemand', message };
  }
  const coming = findComing(wait);
  if (coming && !isPlanned(policy))
    return { code: 'Making', message: `it is making a ${profile} on ${describePlace(coming, nodes)}` };
  if (hasIdle(wait)) return undefined;
  const slice = demand.slices.find((one) => nameSlice(one) === want.name);
  if (slice?.count !== undefined && want.used >= slice.count) {
    const follow = followsPods(demand) ? 'leave count out' : 'set demand.from: Pods and leave count out';
    const message = `it wants ${slice.count} ${want.name}, however many pods wait, and ${want.used} are in use: raise count, or ${follow}`;
    return { code: 'FixedCount', message };
  }
  const asked = askFor(policy, wanted, members);
  const planned = yield* plan(members, asked, gpus);
  if (!planned) return tooLarge;
  // Where the demand follows pods, this one is among those that ask for a profile.
  const isMeant = ({ isSpare, isRest }: WantedPart): boolean =>
    isSpare !== true && (isRest !== true || want.waiting === undefined);
  const own = want.slices.filter((part) => isMeant(part) && part.profiles.some((one) => isOfProfile(resource, one)));
  const names = new Set(own.map(({ name }) => name));
  const made = pickPlannedSlice(planned, resource, (node) => takesPod(nodes, node, pod));
  const lacking = asked.slices.find(({ name }) => names.has(name) && (planned.shortfall.lacking[name] ?? 0) > 0);
  // A count or a min may be more than fits: what no pod asks for may lack.
  const isEnough = made && countIdle(planned, resource) >= (waiting.get(resource) ?? 0);
  if (lacking && isEnough !== true) return yield* explainLack(wait, asked, planned, lacking);
  if (made) {
    const would = isPlanned(policy) ? 'would' : 'will';
    const where = takesPod(nodes, made.member.node, pod) ? '' : elsewhere;
    const message = `the planner ${would} offer a ${profile} on ${describePlace(made.member, nodes)}${describeGone(made)}${where}${describeHold(wait)}`;
    return { code: 'Planned', message };
  }
  if (want.beyond > 0) {
    const message = `max of ${want.name} is ${slice?.max ?? want.count}, and ${want.used} are in use and ${want.waiting ?? 0} waited for: raise max, or it waits until one falls idle`;
    return { code: 'MaxReached', message };
  }
  return undefined;
}

function canOffer({ gpu }: DemandGpu, resource: string): boolean {
  return [WHOLE, ...gpu.geometry.profiles.map(({ name }) => name)].some((profile) => isOfProfile(resource, profile));
}

const tooLarge: Found = {
  code: 'TooLarge',
  message:
    'its pool is too large to be planned without the solver, which gpu-partition explain pod asks where it can run',
};

/** What is lacking in the best plan, and what would have to give way for it. */
function* explainLack(
  { pod, resource, policy, nodes, members, wanted, gpus }: PodWait,
  asked: DemandAsked,
  planned: Planned,
  lacking: DemandAsked['slices'][number],
): Asking<Found> {
  const profile = nameProfile(resource);
  const priced = findPrice(asked, planned, lacking, resource);
  // The one more is for the pod: nodes that take no such pods do not help.
  const helping = (all: readonly PoolGpu[]): readonly PoolGpu[] =>
    settle(all, planned.layouts, (index) => members[index]?.isAside === true);
  // Nobody goes for it who does not rank below: then it is other slices that would have to go short.
  const isRanked = asked.slices.some(({ outranks }) => outranks !== undefined);
  const forced = yield {
    gpus: helping(gpus),
    asked: isRanked ? { slices: priced.asked.slices.map(withoutRank), evict: 'Never' } : priced.asked,
  };
  if (!forced) return tooLarge;
  const { lacking: short, lackingAtLeast } = planned.shortfall;
  // Evictions alone would serve it, with all slices as they weigh.
  const isFree = lackingAtLeast !== undefined && (lackingAtLeast[lacking.name] ?? 0) < (short[lacking.name] ?? 0);
  const isNever = asked.evict === 'Never';
  if (isFree || !priced.isMet(forced)) {
    const every = members.map(({ gpu }) => gpu);
    const evicting = yield {
      gpus: helping(every),
      asked: { slices: priced.asked.slices.map(withoutRank), evict: 'IfNeeded' },
    };
    if (!evicting) return tooLarge;
    const made = pickPlannedSlice(
      { members, layouts: evicting.layouts },
      resource,
      (node) => takesPod(nodes, node, pod),
      true,
    );
    if (priced.isMet(evicting) && made) {
      const pods = namePodsInTheWay(made, nodes);
      const who =
        pods.length === 0 ? 'what runs there has' : `${joinWords(pods)} ${pods.length === 1 ? 'has' : 'have'}`;
      const why = isNever ? 'demand.evict Never spares what runs' : 'what runs there cannot be evicted for it';
      const otherwise = isNever && isFree ? ', or with demand.evict: IfNeeded' : '';
      const message = `no room is idle, and ${why}: ${describePlace(made.member, nodes)} has room for a ${profile} once ${who} ended${otherwise}`;
      return { code: 'NothingIdle', message };
    }
  }
  const price = priced.isMet(forced) ? priced.describe(forced, wanted) : undefined;
  if (price !== undefined) return { code: 'Outweighed', message: price };
  const message = `no GPU of ${policy.metadata.name} can take a ${profile} beside those that there are, whatever else went short: add GPUs`;
  return { code: 'NoRoom', message };
}

function* plan(
  members: readonly DemandGpu[],
  asked: DemandAsked,
  gpus: readonly PoolGpu[],
): Asking<Planned | undefined> {
  const served = planServed(members, asked);
  if (served) return served;
  const planning = planMembers(members, asked, gpus);
  let step = planning.next();
  while (step.done !== true) {
    const answer = yield step.value;
    if (!answer) return undefined;
    step = planning.next(answer);
  }
  return step.value;
}

/** A GPU that has been chosen before to get such a slice, and does not have it yet. */
function findComing({ members, resource }: PodWait): DemandGpu | undefined {
  const count = (instances: DemandGpu['present']): number =>
    instances.filter(({ profile, busy }) => !busy && isOfProfile(resource, profile)).length;
  return members.find(({ gpu, present }) => count(gpu.instances) > count(present));
}

/** What is idle on a node that is open is the scheduler's to give. */
function hasIdle({ members, resource, nodes, pod }: PodWait): boolean {
  return members.some(
    ({ node, present }) =>
      present.some(({ profile, busy }) => !busy && isOfProfile(resource, profile)) &&
      nodes.some((one) => one.name === node && canUse(one.node, pod)),
  );
}
