import { type NodeReason, retryAnnotation } from '../../api/names.ts';
import {
  hasLasted,
  isRevocation,
  isUnanswered,
  KubeletError,
  mayBeRestarting,
  observedEpochOf,
  retryMs,
} from '../device/grants.ts';
import type { GpuReport, Grant, NodePartitionStatus, GpuNodePartition } from '../../api/types.ts';
import { canonicalJson, fingerprint, deepEqual } from '../text/json.ts';
import { growingRestMs, recallMemory, type Wait, runningTimer, type Waits } from './memory.ts';
import type { RuleInput, Verdict } from './commands.ts';
import { wishHash } from '../device/plan.ts';
import type { NodeView } from '../kubernetes/node.ts';
import { statusBounds } from '../../api/generated/gpu-node-partition.bounds.ts';
import { fitWithin } from '../text/words.ts';
import { isUnfinished, wishOf } from './snapshot.ts';

/** How a change ends, or may end, with a reason on its node. */
interface Ending {
  /** Whether the node then counts toward `spec.rollout.failureThreshold`. */
  readonly counts: boolean;
  /** The cause in words, the same sentence for reasons of one kind: docs/rollout.md has one row for each. */
  readonly why: string;
}

const agentFailed = { counts: true, why: 'the agent did not carry out the change, or did not answer in time' };
const clientsStayed = { counts: true, why: 'GPU clients or monitors did not end, so that the GPUs cannot change' };
const notOffered = { counts: true, why: 'the layout was applied, but the node does not offer or publish it in time' };
const notReadable = { counts: true, why: 'the GPUs cannot be read any more' };
const notFit = {
  counts: true,
  why: 'the device plugin or the DRA driver cannot offer the layout, found after the node was closed',
};
const inUse = { counts: false, why: 'somebody uses the GPUs: the slot goes to another node, and this one is retried' };
const unavailable = { counts: false, why: 'the node became unavailable: it counts against maxUnavailable' };
const owned = { counts: false, why: 'another program owns or changes the GPUs' };
const edited = { counts: false, why: 'the policy, or what it asks of the node, was changed' };
const ours = { counts: false, why: 'the operator is being updated, lacks a right, or has a bug: no fault of the node' };

const restarting = 'the kubelet may be restarting: it is asked again within seconds';
const opened = 'somebody had the GPUs open: GPU clients are kept away for the next attempt, within seconds';

/** The change continues, or there is none. */
const goesOn = undefined;

/**
 * How a change ends, by the reason on its node. A node whose change has ended with a reason that counts is a failed one until it is
 * Ready or the policy changes.
 */
export const endings: Readonly<Record<NodeReason, Ending | undefined>> = {
  Ready: goesOn,
  NothingToDo: goesOn,
  AwaitingPlan: goesOn,
  AwaitingSlot: goesOn,
  AwaitingGrant: goesOn,
  Draining: goesOn,
  TakingOver: goesOn,
  BackendUnknown: goesOn,
  Applying: goesOn,
  NodeRestarted: goesOn,
  // Of other conditions.
  NoPodsUseGpus: goesOn,
  GpusUnhealthy: goesOn,
  GpusHealthy: goesOn,
  HostNotRestored: goesOn,
  DevicesLost: goesOn,

  Failed: agentFailed,
  Resting: agentFailed,
  RebootRequired: agentFailed,
  ClientsStay: clientsStayed,
  AdvertisePending: notOffered,
  RefreshBlocked: notOffered,
  LabelsStale: notOffered,
  DeviceUnreadable: notReadable,
  GpusGone: notReadable,
  StrategyMismatch: notFit,
  SharingRefused: notFit,
  NoDevicePlugin: notFit,
  NoDraDriver: notFit,
  NoDraApi: notFit,
  BackendMismatch: notFit,
  PluginNotReady: notFit,
  ConfigUnavailable: notFit,
  Refused: notFit,

  DrainTimeout: inUse,
  DrainLoop: inUse,
  EvictionBlocked: inUse,
  PodsUseGpus: inUse,
  ProcessesUseGpus: inUse,
  NodeNotReady: unavailable,
  NodeTerminating: unavailable,
  ForeignCordon: unavailable,
  AgentNotReporting: unavailable,
  NoGpus: unavailable,
  ForeignManager: owned,
  ForeignInstances: owned,
  RecordLost: owned,
  Drifting: owned,
  DriverUpgrade: owned,
  NoPolicy: edited,
  PolicyInvalid: edited,
  PlanOnly: edited,
  Paused: edited,
  UnknownProfile: edited,
  UnknownPreset: edited,
  DoesNotFit: edited,
  NotEnoughGpus: edited,
  SingleNeedsOneProfile: edited,
  AgentTooOld: ours,
  AgentTooNew: ours,
  Forbidden: ours,
  Unjudged: ours,
};

