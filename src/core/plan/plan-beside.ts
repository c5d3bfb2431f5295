import type { GpuNodePartition } from '../../api/types.ts';
import { describePlan } from '../node/rules/slot.ts';
import { describeRefusal, type NodeClaim } from '../policy/claim.ts';
import { foreignOn } from '../wish/ownership.ts';
import { planWish } from '../wish/plan-wish.ts';
import type { NodeOutcome } from '../policy/tally.ts';

/**
 * What a policy of mode Plan would do to a node over which another policy decides. The node's agent plans the wish of that one alone.
 *
 * @param claim as if the policy decided
 * @param partition with the pods on its slices
 */
export function planBeside(node: string, claim: NodeClaim, partition: GpuNodePartition | undefined): NodeOutcome {
  const { device = {} } = partition?.status ?? {};
  const { wish } = claim;
  if (partition === undefined || wish === undefined) {
    const message = 'the agent on this node has not reported its GPUs yet';
    return { node, phase: 'Pending', reason: 'AgentNotReporting', message };
  }
  if ('refusal' in wish) return { node, phase: 'Invalid', ...describeRefusal(wish) };
  const foreign = foreignOn(device);
  // Only the agent sees processes that belong to no pod: a plan is the same without their names.
  const { report: plan } = planWish(device, wish.wish, foreign);
  const planned = { ...partition, status: { ...partition.status, device: { ...device, plan } } };
  const message = `mode Plan, nothing changes: ${plan.refusal ?? describePlan({ partition: planned, claim })}`;
  return { node, phase: 'Pending', reason: 'PlanOnly', message, plan };
}
