// Room demand: which layouts the demand of a policy makes of its pool of GPUs, by what pods ask for.
// Ask here for the objects of Kueue that hand out the slices of policies: those that users apply, and the queue that the controller keeps.
import type { GpuNodePartition, GpuPartitionPolicy, PolicySpec } from '../../api/types.ts';
import { controllerManager, managedByLabel, policyLabel } from '../../api/names.ts';
import { explainUnusable, GpuNode } from '../cluster/facts.ts';
import { MODELS } from '../gpu/geometry.ts';
import { type NodeView, pickLabels } from '../kubernetes/node.ts';
import { GPU_RESOURCE, labelProfile, migResourceName } from '../nvidia/labels.ts';
import { classNameOf, type ExportedObject, listSliceKinds } from '../policy/device-classes.ts';
import { isWholeGpu, nameSlice, profilesServing, type SliceEntry, variantsOf } from '../policy/spec.ts';
import { compareText, deepEqual, memoize } from '../text/json.ts';
import { parseQuantity } from '../text/syntax.ts';
import { countWords, joinWithin } from '../text/words.ts';
import { isKept, type KueueFacts } from './kueue.ts';

const kueueVersion = 'kueue.x-k8s.io/v1beta2';
/** What Kueue allows of a flavor, and of a resource group. */
const mostLabels = 8;
const mostResources = 64;
/** What {@link exportSettings} has Kueue count beside slices: the GB in the names of their profiles. */
const memoryResource = 'gpupartition.dev/slice-gb';
/** A queue admits only what requests nothing but resources that it covers. */
const unlimited: readonly Quota[] = [
  { name: 'cpu', nominalQuota: '1M' },
  { name: 'memory', nominalQuota: '1Pi' },
  { name: memoryResource, nominalQuota: '1M' },
];

type KueueOptions = NonNullable<PolicySpec['kueue']>;

interface Quota {
  readonly name: string;
  readonly nominalQuota: string | number;
}

/** Kueue wants all resources of a group in one order. */
function describeGroup(flavor: string, resources: readonly Quota[]): object {
  return { coveredResources: resources.map(({ name }) => name), flavors: [{ name: flavor, resources }] };
}

function describeObject(kind: string, name: string, spec: object): object {
  return { apiVersion: kueueVersion, kind, metadata: { name }, spec };
}

/** Exports what Kueue needs to admit jobs to the slices of policies; in words why that cannot be told. */
export function exportQueues(policies: readonly GpuPartitionPolicy[]): readonly ExportedObject[] | string {
  const exported: ExportedObject[] = [];
  for (const policy of policies) {
    const queue = policy.spec.kueue === undefined ? exportQueue(policy) : exportBorrower(policy, policy.spec.kueue);
    if (typeof queue === 'string') return `policy ${policy.metadata.name}: ${queue}`;
    exported.push(...queue);
  }
  return exported;
}

/** What Kueue needs to admit jobs to the slices of a policy's demand; in words why that cannot be told. */
function exportQueue({ metadata, spec }: GpuPartitionPolicy): readonly ExportedObject[] | string {
  const { name } = metadata;
  const { matchLabels = {}, matchExpressions = [] } = spec.nodeSelector;
  const demands = variantsOf(spec).map((one) => one.spec.demand?.slices);
  if (!demands.every((one) => one !== undefined))
    return 'it has layouts: how many slices these are depends on the nodes; set spec.kueue.clusterQueue, whose quotas the controller keeps, or give it a demand';
  if (matchExpressions.length > 0 || Object.keys(matchLabels).length > mostLabels)
    return `a ResourceFlavor selects nodes by at most ${mostLabels} labels with their values: use matchLabels alone in spec.nodeSelector`;
  const open = demands.flat().find(({ count, max }) => count === undefined && max === undefined);
  if (open) return `slice ${nameSlice(open)} has neither count nor max, which would be its quota: set max`;
  const quotas = new Map<string, number>();
  for (const [resource, count] of demands.flatMap(sumQuotas))
    quotas.set(resource, Math.max(quotas.get(resource) ?? 0, count));
  const slices = [...quotas].toSorted(([a], [b]) => compareText(a, b));
  const scheduled = spec.schedules === undefined ? '' : ', and of its schedules the largest number counts';
  const resources = [...slices.map(([resource, nominalQuota]) => ({ name: resource, nominalQuota })), ...unlimited];
  if (resources.length > mostResources) return explainMany(slices.length);
  return [
    {
      about: `the nodes of policy ${name}`,
      object: describeObject('ResourceFlavor', name, { nodeLabels: matchLabels }),
    },
    {
      about: `a slice of several profiles has its number as the quota of each${scheduled}; ${aboutUnlimited}`,
      object: describeObject('ClusterQueue', name, {
        namespaceSelector: {},
        resourceGroups: [describeGroup(name, resources)],
      }),
    },
    describeLocalQueue(name, name),
  ];
}

