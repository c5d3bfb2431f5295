import { repartitioningTaint, stateLabel } from '../api/names.ts';
import type { GpuNodePartition } from '../api/types.ts';
import { describeReport } from '../core/labels/describe-report.ts';
import { isMigStrategy, type MigStrategy } from '../core/labels/mig-strategy.ts';
import type { DevicePluginConfig } from '../core/labels/sharing.ts';
import { computeResources } from '../core/labels/node-resources.ts';
import { combine } from '../core/rollout/node-marks.ts';
import type { NodeChange } from '../core/rollout/node-patch.ts';
import type { KubeClient } from '../kube/client.ts';
import type { NodeObject } from './cluster-objects.ts';
import { type LabelChange, layoutLabels } from './layout-labels.ts';
import { changeNode, metadataOf } from './node-writer.ts';
import type { PluginConfig } from './plugin-config.ts';
import type { PluginRefresher } from './refresh-plugin.ts';
import type { Verdict } from './verdict.ts';
import type { World } from './world.ts';

export function isClosed(node: NodeObject): boolean {
  return node.spec?.taints?.some(({ key }) => key === repartitioningTaint.key) ?? false;
}

/** Closed, or opened for nobody but the device plugin: what it offers now is not what its device is. */
export function isUnfinished(node: NodeObject): boolean {
  return isClosed(node) || node.metadata.labels?.[stateLabel] === 'updating';
}

/** Opens nodes whose change has not ended as wished: failed, taken back, or without a policy any more. */
export class NodeOpener {
  readonly #client: KubeClient;
  readonly #world: World;
  readonly #refresher: PluginRefresher;
  readonly #pluginConfig: PluginConfig | undefined;

  constructor(client: KubeClient, world: World, refresher: PluginRefresher, pluginConfig: PluginConfig | undefined) {
    this.#client = client;
    this.#world = world;
    this.#refresher = refresher;
    this.#pluginConfig = pluginConfig;
  }

  /**
   * Makes a change that takes our taint off, once the node advertises what its device is now, be that as wished or not.
   * @returns why the node stays closed; undefined where the change is made
   */
  async open(node: NodeObject, partition: GpuNodePartition, change: NodeChange): Promise<Verdict | undefined> {
    // Whatever the device has become, pods must not choose the node by labels of before.
    const isChanging = isUnfinished(node);
    if (isChanging) {
      const config = await this.#pluginConfig?.inUse(node);
      const labels = layoutLabels(node, partition, strategyOf(node, partition, config), config);
      const pending = await this.#whyClosed(node, partition, labels, config);
      if (pending) return pending;
      change = combine(change, labels(metadataOf(node)));
    }
    this.#world.nodeWritten(node.metadata.name, await changeNode(this.#client, node, change));
    return undefined;
  }

  async #whyClosed(
    node: NodeObject,
    partition: GpuNodePartition,
    marks: LabelChange,
    config: DevicePluginConfig | undefined,
  ): Promise<Verdict | undefined> {
    const { granted } = partition.spec;
    const device = partition.status?.device ?? {};
    if (granted && (device.observedEpoch ?? 0) < granted.epoch) {
      const message = 'the agent has not said what became of the GPUs, so that no pod may come';
      return { phase: 'Failed', reason: 'Failed', message };
    }
    const { resources, errors } = computeResources(describeReport(device), strategyOf(node, partition, config), config);
    // Where NVIDIA's plugin would not start it advertises nothing, as soon as it has been restarted.
    return this.#refresher.advance(node, partition, { resources: errors.length > 0 ? {} : resources, marks });
  }
}

/** Of the plugin's own file where that is ours, else of the policy; where that is gone, of the labels that it left. */
function strategyOf(
  node: NodeObject,
  partition: GpuNodePartition,
  config: DevicePluginConfig | undefined,
): MigStrategy {
  const known = [config?.migStrategy, partition.spec.strategy, node.metadata.labels?.['nvidia.com/mig.strategy']];
  return known.find(isMigStrategy) ?? 'mixed';
}
