import { adoptAnnotation } from '../../../api/names.ts';
import { wishHash } from '../../wish/wish.ts';
import { namePods } from '../../pods/pod-view.ts';
import { adviseMonitors } from '../../pods/monitor-words.ts';
import { timeText } from '../../text/duration.ts';
import { awaitUsers, leaveOpen, type Outcome, passing, type Ruling, type Situation } from '../outcome.ts';
import { generationOf, grantFailureOf, hasChangedSince, isRepeated, restLeftMs } from '../grant-failure.ts';
import { resumeWait, waitFor } from '../memory.ts';
import { isReadBeforeBoot, leavingTaintOf, type NodeView } from '../node-view.ts';
import { driftEndsAt, mostRepairs, retryAskedWith } from '../repair.ts';
import { listUsers } from './cluster-pods.ts';
import { describePlan } from './slot.ts';
import { awaitingPlan, wishOf } from './wish.ts';
import type { Fault } from '../../report/fault.ts';
import { describeFault } from '../../report/device-fault.ts';

export function planOnly({ partition, claim }: Situation): Ruling | undefined {
  if (claim.winner?.spec.mode !== 'Plan') return undefined;
  const plan = partition.status?.device?.plan;
  const message = `mode Plan, nothing changes: ${plan?.refusal ?? describePlan({ partition, claim })}`;
  return { ...leaveOpen('Pending', 'PlanOnly', message), leavesAlone: true };
}

export function planMissing(situation: Situation): Ruling | undefined {
  const { node, partition } = situation;
  const wish = wishOf(situation);
  const isPlanned = wish !== undefined && partition.status?.device?.plan?.wishHash === wishHash(wish);
  // Who holds what was read in an earlier boot, too.
  if (isPlanned && !isReadBeforeBoot(node, partition)) return undefined;
  return passing('Pending', 'AwaitingPlan', awaitingPlan);
}

export function planRefused(situation: Situation): Outcome | undefined {
  const { refusal, refusalCode, monitors = [] } = situation.partition.status?.device?.plan ?? {};
  if (refusal === undefined) return undefined;
  if (monitors.length > 0) return waitForMonitors(situation, refusal, monitors);
  if (refusalCode === 'InUse') return waitForUsers(situation, refusal);
  return refusalCode === 'Foreign' ? refuseForeign(situation, refusal) : leaveOpen('Failed', 'Refused', refusal);
}

/** An object from a backup has grants, but not the report that says which instances they made. */
function refuseForeign({ node, partition }: Situation, refusal: string): Ruling {
  const { bootID, lastGood } = partition.status?.device ?? {};
  const isLost = partition.spec.granted !== undefined && lastGood === undefined;
  if (!isLost || bootID === undefined) return leaveOpen('Failed', 'ForeignInstances', refusal);
  const adopt = `kubectl annotate gpn ${node.metadata.name} ${adoptAnnotation}=${bootID}`;
  const message = `${refusal}. The record of what this operator created on the node is lost: if the instances are its own, run \`${adopt}\``;
  return leaveOpen('Failed', 'RecordLost', message);
}

/**
 * The agent soon reads the device again, and plans again when the process has ended. No pod explains the process: where the agent
 * cannot ask the kubelet, it may be one of these pods'.
 */
function waitForUsers(situation: Situation, refusal: string): Outcome {
  const { pods, settings } = situation;
  if (pods === undefined) return { needs: 'Pods' };
  const users = listUsers(situation, pods);
  const reason = users.length === 0 ? 'ProcessesUseGpus' : 'PodsUseGpus';
  const message = users.length === 0 ? refusal : `${refusal}. Pods of this node that use GPUs: ${namePods(users)}`;
  return awaitUsers(message, settings.waitingPollMs, reason);
}

/**
 * A monitor gives way to changes, unlike users, whose work is waited for: one that stays has to be stopped by somebody. Nothing is closed
 * meanwhile; the agent soon reads the device again.
 */
function waitForMonitors(situation: Situation, refusal: string, monitors: readonly string[]): Ruling {
  const { settings, now } = situation;
  const message = `${refusal}. ${adviseMonitors(monitors)}`;
  const { lastsMs, waits } = waitFor(situation, 'Monitors', 'Processes');
  const leftMs = settings.holdersDeadlineMs - lastsMs;
  if (leftMs > 0) {
    const requeueAfterMs = Math.min(settings.waitingPollMs, leftMs + 10);
    return { ...awaitUsers(message, requeueAfterMs, 'ProcessesUseGpus'), waits };
  }
  const of = generationOf(situation);
  const failed = resumeWait(situation, 'ChangeFailed', of)?.waits ?? { ChangeFailed: { since: now, of } };
  const stays = `It has stayed for ${settings.holdersDeadlineMs / 1000} s; the change follows as soon as its processes have ended`;
  return { ...leaveOpen('Failed', 'ClientsStay', `${message}. ${stays}`), waits: { ...waits, ...failed } };
}