const aboutUnlimited = `CPU, memory and the GB of slices (${memoryResource}) are covered without a limit: set your own`;

function explainMany(profiles: number): string {
  return `all GPU models have ${profiles} profiles for its slices, and a ClusterQueue covers at most ${mostResources} resources: name the profiles of your GPUs`;
}

function describeLocalQueue(name: string, clusterQueue: string): ExportedObject {
  return {
    about: 'one in each namespace that submits jobs',
    object: describeObject('LocalQueue', name, { clusterQueue }),
  };
}

/** What a team needs beside the queue that the controller keeps: a queue of its own that borrows from it. */
function exportBorrower(
  { metadata: { name }, spec }: GpuPartitionPolicy,
  { clusterQueue, cohort }: KueueOptions,
): readonly ExportedObject[] | string {
  if (cohort === undefined) return [describeLocalQueue(name, clusterQueue)];
  const slices = listMade(spec);
  if (slices.length + unlimited.length > mostResources) return explainMany(slices.length);
  const resources = [...slices.map((resource) => ({ name: resource, nominalQuota: 0 })), ...unlimited];
  return [
    {
      about: `a queue without slices of its own: it borrows those of ClusterQueue ${clusterQueue}; borrowingLimit limits how many. ${aboutUnlimited}`,
      object: describeObject('ClusterQueue', `${name}-team`, {
        cohortName: cohort,
        namespaceSelector: {},
        resourceGroups: [describeGroup(clusterQueue, resources)],
      }),
    },
    describeLocalQueue(name, `${name}-team`),
  ];
}

const kindsOf = memoize((spec: PolicySpec) => listSliceKinds([{ spec }]));

/** The resources by which pods get what a policy makes of GPUs: of all models that it can meet, or of these products alone. */
function listMade(spec: PolicySpec, products?: ReadonlySet<string>): readonly string[] {
  const kinds = spec.strategy === 'mixed' ? kindsOf(spec) : [];
  const met = kinds.filter(({ boards }) =>
    boards.some((one) => products === undefined || one.products.some((product) => products.has(product))),
  );
  return [...new Set([GPU_RESOURCE, ...met.map(({ profile }) => migResourceName(labelProfile(profile)))])];
}

/** What a demand has of each resource, as name and number. */
function sumQuotas(slices: readonly SliceEntry[]): readonly (readonly [string, number])[] {
  const sums = new Map<string, number>();
  for (const slice of slices)
    for (const resource of listResources(slice))
      sums.set(resource, (sums.get(resource) ?? 0) + (slice.count ?? slice.max ?? 0));
  return [...sums];
}

/** Lists the resources of a slice on all models: the policy does not say which of them the nodes have. */
function listResources(slice: SliceEntry): readonly string[] {
  if (isWholeGpu(slice)) return [GPU_RESOURCE];
  const profiles = MODELS.flatMap((model) => profilesServing(slice, model, model.id));
  return [...new Set(profiles.map((profile) => migResourceName(labelProfile(profile))))];
}

/**
 * Exports what belongs into the configuration of Kueue's manager for the slices of policies, as `resources`: quotas by the GB of slices
 * beside those by number, and claims of NVIDIA's DRA driver, counted as the resources that they stand for.
 */
