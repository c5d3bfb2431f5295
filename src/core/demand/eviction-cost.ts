// Room demand: which layouts the demand of a policy makes of its pool of GPUs, by what pods ask for.
// Ask here who holds the slices of a pool, and what it costs that they go: a weight, beside those of other pods.
import type { GpuNodePartition } from '../../api/types.ts';
import type { PoolGpu, PoolInstance } from './solver/pool.ts';
import { type BudgetView, type FateFacts, judgeFate } from '../node/eviction.ts';
import type { PolicySpec } from '../../api/types.ts';
import type { ClassLayout } from './solver/choose.ts';
import { placeOf } from '../gpu/grid.ts';
import { podsOnSlice, type HolderSource } from './moves.ts';
import type { DemandGpu } from './members.ts';
import { podName, type PodView } from '../kubernetes/pod.ts';
import { podTrimmer } from '../cluster/watched-objects.ts';
import { omitUndefined } from '../text/json.ts';
import { trimWaitingPod } from './waiting-pods.ts';

/** What a pod's eviction costs beside another's. */
const usual = 10;
const forBudget = 1000;

/** Looks up who holds the slices of a pool, and what their evictions would meet. */
export interface PoolHolders extends FateFacts, HolderSource {
  /** Finds a pod by `NAMESPACE/NAME`; undefined: it is gone, or was not read. */
  readonly podOf: (name: string) => PodView | undefined;
}

/** The holders of a cluster as it was read. */
export function indexHolders({
  partitions,
  pods,
  budgets,
}: {
  readonly partitions: readonly GpuNodePartition[];
  readonly pods: readonly PodView[];
  readonly budgets: readonly BudgetView[];
}): PoolHolders {
  const byNode = new Map(partitions.map((one) => [one.metadata.name, one]));
  const byName = new Map(pods.map((pod) => [podName(pod), pod]));
  return { budgets, partitionOf: (node) => byNode.get(node), podOf: (name) => byName.get(name) };
}

/** Rules that spare holders beyond those whom no eviction moves. */
export interface Sparing {
  /** Nodes on which somebody may go for pods that wait; absent or empty: on all of them. */
  readonly nodes?: ReadonlySet<string> | undefined;
  /** Whether a pod is spared for now. */
  readonly isSpared?: (pod: PodView) => boolean;
  /** The time in ms since the epoch, which tells how long pods have run; absent: how long they have run counts for nothing. */
  readonly nowMs?: number | undefined;
}

/**
 * The GPUs of a pool with what it costs to free each slice in use, and how its pod ranks. One stays that no eviction frees: its pod is not
 * evicted, or no pod is known to use it.
 */
export function weighGpus(
  members: readonly DemandGpu[],
  holders: PoolHolders,
  drain: PolicySpec['drain'],
  sparing: Sparing = {},
): readonly PoolGpu[] {
  const { nodes = new Set() } = sparing;
  const isCoarse = members.length > mostForMinutes;
  const weighIn = (member: DemandGpu, one: PoolInstance): PoolInstance => {
    if (nodes.size > 0 && !nodes.has(member.node)) return { ...one, stays: true };
    const { minutesRun = 0, ...weighed } = weigh(one, member, holders, drain, sparing);
    return { ...weighed, ...(minutesRun > 0 && { minutesRun: isCoarse ? roundToPower(minutesRun) : minutesRun }) };
  };
  return members.map((member) => ({
    ...member.gpu,
    instances: member.gpu.instances.map((one) => (one.busy ? weighIn(member, one) : one)),
  }));
}

/**
 * The largest pool, in GPUs, in which each minute of lost work counts. Larger pools count powers of two: each minute would make a kind of
 * GPU of its own.
 */
const mostForMinutes = 500;

function roundToPower(minutes: number): number {
  return 2 ** Math.round(Math.log2(minutes));
}

