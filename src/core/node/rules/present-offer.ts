import { isMigStrategy, type MigStrategy } from '../../nvidia/labels/mig-strategy.ts';
import type { NodeLabels } from '../../nvidia/labels/node-labels.ts';
import { readPluginSettings } from '../../nvidia/plugin-config/plugin-settings.ts';
import type { DevicePluginConfig } from '../../nvidia/plugin-config/sharing.ts';
import { pluginPodsOf } from '../../pods/plugin-pods.ts';
import type { Situation } from '../snapshot.ts';
import { configInUse } from './plugin-config.ts';
import { predictDevice } from './prediction.ts';

/** What NVIDIA's tools make of the device as it is, whether it matches the wish or not. */
export function presentOffer(situation: Situation): {
  readonly labels: NodeLabels;
  readonly resources: Readonly<Record<string, number>>;
} {
  const config = configInUse(situation);
  const strategy = strategyOf(situation, config);
  const labels = predictDevice(situation.partition.status?.device ?? {}, strategy, config);
  const { resources, errors } = labels.offer;
  // If NVIDIA's plugin would not start, it advertises nothing once it has been restarted.
  return { labels, resources: errors.length > 0 ? {} : resources };
}

/** From the plugin's own file if that is ours, else from the policy; if that is gone, from the plugin, or from the labels that it left. */
function strategyOf(situation: Situation, config: DevicePluginConfig | undefined): MigStrategy {
  const { partition, node, pods = [], settings } = situation;
  const ofPlugins = pluginPodsOf(pods, settings.pluginSelector).map((pod) => readPluginSettings(pod).strategy?.value);
  const ofLabels = node.metadata.labels?.['nvidia.com/mig.strategy'];
  return [config?.migStrategy, partition.spec.strategy, ...ofPlugins, ofLabels].find(isMigStrategy) ?? 'mixed';
}
