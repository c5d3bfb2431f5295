import { askAll } from '../core/text/asking.ts';
import type { PlannedPool, PlanQuestion } from '../core/demand/plan-pool.ts';
import { planDemand } from './solver-process.ts';
import { type Clock, EventLoopYield, systemClock } from '../process/clock.ts';
import type { GpuPartitionPolicy } from '../api/types.ts';
import { ForeseenChange } from '../core/plan/change.ts';
import type { KueueReading } from '../core/demand/kueue.ts';
import { describeError } from '../process/log.ts';
import type { ClusterFacts } from '../core/cluster/facts.ts';
import { asScheduled } from '../core/policy/spec.ts';
import { explainDemandFor } from '../core/demand/pod-outlook.ts';
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
  return askAll(thought, async (question) => {
    if (question !== undefined) return planDemand(question.gpus, { ...question.asked, seconds, signal });
    await turn.pause();
    return undefined;
  });
}

type Change = ConstructorParameters<typeof ForeseenChange>;

/**
 * Plans what applying policies to a cluster does, with layouts chosen for demands as the controller would now. Nothing is written.
 *
 * @param at when it is done, which schedules tell apart
 */
export async function predictChange(
  cluster: Change[0],
  given: Change[1],
  setup: Change[2],
  readKueue: () => Promise<KueueReading>,
  at?: number,
): Promise<ReturnType<ForeseenChange['plan']>> {
  const change = new ForeseenChange(cluster, given, setup, at);
  const held = await readQueues(
    change.demands.map(({ policy }) => policy),
    readKueue,
  );
  for (const demand of change.demands) {
    try {
      await think(change.choose(demand, held));
    } catch (error) {
      change.fail(demand, describeError(error));
    }
  }
  return change.plan();
}

/** {@link explainDemandFor}, with the solver where it takes one, and what Kueue holds back where a demand follows it. */
export async function predictPodDemand(pod: PodView, facts: ClusterFacts, readKueue: () => Promise<KueueReading>) {
  const held = await readQueues(facts.policies.map(asScheduled), readKueue);
  return askAll(explainDemandFor(pod, facts, held), answer);
}

/** What Kueue holds back; undefined if no policy follows that. */
async function readQueues(policies: readonly GpuPartitionPolicy[], readKueue: () => Promise<KueueReading>) {
  const isQueued = policies.some(({ spec }) => spec.demand?.from === 'Kueue');
  return isQueued ? readKueue() : undefined;
}

async function answer({ gpus, asked }: PlanQuestion): Promise<PlannedPool | undefined> {
  try {
    return await planDemand(gpus, { ...asked, seconds: planSeconds });
  } catch {
    // Without a solver, large pools are not planned: the outlook says so.
    return undefined;
  }
}
