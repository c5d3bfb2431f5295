import { durationMs, timeText } from '../../text/syntax.ts';
import { joinWithin, cutText } from '../../text/words.ts';
import { findTightBudget, judgeFate, findRest, longestBlockers, backOffDrain } from '../eviction.ts';
import {
  askInOrder,
  waitOpen,
  type Command,
  type Outcome,
  type Rule,
  type RuleInput,
  waitForUsers,
  waitClosed,
  type Ruling,
} from '../commands.ts';
import { type Lasting, runningTimer, timer } from '../memory.ts';
import { presumeAffected, findHolders, listGpuClaims, listPodCauses, namePods, refreshedPods } from './users.ts';
import { isReady, type PodView, tolerates } from '../../kubernetes/pod.ts';
import { isFreshRestart } from '../plugin-pods.ts';
import {
  asksForClaims,
  takesFromClaims,
  backendOf,
  hasStartupTaint,
  isClosed,
  isUnfinished,
  describeAgent,
  wishOf,
} from '../snapshot.ts';
import { unreadUntil } from '../../device/holders.ts';
import { deepEqual, omitUndefined } from '../../text/json.ts';
import { combine } from '../node-patch.ts';
import { closeNode, reopenNode } from '../marks.ts';
import { confirmedMs, nextGrant, isUnanswered, isGrantLive } from '../../device/grants.ts';
import { isRepair, recentRepairs } from '../grants.ts';
import { checkBackend } from './backend.ts';
import { checkStack, recordUntouched, refreshAfterSilence } from './plugin.ts';
import { foreignOwner, isInTheWay, takeOver } from '../owners.ts';
import { clientsGo, mayClearClients, recordClients } from './gpu-clients.ts';
import { drain, evictPods, mayDrain, wasRefused, writeDrain } from './drain.ts';
import { awaitTurn } from './slot.ts';
import { repartitioningTaint } from '../../../api/names.ts';
import type { Grant } from '../../../api/types.ts';
import { withoutLayoutLabels } from './labels.ts';

/** How often budgets are read again, in ms. */
const budgetPollMs = 5000;

/**
 * Reads disruption budgets before the first eviction of an attempt: no pod is evicted while another one may not go. A budget that
 * never allows it ends the attempt, one that does not allow it now is waited for, both with the node open. Where pods of an earlier
 * attempt were evicted for nothing, and as many are in the way again, they must be allowed to go all at once.
 */
function awaitBudgets(situation: RuleInput, pods: readonly PodView[]): Outcome | undefined {
  const { claim, fresh, partition, slot } = situation;
  const { scope, onTimeout = 'Skip', timeout = '10m' } = claim.winner?.spec.drain ?? {};
  const { drain: announced } = partition.spec;
  const isUnderWay = announced?.planHash === partition.status?.device?.plan?.hash && (announced?.pods ?? []).length > 0;
  // By force they go in any case.
  if (scope === 'None' || onTimeout === 'Force' || isUnderWay) return undefined;
  const affected = presumeAffected(situation, pods);
  const here = affected.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (here.length === 0) return undefined;
  if (fresh?.drain === undefined) return { needs: 'Drain' };
  const known = fresh.drain;
  const fates = here.map((pod) => ({ pod, ...judgeFate(pod, claim.winner?.spec.drain, known) }));
  const listOf = (kind: 'Stays' | 'Blocked') => fates.filter(({ fate }) => fate === kind);
  const say = (some: ReturnType<typeof listOf>): string => {
    const causes = some.map(({ pod, message = '' }) => ({ pod, why: message }));
    return joinWithin(listPodCauses(causes), longestBlockers);
  };
  const podsOf = (some: ReturnType<typeof listOf>): readonly PodView[] => some.map(({ pod }) => pod);
  const [never, waiting] = [listOf('Stays'), listOf('Blocked')];
  if (never.length > 0) return backOffDrain(situation, 'EvictionBlocked', say(never), podsOf(never));
  if (waiting.length > 0) {
    const blocked = say(waiting);
    const { lastsMs, waits } = timer(situation, 'Budgets', slot?.startTime);
    if (onTimeout === 'Skip' && lastsMs > durationMs(timeout))
      return backOffDrain(situation, 'DrainTimeout', blocked, podsOf(waiting));
    const message = `waiting, with the node open, for disruption budgets: ${blocked}`;
    return { ...waitOpen('Updating', 'EvictionBlocked', message, budgetPollMs), waits };
  }
  const before = findRest(situation, 'DrainRest')?.size ?? 0;
  const tight = before > 0 && here.length >= before ? findTightBudget(here, known.budgets) : undefined;
  if (tight === undefined) return undefined;
  return backOffDrain(
    situation,
    'EvictionBlocked',
    `${namePods(here)}: pods were evicted before for nothing, and ${tight}`,
    here,
  );
}

