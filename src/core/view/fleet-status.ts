import type { GpuNodePartition, GpuPartitionPolicy, PolicyStatus } from '../../api/types.ts';
import { listDifferences, type PolicyHistory } from '../policy/history.ts';
import { compareText } from '../text/fingerprint.ts';
import { type DemandView, viewDemand } from './demand-words.ts';
import { type ScheduleView, viewSchedule } from './schedule-words.ts';
import { findCap } from '../rollout/cap.ts';
import { forecastRollouts, type RolloutOutlook, widthOf } from './rollout-outlook.ts';
import { byUrgency, headOf, type NodeHead, type Urgency, urgencyOfPolicy } from './urgency.ts';

/** One policy as people see it. */
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
  /** Undefined if nothing is left to do. */
  readonly rollout: RolloutOutlook | undefined;
  /** What is to be done on all of its nodes; undefined if nothing is. */
  readonly plan: PolicyStatus['plan'];
  /** Undefined for a policy without schedules. */
  readonly schedule: ScheduleView | undefined;
  /** What of `spec.demand` is offered, by slice; empty for a policy of layouts. */
  readonly demand: readonly DemandView[];
  /** `spec.rollout.paused`, whatever else keeps nodes waiting. */
  readonly isPaused: boolean;
  /** Since when it is being deleted, RFC 3339. */
  readonly deletingSince: string | undefined;
  /** Why its newest generation touches nothing. */
  readonly refusal: { readonly reason: string; readonly message: string } | undefined;
  /** Its last generations that came in force, newest first. */
  readonly edits: readonly PolicyEditView[];
}

/** Who changed a policy, when and how. */
export interface PolicyEditView {
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
  /** Since when it is Ready, or is not, RFC 3339. */
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

export interface PhaseView {
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

/** Those that need attention first. */
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

/** By the history, which an edit replaces: a page shows the same one again and again. */
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
