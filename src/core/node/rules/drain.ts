import { omitUndefined, deepEqual } from '../../text/json.ts';
import {
  ownerOf,
  judgeEviction,
  claimedDaemonSet,
  judgeFate,
  longestBlockers,
  backOffDrain,
  drainRests,
} from '../eviction.ts';
import {
  type Command,
  type RuleInput,
  type Drain,
  type Ruling,
  type Verdict,
  waitForUsers,
  type Outcome,
} from '../commands.ts';
import { durationMs } from '../../text/syntax.ts';
import { type PodCause, type PodView, hasEnded } from '../../kubernetes/pod.ts';
import { listLosses } from '../../device/holders.ts';
import type { Slot } from '../../rollout/budget.ts';
import { timer, type Waits } from '../memory.ts';
import { joinWithin, countWords } from '../../text/words.ts';
import { findHolders, presumeAffected, listPodCauses, namePods } from './users.ts';
import { evictsNever, restEntry } from '../../policy/spec.ts';
import type { GpuNodePartition, GpuReport } from '../../../api/types.ts';
import { userKey } from '../../gpu/device-state.ts';
import { isCleaningUp } from '../../policy/spec.ts';

/** An eviction that was refused, or after which the pod is still there, is repeated after this many ms. */
const askAgainMs = 5000;

/** Evicts pods that are not terminating yet: each once, and again after a while. */
export function evictPods(
  situation: RuleInput,
  pods: readonly PodView[],
  graceOf: (pod: PodView) => number | undefined = () => undefined,
): readonly Extract<Command, { readonly name: 'EvictPod' }>[] {
  return pods.flatMap((pod) => {
    const { name, namespace = 'default', uid } = pod.metadata;
    if (uid === undefined || !mayAsk(situation, pod)) return [];
    const owner = ownerOf(pod)?.uid;
    const graceSeconds = graceOf(pod);
    const whose = omitUndefined({ owner, graceSeconds });
    return [{ name: 'EvictPod', pod: { namespace, name, uid }, round: roundOf(situation, pod), ...whose }];
  });
}

/** Whether a pod is not terminating yet, and was not asked to a moment ago. */
function mayAsk({ memory, now }: RuleInput, { metadata }: PodView): boolean {
  const asked = memory.evictions[metadata.uid ?? ''];
  return metadata.deletionTimestamp === undefined && (asked === undefined || now - asked.at >= askAgainMs);
}

/** Whether the API server has refused a pod's eviction within the last so many ms. */
export function wasRefused({ memory, now }: RuleInput, { metadata }: PodView, withinMs: number): boolean {
  const asked = memory.evictions[metadata.uid ?? ''];
  return asked?.refusal !== undefined && now - asked.at < withinMs;
}

/** 1 for a pod that was there from the start, 2 for the replacement of an evicted one, and so on. */
export function roundOf({ memory, pods = [] }: RuleInput, pod: PodView): number {
  const asked = memory.evictions[pod.metadata.uid ?? ''];
  if (asked?.round !== undefined) return asked.round;
  const owner = ownerOf(pod)?.uid;
  if (owner === undefined) return 1;
  const here = new Set(pods.map(({ metadata }) => metadata.uid));
  const gone = Object.entries(memory.evictions).filter(([uid, one]) => one.owner === owner && !here.has(uid));
  return 1 + Math.max(0, ...gone.map(([, { round = 1 }]) => round));
}

/** The number of pods of one owner that may come back to the node from which they were evicted; then no more of them are evicted. */
const mostReturns = 3;

/** Pods that are recreated here each time they are evicted. */
export function findReturning(situation: RuleInput, pods: readonly PodView[]): readonly PodView[] {
  return pods.filter((pod) => roundOf(situation, pod) > mostReturns);
}

/** The API server's messages for the evictions that it refused. */
export function listRefusals({ memory }: RuleInput, pods: readonly PodView[]): readonly PodCause[] {
  return pods.flatMap((pod) => {
    const why = memory.evictions[pod.metadata.uid ?? '']?.refusal;
    return why === undefined ? [] : [{ pod, why }];
  });
}

