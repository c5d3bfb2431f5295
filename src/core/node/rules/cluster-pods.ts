import { pluginPodsOf } from '../../pods/plugin-pods.ts';
import { systemPods } from '../../pods/system-pods.ts';
import type { NodePod, Situation } from '../snapshot.ts';

/** Pods of a node that are the cluster's own software, whatever labels others carry. */
export function clusterPods({ settings }: Pick<Situation, 'settings'>, pods: readonly NodePod[]): readonly NodePod[] {
  return systemPods(pods, settings.systemNamespaces);
}

/** Pods of the device plugin among those of a node. */
export function pluginPods(situation: Pick<Situation, 'settings'>, pods: readonly NodePod[]): readonly NodePod[] {
  return pluginPodsOf(clusterPods(situation, pods), situation.settings.pluginSelector);
}
