import { adoptAnnotation } from '../../../api/names.ts';
import { wishHash } from '../../device/plan.ts';
import { foreignGpuResource } from '../../kubernetes/pod.ts';
import { adviseMonitors } from '../../device/holders.ts';
import { timeText } from '../../text/syntax.ts';
import {
  waitForUsers,
  waitOpen,
  type Outcome,
  waitClosed,
  type Ruling,
  type RuleInput,
  lookAgainMs,
} from '../commands.ts';
import {
  generationOf,
  grantFailureOf,
  hasChangedSince,
  isRepeated,
  restLeftMs,
  driftEndsAt,
  mostRepairs,
  retryAskedWith,
} from '../grants.ts';
import { runningTimer, timer } from '../memory.ts';
import type { NodeView } from '../../kubernetes/node.ts';
import { listUsers, clusterPods, namePods } from './users.ts';
import { describePlan, awaitSlot, type SlotUse } from './slot.ts';
import { awaitingPlan, wishOf } from './policy.ts';
import { type Fault, describeFault } from '../../device/grants.ts';
import { borrowedLabelsOf, type NodeChange, metadataOf } from '../node-patch.ts';
import { findOwners, migManagerLabel, takeOverStep } from '../owners.ts';
import { isReadBeforeBoot, leavingTaintOf, driverUpgrade } from '../snapshot.ts';

export function planOnly({ partition, claim }: RuleInput): Ruling | undefined {
  if (claim.winner?.spec.mode !== 'Plan') return undefined;
  const plan = partition.status?.device?.plan;
  const message = `mode Plan, nothing changes: ${plan?.refusal ?? describePlan({ partition, claim })}`;
  return { ...waitOpen('Pending', 'PlanOnly', message), writesNothing: true };
}

export function planMissing(situation: RuleInput): Ruling | undefined {
  const { node, partition } = situation;
  const wish = wishOf(situation);
  const isPlanned = wish !== undefined && partition.status?.device?.plan?.wishHash === wishHash(wish);
  // Who holds what was read in an earlier boot, too.
  if (isPlanned && !isReadBeforeBoot(node, partition)) return undefined;
  return waitClosed('Pending', 'AwaitingPlan', awaitingPlan);
}

export function planRefused(situation: RuleInput): Outcome | undefined {
  const { refusal, refusalCode, monitors = [] } = situation.partition.status?.device?.plan ?? {};
  if (refusal === undefined) return undefined;
  if (monitors.length > 0) return waitForMonitors(situation, refusal, monitors);
  if (refusalCode === 'InUse') return waitForProcesses(situation, refusal);
  return refusalCode === 'Foreign' ? refuseForeign(situation, refusal) : waitOpen('Failed', 'Refused', refusal);
}

/** An object from a backup has grants, but not the report that says which instances they made. */
function refuseForeign({ node, partition }: RuleInput, refusal: string): Ruling {
  const { bootID, lastGood } = partition.status?.device ?? {};
  const isLost = partition.spec.granted !== undefined && lastGood === undefined;
  if (!isLost || bootID === undefined) return waitOpen('Failed', 'ForeignInstances', refusal);
  const adopt = `kubectl annotate gpn ${node.metadata.name} ${adoptAnnotation}=${bootID}`;
  const message = `${refusal}. The record of what this operator created on the node is lost: if the instances are its own, run \`${adopt}\``;
  return waitOpen('Failed', 'RecordLost', message);
}

/**
 * The agent soon reads the device again, and plans again when the process has ended. No pod explains the process: where the agent
 * cannot ask the kubelet, it may be one of these pods'.
 */
function waitForProcesses(situation: RuleInput, refusal: string): Outcome {
  const { pods, settings } = situation;
  if (pods === undefined) return { needs: 'Pods' };
  const users = listUsers(situation, pods);
  const reason = users.length === 0 ? 'ProcessesUseGpus' : 'PodsUseGpus';
  const message = users.length === 0 ? refusal : `${refusal}. Pods of this node that use GPUs: ${namePods(users)}`;
  return waitForUsers(message, settings.waitingPollMs, reason);
}

/**
 * A monitor gives way to changes, unlike users, whose work is waited for: one that stays has to be stopped by somebody. Nothing is closed
 * meanwhile; the agent soon reads the device again.
 */
