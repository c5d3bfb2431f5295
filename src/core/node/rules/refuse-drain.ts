import { claimedDaemonSet, judgeEviction } from '../../pods/eviction.ts';
import { listLosses } from '../../pods/lost-devices.ts';
import { judgeFate } from '../../pods/pod-fate.ts';
import { countWords, joinWithin } from '../../text/cut-text.ts';
import { awaitUsers, type Outcome, type Situation } from '../outcome.ts';
import { presumeAffected } from './plan-holders.ts';
import { listPodCauses, type PodView } from '../../pods/pod-view.ts';

/** How often, in ms, pods are looked at again that nothing moves: their end, and an edit of the policy, are events. */
const stayingPollMs = 60_000;
/** Of the message, which ends with what to do. */
const longestCauses = 2000;

/**
 * Pods that no eviction moves are waited for with the node open: closed, it would only be missed. No other pod is evicted meanwhile,
 * and the node asks for no slot.
 */
export function refuseDrain(situation: Situation, pods: readonly PodView[]): Outcome | undefined {
  const { claim, fresh, partition } = situation;
  const affected = presumeAffected(situation, pods);
  const here = affected.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (fresh?.drain === undefined && here.some(claimedDaemonSet)) return { needs: 'Drain' };
  const missingOwners = fresh?.drain?.missingOwners;
  const staying = here.flatMap((pod) => {
    const { fate, message = '' } = judgeFate(pod, claim.winner?.spec.drain, { budgets: [], missingOwners });
    return fate === 'Stays' ? [{ pod, why: message }] : [];
  });
  if (staying.length === 0) return undefined;
  const mayForce = staying.some(({ pod }) => judgeEviction(pod, missingOwners) === 'ByForce');
  const [they, them] = staying.length === 1 ? ['It', 'it'] : ['They', 'them'];
  const advice = `delete ${them} yourself${mayForce ? ', or set spec.drain.onTimeout: Force' : ''}`;
  const losses = listLosses(
    partition.status?.device,
    staying.map(({ pod }) => pod),
  );
  const message =
    `waiting, with the node open, for ${countWords(staying.length, 'pod')} that no eviction moves: ` +
    `${joinWithin(listPodCauses([...losses, ...staying]), longestCauses)}. ${they} may end on ${staying.length === 1 ? 'its' : 'their'} own; otherwise ${advice}`;
  return awaitUsers(message, stayingPollMs);
}
