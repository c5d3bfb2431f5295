import type { NodePartitionStatus, GpuNodePartition } from '../../api/types.ts';
import { askedOf, growingRestMs, recallFailure, mostRepairs } from './grants.ts';
import { type NodeMemory, recallMemory, type WaitName, type Waits } from './memory.ts';
import { type RuleInput, waitOpen, type Ruling } from './commands.ts';
import { cutText } from '../text/words.ts';
import { type PodView, hasEnded } from '../kubernetes/pod.ts';
import { fingerprint } from '../text/json.ts';
import { timeText } from '../text/syntax.ts';
import { presumeAffected } from './rules/users.ts';

/** Waits in which a node that could not change is left alone, longer each time. */
const restNames = ['DrainRest', 'HoldersRest'] as const satisfies readonly WaitName[];
type RestName = (typeof restNames)[number];

/** What is kept in the status of the node's partition, so that it survives a change of leader. */
export const longestBlockers = 900;

export interface Rest {
  /** The reason that the node reports. */
  readonly reason: string;
  /** The pods or GPU clients in the way, and why they are. */
  readonly blockers: string;
  /** How often this has happened, from 1. */
  readonly count: number;
  /** The time at which the rest began, in ms since the epoch. */
  readonly since: number;
  /** Milliseconds until the next attempt; not positive if it may begin. */
  readonly leftMs: number;
  /** Pods that had to go when an attempt ended for which some were evicted; 0 if none was. */
  readonly size: number;
  /** The pods that were in the way. */
  readonly pods: RestingPods;
}

interface RestingPods {
  readonly count: number;
  /** Marks of the first pods, up to {@link mostMarks}. */
  readonly marks: readonly string[];
}

/** Most marks kept of the pods in the way. All that a wait is about has room for 1024 characters. */
const mostMarks = 8;

/**
 * Leaves the node alone once more.
 *
 * @param pods those in the way @param evicted see {@link Rest.size}; 0: as before @returns also what the outcome waits for
 */
export function beginRest(
  situation: RuleInput,
  name: RestName,
  reason: string,
  blockers: string,
  pods: readonly PodView[] = [],
  evicted = 0,
): Rest & { readonly waits: Waits } {
  const { now } = situation;
  const before = findRest(situation, name);
  const count = (before?.count ?? 0) + 1;
  const size = evicted > 0 ? evicted : (before?.size ?? 0);
  const kept = cutText(blockers, longestBlockers);
  const marks = pods.slice(0, mostMarks).map(markOf);
  const of = [reason, askedOf(situation), size, `${pods.length}:${marks.join(',')}`, kept].join(' ');
  const waits = { [name]: { since: now, of, count } };
  const resting = { count: pods.length, marks };
  return { reason, blockers: kept, count, size, pods: resting, since: now, leftMs: growingRestMs(count), waits };
}

/** The node's last rest; undefined if there was none, or if the policy was edited, makes something else of the node, or a retry was asked for since. */
export function findRest(situation: RuleInput, name: RestName): Rest | undefined {
  const { memory, now } = situation;
  const { since, of = '', count = 1 } = memory.waits[name] ?? {};
  const [reason = '', asked, size, named = '', ...blockers] = of.split(' ');
  if (since === undefined || asked !== askedOf(situation)) return undefined;
  const leftMs = since + growingRestMs(count) - now;
  const [pods, marks = ''] = named.split(':');
  const resting = { count: Number(pods), marks: marks.split(',').filter((mark) => mark !== '') };
  return { reason, blockers: blockers.join(' '), count, size: Number(size), pods: resting, since, leftMs };
}

/**
 * What a decision gives up for a while stays given up, whatever becomes of its commands: the answer to the write that opens the node may
 * be lost, and without its rest the node would be closed again at once.
 */
export function adoptRests(before: NodeMemory, { waits }: Pick<NodeMemory, 'waits'>): NodeMemory {
  const rests = restNames.flatMap((name) => (waits[name] === undefined ? [] : [[name, waits[name]] as const]));
  return { ...before, waits: { ...before.waits, ...Object.fromEntries(rests) } };
}