function waitForMonitors(situation: RuleInput, refusal: string, monitors: readonly string[]): Ruling {
  const { settings, now } = situation;
  const message = `${refusal}. ${adviseMonitors(monitors)}`;
  const { lastsMs, waits } = timer(situation, 'Monitors', 'Processes');
  const leftMs = settings.clientsDeadlineMs - lastsMs;
  if (leftMs > 0) {
    const requeueAfterMs = Math.min(settings.waitingPollMs, leftMs + 10);
    return { ...waitForUsers(message, requeueAfterMs, 'ProcessesUseGpus'), waits };
  }
  const of = generationOf(situation);
  const failed = runningTimer(situation, 'ChangeFailed', of)?.waits ?? { ChangeFailed: { since: now, of } };
  const stays = `It has stayed for ${settings.clientsDeadlineMs / 1000} s; the change follows as soon as its processes have ended`;
  return { ...waitOpen('Failed', 'ClientsStay', `${message}. ${stays}`), waits: { ...waits, ...failed } };
}

/** Retries a failure after a rest; at once if something has changed; less and less often if it fails in the same way. */
export function resting(situation: RuleInput): Ruling | undefined {
  const { partition, node, now } = situation;
  const { device = {} } = partition.status ?? {};
  const { step, error } = device;
  const failure = grantFailureOf(situation);
  if (step !== 'Failed' || !error || !failure || hasChangedSince(situation, failure)) return undefined;
  const awaited = describeAwaitedMode(situation, error);
  if (awaited !== undefined) {
    const reason = error.code === 'RebootRequired' ? 'RebootRequired' : 'Failed';
    return waitOpen('Failed', reason, `${describeFault(device) ?? ''}. ${awaited}`);
  }
  const left = restLeftMs(situation, failure);
  if (left === 0) return undefined;
  const found = describeFault(device) ?? '';
  if (!failure.counts) {
    const message = `${found}. Nothing counts as failed yet; it is tried once more at ${timeText(now + left)}`;
    return waitClosed('Updating', 'AwaitingGrant', message, left);
  }
  if (!isRepeated(failure)) {
    const reason = error.code === 'RebootRequired' ? 'RebootRequired' : 'Failed';
    return waitOpen('Failed', reason, found, left);
  }
  const message =
    `${found}. The same failure occurred ${failure.equal} times; the next attempt is at ${timeText(now + left)}, ` +
    `or as soon as the device, the driver or the policy changes, or you ask for it: gpu-partition retry ${node.metadata.name}`;
  return waitOpen('Failed', 'Resting', message, left);
}

/**
 * A MIG mode that is set as wanted and not in effect yet: each further attempt would send pods away and end in the same way.
 * Undefined if it is another failure, or the wish has turned.
 */
function describeAwaitedMode(situation: RuleInput, { code, gpu }: Pick<Fault, 'code' | 'gpu'>): string | undefined {
  if (code !== 'RebootRequired' && code !== 'ResetRequired') return undefined;
  const found = situation.partition.status?.device?.gpus?.find(({ uuid }) => uuid === gpu);
  const wished = wishOf(situation)?.gpus.find(({ uuid }) => uuid === gpu);
  if (found?.migPending === undefined || found.migPending === found.mig) return undefined;
  if (found.migPending !== (wished?.mig ?? 'Enabled')) return undefined;
  const what = code === 'RebootRequired' ? 'after the next boot' : 'after a reset of the GPU or a boot';
  return `MIG mode ${found.migPending} is pending: the change continues ${what}, and nothing is tried before`;
}

// Otherwise both would change the device in turns, and pods would come and go forever.
export function drifting(situation: RuleInput): Ruling | undefined {
  const { partition, node, now } = situation;
  const until = driftEndsAt(partition, now);
  if (until === undefined) return undefined;
  const message =
    `something else changes the GPUs: the layout was repaired ${mostRepairs} times within an hour and differs again. ` +
    `Find the cause (manual nvidia-smi, mig-manager, a boot script); the next repair is at ${timeText(until)}, ` +
    `or as soon as the policy changes, or you ask for it: gpu-partition retry ${node.metadata.name}`;
  const { waits } = timer(situation, 'Drift', retryAskedWith(node));
  return { ...waitOpen('Failed', 'Drifting', message, until - now + 1000), waits };
}