/** Kubernetes' default. */
const usualGraceSeconds = 30;
const longestGraceMs = 3600_000;
/** Time for the kubelet to kill the containers and to report it, in ms. */
const afterGraceMs = 30_000;

/**
 * The grace period of an eviction in seconds; undefined: the pod's own. Never 0: that would bypass the kubelet, and a container may outlive
 * its pod.
 */
function graceOf({ claim }: RuleInput, { spec }: PodView): number | undefined {
  const { gracePeriod } = claim.winner?.spec.drain ?? {};
  if (gracePeriod === undefined) return spec?.terminationGracePeriodSeconds === 0 ? 1 : undefined;
  return Math.max(1, Math.round(durationMs(gracePeriod) / 1000));
}

/** How long pods that were deleted may take to end. Pods choose their own grace periods, and must not block others for days. */
export function terminationMs(situation: RuleInput, pods: readonly PodView[]): number {
  const graces = pods.map(
    (pod) => graceOf(situation, pod) ?? pod.spec?.terminationGracePeriodSeconds ?? usualGraceSeconds,
  );
  return Math.min(longestGraceMs, Math.max(...graces) * 1000) + afterGraceMs;
}

/** How often the pods of a draining node are listed, in ms: the change begins when the last one has gone. */
const drainPollMs = 1000;
/** The API keeps at most this many pods of a drain. */
const mostAnnounced = 256;