/** A node's rest for a reason, from its status; undefined if there is none. */
function recallRest(status: NodePartitionStatus | undefined, reason: string): { readonly count: number } | undefined {
  const { waits } = recallMemory(status);
  const rest = restNames.flatMap((name) => waits[name] ?? []).find(({ of }) => of?.split(' ')[0] === reason);
  return rest && { count: rest.count ?? 1 };
}

/** Whether a pod is one of those that a rest keeps: one that was created since, under the same name, is another. */
export function blocksDrain(pod: Pick<PodView, 'metadata'>, { pods }: Rest): boolean {
  return pods.marks.includes(markOf(pod));
}

/** Whether a pod was there when the rest began. */
function isBefore({ metadata }: Pick<PodView, 'metadata'>, { since }: Rest): boolean {
  return !(Date.parse(metadata.creationTimestamp ?? '') > since);
}

/** Whether a rest keeps all of its pods: of many only the first are. */
export function keepsAll({ pods }: Rest): boolean {
  return pods.count === pods.marks.length;
}

function markOf({ metadata }: Pick<PodView, 'metadata'>): string {
  return fingerprint(metadata.uid ?? '').slice(-8);
}

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
export function backOffDrain(
  situation: RuleInput,
  reason: Cause,
  blockers: string,
  pods: readonly PodView[],
  evicted = 0,
): Ruling {
  const rest = beginRest(situation, 'DrainRest', reason, blockers, pods, evicted);
  return { ...resting(situation, reason, rest), waits: rest.waits };
}

/** Pods that did not go in time are left alone as long as the rest lasts and they are there. */
export function drainRests(situation: RuleInput, pods: readonly PodView[]): Ruling | undefined {
  const rest = findRest(situation, 'DrainRest');
  if (rest === undefined || rest.leftMs <= 0 || !isCause(rest.reason)) return undefined;
  const others = keepsAll(rest) ? [] : presumeAffected(situation, pods).filter((pod) => isBefore(pod, rest));
  const isThere = others.length > 0 || pods.some((pod) => !hasEnded(pod) && blocksDrain(pod, rest));
  return isThere ? resting(situation, rest.reason, rest) : undefined;
}

/** How often pods failed to go for the current request. */
export function countFailedDrains(situation: RuleInput): number {
  return findRest(situation, 'DrainRest')?.count ?? 0;
}

/** No pod stays announced, even if the node stays closed for another cause. */
function resting({ now, partition }: RuleInput, reason: Cause, { blockers, leftMs }: Rest): Ruling {
  const message = `${causes[reason]}: ${blockers}. Nothing was changed; the next attempt is at ${timeText(now + leftMs)}`;
  return {
    ...waitOpen('Waiting', reason, message, leftMs + 10),
    commands: partition.spec.drain === undefined ? [] : [{ name: 'WriteDrain', drain: null }],
  };
}

function isCause(reason: string): reason is Cause {
  return reason in causes;
}

/** A failure that a person can ask to have retried. */
export interface RestingFailure {
  /** The code of the agent's error, such as `InUse`; or the node's reason, such as `DrainTimeout`. */
  readonly code: string;
  readonly message: string;
  /** UUID of the GPU, if it is about one. */
  readonly gpu?: string;
  /** How often the same failure has occurred in a row; if the GPUs drift, how often they were repaired. */
  readonly equal: number;
  /** Whether it is left alone, longer each time; otherwise its next attempt is near. */
  readonly isResting: boolean;
}

/** What has failed on a node and is not being retried now; undefined if nothing has failed or a retry is under way. */
export function findResting({ status }: GpuNodePartition): RestingFailure | undefined {
  const { step, error } = status?.device ?? {};
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const rest = ready && recallRest(status, ready.reason);
  if (ready && rest) return { code: ready.reason, message: ready.message, equal: rest.count, isResting: true };
  if (ready?.reason === 'GpusGone') return { code: ready.reason, message: ready.message, equal: 1, isResting: true };
  if (ready?.reason === 'Drifting')
    return { code: ready.reason, message: ready.message, equal: mostRepairs, isResting: true };
  if (step !== 'Failed' || !error) return undefined;
  return {
    code: error.code,
    message: error.message,
    ...(error.gpu !== undefined && { gpu: error.gpu }),
    equal: recallFailure(status)?.equal ?? 1,
    isResting: ready?.reason === 'Resting',
  };
}
