import type { GpuNodePartition, GpuPartitionPolicy } from '../api/types.ts';
import { clientsAnnotation } from '../core/pods/holder-pods.ts';
import { pausedForMigChange, pluginDeployLabel, resumeLoans } from '../core/pods/gpu-holders.ts';
import { borrow } from '../core/metadata/borrowed-labels.ts';
import { describeReport } from '../core/nvidia/labels/describe-report.ts';
import { dropInvalidLabels } from '../core/nvidia/labels/label-value.ts';
import { sharingOf } from '../core/nvidia/plugin-config/managed-config.ts';
import { computeLabels, type NodeLabels } from '../core/nvidia/labels/node-labels.ts';
import { computeResources } from '../core/nvidia/resources/node-resources.ts';
import { handOver } from '../core/nvidia/feature-discovery/writer-mode.ts';
import { closeNode, combine, readyNode, reopenNode } from '../core/node/node-marks.ts';
import type { NodeChange, NodeMetadata } from '../core/metadata/node-patch.ts';
import type { KubeClient } from '../kube/client.ts';
import { systemClock, waitFor } from '../process/clock.ts';
import { isClosed, type NodeObject } from './cluster-objects.ts';
import type { GpuClients } from './gpu-clients.ts';
import { type LabelChange, layoutLabels } from './layout-labels.ts';
import { changeNode, metadataOf, readNode } from './node-writer.ts';
import type { PluginConfig } from './plugin-config.ts';
import type { PluginRefresher } from './refresh-plugin.ts';
import type { Verdict } from './verdict.ts';
import type { World } from './world.ts';
import { writerModeFor } from './writer-mode.ts';

export interface FinishTools {
  readonly client: KubeClient;
  readonly world: World;
  readonly refresher: PluginRefresher;
  readonly clients: GpuClients;
  /** Absent where the device plugin's config files are the administrator's. */
  readonly pluginConfig: PluginConfig | undefined;
  /** As for a grant: time for a pod that the scheduler was binding when the node was closed, in ms. */
  readonly settleMs: number;
  /** How long labels that are somebody else's to write are waited for before the node is opened without, in ms. */
  readonly labelsDeadlineMs: number;
}

/** Brings labels, device plugin and clients of a node in line with its device, which is as the policy says, and opens it. */
export class NodeFinisher {
  readonly #tools: FinishTools;
  /** Since when the labels of a node are not right, in ms of `performance.now()`. */
  readonly #staleSince = new Map<string, number>();
  readonly #heldSince = new Map<string, number>();

  constructor(tools: FinishTools) {
    this.#tools = tools;
  }

  forget(node: string): void {
    this.#staleSince.delete(node);
    this.#heldSince.delete(node);
  }

  async finish(
    node: NodeObject,
    partition: GpuNodePartition,
    policy: GpuPartitionPolicy,
    verdict: Verdict,
  ): Promise<Verdict> {
    const { refresher, clients } = this.#tools;
    // 1. What NVIDIA's own tools will say of this device.
    const predicted = this.#predict(partition, policy);
    const { resources, errors } = predicted.offer;
    // No labels because of an error must never be read as: take all labels away.
    const problem = predicted.errors[0] ?? errors[0];
    if (problem) return { phase: 'Failed', reason: 'Refused', message: `${problem.message}. ${problem.advice}` };
    // 2. The plugin's settings first, and what looks at the devices only when it starts.
    if (await this.#configure(node, policy)) return pending('the device plugin’s settings are being changed');
    // 3. The node must offer exactly this before pods may come: never a slice that is not there.
    const labels = layoutLabels(node, partition, predicted);
    const stale = staleLabels(node, partition, predicted);
    // Side by side: an eviction takes the API server 0.1 s, and nobody waits for the clients.
    const [fenced] = await Promise.all([
      refresher.advance(node, partition, {
        resources,
        policy,
        marks: (fresh) => combine(labels(fresh), stale.length > 0 ? holdPlugin(fresh) : {}),
      }),
      clients.restart(node),
    ]);
    if (fenced) return fenced;
    // 4. Labels and opening, in one write.
    return this.#open(node, partition, policy, { predicted, labels, stale }, verdict);
  }

  /**
   * Whether the device plugin is kept away until GPU Feature Discovery has labelled the node anew: a node that is open by offering nothing
   * would have new slices under labels of before as soon as the plugin is back.
   */
  holdsPlugin(node: NodeObject, partition: GpuNodePartition, policy: GpuPartitionPolicy): boolean {
    const { name } = node.metadata;
    const [loan, ...others] = resumeLoans(metadataOf(node));
    const isHeld = loan === pluginDeployLabel && others.length === 0 && !isClosed(node);
    if (!isHeld || staleLabels(node, partition, this.#predict(partition, policy)).length === 0) {
      this.#heldSince.delete(name);
      return false;
    }
    const since = this.#heldSince.get(name) ?? performance.now();
    this.#heldSince.set(name, since);
    return performance.now() - since <= this.#tools.labelsDeadlineMs;
  }

  #predict({ status }: GpuNodePartition, { spec }: GpuPartitionPolicy): Prediction {
    const description = describeReport(status?.device ?? {});
    const sharing = this.#tools.pluginConfig && sharingOf(spec);
    return {
      ...computeLabels(description, spec.strategy, sharing),
      offer: computeResources(description, spec.strategy, sharing),
    };
  }

  /**
   * Has the plugin use the policy's strategy and sharing. It reads its settings and the devices at once, so a node must be closed, and
   * its layout done, before its plugin hears of them.
   *
   * @returns whether something was written
   */
  async #configure(node: NodeObject, policy: GpuPartitionPolicy): Promise<boolean> {
    const { client, world, pluginConfig, settleMs } = this.#tools;
    const change = await pluginConfig?.prepare(node, policy);
    if (!change) return false;
    const { name } = node.metadata;
    let fresh = node;
    if (!isClosed(node)) {
      await changeNode(client, node, closeNode());
      await waitFor(systemClock, settleMs);
      fresh = await readNode(client, name);
    }
    world.nodeWritten(name, await changeNode(client, fresh, change));
    return true;
  }

