import type { GpuPartitionPolicy } from '../../../api/types.ts';
import {
  findConfigManagerGap,
  readPluginSettings,
  strategyMismatch,
} from '../../nvidia/plugin-config/plugin-settings.ts';
import { findOfferGap } from '../../nvidia/plugin-config/offer-gap.ts';
import { describeReport } from '../../nvidia/labels/describe-report.ts';
import { hasStartupTaint, isUnfinished } from '../node-view.ts';
import { pluginPodsOf } from '../../pods/plugin-pods.ts';
import type { Ruling } from '../outcome.ts';
import type { NodePod, NodeSettings, Situation } from '../snapshot.ts';
import { pluginPods } from './cluster-pods.ts';
import { lookAgainMs } from './look-again.ts';
import { wishOf } from './wish.ts';

/** Whether the device plugin's own settings fit the policy. @param pods of the node, including the plugin's */
export function checkPlugin(
  situation: Situation,
  policy: GpuPartitionPolicy,
  pods: readonly NodePod[],
): Ruling | undefined {
  for (const pod of pluginPods(situation, pods)) {
    const found = findMisfit(situation.settings, policy, pod);
    if (found === undefined) continue;
    const { name, namespace = 'default' } = pod.metadata;
    const message = `pod ${namespace}/${name}: ${found.message}. Nothing is touched until then`;
    return { verdict: { phase: 'Failed', reason: found.reason, message, requeueAfterMs: lookAgainMs } };
  }
  return undefined;
}

/** Whether anything would advertise the new layout as the policy says, judged by how the node advertises its devices now. */
export function checkOffer(
  situation: Situation,
  { spec }: GpuPartitionPolicy,
  pods: readonly NodePod[],
): Ruling | undefined {
  const { node, partition, settings } = situation;
  const { gpus = [] } = partition.status?.device ?? {};
  const wanted = new Map(wishOf(situation)?.gpus.map((gpu) => [gpu.uuid, gpu.mig]));
  const gap = findOfferGap({
    device: describeReport(partition.status?.device ?? {}),
    strategy: spec.strategy,
    offer: {
      allocatable: node.status?.allocatable ?? {},
      advertised: partition.status?.device?.advertised,
      labels: node.metadata.labels ?? {},
    },
    config: undefined,
    hasOwnConfig: settings.pluginConfigMap !== undefined,
    hasPlugin: pluginPods(situation, pods).length > 0,
    isClosed: isUnfinished(node) || hasStartupTaint(node),
    becomesWhole: gpus.every(({ uuid, mig }) =>
      wanted.has(uuid) ? wanted.get(uuid) === 'Disabled' : mig !== 'Enabled',
    ),
    selector: settings.pluginSelector,
  });
  return gap && { verdict: { phase: 'Failed', ...gap, requeueAfterMs: lookAgainMs } };
}

function findMisfit(
  { pluginConfigMap }: NodeSettings,
  { spec }: GpuPartitionPolicy,
  pod: NodePod,
): { readonly reason: 'StrategyMismatch' | 'SharingRefused'; readonly message: string } | undefined {
  const { strategy, sharing } = spec;
  const settings = readPluginSettings(pod);
  // What a plugin other than NVIDIA's does without settings is unknown.
  if (settings.strategy === undefined && pluginPodsOf([pod]).length === 0) return undefined;
  // The config file is ours, and gets the policy's strategy as soon as the layout is there.
  const isOurs = pluginConfigMap !== undefined && settings.configMap?.name === pluginConfigMap.name;
  const mismatch = strategyMismatch(settings, strategy, isOurs ? { configKeyStrategy: strategy } : {});
  if (mismatch !== undefined) return { reason: 'StrategyMismatch', message: mismatch };
  const gap = sharing && pluginConfigMap ? findConfigManagerGap(settings, pluginConfigMap.name) : undefined;
  return gap === undefined ? undefined : { reason: 'SharingRefused', message: gap };
}
