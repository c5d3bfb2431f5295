import type { DeviceReport, GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';
import type { Layout } from '../gpu/geometry/geometry.ts';
import { enumerateLayouts } from '../gpu/search/layout-enumeration.ts';
import { checkPolicy } from '../policy/check.ts';
import { layoutFor } from '../policy/gpu-layout.ts';
import { writeLayout } from '../gpu/search/layout-words.ts';
import { liveGeometry } from '../wish/live-geometry.ts';
import { matchesGpu } from '../policy/match-gpu.ts';
import { foreignOn } from '../wish/ownership.ts';
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

type LayoutEdit = Pick<PolicyEdit, 'entry' | 'profiles'>;

/** What an edit does on all nodes of its policy. */
interface EditEffect extends Pick<PolicyEdit, 'nodesChanging' | 'evicts'> {
  readonly plans: ReadonlyMap<GpuNode, EditPlan>;
}

/** Maximum number of layouts tried per entry, the nearest first. */
const mostTried = 12;

/** Finds edits of policies that give one pod what it requests. What an edit does is planned once, whichever node it is for. */
export class EditFinder {
  readonly #resource: string;
  readonly #amount: number;
  /** By policy. */
  readonly #nodes: ReadonlyMap<string | undefined, readonly GpuNode[]>;
  readonly #effects = new Map<string, EditEffect | undefined>();

  /** @param nodes all GPU nodes */
  constructor(resource: string, amount: number, nodes: readonly GpuNode[]) {
    this.#resource = resource;
    this.#amount = amount;
    this.#nodes = Map.groupBy(nodes, ({ policy }) => policy?.metadata.name);
  }

  /**
   * The smallest edit of a node's policy that makes the node offer what the pod requests, checked by the rules and the planner on every
   * node that the policy decides over; of several the one that evicts the fewest pods.
   */
  find(target: GpuNode): PolicyEdit | undefined {
    const { policy, partition } = target;
    const device = partition?.status?.device;
    if (!policy || isPlanned(policy) || !device?.gpus || policy.spec.strategy !== 'mixed') return undefined;
    const edits = (policy.spec.layouts ?? []).flatMap((_, entry) =>
      listCandidates(policy, entry, device, this.#resource).flatMap(
        (profiles) => this.#try(policy, { entry, profiles }, target) ?? [],
      ),
    );
    return edits.toSorted((a, b) => a.evicts.length - b.evicts.length || a.nodesChanging - b.nodesChanging).at(0);
  }

  #try(policy: GpuPartitionPolicy, edit: LayoutEdit, target: GpuNode): PolicyEdit | undefined {
    const effect = this.#effectOf(policy, edit);
    const here = effect?.plans.get(target);
    if (!effect || !here) return undefined;
    const offered = here.profiles.reduce(
      (sum, [profile, count]) => sum + (isResourceOf(this.#resource, profile) ? count : 0),
      0,
    );
    // Pods that go release their slices.
    if (offered - useOf(target, this.#resource).usedWithout(here.pods) < this.#amount) return undefined;
    const { nodesChanging, evicts } = effect;
    const { entry, profiles } = edit;
    const { name } = policy.metadata;
    const changes = `changes ${nodesChanging} node${nodesChanging === 1 ? '' : 's'}`;
    const goes = evicts.length === 0 ? 'and evicts no pod' : `and evicts ${nameSome(evicts)}`;
    // It is for one pod.
    const price = evicts.length > 1 ? `at the price of ${evicts.length} pods for this one: ` : '';
    const path = writePath([...placeOf(policy.spec), 'layouts', entry, 'profiles']);
    const message = `${price}set ${path} of policy ${name} to ${writeLayout(profiles)}; this ${changes}, ${goes}`;
    return { policy: name, entry, profiles, node: target.name, nodesChanging, evicts, message };
  }

  #effectOf(policy: GpuPartitionPolicy, edit: LayoutEdit): EditEffect | undefined {
    const { name } = policy.metadata;
    const key = JSON.stringify([name, edit.entry, edit.profiles]);
    if (this.#effects.has(key)) return this.#effects.get(key);
    const effect = foreseeEdit(applyEdit(policy.spec, edit), this.#nodes.get(name) ?? []);
    this.#effects.set(key, effect);
    return effect;
  }
}

/** `ns/a, ns/b and 3 more` */
function nameSome(pods: readonly string[]): string {
  const named = pods.slice(0, mostNamed);
  return pods.length > named.length ? `${named.join(', ')} and ${pods.length - named.length} more` : named.join(', ');
}

const mostNamed = 5;

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

/** The spec with one entry's layout replaced. */
export function applyEdit(spec: PolicySpec, { entry, profiles }: LayoutEdit): PolicySpec {
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

/** Undefined if the rules refuse the edit, or the planner does on any node. */
function foreseeEdit(spec: PolicySpec, nodes: readonly GpuNode[]): EditEffect | undefined {
  if (checkPolicy(spec)) return undefined;
  const plans = new Map<GpuNode, EditPlan>();
  for (const node of nodes) {
    const plan = planEdit(spec, node);
    if (!plan) return undefined;
    plans.set(node, plan);
  }
  const all = [...plans.values()];
  const evicts = [...new Set(all.flatMap(({ pods }) => pods))].toSorted();
  return { plans, evicts, nodesChanging: all.filter(({ isChange }) => isChange).length };
}

/** What an edit does on a node; undefined if rules or planner refuse it there. */
function planEdit(spec: PolicySpec, { partition }: GpuNode): EditPlan | undefined {
  const device = partition?.status?.device;
  // An unknown device: it is judged when it reports.
  if (!device?.gpus) return { profiles: [], pods: [], isChange: false };
  const resolved = resolveNode(spec, device, partition?.spec.wish);
  if ('refusal' in resolved) return undefined;
  const { wish } = resolved;
  const foreign = foreignOn(device);
  const { report, work } = planWish(device, wish, foreign);
  const pods = report.affectedPods ?? [];
  // If pods are not named, it is unknown whom the edit evicts.
  if (report.refusalCode !== undefined || report.morePods !== undefined) return undefined;
  const profiles = wish.gpus.flatMap((gpu) => Object.entries(gpu.profiles ?? {}));
  return { profiles, pods, isChange: work.length > 0 };
}
