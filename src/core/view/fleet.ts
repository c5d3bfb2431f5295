import type { GpuNodePartition, GpuPartitionPolicy, PolicyStatus, GpuReport } from '../../api/types.ts';
import { listDifferences, type PolicyHistory } from '../policy/history.ts';
import { compareText } from '../text/json.ts';
import {
  type DemandView,
  viewDemand,
  type ScheduleView,
  viewSchedule,
  forecastRollouts,
  type RolloutOutlook,
  widthOf,
} from './rollout.ts';
import { findCap, frozenWords } from '../rollout/budget.ts';
import {
  byUrgency,
  headOf,
  type NodeHead,
  type Urgency,
  urgencyOfPolicy,
  drawTable,
  type Line,
  span,
  toneOf,
  urgencyOfNode,
  type Interruption,
  type Source,
  urgencies,
} from './lines.ts';
import { describeDuration, timeText } from '../text/syntax.ts';
import { wrapHanging } from '../text/words.ts';
import type { Geometry } from '../gpu/geometry.ts';
import { gridOf } from '../gpu/grid.ts';
import { liveGeometry } from '../device/geometry.ts';
import type { GpuPicture, PicturedSlice } from './gpu.ts';
import { type NodeStatusView, viewNodeStatus } from './node.ts';
import { stateOfWindows } from '../rollout/windows.ts';
import { ownDevicesOf } from '../kubernetes/claims.ts';
import { describeAsks } from '../explain/requests.ts';
import { allRequestsOf, claimRequestsOf } from '../cluster/claim-requests.ts';
import { type ClusterFacts, type GpuNode, isDra, listGpuNodes } from '../cluster/facts.ts';
import { explainPod, type PodExplanation } from '../explain/pod.ts';
import { listMeetingResources } from '../explain/node-verdict.ts';
import { isUnbound, requestsOf, isGpuResource, podName, type PodView } from '../kubernetes/pod.ts';
import { answerHere } from '../demand/plan-pool.ts';
import { explainDemandFor, type PodDemandOutlook } from '../demand/pod-outlook.ts';