function weigh(
  one: PoolInstance,
  member: DemandGpu,
  holders: PoolHolders,
  drain: PolicySpec['drain'],
  { isSpared, nowMs }: Sparing,
): PoolInstance {
  const costs = podsOnSlice(member, one, holders).map((name) => {
    const pod = holders.podOf(name);
    // It is gone, or has just come: nothing is known of how it ranks.
    if (pod === undefined) return { weight: usual, rank: Number.MAX_SAFE_INTEGER, minutes: 0 };
    if (isSpared?.(pod) === true) return undefined;
    const { spec: { priority = 0 } = {}, status: { startTime } = {} } = pod;
    const startedMs = startTime === undefined ? NaN : Date.parse(startTime);
    const minutes =
      nowMs === undefined || Number.isNaN(startedMs) ? 0 : Math.max(0, Math.round((nowMs - startedMs) / 60_000));
    const weight = weighEviction(judgeFate(pod, drain, holders).fate, priority, minutes);
    return weight === undefined ? undefined : { weight, rank: priority, minutes };
  });
  const known = costs.filter((cost) => cost !== undefined);
  if (known.length === 0 || known.length < costs.length) return { ...one, stays: true };
  return {
    ...one,
    evictionWeight: known.reduce((sum, { weight }) => sum + weight, 0),
    rank: Math.max(...known.map(({ rank }) => rank)),
    minutesRun: known.reduce((sum, { minutes }) => sum + minutes, 0),
  };
}

/** The pods that go for a plan, or for what was chosen before and is not done yet. @param layouts of a plan, in the order of the members */
export function listGoing(
  members: readonly DemandGpu[],
  layouts: readonly (Pick<ClassLayout, 'destroy'> | undefined)[],
  holders: PoolHolders,
): readonly PodView[] {
  return members.flatMap((member, index) => {
    const stays = new Set(member.gpu.instances.filter(({ busy }) => busy).map(placeOf));
    const gone = [
      ...member.present.filter((one) => one.busy && !stays.has(placeOf(one))),
      ...(layouts[index]?.destroy ?? []).filter(({ busy }) => busy),
    ];
    return gone.flatMap((one) => podsOnSlice(member, one, holders).flatMap((name) => holders.podOf(name) ?? []));
  });
}

/**
 * A pod of higher priority is dearer, by its order of magnitude: priorities have no unit. So is one that has run for long: as a pod more
 * for each time that its quarters of an hour have doubled.
 *
 * @returns undefined if no eviction moves it
 */
export function weighEviction(
  fate: ReturnType<typeof judgeFate>['fate'],
  priority = 0,
  minutesRun = 0,
): number | undefined {
  if (fate === 'Stays' || fate === 'Awaited') return undefined;
  if (fate === 'Blocked') return forBudget;
  const doublings = Math.floor(Math.log2(1 + minutesRun / 15));
  return usual + 10 * Math.ceil(Math.log10(1 + Math.max(0, priority))) + 10 * doublings;
}

/** How pods and partitions are kept of those that hold slices. @param budgets select by labels, which are kept */
export function holderTrimmers(budgets: readonly BudgetView[]): {
  readonly trimPod: (pod: PodView) => PodView;
  readonly trimPartition: (partition: GpuNodePartition) => GpuNodePartition;
} {
  const trim = podTrimmer({ budgets });
  return { trimPod: (pod) => trimHolder(pod, trim(pod)), trimPartition: trimHoldings };
}

/** What a pod's eviction is weighed by, and where else it could run. */
function trimHolder(pod: PodView, trimmed: PodView): PodView {
  const { priority } = pod.spec ?? {};
  const { startTime } = pod.status ?? {};
  const { spec: required } = trimWaitingPod(pod);
  const { spec: _containers, status, ...kept } = trimmed;
  const spec = { ...required, ...(priority !== undefined && { priority }) };
  return {
    ...kept,
    status: { ...status, ...(startTime !== undefined && { startTime }) },
    ...(Object.keys(spec).length > 0 && { spec }),
  };
}

/** Keeps of a partition which pods hold which slices. */
function trimHoldings({ apiVersion, kind, metadata, spec, status }: GpuNodePartition): GpuNodePartition {
  const { name, resourceVersion } = metadata;
  const gpus = status?.device?.gpus ?? [];
  return {
    apiVersion,
    kind,
    metadata: omitUndefined({ name, resourceVersion }),
    spec: { nodeUID: spec.nodeUID },
    status: { device: { gpus } },
  };
}