/** Retries a failure after a rest; at once if something has changed; less and less often if it fails in the same way. */
export function resting(situation: Situation): Ruling | undefined {
  const { partition, node, now } = situation;
  const { device = {} } = partition.status ?? {};
  const { step, error } = device;
  const failure = grantFailureOf(situation);
  if (step !== 'Failed' || !error || !failure || hasChangedSince(situation, failure)) return undefined;
  const awaited = describeAwaitedMode(situation, error);
  if (awaited !== undefined) {
    const reason = error.code === 'RebootRequired' ? 'RebootRequired' : 'Failed';
    return leaveOpen('Failed', reason, `${describeFault(device) ?? ''}. ${awaited}`);
  }
  const left = restLeftMs(situation, failure);
  if (left === 0) return undefined;
  const found = describeFault(device) ?? '';
  if (!failure.counts) {
    const message = `${found}. Nothing counts as failed yet; it is tried once more at ${timeText(now + left)}`;
    return passing('Updating', 'AwaitingGrant', message, left);
  }
  if (!isRepeated(failure)) {
    const reason = error.code === 'RebootRequired' ? 'RebootRequired' : 'Failed';
    return leaveOpen('Failed', reason, found, left);
  }
  const message =
    `${found}. The same failure occurred ${failure.equal} times; the next attempt is at ${timeText(now + left)}, ` +
    `or as soon as the device, the driver or the policy changes, or you ask for it: gpu-partition retry ${node.metadata.name}`;
  return leaveOpen('Failed', 'Resting', message, left);
}

/**
 * A MIG mode that is set as wanted and not in effect yet: each further attempt would send pods away and end in the same way.
 * Undefined if it is another failure, or the wish has turned.
 */
function describeAwaitedMode(situation: Situation, { code, gpu }: Pick<Fault, 'code' | 'gpu'>): string | undefined {
  if (code !== 'RebootRequired' && code !== 'ResetRequired') return undefined;
  const found = situation.partition.status?.device?.gpus?.find(({ uuid }) => uuid === gpu);
  const wished = wishOf(situation)?.gpus.find(({ uuid }) => uuid === gpu);
  if (found?.migPending === undefined || found.migPending === found.mig) return undefined;
  if (found.migPending !== (wished?.mig ?? 'Enabled')) return undefined;
  const what = code === 'RebootRequired' ? 'after the next boot' : 'after a reset of the GPU or a boot';
  return `MIG mode ${found.migPending} is pending: the change continues ${what}, and nothing is tried before`;
}

// Otherwise both would change the device in turns, and pods would come and go forever.
export function drifting(situation: Situation): Ruling | undefined {
  const { partition, node, now } = situation;
  const until = driftEndsAt(partition, now);
  if (until === undefined) return undefined;
  const message =
    `something else changes the GPUs: the layout was repaired ${mostRepairs} times within an hour and differs again. ` +
    `Find the cause (manual nvidia-smi, mig-manager, a boot script); the next repair is at ${timeText(until)}, ` +
    `or as soon as the policy changes, or you ask for it: gpu-partition retry ${node.metadata.name}`;
  const { waits } = waitFor(situation, 'Drift', retryAskedWith(node));
  return { ...leaveOpen('Failed', 'Drifting', message, until - now + 1000), waits };
}

/** A node that is being deleted or removed, whose kubelet is not ready or that somebody has cordoned is left alone. */
export function nodeUnavailable({ node }: Situation): Ruling | undefined {
  const { metadata, spec } = node;
  if (metadata.deletionTimestamp !== undefined) {
    return leaveOpen('Pending', 'NodeTerminating', 'the node is being deleted; its GPUs are left alone');
  }
  const silent = nodeNotReady(node);
  if (silent) return silent;
  const leaving = leavingTaintOf(spec?.taints);
  if (leaving !== undefined) {
    return leaveOpen(
      'Pending',
      'NodeTerminating',
      `the node is being removed (taint ${leaving}); its GPUs are left alone`,
    );
  }
  if (spec?.unschedulable === true) {
    const hint = `its GPUs change when it is uncordoned: kubectl uncordon ${metadata.name}`;
    return leaveOpen('Pending', 'ForeignCordon', `the node is cordoned, and not by this operator; ${hint}`);
  }
  return undefined;
}

/** Of a node whose kubelet does not report nothing is known that could have changed meanwhile. */
export function nodeNotReady({ status }: NodeView): Ruling | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return undefined;
  const why = ready?.message === undefined || ready.message === '' ? '' : ` (${ready.message})`;
  return leaveOpen('Pending', 'NodeNotReady', `the node is not Ready${why}; its GPUs change when it is`);
}