/** The status of one policy, as people see it. */
interface PolicyStatusView {
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
interface NodeRowView extends NodeHead {
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

interface FleetPictureOptions {
  readonly columns: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Every node, with all that fits into a row. */
  readonly isWide?: boolean;
  /** The policy to which the picture is restricted, with its nodes; absent: all. */
  readonly policy?: string | undefined;
  /** The most nodes in the table. */
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

/** A slice with its size, so that it can be drawn to scale. */
interface PageSlice extends PicturedSlice {
  readonly size: number;
  readonly memoryMiB: number | undefined;
}

/** A GPU on the page: its slices on a scale of so many placement units. */
interface PageGpu extends Pick<GpuPicture, 'index' | 'product' | 'error' | 'health' | 'pods' | 'claims'> {
  readonly uuid: string;
  readonly units: number;
  /** Slices of the GPU now; null for a GPU that is whole. */
  readonly now: readonly PageSlice[] | null;
  /** Slices of the GPU after the change; absent if nothing is to change. */
  readonly after?: { readonly slices: readonly PageSlice[] | null } | { readonly refusal: string };
}

export interface PageNode extends NodeRowView, Pick<NodeStatusView, 'strategy' | 'plan' | 'error' | 'driver'> {
  readonly pool: string;
  readonly gpus: readonly PageGpu[];
}

/** Everything that the page of the fleet shows. */
export interface PageFleet {
  readonly source: Source;
  /** Milliseconds since everything was last known to be current: the clock of the browser may be another. Null for a saved cluster. */
  readonly ageMs: number | null;
  readonly totals: FleetTotals;
  readonly policies: readonly PolicyStatusView[];
  /** Nodes that are not Ready, most urgent first. */
  readonly groups: readonly UnreadyNodes[];
  readonly nodes: readonly PageNode[];
  /** Null while updates come in. */
  readonly interruption: Interruption | null;
}

/** @param pool of the node, empty if unknown */
export function viewPageNode(partition: GpuNodePartition, pool: string): PageNode {
  const { strategy, plan, error, driver, gpus } = viewNodeStatus(partition);
  const { device } = partition.status ?? {};
  const reports = device?.gpus ?? [];
  return {
    ...viewRow(partition),
    pool,
    strategy,
    plan,
    error,
    driver,
    gpus: gpus.map((picture, at) => {
      const gpu = reports[at];
      return viewGpu(picture, gpu?.uuid ?? '', gpu && device ? liveGeometry(device, gpu) : undefined);
    }),
  };
}

function viewGpu(
  { index, product, error, health, pods, claims, now, after }: GpuPicture,
  uuid: string,
  geometry: Geometry | undefined,
): PageGpu {
  const size = (slices: readonly PicturedSlice[] | undefined): readonly PageSlice[] | null =>
    slices === undefined || geometry === undefined ? null : slices.map((slice) => sizeSlice(slice, geometry));
  return {
    index,
    uuid,
    product,
    pods,
    claims,
    ...(error !== undefined && { error }),
    ...(health !== undefined && { health }),
    units: geometry === undefined ? 1 : geometry.memorySlices || geometry.computeSlices,
    now: size(now),
    ...(after !== undefined && { after: 'refusal' in after ? after : { slices: size(after.slices) } }),
  };
}

function sizeSlice(slice: PicturedSlice, geometry: Geometry): PageSlice {
  const grid = gridOf(geometry);
  const profile = grid.profiles[grid.indexOf.get(slice.profile) ?? -1];
  // Without a placement grid (Thor) compute slices stand in for units.
  return { ...slice, size: profile?.memorySlices || profile?.computeSlices || 1, memoryMiB: profile?.memoryMiB };
}

/** GPU instances of one profile in the whole fleet. */
interface ProfileTotal {
  readonly profile: string;
  /** Instances on nodes that take GPU pods: used or free. */
  readonly offered: number;
  /** Offered instances that a pod or a process uses. */
  readonly used: number;
  readonly free: number;
  /** Instances on nodes that are closed for a change. */
  readonly closed: number;
}

/** The policy whose window lets the next node start, of the policies that have windows and are not done. */
interface NextWindow {
  readonly policy: string;
  /** The time at which the window opens, RFC 3339; absent if one is open now. */
  readonly opensAt?: string;
}

/** The fleet in figures: what somebody asks first. */
interface FleetTotals {
  readonly nodes: number;
  readonly byUrgency: readonly { readonly urgency: Urgency; readonly count: number }[];
  readonly gpus: number;
  /** GPUs that do not respond, or that their driver reports as unhealthy. */
  readonly sickGpus: number;
  /** Instances by profile, sorted by its name. */
  readonly profiles: readonly ProfileTotal[];
  /** GPUs that are not in MIG mode, and of them those that are in use. */
  readonly whole: { readonly gpus: number; readonly used: number };
  /** Pods that planned changes evict. */
  readonly evictions: number;
  readonly window: NextWindow | undefined;
  /** Why no node of any policy starts; undefined if the controller is not frozen. */
  readonly frozen: string | undefined;
}

/** @param now in ms since 1970 */
export function countTotals(
  policies: readonly GpuPartitionPolicy[],
  partitions: readonly GpuNodePartition[],
  now: number,
): FleetTotals {
  const levels = partitions.map(({ status }) => headOf(status).urgency);
  const gpus = partitions.flatMap(({ status }) => status?.device?.gpus ?? []);
  const whole = gpus.filter(isWhole);
  return {
    nodes: partitions.length,
    byUrgency: urgencies.flatMap((urgency) => {
      const count = levels.filter((one) => one === urgency).length;
      return count === 0 ? [] : [{ urgency, count }];
    }),
    gpus: gpus.length,
    sickGpus: gpus.filter(({ error, health }) => error !== undefined || health !== undefined).length,
    profiles: countProfiles(partitions),
    whole: { gpus: whole.length, used: whole.filter(({ busy, pods = [] }) => busy === true || pods.length > 0).length },
    evictions: policies.reduce((sum, policy) => sum + evictionsOf(policy), 0),
    window: nextWindow(policies, now),
    frozen: policies.map(freezeOf).find((words) => words !== undefined),
  };
}

function isWhole({ mig, error }: GpuReport): boolean {
  return mig !== 'Enabled' && error === undefined;
}

function countProfiles(partitions: readonly GpuNodePartition[]): readonly ProfileTotal[] {
  const totals = new Map<string, { offered: number; used: number; free: number; closed: number }>();
  for (const { status } of partitions) {
    const isOpen = status?.closed?.since === undefined && status?.phase !== 'Updating';
    for (const { mig, instances } of status?.device?.gpus ?? []) {
      if (mig !== 'Enabled') continue;
      for (const { profile, busy } of instances) {
        const total = totals.get(profile) ?? { offered: 0, used: 0, free: 0, closed: 0 };
        totals.set(profile, total);
        if (!isOpen) total.closed += 1;
        else {
          total.offered += 1;
          if (busy === true) total.used += 1;
          else total.free += 1;
        }
      }
    }
  }
  return [...totals]
    .map(([profile, total]) => ({ profile, ...total }))
    .toSorted((a, b) => compareText(a.profile, b.profile));
}

function evictionsOf({ spec, status }: GpuPartitionPolicy): number {
  return spec.mode === 'Plan' ? 0 : (status?.plan?.podsToEvict ?? 0);
}

/** The first to open, or one that is open. */
function nextWindow(policies: readonly GpuPartitionPolicy[], now: number): NextWindow | undefined {
  const windows = policies.flatMap(({ metadata, spec, status }): readonly NextWindow[] => {
    if ((spec.rollout?.windows ?? []).length === 0 || readyOf(status)?.status === 'True') return [];
    const state = stateOfWindows(spec.rollout?.windows, now);
    const policy = metadata.name;
    if (state.isOpen) return [{ policy }];
    return state.opensAt === undefined ? [] : [{ policy, opensAt: timeText(state.opensAt) }];
  });
  return windows.toSorted((a, b) => compareText(a.opensAt ?? '', b.opensAt ?? ''))[0];
}

/** Whatever else keeps a policy's nodes, its message ends with the freeze. Before that it may say anything, in the words of others. */
function freezeOf({ status }: GpuPartitionPolicy): string | undefined {
  const { message = '' } = readyOf(status) ?? {};
  const at = message.indexOf(frozenWords);
  const isFrozen = status?.summary?.split(', ').includes('frozen') === true;
  return at < 0 || !isFrozen ? undefined : message.slice(at);
}

function readyOf(status: GpuPartitionPolicy['status']) {
  return status?.conditions?.find(({ type }) => type === 'Ready');
}

/** Nodes that are in the same state for the same reason: `12 nodes: the rollout is paused`. */
interface UnreadyNodes {
  readonly urgency: Urgency;
  readonly phase: string;
  readonly reason: string;
  readonly count: number;
  /** The first of them, by name. */
  readonly nodes: readonly string[];
  /** What their conditions say, the most frequent first; the first few of them. What they name is left out where it differs. */
  readonly messages: readonly { readonly message: string; readonly count: number }[];
}

const mostNodes = 5;
const mostMessages = 3;

/** Nodes that are not Ready, joined; most urgent first. Those that no policy wants need nobody. */
export function groupNodes(nodes: readonly NodeRowView[]): readonly UnreadyNodes[] {
  const unready = nodes.filter(({ urgency }) => urgency !== 'ready' && urgency !== 'unmanaged');
  return [...Map.groupBy(unready, ({ urgency, phase, reason }) => `${urgency} ${phase} ${reason}`).values()]
    .map(joinNodes)
    .toSorted((a, b) => byUrgency(a.urgency, b.urgency) || b.count - a.count || compareText(a.reason, b.reason));
}

const named = /\b[a-z0-9][a-z0-9.-]*\/[a-z0-9][a-z0-9.-]*\b|\b\d{4}-\d\d-\d\dT[\d:]+Z/g;

/** The gist of a message, whichever pods and times it names. */
function gistOf({ message }: NodeRowView): string {
  return message.replaceAll(named, '…').replaceAll(/\u2026(?:(?:, | and )\u2026)+/g, '…');
}

/** Nodes that wait for other pods in the same words are told once, without the names. */
function sayTogether(gist: string, alike: readonly NodeRowView[]): string {
  const [first, ...others] = alike;
  return others.every(({ message }) => message === first?.message) ? (first?.message ?? gist) : gist;
}

function joinNodes(nodes: readonly NodeRowView[]): UnreadyNodes {
  const [{ urgency, phase, reason } = { urgency: 'failed' as const, phase: '', reason: '' }] = nodes;
  const messages = [...Map.groupBy(nodes, gistOf)]
    .map(([gist, alike]) => ({ message: sayTogether(gist, alike), count: alike.length }))
    .toSorted((a, b) => b.count - a.count || compareText(a.message, b.message));
  const names = nodes.map(({ node }) => node).toSorted(compareText);
  return {
    urgency,
    phase,
    reason,
    count: nodes.length,
    nodes: names.slice(0, mostNodes),
    messages: messages.slice(0, mostMessages),
  };
}

/** Pods that wait alike, and why. */
interface WaitingGroup extends Pick<PodExplanation, 'code' | 'message' | 'suggestions'> {
  /** What demands offer the first of the pods. */
  readonly demands: readonly PodDemandOutlook[];
  readonly count: number;
  /** The first of them, as NAMESPACE/NAME. */
  readonly pods: readonly string[];
  /** `1 nvidia.com/mig-3g.20gb`, `1 device of DeviceClass mig.nvidia.com by ResourceClaimTemplate small` */
  readonly asks: string;
}

/** Pods that wait, in groups; undefined if the user may not list pods. */
export type WaitingPods = readonly WaitingGroup[] | undefined;

/** The most groups that are explained: explaining a pod looks at each node. */
const mostGroups = 30;
const mostPods = 10;

/** Lists the pods that wait for a GPU, or a slice of one, by a resource or by a claim. */
export function listWaiting(facts: ClusterFacts): readonly PodView[] {
  const dra = listGpuNodes(facts).filter(isDra);
  return (facts.pods ?? []).filter(
    (pod) => isUnbound(pod) && (requestsOf(pod, isGpuResource).size > 0 || claimsGpu(pod, facts, dra)),
  );
}

/** A claim may be for a device of another driver: what no GPU could be is for none. */
function claimsGpu(pod: PodView, facts: ClusterFacts, dra: readonly GpuNode[]): boolean {
  const { asked, requests, allocated } = claimRequestsOf(pod, facts);
  return (
    [...asked.keys()].some(isGpuResource) ||
    allocated.some((claim) => ownDevicesOf(claim).length > 0) ||
    requests.some((request) => listMeetingResources(request, dra).length > 0)
  );
}

/** Pods that wait for GPUs, and why; those that ask alike are explained once. */
export function explainWaiting(facts: ClusterFacts): WaitingPods {
  if (facts.pods === undefined) return undefined;
  const alike = Map.groupBy(listWaiting(facts), ({ metadata, spec, status }) => {
    const {
      resourceClaims,
      nodeSelector,
      affinity,
      tolerations,
      schedulingGates,
      schedulerName,
      containers = [],
    } = spec ?? {};
    const asks = containers.map(({ resources }) => resources);
    const words = (status?.conditions ?? []).map(({ type, message }) => [type, message]);
    return JSON.stringify([
      metadata.namespace,
      asks,
      resourceClaims,
      nodeSelector,
      affinity,
      tolerations,
      schedulingGates,
      schedulerName,
      words,
    ]);
  });
  return [...alike.values()]
    .toSorted((a, b) => b.length - a.length)
    .slice(0, mostGroups)
    .flatMap((pods): readonly WaitingGroup[] => {
      const [first] = pods;
      if (!first) return [];
      const { isPending, code, message, suggestions } = explainPod(first, facts);
      const claims = claimRequestsOf(first, facts);
      const asks = describeAsks(allRequestsOf(first, claims, isGpuResource), claims);
      const names = pods.map(podName).toSorted().slice(0, mostPods);
      const demands = isPending ? answerHere(explainDemandFor(first, facts)) : [];
      return [{ code, message, demands, suggestions, count: pods.length, pods: names, asks }];
    });
}
