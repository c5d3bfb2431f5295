import { repartitioningTaint } from '../../../api/names.ts';
import { isFreshRestart } from '../../nvidia/plugin-config/plugin-reason.ts';
import { backendOf } from '../backend.ts';
import { type Lasting, waitFor } from '../memory.ts';
import type { Situation } from '../outcome.ts';
import { refreshedPods } from './cluster-pods.ts';
import { type PodView, tolerates } from '../../pods/pod-view.ts';

/** The plugin's pods that the agent signals when the device is done; null if they are replaced instead. */
export function listPodsToSignal(
  situation: Parameters<typeof refreshedPods>[0] & Pick<Situation, 'now'>,
  pods: readonly PodView[],
): string[] | null {
  if (situation.settings.pluginRefresh !== 'Signal') return null;
  const found = refreshedPods(situation, pods);
  // A signal ends the DRA driver. A second time within minutes the kubelet would start it again after 10 s, then 20 s and so on.
  const wouldWait = (pod: PodView): boolean =>
    isFreshRestart(pod, situation.now) && tolerates(pod.spec?.tolerations, repartitioningTaint);
  if (backendOf(situation) === 'DRA' && found.some(wouldWait)) return null;
  const uids = found.flatMap(({ metadata }) => metadata.uid ?? []);
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
  found: readonly PodView[] | undefined,
  change: string,
): Lasting | undefined {
  const { partition } = situation;
  const { signalled, observedEpoch } = partition.status?.device ?? {};
  if (found === undefined || found.length === 0 || signalled === undefined) return undefined;
  if (signalled.epoch !== partition.spec.granted?.epoch || signalled.epoch !== observedEpoch) return undefined;
  if (!found.every(({ metadata }) => signalled.uids.includes(metadata.uid ?? ''))) return undefined;
  return waitFor(situation, 'Signalled', change);
}
