// Room explain: why something waits or is wasted and what would help, in words, from the facts of a cluster at one time.
// Ask here what of a cluster's GPUs nobody uses, over some moments, and what another layout would have served.
import { type ClusterFacts, listGpuNodes, type GpuNode, couldTake, requirementsKey } from '../cluster/facts.ts';
import { requestsOf, isGpuResource, type PodView } from '../kubernetes/pod.ts';
import { isUnbound } from './claims.ts';
import { compareText } from '../text/json.ts';
import type { GpuNodePartition, GpuReport, GpuPartitionPolicy } from '../../api/types.ts';
import { liveGeometry } from '../device/plan.ts';
import { strandedSlices } from '../node/status-figures.ts';
import { applyEdit, distanceOf } from './suggestions.ts';
import type { NodeView } from '../kubernetes/node.ts';
import { enumerateLayouts } from '../gpu/layouts.ts';
import { labelProfile, migResourceName } from '../nvidia/labels.ts';
import { checkPolicy } from '../policy/check.ts';
import { layoutFor, matchesGpu } from '../policy/resolve-node.ts';
import { writeLayout, type Geometry, type Layout } from '../gpu/geometry.ts';

/** What is offered of a resource, and what pods request. Under strategy mixed each profile has a resource. */
interface ResourceDemand {
  readonly resource: string;
  /** Amount that all nodes together offered, in the last sample. */
  readonly offered: number;
  /** Amount that pods on a node request: the mean of the samples (`held`), and their maximum (`mostHeld`). */
  readonly held: number;
  readonly mostHeld: number;
  /** Requested by pods that have no node: the maximum of one sample. Undefined if pods may not be listed. */
  readonly mostWaiting: number | undefined;
}

interface Figures {
  readonly offered: number;
  readonly held: number;
  readonly waiting: number;
}

/** Pods that request GPUs and have no node yet. */
function listWaitingForSlices(pods: readonly PodView[]): readonly PodView[] {
  return pods.filter(isUnbound);
}

/** @param samples the last is the newest */
function countDemand(samples: readonly ClusterFacts[]): readonly ResourceDemand[] {
  const counted = samples.map(countSample);
  const names = [...new Set(counted.flatMap((figures) => [...figures.keys()]))].toSorted(compareText);
  return names.map((resource) => {
    const figures = counted.map((sample) => sample.get(resource));
    const held = figures.map((one) => one?.held ?? 0);
    const waiting = figures.map((one) => one?.waiting ?? 0);
    return {
      resource,
      offered: figures.at(-1)?.offered ?? 0,
      held: round(held.reduce((sum, one) => sum + one, 0) / held.length),
      mostHeld: Math.max(...held),
      mostWaiting: samples.every(({ pods }) => pods === undefined) ? undefined : Math.max(...waiting),
    };
  });
}

function countSample(facts: ClusterFacts): ReadonlyMap<string, Figures> {
  const nodes = listGpuNodes(facts);
  const waiting = new Map<string, number>();
  for (const pod of listWaitingForSlices(facts.pods ?? [])) {
    for (const [name, amount] of requestsOf(pod, isGpuResource)) waiting.set(name, (waiting.get(name) ?? 0) + amount);
  }
  const offered = nodes.flatMap(({ offers }) => Object.keys(offers));
  const held = nodes.flatMap(({ pods = [] }) => pods.flatMap((pod) => [...requestsOf(pod, isGpuResource).keys()]));
  const sum = (amounts: readonly number[]): number => amounts.reduce((all, one) => all + one, 0);
  return new Map(
    [...new Set([...offered, ...held, ...waiting.keys()])].map((resource) => [
      resource,
      {
        offered: sum(nodes.map(({ offers }) => offers[resource] ?? 0)),
        held: sum(nodes.map((node) => node.useOf(resource).used)),
        waiting: waiting.get(resource) ?? 0,
      },
    ]),
  );
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}

/** Slices by resource. */
interface SliceCount {
  readonly compute: number;
  readonly memory: number;
}

