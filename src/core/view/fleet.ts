// Room view: what people see of a fleet, in words and lines, whatever shows it, a terminal or the page.
// Ask here for the status of a fleet or of a node, as data or as a framed picture.
import type { GpuNodePartition, GpuPartitionPolicy, PolicyStatus } from '../../api/types.ts';
import { compareText, deepEqual } from '../text/json.ts';
import { writePath } from '../text/findings.ts';
import {
  type DemandView,
  viewDemand,
  type ScheduleView,
  viewSchedule,
  forecastRollouts,
  type RolloutOutlook,
  widthOf,
} from './rollout.ts';
import { findCap } from '../rollout/budget.ts';
import {
  byUrgency,
  headOf,
  type NodeHead,
  type Urgency,
  urgencyOfPolicy,
  drawTable,
  type Frame,
  framePicture,
  type Interruption,
  type Line,
  span,
  toneOf,
  urgencyOfNode,
} from './lines.ts';
import { describeDuration } from '../text/syntax.ts';
import { cutText, wrapHanging } from '../text/words.ts';
import { drawNodeStatus, type NodeHistory, type NodeStatusView, viewNodeStatus } from './node.ts';

/** The status of one policy, as people see it. */
export interface PolicyStatusView {
  readonly policy: string;
  readonly mode: string;
  readonly urgency: Urgency;
  readonly ready: number;
  readonly matched: number;
  readonly failed: number;
  readonly reason: string;
  readonly message: string;
  /** Nodes that have been admitted and are not done yet, with the time by which their pods must be gone. */
  readonly inFlight: readonly {
    readonly node: string;
    readonly since: string | undefined;
    readonly deadline: string | undefined;
  }[];
  /** How many may be, under the policy's budget and the cap over all policies. */
  readonly maxUnavailable: number;
  readonly canary: readonly string[];
  /** The nodes left in its rollout, and how long they take; undefined if nothing is left to do. */
  readonly rollout: RolloutOutlook | undefined;
  /** The plan of all of its nodes; undefined if nothing is to be done. */
  readonly plan: PolicyStatus['plan'];
  /** Its schedules; undefined for a policy without any. */
  readonly schedule: ScheduleView | undefined;
  /** How much of `spec.demand` is offered, by slice; empty for a policy of layouts. */
  readonly demand: readonly DemandView[];
  /** `spec.rollout.paused`, whatever else keeps nodes waiting. */
  readonly isPaused: boolean;
  /** The time since when it is being deleted, RFC 3339; undefined if it is not. */
  readonly deletingSince: string | undefined;
  /** Why its newest generation touches nothing. */
  readonly refusal: { readonly reason: string; readonly message: string } | undefined;
  /** Its last generations that came in force, newest first. */
  readonly edits: readonly PolicyEditView[];
}

/** A change of a policy: who made it, when and how. */
interface PolicyEditView {
  readonly generation: number;
  /** RFC 3339. */
  readonly at: string;
  /** The field manager. */
  readonly by: string | undefined;
  /** The fields that differ from the generation before; undefined if that is not known. */
  readonly differences: readonly string[] | undefined;
}

/** One node in the table of the fleet. */
export interface NodeRowView extends NodeHead {
  readonly node: string;
  readonly policy: string | undefined;
  /** The time since when it is Ready, or is not, RFC 3339. */
  readonly since: string | undefined;
  readonly layout: string;
  /** GPU instances in use, of all. */
  readonly used: number;
  readonly instances: number;
}

export interface FleetStatusView {
  readonly policies: readonly PolicyStatusView[];
  readonly phases: readonly PhaseView[];
  /** Nodes that need attention first. */
  readonly nodes: readonly NodeRowView[];
}

interface PhaseView {
  readonly phase: string;
  readonly count: number;
  readonly reasons: readonly { readonly reason: string; readonly count: number; readonly nodes: readonly string[] }[];
}

const mostNamed = 3;
const mostEdits = 5;

/** @param only this policy; the others share its cap, so that they are needed too */
export function viewFleet(
  policies: readonly GpuPartitionPolicy[],
  partitions: readonly GpuNodePartition[],
  now: number,
  only?: string,
): FleetStatusView {
  const isMeant = ({ policy }: { readonly policy: string | undefined }): boolean =>
    only === undefined || policy === only;
  const nodes = partitions.map(viewRow).filter(isMeant).toSorted(rowsByUrgency);
  return {
    policies: viewPolicies(policies, partitions, now).filter(isMeant),
    phases: [...Map.groupBy(nodes, ({ phase }) => phase)].map(([phase, list]) => viewPhase(phase, list)),
    nodes,
  };
}

/** Lists policies, those that need attention first. */
export function viewPolicies(
  policies: readonly GpuPartitionPolicy[],
  partitions: readonly GpuNodePartition[],
  now: number,
): readonly PolicyStatusView[] {
  const byPolicy = Map.groupBy(partitions, ({ spec }) => spec.policy?.name);
  const rollouts = forecastRollouts(policies, partitions, now);
  const cap = findCap(policies, partitions);
  return policies
    .map((policy) => {
      const { name } = policy.metadata;
      const own = byPolicy.get(name) ?? [];
      const schedule = viewSchedule(policy, own);
      return viewPolicy(policy, widthOf(policy, own, cap).most, rollouts.get(name), schedule);
    })
    .toSorted((a, b) => byUrgency(a.urgency, b.urgency) || compareText(a.policy, b.policy));
}