/**
 * How an attempt counts that the agent ends with one of these codes; any other counts. `Never`: it continues at once. `Repeated`: the
 * node stays closed for one more attempt, and counts if that fails too.
 */
export const codeEndings: Readonly<Record<string, { readonly counts: 'Never' | 'Repeated'; readonly why: string }>> = {
  PlanChanged: { counts: 'Never', why: 'the device changed after the plan was made: the new plan is granted instead' },
  Stale: { counts: 'Never', why: 'a newer grant replaced this one' },
  Stopped: { counts: 'Never', why: 'the agent was stopped: its successor continues' },
  // The fault is not the node's: a client was not told to go yet, or somebody else has brought it back in the middle of the change.
  InUse: { counts: 'Repeated', why: opened },
  ...Object.fromEntries(
    KubeletError.codes.flatMap((code) =>
      mayBeRestarting({ code }) ? [[code, { counts: 'Repeated' as const, why: restarting }]] : [],
    ),
  ),
};

/** What failed grants of a node have in common. */
interface GrantFailure {
  /** The policy, and its generation, for which the last grant that failed was written. */
  readonly generation: string;
  /** The epoch of the last grant that failed. */
  readonly epoch: number;
  /** What failed, on which GPU, on the way to which wish, with the device as it was then. */
  readonly fault: string;
  /** How often this has failed in a row. */
  readonly equal: number;
  /** Grants of this generation that failed. */
  readonly count: number;
  /** Whether any of them makes the node a failed one. */
  readonly counts: boolean;
  /** The time of the last failure, in ms since the epoch. */
  readonly since: number;
}

/** The device was never worked on: a retry may well succeed. */
const transient: readonly string[] = ['PlanChanged', 'Stale', 'Expired', 'Stopped'];
/** Milliseconds within which a grant is retried at once if nothing was touched because somebody must leave first. */
const longestSoonMs = 5_000;
/** The number of equal failures up to which a retry is quick; after those the node rests. */
const mostQuick = 2;

/** What is known of failed grants, the last one included; undefined if none has failed. */
function grantFailureOf(situation: RuleInput): GrantFailure | undefined {
  const known = parse(situation.memory.waits.GrantFailed);
  const failed = failedGrant(situation);
  if (failed === undefined || failed.epoch === known?.epoch) return known;
  const generation = grantedGeneration(situation);
  const fault = faultOf(situation, situation.partition.spec.granted);
  const isEqual =
    known?.fault === fault && !isTransient({ code: failed.code, gpu: situation.partition.status?.device?.error?.gpu });
  const before = known?.generation === generation ? known : undefined;
  return {
    generation,
    epoch: failed.epoch,
    fault,
    equal: isEqual ? known.equal + 1 : 1,
    count: (before?.count ?? 0) + 1,
    counts: before !== undefined || codeEndings[failed.code]?.counts !== 'Repeated',
    since: situation.now,
  };
}

/** How a grant that has failed rests. */
interface GrantRest extends Pick<GrantFailure, 'counts' | 'equal'> {
  /** Whether quick attempts have failed in the same way. */
  readonly isRepeated: boolean;
  /** Milliseconds until it may be tried again; 0 if it may. */
  readonly leftMs: number;
}

/** How the grant that failed rests; undefined if none has, or if anything that may make a difference has changed since. */
export function restOfGrant(situation: RuleInput): GrantRest | undefined {
  const failure = grantFailureOf(situation);
  if (failure === undefined || hasChangedSince(situation, failure)) return undefined;
  const { counts, equal } = failure;
  return { counts, equal, isRepeated: isRepeated(failure), leftMs: restLeftMs(situation, failure) };
}

