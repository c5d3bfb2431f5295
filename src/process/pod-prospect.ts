import type { ClusterFacts } from '../core/explain/cluster-facts.ts';
import { asScheduled } from '../core/policy/schedules.ts';
import { heldBy, type KueueReading } from '../core/supply/kueue.ts';
import { foreseePod, type PodProspect } from '../core/supply/pod-prospect.ts';
import type { PlannedPool, PlanQuestion } from '../core/supply/pool-plan.ts';
import { planDemand } from './demand-solver.ts';
import type { PodView } from '../core/pods/pod-view.ts';

/** How long each plan may take, in seconds. */
const planSeconds = 20;

/** {@link foreseePod}, with the solver where it takes one, and what Kueue holds back where a demand follows it. */
export async function foreseePodDemand(
  pod: PodView,
  facts: ClusterFacts,
  readKueue: () => Promise<KueueReading>,
): Promise<readonly PodProspect[]> {
  const isQueued = facts.policies.some((policy) => asScheduled(policy).spec.demand?.from === 'Kueue');
  const asking = foreseePod(pod, facts, heldBy(isQueued ? await readKueue() : undefined));
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
