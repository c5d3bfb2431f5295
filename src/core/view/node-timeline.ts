import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import { compareText } from '../text/fingerprint.ts';

/** An Event in either of its two shapes in the API. */
export interface EventView {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly count?: number;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly count?: number; readonly lastObservedTime?: string };
  readonly metadata: { readonly creationTimestamp?: string };
}

/** What happened to a node, for the one who looks at it. */
export interface NodeEvent {
  /** RFC 3339 */
  readonly at: string;
  readonly isWarning: boolean;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

/** A step of a node's last change, or of the one under way. */
export interface TimelineStep {
  readonly step: 'asked' | 'draining' | 'closed' | 'granted' | 'device done' | 'ready';
  /** RFC 3339 */
  readonly at: string;
  /** Since the step before; undefined for the first. */
  readonly seconds: number | undefined;
}

export interface NodeHistory {
  readonly timeline: readonly TimelineStep[];
  /** Newest first. */
  readonly events: readonly NodeEvent[];
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
  const advertised = status?.waits?.find(({ name }) => name === 'Advertised');
  const told = seen.flatMap(({ reason, at }) => {
    const step = stepOfEvent[reason];
    return step === undefined ? [] : [[step, at] as const];
  });
  const known: readonly (readonly [TimelineStep['step'], string | undefined])[] = [
    ['asked', slot?.startTime],
    ['closed', status?.closed?.since],
    // The layout is to be advertised from when the device has it.
    ['device done', advertised?.since],
    ['ready', ready?.status === 'True' ? ready.lastTransitionTime : undefined],
    ...told,
  ];
  return { timeline: orderSteps(known), events: seen.slice(0, mostEvents) };
}

/** Of each step its newest time; what precedes the newest first step belongs to an earlier change. */
function orderSteps(known: readonly (readonly [TimelineStep['step'], string | undefined])[]): readonly TimelineStep[] {
  const newest = new Map<TimelineStep['step'], string>();
  for (const [step, at] of known) if (at !== undefined && at > (newest.get(step) ?? '')) newest.set(step, at);
  const start = newest.get('asked') ?? newest.get('draining') ?? newest.get('granted') ?? '';
  const steps = [...newest].filter(([, at]) => at >= start).toSorted(([, a], [, b]) => compareText(a, b));
  return steps.map(([step, at], index) => {
    const before = steps[index - 1]?.[1];
    const seconds = before === undefined ? undefined : Math.round((Date.parse(at) - Date.parse(before)) / 1000);
    return { step, at, seconds };
  });
}

function viewEvent({ type, reason = '', message = '', count, metadata, ...times }: EventView): NodeEvent {
  const { lastTimestamp, eventTime, series } = times;
  const at = series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '';
  return {
    at: `${at.slice(0, 19)}Z`,
    isWarning: type === 'Warning',
    reason,
    message,
    count: series?.count ?? count ?? 1,
  };
}

/** The controller records what it does on the Node and on its partition. */
function uniqueEvents(events: readonly NodeEvent[]): readonly NodeEvent[] {
  return [...new Map(events.map((event) => [JSON.stringify([event.at, event.reason, event.message]), event])).values()];
}
