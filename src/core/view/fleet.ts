// Room view: what people see of a fleet, in words and lines, whatever shows it, a terminal or the page.
// Ask here for all that the page shows of a fleet at one time.
import type { GpuNodePartition, GpuPartitionPolicy, GpuReport, PolicyStatus } from '../../api/types.ts';
import { compareText, deepEqual } from '../text/json.ts';
import { timeText } from '../text/syntax.ts';
import { cutText, writePath } from '../text/words.ts';
import { stateOfWindows } from '../rollout/budget.ts';
import { frozenWords } from '../rollout/ledger.ts';
import type { Geometry } from '../gpu/geometry.ts';
import { gridOf, unitsOf } from '../gpu/grid.ts';
import { liveGeometry } from '../device/plan.ts';
import { diagnoseReports } from '../explain/doctor.ts';
import { type PolicyProgress, viewProgress } from './rollout.ts';
import type { Interruption, Source } from './lines.ts';
import { type GpuPicture, type PicturedSlice, viewNodeStatus } from './node.ts';

type NodeStatusView = ReturnType<typeof viewNodeStatus>;

/** How much a node or a policy needs somebody, most first; every list here is in this order. */
const urgencies = ['failed', 'blocked', 'changing', 'waiting', 'ready', 'unmanaged'] as const;
type Urgency = (typeof urgencies)[number];

/** What does not resolve by itself, or only when somebody outside of this operator acts, although the phase is a passing one. */
const blocking: ReadonlySet<string> = new Set([
  'AgentNotReporting',
  'EvictionBlocked',
  'ForeignCordon',
  'NodeNotReady',
  'PodsUseGpus',
  'PolicyInvalid',
  'RefreshBlocked',
]);

const urgencyOfPhase: Readonly<Record<string, Urgency>> = {
  Failed: 'failed',
  Invalid: 'failed',
  Waiting: 'blocked',
  Updating: 'changing',
  Pending: 'waiting',
  Ready: 'ready',
  Unmanaged: 'unmanaged',
};

/** A phase of a later version needs attention. */
export function urgencyOfNode(phase: string, reason: string): Urgency {
  const urgency = urgencyOfPhase[phase] ?? 'failed';
  return blocking.has(reason) && (urgency === 'changing' || urgency === 'waiting') ? 'blocked' : urgency;
}

/** The entry of a node in a list. */
interface NodeHead {
  readonly phase: string;
  readonly reason: string;
  readonly message: string;
  readonly urgency: Urgency;
}

/** How a node stands, and what is broken on it: a node is Ready with GPUs that do not respond, as far as its others go. */
function headOf(status: GpuNodePartition['status']): NodeHead {
  const conditions = status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === 'Ready');
  const degraded = conditions.find(({ type, status: value }) => type === 'Degraded' && value === 'True');
  const phase = status?.phase ?? 'Pending';
  const { reason = 'AgentNotReporting', message = 'nothing is known yet' } = ready ?? {};
  const urgency = urgencyOfNode(phase, reason);
  if (degraded === undefined) return { phase, reason, message, urgency };
  const isWell = urgency === 'ready' || urgency === 'unmanaged';
  return isWell
    ? { phase, reason: degraded.reason, message: degraded.message, urgency: 'blocked' }
    : { phase, reason, message: `${message}; ${degraded.reason}: ${degraded.message}`, urgency };
}

/** Urgency by reason of the condition Ready; what stalls a policy is failed whatever its reason. */
const urgencyOfReason: Readonly<Record<string, Urgency>> = {
  Waiting: 'blocked',
  NodesUnavailable: 'blocked',
  Reconciling: 'changing',
  CanarySoak: 'changing',
  Deleting: 'changing',
};

function urgencyOfPolicy({ status }: GpuPartitionPolicy): Urgency {
  const conditions = status?.conditions ?? [];
  const isStalled = conditions.some(
    ({ type, status: value }) => (type === 'Stalled' && value === 'True') || (type === 'Valid' && value === 'False'),
  );
  if (isStalled) return 'failed';
  const ready = conditions.find(({ type }) => type === 'Ready');
  return ready?.status === 'True' ? 'ready' : (urgencyOfReason[ready?.reason ?? ''] ?? 'waiting');
}

/** Orders by urgency, the most urgent first. */
function byUrgency(a: Urgency, b: Urgency): number {
  return urgencies.indexOf(a) - urgencies.indexOf(b);
}