/**
 * How long, in ms, the grant that has failed still rests; 0 if it may be tried again. Counted from when it was seen to have failed;
 * the same failure again rests longer each time.
 */
function restLeftMs({ partition, now }: RuleInput, failure: GrantFailure): number {
  const { epoch, count, equal, since } = failure;
  const { error } = partition.status?.device ?? {};
  if (epoch !== partition.spec.granted?.epoch || error === undefined) return 0;
  const quickMs = error.code === 'InUse' ? Math.min(longestSoonMs, retryMs(count) / 5) : retryMs(count);
  const restMs = isRepeated(failure) ? growingRestMs(equal - mostQuick + 1) : quickMs;
  return Math.max(0, since + restMs - now);
}

/** Whether quick attempts have failed in the same way. */
function isRepeated({ equal }: GrantFailure): boolean {
  return equal >= mostQuick;
}

/** Whether anything that may make a difference has changed since the failure. */
function hasChangedSince(situation: RuleInput, { fault, generation }: GrantFailure): boolean {
  const wish = wishOf(situation) ?? situation.partition.spec.granted;
  return fault !== faultOf(situation, wish) || generation !== generationOf(situation);
}

function keepFailure({ generation, epoch, fault, equal, count, counts, since }: GrantFailure): Wait {
  return { since, of: [generation, epoch, fault, equal, ...(counts ? [] : ['passing'])].join('|'), count };
}

/** What is known of failed grants from a node's status. */
export function recallFailure(status: NodePartitionStatus | undefined): GrantFailure | undefined {
  return parse(recallMemory(status).waits.GrantFailed);
}

function parse(wait: Wait | undefined): GrantFailure | undefined {
  const [generation, epoch, fault, equal, passing] = wait?.of?.split('|') ?? [];
  if (wait === undefined || generation === undefined || fault === undefined) return undefined;
  const { since, count = 1 } = wait;
  return { generation, epoch: Number(epoch), fault, equal: Number(equal), count, counts: passing === undefined, since };
}

function failedGrant({ partition }: RuleInput): { readonly epoch: number; readonly code: string } | undefined {
  const { granted } = partition.spec;
  const { device } = partition.status ?? {};
  if (!granted) return undefined;
  if (isUnanswered(partition)) {
    return isRevocation(granted) ? { epoch: granted.epoch, code: 'Unanswered' } : undefined;
  }
  const isAnswer = observedEpochOf(device, granted) === granted.epoch;
  if (!isAnswer || device?.step !== 'Failed' || !device.error) return undefined;
  const { code } = device.error;
  return codeEndings[code]?.counts === 'Never' ? undefined : { epoch: granted.epoch, code };
}

/** The policy that decides over the node, and its generation. */
export function generationOf({ claim }: RuleInput): string {
  return writeGeneration(claim.winner?.metadata ?? {});
}

/** What the grant was written for: an edit since then has not failed. A grant of an earlier version does not say it; its wish may. */
function grantedGeneration({ partition }: RuleInput): string {
  const { granted, policy } = partition.spec;
  return writeGeneration(granted?.policy ?? policy ?? {});
}

function writeGeneration({ uid = '', generation = 0 }: NonNullable<Grant['policy']>): string {
  return `${uid.slice(0, 8)}.${generation}`;
}

/** Users that a reading shows are waited for and drained. What only the device itself shows to be in use stays so until somebody acts. */
export function isTransient({ code, gpu }: { readonly code: string; readonly gpu?: string | undefined }): boolean {
  return (code === 'InUse' && gpu === undefined) || transient.includes(code);
}

function faultOf(situation: RuleInput, wish: Parameters<typeof wishHash>[0] | undefined): string {
  const { partition, node } = situation;
  const { error, driverVersion, bootID, gpus = [] } = partition.status?.device ?? {};
  const asked = node.metadata.annotations?.[retryAnnotation];
  const use = error?.code === 'InUse' ? useOf(situation) : [];
  return fingerprint(
    canonicalJson([
      error?.code,
      error?.gpu,
      wish && wishHash(wish),
      driverVersion,
      bootID,
      gpus.map(layoutOf),
      asked,
      ...use,
    ]),
  );
}

