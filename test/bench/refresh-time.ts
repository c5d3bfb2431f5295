import { advertises } from '../../src/core/node/offer.ts';
import { pluginApp } from './gpu-daemons.ts';
import type { NodeMoment, PodMoment } from './node-record.ts';

/** What is known of one change of a node's layout by our programs. */
export interface RefreshEvidence {
  /** End of the last device operation. All times in ms since 1970. */
  readonly operationsEndMs: number;
  /** When the API server took the eviction of the plugin's pod. */
  readonly evictedMs: number;
  /** When the policy was Ready. */
  readonly readyMs: number;
  readonly wanted: Readonly<Record<string, number>>;
  readonly nodeMoments: readonly NodeMoment[];
  readonly podMoments: readonly PodMoment[];
}

/** Where the time from the last device operation to Ready went, in ms. */
export interface RefreshTime {
  readonly whole: number;
  /** Waits of others: kubelet, DaemonSet controller, scheduler, the plugin and GPU Feature Discovery. */
  readonly others: number;
  readonly ours: number;
  /** Parts of what is ours. */
  readonly untilEviction: number;
  readonly untilTaintOff: number;
  readonly untilReady: number;
  /** Parts of what is others', from one to the next. */
  readonly evictionToGone: number;
  readonly goneToReady: number;
  readonly readyToAllocatable: number;
}

/**
 * Ours is the time in which nobody else had anything to do for this node: before the eviction; after the node offers nothing
 * until our taint is off, where the plugin cannot come before; and after it offers the layout and is labelled so.
 *
 * @throws Error where something of this never happened
 */
export function splitRefreshTime(evidence: RefreshEvidence): RefreshTime {
  const { operationsEndMs, evictedMs, readyMs, wanted, nodeMoments, podMoments } = evidence;
  const ofPlugin = podMoments.filter(({ app, atMs }) => app === pluginApp && atMs >= evictedMs);
  const momentOf = (what: PodMoment['what']): number => demand(ofPlugin.find((pod) => pod.what === what)?.atMs, what);
  const goneMs = momentOf('gone');
  const createdMs = momentOf('created');
  const startedMs = momentOf('ready');
  const after = nodeMoments.filter(({ atMs }) => atMs >= evictedMs);
  const isOffered = ({ offered }: NodeMoment): boolean => advertises(textOf(offered), wanted);
  // Where the counts never were others, allocatable has nothing to tell: the plugin has told the kubelet when its pod is Ready.
  const changes = after.findLastIndex((moment) => !isOffered(moment)) + 1;
  const offersMs = nodeMoments.every(isOffered) ? startedMs : demand(after[changes]?.atMs, 'allocatable');
  const labelledMs = lastChange(after, ({ counts }) => counts) ?? evictedMs;
  const untilTaintOff = waitForTaint(after, createdMs);
  const untilEviction = evictedMs - operationsEndMs;
  const untilReady = readyMs - Math.max(offersMs, labelledMs);
  const whole = readyMs - operationsEndMs;
  const ours = untilEviction + untilTaintOff + untilReady;
  return {
    whole,
    ours,
    others: whole - ours,
    untilEviction,
    untilTaintOff,
    untilReady,
    evictionToGone: goneMs - evictedMs,
    goneToReady: startedMs - goneMs,
    readyToAllocatable: offersMs - startedMs,
  };
}

/** Time in ms in which no pod that asks for a GPU could come: our taint, or nothing in allocatable. */
export function countClosedMs(moments: readonly NodeMoment[], endMs: number): number {
  return moments.reduce((sum, { atMs, closed, offered }, at) => {
    const isShut = closed || Object.keys(offered).length === 0;
    return isShut ? sum + Math.min(endMs, moments[at + 1]?.atMs ?? endMs) - atMs : sum;
  }, 0);
}

/** From when the node offers nothing until the taint is off; 0 where the plugin's pod came in spite of the taint. */
function waitForTaint(moments: readonly NodeMoment[], createdMs: number): number {
  const open = moments.find(({ closed }) => !closed);
  const zero = moments.find(({ offered }) => Object.keys(offered).length === 0);
  if (!open || !zero || open.atMs > createdMs) return 0;
  return Math.max(0, open.atMs - zero.atMs);
}

function lastChange(moments: readonly NodeMoment[], read: (moment: NodeMoment) => string): number | undefined {
  return moments.findLast((moment, at) => {
    const before = moments[at - 1];
    return before !== undefined && read(before) !== read(moment);
  })?.atMs;
}

function textOf(counts: Readonly<Record<string, number>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, String(count)]));
}

function demand(value: number | undefined, what: string): number {
  if (value === undefined) throw new Error(`of the plugin's restart this was not seen: ${what}`);
  return value;
}
