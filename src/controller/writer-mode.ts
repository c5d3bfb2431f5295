import type { GpuNodePartition } from '../api/types.ts';
import { type WriterMode, writerModeOf } from '../core/nvidia/feature-discovery/writer-mode.ts';
import type { NodeObject } from './cluster-objects.ts';

/** Who writes the nvidia.com labels of a node. What it was is in the status, which outlives us. */
export function writerModeFor({ metadata }: NodeObject, partition: GpuNodePartition): WriterMode {
  const { labels = {}, annotations = {} } = metadata;
  return writerModeOf({ labels, annotations, gfdPod: undefined, before: partition.status?.writerMode });
}
