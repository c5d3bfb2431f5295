import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import { type EventView, lastSeen } from '../metadata/event-view.ts';
import { timeText } from '../text/duration.ts';
import { compareText } from '../text/fingerprint.ts';

/** What happened to a node, for the one who looks at it. */
export interface NodeEvent {
  /** RFC 3339 */
  readonly at: string;
  readonly isWarning: boolean;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

/** Those of the same second are in this order. */
const stepOrder = ['asked', 'draining', 'closed', 'granted', 'device done', 'offered', 'ready'] as const;

/** A step of a node's last change, or of the one under way. */
export interface TimelineStep {
  readonly step: (typeof stepOrder)[number];
  /** RFC 3339 */
  readonly at: string;
  /** Since the step before; undefined for the first. */
  readonly seconds: number | undefined;
}

export interface NodeHistory {
  readonly timeline: readonly TimelineStep[];
  /** Newest first. */
  readonly events: readonly NodeEvent[];
  /** Why Events are missing, if not because there are none. */
  readonly noEvents?: string;
}

/** Which step an Event of the controller stands for. */
const stepOfEvent: Readonly<Record<string, TimelineStep['step']>> = {
  Draining: 'draining',
  Repartitioning: 'granted',
  Repartitioned: 'ready',
};
const mostEvents = 30;

/** @param events about the node and its partition, in any order */
export function viewHistory(
  { metadata, status }: GpuNodePartition,
  policy: GpuPartitionPolicy | undefined,
  events: readonly EventView[],
): NodeHistory {
  const seen = uniqueEvents(events.map(viewEvent)).toSorted((a, b) => compareText(b.at, a.at));
  const slot = policy?.status?.inFlight?.find(({ node }) => node === metadata.name);
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const { since, lastSeconds, deviceDoneTime, offeredTime } = status?.closed ?? {};
  const advertised = status?.waits?.find(({ name }) => name === 'Advertised');
  const told = seen.flatMap(({ reason, at }) => {
    const step = stepOfEvent[reason];
    return step === undefined ? [] : [[step, at] as const];
  });
  const closed = since ?? openedFrom(offeredTime, lastSeconds);
  const [begun = closed ?? ''] = told.flatMap(([step, at]) => (step === 'granted' ? [at] : []));
  // The node may not have been Ready for a while since: the condition has only the newest time.
  const hasEnded = told.some(([step, at]) => step === 'ready' && at >= begun && at >= (closed ?? ''));
  const known: readonly (readonly [TimelineStep['step'], string | undefined])[] = [
    ['asked', slot?.startTime],
    ['closed', closed],
    // The layout is to be advertised from when the device has it.
    ['device done', since === undefined ? (deviceDoneTime ?? advertised?.since) : advertised?.since],
    ['offered', since === undefined ? offeredTime : undefined],
    ['ready', ready?.status === 'True' && !hasEnded ? ready.lastTransitionTime : undefined],
    ...told,
  ];
  return { timeline: orderSteps(known), events: seen.slice(0, mostEvents) };
}

/** When a node was closed that was opened after that time. */
function openedFrom(offered: string | undefined, seconds: number | undefined): string | undefined {
  return offered === undefined || seconds === undefined ? undefined : timeText(Date.parse(offered) - seconds * 1000);
}

/** Of each step its newest time; what precedes the newest first step belongs to an earlier change. */
function orderSteps(known: readonly (readonly [TimelineStep['step'], string | undefined])[]): readonly TimelineStep[] {
  const newest = new Map<TimelineStep['step'], string>();
  for (const [step, at] of known) if (at !== undefined && at > (newest.get(step) ?? '')) newest.set(step, at);
  const start = stepOrder.map((step) => newest.get(step)).find((at) => at !== undefined) ?? '';
  const steps = [...newest]
    .filter(([, at]) => at >= start)
    .toSorted(
      ([step, at], [other, then]) => compareText(at, then) || stepOrder.indexOf(step) - stepOrder.indexOf(other),
    );
  return steps.map(([step, at], index) => {
    const before = steps[index - 1]?.[1];
    const seconds = before === undefined ? undefined : Math.round((Date.parse(at) - Date.parse(before)) / 1000);
    return { step, at, seconds };
  });
}

function viewEvent(event: EventView): NodeEvent {
  const { type, reason = '', message = '', count, series } = event;
  return {
    at: `${lastSeen(event).slice(0, 19)}Z`,
    isWarning: type === 'Warning',
    reason: inOneLine(reason),
    message: inOneLine(message),
    count: series?.count ?? count ?? 1,
  };
}

/** Anybody may write Events: a line of one must not pass for one of ours. */
function inOneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}

/** The controller records what it does on the Node and on its partition. */
function uniqueEvents(events: readonly NodeEvent[]): readonly NodeEvent[] {
  return [...new Map(events.map((event) => [JSON.stringify([event.at, event.reason, event.message]), event])).values()];
}
