import { listMonitorClaims } from '../../dra/resource-claim.ts';
import { sameJson } from '../../text/fingerprint.ts';
import { takesFromClaims } from '../backend.ts';
import { waitFor } from '../memory.ts';
import { awaitUsers, type Outcome, passing, type Situation } from '../outcome.ts';
import { listMonitors } from './monitors.ts';
import { presumeAffected } from './plan-holders.ts';
import { namePods, podName, type PodView } from '../../pods/pod-view.ts';

/** What the API takes. */
const mostClaims = 128;
/** How long an agent may take to plan again, in ms. */
const longestPlanMs = 120_000;
const pollMs = 1000;

/**
 * A claim with admin access looks on, and its pod is never drained. The kubelet names it like any other: before the agent plans
 * without it, slices that it has open look as if they were in use. @returns why the grant has to wait
 */
export function tellMonitors(situation: Situation, pods: readonly PodView[]): Outcome | undefined {
  const { node, partition, fresh } = situation;
  if (!takesFromClaims(situation)) return undefined;
  // Which of the pods that would have to go are monitors is known before anybody asks for a slot.
  if (fresh === undefined) return presumeAffected(situation, pods).length > 0 ? { needs: 'All' } : undefined;
  if (fresh.claims === undefined) return { needs: 'All' };
  const monitors = listMonitorClaims(fresh.claims, node.metadata.name);
  const claims = [...new Set(monitors.map(({ name }) => name))].toSorted().slice(0, mostClaims);
  const without = `waiting for the agent’s plan without monitors: ${describeMonitors(claims.length)}`;
  const waiting = passing('Pending', 'AwaitingPlan', without, pollMs);
  if (!sameJson(partition.spec.monitors ?? [], claims)) {
    return { ...waiting, commands: [{ name: 'WriteMonitors', claims }] };
  }
  const named = new Set([...fresh.holders, ...(partition.status?.device?.plan?.affectedPods ?? [])]);
  const counted = listMonitors(situation, pods).filter((pod) => named.has(podName(pod)));
  if (counted.length === 0) return undefined;
  const { lastsMs, waits } = waitFor(situation, 'Monitors');
  if (lastsMs <= longestPlanMs) return { ...waiting, waits };
  const message =
    `the agent still counts ${namePods(counted)} as users of GPUs, whose claims have admin access: nothing was changed. Is the agent of ` +
    'the controller’s version?';
  return { ...awaitUsers(message, situation.settings.waitingPollMs), waits };
}

function describeMonitors(count: number): string {
  if (count === 0) return 'no claim only looks on any more';
  return count === 1 ? '1 claim with admin access only looks on' : `${count} claims with admin access only look on`;
}
