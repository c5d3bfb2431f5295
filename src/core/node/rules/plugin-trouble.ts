import { devicePluginConfigLabel } from '../../nvidia/labels/label-key.ts';
import { explainPluginPod } from '../../nvidia/plugin-config/plugin-reason.ts';
import type { NodeView } from '../node-view.ts';
import type { NodePod } from '../snapshot.ts';

/** What keeps the plugin's pods from being ready, in the kubelet's words, and the config file that they may be missing. */
export function describeTrouble(node: NodeView, pods: readonly NodePod[]): readonly string[] {
  const trouble = pods.flatMap((pod) => explainPluginPod(pod) ?? []);
  const config = configOf(node);
  const label = `the node's label ${devicePluginConfigLabel} names ${config}: does its ConfigMap have that key?`;
  return trouble.length > 0 && config !== undefined ? [...trouble, label] : trouble;
}

/** The config file that the node's plugin is told to use. */
export function configOf({ metadata }: NodeView): string | undefined {
  return metadata.labels?.[devicePluginConfigLabel];
}
