// Room cluster: the cluster as it was read, and the one judge of its pods and nodes.
// Ask here what is kept in memory of the pods that are listed.
import { omitUndefined } from '../text/json.ts';
import { selectedKeys } from '../kubernetes/node.ts';
import { evictAnnotation, safeToEvictAnnotation } from '../../api/names.ts';
import type { BudgetView } from '../node/eviction.ts';
import { mirrorAnnotation, systemPods, type ContainerView, type PodView } from '../kubernetes/pod.ts';
import { deviceClassPrefix, isGpuOfNode } from '../device/holders.ts';

/**
 * The relevant parts of a node's pod. Anybody may create a pod of 1 MB: of a pod that is not the cluster's own, the only text
 * kept is its name and its GPUs.
 *
 * @param systemNamespaces see `systemPods`
 * @param gpus what the node and its kubelet offer: resources that may be its GPUs are kept; absent: none
 * @param budgets whose selectors tell which labels are kept
 */
export function podTrimmer({
  systemNamespaces = [],
  gpus,
  budgets = [],
}: {
  readonly systemNamespaces?: readonly string[];
  readonly gpus?: Parameters<typeof isGpuOfNode>[1];
  readonly budgets?: readonly BudgetView[];
}): (pod: PodView) => PodView {
  const isKept = (name: string): boolean =>
    gpus !== undefined && (name.startsWith(deviceClassPrefix) || isGpuOfNode(name, gpus));
  const labelKeys = new Set(budgets.flatMap(({ spec }) => (spec?.selector ? selectedKeys(spec.selector) : [])));
  return (pod) =>
    systemPods([pod], systemNamespaces).length > 0 ? dropManagedFields(pod) : trimPod(pod, isKept, labelKeys);
}

function trimPod(pod: PodView, isKept: (resource: string) => boolean, labelKeys: ReadonlySet<string>): PodView {
  const { metadata, spec, status } = pod;
  const { name, namespace, uid, creationTimestamp, deletionTimestamp, annotations, labels = {} } = metadata;
  const { resourceClaims = [], terminationGracePeriodSeconds: grace, ...containers } = spec ?? {};
  const keep = (list: readonly ContainerView[] = []) => list.map((one) => keepResources(one, isKept));
  const hasClaim = resourceClaims.length > 0 || status?.extendedResourceClaimStatus !== undefined;
  return {
    metadata: {
      ...omitUndefined({
        name,
        namespace,
        uid,
        creationTimestamp,
        deletionTimestamp,
        // At most one is the controller: it shows who recreates the pod.
        ownerReferences: metadata.ownerReferences?.filter(({ controller }) => controller === true),
      }),
      ...keepAnnotations(annotations),
      ...(labelKeys.size > 0 && {
        labels: Object.fromEntries(Object.entries(labels).filter(([key]) => labelKeys.has(key))),
      }),
    },
    spec: {
      containers: keep(containers.containers),
      initContainers: keep(containers.initContainers),
      ephemeralContainers: keep(containers.ephemeralContainers),
      ...(hasClaim && { resourceClaims: [{}] }),
      ...(typeof grace === 'number' && { terminationGracePeriodSeconds: grace }),
    },
    status: omitUndefined({ phase: status?.phase, conditions: keepReady(status?.conditions) }),
  };
}

type Conditions = NonNullable<PodView['status']>['conditions'];

function keepReady(conditions: Conditions): Conditions | undefined {
  const ready = conditions?.find(({ type }) => type === 'Ready');
  return ready && [{ type: 'Ready', status: ready.status }];
}

function keepResources({ resources = {} }: ContainerView, isKept: (resource: string) => boolean): ContainerView {
  const keep = (amounts: Readonly<Record<string, string | number>> = {}) =>
    Object.fromEntries(Object.entries(amounts).filter(([name]) => isKept(name)));
  const { limits, requests } = resources;
  return { resources: { limits: keep(limits), requests: keep(requests) } };
}

function dropManagedFields(pod: PodView): PodView {
  const { managedFields: _unused, annotations, ...metadata } = pod.metadata;
  return { ...pod, metadata: { ...metadata, ...keepAnnotations(annotations) } };
}

/** Annotations that decide whether the pod may be evicted; of a static pod only that it is one. */
function keepAnnotations(annotations: Readonly<Record<string, string>> = {}): Pick<PodView['metadata'], 'annotations'> {
  const kept = Object.entries({
    ...(annotations[mirrorAnnotation] !== undefined && { [mirrorAnnotation]: 'true' }),
    ...(annotations[evictAnnotation] === 'false' && { [evictAnnotation]: 'false' }),
    ...(annotations[safeToEvictAnnotation] === 'false' && { [safeToEvictAnnotation]: 'false' }),
  });
  return kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) };
}