/** How long a pod may take to be bound after its claim was allocated, in ms. */
const longestBindingMs = 120_000;
const pollMs = 1000;
const longestText = 600;

/**
 * The scheduler allocates a claim before it binds the pod: until then nothing on the node tells that its device is taken, and a pod
 * whose device has gone would hang. Which idle instances a plan destroys is not known here, so each such claim counts. An open node is
 * not closed for that; on a closed one the pod is waited for, and drained like others.
 */
export function awaitClaims(situation: RuleInput, pods: readonly PodView[]): Outcome | undefined {
  // They are listed by the plan that was known before the look, which may be an older one than the partition shows by now.
  const { fresh } = situation;
  if (fresh !== undefined && fresh.claims === undefined && asksForClaims(situation)) return { needs: 'All' };
  if (!takesFromClaims(situation)) return undefined;
  const early = listEarlyClaims(situation, pods);
  if (early.length === 0) return undefined;
  const names = cutText(early.join('; '), longestText);
  const message = `claims have devices of this node for pods that are not there yet: ${names}. Delete those that no pod is to use`;
  const { lastsMs, waits } = timer(situation, 'Claims');
  const isShut = isClosed(situation.node);
  if (!isShut || lastsMs > longestBindingMs) {
    // A node that cannot be opened yet does not start a second wait.
    return { ...waitForUsers(message, situation.settings.waitingPollMs), ...(isShut && { waits }) };
  }
  return { ...waitClosed('Updating', 'Draining', message, pollMs), waits, clientsPaused: true };
}

function listEarlyClaims({ node, fresh }: RuleInput, pods: readonly PodView[]): readonly string[] {
  const here = new Set(pods.map(({ metadata }) => metadata.uid));
  return listGpuClaims(fresh?.claims ?? [], node.metadata.name).flatMap(({ name, devices, users }) => {
    const absent = users.filter(({ uid }) => !here.has(uid));
    if (users.length > 0 && absent.length === 0) return [];
    const whose = users.length === 0 ? 'no pod' : `pod ${absent.map((user) => user.name).join(', ')}`;
    return [`claim ${name} has ${devices.join(', ')} for ${whose}`];
  });
}

/** How long the kubelet may take to report which GPUs a pod uses that was just bound, in ms. */
const longestReadingMs = 120_000;

/**
 * A pod that was bound after the agent's last reading may hold what the plan destroys. The node waits, closed, for the next reading; a
 * drain that names no pod yet tells the agent that somebody waits for it. A pod that has come since under the name of one that was
 * read is another pod, about which that reading says nothing. GPU clients come back meanwhile: the pod needs the device
 * plugin to start.
 */
export function awaitReading(situation: RuleInput, pods: readonly PodView[]): Ruling | undefined {
  const { partition } = situation;
  const { namesakes, unknown: unread } = findHolders(situation, pods);
  const unknown = [...namesakes, ...unread];
  if (unknown.length === 0) return undefined;
  const names = namePods(unknown);
  const { lastsMs, waits } = timer(situation, 'Reading');
  if (lastsMs > longestReadingMs) return backOffDrain(situation, 'PodsUseGpus', names, unknown);
  const { device } = partition.status ?? {};
  const { hash = '', drains = [] } = device?.plan ?? {};
  const { drain: announced } = partition.spec;
  const before = announced?.planHash === hash ? announced : undefined;
  const asked = unknown.flatMap((pod) => unreadUntil(pod, device) ?? []);
  const readAfter = asked.length > 0 ? timeText(Math.max(...asked)) : before?.readAfter;
  const drain = {
    planHash: hash,
    ...(readAfter !== undefined && { readAfter }),
    ...(drains.length > 0 && { places: drains }),
    pods: before?.pods ?? [],
  };
  const message = `the agent does not know yet which GPUs ${names} ${unknown.length === 1 ? 'uses' : 'use'}`;
  return {
    ...waitClosed('Updating', 'Draining', message, pollMs),
    commands: deepEqual(announced, drain) ? [] : [writeDrain(situation, drain)],
    waits,
  };
}

