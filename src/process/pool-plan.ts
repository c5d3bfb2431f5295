import type { DemandAsked } from '../core/supply/demand-question.ts';
import type { Shortfall } from '../core/supply/demand-report.ts';
import type { Member } from '../core/supply/member.ts';
import { type DemandPlan, planDemand } from './demand-solver.ts';

/** How long a plan may take, in seconds. */
const planSeconds = 20;

/** A plan, and the pool that it was made for. */
export interface PlannedPool {
  readonly members: readonly Member[];
  readonly asked: DemandAsked;
  readonly layouts: DemandPlan['layouts'];
  readonly shortfall: Shortfall;
}

/** The best plan that leaves resting GPUs alone; if that leaves something unserved, one that does not, where it serves more. */
export async function planPool(members: readonly Member[], asked: DemandAsked): Promise<PlannedPool> {
  const all = { ...asked, seconds: planSeconds };
  const resting = members.map(({ gpu, rests }) => (rests ? { ...gpu, isResting: true } : gpu));
  const gentle = await planDemand(resting, all);
  const isShort = gentle.cost.unserved > 0;
  const gpus = members.map(({ gpu }) => gpu);
  const urgent = isShort && members.some(({ rests }) => rests) ? await planDemand(gpus, all) : gentle;
  const plan = urgent.cost.unserved < gentle.cost.unserved ? urgent : gentle;
  const isHeld = plan.cost.unserved > 0 && asked.evict === 'Never';
  const free = isHeld ? await planDemand(gpus, { ...all, evict: 'IfNeeded' }) : undefined;
  return {
    members,
    asked,
    layouts: plan.layouts,
    shortfall: { lacking: plan.unserved, lackingAtLeast: free?.unserved },
  };
}
