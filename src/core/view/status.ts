// Room view: what people see of a fleet, in words and lines, whatever shows it, a terminal or the page.
// Ask here for the status of a fleet or of a node, as data and as a framed picture, and what happened to a node: the steps of its last change, and its Events.
import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import type { Geometry } from '../gpu/geometry.ts';
import { drawCells } from '../gpu/grid.ts';
import { liveGeometry } from '../device/plan.ts';
import { type EventView, lastSeen } from '../kubernetes/pod.ts';
import { compareText } from '../text/json.ts';
import { describeDuration, timeText } from '../text/syntax.ts';
import { countWords, wrapHanging } from '../text/words.ts';
import { type FleetStatusView, urgencyOfNode, viewFleet } from './fleet.ts';
import { drawTable, groupAlike, type Interruption, type Line, plainText, type Source, span } from './lines.ts';
import { type GpuPicture, type PicturedSlice, viewNodeStatus } from './node.ts';

type NodeStatusView = ReturnType<typeof viewNodeStatus>;
type PolicyStatusView = FleetStatusView['policies'][number];
type NodeRowView = FleetStatusView['nodes'][number];
type Urgency = NodeRowView['urgency'];
type Span = Line[number];
type Tone = Span['tone'];

const tones: Readonly<Record<Urgency, Tone>> = {
  failed: 'bad',
  blocked: 'warn',
  changing: 'warn',
  waiting: 'plain',
  ready: 'good',
  unmanaged: 'plain',
};

function toneOf(urgency: Urgency): Tone {
  return tones[urgency];
}

/** How a picture is framed. */
interface Frame {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly columns: number;
  /** Source of the picture, and when it was last known to be current; undefined where its age would be wrong at once: in a file. */
  readonly followed?: { readonly source: Source; readonly seenAt: number } | undefined;
}

/** `context prod (https://10.0.0.1:6443)` */
function describeSource(source: Source): string {
  return 'files' in source
    ? `saved cluster ${source.files.join(', ')}`
    : `context ${source.context} (${source.server})`;
}

/** A picture under a line that says whose it is and how old; or what interrupts it, and then nothing in it may look well. */
function framePicture(
  picture: readonly Line[],
  interruption: Interruption | undefined,
  { now, columns, followed }: Frame,
): readonly Line[] {
  if (interruption !== undefined) {
    const words = wrapHanging(describeInterruption(interruption, now), columns).map((text): Line => [
      span(text, 'bad'),
    ]);
    return [...words, [], ...picture.map((line) => line.map(({ text }) => span(text, 'dim')))];
  }
  if (followed === undefined) return picture;
  const age = describeDuration(Math.max(0, now - followed.seenAt) / 1000);
  return [[span(describeSource(followed.source), 'title'), span(`  ${age} ago`, 'dim')], [], ...picture];
}

/** In words for everybody, also those who read them later in a file. */
function describeInterruption({ kind, since, why }: Interruption, now: number): string {
  const loud = kind.toUpperCase();
  if (since === undefined) return `${loud}: ${why}. What follows is the last state that a controller wrote.`;
  const age = describeDuration(Math.max(0, now - since) / 1000);
  const at = `${timeText(since).slice(11, 19)} UTC`;
  return kind === 'No controller'
    ? `${loud} for ${age}: since ${at} ${why}. What follows is the last state that a controller wrote.`
    : `${loud} for ${age}. No updates since ${at}: ${why}. What follows is from then.`;
}

interface StatusPictureOptions extends Frame {
  /** What interrupts updates, if something does. */
  readonly interruption?: Interruption | undefined;
  /** The node that is drawn; absent: the fleet. */
  readonly node?: string | undefined;
  /** What happened to the node. */
  readonly history?: NodeHistory | undefined;
  /** Every node, with all that fits into a row. */
  readonly isWide?: boolean;
  /** The policy to which the picture is restricted, with its nodes; absent: all. */
  readonly policy?: string | undefined;
}

/** What a status shows. */
interface ShownStatus {
  /** Undefined if there is no such node. */
  readonly view: FleetStatusView | NodeStatusView | undefined;
  readonly lines: readonly Line[];
}

/**
 * The status of a node, or of the fleet if none is named, as data and on a screen: policies, nodes by phase, and first the nodes that need
 * attention.
 */
export function showStatus(
  policies: readonly GpuPartitionPolicy[],
  partitions: readonly GpuNodePartition[],
  options: StatusPictureOptions,
): ShownStatus {
  const { now, node, policy, interruption } = options;
  if (node === undefined) {
    const view = viewFleet(policies, partitions, now, policy);
    return { view, lines: framePicture(drawFleet(view, options), interruption, options) };
  }
  const found = partitions.find(({ metadata }) => metadata.name === node);
  const view = found && viewNodeStatus(found);
  const picture = found && view ? drawNodeStatus(found, view, options) : [[span(`node ${node} is gone`, 'bad')]];
  return { view, lines: framePicture(picture, interruption, options) };
}

