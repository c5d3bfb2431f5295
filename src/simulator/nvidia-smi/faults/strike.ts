import type { NvmlCall } from '../nvml/nvml-call.ts';
import type { World } from '../state/world.ts';
import { speaksOf, type FaultRule, type FaultTarget } from './fault.ts';

/** True if `rule` applies now; counts the match of a rule with `nth`. */
export function strikes(world: World, rule: FaultRule, call: NvmlCall, target: FaultTarget): boolean {
  if (!speaksOf(rule, call, target, world.argv)) {
    return false;
  }
  if (rule.nth === undefined) {
    return true;
  }
  const count = world.countMatch(rule);
  return count >= rule.nth.first && count <= rule.nth.last;
}