/** The GPU instances of one profile that one policy has created. */
interface ProfileUse {
  readonly profile: string;
  readonly instances: number;
  /** Instances that were unused in every sample that contains them. */
  readonly neverUsed: number;
  /** The nodes with most of these. */
  readonly nodes: readonly { readonly node: string; readonly neverUsed: number }[];
}

/** The GPUs of one product that one policy, or none, decides over. */
interface GpuUse {
  readonly policy: string | undefined;
  readonly product: string;
  /** GPUs in MIG mode; others are whole. */
  readonly gpus: number;
  readonly slices: SliceCount;
  /** Slices of these GPUs that belong to no instance: they cannot be used in this layout. */
  readonly stranded: SliceCount;
  readonly profiles: readonly ProfileUse[];
}

const mostNodes = 10;

interface PlacedGpu {
  readonly node: string;
  readonly policy: string | undefined;
  readonly gpu: GpuReport;
  readonly partition: GpuNodePartition;
}

/** What is on the GPUs in the last sample, and what of it was unused in all. @param samples the last is the newest */
function countUse(samples: readonly (readonly GpuNodePartition[])[]): readonly GpuUse[] {
  const used = new Set(samples.flatMap((partitions) => partitions.flatMap(listUsed)));
  const groups = Map.groupBy((samples.at(-1) ?? []).flatMap(listGpus), ({ policy, gpu }) =>
    JSON.stringify([policy, gpu.product]),
  );
  return [...groups.values()]
    .map((list) => describeGroup(list, used))
    .toSorted((a, b) => compareText(a.policy ?? '', b.policy ?? '') || compareText(a.product, b.product));
}

function listGpus(partition: GpuNodePartition): readonly PlacedGpu[] {
  const { metadata, spec, status } = partition;
  const gpus = (status?.device?.gpus ?? []).filter(({ mig, error }) => mig === 'Enabled' && error === undefined);
  return gpus.map((gpu) => ({ node: metadata.name, policy: spec.policy?.name, gpu, partition }));
}

function listUsed(partition: GpuNodePartition): readonly string[] {
  return listGpus(partition).flatMap(({ gpu }) =>
    gpu.instances.filter(({ busy }) => busy === true).map((one) => keyOf(gpu, one)),
  );
}

function keyOf({ uuid }: GpuReport, { profile, start }: GpuReport['instances'][number]): string {
  return `${uuid} ${profile}@${start}`;
}

function describeGroup(list: readonly PlacedGpu[], used: ReadonlySet<string>): GpuUse {
  const [first] = list;
  const counted = list.map(({ gpu, partition }) => {
    const geometry = liveGeometry(partition.status?.device ?? {}, gpu);
    const none = { compute: 0, memory: 0 };
    return geometry === undefined
      ? { all: none, stranded: none }
      : {
          all: { compute: geometry.computeSlices, memory: geometry.memorySlices },
          stranded: strandedSlices(geometry, gpu.instances),
        };
  });
  const sum = (counts: readonly SliceCount[]): SliceCount => ({
    compute: counts.reduce((all, { compute }) => all + compute, 0),
    memory: counts.reduce((all, { memory }) => all + memory, 0),
  });
  return {
    policy: first?.policy,
    product: (first?.gpu.product ?? '').replace(/^NVIDIA /, ''),
    gpus: list.length,
    slices: sum(counted.map(({ all }) => all)),
    stranded: sum(counted.map(({ stranded }) => stranded)),
    profiles: countProfiles(list, used),
  };
}

