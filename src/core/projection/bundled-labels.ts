import { selectedKeys } from '../metadata/label-selector.ts';
import { evictAnnotation, group, safeToEvictAnnotation } from '../../api/names.ts';
import type { GpuPartitionPolicy } from '../../api/types.ts';
import { mirrorAnnotation } from '../pods/eviction.ts';
import type { PodView } from '../pods/pod-view.ts';

/** Prefix of our own labels, annotations and taints. */
const ownPrefix = `${group}/`;

const kept: readonly string[] = [
  'nvidia.com/',
  ownPrefix,
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'node.kubernetes.io/instance-type',
];

/** Annotations that prevent a pod's eviction, give a node another owner, or list NFD's labels. */
const annotations: readonly string[] = [
  ownPrefix,
  mirrorAnnotation,
  evictAnnotation,
  safeToEvictAnnotation,
  'hami.io/',
  'nfd.node.kubernetes.io/',
];

export function isKnownAnnotation(key: string): boolean {
  return annotations.some((prefix) => key.startsWith(prefix));
}

/** Keys of Node labels that decide something here: in policies, and in pods that request GPUs. */
export function listDecidingKeys(
  policies: readonly GpuPartitionPolicy[],
  pods: readonly PodView[],
): ReadonlySet<string> {
  const ofPolicies = policies.flatMap(({ spec }) => selectedKeys(spec.nodeSelector));
  const ofPods = pods.flatMap(({ spec }) => {
    const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
    const expressions = terms.flatMap(({ matchExpressions = [] }) => matchExpressions.map(({ key }) => key));
    return [...Object.keys(spec?.nodeSelector ?? {}), ...expressions];
  });
  return new Set([...ofPolicies, ...ofPods]);
}

/** The labels of a Node that are about GPUs, or decide something. */
export function keepLabels(
  labels: Readonly<Record<string, string>>,
  deciding: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(labels).filter(([key]) => deciding.has(key) || kept.some((prefix) => key.startsWith(prefix))),
  );
}
