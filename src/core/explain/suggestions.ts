import type { DeviceReport, GpuPartitionPolicy, PolicySpec, GpuReport } from '../../api/types.ts';
import { enumerateLayouts } from '../gpu/layouts.ts';
import { checkPolicy } from '../policy/check.ts';
import { layoutFor, matchesGpu, resolveNode } from '../policy/resolve-node.ts';
import { writeLayout, type Layout, type Geometry } from '../gpu/geometry.ts';
import { liveGeometry, planWish } from '../device/plan.ts';
import { foreignOn } from '../device/grants.ts';
import { layoutsPath, isPlanned } from '../policy/spec.ts';
import { writePath } from '../text/words.ts';
import { type GpuNode, isResourceOf, explainUnchangeable, explainUnusable, listOffers } from '../cluster/facts.ts';
import { isWholeGpu, profilesServing, type SliceEntry } from '../policy/spec.ts';
import { GPU_RESOURCE } from '../nvidia/labels.ts';
import type { BlockerKind, NodeVerdict } from './node-verdict.ts';

/** An edit of a policy that the planner accepts on every node of the policy, and that gives a pod what it requests. */
interface PolicyEdit {
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

/** The effect of an edit on all nodes of its policy. */
interface EditEffect extends Pick<PolicyEdit, 'nodesChanging' | 'evicts'> {
  readonly plans: ReadonlyMap<GpuNode, EditPlan>;
}

/** Maximum number of layouts tried per entry, the nearest first. */
const mostTried = 12;

/** Finds edits of policies that give one pod what it requests. What an edit does is planned once, whichever node it is for. */
class EditFinder {
  readonly #resource: string;
  readonly #amount: number;
  /** Nodes by policy. */
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
    if (offered - target.useOf(this.#resource).usedWithout(here.pods) < this.#amount) return undefined;
    const { nodesChanging, evicts } = effect;
    const { entry, profiles } = edit;
    const { name } = policy.metadata;
    const changes = `changes ${nodesChanging} node${nodesChanging === 1 ? '' : 's'}`;
    const goes = evicts.length === 0 ? 'and evicts no pod' : `and evicts ${nameSome(evicts)}`;
    // It is for one pod.
    const price = evicts.length > 1 ? `at the price of ${evicts.length} pods for this one: ` : '';
    const path = writePath([...layoutsPath(policy.spec), 'layouts', entry, 'profiles']);
    const message = `${price}set ${path} of policy ${name} to ${writeLayout(profiles)}; this ${changes}, ${goes}`;
    return { policy: name, entry, profiles, node: target.name, nodesChanging, evicts, message };
  }

  #effectOf(policy: GpuPartitionPolicy, edit: LayoutEdit): EditEffect | undefined {
    const { name } = policy.metadata;
    const key = JSON.stringify([name, edit.entry, edit.profiles]);
    if (this.#effects.has(key)) return this.#effects.get(key);
    const effect = predictEdit(applyEdit(policy.spec, edit), this.#nodes.get(name) ?? []);
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
  /** Instances on all GPUs that the policy decides over, by profile. */
  readonly profiles: readonly (readonly [string, number])[];
  readonly pods: readonly string[];
  readonly isChange: boolean;
}

/** Plans an edit on all nodes; undefined if the rules refuse it, or the planner does on any node. */
function predictEdit(spec: PolicySpec, nodes: readonly GpuNode[]): EditEffect | undefined {
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

/** A change that would let a pod run. */
type Suggestion =
  | { readonly kind: 'AskForOther'; readonly resource: string; readonly node: string; readonly message: string }
  | {
      readonly kind: 'ChangeSelector';
      readonly key: string;
      readonly value: string;
      readonly node: string;
      readonly message: string;
    }
  | {
      readonly kind: 'UseIdle';
      /** The policy whose demand lacks the slice; undefined: no policy decides over the node. */
      readonly policy?: string;
      readonly node: string;
      readonly gpu: number;
      readonly profile: string;
      readonly message: string;
    }
  | ({ readonly kind: 'EditPolicy' } & PolicyEdit)
  | { readonly kind: 'Wait'; readonly node: string; readonly message: string };

const ofTheResource: readonly BlockerKind[] = ['NotOffered', 'TooMany', 'Full', 'Changing', 'NotAdvertised'];

/** The cheapest first: what changes nothing, then what changes idle GPUs, then edits by the pods that they evict. @param verdicts of all GPU nodes, the nearest first */
export function listSuggestions(
  verdicts: readonly NodeVerdict[],
  asked: ReadonlyMap<string, number>,
): readonly Suggestion[] {
  // With several resources at once, no single edit is known to help.
  const [only, ...others] = asked;
  if (only === undefined || others.length > 0) return [];
  const [resource, amount] = only;
  return [
    ...suggestWait(verdicts),
    ...suggestSelector(verdicts),
    ...suggestOther(verdicts, resource, amount),
    ...suggestIdle(verdicts, resource, amount),
    ...suggestEdit(verdicts, resource, amount),
  ];
}

function suggestWait(verdicts: readonly NodeVerdict[]): readonly Suggestion[] {
  // What does not heal by itself is not worth waiting for.
  const changing = verdicts.find(
    ({ blockers, gpuNode: { node, partition } }) =>
      blockers.length > 0 &&
      blockers.every(({ kind }) => kind === 'Changing') &&
      explainUnchangeable(node, partition) === undefined,
  );
  if (!changing) return [];
  const { name } = changing.gpuNode;
  return [
    { kind: 'Wait', node: name, message: `wait for node ${name}: it accepts pods again when its change is done` },
  ];
}

/** A node that only labels keep the pod from. */
function suggestSelector(verdicts: readonly NodeVerdict[]): readonly Suggestion[] {
  const near = verdicts.find(({ blockers, mismatches }) => blockers.length === 1 && mismatches.length === 1);
  const [mismatch] = near?.mismatches ?? [];
  if (!near || mismatch?.found === undefined || !mismatch.isLabel) return [];
  const { key, found } = mismatch;
  const node = near.gpuNode.name;
  return [
    { kind: 'ChangeSelector', key, value: found, node, message: `select ${key}: ${found}; node ${node} has room` },
  ];
}

/** A free slice that is at least as large, on a node that accepts the pod. */
function suggestOther(verdicts: readonly NodeVerdict[], resource: string, amount: number): readonly Suggestion[] {
  const size = sizeOfResource(resource);
  if (!size) return [];
  const free = verdicts.filter(isOpen).flatMap(({ gpuNode }) =>
    listFree(gpuNode)
      .filter(({ name, left }) => name !== resource && left >= amount)
      .flatMap(({ name, left }) => {
        const other = sizeOfResource(name);
        return other && other.compute >= size.compute && other.memory >= size.memory
          ? [{ gpuNode, name, left, ...other }]
          : [];
      }),
  );
  const best = free.toSorted((a, b) => a.compute - b.compute || a.memory - b.memory).at(0);
  if (!best) return [];
  const { name: node } = best.gpuNode;
  const message = `ask for ${best.name} instead: node ${node} has ${best.left} free`;
  return [{ kind: 'AskForOther', resource: best.name, node, message }];
}

/** GPUs that nobody uses, on nodes that no policy decides over or whose demand lacks such a slice. */
function suggestIdle(verdicts: readonly NodeVerdict[], resource: string, amount: number): readonly Suggestion[] {
  if (verdicts.some(({ blockers }) => blockers.length === 0)) return [];
  const found = new Map<string | undefined, Suggestion>();
  for (const verdict of verdicts) {
    const { node, partition, policy, name } = verdict.gpuNode;
    const known = policy?.metadata.name;
    if (!isOpen(verdict) || found.has(known) || explainUnchangeable(node, partition) !== undefined) continue;
    if (policy !== undefined && (isPlanned(policy) || policy.spec.demand === undefined)) continue;
    const idle = findIdle(verdict.gpuNode, resource, amount);
    const { slices = [] } = policy?.spec.demand ?? {};
    if (idle === undefined || slices.some((slice) => serves(slice, idle))) continue;
    const { index, profile } = idle;
    const place = `node ${name} GPU ${index} is idle`;
    found.set(known, {
      kind: 'UseIdle',
      ...(known !== undefined && { policy: known }),
      node: name,
      gpu: index,
      profile,
      message:
        known === undefined
          ? `have a policy select node ${name}: its GPU ${index} is idle and can have ${profile}, and no policy decides over it; this evicts no pod`
          : `add a slice for ${profile} to demand.slices of policy ${known}: ${place}; this evicts no pod`,
    });
  }
  return [...found.values()].slice(0, mostEdits);
}

/** A GPU that could have what a pod asks for. */
interface IdleGpu {
  readonly index: number;
  readonly product: string;
  readonly geometry: Geometry;
  readonly profile: string;
}

function findIdle({ partition }: GpuNode, resource: string, amount: number): IdleGpu | undefined {
  const { device = {} } = partition?.status ?? {};
  const isFree = (gpu: GpuReport): boolean =>
    gpu.error === undefined &&
    gpu.vgpuHost === undefined &&
    gpu.health === undefined &&
    !listOffers(gpu, 'mixed').some(({ busy }) => busy);
  for (const gpu of (device.gpus ?? []).filter(isFree)) {
    const geometry = liveGeometry(device, gpu);
    const profile = geometry && profileOfResource(resource, geometry.profiles);
    const most = geometry?.profiles.find(({ name }) => name === profile)?.maxInstances ?? 0;
    if (geometry && profile !== undefined && most >= amount)
      return { index: gpu.index, product: gpu.product, geometry, profile };
  }
  return undefined;
}

function serves(slice: SliceEntry, { geometry, product, profile }: IdleGpu): boolean {
  return !isWholeGpu(slice) && profilesServing(slice, geometry, product).includes(profile);
}

function suggestEdit(verdicts: readonly NodeVerdict[], resource: string, amount: number): readonly Suggestion[] {
  if (resource === GPU_RESOURCE) return [];
  const nodes = verdicts.map(({ gpuNode }) => gpuNode);
  const finder = new EditFinder(resource, amount, nodes);
  const edits = new Map<string, Suggestion>();
  for (const verdict of verdicts) {
    const { gpuNode } = verdict;
    const { policy, partition } = gpuNode;
    if (!isOpen(verdict) || !policy || edits.has(policy.metadata.name) || edits.size >= mostEdits) continue;
    if (partition?.status?.device?.step === 'Unknown') continue;
    if (explainUnchangeable(gpuNode.node, partition) !== undefined) continue;
    const edit = finder.find(gpuNode);
    if (edit) edits.set(policy.metadata.name, { kind: 'EditPolicy', ...edit });
  }
  return [...edits.values()].toSorted((a, b) => evictionsOf(a) - evictionsOf(b));
}

function evictionsOf(suggestion: Suggestion): number {
  return suggestion.kind === 'EditPolicy' ? suggestion.evicts.length : 0;
}

const mostEdits = 3;

/** Whether only its slices keep the pod away from a node. */
function isOpen({ blockers }: NodeVerdict): boolean {
  return blockers.every(({ kind }) => ofTheResource.includes(kind));
}

function listFree(gpuNode: GpuNode): readonly { readonly name: string; readonly left: number }[] {
  if (explainUnusable(gpuNode.node) !== undefined) return [];
  return Object.entries(gpuNode.offers)
    .filter(([, offered]) => offered > 0)
    .map(([name, offered]) => ({ name, left: offered - gpuNode.useOf(name).used }));
}

/** Compute slices and memory in GB of a slice's resource; undefined for any other. */
function sizeOfResource(resource: string): { readonly compute: number; readonly memory: number } | undefined {
  const [, compute, memory] = /^nvidia\.com\/mig-(\d)g\.(\d+)gb(?:\.me)?$/.exec(resource) ?? [];
  return compute === undefined ? undefined : { compute: Number(compute), memory: Number(memory) };
}

/** The profile of a resource by the names in a GPU's own table. */
function profileOfResource(resource: string, profiles: readonly { readonly name: string }[]): string | undefined {
  return profiles.find(({ name }) => isResourceOf(resource, name))?.name;
}
