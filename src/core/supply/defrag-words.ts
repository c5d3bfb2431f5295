import type { ClassPlan } from '../demand/demand-plan.ts';
import { joinWords } from '../gpu/search/layout-words.ts';
import { ranOutOfTime } from './demand-report.ts';

/** What a plan that frees slices leaves lacking, and whether that is proven. */
type Freed = Pick<ClassPlan, 'unserved' | 'gap'>;

/**
 * Why slices cannot be freed, in words; undefined if they can.
 *
 * @param plan for what `askToFree` asks
 * @param forced the same with evictions, where the policy forbids them
 * @param seconds that each plan might take
 */
export function explainShortage(plan: Freed, forced: Freed | undefined, seconds: number): string | undefined {
  const { unserved } = plan;
  if (Object.keys(unserved).length === 0) return undefined;
  const words = sayLacking(unserved);
  const isFreed = forced !== undefined && Object.keys(forced.unserved).length === 0;
  if (ranOutOfTime(plan) || (forced !== undefined && ranOutOfTime(forced)))
    return `no room was found for ${words} within ${seconds} s, and there may be some: raise --time-limit`;
  if (isFreed)
    return `${words} could be freed only by evicting pods, which demand.evict Never of the policy forbids: set it to IfNeeded`;
  const isAsked = Object.keys(unserved).some((name) => name.startsWith('free '));
  const otherwise = isAsked ? 'free fewer' : 'have the demand want less';
  return `there is no room for ${words} beside what runs: add GPUs, or ${otherwise}`;
}

/** `1 of 3g.20gb and 2 of small (of the demand)` */
function sayLacking(unserved: Freed['unserved']): string {
  const counts = new Map<string, number>();
  for (const [name, count] of Object.entries(unserved)) {
    const what = sayName(name);
    counts.set(what, (counts.get(what) ?? 0) + count);
  }
  return joinWords([...counts].map(([what, count]) => `${count} of ${what}`));
}

/** Names are those of `askToFree`; no slice of a policy has one with a space. */
function sayName(name: string): string {
  const [, free] = /^free (.+)$/.exec(name) ?? [];
  const [, used] = /(?:^|\/)used (.+)$/.exec(name) ?? [];
  if (free !== undefined) return free;
  return used === undefined ? `${name.split('/')[0]} (of the demand)` : `${used} (in use)`;
}
