import type { NvmlCall } from '../nvml/nvml-call.ts';
import type { World } from '../state/world.ts';
import { speaksOf, type FaultEffect, type FaultTarget } from './fault.ts';

/** What strikes a call now; counts the matches of rules with `nth`. */
export function strike(world: World, call: NvmlCall, target: FaultTarget): readonly FaultEffect[] {
  const rules = world.faults.filter((rule) => {
    if (!speaksOf(rule, call, target, world.argv)) return false;
    if (rule.nth === undefined) return true;
    const count = world.countMatch(rule);
    return count >= rule.nth.first && count <= rule.nth.last;
  });
  return rules.map(({ effect }) => effect);
}
