import { type Lasting, waitFor } from '../memory.ts';
import type { NodePod, Situation } from '../snapshot.ts';
import { refreshedPods } from './cluster-pods.ts';

/** The plugin's pods that the agent signals when the device is done; null if they are replaced instead. */
export function listPodsToSignal(
  situation: Parameters<typeof refreshedPods>[0],
  pods: readonly NodePod[],
): string[] | null {
  if (situation.settings.pluginRefresh !== 'Signal') return null;
  const uids = refreshedPods(situation, pods).flatMap(({ metadata }) => metadata.uid ?? []);
  return uids.length > 0 ? uids.slice(0, 8) : null;
}

/** A signalled plugin informs the kubelet within a second, and the kubelet the API server within its status period (10 s). */
export const followMs = 20_000;

/**
 * For how long the agent, since it finished the grant, has signalled all of the plugin's pods on the node; undefined if it has not. None
 * is replaced as long as they may still follow: after that time they have followed, or one of them ignores the signal.
 */
export function awaitSignalled(
  situation: Situation,
  found: readonly NodePod[] | undefined,
  change: string,
): Lasting | undefined {
  const { partition } = situation;
  const { signalled, observedEpoch } = partition.status?.device ?? {};
  if (found === undefined || found.length === 0 || signalled === undefined) return undefined;
  if (signalled.epoch !== partition.spec.granted?.epoch || signalled.epoch !== observedEpoch) return undefined;
  if (!found.every(({ metadata }) => signalled.uids.includes(metadata.uid ?? ''))) return undefined;
  return waitFor(situation, 'Signalled', change);
}
