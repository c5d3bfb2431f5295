import { stringify } from 'yaml';
import type { PolicySpec } from '../../src/api/types.ts';
import { applyObjects } from './gpu-pods.ts';
import type { TestRig } from './rig.ts';
import type { RigNode } from '../../src/simulator/rig/rig.ts';
import { jsonRunner } from '../cli/run.ts';

/** The nodes whose slices follow Kueue's queues. */
export const queueNodes = ['n1', 'n2'].map((name): RigNode => ({
  name,
  gpus: ['A100-SXM4-40GB'],
  labels: { pool: 'p' },
  strategy: 'mixed',
}));

/** The resource of their large slices. */
export const largeSlice = 'nvidia.com/mig-3g.20gb';

/** The policy `p` over them. */
export const queueSpec = {
  nodeSelector: { matchLabels: { pool: 'p' } },
  rollout: { maxUnavailable: 2 },
  demand: {
    from: 'Kueue',
    stabilization: '2s',
    cooldown: '1s',
    slices: [
      { name: 'small', profiles: ['1g.5gb'], min: 2, max: 7 },
      { name: 'large', profiles: ['3g.20gb'], max: 4 },
    ],
  },
} as const satisfies Partial<PolicySpec>;

/** The queues that the command line writes for it, or for a policy of its name. */
export async function exportQueues(spec: Partial<PolicySpec> = queueSpec): Promise<readonly object[]> {
  const argv = ['export', 'kueue', '-f', '-'];
  const stdin = writePolicy(spec);
  return (await jsonRunner<{ readonly items: readonly object[] }>()(argv, { stdin })).answer.items;
}

/** What the command line writes for Kueue's manager. */
export async function exportKueueSettings(spec: Partial<PolicySpec>): Promise<object> {
  const argv = ['export', 'kueue', '--settings', '-f', '-'];
  return (await jsonRunner<object>()(argv, { stdin: writePolicy(spec) })).answer;
}

function writePolicy(spec: Partial<PolicySpec>): string {
  const policy = { apiVersion: 'gpupartition.dev/v1alpha1', kind: 'GpuPartitionPolicy', metadata: { name: 'p' } };
  return stringify({ ...policy, spec: { strategy: 'mixed', ...spec } });
}

/** A job of two pods with a large slice each, for the LocalQueue `p`. */
export function aQueuedJob(name: string): object {
  const resources = { requests: { cpu: 1 }, limits: { [largeSlice]: 1 } };
  const containers = [{ name: 'main', image: 'example.com/train:1', resources }];
  const template = { spec: { restartPolicy: 'Never', containers } };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 'default', labels: { 'kueue.x-k8s.io/queue-name': 'p' } },
    spec: { parallelism: 2, completions: 2, template },
  };
}

/**
 * Minimal stand-ins for Kueue's CRDs, for tests without Kueue: names, scopes and versions as Kueue has them, and of the fields those that
 * are read. What Kueue would write is written by the tests.
 */
export function kueueDefinitions(): readonly object[] {
  const text = { type: 'string' };
  const texts = { type: 'object', additionalProperties: text };
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const list = (items: object) => ({ type: 'array', items });
  const object = (properties: object) => ({ type: 'object', properties });
  const podSet = object({ name: text, count: { type: 'integer' }, template: object({ spec: open }) });
  const workload = {
    spec: object({ active: { type: 'boolean' }, queueName: text, podSets: list(podSet) }),
    status: object({
      admission: object({ clusterQueue: text, podSetAssignments: list(object({ name: text, flavors: texts })) }),
      conditions: list(object({ type: text, status: text, reason: text, message: text, lastTransitionTime: text })),
      reclaimablePods: list(object({ name: text, count: { type: 'integer' } })),
    }),
  };
  const resources = list(object({ name: text, nominalQuota: { 'x-kubernetes-int-or-string': true } }));
  const group = object({ coveredResources: list(text), flavors: list(object({ name: text, resources })) });
  const named = { cohort: text, cohortName: text, namespaceSelector: open, stopPolicy: text };
  const resourceGroups = { ...list(group), 'x-kubernetes-list-type': 'atomic' };
  const clusterQueue = { spec: object({ ...named, resourceGroups }) };
  const localQueue = { spec: object({ clusterQueue: text, stopPolicy: text }) };
  const taint = object({ key: text, value: text, effect: text });
  const nodeLabels = { ...texts, 'x-kubernetes-map-type': 'atomic' };
  const flavor = { spec: object({ nodeLabels, nodeTaints: list(taint), tolerations: list(open) }) };
  return [
    define('Workload', 'workloads', 'Namespaced', workload),
    define('LocalQueue', 'localqueues', 'Namespaced', localQueue),
    define('ClusterQueue', 'clusterqueues', 'Cluster', clusterQueue),
    define('ResourceFlavor', 'resourceflavors', 'Cluster', flavor),
  ];
}

/** Has them served. */
export async function installKueueKinds(rig: TestRig): Promise<void> {
  const definitions = kueueDefinitions();
  await applyObjects(rig, definitions);
  await rig.kubectl(...awaitKueueKinds);
}

const names = ['workloads', 'localqueues', 'clusterqueues', 'resourceflavors'];
const crds = names.map((name) => `crd/${name}.kueue.x-k8s.io`);
/** Arguments of kubectl. */
export const awaitKueueKinds: readonly string[] = ['wait', '--for=condition=Established', '--timeout=30s', ...crds];

/** The quotas of a ClusterQueue, by resource; empty if it is not there. */
export async function quotasOf(rig: TestRig, queue: string): Promise<Readonly<Record<string, string>>> {
  const path = '{range .items[*].spec.resourceGroups[*].flavors[*].resources[*]}{.name}={.nominalQuota}{"\\n"}{end}';
  const selector = `--field-selector=metadata.name=${queue}`;
  const text = await rig.kubectl('get', 'clusterqueues.kueue.x-k8s.io', selector, '-o', `jsonpath=${path}`);
  return Object.fromEntries(text.split('\n').flatMap((line) => (line === '' ? [] : [line.split('=')])));
}

function define(kind: string, plural: string, scope: string, properties: object): object {
  const versions = ['v1beta1', 'v1beta2'].map((name) => ({
    name,
    served: true,
    storage: name === 'v1beta2',
    schema: { openAPIV3Schema: { type: 'object', properties } },
    ...('status' in properties && { subresources: { status: {} } }),
  }));
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.kueue.x-k8s.io`,
      annotations: { 'api-approved.kubernetes.io': 'unapproved, a stand-in for tests' },
    },
    spec: { group: 'kueue.x-k8s.io', scope, names: { kind, plural, singular: kind.toLowerCase() }, versions },
  };
}
