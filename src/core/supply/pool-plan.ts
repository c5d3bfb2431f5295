import { compareCosts } from '../demand/choice.ts';
import type { ClassLayout, ClassPlan } from '../demand/demand-plan.ts';
import type { DemandSlice, PoolGpu } from '../demand/pool.ts';
import { levelsOf } from '../demand/scene.ts';
import { type DemandAsked, isServed } from './demand-question.ts';
import { ranOutOfTime, type Shortfall } from './demand-report.ts';
import type { Member } from './member.ts';

/** A pool to be planned. */
export interface PlanQuestion {
  readonly gpus: readonly PoolGpu[];
  readonly asked: DemandAsked;
}

/** A layout for every GPU of a pool. */
export interface PlannedPool extends Pick<ClassPlan, 'cost' | 'unserved' | 'gap'> {
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

/** The plan of a demand that is served already: nothing changes. @returns undefined if one must be made */
export function planServed(members: readonly Member[], asked: DemandAsked): Planned | undefined {
  return isServed(asked, members) ? { members, asked, layouts: [], shortfall: { lacking: {} } } : undefined;
}

/**
 * The best plan that leaves resting GPUs alone; if that leaves something unserved, one that does not, where it serves more: it takes what
 * is idle there, and evicts nobody. What stays unserved because nothing may be evicted, or is never evicted, is planned once more without
 * that, for the proof of the shortage.
 *
 * @param gpus of the members in their order, with what evictions cost; equal ones if absent
 */
export function* planMembers(
  members: readonly Member[],
  asked: DemandAsked,
  gpus: readonly PoolGpu[] = members.map(({ gpu }) => gpu),
): Generator<PlanQuestion, Planned, PlannedPool> {
  const resting = gpus.map((gpu, index) => (members[index]?.rests === true ? { ...gpu, isResting: true } : gpu));
  const gentle = yield { gpus: resting, asked };
  const isShort = gentle.cost.unserved > 0;
  const spared = gpus.map((gpu, index) => (members[index]?.rests === true ? spare(gpu) : gpu));
  const urgent = isShort && members.some(({ rests }) => rests) ? yield { gpus: spared, asked } : gentle;
  const plan = servesMore(urgent, gentle, asked, gpus) ? urgent : gentle;
  const isHeld =
    asked.evict === 'Never' ||
    asked.slices.some(({ outranks }) => outranks !== undefined) ||
    gpus.some(({ instances }) => instances.some(({ stays }) => stays === true));
  const free =
    plan.cost.unserved > 0 && isHeld
      ? yield {
          gpus: members.map(({ gpu }) => gpu),
          asked: { slices: asked.slices.map(withoutRank), evict: 'IfNeeded' },
        }
      : undefined;
  return {
    members,
    asked,
    layouts: plan.layouts,
    shortfall: {
      lacking: plan.unserved,
      lackingAtLeast: free?.unserved,
      ...(ranOutOfTime(plan) && { isUnproven: true }),
      ...(free && asked.evict === 'IfNeeded' && { isSpared: false }),
    },
  };
}

/** Nothing goes twice within the cooldown. */
function spare(gpu: PoolGpu): PoolGpu {
  return { ...gpu, instances: gpu.instances.map((one) => (one.busy ? { ...one, stays: true } : one)) };
}

/** A slice for which everybody would go. */
export function withoutRank({ outranks: _, isWaitedFor: _other, ...slice }: DemandSlice): DemandSlice {
  return slice;
}

/** Whether a plan leaves less unserved than another, level by level of those for whom others go. */
function servesMore(
  { unserved }: PlannedPool,
  other: PlannedPool,
  { slices, evict }: DemandAsked,
  gpus: readonly PoolGpu[],
): boolean {
  const levels = levelsOf(
    slices,
    gpus.flatMap(({ instances }) => instances),
    evict,
  );
  const lacks = (lacking: PlannedPool['unserved']): readonly number[] => {
    const terms = slices.map(
      (slice) => [levels?.levelOf(slice) ?? 0, (lacking[slice.name] ?? 0) * slice.weight] as const,
    );
    return levels?.sum(terms) ?? [terms.reduce((sum, [, weight]) => sum + weight, 0)];
  };
  return compareCosts(lacks(unserved), lacks(other.unserved)) < 0;
}
