// Room policy: what a policy says, which generation and schedule of it is in force, and which policy decides over a node.
// Ask here what Kueue needs to admit jobs to the slices of a policy.
import type { GpuPartitionPolicy } from '../../api/types.ts';
import { MODELS } from '../gpu/geometry.ts';
import { GPU_RESOURCE, labelProfile, migResourceName } from '../nvidia/labels.ts';
import { isWholeGpu, nameSlice, profilesServing, type SliceEntry } from './slices.ts';
import { variantsOf } from './schedules.ts';
import { compareText } from '../text/json.ts';
import type { ExportedObject } from './device-classes.ts';

const apiVersion = 'kueue.x-k8s.io/v1beta2';
/** What Kueue allows of a flavor, and of a resource group. */
const mostLabels = 8;
const mostResources = 64;
/** A queue admits only what requests nothing but resources that it covers. */
const unlimited = { cpu: '1M', memory: '1Pi' };

/** What Kueue needs to admit jobs to the slices of a policy's demand; in words why that cannot be told. */
export function exportQueue({ metadata, spec }: GpuPartitionPolicy): readonly ExportedObject[] | string {
  const { name } = metadata;
  const { matchLabels = {}, matchExpressions = [] } = spec.nodeSelector;
  const demands = variantsOf(spec).map((one) => one.spec.demand?.slices);
  if (!demands.every((one) => one !== undefined))
    return 'it has layouts: how many slices these are depends on the nodes; write its quotas yourself, or give it a demand';
  if (matchExpressions.length > 0 || Object.keys(matchLabels).length > mostLabels)
    return `a ResourceFlavor selects nodes by at most ${mostLabels} labels with their values: use matchLabels alone in spec.nodeSelector`;
  const open = demands.flat().find(({ count, max }) => count === undefined && max === undefined);
  if (open) return `slice ${nameSlice(open)} has neither count nor max, which would be its quota: set max`;
  const quotas = new Map<string, number>();
  for (const [resource, count] of demands.flatMap(sumQuotas))
    quotas.set(resource, Math.max(quotas.get(resource) ?? 0, count));
  const slices = [...quotas].toSorted(([a], [b]) => compareText(a, b));
  const scheduled = spec.schedules === undefined ? '' : ', and of its schedules the largest number counts';
  const resources = [...slices, ...Object.entries(unlimited)].map(([resource, nominalQuota]) => ({
    name: resource,
    nominalQuota,
  }));
  if (resources.length > mostResources)
    return `all GPU models have ${slices.length} profiles for its slices, and a ClusterQueue covers at most ${mostResources} resources: name the profiles of your GPUs`;
  // Kueue wants all resources of a group in one order.
  const group = { coveredResources: resources.map((one) => one.name), flavors: [{ name, resources }] };
  return [
    {
      about: `the nodes of policy ${name}`,
      object: { apiVersion, kind: 'ResourceFlavor', metadata: { name }, spec: { nodeLabels: matchLabels } },
    },
    {
      about: `a slice of several profiles has its number as the quota of each${scheduled}; CPU and memory are covered without a limit: set your own`,
      object: {
        apiVersion,
        kind: 'ClusterQueue',
        metadata: { name },
        spec: { namespaceSelector: {}, resourceGroups: [group] },
      },
    },
    {
      about: 'one in each namespace that submits jobs',
      object: { apiVersion, kind: 'LocalQueue', metadata: { name }, spec: { clusterQueue: name } },
    },
  ];
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
