import type { ClassLayout, ClassPlan } from '../demand/demand-plan.ts';
import type { PoolGpu } from '../demand/pool.ts';
import type { DemandAsked } from './demand-question.ts';
import type { Shortfall } from './demand-report.ts';
import type { Member } from './member.ts';

/** A pool to be planned. */
export interface PlanQuestion {
  readonly gpus: readonly PoolGpu[];
  readonly asked: DemandAsked;
}

/** A layout for every GPU of a pool. */
export interface PlannedPool extends Pick<ClassPlan, 'cost' | 'unserved'> {
  /** In the order of the pool. */
  readonly layouts: readonly ClassLayout[];
}

/** A plan, and the pool that it was made for. */
export interface Planned {
  readonly members: readonly Member[];
  readonly asked: DemandAsked;
  readonly layouts: readonly ClassLayout[];
  readonly shortfall: Shortfall;
}

/**
 * The best plan that leaves resting GPUs alone; if that leaves something unserved, one that does not, where it serves more. What stays
 * unserved because nothing may be evicted is planned once more without that, for the proof of the shortage.
 */
export function* planMembers(
  members: readonly Member[],
  asked: DemandAsked,
): Generator<PlanQuestion, Planned, PlannedPool> {
  const resting = members.map(({ gpu, rests }) => (rests ? { ...gpu, isResting: true } : gpu));
  const gentle = yield { gpus: resting, asked };
  const isShort = gentle.cost.unserved > 0;
  const gpus = members.map(({ gpu }) => gpu);
  const urgent = isShort && members.some(({ rests }) => rests) ? yield { gpus, asked } : gentle;
  const plan = urgent.cost.unserved < gentle.cost.unserved ? urgent : gentle;
  const isHeld = plan.cost.unserved > 0 && asked.evict === 'Never';
  const free = isHeld ? yield { gpus, asked: { ...asked, evict: 'IfNeeded' } } : undefined;
  return {
    members,
    asked,
    layouts: plan.layouts,
    shortfall: { lacking: plan.unserved, lackingAtLeast: free?.unserved },
  };
}
