import type { PoolGpu } from '../core/demand/solver/pool.ts';
import {
  type DemandAsked,
  type Planned,
  planMembers,
  wishesOf,
  askFor,
  layRest,
  planServed,
  type PlannedPool,
  type PlanQuestion,
} from '../core/demand/plan-pool.ts';
import {
  type DemandGpu,
  listPodPools,
  listPool,
  type PoolCluster,
  type PoolPast,
  type PodPool,
  setMembersAside,
  noPast,
} from '../core/demand/members.ts';
import { planDemand } from './solver-process.ts';
import type { PolicyRecord } from '../core/policy/record.ts';
import {
  type Waiter,
  type PoolShare,
  assignWaitingPods,
  type Uncounted,
  listWaiters,
} from '../core/demand/waiting-pods.ts';
import { type Clock, EventLoopYield, systemClock } from '../process/clock.ts';
import type { GpuPartitionPolicy } from '../api/types.ts';
import {
  type ChangePlan,
  planPrepared,
  type PreparedChange,
  prepareChange,
  type ClusterState,
  type ControllerSetup,
  type DemandPreview,
} from '../core/plan/change.ts';
import { reportDemand, reportFailure, reportUncounted, reportUnread } from '../core/demand/report.ts';
import { indexHolders, weighGpus } from '../core/demand/eviction-cost.ts';
import { explainUnread, heldBy, type KueueReading } from '../core/demand/kueue.ts';
import { findStop } from '../core/rollout/budget.ts';
import { followsPods, wantedSlices } from '../core/demand/wanted.ts';
import { describeError } from '../process/log.ts';
import type { ClusterFacts } from '../core/cluster/facts.ts';
import { asScheduled } from '../core/policy/schedules.ts';
import { explainDemandFor, type PodDemandOutlook } from '../core/demand/pod-outlook.ts';
import type { PodView } from '../core/kubernetes/pod.ts';

/** How long a plan may take, in seconds. */
const planSeconds = 20;

/** {@link planMembers}, with the solver where it takes one. @param gpus as there */
export async function planPool(
  members: readonly DemandGpu[],
  asked: DemandAsked,
  gpus?: readonly PoolGpu[],
  signal?: AbortSignal,
): Promise<Planned> {
  const planning = planMembers(members, asked, gpus);
  let step = planning.next();
  while (step.done !== true) {
    const question = step.value;
    step = planning.next(await planDemand(question.gpus, { ...question.asked, seconds: planSeconds, signal }));
  }
  return step.value;
}

/** {@link listPool}, without blocking the event loop. */
export async function readMembers(
  cluster: PoolCluster,
  record: PolicyRecord,
  past: PoolPast,
  clock: Clock = systemClock,
): Promise<readonly DemandGpu[]> {
  const turn = new EventLoopYield(clock);
  const members: DemandGpu[] = [];
  for (const found of listPool(record, cluster, past)) {
    members.push(...found);
    await turn.pause();
  }
  return members;
}

/** {@link listPodPools}, without blocking the event loop. */
async function readPodPools(
  cluster: PoolCluster,
  record: PolicyRecord,
  now: number,
  clock: Clock,
): Promise<readonly PodPool[]> {
  const turn = new EventLoopYield(clock);
  const reading = listPodPools(record, cluster, now);
  let step = reading.next();
  while (step.done !== true) {
    await turn.pause();
    step = reading.next();
  }
  return step.value;
}

/** The share of the waiting pods that counts for a policy's pool. */
interface WaitingReading extends PoolShare {
  readonly uncounted: readonly Uncounted[];
}

const asksNothing: PoolShare = { waiting: new Map(), missing: new Map(), stranded: new Map(), takers: undefined };

/** Shares pods that wait among pools, without blocking the event loop. @param now in ms since the epoch */
export async function readWaiting(
  cluster: PoolCluster,
  record: PolicyRecord,
  waiters: readonly Waiter[],
  now: number,
  clock: Clock = systemClock,
): Promise<WaitingReading> {
  const turn = new EventLoopYield(clock);
  const uncounted: Uncounted[] = [];
  const shares = assignWaitingPods(waiters, await readPodPools(cluster, record, now, clock), (left) =>
    uncounted.push(left),
  );
  let step = shares.next();
  while (step.done !== true) {
    await turn.pause();
    step = shares.next();
  }
  return { ...(step.value.get(record.name) ?? asksNothing), uncounted };
}