/** What tells that a GPU is in use by others than at its failure: the pods that would have to go, and processes of no pod. */
function useOf({ partition }: RuleInput): readonly unknown[] {
  const { error, plan, gpus = [] } = partition.status?.device ?? {};
  const isRunning = ({ busy, pods = [] }: Pick<GpuReport, 'busy' | 'pods'>): boolean =>
    busy === true && pods.length === 0;
  const gpu = gpus.find(({ uuid }) => uuid === error?.gpu);
  return [plan?.hash, gpu && [gpu, ...gpu.instances].map(isRunning)];
}

/** Recreated instances count as the same, whatever their ids. */
function layoutOf({ uuid, mig, error, instances }: GpuReport): unknown {
  return [uuid, mig, error !== undefined, instances.map(({ profile, start }) => `${profile}@${start}`).sort()];
}

/** Remembers, until the node is Ready, that a grant has failed, or that a change has ended with a reason that counts as a failure. */
export function recordFailures(situation: RuleInput, verdict: Verdict): Waits {
  if (verdict.phase === 'Ready') return {};
  const failure = grantFailureOf(situation);
  const endsNow = !hasEnded(situation) && endsChange(situation, verdict);
  return {
    ...(failure && { GrantFailed: keepFailure(failure) }),
    ...(endsNow && { ChangeFailed: { since: situation.now, of: generationOf(situation) } }),
  };
}

/** Whether the node has failed at the policy's current generation, and has not been Ready since. */
export function hasFailed(situation: RuleInput): boolean {
  const failure = grantFailureOf(situation);
  const isCounted = failure?.counts === true && failure.generation === generationOf(situation);
  return isCounted || hasEnded(situation);
}

/**
 * Whether a change ends here. Only a node that has its slot, and was closed, has begun to change. One whose labels never come may be open
 * by then.
 */
function endsChange({ slot, node }: RuleInput, { phase, reason }: Verdict): boolean {
  const hasBegun = slot !== undefined && (isUnfinished(node) || reason === 'LabelsStale');
  return phase === 'Failed' && hasBegun && endings[reason]?.counts === true;
}

/** Whether a change of this generation has ended with such a reason before. */
function hasEnded(situation: RuleInput): boolean {
  return runningTimer(situation, 'ChangeFailed', generationOf(situation)) !== undefined;
}

/** A layout that something else keeps changing is repaired at most this often within this many ms. */
export const mostRepairs = 3;
const repairWindowMs = 3600_000;

/**
 * Whether a grant now would restore a finished layout that a person or another program has changed since. Not after a failure, which
 * has its own pace, nor in a new boot or load of the driver, in which no instance is left.
 */
export function isRepair(partition: GpuNodePartition): boolean {
  const { granted, wish } = partition.spec;
  const device = partition.status?.device ?? {};
  return (
    granted !== undefined &&
    !isUnanswered(partition) &&
    device.step === 'Idle' &&
    hasLasted(device) &&
    deepEqual(granted.gpus, wish?.gpus)
  );
}

const waitBounds = statusBounds.properties.waits.items.properties.of;

/** The text with which somebody has last asked for a retry, as much of it as a wait can remember; undefined if none is asked for. */
export function retryAskedWith({ metadata }: NodeView): string | undefined {
  const text = metadata.annotations?.[retryAnnotation];
  return text === undefined ? undefined : fitWithin(text, waitBounds);
}

/** RFC 3339 times of the repairs that count, the oldest first. */
export function recentRepairs({ spec }: GpuNodePartition, now: number): readonly string[] {
  return (spec.repairs ?? []).filter((time) => Date.parse(time) > now - repairWindowMs).slice(-7);
}

/** The time at which a device is repaired again that something else keeps changing, in ms since the epoch; undefined if nothing does. */
export function driftEndsAt(partition: GpuNodePartition, now: number): number | undefined {
  const repairs = recentRepairs(partition, now);
  const [oldest] = repairs.slice(-mostRepairs);
  if (oldest === undefined || repairs.length < mostRepairs || !isRepair(partition)) return undefined;
  return Date.parse(oldest) + repairWindowMs;
}