/** A node that is being deleted or removed, whose kubelet is not ready or that somebody has cordoned is left alone. */
export function nodeUnavailable({ node }: RuleInput): Ruling | undefined {
  const { metadata, spec } = node;
  if (metadata.deletionTimestamp !== undefined) {
    return waitOpen('Pending', 'NodeTerminating', 'the node is being deleted; its GPUs are left alone');
  }
  const silent = nodeNotReady(node);
  if (silent) return silent;
  const leaving = leavingTaintOf(spec?.taints);
  if (leaving !== undefined) {
    return waitOpen(
      'Pending',
      'NodeTerminating',
      `the node is being removed (taint ${leaving}); its GPUs are left alone`,
    );
  }
  if (spec?.unschedulable === true) {
    const hint = `its GPUs change when it is uncordoned: kubectl uncordon ${metadata.name}`;
    return waitOpen('Pending', 'ForeignCordon', `the node is cordoned, and not by this operator; ${hint}`);
  }
  return undefined;
}

/** Waits for a node whose kubelet does not report: nothing is known of it that could have changed meanwhile. */
export function nodeNotReady({ status }: NodeView): Ruling | undefined {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'True') return undefined;
  const why = ready?.message === undefined || ready.message === '' ? '' : ` (${ready.message})`;
  return waitOpen('Pending', 'NodeNotReady', `the node is not Ready${why}; its GPUs change when it is`);
}

/** Blocks a node whose GPUs are not ours to touch now. */
export function foreignOwner(situation: RuleInput): Outcome | undefined {
  return upgradesDriver(situation) ?? hasOwner(situation) ?? givesBack(situation);
}

function upgradesDriver({ node }: RuleInput): Ruling | undefined {
  const message = driverUpgrade(node.metadata.labels ?? {});
  return message === undefined ? undefined : waitOpen('Waiting', 'DriverUpgrade', message);
}

function hasOwner({ node, claim, pods, slices, fresh, settings }: RuleInput): Outcome | undefined {
  const { name, labels = {}, annotations = {} } = node.metadata;
  const { allocatable = {}, capacity = {} } = node.status ?? {};
  const takeOver = claim.winner?.spec.allow?.takeOver ?? [];
  // Only the pods tell whether these owners are in use and more than a label.
  const mustLook = foreignGpuResource in allocatable || (labels[migManagerLabel] ?? 'false') !== 'false';
  if (mustLook && pods === undefined) return { needs: 'Pods' };
  const { systemNamespaces } = settings;
  const resourceSlices = fresh?.resourceSlices ?? slices;
  const evidence = { node: name, labels, annotations, allocatable, capacity, pods, resourceSlices, systemNamespaces };
  const [owner] = findOwners(evidence, takeOver);
  if (!owner) return undefined;
  const message = `${owner.evidence}: two owners would undo each other's work, so nothing is touched. To hand over the GPUs: ${owner.handOver}`;
  return waitOpen('Failed', 'ForeignManager', message, lookAgainMs);
}

/** Another policy allowed a takeover, or this one did earlier: without the consent the label is restored. */
function givesBack({ node, claim }: RuleInput): Ruling | undefined {
  const allowed = claim.winner?.spec.allow?.takeOver ?? [];
  if (allowed.includes('mig-manager') || !(migManagerLabel in borrowedLabelsOf(metadataOf(node)))) return undefined;
  const message = 'mig-manager is coming back: the policy does not allow a takeover from it';
  return takingOver(message, { giveBack: [migManagerLabel] });
}

/** Turns mig-manager off where the policy replaces it, in the node's turn. @param use what the node wants its slot for */
export function takeOver(situation: RuleInput, use: SlotUse): Outcome | undefined {
  const { node, claim } = situation;
  const allowed = claim.winner?.spec.allow?.takeOver ?? [];
  const pods = situation.pods && clusterPods(situation, situation.pods);
  const step = takeOverStep({ labels: node.metadata.labels ?? {}, pods }, allowed);
  if (step === undefined) return undefined;
  const waits = step === 'SetLabel' ? awaitSlot(situation, use) : undefined;
  if (waits) return waits;
  const message = `mig-manager is being turned off on this node (${migManagerLabel}=false); it comes back when the policy is deleted`;
  return takingOver(message, step === 'SetLabel' ? { borrow: { [migManagerLabel]: 'false' } } : undefined);
}

function takingOver(message: string, change: NodeChange | undefined): Ruling {
  return {
    ...waitClosed('Updating', 'TakingOver', message, 500),
    ...(change && { commands: [{ name: 'PatchNode', change }] }),
  };
}