/** Evicts the pods that hold what the plan destroys. @returns why the grant has to wait; undefined if they are gone */
export function drain(situation: RuleInput, slot: Slot, pods: readonly PodView[]): Ruling | undefined {
  const { claim, partition } = situation;
  const { affected } = findHolders(situation, pods);
  if (affected.length === 0) return undefined;
  const { scope = 'Affected', onTimeout = 'Skip', timeout = '10m' } = claim.winner?.spec.drain ?? {};
  const { lastsMs, waits } = timer(situation, 'Drain', slot.startTime);
  const lateMs = lastsMs - durationMs(timeout);
  const isOver = lateMs > 0;
  // Nor may pods that even force cannot end keep the slot from other nodes.
  const isHopeless =
    onTimeout === 'Force' && lateMs > Math.max(durationMs(timeout), terminationMs(situation, affected));
  if ((isOver && onTimeout === 'Skip') || isHopeless)
    return backOffDrain(
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
  if (looping) return backOffDrain(situation, 'DrainLoop', namePods([looping]), [looping]);
  // Announced before it happens: exactly these pods are evicted, for exactly this plan.
  const announced = announceDrain(situation, affected);
  if (!deepEqual(partition.spec.drain, announced)) {
    return {
      ...wait(
        waits,
        'Draining',
        joinWithin([`${namePods(affected)} will be evicted`, ...sayLost(situation, affected)], longestBlockers),
      ),
      commands: [writeDrain(situation, announced)],
    };
  }
  const going = affected.filter(({ metadata }) => announced.pods.some(({ uid }) => uid === metadata.uid));
  const commands = isOver && onTimeout === 'Force' ? deletePods(situation, going) : evictAffected(situation, going);
  const reason = listRefusals(situation, affected).length > 0 ? 'EvictionBlocked' : 'Draining';
  return { ...wait(waits, reason, describe(situation, affected)), commands };
}

/** The number of pods to evict, if at least one has been evicted or has ended; 0 if none has. */
function countEvicted({ partition }: RuleInput, affected: readonly PodView[]): number {
  const announced = partition.spec.drain?.pods ?? [];
  const here = affected.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const uids = new Set(here.map(({ metadata }) => metadata.uid));
  return announced.every(({ uid }) => uids.has(uid)) ? 0 : announced.length;
}

/** Keeps pods that have ended, so that the agent's plan stays the same; drops those that the policy spares by now. */
function announceDrain({ partition, pods: present = [] }: RuleInput, affected: readonly PodView[]): Drain {
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
  return { planHash: hash, ...omitUndefined({ readAfter }), ...(drains.length > 0 && { places: drains }), pods };
}

/** Records for which plan pods are being evicted, or a reading is awaited. Those that it names are told of before they have to go. */
export function writeDrain({ partition }: Pick<RuleInput, 'partition'>, drain: Drain): Command {
  const gpus = partition.status?.device?.gpus ?? [];
  return { name: 'WriteDrain', drain, ...(drain.pods.length > 0 && { going: describeDrain(drain, gpus) }) };
}

const mostPods = 10;
const mostPlaces = 7;

/** Names the pods that are about to be evicted, and what they hold: `2 pods: team/a, team/b (GPU 0: 2g.10gb at 0, 3g.20gb at 4)`. */
function describeDrain({ pods, places = [] }: Drain, gpus: readonly GpuReport[]): string {
  const names = namePods(
    pods.map((metadata) => ({ metadata })),
    mostPods,
  );
  const held = describePlaces(places, gpus);
  return `${countWords(pods.length, 'pod')}: ${names}${held === '' ? '' : ` (${held})`}`;
}

/** @param places as in `status.device.plan.drains`: `UUID` or `UUID PROFILE@START` */
function describePlaces(places: readonly string[], gpus: readonly GpuReport[]): string {
  const shown = places.slice(0, mostPlaces).map((place) => place.split(' '));
  const texts = [...Map.groupBy(shown, ([uuid = '']) => uuid)].map(([uuid, held]) => {
    const index = gpus.find((gpu) => gpu.uuid === uuid)?.index;
    const slices = held.flatMap(([, slice]) => slice?.replace('@', ' at ') ?? []);
    return `GPU ${index ?? uuid}${slices.length > 0 ? `: ${slices.join(', ')}` : ''}`;
  });
  const rest = places.length - mostPlaces;
  return rest > 0 ? `${texts.join('; ')}; and ${rest} more` : texts.join('; ');
}

/** Judges the eviction of a pod by what was read of its owner. */
function judgeHere({ fresh }: RuleInput, pod: PodView): ReturnType<typeof judgeEviction> {
  return judgeEviction(pod, fresh?.drain?.missingOwners);
}

function evictAffected(situation: RuleInput, affected: readonly PodView[]): readonly Command[] {
  const going = affected.filter((pod) => judgeHere(situation, pod).evictable === 'Yes');
  return evictPods(situation, going, (pod) => graceOf(situation, pod));
}

/** The policy requires it: whoever could write the policy is allowed to. */
function deletePods(situation: RuleInput, affected: readonly PodView[]): readonly Command[] {
  return affected
    .filter((pod) => judgeHere(situation, pod).evictable !== 'Never' && mayAsk(situation, pod))
    .map((pod) =>
      omitUndefined({ name: 'DeletePod' as const, pod: refOf(pod), graceSeconds: graceOf(situation, pod) }),
    );
}

/** GPU clients that have gone for the change stay away: they went first, and might not go again. */
function wait(waits: Waits, reason: 'PodsUseGpus' | 'Draining' | 'EvictionBlocked', message: string): Ruling {
  const verdict: Verdict = { phase: 'Updating', reason, message, requeueAfterMs: drainPollMs };
  return {
    verdict: reason === 'Draining' ? { ...verdict, transient: true } : verdict,
    waits,
    clientsPaused: true,
    ifClosed: 'Stays',
  };
}

/** Names each cause once, however many pods it keeps: the end of a long message is cut off. */
function describe(situation: RuleInput, affected: readonly PodView[]): string {
  const stuck = affected.flatMap((pod) => {
    const { why } = judgeHere(situation, pod);
    return why === undefined ? [] : [{ pod, why: `it ${why}` }];
  });
  const causes = listPodCauses([...stuck, ...listRefusals(situation, affected)]);
  return joinWithin([sayWaiting(affected), ...sayLost(situation, affected), ...causes], longestBlockers);
}

/** Pods in the way of nothing but their own device: somebody has destroyed it. */
function sayLost({ partition }: RuleInput, affected: readonly PodView[]): readonly string[] {
  return listPodCauses(listLosses(partition.status?.device, affected));
}

function sayWaiting(staying: readonly PodView[]): string {
  return `waiting for ${staying.length === 1 ? 'a pod' : `${staying.length} pods`} to go: ${namePods(staying)}`;
}

function refOf({ metadata }: PodView): { readonly namespace: string; readonly name: string; readonly uid: string } {
  return { namespace: metadata.namespace ?? 'default', name: metadata.name, uid: metadata.uid ?? '' };
}

/** How often, in ms, pods are looked at again that nothing moves: their end, and an edit of the policy, are events. */
const stayingPollMs = 60_000;
/** Most characters for the causes in a message, which ends with what to do. */
const longestCauses = 2000;

/** Whether the pods that have to go for the plan may go, as far as that is known before the node is closed. */
export function mayDrain(situation: RuleInput, pods: readonly PodView[]): Outcome | undefined {
  return (
    drainRests(situation, pods) ??
    refuseDrain(situation, pods) ??
    sparePods(situation, presumeAffected(situation, pods))
  );
}

/**
 * Pods that no eviction moves are waited for with the node open: closed, it would only be missed. No other pod is evicted meanwhile,
 * and the node asks for no slot.
 */
function refuseDrain(situation: RuleInput, pods: readonly PodView[]): Outcome | undefined {
  const { claim, fresh, partition } = situation;
  const affected = presumeAffected(situation, pods);
  const here = affected.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (fresh?.drain === undefined && here.some(claimedDaemonSet)) return { needs: 'Drain' };
  const { missingOwners } = fresh?.drain ?? {};
  const staying = here.flatMap((pod) => {
    const { fate, message = '' } = judgeFate(pod, claim.winner?.spec.drain, { budgets: [], missingOwners });
    return fate === 'Stays' ? [{ pod, why: message }] : [];
  });
  if (staying.length === 0) return undefined;
  const mayForce = staying.some(({ pod }) => judgeHere(situation, pod).evictable === 'ByForce');
  const [they, them] = staying.length === 1 ? ['It', 'it'] : ['They', 'them'];
  const advice = `delete ${them} yourself${mayForce ? ', or set spec.drain.onTimeout: Force' : ''}`;
  const losses = listLosses(
    partition.status?.device,
    staying.map(({ pod }) => pod),
  );
  const message =
    `waiting, with the node open, for ${countWords(staying.length, 'pod')} that no eviction moves: ` +
    `${joinWithin(listPodCauses([...losses, ...staying]), longestCauses)}. ${they} may end on ${staying.length === 1 ? 'its' : 'their'} own; otherwise ${advice}`;
  return waitForUsers(message, stayingPollMs);
}

/**
 * Time until the node is looked at again, in ms, while the agent reports the pods. That report is an event, and other layouts are chosen on
 * it.
 */
const lookAgainMs = 5000;

/**
 * A demand that may not evict gives up idle slices only. Where a pod has come onto one since, nothing happens, with the node open:
 * other layouts are chosen as soon as the agent has reported it.
 */
export function sparePods(situation: RuleInput, affected: readonly PodView[]): Ruling | undefined {
  if (affected.length === 0) return undefined;
  const { claim, partition } = situation;
  const isNever = evictsNever(claim.winner);
  if (!isNever && !drainsRest(partition)) return undefined;
  const why = isNever ? 'demand.evict: Never' : 'demand.rest, for which no pod goes';
  const next =
    claim.winner && isCleaningUp(claim.winner)
      ? 'the policy waits until they end, and at its deadline it goes and the layout stays. Delete them, or set onDelete: Keep'
      : 'other layouts are being chosen';
  const losses = listLosses(partition.status?.device, affected);
  const policy = claim.winner?.metadata.name;
  const message =
    isNever && losses.length > 0
      ? adviseLosers(policy, losses)
      : `${namePods(affected)} ${affected.length === 1 ? 'uses' : 'use'} what the plan would destroy, and the demand of policy ${policy} evicts no pod ` +
        `(${why}): ${next}`;
  return waitForUsers(message, lookAgainMs);
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
