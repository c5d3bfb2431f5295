import type { DeviceReport } from '../../../api/types.ts';
import { listManagedLabels } from '../../nvidia/feature-discovery/managed-labels.ts';
import { isMigStrategy, MIG_STRATEGIES, type MigStrategy, strategyByLabels } from '../../nvidia/labels/mig-strategy.ts';
import type { NodeLabels } from '../../nvidia/labels/node-labels.ts';
import { readPluginSettings } from '../../nvidia/plugin-config/plugin-settings.ts';
import type { DevicePluginConfig } from '../../nvidia/plugin-config/sharing.ts';
import { advertises } from '../../nvidia/resources/advertised.ts';
import { publishDevices } from '../../dra/published-devices.ts';
import { backendOf } from '../backend.ts';
import { isUnfinished, metadataOf } from '../node-view.ts';
import type { Situation } from '../outcome.ts';
import { pluginPods } from './cluster-pods.ts';
import { configInUse } from './plugin-config.ts';
import { predictDevice } from './prediction.ts';

/** What NVIDIA's tools make of the device as it is, whether it matches the wish or not. */
export interface CurrentOffer {
  /** By which the device plugin offers it; undefined of a DRA driver. */
  readonly strategy?: MigStrategy;
  readonly labels: NodeLabels;
  readonly resources: Readonly<Record<string, number>>;
  /** NVIDIA's plugin exits on this device: it offers nothing once it has been restarted. */
  readonly cannotStart: boolean;
}

export function currentOffer(situation: Situation): CurrentOffer {
  if (backendOf(situation) === 'DRA') {
    const labels = predictDevice(situation.partition.status?.device ?? {}, 'mixed', undefined);
    return {
      labels,
      resources: {},
      cannotStart: publishDevices(situation.partition.status?.device ?? {}).problem !== undefined,
    };
  }
  const config = configInUse(situation);
  const strategy = strategyInUse(situation, config);
  const labels = predictDevice(situation.partition.status?.device ?? {}, strategy, config);
  const { resources, errors } = labels.offer;
  return { strategy, labels, resources, cannotStart: errors.length > 0 };
}

/**
 * The strategy with which the node's plugin runs, which need not be what a policy asks for: by its own settings, else by its config
 * file, else by what its kubelet offers if all of that exists, else by the labels that were written when it was last
 * known, else by what the node advertises.
 */
function strategyInUse(situation: Situation, config: DevicePluginConfig | undefined): MigStrategy {
  const { partition, node } = situation;
  const isOurs = listManagedLabels(metadataOf(node)).length > 0;
  const byLabels = strategyByLabels(node.metadata.labels ?? {}, isOurs);
  const known = knownStrategy(situation, config);
  const likely = [byLabels, partition.spec.strategy].filter(isMigStrategy);
  return (
    known ?? strategyByKubelet(situation, likely) ?? byLabels ?? strategyByOffer(situation) ?? likely[0] ?? 'mixed'
  );
}

/** The strategy of the node's plugin by its own settings, else by its config file; undefined if neither is known. */
export function knownStrategy(situation: Situation, config = configInUse(situation)): MigStrategy | undefined {
  const { pods = [] } = situation;
  const bySettings = pluginPods(situation, pods).map((pod) => readPluginSettings(pod).strategy?.value);
  return [...bySettings, config?.migStrategy].find(isMigStrategy);
}

/**
 * In the middle of a change: a policy that released the node has taken its plugin's config file away, so that the plugin has read the
 * devices with other settings than the labels tell.
 */
function strategyByKubelet({ node, partition }: Situation, likely: readonly MigStrategy[]): MigStrategy | undefined {
  const { device = {} } = partition.status ?? {};
  const offered = Object.entries(device.advertised?.resources ?? {});
  if (!isUnfinished(node) || device.advertised?.stale !== 0 || offered.length === 0) return undefined;
  return explainOffer(device, Object.fromEntries(offered.map(([name, count]) => [name, String(count)])), likely);
}

/** A node that is changing advertises what it was. */
function strategyByOffer({ partition, node }: Situation): MigStrategy | undefined {
  if (isUnfinished(node)) return undefined;
  const { strategy } = partition.spec;
  const likely = strategy === undefined ? [] : [strategy];
  return explainOffer(partition.status?.device ?? {}, node.status?.allocatable ?? {}, likely);
}

/** The first likely strategy that explains what is offered, as several may; else any. */
export function explainOffer(
  device: DeviceReport,
  offered: Readonly<Record<string, string>>,
  likely: readonly MigStrategy[],
): MigStrategy | undefined {
  return [...likely, ...MIG_STRATEGIES].find((one) => {
    const { errors, resources } = predictDevice(device, one, undefined).offer;
    return errors.length === 0 && advertises(offered, resources);
  });
}
