// Room view: what people see of a fleet, in words and lines, whatever shows it, a terminal or the page.
// Ask here what happened to a node: the steps of its last change, and its Events.
import type { GpuNodePartition, GpuReport, GpuPartitionPolicy } from '../../api/types.ts';
import { countWords, wrapHanging } from '../text/words.ts';
import { describeDuration, timeText } from '../text/syntax.ts';
import { foreignOn, describeFault } from '../device/grants.ts';
import { liveGeometry } from '../device/plan.ts';
import { drawGpuPicture, type GpuPicture, legend, pictureGpu } from './gpu.ts';
import { type Line, plainText, span, type Tone, urgencyOfNode, toneOf } from './lines.ts';
import { listGoingClaims } from '../device/holders.ts';
import { type EventView, lastSeen } from '../kubernetes/pod.ts';
import { compareText } from '../text/json.ts';

/** The status of one node, as people see it. */
export interface NodeStatusView {
  readonly node: string;
  readonly policy: string | undefined;
  readonly strategy: string | undefined;
  readonly phase: string;
  readonly reason: string;
  readonly message: string;
  /** Layout of the device in words. */
  readonly layout: string;
  /** The plan of its agent. */
  readonly plan:
    | {
        readonly keep: number;
        readonly destroy: number;
        readonly create: number;
        readonly pods: readonly string[];
        /** ResourceClaims that have what it destroys. */
        readonly claims: readonly string[];
      }
    | undefined;
  readonly error: string | undefined;
  readonly driver: string | undefined;
  readonly gpus: readonly GpuPicture[];
}

export function viewNodeStatus({ metadata, spec, status }: GpuNodePartition): NodeStatusView {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const { device } = status ?? {};
  const foreign = foreignOn(device ?? {});
  const wishOf = ({ uuid }: GpuReport) => spec.wish?.gpus.find((one) => one.uuid === uuid);
  const { plan } = device ?? {};
  const isPlanned = plan !== undefined && (plan.gpusChanging ?? 0) > 0;
  return {
    node: metadata.name,
    policy: spec.policy?.name,
    strategy: spec.strategy,
    phase: status?.phase ?? 'Pending',
    reason: ready?.reason ?? 'AgentNotReporting',
    message: ready?.message ?? 'nothing is known yet',
    layout: status?.layout ?? '',
    plan: isPlanned
      ? {
          keep: plan.keep,
          destroy: plan.destroy,
          create: plan.create,
          pods: plan.affectedPods ?? [],
          claims: listGoingClaims(device),
        }
      : undefined,
    error: device && describeFault(device),
    driver: device?.driverVersion,
    gpus: (device?.gpus ?? []).map((gpu) => pictureGpu(device ?? {}, gpu, wishOf(gpu), foreign)),
  };
}

/** A node as `describe` would have it: phase and reason first, then a picture of each of its GPUs; identical ones are drawn once. */
export function drawNodeStatus(
  partition: GpuNodePartition,
  columns: number,
  history: NodeHistory = { timeline: [], events: [] },
): readonly Line[] {
  const view = viewNodeStatus(partition);
  const { node, policy, strategy, phase, reason, message, plan, error, driver } = view;
  const ready = partition.status?.conditions?.find(({ type }) => type === 'Ready');
  const tone = toneOf(urgencyOfNode(phase, reason));
  const since = ready && `${ready.status === 'True' ? '' : 'not '}Ready since ${ready.lastTransitionTime}`;
  const phases = phase === 'Ready' && ready?.status === 'True' ? [since] : [phase, since];
  const degraded = partition.status?.conditions?.find(({ type, status }) => type === 'Degraded' && status === 'True');
  const claims = plan && plan.claims.length > 0 ? `; their claims: ${plan.claims.join(', ')}` : '';
  const pods = plan && plan.pods.length > 0 ? `; pods to evict: ${plan.pods.join(', ')}${claims}` : '';
  const change =
    plan && `keeps ${plan.keep}, destroys ${plan.destroy}, creates ${countWords(plan.create, 'instance')}${pods}`;
  const facts: readonly (readonly [key: string, text: string | undefined, tone?: Tone])[] = [
    ['phase', phases.filter((part) => part !== undefined).join(', '), tone],
    ['reason', message === '' || reason === phase ? message || reason : `${reason}: ${message}`, tone],
    ['degraded', degraded && `${degraded.reason}: ${degraded.message}`, 'bad'],
    ['error', error, 'bad'],
    ['plan', change],
    ['policy', policy === undefined ? 'none' : `${policy}${strategy === undefined ? '' : `, strategy ${strategy}`}`],
    ['driver', driver],
  ];
  const pictures = drawGpus(partition, view.gpus, columns);
  const isMarked = view.gpus.some(({ now, after }) => now !== undefined || after !== undefined);
  const notes: readonly Line[] = isMarked ? [[span(`  ${legend}`, 'dim')]] : [];
  return [
    [span(node, 'title')],
    ...facts.flatMap(([key, text, color]) => (text === undefined ? [] : drawFact(key, text, columns, color))),
    ...pictures,
    ...notes,
    ...drawHistory(history, columns),
  ];
}

