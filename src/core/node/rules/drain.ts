import { explainStaying, judgeEviction } from '../../pods/eviction.ts';
import { hasEnded, namePods } from '../../pods/gpu-pods.ts';
import { podName } from '../../pods/pod-name.ts';
import type { Slot } from '../../rollout/slot.ts';
import { sameJson } from '../../text/fingerprint.ts';
import { durationMs } from '../../text/duration.ts';
import { timeText } from '../../text/time.ts';
import type { Command, Drain } from '../commands.ts';
import type { Ruling } from '../outcome.ts';
import { beginRest, findRest, isNamed, type Rest } from '../rest.ts';
import type { NodePod, Situation } from '../snapshot.ts';
import type { Verdict } from '../verdict.ts';
import { graceOf, terminationMs } from './grace.ts';
import { evictPods, listRefusals, mayAsk, roundOf } from './evictions.ts';
import { listUsers } from './gpu-users.ts';

/** How often the pods of a draining node are listed, in ms: the change begins when the last one has gone. */
const drainPollMs = 1000;
/** The API keeps at most this many pods of a drain. */
const mostTold = 256;
/** So many pods of one owner, one after the other, came back to the node from which they were evicted. */
const mostReturns = 3;

/** Evicts the pods that hold what the plan destroys. @returns why the grant has to wait; undefined if they are gone */
export function drain(situation: Situation, slot: Slot, pods: readonly NodePod[]): Ruling | undefined {
  const { claim, now, partition } = situation;
  const found = findHolders(situation, pods);
  const { affected, unknown } = found;
  if (affected.length === 0 && unknown.length === 0) return undefined;
  const { scope = 'Affected', onTimeout = 'Skip', timeout = '10m' } = claim.winner?.spec.drain ?? {};
  const late = slot.deadline === undefined ? 0 : now - Date.parse(slot.deadline);
  const isOver = late > 0;
  // Nor may pods that even force cannot end block the turn of others.
  const isHopeless = onTimeout === 'Force' && late > Math.max(durationMs(timeout), terminationMs(situation, affected));
  if ((isOver && onTimeout === 'Skip') || isHopeless)
    return giveUp(situation, 'DrainTimeout', describe(situation, found));
  const looping = scope === 'None' ? undefined : findLoop(situation, affected);
  if (looping) return giveUp(situation, 'DrainLoop', namePods([looping]));
  if (scope === 'None')
    return wait(
      'PodsUseGpus',
      `${waitFor([...affected, ...unknown])}: with spec.drain.scope None they end on their own`,
    );
  if (affected.length === 0) return wait('Draining', describe(situation, found));
  // Announced before it happens: exactly these pods are evicted, for exactly this plan.
  const bill = makeBill(situation, affected);
  if (!sameJson(partition.spec.drain, bill)) {
    return {
      ...wait('Draining', `${namePods(affected)} will be evicted`),
      commands: [{ name: 'WriteDrain', drain: bill }],
    };
  }
  const told = affected.filter(({ metadata }) => bill.pods.some(({ uid }) => uid === metadata.uid));
  const commands = isOver && onTimeout === 'Force' ? deletePods(situation, told) : evictAffected(situation, told);
  const refusals = listRefusals(situation, affected);
  const reason = refusals.length > 0 ? 'EvictionBlocked' : 'Draining';
  return { ...wait(reason, describe(situation, found)), commands };
}

/** Pods that did not go in time are left alone for a while, longer each time, as long as they are there. */
export function drainRests(situation: Situation, pods: readonly NodePod[]): Ruling | undefined {
  const rest = findRest(situation, 'DrainRest');
  if (rest === undefined || rest.leftMs <= 0) return undefined;
  const isThere = pods.some((pod) => !hasEnded(pod) && isNamed(podName(pod), rest));
  return isThere ? resting(situation, rest) : undefined;
}

/** How often pods failed to go for the current request. */
export function countRests(situation: Situation): number {
  return findRest(situation, 'DrainRest')?.count ?? 0;
}

function giveUp(situation: Situation, reason: 'DrainTimeout' | 'DrainLoop', who: string): Ruling {
  return resting(situation, beginRest(situation, 'DrainRest', reason, who));
}

function resting({ now }: Situation, { reason, who, leftMs }: Rest): Ruling {
  const isLoop = reason === 'DrainLoop';
  const why = isLoop
    ? 'pods of the same owner came back after each eviction'
    : 'the pods on instances that must go did not end within spec.drain.timeout';
  const message = `${why}: ${who}. Nothing was changed and the node is open; the next attempt is at ${timeText(now + leftMs)}`;
  const verdict = { phase: 'Waiting', message, requeueAfterMs: leftMs + 10 } as const;
  return { verdict: { ...verdict, reason: isLoop ? 'DrainLoop' : 'DrainTimeout' } };
}

