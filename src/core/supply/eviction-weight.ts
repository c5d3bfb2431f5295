import type { PodFate } from '../pods/pod-fate.ts';

/** What a pod's eviction costs beside another's. */
const usual = 10;
const forBudget = 1000;
const never = 1_000_000;

/** A pod of higher priority is dearer, by its order of magnitude: priorities have no unit. Pods that no eviction moves go last. */
export function weighEviction(fate: PodFate, priority = 0): number {
  if (fate === 'Stays' || fate === 'Awaited') return never;
  if (fate === 'Blocked') return forBudget;
  return priority <= 0 ? usual : usual + 10 * Math.ceil(Math.log10(1 + priority));
}