function drawFleet(
  view: FleetStatusView,
  { columns, now, isWide = false, policy }: StatusPictureOptions,
): readonly Line[] {
  const table = isWide ? drawWideNodes(view.nodes, now) : drawNodes(view.nodes);
  const none: Line = [
    span(
      policy === undefined
        ? 'no GPU nodes: no policy selects one, and none has the label nvidia.com/gpu.present=true'
        : `policy ${policy} decides over no node`,
    ),
  ];
  return [
    ...drawPolicies(view.policies, columns, policy !== undefined),
    [],
    ...drawPhases(view.phases),
    ...(view.nodes.length === 0 ? [none] : [[], ...table]),
  ];
}

/** @param isWhole also the slices of a demand of which there are enough */
function drawPolicies(policies: readonly PolicyStatusView[], columns: number, isWhole: boolean): readonly Line[] {
  if (policies.length === 0) return [[span('no policy')]];
  const rows = policies.map(({ policy, mode, urgency, ready, matched, inFlight, maxUnavailable, reason, message }) => [
    span(policy, 'title'),
    span(mode),
    span(`${ready}/${matched}`),
    span(`${inFlight.length}/${maxUnavailable}`),
    span(reason, toneOf(urgency)),
    span(message, 'dim'),
  ]);
  const changing = policies.flatMap(({ policy, inFlight, canary, rollout, demand, schedule }): readonly Line[] => {
    const named = inFlight
      .slice(0, 5)
      .map(({ node, since }) => (since === undefined ? node : `${node} since ${since}`));
    const more = inFlight.length > 5 ? [`${inFlight.length - 5} more`] : [];
    const flight = wrapHanging(`${policy} changes now: ${[...named, ...more].join(', ')}`, columns);
    const first: Line = [span(`${policy} began with: ${canary.slice(0, 5).join(', ')}`)];
    const left = rollout && wrapHanging(`${policy}: ${rollout.words}`, columns);
    const turn = schedule && wrapHanging(`${policy}: ${schedule.words}`, columns);
    return [
      ...(turn ?? []).map((text): Line => [span(text)]),
      ...demand.filter(({ unmet }) => isWhole || unmet > 0).flatMap((slice) => drawDemand(policy, slice, columns)),
      ...(left ?? []).map((text): Line => [span(text)]),
      ...(inFlight.length > 0 ? flight : []).map((text): Line => [span(text)]),
      ...(canary.length > 0 ? [first] : []),
    ];
  });
  return [...drawTable(['POLICY', 'MODE', 'READY', 'CHANGING', 'REASON', 'MESSAGE'], rows), ...changing];
}

function drawDemand(
  policy: string,
  { words, unmet }: PolicyStatusView['demand'][number],
  columns: number,
): readonly Line[] {
  const tone = unmet > 0 ? 'warn' : 'plain';
  return wrapHanging(`${policy} wants ${words}`, columns).map((text): Line => [span(text, tone)]);
}

function drawPhases(phases: FleetStatusView['phases']): readonly Line[] {
  const width = String(Math.max(0, ...phases.map(({ count }) => count))).length;
  return phases.map(({ phase, count, reasons }) => {
    const words = reasons
      .filter(({ reason }) => reason !== phase)
      .map(
        ({ reason, count: many, nodes }) =>
          `${many} ${reason}${phase === 'Ready' ? '' : ` (${nodes.join(', ')}${many > nodes.length ? ', …' : ''})`}`,
      );
    return [
      span(`${String(count).padStart(width)} `),
      span(phase.padEnd(9), toneOf(urgencyOfNode(phase, ''))),
      span(`  ${words.join('; ')}`, 'dim'),
    ];
  });
}

/** The most nodes in the table. */
const mostRows = 20;

function drawNodes(nodes: readonly NodeRowView[]): readonly Line[] {
  const rows = nodes
    .slice(0, mostRows)
    .map(({ node, policy, urgency, phase, reason, used, instances, layout, message }) => [
      span(node, 'title'),
      span(policy ?? '-'),
      span(phase, toneOf(urgency)),
      span(`${used}/${instances}`),
      urgency === 'ready' || urgency === 'unmanaged' ? span(layout) : span(`${reason}: ${message}`, 'dim'),
    ]);
  const more: readonly Line[] =
    nodes.length > mostRows ? [[span(`and ${nodes.length - mostRows} more nodes; -o wide shows all`, 'dim')]] : [];
  return [...drawTable(['NODE', 'POLICY', 'PHASE', 'USED', 'LAYOUT OR REASON'], rows), ...more];
}