export function exportSettings(policies: readonly GpuPartitionPolicy[]): object | string {
  const kinds = listSliceKinds(policies);
  if (kinds.length === 0) return 'the policies create no slices: Kueue counts whole GPUs without settings';
  return {
    resources: {
      transformations: kinds.map(({ profile, gb }) => ({
        input: migResourceName(labelProfile(profile)),
        // With Replace, jobs would be admitted to memory of which no layout makes their slice.
        strategy: 'Retain',
        outputs: { [memoryResource]: gb },
      })),
      // A class may stand in one mapping only, and with a counter as source a slice that is there already is inadmissible.
      deviceClassMappings: kinds.map(({ profile }) => ({
        name: migResourceName(labelProfile(profile)),
        deviceClassNames: [classNameOf(profile)],
      })),
    },
  };
}

/** A node over which a policy decides, and the report of its agent. */
interface LentNode {
  readonly node: NodeView;
  readonly partition: GpuNodePartition | undefined;
}

/** The ClusterQueue that a policy asks for, as it has to be now. */
interface QueueWish {
  readonly queue: string;
  readonly cohort: string | undefined;
  readonly policy: string;
  readonly quotas: readonly Quota[];
  /** What is in it, for people. */
  readonly message: string;
}

/**
 * The quotas of a policy: what its nodes offer now. A node counts once it was verified, which its label says, by which the flavor selects
 * it, and while new pods can use its slices; not from its admission to a change until the end of that.
 *
 * @param changing the nodes that have a slot, or are about to get one
 */
export function wishQueue(
  policy: GpuPartitionPolicy,
  { clusterQueue: queue, cohort }: KueueOptions,
  nodes: readonly LentNode[],
  changing: ReadonlySet<string>,
): QueueWish {
  const { name } = policy.metadata;
  const lent = nodes.filter(
    ({ node }) =>
      !changing.has(node.metadata.name) &&
      pickLabels(node, [policyLabel])[policyLabel] === name &&
      explainUnusable(node) === undefined,
  );
  const counts = new Map<string, number>();
  for (const { node, partition } of lent) {
    const { offers } = new GpuNode(node, { partition, policy, pods: undefined, taken: undefined });
    for (const [resource, count] of Object.entries(offers))
      if (count > 0) counts.set(resource, (counts.get(resource) ?? 0) + count);
  }
  const offered = [...counts.keys()].toSorted(compareText);
  const products = new Set(
    nodes.flatMap(({ partition }) => (partition?.status?.device?.gpus ?? []).map(({ product }) => product)),
  );
  // What is offered first: a policy for every model may make more than a queue covers.
  const covered = [...new Set([...offered, ...listMade(policy.spec, products.size > 0 ? products : undefined)])]
    .slice(0, mostResources - unlimited.length)
    .toSorted(compareText);
  const words = offered.map((resource) => `${counts.get(resource)} × ${resource}`);
  return {
    queue,
    cohort,
    policy: name,
    quotas: [
      ...covered.map((resource) => ({ name: resource, nominalQuota: String(counts.get(resource) ?? 0) })),
      ...unlimited,
    ],
    message:
      `ClusterQueue ${queue} has what ${lent.length} of ${countWords(nodes.length, 'node')} offer: ` +
      (words.length === 0 ? 'no slices' : joinWithin(words, longestList, ', ')),
  };
}

const longestList = 2000;

type ClusterQueue = KueueFacts['clusterQueues'][number];
type ResourceFlavor = KueueFacts['flavors'][number];

/** A queue and the flavor of its name, as they were read; undefined if they are not there. */
interface FoundQueue {
  readonly queue: ClusterQueue | undefined;
  readonly flavor: ResourceFlavor | undefined;
}

/** A part of an object that the controller applies. */
interface AppliedFields {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> };
  readonly spec: object;
}

interface QueueWrite extends AppliedFields {
  readonly kind: 'ClusterQueue' | 'ResourceFlavor';
  /** True on an object that the controller keeps: there it takes its fields back from others. */
  readonly force: boolean;
}

/** Selects the queues that the controller keeps for policies; one whose quotas were taken has no policy's label any more. */
export const keptQueues = `${managedByLabel}=${controllerManager},${policyLabel}`;

