import { evictsNever, restEntry } from '../../policy/demand-wish.ts';
import type { GpuNodePartition } from '../../../api/types.ts';
import { userKey } from '../../gpu/state/device-users.ts';
import { isRetiring } from '../../policy/retirement.ts';
import { listLosses } from '../../pods/lost-devices.ts';
import { joinWithin } from '../../text/cut-text.ts';
import { awaitUsers, type Ruling, type Situation } from '../outcome.ts';
import { longestBlockers } from '../rest.ts';
import { listPodCauses, namePods, type PodCause, type PodView } from '../../pods/pod-view.ts';

/** For the agent to report the pods, upon which other layouts are chosen: that comes as an event. */
const lookAgainMs = 5000;

/**
 * A demand that may not evict gives up idle slices only. Where a pod has come onto one since, nothing happens, with the node open:
 * other layouts are chosen as soon as the agent has reported it.
 */
export function sparePods(situation: Situation, affected: readonly PodView[]): Ruling | undefined {
  if (affected.length === 0) return undefined;
  const { claim, partition } = situation;
  const isNever = evictsNever(claim.winner);
  if (!isNever && !drainsRest(partition)) return undefined;
  const why = isNever ? 'demand.evict: Never' : 'demand.rest, for which no pod goes';
  const next =
    claim.winner && isRetiring(claim.winner)
      ? 'the policy waits until they end, and at its deadline it goes and the layout stays. Delete them, or set onDelete: Keep'
      : 'other layouts are being chosen';
  const losses = listLosses(partition.status?.device, affected);
  const policy = claim.winner?.metadata.name;
  const message =
    isNever && losses.length > 0
      ? adviseLosers(policy, losses)
      : `${namePods(affected)} ${affected.length === 1 ? 'uses' : 'use'} what the plan would destroy, and the demand of policy ${policy} evicts no pod ` +
        `(${why}): ${next}`;
  return awaitUsers(message, lookAgainMs);
}

/** No other layout helps a pod whose device was destroyed. */
function adviseLosers(policy: string | undefined, losses: readonly PodCause[]): string {
  return (
    `${joinWithin(listPodCauses(losses), longestBlockers)}. The demand of policy ${policy} evicts no pod (demand.evict: Never): ` +
    `delete ${losses.length === 1 ? 'it' : 'them'} yourself`
  );
}

/** Whether pods would have to go from a GPU that changes only because the demand does not need it. */
function drainsRest({ spec, status }: GpuNodePartition): boolean {
  const rest = (spec.wish?.gpus ?? []).filter(({ entry }) => entry === restEntry);
  const drains = status?.device?.plan?.drains ?? [];
  return rest.some(({ uuid }) => drains.some((key) => key.startsWith(userKey(uuid))));
}
