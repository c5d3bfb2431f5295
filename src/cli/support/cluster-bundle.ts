import { disruptionBudgets, nodePartitions, nodes, pods, policies } from '../../api/resources.ts';
import type { GpuNodePartition, GpuPartitionPolicy } from '../../api/types.ts';
import type { NodeView } from '../../core/node/node-view.ts';
import type { PodView } from '../../core/pods/pod-view.ts';
import { mayUseClaims } from '../../core/policy/rules.ts';
import { usesGpu } from '../../core/pods/gpu-pods.ts';
import { pluginPodsOf } from '../../core/pods/plugin-pods.ts';
import { timeText } from '../../core/text/duration.ts';
import type { KubeObject } from '../../kube/resource.ts';
import { programVersion } from '../../process/version.ts';
import { readClaims } from './bundle-claims.ts';
import { readEvents } from './bundle-events.ts';
import { keepLabels, listDecidingKeys } from '../../core/projection/bundled-labels.ts';
import type { LenientReader } from './lenient-reader.ts';
import { projectObject } from '../../core/projection/bundled-object.ts';
import { type LogLimits, readLogs } from './pod-logs.ts';

export type BundledPod = PodView & KubeObject;
type BundledNode = NodeView & KubeObject;

export interface BundleOptions extends LogLimits {
  /** Where our programs run: only pods there count as ours. */
  readonly namespaces: readonly string[];
}

/** Labels of all our objects, from kustomize and Helm. */
const ownPods = { key: 'app.kubernetes.io/part-of', value: 'gpu-partition' } as const;

/** The objects of a bundle, in file order; what could not be read is in `reader.notRead`. */
export async function readClusterBundle(
  reader: LenientReader,
  options: BundleOptions,
  now: number,
): Promise<readonly KubeObject[]> {
  const [foundPolicies = [], partitions = [], allNodes = []] = await Promise.all([
    reader.list<GpuPartitionPolicy & KubeObject>(policies),
    reader.list<GpuNodePartition & KubeObject>(nodePartitions),
    reader.list<BundledNode>(nodes, {}, { project: (one: BundledNode) => projectObject(one, 'node') }),
  ]);
  const gpuNodes = chooseNodes(allNodes, partitions);
  // Anybody may give a pod our labels; only we run in our namespaces.
  const isOwn = ({ metadata }: KubeObject): boolean =>
    metadata.labels?.[ownPods.key] === ownPods.value && options.namespaces.includes(metadata.namespace ?? '');
  const found = await readPods(reader, options.namespaces, isOwn);
  const foundPods = choosePods(found, new Set(gpuNodes.map(nameOf)), isOwn);
  const namespaces = new Set(foundPods.map(({ metadata }) => metadata.namespace));
  const budgets = (await reader.list(disruptionBudgets)) ?? [];
  const deciding = listDecidingKeys(foundPolicies, foundPods);
  const ours = foundPods.filter(isOwn);
  const logs = await readLogs(reader, sortForLogs(ours, partitions), options);
  return [
    ...foundPolicies.map((one) => projectObject(one, 'own')),
    ...partitions.map((one) => projectObject(one, 'own')),
    ...gpuNodes.map(({ metadata, ...node }) => ({
      ...node,
      metadata: { ...metadata, labels: keepLabels(metadata.labels ?? {}, deciding) },
    })),
    ...foundPods,
    ...budgets.filter(({ metadata }) => namespaces.has(metadata.namespace)).map((one) => projectObject(one, 'budget')),
    ...(usesClaims(foundPolicies, partitions, foundPods) ? await readClaims(reader, namespaces) : []),
    ...(await readEvents(reader, new Set(gpuNodes.map(nameOf)), foundPods)),
    ...logs,
    await describeBundle(reader, ours, partitions, now),
  ];
}

