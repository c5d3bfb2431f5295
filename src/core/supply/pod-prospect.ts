import type { GpuPartitionPolicy, PolicyDemand } from '../../api/types.ts';
import { type ClusterFacts, type GpuNode, isPlanned, listGpuNodes } from '../explain/cluster-facts.ts';
import { type PoolGpu } from '../demand/pool.ts';
import { canUse, couldTake, type ExtendedNames, extendedNamesOf } from '../explain/judge.ts';
import { joinWords } from '../gpu/search/layout-words.ts';
import { evictsNever } from '../policy/demand-wish.ts';
import { nameSlice } from '../policy/demand-profiles.ts';
import { asScheduled } from '../policy/schedules.ts';
import { askFor, type DemandAsked } from './demand-question.ts';
import { indexHolders, weighGpus } from './eviction-weight.ts';
import { accepts, countIdle, describeGone, namePodsInTheWay, pickMade } from './made-slice.ts';
import { explainNext } from './next-schedule.ts';
import { listMembers, type Member, setMembersAside } from './member.ts';
import { describeHold, describePlace, describeSlices, elsewhere, nameProfile } from './prospect-words.ts';
import { isOfProfile, listWaiters, type Waiter } from './pod-demand.ts';
import {
  planMembers,
  type Planned,
  type PlannedPool,
  type PlanQuestion,
  planServed,
  settle,
  withoutRank,
} from './pool-plan.ts';
import { findPrice } from './price.ts';
import { actsOf, couldHold, type PodPool, PoolReader } from './pod-pool.ts';
import { shareSlices, shareWaiting, type WaitingSlices } from './waiting-share.ts';
import { followsPods, type WantedPart, type WantedSlice, wantedSlices } from './wanted-slices.ts';
import type { PodView } from '../pods/pod-view.ts';
import { WHOLE } from '../gpu/geometry/profile-name.ts';

/** What the demand of a policy makes of a pod that waits for a slice. */
export interface PodProspect {
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
interface Scene {
  readonly pod: PodView;
  readonly resource: string;
  readonly policy: GpuPartitionPolicy;
  readonly demand: PolicyDemand;
  readonly nodes: readonly GpuNode[];
  readonly members: readonly Member[];
  readonly wanted: readonly WantedSlice[];
  /** What pods wait for, by resource, whether or not the demand follows them. */
  readonly waiting: ReadonlyMap<string, number>;
  /** With what evictions cost, where pods may be evicted and are known. */
  readonly gpus: readonly PoolGpu[];
  readonly now: number | undefined;
}

/**
 * What demands make of a pod that waits: where they will offer it a slice, or why they never will. It plans as the controller does, and
 * once more with one slice more, which shows what would have to go for it.
 *
 * @param held what Kueue holds back
 */
export function* foreseePod(
  pod: PodView,
  facts: ClusterFacts,
  held: readonly Waiter[] = [],
): Asking<readonly PodProspect[]> {
  const [waiter] = listWaiters([pod], facts.namespaces);
  if (!waiter) return [];
  const names = extendedNamesOf(facts.classes);
  const byPolicy = Map.groupBy(listGpuNodes(facts), ({ policy }) => policy);
  const owned = [...byPolicy].flatMap(([policy, nodes]) => (policy ? [{ policy: asScheduled(policy), nodes }] : []));
  const pools = owned.map(({ policy, nodes }) => poolOf(policy, nodes, facts.now, names));
  const homes = [...shareWaiting([waiter], pools)].flatMap(([name, { size }]) => (size > 0 ? [name] : []));
  const waiters = [...listWaiters(facts.pods ?? [pod], facts.namespaces), ...held];
  const shares = shareSlices(waiters, pools);
  const { partitions, pods = [], budgets = [] } = facts;
  const prospects: PodProspect[] = [];
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
    const scene = { pod, policy, demand, nodes, members, wanted, waiting, gpus, now: facts.now };
    for (const resource of waiter.requests.keys()) {
      const found = yield* foresee({ ...scene, resource });
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
): readonly PodProspect[] {
  const written = policies.find(({ metadata }) => metadata.name === policy);
  const message = written && explainNext(written, nodes, resource);
  return message === undefined ? [] : [{ policy, code: 'NextSchedule', message: `policy ${policy}: ${message}` }];
}

function poolOf(
  policy: GpuPartitionPolicy,
  nodes: readonly GpuNode[],
  now: number | undefined,
  names: ExtendedNames,
): PodPool {
  const reader = new PoolReader(policy, names);
  const read = nodes.map(({ node, partition }) => reader.read(node, partition));
  return reader.pool(policy.metadata.name, read, actsOf(policy, now), policy.status?.demand);
}

type Found = Omit<PodProspect, 'policy'>;

function* foresee(scene: Scene): Asking<Found | undefined> {
  const { pod, resource, policy, demand, nodes, members, wanted, waiting, gpus } = scene;
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
  const coming = findComing(scene);
  if (coming && !isPlanned(policy))
    return { code: 'Making', message: `it is making a ${profile} on ${describePlace(coming, nodes)}` };
  if (hasIdle(scene)) return undefined;
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
  const made = pickMade(planned, resource, (node) => accepts(nodes, node, pod));
  const lacking = asked.slices.find(({ name }) => names.has(name) && (planned.shortfall.lacking[name] ?? 0) > 0);
  // A count or a min may be more than fits: what no pod asks for may lack.
  const isEnough = made && countIdle(planned, resource) >= (waiting.get(resource) ?? 0);
  if (lacking && isEnough !== true) return yield* explainLack(scene, asked, planned, lacking);
  if (made) {
    const would = isPlanned(policy) ? 'would' : 'will';
    const where = accepts(nodes, made.member.node, pod) ? '' : elsewhere;
    const message = `the planner ${would} offer a ${profile} on ${describePlace(made.member, nodes)}${describeGone(made)}${where}${describeHold(scene)}`;
    return { code: 'Planned', message };
  }
  if (want.beyond > 0) {
    const message = `max of ${want.name} is ${slice?.max ?? want.count}, and ${want.used} are in use and ${want.waiting ?? 0} waited for: raise max, or it waits until one falls idle`;
    return { code: 'MaxReached', message };
  }
  return undefined;
}

function canOffer({ gpu }: Member, resource: string): boolean {
  return [WHOLE, ...gpu.geometry.profiles.map(({ name }) => name)].some((profile) => isOfProfile(resource, profile));
}

const tooLarge: Found = {
  code: 'TooLarge',
  message:
    'its pool is too large to be planned without the solver, which gpu-partition explain pod asks where it can run',
};

/** What is lacking in the best plan, and what would have to give way for it. */
function* explainLack(
  { pod, resource, policy, nodes, members, wanted, gpus }: Scene,
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
    const made = pickMade({ members, layouts: evicting.layouts }, resource, (node) => accepts(nodes, node, pod), true);
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

function* plan(members: readonly Member[], asked: DemandAsked, gpus: readonly PoolGpu[]): Asking<Planned | undefined> {
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
function findComing({ members, resource }: Scene): Member | undefined {
  const count = (instances: Member['present']): number =>
    instances.filter(({ profile, busy }) => !busy && isOfProfile(resource, profile)).length;
  return members.find(({ gpu, present }) => count(gpu.instances) > count(present));
}

/** What is idle on a node that is open is the scheduler's to give. */
function hasIdle({ members, resource, nodes, pod }: Scene): boolean {
  return members.some(
    ({ node, present }) =>
      present.some(({ profile, busy }) => !busy && isOfProfile(resource, profile)) &&
      nodes.some((one) => one.name === node && canUse(one.node, pod)),
  );
}
