import { evictsNever } from '../../policy/demand-wish.ts';
import { namePods } from '../../pods/gpu-pods.ts';
import type { Ruling } from '../outcome.ts';
import type { NodePod, Situation } from '../snapshot.ts';

/** For the agent to report the pods, upon which other layouts are chosen: that comes as an event. */
const lookAgainMs = 5000;

/**
 * A demand that may not evict gives up idle slices only. Where a pod has come onto one since, nothing happens, with the node open:
 * other layouts are chosen as soon as the agent has reported it.
 */
export function sparePods({ claim }: Situation, affected: readonly NodePod[]): Ruling | undefined {
  if (affected.length === 0 || !evictsNever(claim.winner)) return undefined;
  const message =
    `${namePods(affected)} use what the plan would destroy, and the demand of policy ${claim.winner?.metadata.name} evicts no pod ` +
    '(demand.evict: Never): other layouts are being chosen';
  return {
    ifClosed: 'Opens',
    verdict: { phase: 'Waiting', reason: 'PodsUseGpus', message, requeueAfterMs: lookAgainMs },
  };
}
