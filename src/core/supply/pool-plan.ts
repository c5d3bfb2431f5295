import { compareCosts } from '../demand/choice.ts';
import type { ClassLayout, ClassPlan } from '../demand/demand-plan.ts';
import type { PoolGpu } from '../demand/pool.ts';
import { levelsOf } from '../demand/scene.ts';
import { type AskedSlice, type DemandAsked, isServed } from './demand-question.ts';
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
 * The best plan that leaves resting GPUs alone, and those of nodes on which no pod that waits could run; if that leaves something unserved,
 * one that changes resting ones, where it takes what is idle and evicts nobody, then one that changes the others too, for what is not meant for
 * those pods, each where it serves more. What stays unserved because nothing may be evicted, or is never evicted, is planned once more
 * without that, for the proof of the shortage.
 *
 * @param gpus of the members in their order, with what evictions cost; equal ones if absent
 */
export function* planMembers(
  members: readonly Member[],
  asked: DemandAsked,
  gpus: readonly PoolGpu[] = members.map(({ gpu }) => gpu),
): Generator<PlanQuestion, Planned, PlannedPool> {
  const helping = leave(members, gpus, isAside);
  const plan = yield* planAside(members, gpus, asked, yield* planGently(members, helping, asked));
  const isHeld =
    asked.evict === 'Never' ||
    asked.slices.some(({ outranks }) => outranks !== undefined) ||
    gpus.some(({ instances }) => instances.some(({ stays }) => stays === true));
  const free = plan.cost.unserved > 0 && isHeld ? yield* planFree(members, asked) : undefined;
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

function isAside(member: Member): boolean {
  return member.isAside === true;
}

function leave(
  members: readonly Member[],
  gpus: readonly PoolGpu[],
  isLeft: (member: Member) => boolean,
): readonly PoolGpu[] {
  return gpus.map((gpu, index) => {
    const member = members[index];
    return member && isLeft(member) ? { ...gpu, isResting: true } : gpu;
  });
}

/** A plan that leaves GPUs alone which were re-laid a short while ago, unless one that takes what is idle there serves more. */
function* planGently(
  members: readonly Member[],
  gpus: readonly PoolGpu[],
  asked: DemandAsked,
): Generator<PlanQuestion, PlannedPool, PlannedPool> {
  const gentle = yield { gpus: leave(members, gpus, ({ rests }) => rests), asked };
  const hasRests = members.some(({ rests }, index) => rests && gpus[index]?.isResting !== true);
  const spared = gpus.map((gpu, index) => (members[index]?.rests === true ? spare(gpu) : gpu));
  const urgent = gentle.cost.unserved > 0 && hasRests ? yield { gpus: spared, asked } : gentle;
  return servesMore(urgent, gentle, asked, gpus) ? urgent : gentle;
}

/** The same, as if all that runs could be evicted. */
function* planFree(
  members: readonly Member[],
  { slices }: DemandAsked,
): Generator<PlanQuestion, PlannedPool, PlannedPool> {
  const gpus = members.map(({ gpu }) => gpu);
  const asked: DemandAsked = { slices: slices.map(withoutRank), evict: 'IfNeeded' };
  const rested = members.map((one) => ({ ...one, rests: false }));
  return yield* planAside(rested, gpus, asked, yield { gpus: leave(members, gpus, isAside), asked });
}

/** A pool of which some GPUs are as a plan makes them, and stay so. */
export function settle(
  gpus: readonly PoolGpu[],
  layouts: PlannedPool['layouts'],
  isSettled: (index: number) => boolean,
): readonly PoolGpu[] {
  return gpus.map((gpu, index): PoolGpu => {
    if (!isSettled(index)) return gpu;
    const { keep = gpu.instances, create = [] } = layouts[index] ?? {};
    return { ...gpu, instances: [...keep, ...create.map((one) => ({ ...one, busy: false }))], isResting: true };
  });
}

/**
 * Plans the GPUs that were set aside as well, if there are some, beside what a plan makes of the others: for what is not meant for the
 * pods that only those serve. What lacks of that stays unserved.
 */
function* planAside(
  members: readonly Member[],
  gpus: readonly PoolGpu[],
  asked: DemandAsked,
  made: PlannedPool,
): Generator<PlanQuestion, PlannedPool, PlannedPool> {
  if (made.cost.unserved === 0 || !members.some(isAside)) return made;
  const given = asked.slices.map((slice) => Math.min(made.unserved[slice.name] ?? 0, slice.missing ?? 0));
  const slices = asked.slices.map((slice, index) => ({ ...slice, count: slice.count - (given[index] ?? 0) }));
  const others = settle(gpus, made.layouts, (index) => members[index]?.isAside !== true);
  const plan = yield* planGently(members, others, { ...asked, slices });
  const unserved: Record<string, number> = { ...plan.unserved };
  asked.slices.forEach(({ name }, index) => {
    const count = (unserved[name] ?? 0) + (given[index] ?? 0);
    if (count > 0) unserved[name] = count;
  });
  if (!servesMore({ unserved }, made, asked, gpus)) return made;
  const weight = asked.slices.reduce((sum, one, index) => sum + one.weight * (given[index] ?? 0), 0);
  const { cost, layouts } = made;
  return {
    ...plan,
    unserved,
    cost: {
      unserved: plan.cost.unserved + weight,
      evictions: cost.evictions + plan.cost.evictions,
      minutesLost: cost.minutesLost + plan.cost.minutesLost,
      gpusChanged: cost.gpusChanged + plan.cost.gpusChanged,
      instancesDestroyed: cost.instancesDestroyed + plan.cost.instancesDestroyed,
    },
    layouts: plan.layouts.map((one, index) => (members[index]?.isAside === true ? one : (layouts[index] ?? one))),
  };
}

/** Nothing goes twice within the cooldown. */
function spare(gpu: PoolGpu): PoolGpu {
  return { ...gpu, instances: gpu.instances.map((one) => (one.busy ? { ...one, stays: true } : one)) };
}

/** A slice for which everybody would go. */
export function withoutRank({ outranks: _outranks, isWaitedFor: _isWaitedFor, ...slice }: AskedSlice): AskedSlice {
  return slice;
}

/** Whether a plan leaves less unserved than another, level by level of those for whom others go. */
function servesMore(
  { unserved }: Pick<PlannedPool, 'unserved'>,
  other: Pick<PlannedPool, 'unserved'>,
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
