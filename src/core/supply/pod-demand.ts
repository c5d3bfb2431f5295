import { isResourceOf } from '../explain/cluster-facts.ts';
import { couldTake, explainHopeless } from '../explain/judge.ts';
import { requestsOf } from '../explain/workload.ts';
import { type LabelSelection, meetsSelection } from '../metadata/label-selector.ts';
import type { NodeView } from '../node/node-view.ts';
import { GPU_RESOURCE } from '../nvidia/labels/label-key.ts';
import { hasEnded, type PodView } from '../pods/pod-view.ts';
import { WHOLE } from '../gpu/geometry/profile-name.ts';

/** Whether a resource is a slice that is not shared, the whole GPU included. */
export function isSlice(resource: string): boolean {
  return resource === GPU_RESOURCE || (/^nvidia\.com\/mig-[^/]+$/.test(resource) && !resource.endsWith('.shared'));
}

/** Pods that wait for a node, and not for leave to be scheduled. */
export function isWaiting(pod: PodView): boolean {
  const { metadata, spec } = pod;
  const isGated = (spec?.schedulingGates ?? []).length > 0;
  return spec?.nodeName === undefined && metadata.deletionTimestamp === undefined && !isGated && !hasEnded(pod);
}

/** Pods that wait alike for slices. */
export interface Waiter {
  readonly pod: PodView;
  readonly count: number;
  /** Slices that each requests, by resource. */
  readonly requests: ReadonlyMap<string, number>;
  /** Labels of its namespace; absent: only its name is known. */
  readonly namespaceLabels?: Readonly<Record<string, string>> | undefined;
  /** Of what Kueue holds back: the nodes to which each flavor would bring it, and the pod that it would be there. */
  readonly ways?: readonly { readonly nodeLabels: Readonly<Record<string, string>>; readonly pod: PodView }[];
}

/** Whether a node would accept a pod if it had the slices that the pod requests. */
export function accepts(node: NodeView, { pod, ways }: Waiter): boolean {
  if (ways === undefined) return couldTake(node, pod);
  return ways.some((way) => hasLabels(node, way.nodeLabels) && couldTake(node, way.pod));
}

/** Whether a node has labels, those aside that another layout changes. */
export function hasLabels({ metadata }: NodeView, wanted: Readonly<Record<string, string>>): boolean {
  const { labels = {} } = metadata;
  return Object.entries(wanted).every(([key, value]) => labels[key] === value || key.startsWith('nvidia.com/mig-'));
}

/** Labels of namespaces, by name. */
export type NamespaceLabels = ReadonlyMap<string, Readonly<Record<string, string>>>;

/** The pods that wait for slices; not those that none would help. */
export function listWaiters(pods: readonly PodView[], namespaces: NamespaceLabels = new Map()): readonly Waiter[] {
  return pods.flatMap((pod) => {
    const requests = requestsOf(pod, isSlice);
    const namespaceLabels = namespaces.get(pod.metadata.namespace ?? '');
    return requests.size > 0 && isWaiting(pod) && explainHopeless(pod) === undefined
      ? [{ pod, count: 1, requests, namespaceLabels }]
      : [];
  });
}

/** The label that every namespace has. */
const namespaceName = 'kubernetes.io/metadata.name';

/** Whether a pod is in one of the namespaces whose pods count. */
export function isInNamespaces({ pod, namespaceLabels }: Waiter, selector: LabelSelection | undefined): boolean {
  const { namespace = '' } = pod.metadata;
  return selector === undefined || meetsSelection(selector, namespaceLabels ?? { [namespaceName]: namespace });
}

/** How many slices of a profile, or whole GPUs, are waited for. */
export function waitingFor(waiting: ReadonlyMap<string, number>, profile: string): number {
  return [...waiting].reduce((sum, [resource, count]) => sum + (isOfProfile(resource, profile) ? count : 0), 0);
}

/** Whether a resource is that of a profile, or of whole GPUs. */
export function isOfProfile(resource: string, profile: string): boolean {
  return profile === WHOLE ? resource === GPU_RESOURCE : isResourceOf(resource, profile);
}
