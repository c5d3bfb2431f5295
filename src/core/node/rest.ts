import type { NodePartitionStatus } from '../../api/types.ts';
import { askedOf, growingRestMs } from './grant-failure.ts';
import { type NodeMemory, recallMemory, type WaitName, type Waits } from './memory.ts';
import type { Situation } from './outcome.ts';
import { cutText } from '../text/cut-text.ts';
import type { PodView } from '../pods/pod-view.ts';
import { fingerprint } from '../text/fingerprint.ts';

/** Waits in which a node that could not change is left alone, longer each time. */
const restNames = ['DrainRest', 'HoldersRest'] as const satisfies readonly WaitName[];
type RestName = (typeof restNames)[number];

/** What is kept in the status of the node's partition, so that it survives a change of leader. */
export const longestBlockers = 900;

export interface Rest {
  /** As on the node. */
  readonly reason: string;
  /** Who was in the way, and why. */
  readonly blockers: string;
  /** How often this has happened, from 1. */
  readonly count: number;
  /** When it began, in ms since the epoch. */
  readonly since: number;
  /** Until the next attempt, in ms; not positive if it may begin. */
  readonly leftMs: number;
  /** Pods that had to go when an attempt ended for which some were evicted; 0 if none was. */
  readonly size: number;
  /** The pods that were in the way. */
  readonly pods: RestingPods;
}

interface RestingPods {
  readonly count: number;
  /** Of the first of them. */
  readonly marks: readonly string[];
}

/** Of the pods in the way. All that a wait is about has room for 1024 characters. */
const mostMarks = 8;

/**
 * Leaves the node alone once more.
 *
 * @param pods those in the way @param evicted see {@link Rest.size}; 0: as before @returns also what the outcome waits for
 */
export function beginRest(
  situation: Situation,
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
export function findRest(situation: Situation, name: RestName): Rest | undefined {
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
export function recallRest(
  status: NodePartitionStatus | undefined,
  reason: string,
): { readonly count: number } | undefined {
  const { waits } = recallMemory(status);
  const rest = restNames.flatMap((name) => waits[name] ?? []).find(({ of }) => of?.split(' ')[0] === reason);
  return rest && { count: rest.count ?? 1 };
}

/** Whether a pod is one of those that a rest keeps: one that was created since, under the same name, is another. */
export function isKept(pod: Pick<PodView, 'metadata'>, { pods }: Rest): boolean {
  return pods.marks.includes(markOf(pod));
}

/** Whether a pod was there when the rest began. */
export function isBefore({ metadata }: Pick<PodView, 'metadata'>, { since }: Rest): boolean {
  return !(Date.parse(metadata.creationTimestamp ?? '') > since);
}

/** Whether a rest keeps all of its pods: of many only the first are. */
export function keepsAll({ pods }: Rest): boolean {
  return pods.count === pods.marks.length;
}

function markOf({ metadata }: Pick<PodView, 'metadata'>): string {
  return fingerprint(metadata.uid ?? '').slice(-8);
}