/** The holders of what a plan destroys. */
interface PlanHolders {
  /** Pods that have to go. */
  readonly affected: readonly NodePod[];
  /** Pods that use GPUs of which the agent does not know yet which; it is about to learn. */
  readonly unknown: readonly NodePod[];
}

export function findHolders(
  situation: Pick<Situation, 'node' | 'partition' | 'claim' | 'fresh'>,
  pods: readonly NodePod[],
): PlanHolders {
  const { partition, claim, fresh } = situation;
  const { plan } = partition.status?.device ?? {};
  const users = listUsers(situation, pods);
  const named = new Set(plan?.affectedPods);
  const { drain: told } = partition.spec;
  const ordered = new Set(told?.planHash === plan?.hash ? told?.pods.map(({ uid }) => uid) : []);
  // If not all of them could be named, any pod may be affected.
  const isAll = claim.winner?.spec.drain?.scope === 'Node' || (plan?.morePods ?? 0) > 0;
  const isAffected = (pod: NodePod): boolean =>
    named.has(podName(pod)) || ordered.has(pod.metadata.uid ?? '') || (isAll && users.includes(pod));
  const affected = pods.filter((pod) => !hasEnded(pod) && isAffected(pod));
  const known = new Set(fresh?.holders);
  return { affected, unknown: users.filter((pod) => !affected.includes(pod) && !known.has(podName(pod))) };
}

function makeBill({ partition }: Situation, affected: readonly NodePod[]): Drain {
  const { hash = '', drains = [] } = partition.status?.device?.plan ?? {};
  const before = partition.spec.drain?.planHash === hash ? partition.spec.drain.pods : [];
  const known = new Set(before.map(({ uid }) => uid));
  const all = [...before, ...affected.map(refOf).filter(({ uid }) => !known.has(uid))];
  const here = new Set(affected.map(({ metadata }) => metadata.uid));
  // If there is no room for all, the others follow when these have gone.
  const pods = all.length > mostTold ? all.filter(({ uid }) => here.has(uid)).slice(0, mostTold) : all;
  return { planHash: hash, ...(drains.length > 0 && { places: drains }), pods };
}

function evictAffected(situation: Situation, affected: readonly NodePod[]): readonly Command[] {
  const going = affected.filter((pod) => judgeEviction(pod) === 'Yes');
  return evictPods(situation, going, (pod) => graceOf(situation, pod));
}

/** The policy requires it: whoever could write the policy is allowed to. */
function deletePods(situation: Situation, affected: readonly NodePod[]): readonly Command[] {
  return affected
    .filter((pod) => judgeEviction(pod) !== 'Never' && mayAsk(situation, pod))
    .map((pod) => {
      const graceSeconds = graceOf(situation, pod);
      return { name: 'DeletePod', pod: refOf(pod), ...(graceSeconds !== undefined && { graceSeconds }) };
    });
}

/** A pod that is recreated here each time it is evicted. */
function findLoop(situation: Situation, affected: readonly NodePod[]): NodePod | undefined {
  return affected.find((pod) => roundOf(situation, pod) > mostReturns);
}

function wait(reason: 'PodsUseGpus' | 'Draining' | 'EvictionBlocked', message: string): Ruling {
  const verdict: Verdict = { phase: 'Updating', reason, message, requeueAfterMs: drainPollMs };
  return { verdict: reason === 'Draining' ? { ...verdict, transient: true } : verdict, keepsClosed: true };
}

function describe(situation: Situation, { affected, unknown }: PlanHolders): string {
  const stuck = affected.flatMap((pod) => {
    const why = explainStaying(pod);
    return why === undefined ? [] : [`${podName(pod)} is ${why}`];
  });
  const awaited = unknown.length === 1 ? 'uses' : 'use';
  return [
    ...(affected.length > 0 ? [waitFor(affected)] : []),
    ...stuck,
    ...listRefusals(situation, affected),
    ...(unknown.length > 0 ? [`the agent does not know yet which GPUs ${namePods(unknown)} ${awaited}`] : []),
  ].join('; ');
}

function waitFor(staying: readonly NodePod[]): string {
  return `waiting for ${staying.length === 1 ? 'a pod' : `${staying.length} pods`} to go: ${namePods(staying)}`;
}

function refOf({ metadata }: NodePod): { readonly namespace: string; readonly name: string; readonly uid: string } {
  return { namespace: metadata.namespace ?? 'default', name: metadata.name, uid: metadata.uid ?? '' };
}