/** The status of one policy, as people see it. */
interface PolicyStatusView extends PolicyProgress {
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
  readonly canary: readonly string[];
  /** The plan of all of its nodes; undefined if nothing is to be done. */
  readonly plan: PolicyStatus['plan'];
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
function viewPolicies(
  policies: readonly GpuPartitionPolicy[],
  partitions: readonly GpuNodePartition[],
  now: number,
): readonly PolicyStatusView[] {
  return [...viewProgress(policies, partitions, now)]
    .map(([policy, progress]) => viewPolicy(policy, progress))
    .toSorted((a, b) => byUrgency(a.urgency, b.urgency) || compareText(a.policy, b.policy));
}

function viewPolicy(policy: GpuPartitionPolicy, progress: PolicyProgress): PolicyStatusView {
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
    canary: status?.canary?.nodes ?? [],
    plan: (status?.plan?.gpusChanging ?? 0) > 0 ? status?.plan : undefined,
    isPaused: spec.rollout?.paused === true,
    deletingSince: metadata.deletionTimestamp,
    refusal: valid?.status === 'False' ? { reason: valid.reason, message: valid.message } : undefined,
    edits: viewEdits(status?.history ?? []),
    ...progress,
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

function viewRow({ metadata, spec, status }: GpuNodePartition): NodeRowView {
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

interface PageNode extends NodeRowView, Pick<NodeStatusView, 'strategy' | 'plan' | 'error' | 'driver'> {
  readonly pool: string;
  /** What the doctor finds on it. */
  readonly findings: readonly Finding[];
  readonly gpus: readonly PageGpu[];
}

/** Everything that the page of the fleet shows. */
interface PageFleet {
  readonly source: Source;
  readonly totals: FleetTotals;
  readonly policies: readonly PolicyStatusView[];
  /** Nodes that are not Ready, most urgent first. */
  readonly groups: readonly UnreadyNodes[];
  /** All nodes, most urgent first. */
  readonly nodes: readonly PageNode[];
  readonly doctor: PageDoctor;
  /** Null while updates come in. */
  readonly interruption: Interruption | null;
}

/** What the doctor finds in the fleet; the shape of its answer, cut to what fits on a page. */
interface PageDoctor {
  readonly count: number;
  readonly findings: readonly { readonly code: string; readonly count: number; readonly first: readonly Finding[] }[];
  /** What was not checked, by why it was not. */
  readonly notChecked: readonly { readonly why: string; readonly codes: readonly string[] }[];
}

type Diagnosis = ReturnType<typeof diagnoseReports>;
type Finding = Diagnosis['findings'][number];

/** What is known of a fleet beside its objects. */
interface PageFrame extends Pick<PageFleet, 'source'>, Partial<Pick<PageFleet, 'interruption'>> {
  /** Empty if unknown. */
  readonly poolOf: (node: string) => string;
  /** What the doctor finds in a saved cluster, of which more is known than its partitions; absent: they alone are judged. */
  readonly diagnosis?: Diagnosis;
  /** The nodes of the last view: most are in their places already. */
  readonly before?: readonly PageNode[];
}

/** Views the fleet for the page. A node without news keeps its view, the same object. @param now in ms since 1970 */
export function viewPage(
  policies: readonly GpuPartitionPolicy[],
  partitions: readonly GpuNodePartition[],
  { source, poolOf, interruption = null, diagnosis = diagnoseReports(partitions), before = [] }: PageFrame,
  now: number,
): PageFleet {
  const findings = Map.groupBy(diagnosis.findings, ({ node }) => node);
  const views = partitions.map((partition) => {
    const { name } = partition.metadata;
    return viewNode(partition, poolOf(name), findings.get(name) ?? []);
  });
  const nodes = sortNodes(views, before);
  return {
    source,
    interruption,
    totals: countTotals(policies, partitions, now),
    policies: viewPolicies(policies, partitions, now),
    groups: groupNodes(nodes),
    doctor: viewDoctor(diagnosis),
    nodes,
  };
}

/** Sorts views from their last order, in which few are out of place: each is compared with its neighbour, and not with a dozen others. */
function sortNodes(views: readonly PageNode[], before: readonly PageNode[]): readonly PageNode[] {
  const rest = new Map(views.map((view) => [view.node, view]));
  const known = before.flatMap(({ node }) => {
    const view = rest.get(node);
    rest.delete(node);
    return view ?? [];
  });
  return [...known, ...rest.values()].toSorted(
    (a, b) => byUrgency(a.urgency, b.urgency) || compareText(a.node, b.node),
  );
}

/** The most findings of one code that the page lists: a node shows its own. */
const mostFindings = 5;

function viewDoctor({ findings, notChecked }: Diagnosis): PageDoctor {
  return {
    count: findings.length,
    findings: [...Map.groupBy(findings, ({ code }) => code)].map(([code, all]) => ({
      code,
      count: all.length,
      first: all.slice(0, mostFindings),
    })),
    notChecked: [...Map.groupBy(notChecked, ({ why }) => why)].map(([why, all]) => ({
      why,
      codes: [...new Set(all.map(({ code }) => code))],
    })),
  };
}

/** Keyed by the object that a watch replaces when it changes. */
const nodeViews = new WeakMap<GpuNodePartition, PageNode>();

function viewNode(partition: GpuNodePartition, pool: string, findings: readonly Finding[]): PageNode {
  const known = nodeViews.get(partition);
  if (known?.pool === pool && isSameList(known.findings, findings)) return known;
  const view = pictureNode(partition, pool, findings);
  nodeViews.set(partition, view);
  return view;
}

function isSameList(a: readonly Finding[], b: readonly Finding[]): boolean {
  return a.length === b.length && a.every((one, at) => one === b[at]);
}

function pictureNode(partition: GpuNodePartition, pool: string, findings: readonly Finding[]): PageNode {
  const { strategy, plan, error, driver, gpus } = viewNodeStatus(partition);
  const { device } = partition.status ?? {};
  const reports = device?.gpus ?? [];
  return {
    ...viewRow(partition),
    pool,
    findings,
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
    units: geometry === undefined ? 1 : unitsOf(geometry),
    now: size(now),
    ...(after !== undefined && { after: 'refusal' in after ? after : { slices: size(after.slices) } }),
  };
}

function sizeSlice(slice: PicturedSlice, geometry: Geometry): PageSlice {
  const grid = gridOf(geometry);
  const profile = grid.profiles[grid.indexOf.get(slice.profile) ?? -1];
  return { ...slice, size: (profile && unitsOf(profile)) || 1, memoryMiB: profile?.memoryMiB };
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

function countTotals(
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
    return state.until === undefined ? [] : [{ policy, opensAt: timeText(state.until) }];
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
function groupNodes(nodes: readonly NodeRowView[]): readonly UnreadyNodes[] {
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