/**
 * Lists what to write, in order, so that a queue is as a policy asks for it; in words why it is left alone: somebody else has set what the
 * controller would write. Of a queue, others may set the rest: who may use it, and what preempts.
 *
 * @param version of Kueue's API
 * @param wish undefined if no policy asks for the queue any more
 * @param isNew whether the queue is written although it matches: a cohort that is asked for no more is taken back by a write alone
 */
export function planQueue(
  { queue, flavor }: FoundQueue,
  version: string,
  wish: QueueWish | undefined,
  isNew = false,
): readonly QueueWrite[] | string {
  if (wish === undefined)
    return queue && isKept(queue) ? [{ kind: 'ClusterQueue', force: true, ...describeRelease(queue) }] : [];
  const refusal = explainForeign(queue, flavor);
  if (refusal !== undefined) return refusal;
  const wanted = describeWish(wish, version);
  const write = (
    kind: QueueWrite['kind'],
    fields: AppliedFields,
    found: ClusterQueue | ResourceFlavor | undefined,
  ) => ({
    kind,
    force: found !== undefined && isKept(found),
    ...fields,
  });
  return [
    ...(hasFields(flavor, wanted.flavor) ? [] : [write('ResourceFlavor', wanted.flavor, flavor)]),
    ...(!isNew && hasFields(queue, wanted.queue) ? [] : [write('ClusterQueue', wanted.queue, queue)]),
  ];
}

function describeWish(
  { queue, cohort, policy, quotas }: QueueWish,
  version: string,
): { readonly queue: AppliedFields; readonly flavor: AppliedFields } {
  const metadata = { labels: { [managedByLabel]: controllerManager, [policyLabel]: policy } };
  const inCohort = cohort !== undefined && { [version === 'v1beta1' ? 'cohort' : 'cohortName']: cohort };
  return {
    queue: { metadata, spec: { ...inCohort, resourceGroups: [describeGroup(queue, quotas)] } },
    flavor: { metadata, spec: { nodeLabels: { [policyLabel]: policy } } },
  };
}

/** A queue that no policy asks for any more: its quotas become 0, and the rest of it stays. Deleting it is up to whom it serves. */
function describeRelease({ spec }: ClusterQueue): AppliedFields {
  return {
    metadata: { labels: { [managedByLabel]: controllerManager } },
    spec: { resourceGroups: withQuotas(spec?.resourceGroups, () => '0') },
  };
}

/** The same with other nominal quotas. */
function withQuotas(value: unknown, change: (quota: string) => string): unknown {
  const revive = (key: string, one: unknown): unknown => (key === 'nominalQuota' ? change(String(one)) : one);
  return JSON.parse(JSON.stringify(value ?? []), revive);
}

/** The groups of resources are one list to the API server, of which no part can be kept. */
function explainForeign(queue: ClusterQueue | undefined, flavor: ResourceFlavor | undefined): string | undefined {
  const kind =
    queue && !isKept(queue) && (queue.spec?.resourceGroups ?? []).length > 0
      ? 'ClusterQueue'
      : flavor && !isKept(flavor) && 'ResourceFlavor';
  if (!kind) return undefined;
  const name = (queue ?? flavor)?.metadata.name;
  const part = kind === 'ClusterQueue' ? ' with resourceGroups, of which the controller cannot keep a part' : '';
  return `${kind} ${name} is there${part}, and not the controller’s: it is left alone. Name another in spec.kueue.clusterQueue, whose cohort lends to yours, or delete it`;
}

function hasFields(found: ClusterQueue | ResourceFlavor | undefined, { metadata, spec }: AppliedFields): boolean {
  const labels = found?.metadata.labels ?? {};
  const kept = new Map<string, unknown>(Object.entries(found?.spec ?? {}));
  return (
    Object.entries(metadata.labels).every(([key, value]) => labels[key] === value) &&
    Object.entries(spec).every(([field, value]) => deepEqual(inUnits(kept.get(field)), inUnits(value)))
  );
}

/** Kueue writes quantities in its own way. */
function inUnits(value: unknown): unknown {
  return withQuotas(value, (quota) => String(parseQuantity(quota)));
}
