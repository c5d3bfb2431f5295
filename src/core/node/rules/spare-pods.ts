import { evictsNever, restEntry } from '../../policy/demand-wish.ts';
import type { GpuNodePartition } from '../../../api/types.ts';
import { userKey } from '../../gpu/state/device-users.ts';
import { namePods } from '../../pods/gpu-pods.ts';
import type { Ruling } from '../outcome.ts';
import type { NodePod, Situation } from '../snapshot.ts';

/** For the agent to report the pods, upon which other layouts are chosen: that comes as an event. */
const lookAgainMs = 5000;

/**
 * A demand that may not evict gives up idle slices only. Where a pod has come onto one since, nothing happens, with the node open:
 * other layouts are chosen as soon as the agent has reported it.
 */
export function sparePods({ claim, partition }: Situation, affected: readonly NodePod[]): Ruling | undefined {
  if (affected.length === 0) return undefined;
  const isNever = evictsNever(claim.winner);
  if (!isNever && !drainsRest(partition)) return undefined;
  const why = isNever ? 'demand.evict: Never' : 'demand.rest, for which no pod goes';
  const message =
    `${namePods(affected)} use what the plan would destroy, and the demand of policy ${claim.winner?.metadata.name} evicts no pod ` +
    `(${why}): other layouts are being chosen`;
  return {
    ifClosed: 'Opens',
    verdict: { phase: 'Waiting', reason: 'PodsUseGpus', message, requeueAfterMs: lookAgainMs },
  };
}

/** Whether pods would have to go from a GPU that changes only because the demand does not need it. */
function drainsRest({ spec, status }: GpuNodePartition): boolean {
  const rest = (spec.wish?.gpus ?? []).filter(({ entry }) => entry === restEntry);
  const drains = status?.device?.plan?.drains ?? [];
  return rest.some(({ uuid }) => drains.some((key) => key.startsWith(userKey(uuid))));
}
