import type { GpuPartitionPolicy } from '../../api/types.ts';
import { type ClusterFacts, type GpuNode, listGpuNodes } from '../explain/cluster-facts.ts';
import { applyEdit, distanceOf } from '../explain/policy-edit.ts';
import { takersAmong } from '../explain/judge.ts';
import { requestsOf } from '../explain/workload.ts';
import type { Geometry, Layout } from '../gpu/geometry/geometry.ts';
import { enumerateLayouts } from '../gpu/search/layout-enumeration.ts';
import { labelProfile, migResourceName } from '../nvidia/labels/label-key.ts';
import { checkPolicy } from '../policy/check.ts';
import { layoutFor } from '../policy/gpu-layout.ts';
import { writeLayout } from '../gpu/search/layout-words.ts';
import { liveGeometry } from '../wish/live-geometry.ts';
import { matchesGpu } from '../policy/match-gpu.ts';
import { listWaiting } from './demand.ts';
import type { PodView } from '../pods/pod-view.ts';

/** A layout of one entry of a policy that would have met more of the pods' requests. */
export interface BetterLayout {
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
export function findBetterLayouts(samples: readonly ClusterFacts[]): readonly BetterLayout[] {
  const last = samples.at(-1);
  if (!last) return [];
  const moments = samples.map((facts): Moment => ({
    nodes: listGpuNodes(facts),
    waiting: listWaiting(facts.pods ?? []),
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