/** Grants the plan once all earlier rules have passed: closes the node, and makes sure that no pod uses what the plan destroys. */
export function grant(situation: RuleInput): Outcome {
  const { node, settings, pods = [] } = situation;
  // The taint does not stop a pod that the scheduler has just placed: allow a moment for it to show up.
  const closed = timer(situation, 'Closed');
  const checks: readonly Rule[] = [
    checkBackend,
    checkStack,
    (one) => mayClearClients(one, pods),
    (one) => mayDrain(one, pods),
    (one) => (isClosed(one.node) ? undefined : awaitClaims(one, pods)),
  ];
  const unsettled = isClosed(node) ? settings.settleMs - closed.lastsMs : 0;
  if (unsettled > 0) return { ...closing(unsettled), waits: closed.waits };
  // 1. Do not close a node for nothing, nor one that is not ours to touch.
  return (
    foreignOwner(situation) ??
    awaitRenewedDriver(situation) ??
    // 2. From here on, decide on a fresh read only.
    awaitTurn(situation, 'Layout', isInTheWay(situation) ? [] : checks) ??
    awaitBudgets(situation, pods) ??
    takeOver(situation, 'Layout') ??
    closeAndGrant(situation, pods)
  );
}

function closeAndGrant(situation: RuleInput, pods: readonly PodView[]): Outcome {
  // 3. Close it.
  if (!isClosed(situation.node)) {
    const renewal = renewDriver(situation, pods);
    if (renewal) return renewal;
    const waits = isUnfinished(situation.node) ? undefined : recordUntouched(situation, pods);
    const change = combine(closeNode(), recordClients(situation, pods));
    return { ...closing(situation.settings.settleMs, [{ name: 'PatchNode', change }]), waits };
  }
  // 4. The pods were just listed, and what each of them holds must be known. First go those that hold the GPUs open without
  // requesting them, then those on what is to be destroyed: no pod is evicted for a change that a client prevents.
  return (
    awaitClaims(situation, pods) ??
    awaitReading(situation, pods) ??
    clear(situation, pods) ??
    writeGrant(situation, pods)
  );
}

function clear(situation: RuleInput, pods: readonly PodView[]): Ruling | undefined {
  const { slot, claim } = situation;
  const drained = (): Ruling | undefined => slot && drain(situation, slot, pods);
  // Pods that are waited for, not evicted, may take long: nothing needs to be taken away meanwhile. And a pod with a claim ends only
  // while the DRA driver is there.
  const isAwaited = claim.winner?.spec.drain?.scope === 'None' || backendOf(situation) === 'DRA';
  return isAwaited ? (drained() ?? clientsGo(situation, pods)) : (clientsGo(situation, pods) ?? drained());
}

function closing(requeueAfterMs: number, commands: Ruling['commands'] = []): Ruling {
  const message = 'the node is closed to new GPU pods; the change starts once no late pod has arrived';
  return { ...waitClosed('Updating', 'AwaitingGrant', message, requeueAfterMs), commands, clientsPaused: true };
}

/** Grants exactly the plan that was read. The partition's version makes this a compare-and-swap. */
function writeGrant(situation: RuleInput, pods: readonly PodView[]): Ruling {
  const { partition, claim, settings, now } = situation;
  const { winner } = claim;
  const wish = wishOf(situation);
  const { epoch } = nextGrant(partition);
  // A failed attempt between two repairs does not reset their count.
  const repairs = [...recentRepairs(partition, now), ...(isRepair(partition) ? [timeText(now)] : [])];
  return {
    ...waitClosed('Updating', 'Applying', `the agent applies grant ${epoch}`, settings.deadlineMs + 1000),
    commands: [
      {
        name: 'WriteGrant',
        granted: {
          gpus: wish?.gpus ?? [],
          epoch,
          policy: omitUndefined({ uid: winner?.metadata.uid, generation: winner?.metadata.generation }),
          planHash: partition.status?.device?.plan?.hash ?? '',
          deadline: timeText(now + settings.deadlineMs),
          seconds: Math.max(1, Math.round(settings.deadlineMs / 1000)),
          allowGpuReset: winner?.spec.allow?.gpuReset ?? true,
          allowReboot: winner?.spec.allow?.reboot ?? null,
          replaceForeignInstances: wish?.replaceForeignInstances ?? null,
          rollback: winner?.spec.rollout?.rollback ?? null,
          signalPods: listPodsToSignal(situation, pods),
        },
        repairs: repairs.length > 0 ? repairs : null,
      },
    ],
    clientsPaused: true,
  };
}

