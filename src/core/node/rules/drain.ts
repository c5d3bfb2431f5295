import { definedOnly } from '../../text/defined-fields.ts';
import { explainStaying, judgeEviction } from '../../pods/eviction.ts';
import { listLosses } from '../../pods/lost-devices.ts';
import type { Slot } from '../../rollout/slot.ts';
import { sameJson } from '../../text/fingerprint.ts';
import { durationMs } from '../../text/duration.ts';
import type { Command, Drain } from '../commands.ts';
import { waitFor, type Waits } from '../memory.ts';
import type { Ruling, Situation, Verdict } from '../outcome.ts';
import { evictPods, findReturning, graceOf, listRefusals, mayAsk, terminationMs } from './evictions.ts';
import { joinWithin } from '../../text/cut-text.ts';
import { longestBlockers } from '../rest.ts';
import { giveUp } from './drain-rest.ts';
import { findHolders } from './plan-holders.ts';
import { hasEnded, listPodCauses, namePods, type PodView } from '../../pods/pod-view.ts';

/** How often the pods of a draining node are listed, in ms: the change begins when the last one has gone. */
const drainPollMs = 1000;
/** The API keeps at most this many pods of a drain. */
const mostAnnounced = 256;

/** Evicts the pods that hold what the plan destroys. @returns why the grant has to wait; undefined if they are gone */
export function drain(situation: Situation, slot: Slot, pods: readonly PodView[]): Ruling | undefined {
  const { claim, partition } = situation;
  const { affected } = findHolders(situation, pods);
  if (affected.length === 0) return undefined;
  const { scope = 'Affected', onTimeout = 'Skip', timeout = '10m' } = claim.winner?.spec.drain ?? {};
  const { lastsMs, waits } = waitFor(situation, 'Drain', slot.startTime);
  const lateMs = lastsMs - durationMs(timeout);
  const isOver = lateMs > 0;
  // Nor may pods that even force cannot end keep the slot from other nodes.
  const isHopeless =
    onTimeout === 'Force' && lateMs > Math.max(durationMs(timeout), terminationMs(situation, affected));
  if ((isOver && onTimeout === 'Skip') || isHopeless)
    return giveUp(
      situation,
      'DrainTimeout',
      describe(situation, affected),
      affected,
      countEvicted(situation, affected),
    );
  if (scope === 'None')
    return wait(
      waits,
      'PodsUseGpus',
      joinWithin(
        [`${sayWaiting(affected)}: with spec.drain.scope None they end on their own`, ...sayLost(situation, affected)],
        longestBlockers,
      ),
    );
  const [looping] = findReturning(situation, affected);
  if (looping) return giveUp(situation, 'DrainLoop', namePods([looping]), [looping]);
  // Announced before it happens: exactly these pods are evicted, for exactly this plan.
  const announced = announceDrain(situation, affected);
  if (!sameJson(partition.spec.drain, announced)) {
    return {
      ...wait(
        waits,
        'Draining',
        joinWithin([`${namePods(affected)} will be evicted`, ...sayLost(situation, affected)], longestBlockers),
      ),
      commands: [{ name: 'WriteDrain', drain: announced }],
    };
  }
  const going = affected.filter(({ metadata }) => announced.pods.some(({ uid }) => uid === metadata.uid));
  const commands = isOver && onTimeout === 'Force' ? deletePods(situation, going) : evictAffected(situation, going);
  const reason = listRefusals(situation, affected).length > 0 ? 'EvictionBlocked' : 'Draining';
  return { ...wait(waits, reason, describe(situation, affected)), commands };
}

/** The number of pods to evict, if at least one has been evicted or has ended; 0 if none has. */
function countEvicted({ partition }: Situation, affected: readonly PodView[]): number {
  const announced = partition.spec.drain?.pods ?? [];
  const here = affected.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const uids = new Set(here.map(({ metadata }) => metadata.uid));
  return announced.every(({ uid }) => uids.has(uid)) ? 0 : announced.length;
}

/** Keeps pods that have ended, so that the agent's plan stays the same; drops those that the policy spares by now. */
function announceDrain({ partition, pods: present = [] }: Situation, affected: readonly PodView[]): Drain {
  const { hash = '', drains = [] } = partition.status?.device?.plan ?? {};
  const { pods: announced = [], readAfter } = partition.spec.drain?.planHash === hash ? partition.spec.drain : {};
  const sparing = present.filter((pod) => !hasEnded(pod) && !affected.includes(pod));
  const spared = new Set(sparing.map(({ metadata }) => metadata.uid));
  const before = announced.filter(({ uid }) => !spared.has(uid));
  const known = new Set(before.map(({ uid }) => uid));
  const all = [...before, ...affected.map(refOf).filter(({ uid }) => !known.has(uid))];
  const here = new Set(affected.map(({ metadata }) => metadata.uid));
  // If there is no room for all, the others follow when these have gone.
  const pods = all.length > mostAnnounced ? all.filter(({ uid }) => here.has(uid)).slice(0, mostAnnounced) : all;
  return { planHash: hash, ...definedOnly({ readAfter }), ...(drains.length > 0 && { places: drains }), pods };
}

function evictAffected(situation: Situation, affected: readonly PodView[]): readonly Command[] {
  const going = affected.filter((pod) => judgeEviction(pod, situation.fresh?.drain?.missingOwners) === 'Yes');
  return evictPods(situation, going, (pod) => graceOf(situation, pod));
}

/** The policy requires it: whoever could write the policy is allowed to. */
function deletePods(situation: Situation, affected: readonly PodView[]): readonly Command[] {
  return affected
    .filter((pod) => judgeEviction(pod, situation.fresh?.drain?.missingOwners) !== 'Never' && mayAsk(situation, pod))
    .map((pod) => definedOnly({ name: 'DeletePod' as const, pod: refOf(pod), graceSeconds: graceOf(situation, pod) }));
}

/** GPU holders that have gone for the change stay away: they went first, and might not go again. */
function wait(waits: Waits, reason: 'PodsUseGpus' | 'Draining' | 'EvictionBlocked', message: string): Ruling {
  const verdict: Verdict = { phase: 'Updating', reason, message, requeueAfterMs: drainPollMs };
  return {
    verdict: reason === 'Draining' ? { ...verdict, transient: true } : verdict,
    waits,
    keepsHoldersAway: true,
    ifClosed: 'Stays',
  };
}

/** Names each cause once, however many pods it keeps: the end of a long message is cut off. */
function describe(situation: Situation, affected: readonly PodView[]): string {
  const stuck = affected.flatMap((pod) => {
    const why = explainStaying(pod, situation.fresh?.drain?.missingOwners);
    return why === undefined ? [] : [{ pod, why: `it ${why}` }];
  });
  const causes = listPodCauses([...stuck, ...listRefusals(situation, affected)]);
  return joinWithin([sayWaiting(affected), ...sayLost(situation, affected), ...causes], longestBlockers);
}

/** Pods in the way of nothing but their own device: somebody has destroyed it. */
function sayLost({ partition }: Situation, affected: readonly PodView[]): readonly string[] {
  return listPodCauses(listLosses(partition.status?.device, affected));
}

function sayWaiting(staying: readonly PodView[]): string {
  return `waiting for ${staying.length === 1 ? 'a pod' : `${staying.length} pods`} to go: ${namePods(staying)}`;
}

function refOf({ metadata }: PodView): { readonly namespace: string; readonly name: string; readonly uid: string } {
  return { namespace: metadata.namespace ?? 'default', name: metadata.name, uid: metadata.uid ?? '' };
}
