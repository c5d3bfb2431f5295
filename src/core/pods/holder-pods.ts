import type { OwnerView } from './eviction.ts';
import { hasEnded } from './gpu-pods.ts';
import type { HolderOccasion, GpuHolder } from './gpu-holders.ts';
import { isOfDaemonSet } from './system-pods.ts';

/** On a Node: uids of pods of GPU holders that were there when it was closed and go once the device is done. */
export const holdersAnnotation = 'gpupartition.dev/clients';

/** The parts of a pod that identify its owner, and whether it may be evicted. */
export interface HolderPodView {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly ownerReferences?: readonly OwnerView[];
  };
  readonly spec?: {
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly containers?: readonly { readonly name?: string }[];
  };
  readonly status?: { readonly phase?: string };
}

/** The holder's pods among those of one node, except those that have ended. A terminating pod is still there. */
export function holderPods<Pod extends HolderPodView>(holder: GpuHolder, pods: readonly Pod[]): readonly Pod[] {
  return pods.filter(
    (pod) =>
      !hasEnded(pod) &&
      (isDeployed(holder, pod) ||
        carries(pod.metadata.labels, holder.podLabels) ||
        (pod.spec?.containers ?? []).some(({ name }) => name !== undefined && name === holder.container)),
  );
}

/** Whether the holder's deploy label brings a pod to its node, and takes it away: gpu-operator's own, and none of another installation. */
export function isDeployed({ deployLabel }: GpuHolder, { spec }: Pick<HolderPodView, 'spec'>): boolean {
  return deployLabel !== undefined && Object.hasOwn(spec?.nodeSelector ?? {}, deployLabel);
}

/** Those that may be evicted: a DaemonSet's. Other pods might not be recreated, and may be a user's work. */
export function evictablePods<Pod extends HolderPodView>(pods: readonly Pod[]): readonly Pod[] {
  return pods.filter(isOfDaemonSet);
}

/** Pods of all holders that go on this occasion and may be evicted, each once. */
export function podsThatGo<Pod extends HolderPodView>(
  holders: readonly GpuHolder[],
  occasion: HolderOccasion,
  pods: readonly Pod[],
): readonly Pod[] {
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