/** The plugin's pods that the agent signals when the device is done; null if they are replaced instead. */
export function listPodsToSignal(
  situation: Parameters<typeof refreshedPods>[0] & Pick<RuleInput, 'now'>,
  pods: readonly PodView[],
): string[] | null {
  if (situation.settings.pluginRefresh !== 'Signal') return null;
  const found = refreshedPods(situation, pods);
  // A signal ends the DRA driver. A second time within minutes the kubelet would start it again after 10 s, then 20 s and so on.
  const wouldWait = (pod: PodView): boolean =>
    isFreshRestart(pod, situation.now) && tolerates(pod.spec?.tolerations, repartitioningTaint);
  if (backendOf(situation) === 'DRA' && found.some(wouldWait)) return null;
  const uids = found.flatMap(({ metadata }) => metadata.uid ?? []);
  return uids.length > 0 ? uids.slice(0, 8) : null;
}

/** How long a node stays open for the DRA driver's pod to be replaced, in ms: it starts within seconds unless something is wrong with it. */
const longestRenewalMs = 60_000;

/**
 * Replaces the pod of a DRA driver before its node is closed, where the kubelet would delay the restart that follows the change. On an open
 * node a new pod starts at once, and what is published stays meanwhile. On a closed one the delay would be waited for; or a new pod, which may
 * not even come back under our taint. An eviction that is refused, or that takes too long, is not waited for.
 */
function renewDriver(situation: RuleInput, pods: readonly PodView[]): Ruling | undefined {
  const { node, settings, slot, now } = situation;
  const isSignalled = backendOf(situation) === 'DRA' && settings.pluginRefresh === 'Signal';
  if (!isSignalled || isUnfinished(node) || hasStartupTaint(node)) return undefined;
  if (runningTimer(situation, 'DriverRenewed', slot?.startTime) !== undefined) return undefined;
  const old = refreshedPods(situation, pods).filter(
    (pod) => isFreshRestart(pod, now) && !wasRefused(situation, pod, longestRenewalMs),
  );
  return old.length === 0
    ? undefined
    : renewing(timer(situation, 'DriverRenewed', slot?.startTime), evictPods(situation, old));
}

/** The driver's pod that {@link renewDriver} evicted is awaited: without it the node would be found to have no driver. */
function awaitRenewedDriver(situation: RuleInput): Outcome | undefined {
  const { slot, pods, node } = situation;
  const since = runningTimer(situation, 'DriverRenewed', slot?.startTime);
  if (since === undefined || since.lastsMs > longestRenewalMs || isUnfinished(node)) return undefined;
  if (pods === undefined) return { needs: 'Pods' };
  const found = refreshedPods(situation, pods);
  const isBack = found.length > 0 && found.every((pod) => isReady(pod) && pod.metadata.deletionTimestamp === undefined);
  const isRefused = found.some((pod) => wasRefused(situation, pod, longestRenewalMs));
  return isBack || isRefused ? undefined : renewing(since);
}

function renewing({ waits }: Lasting, commands: readonly Command[] = []): Ruling {
  const message =
    'before the node is closed the DRA driver’s pod is replaced: the kubelet would start its container again with a delay only';
  // Not transient: another leader must know why the node has no driver.
  const verdict = { phase: 'Updating', reason: 'AwaitingGrant', message, requeueAfterMs: 1000 } as const;
  return { verdict, ifClosed: 'Stays', commands, waits };
}

/** Whether a grant is under way, or was not answered: nothing else is decided until its agent is surely not at work. */
export function awaitAnswer(situation: RuleInput): Outcome | undefined {
  return askInOrder([grantInFlight, grantOverdue, grantUnanswered], situation);
}