function drawWideNodes(nodes: readonly NodeRowView[], now: number): readonly Line[] {
  const rows = nodes.map(({ node, policy, urgency, phase, since, reason, used, instances, layout, message }) => [
    span(node, 'title'),
    span(policy ?? '-'),
    span(phase, toneOf(urgency)),
    span(ageOf(since, now)),
    span(`${used}/${instances}`),
    span(reason),
    // That all is well needs no words.
    span(urgency === 'ready' ? '-' : message, 'dim'),
    span(layout),
  ]);
  return drawTable(['NODE', 'POLICY', 'PHASE', 'SINCE', 'USED', 'REASON', 'MESSAGE', 'LAYOUT'], rows);
}

function ageOf(since: string | undefined, now: number): string {
  const seconds = (now - Date.parse(since ?? '')) / 1000;
  return Number.isFinite(seconds) ? describeDuration(Math.max(0, seconds)) : '-';
}

/** A node as `describe` would have it: phase and reason first, then a picture of each of its GPUs; identical ones are drawn once. */
function drawNodeStatus(
  partition: GpuNodePartition,
  view: NodeStatusView,
  { columns, history = { timeline: [], events: [] } }: StatusPictureOptions,
): readonly Line[] {
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

const indent = '       ';
/** Wider than this a slice gets no clearer. */
const widest = 143;

/** A GPU in lines: what is on it, what will be, and who holds what. */
function drawGpuPicture(
  name: string,
  picture: GpuPicture,
  geometry: Geometry | undefined,
  columns: number,
): readonly Line[] {
  const { product, error, health, now, after } = picture;
  const sick = health === undefined ? [] : [span(`  ${health}`, 'bad')];
  const title = [span(name, 'title'), span(`  ${product}`), ...sick];
  if (error !== undefined) return [[...title, span(`  ${error}`, 'bad')]];
  if (geometry === undefined) return [[...title, span('  no MIG: whole GPU'), ...holders(picture)]];
  const bar = (word: string, slices: readonly PicturedSlice[] | undefined): Line => [
    span(`  ${word.padEnd(5)}`, 'dim'),
    ...drawBar(geometry, slices, Math.min(columns - indent.length - 2, widest)),
  ];
  const planned: readonly Line[] =
    after === undefined
      ? []
      : 'refusal' in after
        ? [[span('  then '), span(after.refusal, 'bad')]]
        : [bar('then', after.slices)];
  const held = (now ?? []).flatMap((slice): readonly Line[] =>
    slice.pods.length === 0
      ? []
      : [[span(`${indent}${slice.profile} at ${slice.start}: ${nameHolders(slice)}`, 'dim')]],
  );
  const whole = picture.pods.length === 0 ? [] : [[span(`${indent}whole GPU: ${nameHolders(picture)}`, 'dim')]];
  return [title, bar('now', now), ...planned, ...held, ...whole];
}

function holders(held: Pick<GpuPicture, 'pods' | 'claims'>): readonly Span[] {
  return held.pods.length === 0 ? [] : [span(`, held by ${nameHolders(held)}`, 'used')];
}

/** `team/train by claim team/train-gpu` */
function nameHolders({ pods, claims }: Pick<GpuPicture, 'pods' | 'claims'>): string {
  return `${pods.join(', ')}${claims.length === 0 ? '' : ` by claim ${claims.join(', ')}`}`;
}

const sliceTones: Readonly<Record<PicturedSlice['state'], Tone>> = {
  used: 'used',
  free: 'free',
  going: 'going',
  coming: 'coming',
};
const marks: Readonly<Record<PicturedSlice['state'], string>> = { used: '', free: '', going: '-', coming: '+' };

function drawBar(geometry: Geometry, slices: readonly PicturedSlice[] | undefined, width: number): Line {
  const byStart = new Map(slices?.map((one) => [one.start, one]));
  const cells = drawCells(geometry, slices, width, ({ start, busy }) => {
    const state = byStart.get(start)?.state ?? 'free';
    return `${busy === true ? '*' : ''}${marks[state]}`;
  });
  return [
    span('|'),
    ...cells.flatMap(({ instance, text }) => {
      const slice = instance && byStart.get(instance.start);
      return [span(text, slice ? sliceTones[slice.state] : 'dim'), span('|')];
    }),
  ];
}

/** Explains the marks. */
const legend = '* in use   - goes   + comes   . no slice';

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

interface NodeHistory {
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
