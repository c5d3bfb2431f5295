import { group, nodePartitionPlural, policyPlural, version } from './names.ts';

const dra = { group: 'resource.k8s.io', version: 'v1' } as const;

/** The resources of the Kubernetes API that the programs use, as `kubectl api-resources` lists them. */
export const policies = { group, version, plural: policyPlural, kind: 'GpuPartitionPolicy' } as const;
export const nodePartitions = { group, version, plural: nodePartitionPlural, kind: 'GpuNodePartition' } as const;
export const nodes = { group: '', version: 'v1', plural: 'nodes', kind: 'Node' } as const;
export const configMaps = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap' } as const;
export const deployments = { group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment' } as const;
export const daemonSets = { group: 'apps', version: 'v1', plural: 'daemonsets', kind: 'DaemonSet' } as const;
export const resourceSlices = { ...dra, plural: 'resourceslices', kind: 'ResourceSlice' } as const;
export const resourceClaims = { ...dra, plural: 'resourceclaims', kind: 'ResourceClaim' } as const;
export const resourceClaimTemplates = {
  ...dra,
  plural: 'resourceclaimtemplates',
  kind: 'ResourceClaimTemplate',
} as const;
export const deviceClasses = { ...dra, plural: 'deviceclasses', kind: 'DeviceClass' } as const;
export const pods = { group: '', version: 'v1', plural: 'pods', kind: 'Pod' } as const;
export const namespaces = { group: '', version: 'v1', plural: 'namespaces', kind: 'Namespace' } as const;
export const events = { group: '', version: 'v1', plural: 'events', kind: 'Event' } as const;
export const resourceQuotas = { group: '', version: 'v1', plural: 'resourcequotas', kind: 'ResourceQuota' } as const;
export const disruptionBudgets = {
  group: 'policy',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
} as const;
const definitions = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
} as const;

const definitionOf = ({ plural, group: of }: { readonly plural: string; readonly group: string }) => ({
  resource: definitions,
  name: `${plural}.${of}`,
});

/** Our CRDs: that of policies, and that of what is kept for each node. */
export const ownDefinitions = [definitionOf(policies), definitionOf(nodePartitions)] as const;
