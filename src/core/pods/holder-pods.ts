import type { HolderOccasion, GpuHolder } from './gpu-holders.ts';
import { hasEnded, type PodView } from './pod-view.ts';
import { isOfDaemonSet } from './system-pods.ts';

/** On a Node: uids of pods of GPU holders that were there when it was closed and go once the device is done. */
export const holdersAnnotation = 'gpupartition.dev/clients';

/** The holder's pods among those of one node, except those that have ended. A terminating pod is still there. */
export function holderPods(holder: GpuHolder, pods: readonly PodView[]): readonly PodView[] {
  return pods.filter(
    (pod) =>
      !hasEnded(pod) &&
      (isDeployed(holder, pod) ||
        carries(pod.metadata.labels, holder.podLabels) ||
        (pod.spec?.containers ?? []).some(({ name }) => name !== undefined && name === holder.container)),
  );
}

/** Whether the holder's deploy label brings a pod to its node, and takes it away: gpu-operator's own, and none of another installation. */
export function isDeployed({ deployLabel }: GpuHolder, { spec }: Pick<PodView, 'spec'>): boolean {
  return deployLabel !== undefined && Object.hasOwn(spec?.nodeSelector ?? {}, deployLabel);
}

/** Those that may be evicted: a DaemonSet's. Other pods might not be recreated, and may be a user's work. */
export function evictablePods(pods: readonly PodView[]): readonly PodView[] {
  return pods.filter(isOfDaemonSet);
}

/** Pods of all holders that go on this occasion and may be evicted, each once. */
export function podsThatGo(
  holders: readonly GpuHolder[],
  occasion: HolderOccasion,
  pods: readonly PodView[],
): readonly PodView[] {
  const going = holders.filter(({ goes }) => goes.includes(occasion));
  return evictablePods([...new Set(going.flatMap((holder) => holderPods(holder, pods)))]);
}

/** `UID,UID`; undefined, which removes the annotation, if there are none. */
export function formatHoldersMark(uids: readonly string[]): string | undefined {
  const sorted = [...new Set(uids)].filter((uid) => uid !== '').sort();
  return sorted.length === 0 ? undefined : sorted.join(',');
}

/** The uids of a mark; empty if there is no mark. */
export function readHoldersMark(annotation: string | undefined): readonly string[] {
  return (annotation ?? '')
    .split(',')
    .map((uid) => uid.trim())
    .filter((uid) => uid !== '');
}

function carries(
  labels: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string>> | undefined,
): boolean {
  const entries = Object.entries(wanted ?? {});
  return entries.length > 0 && entries.every(([key, value]) => labels?.[key] === value);
}