  async #open(
    node: NodeObject,
    partition: GpuNodePartition,
    policy: GpuPartitionPolicy,
    {
      predicted,
      labels,
      stale,
    }: { readonly predicted: NodeLabels; readonly labels: LabelChange; readonly stale: readonly StaleLabel[] },
    verdict: Verdict,
  ): Promise<Verdict> {
    const marks = combine(readyNode(policy.metadata.name, partition.status?.device?.gpus ?? []), {
      annotations: { [clientsAnnotation]: undefined },
    });
    const metadata = metadataOf(node);
    if (writerModeFor(node, partition) === 'Patch') {
      await this.#write(node, combine(labels(metadata), marks));
      return verdict;
    }
    const handedOver = handOver(metadata, Object.keys(dropInvalidLabels(predicted.labels).kept));
    const { name } = node.metadata;
    if (stale.length === 0) {
      this.#staleSince.delete(name);
      await this.#write(node, combine(handedOver, marks));
      return verdict;
    }
    const since = this.#staleSince.get(name) ?? performance.now();
    this.#staleSince.set(name, since);
    // Whoever should label the node may never come back; what it offers is right.
    const isOverdue = performance.now() - since > this.#tools.labelsDeadlineMs;
    await this.#write(node, isOverdue ? combine(handedOver, reopenNode('failed')) : handedOver);
    return {
      ...(isOverdue ? { phase: 'Failed' } : { phase: 'Updating', passing: true, again: 5000 }),
      reason: 'LabelsStale',
      message: `GPU Feature Discovery has not seen the layout yet: ${stale
        .slice(0, 3)
        .map(([key, value]) => `${key} should be ${value}`)
        .join(
          ', ',
        )}${stale.length > 3 ? ` and ${stale.length - 3} more` : ''}; it looks when its pod starts and every 60 s: does its pod run?`,
    };
  }

  async #write(node: NodeObject, change: NodeChange): Promise<void> {
    this.#tools.world.nodeWritten(node.metadata.name, await changeNode(this.#tools.client, node, change));
  }
}

/** What GPU Feature Discovery and the device plugin make of a device. */
interface Prediction extends NodeLabels {
  readonly offer: ReturnType<typeof computeResources>;
}

type StaleLabel = readonly [key: string, value: string];

/** What GPU Feature Discovery will write and has not written yet; nothing where the labels are ours. */
function staleLabels(node: NodeObject, partition: GpuNodePartition, predicted: NodeLabels): readonly StaleLabel[] {
  if (writerModeFor(node, partition) === 'Patch') return [];
  // Where GPUs of several models share a node, chance decides some of GFD's values (Go's map order).
  return Object.entries(dropInvalidLabels(predicted.labels).kept).filter(
    ([key, value]) => node.metadata.labels?.[key] !== value && !Object.hasOwn(predicted.undetermined, key),
  );
}

/** Keeps the plugin away with the label by which gpu-operator deploys it, where there is one. */
function holdPlugin(node: NodeMetadata): NodeChange {
  return node.labels[pluginDeployLabel] === 'true' ? borrow(node, { [pluginDeployLabel]: pausedForMigChange }) : {};
}

/** Something was written that the watch brings back. */
export function pending(message: string): Verdict {
  return { phase: 'Updating', reason: 'AdvertisePending', message, passing: true, again: 250 };
}
