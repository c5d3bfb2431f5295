import type { DeviceReport, GpuNodePartition } from '../api/types.ts';
import { describeReport } from '../core/labels/describe-report.ts';
import { dropInvalidLabels } from '../core/labels/label-value.ts';
import type { MigStrategy } from '../core/labels/mig-strategy.ts';
import { computeLabels } from '../core/labels/node-labels.ts';
import type { DevicePluginConfig } from '../core/labels/sharing.ts';
import { gpuLabels } from '../core/rollout/node-marks.ts';
import type { NodeChange, NodeMetadata } from '../core/rollout/node-patch.ts';
import type { NodeObject } from './cluster-objects.ts';
import { writerModeFor } from './writer-mode.ts';

/** Made for the node as it is read afresh. */
export type LabelChange = (fresh: NodeMetadata) => NodeChange;

/**
 * Labels that tell of a node's device as it is, be that as wished or not. Nothing where they are GPU Feature Discovery's to write, or
 * where the device is not known: no labels because of that must never be read as take all labels away.
 */
export function layoutLabels(
  node: NodeObject,
  partition: GpuNodePartition,
  strategy: MigStrategy,
  config?: DevicePluginConfig,
): LabelChange {
  const device = partition.status?.device;
  if (writerModeFor(node, partition) !== 'Patch' || !isKnown(device)) return () => ({});
  const { labels, errors } = computeLabels(describeReport(device), strategy, config);
  if (errors.length > 0) return () => ({});
  const { kept } = dropInvalidLabels(labels);
  return (fresh) => gpuLabels(fresh, kept);
}

function isKnown(device: DeviceReport | undefined): device is DeviceReport {
  const { gpus, step } = device ?? {};
  return gpus !== undefined && step !== 'Unknown' && gpus.every(({ error }) => error === undefined);
}