function countProfiles(list: readonly PlacedGpu[], used: ReadonlySet<string>): readonly ProfileUse[] {
  const instances = list.flatMap(({ node, gpu }) =>
    gpu.instances.map((one) => ({ node, profile: one.profile, isUsed: used.has(keyOf(gpu, one)) })),
  );
  return [...Map.groupBy(instances, ({ profile }) => profile)]
    .map(([profile, alike]) => {
      const idle = alike.filter(({ isUsed }) => !isUsed);
      const nodes = [...Map.groupBy(idle, ({ node }) => node)]
        .map(([node, those]) => ({ node, neverUsed: those.length }))
        .toSorted((a, b) => b.neverUsed - a.neverUsed || compareText(a.node, b.node))
        .slice(0, mostNodes);
      return { profile, instances: alike.length, neverUsed: idle.length, nodes };
    })
    .toSorted((a, b) => compareText(a.profile, b.profile));
}

/** A layout of one entry of a policy that would have met more of the pods' requests. */
interface BetterLayout {
  readonly policy: string;
  /** Index of the entry of `spec.layouts`. */
  readonly entry: number;
  readonly gpus: number;
  readonly now: Layout;
  readonly better: Layout;
  /** Slices that pods requested, in all samples together. */
  readonly asked: number;
  readonly servedNow: number;
  readonly servedBetter: number;
  readonly message: string;
}

type Amounts = ReadonlyMap<string, number>;

/** The GPU nodes of a sample, and the pods that wait in it. */
interface Moment {
  readonly nodes: readonly GpuNode[];
  readonly waiting: readonly PodView[];
}

/** The GPUs that one entry decides over, all of one product. */
interface EntryGpus {
  readonly entry: number;
  readonly gpus: number;
  readonly geometry: Geometry;
  readonly now: Layout;
}

/**
 * Policies for which another layout would have met more requests: each entry alone, the others unchanged. Not judged are policies
 * that share slices by time, have schedules, do not use strategy mixed, or take GPUs by count, and entries that match several products.
 *
 * @param samples the last is the newest: its nodes are what exists
 */
function findBetterLayouts(samples: readonly ClusterFacts[]): readonly BetterLayout[] {
  const last = samples.at(-1);
  if (!last) return [];
  const moments = samples.map((facts): Moment => ({
    nodes: listGpuNodes(facts),
    waiting: listWaitingForSlices(facts.pods ?? []),
  }));
  const nodes = moments.at(-1)?.nodes ?? [];
  return last.policies.flatMap((policy) => {
    const own = nodesUnder(policy, nodes);
    const entries = isJudged(policy) ? listEntries(policy, own) : [];
    if (entries.length === 0) return [];
    const couldRun = takersAmong(own.map(({ node }) => node));
    const demand = moments.map((moment) => demandFor(policy, couldRun, moment));
    return entries.flatMap((one) => improve(policy, one, entries, demand) ?? []);
  });
}

/** Whether any of some nodes would accept a pod. Pods that require the same of a node are judged once: many may wait. */
function takersAmong(nodes: readonly NodeView[]): (pod: PodView) => boolean {
  const known = new Map<string, boolean>();
  return (pod) => {
    const key = requirementsKey(pod);
    const isTaken = known.get(key) ?? nodes.some((node) => couldTake(node, pod));
    known.set(key, isTaken);
    return isTaken;
  };
}

function nodesUnder({ metadata }: GpuPartitionPolicy, nodes: readonly GpuNode[]): readonly GpuNode[] {
  return nodes.filter(({ policy }) => policy?.metadata.name === metadata.name);
}

function isJudged({ spec }: GpuPartitionPolicy): boolean {
  return (
    spec.strategy === 'mixed' &&
    spec.schedules === undefined &&
    (spec.sharing?.timeSlicing ?? []).length === 0 &&
    spec.layouts?.every(({ gpus }) => gpus?.count === undefined) === true
  );
}

