import { stateLabel } from '../api/names.ts';
import type { GpuNodePartition } from '../api/types.ts';
import { describeReport } from '../core/nvidia/labels/describe-report.ts';
import { isMigStrategy, type MigStrategy } from '../core/nvidia/labels/mig-strategy.ts';
import type { DevicePluginConfig } from '../core/nvidia/plugin-config/sharing.ts';
import { computeLabels } from '../core/nvidia/labels/node-labels.ts';
import { computeResources } from '../core/nvidia/resources/node-resources.ts';
import { combine } from '../core/node/node-marks.ts';
import type { NodeChange } from '../core/metadata/node-patch.ts';
import type { KubeClient } from '../kube/client.ts';
import { isClosed, type NodeObject } from './cluster-objects.ts';
import { type LabelChange, layoutLabels } from './layout-labels.ts';
import { changeNode, metadataOf } from './node-writer.ts';
import type { PluginConfig } from './plugin-config.ts';
import type { PluginRefresher } from './refresh-plugin.ts';
import type { Verdict } from './verdict.ts';
import type { World } from './world.ts';

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
    const labels = isUnfinished(node) ? await this.#tellDevice(node, partition) : undefined;
    if (typeof labels === 'object') return labels;
    const marks = labels ? combine(change, labels(metadataOf(node))) : change;
    this.#world.nodeWritten(node.metadata.name, await changeNode(this.#client, node, marks));
    return undefined;
  }

  /** Whatever the device has become, pods must not choose the node by labels of before. @returns why they may not come yet, else the labels */
  async #tellDevice(node: NodeObject, partition: GpuNodePartition): Promise<Verdict | LabelChange> {
    const { granted } = partition.spec;
    const device = partition.status?.device ?? {};
    if (granted && (device.observedEpoch ?? 0) < granted.epoch) {
      const message = 'the agent has not said what became of the GPUs, so that no pod may come';
      return { phase: 'Failed', reason: 'Failed', message };
    }
    const config = await this.#pluginConfig?.inUse(node);
    const strategy = strategyOf(node, partition, config);
    const description = describeReport(device);
    const { resources, errors } = computeResources(description, strategy, config);
    const marks = layoutLabels(node, partition, computeLabels(description, strategy, config));
    // Where NVIDIA's plugin would not start it advertises nothing, as soon as it has been restarted.
    const offer = { resources: errors.length > 0 ? {} : resources, marks };
    return (await this.#refresher.advance(node, partition, offer)) ?? marks;
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
