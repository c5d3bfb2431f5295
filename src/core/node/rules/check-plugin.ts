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
import { leaveOpen, lookAgainMs, refuse, type Ruling, type Situation } from '../outcome.ts';
import type { NodeSettings } from '../snapshot.ts';
import { pluginPods } from './cluster-pods.ts';
import { configOf, refuseUnready } from './plugin-config.ts';
import { currentOffer } from './current-offer.ts';
import { wishOf } from './wish.ts';
import { podName, type PodView } from '../../pods/pod-view.ts';

/** Whether the device plugin has the policy's settings, or takes them from us, and runs: nothing is changed that it would not offer. */
export function checkPlugin(situation: Situation): Ruling | undefined {
  return checkSettings(situation) ?? checkRuns(situation);
}

/** Whether the device plugin's own settings fit the policy. */
export function checkSettings(situation: Situation): Ruling | undefined {
  const { claim, settings, pods = [] } = situation;
  const { winner } = claim;
  if (winner === undefined) return undefined;
  for (const pod of pluginPods(situation, pods)) {
    const found = findMisfit(settings, winner, pod);
    if (found) return refuse(found.reason, `pod ${podName(pod)}: ${found.message}`);
  }
  return undefined;
}

/**
 * A plugin that does not run, or would not start again, would not offer a new layout either, unless it is the present one, or a missing
 * config file, that keeps it from starting: then the change is the cure.
 */
function checkRuns(situation: Situation): Ruling | undefined {
  const { node, pods = [] } = situation;
  if (isUnfinished(node) || hasStartupTaint(node) || isCuredByChange(situation)) return undefined;
  const plugins = pluginPods(situation, pods);
  return refuseUnready(node, 'DevicePlugin', plugins) ?? refuseLost(situation, pluginPodsOf(plugins));
}

/** NVIDIA's plugin opens every GPU when it starts (k8s-device-plugin#338): a lost one would take the others with it. */
function refuseLost({ partition }: Situation, plugins: readonly PodView[]): Ruling | undefined {
  const lost = (partition.status?.device?.gpus ?? []).find(({ error }) => error?.startsWith('GpuLost'));
  if (lost === undefined || plugins.length === 0) return undefined;
  const message =
    `GPU ${lost.index} (${lost.pciBusId}) is lost, and the device plugin would not start with it: a change would take the node’s ` +
    'other GPUs out of service, too. Drain and reboot the node';
  return refuse('PluginNotReady', message);
}

function isCuredByChange(situation: Situation): boolean {
  const { node, configFiles } = situation;
  const key = configOf(node);
  const lacksFile = key !== undefined && configFiles?.state === 'Read' && !(key in configFiles.files);
  return lacksFile || currentOffer(situation).cannotStart;
}

/** Whether anything would advertise the new layout as the policy says, judged by how the node advertises its devices now. */
export function checkOffer(situation: Situation): Ruling | undefined {
  const { node, partition, settings, claim, pods = [] } = situation;
  const { gpus = [] } = partition.status?.device ?? {};
  const wanted = new Map(wishOf(situation)?.gpus.map((gpu) => [gpu.uuid, gpu.mig]));
  const strategy = claim.winner?.spec.strategy;
  const gap =
    strategy &&
    findOfferGap({
      device: describeReport(partition.status?.device ?? {}),
      strategy,
      offer: {
        allocatable: node.status?.allocatable ?? {},
        advertised: partition.status?.device?.advertised,
        labels: node.metadata.labels ?? {},
      },
      hasOwnConfig: settings.pluginConfigMap !== undefined,
      hasPlugin: pluginPods(situation, pods).length > 0,
      refusesUnknown: settings.refusesUnknownPlugin,
      isClosed: isUnfinished(node) || hasStartupTaint(node),
      becomesWhole: gpus.every(({ uuid, mig }) =>
        wanted.has(uuid) ? wanted.get(uuid) === 'Disabled' : mig !== 'Enabled',
      ),
      selector: settings.pluginSelector,
    });
  return gap && { ...leaveOpen('Failed', gap.reason, gap.message, lookAgainMs), leavesAlone: true };
}

function findMisfit(
  { pluginConfigMap }: NodeSettings,
  { spec }: GpuPartitionPolicy,
  pod: PodView,
): { readonly reason: 'StrategyMismatch' | 'SharingRefused'; readonly message: string } | undefined {
  const { strategy, sharing } = spec;
  const settings = readPluginSettings(pod);
  // What a plugin other than NVIDIA's does without settings is unknown.
  if (settings.strategy === undefined && pluginPodsOf([pod]).length === 0) return undefined;
  const mismatch = strategyMismatch(settings, strategy);
  if (mismatch !== undefined) return { reason: 'StrategyMismatch', message: mismatch };
  const gap = sharing && pluginConfigMap ? findConfigManagerGap(settings, pluginConfigMap.name) : undefined;
  return gap === undefined ? undefined : { reason: 'SharingRefused', message: gap };
}
