import { repartitioningTaint } from '../api/names.ts';
import type { GpuNodePartition } from '../api/types.ts';
import { describeReport } from '../core/labels/describe-report.ts';
import { isMigStrategy, type MigStrategy } from '../core/labels/mig-strategy.ts';
import { computeResources } from '../core/labels/node-resources.ts';
import type { NodeChange } from '../core/rollout/node-patch.ts';
import type { KubeClient } from '../kube/client.ts';
import type { NodeObject } from './cluster-objects.ts';
import { changeNode } from './node-writer.ts';
import type { PluginRefresher } from './refresh-plugin.ts';
import type { Verdict } from './verdict.ts';
import type { World } from './world.ts';

export function isClosed(node: NodeObject): boolean {
  return node.spec?.taints?.some(({ key }) => key === repartitioningTaint.key) ?? false;
}

/** Opens nodes whose change has not ended as wished: failed, taken back, or without a policy any more. */
export class NodeOpener {
  readonly #client: KubeClient;
  readonly #world: World;
  readonly #refresher: PluginRefresher;

  constructor(client: KubeClient, world: World, refresher: PluginRefresher) {
    this.#client = client;
    this.#world = world;
    this.#refresher = refresher;
  }

  /**
   * Makes a change that takes our taint off, once the node advertises what its device is now, be that as wished or not.
   * @returns why the node stays closed; undefined where the change is made
   */
  async open(node: NodeObject, partition: GpuNodePartition, change: NodeChange): Promise<Verdict | undefined> {
    const pending = isClosed(node) ? await this.#whyClosed(node, partition) : undefined;
    if (pending) return pending;
    this.#world.nodeWritten(node.metadata.name, await changeNode(this.#client, node, change));
    return undefined;
  }

  async #whyClosed(node: NodeObject, partition: GpuNodePartition): Promise<Verdict | undefined> {
    const { granted } = partition.spec;
    const device = partition.status?.device ?? {};
    if (granted && (device.observedEpoch ?? 0) < granted.epoch) {
      const message = 'the agent has not said what became of the GPUs, so that no pod may come';
      return { phase: 'Failed', reason: 'Failed', message };
    }
    const { resources, errors } = computeResources(describeReport(device), strategyOf(node, partition));
    // Where NVIDIA's plugin would not start it advertises nothing, as soon as it has been restarted.
    return this.#refresher.advance(node, partition, { resources: errors.length > 0 ? {} : resources });
  }
}

/** Of the policy; where that is gone, of the labels that it left. */
function strategyOf(node: NodeObject, partition: GpuNodePartition): MigStrategy {
  const label = node.metadata.labels?.['nvidia.com/mig.strategy'];
  return partition.spec.strategy ?? (isMigStrategy(label) ? label : 'mixed');
}
