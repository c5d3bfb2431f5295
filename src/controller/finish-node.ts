import type { GpuNodePartition, GpuPartitionPolicy } from '../api/types.ts';
import { describeReport } from '../core/labels/describe-report.ts';
import { GFD_TIMESTAMP_KEY } from '../core/labels/label-key.ts';
import { dropInvalidLabels } from '../core/labels/label-value.ts';
import { computeLabels } from '../core/labels/node-labels.ts';
import { computeResources } from '../core/labels/node-resources.ts';
import { combine, gpuLabels, readyNode } from '../core/rollout/node-marks.ts';
import type { KubeClient } from '../kube/client.ts';
import type { NodeObject } from './cluster-objects.ts';
import { changeNode, metadataOf } from './node-writer.ts';
import type { PluginRefresher } from './refresh-plugin.ts';
import type { Verdict } from './verdict.ts';
import type { World } from './world.ts';

export type WriterMode = 'Patch' | 'Verify';

/** Verify where GPU Feature Discovery labels the node: it would overwrite us, so we compare and never write its keys. */
export function writerModeOf(node: NodeObject): WriterMode {
  return node.metadata.labels?.[GFD_TIMESTAMP_KEY] === undefined ? 'Patch' : 'Verify';
}

export interface FinishTools {
  readonly client: KubeClient;
  readonly world: World;
  readonly refresher: PluginRefresher;
}

/** Labels a node whose device is as the policy says, and opens it when the node advertises the layout. */
export async function finishNode(
  { client, world, refresher }: FinishTools,
  node: NodeObject,
  partition: GpuNodePartition,
  policy: GpuPartitionPolicy,
  verdict: Verdict,
): Promise<Verdict> {
  const device = partition.status?.device ?? {};
  const description = describeReport(device);
  // 1. What NVIDIA's own tools will say of this device.
  const predicted = computeLabels(description, policy.spec.strategy);
  const { kept: wanted } = dropInvalidLabels(predicted.labels);
  const { resources, errors } = computeResources(description, policy.spec.strategy);
  // No labels because of an error must never be read as: take all labels away.
  const problem = predicted.errors[0] ?? errors[0];
  if (problem) return { phase: 'Failed', reason: 'Refused', message: `${problem.message}. ${problem.advice}` };
  // 2. The node must offer exactly this before pods may come: never a slice that is not there.
  const pending = await refresher.advance(node, partition, resources);
  if (pending) return pending;
  // 3. Labels and opening, in one write.
  const marks = readyNode(policy.metadata.name, device.gpus ?? []);
  if (writerModeOf(node) === 'Patch') {
    const change = combine(gpuLabels(metadataOf(node), wanted), marks);
    world.nodeWritten(node.metadata.name, await changeNode(client, node, change));
    return verdict;
  }
  // Where GPUs of several models share a node, chance decides some of GFD's values (Go's map order).
  const stale = Object.entries(wanted).filter(
    ([key, value]) => node.metadata.labels?.[key] !== value && !Object.hasOwn(predicted.undetermined, key),
  );
  if (stale.length === 0) {
    world.nodeWritten(node.metadata.name, await changeNode(client, node, marks));
    return verdict;
  }
  return {
    phase: 'Updating',
    reason: 'LabelsStale',
    message: `GPU Feature Discovery has not seen the layout yet: ${stale
      .slice(0, 3)
      .map(([key, value]) => `${key} should be ${value}`)
      .join(', ')}${stale.length > 3 ? ` and ${stale.length - 3} more` : ''}; it looks every 60 s`,
    passing: true,
  };
}
