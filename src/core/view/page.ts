// Room view: what people see of a fleet, in words and lines, whatever shows it, a terminal or the page.
// Ask here for all that the page of the fleet shows at one time.
import type { GpuNodePartition, GpuPartitionPolicy, GpuReport } from '../../api/types.ts';
import { compareText } from '../text/json.ts';
import { stateOfWindows } from '../rollout/budget.ts';
import { frozenWords } from '../rollout/ledger.ts';
import { byUrgency, headOf, type Urgency, type Interruption, type Source, urgencies } from './lines.ts';
import { timeText } from '../text/syntax.ts';
import type { Geometry } from '../gpu/geometry.ts';
import { gridOf } from '../gpu/grid.ts';
import { liveGeometry } from '../device/plan.ts';
import type { GpuPicture, PicturedSlice } from './gpu.ts';
import { type NodeStatusView, viewNodeStatus } from './node.ts';
import { type PolicyStatusView, type NodeRowView, viewPolicies, viewRow } from './fleet.ts';

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

/**
 * Views the fleet for the page. A node without news keeps its view, the same object.
 *
 * @param poolOf a node's pool, empty if unknown
 * @param now in ms since 1970
 */
export function viewPage(
  policies: readonly GpuPartitionPolicy[],
  partitions: readonly GpuNodePartition[],
  poolOf: (node: string) => string,
  now: number,
): Pick<PageFleet, 'totals' | 'policies' | 'groups' | 'nodes'> {
  const nodes = partitions.map((partition) => viewNode(partition, poolOf(partition.metadata.name)));
  return {
    totals: countTotals(policies, partitions, now),
    policies: viewPolicies(policies, partitions, now),
    groups: groupNodes(nodes),
    nodes,
  };
}

/** Keyed by the object that a watch replaces when it changes. */
const nodeViews = new WeakMap<GpuNodePartition, PageNode>();

function viewNode(partition: GpuNodePartition, pool: string): PageNode {
  const known = nodeViews.get(partition);
  if (known?.pool === pool) return known;
  const view = pictureNode(partition, pool);
  nodeViews.set(partition, view);
  return view;
}

function pictureNode(partition: GpuNodePartition, pool: string): PageNode {
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