/** Elsewhere the right to list claims is not asked for. */
function usesClaims(
  found: readonly GpuPartitionPolicy[],
  partitions: readonly GpuNodePartition[],
  foundPods: readonly BundledPod[],
): boolean {
  return (
    found.some(({ spec }) => mayUseClaims(spec)) ||
    partitions.some(({ spec }) => spec.backend === 'DRA') ||
    foundPods.some(({ spec }) => (spec?.resourceClaims ?? []).length > 0)
  );
}

function chooseNodes(all: readonly BundledNode[], partitions: readonly GpuNodePartition[]): readonly BundledNode[] {
  const known = new Set(partitions.map(({ metadata }) => metadata.name));
  const isGpu = (key: string): boolean => key.startsWith('nvidia.com/');
  return all.filter(
    ({ metadata, status }) =>
      known.has(metadata.name) ||
      [metadata.labels, status?.allocatable, status?.capacity].some((fields) => Object.keys(fields ?? {}).some(isGpu)),
  );
}

async function readPods(
  reader: LenientReader,
  namespaces: readonly string[],
  isOwn: (pod: KubeObject) => boolean,
): Promise<readonly BundledPod[]> {
  const project = { project: (one: BundledPod) => projectObject(one, isOwn(one) ? 'ownPod' : 'pod') };
  const all = await reader.list<BundledPod>(pods, {}, project);
  if (all !== undefined) return all;
  const some = await Promise.all(namespaces.map((namespace) => reader.list<BundledPod>(pods, { namespace }, project)));
  return some.flatMap((found) => found ?? []);
}

/** Our pods, those that request GPUs, and the daemons of GPU nodes: the device plugin, and others that may own or hold GPUs. */
function choosePods(
  all: readonly BundledPod[],
  gpuNodes: ReadonlySet<string>,
  isOwn: (pod: KubeObject) => boolean,
): readonly BundledPod[] {
  const isDaemon = ({ metadata, spec }: BundledPod): boolean =>
    gpuNodes.has(spec?.nodeName ?? '') &&
    metadata.ownerReferences?.some(({ kind, controller }) => kind === 'DaemonSet' && controller === true) === true;
  return all.filter((pod) => isOwn(pod) || usesGpu(pod) || isDaemon(pod) || pluginPodsOf([pod]).length > 0);
}

/** The controller's first, then agents of unhealthy nodes: of a large fleet not every log is kept. */
function sortForLogs(ours: readonly BundledPod[], partitions: readonly GpuNodePartition[]): readonly BundledPod[] {
  const well = new Set(
    partitions.filter(({ status }) => status?.phase === 'Ready').map(({ metadata }) => metadata.name),
  );
  const rank = ({ spec, metadata }: BundledPod): number =>
    metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet') !== true
      ? 0
      : well.has(spec?.nodeName ?? '')
        ? 2
        : 1;
  return ours.toSorted((a, b) => rank(a) - rank(b));
}

async function describeBundle(
  reader: LenientReader,
  ours: readonly BundledPod[],
  partitions: readonly GpuNodePartition[],
  now: number,
): Promise<KubeObject & { readonly spec: object }> {
  const server = (await reader.ask('version of the API server', () =>
    reader.client.request({ method: 'GET', path: '/version' }),
  )) as { readonly gitVersion?: string } | undefined;
  const images = ours.flatMap(({ spec }) => spec?.containers ?? []) as readonly { readonly image?: string }[];
  const agents = partitions.flatMap(({ status }) => status?.device?.agentVersion ?? []);
  const drivers = partitions.flatMap(({ status }) => status?.device?.driverVersion ?? []);
  const spec = {
    time: timeText(now),
    versions: {
      gpuPartition: programVersion,
      kubernetes: server?.gitVersion ?? 'unknown',
      images: distinct(images.flatMap(({ image }) => image ?? [])),
      agents: distinct(agents),
      drivers: distinct(drivers),
    },
    notRead: reader.notRead,
  };
  return { apiVersion: 'v1', kind: 'SupportBundle', metadata: { name: 'gpu-partition' }, spec };
}

function nameOf({ metadata }: KubeObject): string {
  return metadata.name;
}

function distinct(words: readonly string[]): readonly string[] {
  return [...new Set(words)].toSorted();
}
