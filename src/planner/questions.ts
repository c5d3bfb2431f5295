import type { PoolGpu } from '../core/demand/solver/pool.ts';
import {
  type DemandAsked,
  type Planned,
  planMembers,
  type PlannedPool,
  type PlanQuestion,
} from '../core/demand/plan-pool.ts';
import { type DemandGpu, listPool, type PoolCluster } from '../core/demand/members.ts';
import { planDemand } from './solver-process.ts';
import type { PolicyRecord } from '../core/policy/record.ts';
import { listWaiters } from '../core/demand/waiting-pods.ts';
import { type Clock, EventLoopYield, systemClock } from '../process/clock.ts';
import type { DemandReport } from '../core/policy/slices.ts';
import type { GpuPartitionPolicy } from '../api/types.ts';
import {
  type ChangePlan,
  planPrepared,
  prepareChange,
  type ClusterState,
  type ControllerSetup,
} from '../core/plan/change.ts';
import { reportFailure } from '../core/demand/report.ts';
import { indexHolders } from '../core/demand/eviction-cost.ts';
import { type HeldPods, type KueueReading, readHeld, readShare, type WaitingReading } from '../core/demand/kueue.ts';
import { foreseeDemand } from '../core/demand/state.ts';
import { describeError } from '../process/log.ts';
import type { ClusterFacts } from '../core/cluster/facts.ts';
import { asScheduled } from '../core/policy/versions.ts';
import { explainDemandFor, type PodDemandOutlook } from '../core/demand/pod-outlook.ts';
import type { PodView } from '../core/kubernetes/pod.ts';

/** How long a plan may take, in seconds. */
const planSeconds = 20;

interface Thinking {
  /** Seconds that each plan may take. */
  readonly seconds?: number;
  readonly clock?: Clock | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Thinks something through that yields wherever others may have a turn, and asks for plans: with the solver where these take one. */
export async function think<T>(
  thought: Generator<PlanQuestion | undefined, T, PlannedPool>,
  { seconds = planSeconds, clock = systemClock, signal }: Thinking = {},
): Promise<T> {
  const turn = new EventLoopYield(clock);
  let step = thought.next();
  while (step.done !== true) {
    if (step.value === undefined) {
      await turn.pause();
      step = thought.next();
    } else {
      const { gpus, asked } = step.value;
      step = thought.next(await planDemand(gpus, { ...asked, seconds, signal }));
    }
  }
  return step.value;
}

/** {@link planMembers}, with the solver where it takes one. @param gpus as there */
export async function planPool(
  members: readonly DemandGpu[],
  asked: DemandAsked,
  gpus?: readonly PoolGpu[],
  signal?: AbortSignal,
): Promise<Planned> {
  return think(planMembers(members, asked, gpus), { signal });
}

/** {@link listPool}, without blocking the event loop. */
export async function readMembers(
  cluster: PoolCluster,
  record: PolicyRecord,
  past?: Parameters<typeof listPool>[2],
  clock?: Clock,
): Promise<readonly DemandGpu[]> {
  return think(listPool(record, cluster, past), { clock });
}

/** {@link readShare}, without blocking the event loop. @param now in ms since the epoch */
export async function readWaiting(
  cluster: PoolCluster,
  record: PolicyRecord,
  waiters: ReturnType<typeof listWaiters>,
  held: HeldPods | undefined,
  now: number,
  clock?: Clock,
): Promise<WaitingReading> {
  return think(readShare(record, cluster, waiters, held, now), { clock });
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
  const { fleet } = prepared;
  const byName = <T extends { readonly metadata: { readonly name: string } }>(all: readonly T[]) =>
    new Map(all.map((one) => [one.metadata.name, one]));
  const pools = { fleet, nodes: byName(cluster.nodes), partitions: byName(cluster.partitions) };
  const waiters = listWaiters(cluster.pods, cluster.namespaces);
  const isQueued = prepared.demands.some(({ policy }) => policy.spec.demand?.from === 'Kueue');
  const held = isQueued ? await think(readHeld(await readKueue())) : undefined;
  const holders = indexHolders(cluster);
  const reports = new Map<string, DemandReport>();
  for (const record of prepared.demands) {
    try {
      const times = { at, nowMs: cluster.now };
      const { wishes, report } = await think(foreseeDemand(record, pools, waiters, held, holders, times));
      fleet.choose(record.policy, wishes);
      reports.set(record.name, report);
    } catch (error) {
      reports.set(record.name, reportFailure('PlannerFailed', describeError(error)));
    }
  }
  return planPrepared(prepared, reports);
}

/** {@link explainDemandFor}, with the solver where it takes one, and what Kueue holds back where a demand follows it. */
export async function predictPodDemand(
  pod: PodView,
  facts: ClusterFacts,
  readKueue: () => Promise<KueueReading>,
): Promise<readonly PodDemandOutlook[]> {
  const isQueued = facts.policies.some((policy) => asScheduled(policy).spec.demand?.from === 'Kueue');
  const held = isQueued ? await think(readHeld(await readKueue())) : undefined;
  const asking = explainDemandFor(pod, facts, held?.waiters);
  let step = asking.next();
  while (step.done !== true) step = asking.next(await answer(step.value));
  return step.value;
}

async function answer({ gpus, asked }: PlanQuestion): Promise<PlannedPool | undefined> {
  try {
    return await planDemand(gpus, { ...asked, seconds: planSeconds });
  } catch {
    // Without a solver, large pools are not planned: the outlook says so.
    return undefined;
  }
}
