import type { DeviceReport, GpuNodePartition } from '../api/types.ts';
import { dropInvalidLabels } from '../core/nvidia/labels/label-value.ts';
import type { NodeLabels } from '../core/nvidia/labels/node-labels.ts';
import { gpuLabels } from '../core/node/node-marks.ts';
import type { NodeChange, NodeMetadata } from '../core/metadata/node-patch.ts';
import type { NodeObject } from './cluster-objects.ts';
import { writerModeFor } from './writer-mode.ts';

/** Made for the node as it is read afresh. */
export type LabelChange = (fresh: NodeMetadata) => NodeChange;

/**
 * Labels that tell of a node's device as it is, be that as wished or not. Nothing where they are GPU Feature Discovery's to write, or
 * where the device is not known: no labels because of that must never be read as take all labels away.
 *
 * @param predicted what GPU Feature Discovery would write of the device
 */
export function layoutLabels(node: NodeObject, partition: GpuNodePartition, predicted: NodeLabels): LabelChange {
  const device = partition.status?.device;
  if (writerModeFor(node, partition) !== 'Patch' || !isKnown(device) || predicted.errors.length > 0) return () => ({});
  const { kept } = dropInvalidLabels(predicted.labels);
  return (fresh) => gpuLabels(fresh, kept);
}

function isKnown(device: DeviceReport | undefined): boolean {
  const { gpus, step } = device ?? {};
  return gpus !== undefined && step !== 'Unknown' && gpus.every(({ error }) => error === undefined);
}
