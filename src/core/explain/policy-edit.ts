import type { DeviceReport, GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';
import type { Layout } from '../gpu/geometry/geometry.ts';
import { enumerateLayouts } from '../gpu/search/layout-enumeration.ts';
import { checkPolicy } from '../policy/check.ts';
import { layoutFor } from '../policy/gpu-layout.ts';
import { writeLayout } from '../gpu/search/layout-words.ts';
import { liveGeometry } from '../wish/live-geometry.ts';
import { matchesGpu } from '../policy/match-gpu.ts';
import { findForeign } from '../wish/ownership.ts';
import { planWish } from '../wish/plan-wish.ts';
import { resolveNode } from '../policy/resolve-node.ts';
import { placeOf } from '../policy/schedules.ts';
import { writePath } from '../text/finding.ts';
import { type GpuNode, isPlanned, isResourceOf, useOf } from './cluster-facts.ts';
import { profileOfResource } from './resource-name.ts';

/** An edit of a policy that the planner accepts on every node of the policy, and that gives a pod what it requests. */
export interface PolicyEdit {
  readonly policy: string;
  /** Index of the entry of `spec.layouts`. */
  readonly entry: number;
  readonly profiles: Layout;
  /** Node on which the pod then finds what it requests. */
  readonly node: string;
  readonly nodesChanging: number;
  /** Pods that would have to go for it. */
  readonly evicts: readonly string[];
  readonly message: string;
}

/** Maximum number of layouts tried per entry, the nearest first. */
const mostTried = 12;

/**
 * The smallest edit of a node's policy that makes the node offer what a pod requests, checked by the rules and the planner on every
 * node that the policy decides over; of several the one that evicts the fewest pods.
 */
export function findEdit(
  target: GpuNode,
  resource: string,
  amount: number,
  nodes: readonly GpuNode[],
): PolicyEdit | undefined {
  const { policy, partition } = target;
  const device = partition?.status?.device;
  if (!policy || isPlanned(policy) || !device?.gpus || policy.spec.strategy !== 'mixed') return undefined;
  const own = nodes.filter((one) => one.policy?.metadata.name === policy.metadata.name);
  const edits = (policy.spec.layouts ?? []).flatMap((_, entry) =>
    listCandidates(policy, entry, device, resource).flatMap(
      (profiles) => tryEdit(policy, entry, profiles, target, own, resource, amount) ?? [],
    ),
  );
  return edits.toSorted((a, b) => a.evicts.length - b.evicts.length || a.nodesChanging - b.nodesChanging).at(0);
}

/** Layouts with more of the profile than the entry has now, nearest first. */
function listCandidates(
  { spec }: GpuPartitionPolicy,
  index: number,
  device: DeviceReport,
  resource: string,
): readonly Layout[] {
  const entry = spec.layouts?.[index];
  const gpu = device.gpus?.find((one) => one.error === undefined && matchesGpu(entry?.gpus ?? {}, one));
  const geometry = gpu && liveGeometry(device, gpu);
  if (!entry || !gpu || !geometry) return [];
  const profile = profileOfResource(resource, geometry.profiles);
  const now = layoutFor(entry, geometry, gpu.product);
  if (profile === undefined || 'refusal' in now) return [];
  const base = 'profiles' in now ? now.profiles : {};
  return enumerateLayouts(geometry)
    .filter((layout) => (layout[profile] ?? 0) > (base[profile] ?? 0))
    .map((layout) => ({ layout, distance: distanceOf(base, layout) }))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, mostTried)
    .map(({ layout }) => layout);
}

/** An instance that is removed counts twice as much as one that is added. */
export function distanceOf(from: Layout, to: Layout): number {
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].reduce((sum, profile) => {
    const difference = (to[profile] ?? 0) - (from[profile] ?? 0);
    return sum + (difference < 0 ? -2 * difference : difference);
  }, 0);
}

function tryEdit(
  policy: GpuPartitionPolicy,
  entry: number,
  profiles: Layout,
  target: GpuNode,
  own: readonly GpuNode[],
  resource: string,
  amount: number,
): PolicyEdit | undefined {
  const spec = applyEdit(policy.spec, { entry, profiles });
  if (checkPolicy(spec)) return undefined;
  const planned = own.map((node) => planEdit(spec, node));
  const onTarget = planned[own.indexOf(target)];
  if (!onTarget || planned.includes(undefined)) return undefined;
  const offered = onTarget.profiles.reduce(
    (sum, [profile, count]) => sum + (isResourceOf(resource, profile) ? count : 0),
    0,
  );
  const evicts = [...new Set(planned.flatMap((plan) => plan?.pods ?? []))].toSorted();
  // Pods that go release their slices.
  if (offered - useOf(target, resource).usedWithout(evicts) < amount) return undefined;
  const nodesChanging = planned.filter((plan) => plan?.isChange).length;
  const { name } = policy.metadata;
  const changes = `changes ${nodesChanging} node${nodesChanging === 1 ? '' : 's'}`;
  const goes = evicts.length === 0 ? 'and evicts no pod' : `and evicts ${evicts.join(', ')}`;
  const path = writePath([...placeOf(policy.spec), 'layouts', entry, 'profiles']);
  const message = `set ${path} of policy ${name} to ${writeLayout(profiles)}; this ${changes}, ${goes}`;
  return { policy: name, entry, profiles, node: target.name, nodesChanging, evicts, message };
}

/** The spec with one entry's layout replaced. */
export function applyEdit(spec: PolicySpec, { entry, profiles }: Pick<PolicyEdit, 'entry' | 'profiles'>): PolicySpec {
  const layouts = spec.layouts?.map((one, index) =>
    index === entry ? { ...(one.gpus && { gpus: one.gpus }), profiles: { ...profiles } } : one,
  );
  return layouts === undefined ? spec : { ...spec, layouts };
}

interface EditPlan {
  /** On all GPUs that the policy decides over. */
  readonly profiles: readonly (readonly [string, number])[];
  readonly pods: readonly string[];
  readonly isChange: boolean;
}

/** What an edit does on a node; undefined if rules or planner refuse it there. */
function planEdit(spec: PolicySpec, { partition }: GpuNode): EditPlan | undefined {
  const device = partition?.status?.device;
  // An unknown device: it is judged when it reports.
  if (!device?.gpus) return { profiles: [], pods: [], isChange: false };
  const resolved = resolveNode(spec, device, partition?.spec.wish);
  if ('refusal' in resolved) return undefined;
  const { wish } = resolved;
  const foreign = findForeign(device.gpus, device.bootID ?? '', device.lastGood, undefined);
  const { report, work } = planWish(device, wish, foreign);
  const pods = report.affectedPods ?? [];
  // If pods are not named, it is unknown whom the edit evicts.
  if (report.refusalCode !== undefined || report.morePods !== undefined) return undefined;
  const profiles = wish.gpus.flatMap((gpu) => Object.entries(gpu.profiles ?? {}));
  return { profiles, pods, isChange: work.length > 0 };
}
