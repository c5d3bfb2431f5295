import { evictAnnotation, safeToEvictAnnotation } from '../../api/names.ts';
import { mirrorAnnotation } from '../pods/eviction.ts';
import { deviceClassPrefix, isGpuOfNode } from '../pods/gpu-pods.ts';
import { systemPods } from '../pods/system-pods.ts';
import type { ContainerView, PodView } from '../pods/pod-view.ts';
import { definedOnly } from '../text/defined-fields.ts';

/**
 * The relevant parts of a node's pod. Anybody may create a pod of 1 MB: of a pod that is not the cluster's own, the only text
 * kept is its name and its GPUs.
 *
 * @param systemNamespaces see `systemPods`
 * @param isKept whether a resource may be a GPU of the node
 * @param labelKeys labels that are kept, such as those that disruption budgets select by
 */
export function projectPod(
  pod: PodView,
  systemNamespaces: readonly string[],
  isKept: (resource: string) => boolean,
  labelKeys: ReadonlySet<string> = new Set(),
): PodView {
  if (systemPods([pod], systemNamespaces).length > 0) return dropManagedFields(pod);
  const { metadata, spec, status } = pod;
  const { name, namespace, uid, creationTimestamp, deletionTimestamp, annotations, labels = {} } = metadata;
  const { resourceClaims = [], terminationGracePeriodSeconds: grace, ...containers } = spec ?? {};
  const keep = (list: readonly ContainerView[] = []) => list.map((one) => keepResources(one, isKept));
  const hasClaim = resourceClaims.length > 0 || status?.extendedResourceClaimStatus !== undefined;
  return {
    metadata: {
      ...definedOnly({
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
    status: definedOnly({ phase: status?.phase, conditions: keepReady(status?.conditions) }),
  };
}

/** Which resources may be GPUs: those of the node with GPU names, those through which its kubelet offers GPUs, and device classes. */
export function gpuResourcesOf(
  resources: Readonly<Record<string, string>>,
  offered: Readonly<Record<string, number>>,
): (resource: string) => boolean {
  return (name) => name.startsWith(deviceClassPrefix) || isGpuOfNode(name, { resources, offered });
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

/** An agent's pod, reduced to its sign of life. */
export function projectAgentPod({ metadata, spec, status }: PodView): PodView {
  const { name, namespace, uid, resourceVersion, deletionTimestamp } = metadata;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const isReady = ready?.status === 'True';
  const waiting = isReady ? undefined : status?.containerStatuses?.find(({ state }) => state?.waiting)?.state?.waiting;
  return {
    metadata: definedOnly({ name, namespace, uid, resourceVersion, deletionTimestamp }),
    spec: definedOnly({ nodeName: spec?.nodeName }),
    status: {
      ...definedOnly({ phase: status?.phase }),
      conditions: ready ? [definedOnly({ type: 'Ready', status: ready.status, message: ready.message })] : [],
      ...(waiting && { containerStatuses: [{ name: 'agent', state: { waiting } }] }),
    },
  };
}