function listEntries({ spec: { layouts = [] } }: GpuPartitionPolicy, nodes: readonly GpuNode[]): readonly EntryGpus[] {
  const met = nodes.flatMap(({ partition }) => {
    const device = partition?.status?.device ?? {};
    return (device.gpus ?? []).flatMap((gpu) => {
      const entry = layouts.findIndex(({ gpus }) => matchesGpu(gpus ?? {}, gpu));
      const geometry = gpu.error === undefined ? liveGeometry(device, gpu) : undefined;
      return geometry === undefined ? [] : [{ entry, product: gpu.product, geometry }];
    });
  });
  return [...Map.groupBy(met, ({ entry }) => entry)].flatMap(([entry, list]): readonly EntryGpus[] => {
    const [first] = list;
    const layout = layouts[entry];
    if (!first || !layout || list.some(({ product }) => product !== first.product)) return [];
    const now = layoutFor(layout, first.geometry, first.product);
    return 'profiles' in now ? [{ entry, gpus: list.length, geometry: first.geometry, now: now.profiles }] : [];
  });
}

/** Requests for slices by pods that are on the policy's nodes, or could be if those had the slices. */
function demandFor(
  policy: GpuPartitionPolicy,
  couldRun: (pod: PodView) => boolean,
  { nodes, waiting }: Moment,
): Amounts {
  const here = nodesUnder(policy, nodes);
  const demand = new Map<string, number>();
  for (const pod of [...here.flatMap(({ pods = [] }) => pods), ...waiting.filter(couldRun)]) {
    for (const [name, amount] of requestsOf(pod, isSlice)) demand.set(name, (demand.get(name) ?? 0) + amount);
  }
  return demand;
}

function isSlice(resource: string): boolean {
  return /^nvidia\.com\/mig-[^/]+$/.test(resource);
}

function improve(
  { metadata, spec }: GpuPartitionPolicy,
  { entry, gpus, geometry, now }: EntryGpus,
  entries: readonly EntryGpus[],
  demand: readonly Amounts[],
): BetterLayout | undefined {
  const others = entries.filter((one) => one.entry !== entry).map((one) => supplyOf(one.now, one.gpus));
  const serve = (layout: Layout): number => countServed(demand, [...others, supplyOf(layout, gpus)]);
  const servedNow = serve(now);
  const [best] = enumerateLayouts(geometry)
    .map((layout) => ({ layout, served: serve(layout), distance: distanceOf(now, layout) }))
    .filter(({ served }) => served > servedNow)
    .toSorted((a, b) => b.served - a.served || a.distance - b.distance)
    .filter(({ layout }) => checkPolicy(applyEdit(spec, { entry, profiles: layout })) === undefined);
  if (!best) return undefined;
  const asked = demand.reduce((sum, one) => sum + [...one.values()].reduce((all, amount) => all + amount, 0), 0);
  const { name } = metadata;
  const { layout: better, served: servedBetter } = best;
  const message = `policy ${name}, spec.layouts[${entry}]: ${writeLayout(now)} served ${servedNow} of ${asked} slices that pods asked for; ${writeLayout(better)} would have served ${servedBetter}`;
  return { policy: name, entry, gpus, now, better, asked, servedNow, servedBetter, message };
}

function supplyOf(layout: Layout, gpus: number): Amounts {
  return new Map(
    Object.entries(layout).map(([profile, count]) => [migResourceName(labelProfile(profile)), count * gpus]),
  );
}

function countServed(demand: readonly Amounts[], supplies: readonly Amounts[]): number {
  const offered = (name: string): number => supplies.reduce((sum, supply) => sum + (supply.get(name) ?? 0), 0);
  return demand.reduce(
    (sum, sample) => sum + [...sample].reduce((all, [name, amount]) => all + Math.min(amount, offered(name)), 0),
    0,
  );
}

/** GPU resources of a fleet that are paid for and not used. */
export interface WasteReport {
  /** How often the fleet was sampled. */
  readonly samples: number;
  readonly gpus: readonly GpuUse[];
  readonly resources: readonly ResourceDemand[];
  readonly layouts: readonly BetterLayout[];
}

/** @param samples in chronological order: what exists comes from the last, what was never used and what was requested from all */
export function reportWaste(samples: readonly ClusterFacts[]): WasteReport {
  return {
    samples: samples.length,
    gpus: countUse(samples.map(({ partitions }) => partitions)),
    resources: countDemand(samples),
    layouts: findBetterLayouts(samples),
  };
}
