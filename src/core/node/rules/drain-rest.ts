import { timeText } from '../../text/duration.ts';
import { leaveOpen, type Ruling, type Situation } from '../outcome.ts';
import { beginRest, findRest, isBefore, isKept, keepsAll, type Rest } from '../rest.ts';
import { hasEnded, type PodView } from '../../pods/pod-view.ts';
import { presumeAffected } from './plan-holders.ts';

/** Why a drain was given up. */
const causes = {
  DrainTimeout: 'the pods on instances that must go did not end within spec.drain.timeout',
  DrainLoop: 'pods of the same owner came back after each eviction',
  EvictionBlocked: 'disruption budgets never allow the eviction of pods that must go',
  PodsUseGpus: 'the kubelet has not reported in time which GPUs some pods use',
} as const;
type Cause = keyof typeof causes;

/**
 * Opens the node with nothing changed, and leaves its pods alone for a while, longer each time.
 * @param pods those in the way @param evicted how many pods had to go, if some of them were evicted
 */
export function giveUp(
  situation: Situation,
  reason: Cause,
  blockers: string,
  pods: readonly PodView[],
  evicted = 0,
): Ruling {
  const rest = beginRest(situation, 'DrainRest', reason, blockers, pods, evicted);
  return { ...resting(situation, reason, rest), waits: rest.waits };
}

/** Pods that did not go in time are left alone as long as the rest lasts and they are there. */
export function drainRests(situation: Situation, pods: readonly PodView[]): Ruling | undefined {
  const rest = findRest(situation, 'DrainRest');
  if (rest === undefined || rest.leftMs <= 0 || !isCause(rest.reason)) return undefined;
  const others = keepsAll(rest) ? [] : presumeAffected(situation, pods).filter((pod) => isBefore(pod, rest));
  const isThere = others.length > 0 || pods.some((pod) => !hasEnded(pod) && isKept(pod, rest));
  return isThere ? resting(situation, rest.reason, rest) : undefined;
}

/** How often pods failed to go for the current request. */
export function countFailedDrains(situation: Situation): number {
  return findRest(situation, 'DrainRest')?.count ?? 0;
}

/** No pod stays announced, even if the node stays closed for another cause. */
function resting({ now, partition }: Situation, reason: Cause, { blockers, leftMs }: Rest): Ruling {
  const message = `${causes[reason]}: ${blockers}. Nothing was changed; the next attempt is at ${timeText(now + leftMs)}`;
  return {
    ...leaveOpen('Waiting', reason, message, leftMs + 10),
    commands: partition.spec.drain === undefined ? [] : [{ name: 'WriteDrain', drain: null }],
  };
}

function isCause(reason: string): reason is Cause {
  return reason in causes;
}