/** Lets a node that may be changing its device finish, whatever the policies say meanwhile. */
function grantInFlight(situation: RuleInput): Outcome | undefined {
  const { partition, now, node } = situation;
  const { granted } = partition.spec;
  if (!granted || !isGrantLive(partition)) return undefined;
  // The deadline may be by the clock of an earlier leader, which was ahead.
  const { lastsMs, waits } = timer(situation, 'Granted', String(granted.epoch));
  const left = Math.min(Date.parse(granted.deadline) - now, (granted.seconds ?? Infinity) * 1000 - lastsMs);
  if (left < 0) return undefined;
  return {
    ...waitClosed('Updating', 'Applying', `the agent applies grant ${granted.epoch}`, left + 1000),
    // Somebody removed the taint during the change: set it again.
    ...(!isClosed(node) && { commands: [{ name: 'PatchNode', change: closeNode() }] }),
    waits,
    clientsPaused: true,
  };
}

/** Takes back a grant that was not answered in time, before an agent that sees it late can act on an open node. */
function grantOverdue(situation: RuleInput): Ruling | undefined {
  const { partition } = situation;
  const { granted } = partition.spec;
  if (!granted || !isGrantLive(partition)) return undefined;
  const message = describeSilence(situation, granted);
  return {
    verdict: { phase: 'Failed', reason: 'Failed', message, transient: true, requeueAfterMs: 1000 },
    commands: [{ name: 'RevokeGrant', granted: nextGrant(partition) }],
    ifClosed: 'Stays',
  };
}

/**
 * What an agent has done that has not answered is unknown. As soon as it cannot be at work any more, a device plugin that starts
 * advertises what exists: once it is back, the taint is removed, as it must not outlive its cause.
 */
function grantUnanswered(situation: RuleInput): Outcome | undefined {
  const { partition, node, claim } = situation;
  const { granted } = partition.spec;
  if (!granted || !isUnanswered(partition)) return undefined;
  // Nothing waits for an answer any more.
  if (claim.winner === undefined && !isUnfinished(node)) return undefined;
  const refreshed = isClosed(node)
    ? (awaitEnd(situation, granted) ?? refreshAfterSilence(situation, granted.epoch))
    : undefined;
  if (refreshed && 'needs' in refreshed) return refreshed;
  const pending = refreshed && 'verdict' in refreshed ? refreshed : undefined;
  const closed = pending ? `. The node stays closed: ${pending.verdict.message}` : '';
  return {
    verdict: {
      phase: 'Failed',
      reason: 'Failed',
      message: `${describeSilence(situation, granted)}${closed}`,
      ...omitUndefined({ requeueAfterMs: pending?.verdict.requeueAfterMs }),
    },
    // Opened here, unlike other nodes that failed: there the agent's last report would be compared with what the new plugin offers.
    commands:
      pending?.commands ??
      (isUnfinished(node)
        ? [{ name: 'PatchNode', change: combine(reopenNode('failed'), withoutLayoutLabels(situation)) }]
        : []),
    waits: refreshed?.waits,
    ifClosed: 'Stays',
  };
}

function describeSilence(situation: RuleInput, { deadline }: Grant): string {
  const state = situation.agent.state === 'Ready' ? '' : `${describeAgent(situation)}; `;
  return (
    `the agent has not answered by the deadline ${deadline} of its grant, which is taken back: ${state}look at its log, ` +
    'and at nvidia-smi on the node. A new grant follows when it reports again'
  );
}

/**
 * Milliseconds after which nothing of a grant that was taken back is under way any more: the last confirmation is over, and whatever was
 * begun by then has ended. A change of eight GPUs was seen to take 44 s.
 */
export function workEndsMs(granted: Grant): number {
  return 3 * confirmedMs(granted);
}

/** Waits until the agent has stopped, if it is at work. */
function awaitEnd(situation: RuleInput, granted: Grant): Ruling | undefined {
  const { lastsMs, waits } = timer(situation, 'Revoked', String(granted.epoch));
  const left = workEndsMs(granted) - lastsMs;
  if (left <= 0) return undefined;
  const message = `an agent that is at work stops by ${timeText(situation.now + left)}`;
  return {
    ifClosed: 'Stays',
    waits,
    verdict: { phase: 'Failed', reason: 'Failed', message, requeueAfterMs: left },
    commands: [],
  };
}
