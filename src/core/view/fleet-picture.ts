import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import { describeDuration } from '../text/duration.ts';
import { wrapHanging } from '../text/wrap.ts';
import type { DemandView } from './demand-words.ts';
import { type NodeRowView, type PhaseView, type PolicyStatusView, viewFleet } from './fleet-status.ts';
import { drawTable, type Line, span } from './line.ts';
import { toneOf, urgencyOfNode } from './urgency.ts';

export interface FleetPictureOptions {
  readonly columns: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Every node, with all that fits into a row. */
  readonly isWide?: boolean;
  /** Only this policy and its nodes. */
  readonly policy?: string | undefined;
  /** Most nodes in the table. */
  readonly mostNodes?: number;
}

/** The fleet on a screen: policies, nodes by phase, and first the nodes that need attention. */
export function drawFleet(
  policies: readonly GpuPartitionPolicy[],
  partitions: readonly GpuNodePartition[],
  { columns, now, isWide = false, policy, mostNodes = 20 }: FleetPictureOptions,
): readonly Line[] {
  const view = viewFleet(policies, partitions, now, policy);
  const table = isWide ? drawWideNodes(view.nodes, now) : drawNodes(view.nodes, mostNodes);
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

function drawNodes(nodes: readonly NodeRowView[], most: number): readonly Line[] {
  const rows = nodes
    .slice(0, most)
    .map(({ node, policy, urgency, phase, reason, used, instances, layout, message }) => [
      span(node, 'title'),
      span(policy ?? '-'),
      span(phase, toneOf(urgency)),
      span(`${used}/${instances}`),
      urgency === 'ready' || urgency === 'unmanaged' ? span(layout) : span(`${reason}: ${message}`, 'dim'),
    ]);
  const more: readonly Line[] =
    nodes.length > most ? [[span(`and ${nodes.length - most} more nodes; -o wide shows all`, 'dim')]] : [];
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
