import type { NodeReason } from '../../api/names.ts';
import type { GpuNodePartition, GpuPartitionPolicy, Phase, Wish } from '../../api/types.ts';
import { sameJson } from '../text/fingerprint.ts';
import type { PolicyRefusal } from '../policy/refusal.ts';
import { deviceMeets, wishHash } from '../policy/wish.ts';
import { isRepair, mostRepairs, recentRepairs, repairWindowMs } from './repair.ts';

/** All that decides what happens next on a node. */
export interface NodeSituation {
  readonly partition: GpuNodePartition;
  readonly policy: GpuPartitionPolicy | undefined;
  /** Why the policy is refused as a whole. */
  readonly refusal: PolicyRefusal | undefined;
  /** What the policy wants here; undefined while the agent has not reported. */
  readonly wish: Wish | undefined;
  /** Boot id of the node, as its kubelet says. */
  readonly nodeBootID?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What the controller does next. */
export type NextStep =
  /** Nothing: something else has to happen first. */
  | 'Wait'
  /** Write policy, strategy and wish, or take them away. */
  | 'WriteWish'
  /** Close the node, whatever is on it. */
  | 'Close'
  /** Look whether pods use the GPUs; if none, close the node and grant. */
  | 'Grant'
  /** Name the pods that the plan waits for. */
  | 'NamePods'
  /** The device is as it shall be: labels, and open the node when the layout is advertised. */
  | 'Finish';

export interface Judgement {
  readonly phase: Phase;
  readonly reason: NodeReason;
  readonly message: string;
  readonly next: NextStep;
  /** True for a state that normally passes within moments: it is written to status only when it lasts. */
  readonly passing?: boolean;
  /** Milliseconds after which to look again, where no event will tell. */
  readonly again?: number;
}

type Rule = (situation: NodeSituation) => Judgement | undefined;

/** The rules in order of precedence: the first that has something to say decides. */
const rules: readonly Rule[] = [
  grantInFlight,
  noPolicy,
  policyRefused,
  agentSilent,
  nodeRestarted,
  wishOutdated,
  nothingToDo,
  deviceDone,
  planOnly,
  planMissing,
  planRefused,
  retryLater,
  drifting,
  paused,
];

export function judgeNode(situation: NodeSituation): Judgement {
  for (const rule of rules) {
    const judgement = rule(situation);
    if (judgement) return judgement;
  }
  return {
    phase: 'Pending',
    reason: 'AwaitingGrant',
    message: 'the plan is ready; waiting for the permission to change the device',
    next: 'Grant',
    passing: true,
  };
}

// Whatever the policies say meanwhile, a node that may be changing its device now is left to finish.
function grantInFlight({ partition, now }: NodeSituation): Judgement | undefined {
  const granted = partition.spec.granted;
  if (!granted || (partition.status?.device?.observedEpoch ?? 0) >= granted.epoch) return undefined;
  const deadline = Date.parse(granted.deadline);
  if (now <= deadline) {
    const message = `the agent applies grant ${granted.epoch}`;
    return {
      phase: 'Updating',
      reason: 'Applying',
      message,
      next: 'Wait',
      passing: true,
      again: deadline - now + 1000,
    };
  }
  return {
    phase: 'Failed',
    reason: 'Failed',
    message:
      `the agent has not answered grant ${granted.epoch} by its deadline ${granted.deadline}. ` +
      'It starts nothing any more; look at its log, and at nvidia-smi on the node. A new grant follows when it reports again',
    next: 'Wait',
  };
}

function noPolicy({ policy, partition }: NodeSituation): Judgement | undefined {
  if (policy) return undefined;
  const { policy: written, strategy, wish } = partition.spec;
  const outdated = written !== undefined || strategy !== undefined || wish !== undefined;
  return {
    phase: 'Unmanaged',
    reason: 'NoPolicy',
    message: 'no policy selects this node; it keeps the layout that it has',
    next: outdated ? 'WriteWish' : 'Wait',
    passing: true,
  };
}

function policyRefused({ policy, refusal }: NodeSituation): Judgement | undefined {
  if (!refusal) return undefined;
  const message = `policy ${policy?.metadata.name} is not valid, nothing is touched: ${refusal.message}`;
  return { phase: 'Invalid', reason: 'PolicyInvalid', message, next: 'Wait' };
}

function agentSilent({ wish, partition }: NodeSituation): Judgement | undefined {
  if (wish) return undefined;
  const error = partition.status?.device?.error;
  const message = error
    ? `the agent cannot read the GPUs: ${error.code}: ${error.message}`
    : 'the agent of this node has not reported its GPUs: is its pod running?';
  return { phase: 'Pending', reason: 'AgentNotReporting', message, next: 'Wait', passing: error === undefined };
}

// No instance survives a restart. Until the agent has looked, and made the layout again, a pod might get a GPU that is still whole.
function nodeRestarted({ partition, policy, wish, nodeBootID = '' }: NodeSituation): Judgement | undefined {
  const { bootID = 'unknown' } = partition.status?.device ?? {};
  if (nodeBootID === '' || bootID === 'unknown' || bootID === nodeBootID) return undefined;
  if (policy?.spec.mode === 'Plan' || !wish?.gpus.some(({ profiles }) => profiles !== undefined)) return undefined;
  const message =
    'the node has been restarted, and its agent has not looked at the GPUs since (is its pod running?); no pod may come until the layout is there again';
  return { phase: 'Updating', reason: 'NodeRestarted', message, next: 'Close', passing: true };
}

function wishOutdated({ policy, partition, wish }: NodeSituation): Judgement | undefined {
  const { spec } = partition;
  const upToDate =
    spec.policy?.name === policy?.metadata.name && spec.strategy === policy?.spec.strategy && sameJson(spec.wish, wish);
  if (upToDate) return undefined;
  const message = 'the wish has changed; waiting for the agent to plan it';
  return { phase: 'Pending', reason: 'AwaitingPlan', message, next: 'WriteWish', passing: true };
}

function nothingToDo({ wish, policy }: NodeSituation): Judgement | undefined {
  if (!wish || wish.gpus.length > 0 || policy?.spec.mode === 'Plan') return undefined;
  const message = 'none of the policy’s layouts matches a GPU of this node; its GPUs are left alone';
  return { phase: 'Ready', reason: 'NothingToDo', message, next: 'Finish' };
}

function deviceDone({ wish, partition, policy }: NodeSituation): Judgement | undefined {
  if (!wish || policy?.spec.mode === 'Plan') return undefined;
  if (!deviceMeets(partition.status?.device?.gpus ?? [], wish.gpus)) return undefined;
  return { phase: 'Ready', reason: 'Ready', message: 'device, labels and resources equal the policy', next: 'Finish' };
}

function planOnly({ partition, policy }: NodeSituation): Judgement | undefined {
  if (policy?.spec.mode !== 'Plan') return undefined;
  const plan = partition.status?.device?.plan;
  const message = plan?.refusal
    ? `mode Plan, nothing is changed: ${plan.refusal}`
    : `mode Plan, nothing is changed: would keep ${plan?.keep ?? 0}, destroy ${plan?.destroy ?? 0}, create ${plan?.create ?? 0} instances`;
  return { phase: 'Pending', reason: 'PlanOnly', message, next: 'Wait' };
}

function planMissing({ partition, wish }: NodeSituation): Judgement | undefined {
  const device = partition.status?.device;
  if (wish && device?.plan?.wishHash === wishHash(wish) && device.step !== 'Unknown') return undefined;
  const error = device?.error;
  return {
    phase: 'Pending',
    reason: 'AwaitingPlan',
    message: error
      ? `waiting for the agent's plan; it says ${error.code}: ${error.message}`
      : 'waiting for the agent to plan the wish',
    next: 'Wait',
    passing: error === undefined,
  };
}

function planRefused({ partition }: NodeSituation): Judgement | undefined {
  const { refusal, refusalCode } = partition.status?.device?.plan ?? {};
  if (refusal === undefined) return undefined;
  // The agent reads the device again soon, and plans anew when the process has ended.
  if (refusalCode === 'InUse')
    return { phase: 'Waiting', reason: 'ProcessesUseGpus', message: refusal, next: 'NamePods' };
  const reason = refusalCode === 'Foreign' ? 'ForeignInstances' : 'Refused';
  return { phase: 'Failed', reason, message: refusal, next: 'Wait' };
}

function retryLater({ partition, now }: NodeSituation): Judgement | undefined {
  const device = partition.status?.device;
  if (device?.step !== 'Failed' || !device.error) return undefined;
  const until = device.nextRetryTime === undefined ? now : Date.parse(device.nextRetryTime);
  const message = `${device.error.code}: ${device.error.message}`;
  if (now >= until) return undefined;
  const reason = device.error.code === 'RebootRequired' ? 'RebootRequired' : 'Failed';
  return { phase: 'Failed', reason, message, next: 'Wait', again: until - now };
}

// Whoever changes the device beside us would go on, and so would we: pods would come and go for ever.
function drifting({ partition, now }: NodeSituation): Judgement | undefined {
  const repairs = recentRepairs(partition, now);
  const [oldest] = repairs.slice(-mostRepairs);
  if (oldest === undefined || repairs.length < mostRepairs || !isRepair(partition)) return undefined;
  const until = Date.parse(oldest) + repairWindowMs;
  return {
    phase: 'Failed',
    reason: 'Drifting',
    message:
      `something else changes the GPUs: the layout was put right ${mostRepairs} times within an hour and is not as it was again. ` +
      `Find out who does it (nvidia-smi by hand, mig-manager, a boot script); it is tried again at ${new Date(until).toISOString()}, or when the policy changes`,
    next: 'Wait',
    again: until - now + 1000,
  };
}

function paused({ policy }: NodeSituation): Judgement | undefined {
  if (policy?.spec.rollout?.paused !== true) return undefined;
  const message = 'the policy’s rollout is paused; set spec.rollout.paused to false to go on';
  return { phase: 'Pending', reason: 'Paused', message, next: 'Wait' };
}