const keyWidth = 9;

function drawFact(key: string, text: string, columns: number, tone: Tone = 'plain'): readonly Line[] {
  const [first = '', ...rest] = wrapHanging(text, Math.max(20, columns - keyWidth - 2));
  return [
    [span(`  ${key.padEnd(keyWidth)}`, 'dim'), span(first, tone)],
    ...rest.map((line): Line => [span(' '.repeat(keyWidth + 2)), span(line, tone)]),
  ];
}

const mostEventsShown = 5;

function drawHistory({ timeline, events, noEvents }: NodeHistory, columns: number): readonly Line[] {
  const steps = timeline.map(({ step, at, seconds }, index) => {
    const took = seconds === undefined || seconds === 0 ? '' : ` (+${describeDuration(seconds)})`;
    return `${step} ${index === 0 ? at : at.slice(11, 19)}${took}`;
  });
  return [
    ...(steps.length === 0 ? [] : drawFact('change', steps.join(', '), columns)),
    ...events
      .slice(0, mostEventsShown)
      .flatMap(({ at, reason, message, isWarning }) =>
        drawFact('event', `${at} ${reason}: ${message}`, columns, isWarning ? 'warn' : 'plain'),
      ),
    ...(noEvents === undefined ? [] : drawFact('event', noEvents, columns, 'dim')),
  ];
}

function drawGpus({ status }: GpuNodePartition, gpus: readonly GpuPicture[], columns: number): readonly Line[] {
  const { device } = status ?? {};
  const drawn = (device?.gpus ?? []).flatMap((gpu, at) => {
    const picture = gpus[at];
    if (!picture || !device) return [];
    const lines = drawGpuPicture('', picture, liveGeometry(device, gpu), columns);
    return [{ index: gpu.index, lines, text: lines.map(plainText).join('\n') }];
  });
  return groupAlike(drawn).flatMap(({ name, first: { lines } }) => {
    const [title = [], ...rest] = lines;
    return [[span(name, 'title'), ...title.slice(1)], ...rest];
  });
}

/** Adjacent GPUs that look alike, and the name of all of them: `GPU 0-7`. */
export function groupAlike<Drawn extends { readonly index: number; readonly text: string }>(
  drawn: readonly Drawn[],
): readonly { readonly name: string; readonly first: Drawn }[] {
  const groups: { readonly first: Drawn; last: number }[] = [];
  for (const one of drawn) {
    const group = groups.at(-1);
    if (group?.first.text === one.text && group.last === one.index - 1) group.last = one.index;
    else groups.push({ first: one, last: one.index });
  }
  return groups.map(({ first, last }) => ({
    first,
    name: first.index === last ? `GPU ${last}` : `GPU ${first.index}-${last}`,
  }));
}

/** What happened to a node, for the one who looks at it. */
interface NodeEvent {
  /** RFC 3339 */
  readonly at: string;
  readonly isWarning: boolean;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}

/** Steps of a change; those of the same second are in this order. */
const stepOrder = ['asked', 'draining', 'closed', 'granted', 'device done', 'offered', 'ready'] as const;

/** A step of a node's last change, or of the one under way. */
interface TimelineStep {
  readonly step: (typeof stepOrder)[number];
  /** RFC 3339 */
  readonly at: string;
  /** Seconds since the step before; undefined for the first. */
  readonly seconds: number | undefined;
}

export interface NodeHistory {
  readonly timeline: readonly TimelineStep[];
  /** Newest first. */
  readonly events: readonly NodeEvent[];
  /** Why Events are missing, if not because there are none. */
  readonly noEvents?: string;
}

/** The step that an Event of the controller stands for. */
const stepOfEvent: Readonly<Record<string, TimelineStep['step']>> = {
  Draining: 'draining',
  Repartitioning: 'granted',
  Repartitioned: 'ready',
};
const mostEventsKept = 30;

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
  return { timeline: orderSteps(known), events: seen.slice(0, mostEventsKept) };
}

/** The time at which a node was closed, RFC 3339, from when it was opened and the seconds until then; undefined if either is unknown. */
function openedFrom(offered: string | undefined, seconds: number | undefined): string | undefined {
  return offered === undefined || seconds === undefined ? undefined : timeText(Date.parse(offered) - seconds * 1000);
}

/** Orders the steps, each with its newest time; what precedes the newest first step belongs to an earlier change. */
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

/** Puts a text in one line. Anybody may write Events: a line of one must not pass for one of ours. */
function inOneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
}

/** The controller records what it does on the Node and on its partition. */
function uniqueEvents(events: readonly NodeEvent[]): readonly NodeEvent[] {
  return [...new Map(events.map((event) => [JSON.stringify([event.at, event.reason, event.message]), event])).values()];
}
