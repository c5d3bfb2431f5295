import { pluginPodsOf } from '../../pods/plugin-pods.ts';
import type { NodePod, Situation } from '../snapshot.ts';

/** The plugin's pods that the agent shall signal when the device is done; null where they are replaced instead. */
export function listPodsToSignal({ settings }: Pick<Situation, 'settings'>, pods: readonly NodePod[]): string[] | null {
  if (settings.pluginRefresh !== 'Signal') return null;
  const uids = pluginPodsOf(pods, settings.pluginSelector).flatMap(({ metadata }) => metadata.uid ?? []);
  return uids.length > 0 ? uids.slice(0, 8) : null;
}

/** A plugin that has been told tells the kubelet within a second, and the kubelet the API server within its status period (10 s). */
const followMs = 20_000;

/**
 * Whether the agent has signalled all of the plugin's pods that are on the node since it was done with the grant, and they still may
 * follow: then none is replaced. By that time they have, or one of them does not take the signal.
 */
export function mayFollowSignal(
  { partition, waits }: Situation,
  found: readonly NodePod[] | undefined,
  change: string,
): boolean {
  const { signalled, observedEpoch } = partition.status?.device ?? {};
  if (found === undefined || found.length === 0 || signalled === undefined) return false;
  if (signalled.epoch !== partition.spec.granted?.epoch || signalled.epoch !== observedEpoch) return false;
  if (!found.every(({ metadata }) => signalled.uids.includes(metadata.uid ?? ''))) return false;
  return waits.lasts('Signalled', change) < followMs;
}