function viewPolicy(
  policy: GpuPartitionPolicy,
  maxUnavailable: number,
  rollout: RolloutOutlook | undefined,
  schedule: ScheduleView | undefined,
): PolicyStatusView {
  const { metadata, spec, status } = policy;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const valid = status?.conditions?.find(({ type }) => type === 'Valid');
  return {
    policy: metadata.name,
    mode: spec.mode ?? 'Enforce',
    urgency: urgencyOfPolicy(policy),
    ready: status?.nodes?.ready ?? 0,
    matched: status?.nodes?.matched ?? 0,
    failed: status?.nodes?.failed ?? 0,
    reason: ready?.reason ?? 'Unknown',
    message: ready?.message ?? 'the controller has not processed it yet',
    inFlight: (status?.inFlight ?? []).map(({ node, startTime, deadline }) => ({ node, since: startTime, deadline })),
    maxUnavailable,
    canary: status?.canary?.nodes ?? [],
    rollout,
    plan: (status?.plan?.gpusChanging ?? 0) > 0 ? status?.plan : undefined,
    schedule,
    demand: viewDemand(status),
    isPaused: spec.rollout?.paused === true,
    deletingSince: metadata.deletionTimestamp,
    refusal: valid?.status === 'False' ? { reason: valid.reason, message: valid.message } : undefined,
    edits: viewEdits(status?.history ?? []),
  };
}

/** Views by history, which an edit replaces: a page shows the same one again and again. */
type PolicyHistory = NonNullable<PolicyStatus['history']>;

const views = new WeakMap<PolicyHistory, readonly PolicyEditView[]>();

function viewEdits(history: PolicyHistory): readonly PolicyEditView[] {
  const known = views.get(history);
  if (known) return known;
  const made = history.slice(0, mostEdits).map(({ generation, time, manager, spec }, index): PolicyEditView => {
    const before = history[index + 1];
    return { generation, at: time, by: manager, differences: before && listDifferences(before.spec, spec) };
  });
  views.set(history, made);
  return made;
}

const longestValue = 60;

/** The fields in which two specs differ, each with its value before and after, such as `layouts[0].profiles["1g.5gb"]: 7 → 4`. */
export function listDifferences(before: object, after: object): readonly string[] {
  return compare(before, after, []);
}

function compare(before: unknown, after: unknown, path: readonly (string | number)[]): readonly string[] {
  if (deepEqual(before, after)) return [];
  const [these, those] = [partsOf(before), partsOf(after)];
  if (these === undefined || those === undefined || Array.isArray(before) !== Array.isArray(after))
    return [`${writePath(path)}: ${sayValue(before)} → ${sayValue(after)}`];
  const keys = [...new Set([...these.keys(), ...those.keys()])];
  return keys.flatMap((key) => compare(these.get(key), those.get(key), [...path, key]));
}

function partsOf(value: unknown): ReadonlyMap<string | number, unknown> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return new Map<string | number, unknown>(Array.isArray(value) ? value.entries() : Object.entries(value));
}

function sayValue(value: unknown): string {
  return value === undefined ? 'none' : cutText(JSON.stringify(value), longestValue);
}

export function viewRow({ metadata, spec, status }: GpuNodePartition): NodeRowView {
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const instances = (status?.device?.gpus ?? []).flatMap((gpu) => (gpu.mig === 'Enabled' ? gpu.instances : []));
  return {
    node: metadata.name,
    policy: spec.policy?.name,
    ...headOf(status),
    since: ready?.lastTransitionTime,
    layout: status?.layout ?? '',
    used: instances.filter(({ busy }) => busy === true).length,
    instances: instances.length,
  };
}

function viewPhase(phase: string, nodes: readonly NodeRowView[]): PhaseView {
  const reasons = [...Map.groupBy(nodes, ({ reason }) => reason)]
    .map(([reason, list]) => ({ reason, count: list.length, nodes: list.slice(0, mostNamed).map(({ node }) => node) }))
    .toSorted((a, b) => b.count - a.count || compareText(a.reason, b.reason));
  return { phase, count: nodes.length, reasons };
}

function rowsByUrgency(a: NodeRowView, b: NodeRowView): number {
  return byUrgency(a.urgency, b.urgency) || compareText(a.phase, b.phase) || compareText(a.node, b.node);
}

/** The status of a node, or of the fleet if none is named; undefined if there is no such node. */
export function viewStatus(
  policies: readonly GpuPartitionPolicy[],
  partitions: readonly GpuNodePartition[],
  now: number,
  { node, policy }: Pick<StatusPictureOptions, 'node' | 'policy'>,
): FleetStatusView | NodeStatusView | undefined {
  if (node === undefined) return viewFleet(policies, partitions, now, policy);
  const found = partitions.find(({ metadata }) => metadata.name === node);
  return found && viewNodeStatus(found);
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

/** A node on a screen, or the fleet: policies, nodes by phase, and first the nodes that need attention. */
export function drawStatus(
  policies: readonly GpuPartitionPolicy[],
  partitions: readonly GpuNodePartition[],
  options: StatusPictureOptions,
): readonly Line[] {
  return framePicture(drawPicture(policies, partitions, options), options.interruption, options);
}

function drawPicture(
  policies: readonly GpuPartitionPolicy[],
  partitions: readonly GpuNodePartition[],
  { columns, now, node, history, isWide = false, policy }: StatusPictureOptions,
): readonly Line[] {
  if (node !== undefined) {
    const found = partitions.find(({ metadata }) => metadata.name === node);
    return found ? drawNodeStatus(found, columns, history) : [[span(`node ${node} is gone`, 'bad')]];
  }
  const view = viewFleet(policies, partitions, now, policy);
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

function drawDemand(policy: string, { words, unmet }: DemandView, columns: number): readonly Line[] {
  const tone = unmet > 0 ? 'warn' : 'plain';
  return wrapHanging(`${policy} wants ${words}`, columns).map((text): Line => [span(text, tone)]);
}

function drawPhases(phases: readonly PhaseView[]): readonly Line[] {
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
