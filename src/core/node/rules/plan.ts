import { adoptAnnotation } from '../../../api/names.ts';
import { wishHash } from '../../device/plan.ts';
import { adviseMonitors } from '../../device/holders.ts';
import { timeText } from '../../text/syntax.ts';
import {
  askInOrder,
  waitForUsers,
  waitOpen,
  type Outcome,
  waitClosed,
  type Ruling,
  type RuleInput,
  awaitPlan,
} from '../commands.ts';
import { restOfGrant, generationOf, driftEndsAt, mostRepairs, retryAskedWith } from '../grants.ts';
import { runningTimer, timer } from '../memory.ts';
import { listUsers, namePods } from './users.ts';
import { describePlan, nodeUnavailable } from './slot.ts';
import { type Fault, describeFault } from '../../device/grants.ts';
import { isReadBeforeBoot, wishOf } from '../snapshot.ts';
import { adviseOnDebris } from '../owners.ts';

/** Whether there is no plan that may be granted now, and why. */
export function planNotReady(situation: RuleInput): Outcome | undefined {
  const rules = [planOnly, agentSkewed, planMissing, planRefused, resting, drifting, nodeUnavailable];
  return askInOrder(rules, situation);
}

function planOnly({ partition, claim, node }: RuleInput): Ruling | undefined {
  if (claim.winner?.spec.mode !== 'Plan') return undefined;
  const plan = partition.status?.device?.plan;
  const debris = adviseOnDebris({ node, claim });
  const message =
    `mode Plan, nothing changes: ${plan?.refusal ?? describePlan({ partition, claim })}` +
    (debris === undefined ? '' : `; ${debris}`);
  return { ...waitOpen('Pending', 'PlanOnly', message), writesNothing: true };
}

function planMissing(situation: RuleInput): Ruling | undefined {
  const { node, partition } = situation;
  const wish = wishOf(situation);
  const isPlanned = wish !== undefined && partition.status?.device?.plan?.wishHash === wishHash(wish);
  // Who holds what was read in an earlier boot, too.
  if (isPlanned && !isReadBeforeBoot(node, partition)) return undefined;
  return awaitPlan();
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
function resting(situation: RuleInput): Ruling | undefined {
  const { partition, node, now } = situation;
  const { device = {} } = partition.status ?? {};
  const { step, error } = device;
  const rest = restOfGrant(situation);
  if (step !== 'Failed' || !error || !rest) return undefined;
  const awaited = describeAwaitedMode(situation, error);
  if (awaited !== undefined) {
    const reason = error.code === 'RebootRequired' ? 'RebootRequired' : 'Failed';
    return waitOpen('Failed', reason, `${describeFault(device) ?? ''}. ${awaited}`);
  }
  const left = rest.leftMs;
  if (left === 0) return undefined;
  const found = describeFault(device) ?? '';
  if (!rest.counts) {
    const message = `${found}. Nothing counts as failed yet; it is tried once more at ${timeText(now + left)}`;
    const waiting = waitClosed('Updating', 'AwaitingGrant', message, left);
    // The next attempt sends them away first: those that are away stay so.
    return error.code === 'InUse' ? { ...waiting, clientsPaused: true } : waiting;
  }
  if (!rest.isRepeated) {
    const reason = error.code === 'RebootRequired' ? 'RebootRequired' : 'Failed';
    return waitOpen('Failed', reason, found, left);
  }
  const message =
    `${found}. The same failure occurred ${rest.equal} times; the next attempt is at ${timeText(now + left)}, ` +
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
function drifting(situation: RuleInput): Ruling | undefined {
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

/** An agent that may not understand our grant, or whose report we may not understand, changes nothing. */
function agentSkewed({ partition, settings }: RuleInput): Ruling | undefined {
  const { agentVersion } = partition.status?.device ?? {};
  const skew = compareVersions(agentVersion, settings.version);
  if (skew === 'Fine') return undefined;
  const which = skew === 'TooOld' ? 'the image of the agents’ DaemonSet' : 'the image of the controller’s Deployment';
  const message =
    `the agent is version ${agentVersion}, the controller ${settings.version}: they may be at most one minor version apart. ` +
    `Nothing changes on this node until then; update ${which}`;
  return waitOpen('Failed', skew === 'TooOld' ? 'AgentTooOld' : 'AgentTooNew', message);
}

/** Maximum difference in minor versions between controller and agents, either way: an update replaces them one after the other. */
const mostApart = 1;

type VersionSkew = 'Fine' | 'TooOld' | 'TooNew';

/** How another program's version relates to ours. A version that is not a release (`dev`, `unknown`) is never refused. */
export function compareVersions(theirs: string | undefined, ours: string | undefined): VersionSkew {
  const [their, our] = [readVersion(theirs), readVersion(ours)];
  if (their === undefined || our === undefined) return 'Fine';
  if (their.major !== our.major) return their.major < our.major ? 'TooOld' : 'TooNew';
  const apart = their.minor - our.minor;
  return Math.abs(apart) <= mostApart ? 'Fine' : apart < 0 ? 'TooOld' : 'TooNew';
}

function readVersion(text: string | undefined): { readonly major: number; readonly minor: number } | undefined {
  const [, major, minor] = /^v?(\d{1,6})\.(\d{1,6})\.\d/.exec(text ?? '') ?? [];
  return major === undefined || minor === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}