/** The questions that the controller asks about the pool of a demand. */
export const poolQuestions = { readMembers, readWaiting, planPool };
export type PoolQuestions = typeof poolQuestions;

/**
 * Plans what applying policies to a cluster does, with layouts chosen for demands as the controller would now. Nothing is written.
 *
 * @param at when it is done, which schedules tell apart
 */
export async function predictChange(
  cluster: ClusterState,
  given: readonly GpuPartitionPolicy[],
  setup: ControllerSetup,
  readKueue: () => Promise<KueueReading>,
  at: number = cluster.now,
): Promise<ChangePlan> {
  const prepared = prepareChange(cluster, given, setup, at);
  const waiters = listWaiters(cluster.pods, cluster.namespaces);
  const isQueued = prepared.demands.some(({ policy }) => policy.spec.demand?.from === 'Kueue');
  const kueue = isQueued ? await readKueue() : undefined;
  const demands: DemandPreview[] = [];
  for (const record of prepared.demands) demands.push(await chooseLayouts(prepared, record, waiters, kueue));
  return planPrepared(prepared, demands);
}

/** What was asked for earlier, and which GPUs were re-laid lately, only the controller knows: it counts as steady, and rested. */
async function chooseLayouts(
  { cluster, fleet, at }: PreparedChange,
  record: PolicyRecord,
  waiters: readonly Waiter[],
  kueue: KueueReading | undefined,
): Promise<DemandPreview> {
  const { name, policy } = record;
  const { demand = { slices: [] } } = policy.spec;
  const byName = <T extends { readonly metadata: { readonly name: string } }>(all: readonly T[]) =>
    new Map(all.map((one) => [one.metadata.name, one]));
  const sources = { fleet, nodes: byName(cluster.nodes), partitions: byName(cluster.partitions) };
  const read = await readMembers(sources, record, noPast);
  const held = demand.from === 'Kueue' ? kueue : undefined;
  const all = [...waiters, ...heldBy(held)];
  const share = followsPods(demand) ? await readWaiting(sources, record, all, at) : undefined;
  const members = setMembersAside(read, share?.takers);
  const wanted = wantedSlices(demand, members, { waiting: undefined, ...share, steady: (_, count) => count });
  const asked = askFor(policy, wanted, members);
  try {
    const served = planServed(members, asked);
    const { layouts, shortfall } = served
      ? { ...served, layouts: layRest(demand.rest, asked, members) }
      : await planPool(
          members,
          asked,
          asked.evict === 'Never'
            ? undefined
            : weighGpus(members, indexHolders(cluster), policy.spec.drain, {
                nodes: share?.waiting.ranks?.nodes,
                nowMs: cluster.now,
              }),
        );
    fleet.choose(policy, wishesOf(members, layouts));
    const report = reportUncounted(
      reportDemand(wanted, members, shortfall, findStop(policy, at)),
      name,
      share?.uncounted ?? [],
    );
    const trouble = explainUnread(
      held,
      [...record.nodes].flatMap((node) => sources.nodes.get(node) ?? []),
    );
    return outlookOf(name, trouble === undefined ? report : reportUnread(report, trouble));
  } catch (error) {
    return outlookOf(name, reportFailure({ states: [] }, describeError(error)));
  }
}

function outlookOf(policy: string, { states, condition }: ReturnType<typeof reportDemand>): DemandPreview {
  return { policy, slices: states, reason: condition.reason, message: condition.message };
}

/** How long each plan may take, in seconds. */
const prospectSeconds = 20;

/** {@link explainDemandFor}, with the solver where it takes one, and what Kueue holds back where a demand follows it. */
export async function predictPodDemand(
  pod: PodView,
  facts: ClusterFacts,
  readKueue: () => Promise<KueueReading>,
): Promise<readonly PodDemandOutlook[]> {
  const isQueued = facts.policies.some((policy) => asScheduled(policy).spec.demand?.from === 'Kueue');
  const asking = explainDemandFor(pod, facts, heldBy(isQueued ? await readKueue() : undefined));
  let step = asking.next();
  while (step.done !== true) step = asking.next(await answer(step.value));
  return step.value;
}

async function answer({ gpus, asked }: PlanQuestion): Promise<PlannedPool | undefined> {
  try {
    return await planDemand(gpus, { ...asked, seconds: prospectSeconds });
  } catch {
    // Without a solver, large pools are not planned: the outlook says so.
    return undefined;
  }
}
